#ifndef CK_QUANTIZED_SOURCE_H
#define CK_QUANTIZED_SOURCE_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/quantized/lanes.h"
#endif

// What the kernels of a level read: weight rows and activation rows.

/// What the kernels need to know about a matrix beyond its fields.
typedef struct affine_source {
    const uint8_t *codes, *scales, *biases;
    size_t groups, group_bytes, row_bytes, scale_row_bytes;
    ck_type scale_type;
} affine_source;

/// CALL(nibbles, bytes) with the constants of a layout: of its codes, and of the bytes of a group. One copy of the code
/// for each.
#define AFFINE_COPY_PER_LAYOUT(nibbles, bytes, CALL)                                                                   \
    switch ((bytes) + ((nibbles) ? 1 : 0)) {                                                                           \
    case 16 + 1:                                                                                                       \
        CALL(true, 16);                                                                                                \
        break;                                                                                                         \
    case 32 + 1:                                                                                                       \
        CALL(true, 32);                                                                                                \
        break;                                                                                                         \
    case 64 + 1:                                                                                                       \
        CALL(true, 64);                                                                                                \
        break;                                                                                                         \
    case 32:                                                                                                           \
        CALL(false, 32);                                                                                               \
        break;                                                                                                         \
    case 64:                                                                                                           \
        CALL(false, 64);                                                                                               \
        break;                                                                                                         \
    default:                                                                                                           \
        CALL(false, 128);                                                                                              \
        break;                                                                                                         \
    }

CK_INLINE affine_source affine_source_of(const ck_matrix *w) {
    // Written as products, so that the compiler sees how the distances of codes and scales hang together.
    const size_t group_bytes = ck_block_bytes(ck_block_of(w, w->type, CK_CODES), w->group), stored_groups = w->stride / w->group;
    return (affine_source){.codes = w->data,
                           .scales = w->scales,
                           .biases = w->biases,
                           .groups = w->columns / w->group,
                           .group_bytes = group_bytes,
                           .row_bytes = stored_groups * group_bytes,
                           .scale_row_bytes = stored_groups * ck_element_size(w->scale_type),
                           .scale_type = w->scale_type};
}

/// Activation rows, as the kernels read them.
typedef struct affine_rows {
    const int8_t *values, *odds; // of the first group; odds: the second plane of CK_EVEN_ODD
    const float *scales, *sums;
    size_t stride, group_stride; // distance between rows: bytes of values, floats of scales
} affine_rows;

/// The rows from `row` on and their groups from `first` on.
CK_INLINE affine_rows affine_rows_of(const ck_activations *x, size_t row, size_t first) {
    const size_t groups = x->columns / x->group;
    const size_t packed = x->order == CK_EVEN_ODD ? x->group / 2 : x->group;
    affine_rows r = {x->values + row * x->stride + first * packed,
                     NULL,
                     x->scales + row * groups + first,
                     x->sums + row * groups + first,
                     x->stride,
                     groups};
    r.odds = r.values + x->columns / 2;
    return r;
}

/// How far behind the next panel the codes are fetched while a panel is read: enough for the memory's
/// latency, and no more, because at the end of a range nobody may want them.
enum { affine_bytes_ahead = 8192 };

/// Starts the way of the first panel of the weight rows begin ... end - 1, which no panel before it fetches.
CK_INLINE void affine_fetch_first(const affine_source *w, size_t begin, size_t end) {
    const size_t all = (end - begin) * w->row_bytes, some = lane_count * w->row_bytes + affine_bytes_ahead;
    const size_t rows = end - begin < lane_count ? end - begin : lane_count;
    ck_prefetch(w->codes + begin * w->row_bytes, all < some ? all : some);
    ck_prefetch(w->scales + begin * w->scale_row_bytes, rows * w->scale_row_bytes);
    ck_prefetch(w->biases + begin * w->scale_row_bytes, rows * w->scale_row_bytes);
}

#endif
