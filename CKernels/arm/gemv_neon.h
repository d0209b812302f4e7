#ifndef CK_ARM_GEMV_NEON_H
#define CK_ARM_GEMV_NEON_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/dot_neon.h"
#include "shared/quantized/scales.h"
#endif

// One activation row times panels of 4 weight rows, in terms of the level's affine_dot.

CK_INLINE void affine_gemv_rows(float *y, const affine_source *w, const affine_rows *x, size_t row,
                                const bool nibbles) {
    enum { strip = 32, panels_ahead = 8 };
    const size_t stride = w->row_bytes, bytes = w->group_bytes;
    const uint8_t *codes = w->codes + row * stride, *ahead = codes + panels_ahead * lane_count * stride;
    float scales[strip * lane_count], biases[strip * lane_count];
    lanes_f32 acc = vdupq_n_f32(0);
    for (size_t first = 0; first < w->groups; first += strip) {
        const size_t count = w->groups - first < strip ? w->groups - first : strip;
        affine_load_scale_strip(scales, biases, lane_count, w, row, lane_count, first, count, panels_ahead);
        for (size_t g = 0; g < count; g++) {
            const size_t at = (first + g) * bytes;
            lanes_i32 sums[lane_count], offset = vdupq_n_s32(0);
            for (size_t r = 0; r < lane_count; r++)
                sums[r] = vdupq_n_s32(0);
            for (size_t b = at; b < at + bytes; b += transpose_bytes) {
                const int8x16_t values = vld1q_s8(x->values + b);
                if (!nibbles)
                    offset = affine_offset(offset, values);
                for (size_t r = 0; r < lane_count; r++) {
                    const uint8x16_t packed = vld1q_u8(codes + r * stride + b);
                    if (!nibbles) {
                        sums[r] = affine_dot(sums[r], affine_from_bytes(packed), values);
                        continue;
                    }
                    sums[r] = affine_dot(sums[r], affine_from_nibbles(low_nibbles(packed)), values);
                    sums[r] = affine_dot(sums[r], affine_from_nibbles(high_nibbles(packed)), vld1q_s8(x->odds + b));
                }
            }
            ck_prefetch(ahead + at * lane_count, bytes * lane_count);
            lanes_i32 sum = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
            if (!nibbles)
                sum = vaddq_s32(sum, vdupq_n_s32(vaddvq_s32(offset)));
            acc = affine_accumulate(acc, sum, scales + g * lane_count, biases + g * lane_count, x->scales + first + g,
                                    x->sums + first + g);
        }
    }
    vst1q_f32(y, acc);
}

/// y[o] of the weight rows o from `begin` on, in whole panels; returns the first row that is left.
static size_t affine_gemv(float *y, const ck_matrix *weights, const ck_activations *activations, size_t begin,
                          size_t end) {
    const affine_source w = affine_source_of(weights);
    const affine_rows x = affine_rows_of(activations, 0, 0);
    size_t o = begin;
    affine_fetch_first(&w, begin, end);
    for (; end - o >= lane_count; o += lane_count) {
        if (weights->type == CK_Q4)
            affine_gemv_rows(y + o, &w, &x, o, true);
        else
            affine_gemv_rows(y + o, &w, &x, o, false);
    }
    return o;
}

#endif
