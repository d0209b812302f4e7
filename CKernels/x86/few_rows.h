#ifndef CK_X86_FEW_ROWS_H
#define CK_X86_FEW_ROWS_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/quantized/scales.h"
#ifndef CK_X86_FEW_STEPS_AVX512_H
#include "x86/few_steps_avx2.h"
#endif
#endif

// A few activation rows times panels of lane_count weight rows: the weights are read once, meet all activation rows in
// registers, and nothing of them is stored. In terms of the level's
// - affine_few_q4, affine_few_q8: up to how many rows, at most 9, this is faster than a tile;
// - affine_few_step(bytes): how many bytes of a group of `bytes` the level takes at a time;
// - affine_few_add: adds the products of so many bytes and meanwhile fetches what lies `ahead`.

/// Rows that lie a multiple of this apart fall into few sets of the first-level cache: their lines would push each
/// other out between two loads (cache-set conflicts). So the lines are copied, once each.
enum { affine_conflict_stride = 2048, cache_line = 64 };

CK_INLINE void affine_few_rows(float *y, size_t y_stride, const affine_source *w, const affine_rows *x, size_t row,
                               const bool nibbles, const size_t bytes, const bool conflicting, const size_t count) {
    enum { strip = 32 };
    const size_t stride = w->row_bytes;
    const uint8_t *codes = w->codes + row * stride, *ahead = codes + lane_count * stride + affine_bytes_ahead;
    _Alignas(64) float scales[strip * lane_count], biases[strip * lane_count];
    const int8_t *values = x->values, *odds = x->odds;
    const uint8_t *const whole = codes + w->groups * bytes / cache_line * cache_line;
    _Alignas(64) uint8_t lines[lane_count * cache_line];
    const uint8_t *from = codes;
    size_t step = stride;
    lanes_f32 acc[affine_few_q4];
    for (size_t j = 0; j < count; j++)
        acc[j] = lanes_zero_f32();
    for (size_t first = 0; first < w->groups; first += strip) {
        const size_t groups = w->groups - first < strip ? w->groups - first : strip;
        affine_load_scale_strip(scales, biases, lane_count, w, row, lane_count, first, groups, affine_panels_ahead);
        for (size_t g = 0; g < groups; g++) {
            lanes_i32 sum[affine_few_q4];
            for (size_t j = 0; j < count; j++)
                sum[j] = lanes_zero();
            for (size_t b = 0; b < bytes; b += affine_few_step(bytes)) {
                if (conflicting && ((first + g) * bytes + b) % cache_line == 0) {
                    const bool copied = codes < whole;
                    for (size_t r = 0; copied && r < lane_count; r++)
                        memcpy(lines + r * cache_line, codes + r * stride, cache_line);
                    from = copied ? lines : codes;
                    step = copied ? cache_line : stride;
                }
                affine_few_add(sum, from, step, values, odds, x->stride, ahead, nibbles, bytes, count);
                from += affine_few_step(bytes);
                codes += affine_few_step(bytes);
                values += affine_few_step(bytes);
                odds += affine_few_step(bytes);
                ahead += affine_few_step(bytes) * lane_count;
            }
            for (size_t j = 0; j < count; j++)
                acc[j] = affine_accumulate(acc[j], sum[j], scales + g * lane_count, biases + g * lane_count,
                                           x->scales + j * x->group_stride + first + g,
                                           x->sums + j * x->group_stride + first + g);
        }
    }
    for (size_t j = 0; j < count; j++)
        lanes_store_f32(y + j * y_stride, acc[j]);
}

/// y[j][0 ... lane_count - 1] of 2 ... 9 activation rows and the weight rows from `row` on. One copy of the
/// loop per count that the level wants.
CK_INLINE void affine_few_count(float *y, size_t y_stride, const affine_source *w, const affine_rows *x, size_t row,
                                const bool nibbles, const size_t bytes, const bool conflicting, size_t count) {
#define AFFINE_FEW(rows)                                                                                               \
    if (rows > 1 && rows <= (nibbles ? affine_few_q4 : affine_few_q8))                                                 \
    affine_few_rows(y, y_stride, w, x, row, nibbles, bytes, conflicting, rows)
    CK_COPY_PER_COUNT(9, count, AFFINE_FEW)
#undef AFFINE_FEW
}

#endif
