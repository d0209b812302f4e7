#ifndef CK_FORMAT_TABLE_H
#define CK_FORMAT_TABLE_H

#include "ck/format.h"
#include "internal/inline.h"

// The table of weight formats. A new one is a row here, its product in portable/, its expansion to float32 in
// shared/float/expand.h, and whatever levels have for it.
//
// In a header, so that kernels for one format are compiled with its row as constants: they ask for every row they read.

#define SCALE_PER_GROUP                                                                                                \
    { CK_PER_GROUP, CK_ONE_SCALE }

static const ck_format ck_formats[CK_TYPE_COUNT] = {
    [CK_F32] = {.name = "f32", .parts = {{1, 4}}},
    [CK_F16] = {.name = "f16", .parts = {{1, 2}}},
    [CK_BF16] = {.name = "bf16", .parts = {{1, 2}}},
    [CK_Q4] = {.name = "q4",
               .parts = {{2, 1}, SCALE_PER_GROUP, SCALE_PER_GROUP},
               .order = CK_EVEN_ODD,
               .activation_group = CK_PER_GROUP},
    [CK_Q8] = {.name = "q8",
               .parts = {{1, 1}, SCALE_PER_GROUP, SCALE_PER_GROUP},
               .order = CK_NATURAL,
               .activation_group = CK_PER_GROUP},
    [CK_I8] = {.name = "i8", .parts = {{1, 1}}},
};

/// A part's block in a matrix of this type, with the numbers that the matrix decides filled in.
CK_INLINE ck_block ck_block_of(const ck_matrix *w, ck_type type, size_t part) {
    ck_block block = ck_formats[type].parts[part];
    if (block.elements == CK_PER_GROUP)
        block.elements = w->group;
    if (block.bytes == CK_ONE_SCALE)
        block.bytes = ck_formats[w->scale_type].parts[CK_CODES].bytes;
    return block;
}

CK_INLINE size_t ck_block_bytes(ck_block block, size_t elements) {
    return block.elements == 0 ? 0 : (elements + block.elements - 1) / block.elements * block.bytes;
}

/// See ck_part_stride.
CK_INLINE size_t ck_stride_of(const ck_matrix *w, ck_type type, size_t part) {
    return ck_block_bytes(ck_block_of(w, type, part), w->stride);
}

/// See ck_part_address.
CK_INLINE const void *ck_address_of(const ck_matrix *w, ck_type type, size_t part, size_t row, size_t column) {
    const uint8_t *base = part == CK_CODES ? w->data : part == CK_SCALES ? w->scales : w->biases;
    const ck_block block = ck_block_of(w, type, part);
    if (!base || block.elements == 0)
        return NULL;
    return base + row * ck_block_bytes(block, w->stride) + column / block.elements * block.bytes;
}

#endif
