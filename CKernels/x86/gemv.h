#ifndef CK_X86_GEMV_H
#define CK_X86_GEMV_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/gemv_cursors.h"
#endif

// One activation row times panels of lane_count weight rows. A vector of each row meets the activations in registers;
// the vectors of partial sums are then added up so that one row lies in each lane, and the float part follows. In terms
// of a gemv_steps file: affine_vector_bytes, affine_partial, affine_fold, affine_add_transposed.

/// The exact sums of one group by transposing: for the groups that do not fill a vector.
CK_INLINE lanes_i32 affine_group_by_transposing(const uint8_t *rows, size_t stride, size_t bytes, const int8_t *values,
                                                const int8_t *odds, const bool nibbles) {
    lanes_i32 sum = lanes_zero();
    for (size_t b = 0; b < bytes; b += transpose_bytes) {
        lanes_i32 transposed[4];
        transpose(transposed, rows + b, stride);
        for (size_t d = 0; d < 4; d++)
            sum = affine_add_transposed(sum, transposed[d], values + b + 4 * d, odds + b + 4 * d, nibbles);
    }
    return sum;
}

/// The exact sums of the groups of one vector (or of one group of several vectors), `bytes` in all. Meanwhile
/// fetches as many bytes of a later panel, line by line as the memory lies: by rows it would be slower by
/// half.
CK_INLINE void affine_vector_sums(lanes_i32 sums[4], const uint8_t *rows, size_t stride, const int8_t *values,
                                  const int8_t *odds, const bool nibbles, const size_t bytes, const size_t groups,
                                  const uint8_t *ahead) {
    lanes_i32 folded[affine_folds];
    for (size_t k = 0; k < affine_folds; k++) {
        lanes_i32 v[4];
        for (size_t i = 0; i < 4; i++) {
            v[i] = lanes_zero();
            for (size_t b = 0; b < bytes; b += affine_vector_bytes)
                v[i] = affine_partial(v[i], rows + (4 * k + i) * stride + b, values + b, odds + b, nibbles);
        }
        ck_prefetch(ahead + 4 * k * bytes, 4 * bytes);
        folded[k] = affine_fold(v, nibbles);
    }
    affine_spread(sums, folded, groups);
}

CK_INLINE void affine_gemv_rows(float *y, const affine_source *w, const affine_rows *x, size_t row, const bool nibbles,
                                const size_t bytes) {
    enum { strip = 32 };
    const size_t per_vector = bytes < affine_vector_bytes ? affine_vector_bytes / bytes : 1;
    const size_t stride = w->row_bytes;
    const uint8_t *codes = w->codes + row * stride, *ahead = codes + lane_count * stride + affine_bytes_ahead;
    _Alignas(64) float scales[strip * lane_count], biases[strip * lane_count];
    lanes_f32 acc = lanes_zero_f32();
    for (size_t first = 0; first < w->groups; first += strip) {
        const size_t count = w->groups - first < strip ? w->groups - first : strip;
        affine_load_scale_strip(scales, biases, lane_count, w, row, lane_count, first, count, affine_panels_ahead);
        const float *ascales = x->scales + first, *asums = x->sums + first;
        size_t g = 0;
        for (; g + per_vector <= count; g += per_vector) {
            const size_t at = (first + g) * bytes;
            lanes_i32 sums[4];
            affine_vector_sums(sums, codes + at, stride, x->values + at, x->odds + at, nibbles, per_vector * bytes,
                               per_vector, ahead + at * lane_count);
            for (size_t i = 0; i < per_vector; i++)
                acc = affine_accumulate(acc, sums[i], scales + (g + i) * lane_count, biases + (g + i) * lane_count,
                                        ascales + g + i, asums + g + i);
        }
        for (; g < count; g++) {
            const size_t at = (first + g) * bytes;
            lanes_i32 sum =
                affine_group_by_transposing(codes + at, stride, bytes, x->values + at, x->odds + at, nibbles);
            acc = affine_accumulate(acc, sum, scales + g * lane_count, biases + g * lane_count, ascales + g, asums + g);
        }
    }
    lanes_store_f32(y, acc);
}

/// `count` panels from the weight row `begin` on.
CK_INLINE void affine_gemv_panels(float *y, const affine_source *w, const affine_rows *x, size_t begin, size_t count,
                                  const bool nibbles, const size_t bytes) {
    if (affine_suits_cursors(w, bytes)) {
        affine_gemv_cursors(y + begin, w, x, begin, count, nibbles, bytes);
        return;
    }
    affine_fetch_first(w, begin, begin + count * lane_count);
    for (size_t o = begin; o < begin + count * lane_count; o += lane_count)
        affine_gemv_rows(y + o, w, x, o, nibbles, bytes);
}

/// y[o] of the weight rows o from `begin` on, in whole panels; returns the first row that is left. One copy
/// of the loops per layout.
static size_t affine_gemv(float *y, const ck_matrix *weights, const ck_activations *activations, size_t begin,
                          size_t end) {
    const affine_source w = affine_source_of(weights);
    const affine_rows x = affine_rows_of(activations, 0, 0);
    const size_t count = (end - begin) / lane_count;
#define AFFINE_GEMV(nibbles, bytes) affine_gemv_panels(y, &w, &x, begin, count, nibbles, bytes)
    AFFINE_COPY_PER_LAYOUT(weights->type == CK_Q4, w.group_bytes, AFFINE_GEMV)
#undef AFFINE_GEMV
    return begin + count * lane_count;
}

#endif
