#include "ck/format.h"
#include "internal/table.h"

// The table of weight formats. A new one is a row here, its product in portable/, its expansion to float32 in
// shared/float/expand.h, and whatever levels have for it.

#define SCALE_PER_GROUP                                                                                                \
    { CK_PER_GROUP, CK_ONE_SCALE }

static const ck_format formats[] = {
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

// The portable products, a file each in portable/.
ck_quantized_product_kernel ck_affine_product_portable;

ck_quantized_product_kernel *const ck_portable_products[CK_TYPE_COUNT] = {
    [CK_Q4] = ck_affine_product_portable,
    [CK_Q8] = ck_affine_product_portable,
};

_Static_assert(sizeof formats / sizeof *formats == CK_TYPE_COUNT, "a row for every type");

const ck_format *ck_format_of(ck_type type) {
    return &formats[type];
}

/// A part's block with the numbers that its matrix decides filled in.
static ck_block block_of(const ck_matrix *w, size_t part) {
    ck_block block = formats[w->type].parts[part];
    if (block.elements == CK_PER_GROUP)
        block.elements = w->group;
    if (block.bytes == CK_ONE_SCALE)
        block.bytes = ck_stored_bytes(w->scale_type, 1);
    return block;
}

static size_t bytes_of(ck_block block, size_t elements) {
    return block.elements == 0 ? 0 : (elements + block.elements - 1) / block.elements * block.bytes;
}

size_t ck_part_bytes(ck_matrix w, size_t part, size_t elements) {
    return bytes_of(block_of(&w, part), elements);
}

size_t ck_part_stride(ck_matrix w, size_t part) {
    return ck_part_bytes(w, part, w.stride);
}

const void *ck_part_address(ck_matrix w, size_t part, size_t row, size_t column) {
    const uint8_t *const bases[CK_PART_COUNT] = {w.data, w.scales, w.biases};
    const ck_block block = block_of(&w, part);
    if (!bases[part] || block.elements == 0)
        return NULL;
    return bases[part] + row * bytes_of(block, w.stride) + column / block.elements * block.bytes;
}

size_t ck_columns_bytes(ck_matrix w, size_t columns) {
    size_t bytes = 0;
    for (size_t part = 0; part < CK_PART_COUNT; part++)
        bytes += ck_part_bytes(w, part, columns);
    return bytes;
}

size_t ck_row_bytes(ck_matrix w) {
    return ck_columns_bytes(w, w.columns);
}

size_t ck_stored_bytes(ck_type type, size_t elements) {
    return bytes_of(formats[type].parts[CK_CODES], elements);
}

size_t ck_widest_row_bytes(size_t elements) {
    size_t most = 0;
    for (ck_type type = 0; type < CK_TYPE_COUNT; type++) {
        const ck_matrix w = {.group = CK_SMALLEST_GROUP, .type = type, .scale_type = CK_F32};
        const size_t bytes = formats[type].activation_group > 0 ? ck_columns_bytes(w, elements) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t ck_column_step(ck_matrix w) {
    // Of two blocks of a format the smaller divides the larger.
    size_t most = 1;
    for (size_t part = 0; part < CK_PART_COUNT; part++) {
        const size_t elements = block_of(&w, part).elements;
        most = elements > most ? elements : most;
    }
    return most;
}

ck_matrix ck_slice(ck_matrix w, size_t row, size_t rows, size_t column, size_t columns) {
    ck_matrix slice = w;
    slice.data = ck_part_address(w, CK_CODES, row, column);
    slice.scales = ck_part_address(w, CK_SCALES, row, column);
    slice.biases = ck_part_address(w, CK_BIASES, row, column);
    slice.rows = rows;
    slice.columns = columns;
    return slice;
}

size_t ck_activation_group(ck_matrix w) {
    const ck_format *format = &formats[w.type];
    return format->activation_group == CK_PER_GROUP ? w.group : format->activation_group;
}
