#ifndef CK_ARM_GEMM_I8MM_H
#define CK_ARM_GEMM_I8MM_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/dot_i8mm.h"
#include "shared/quantized/tile.h"
#endif

// Several activation rows against a tile of 8 weight rows by USMMLA: two weight rows by two activation rows,
// 8 columns each, per instruction. An odd last activation row is paired with itself.

enum { affine_call_rows = 8, affine_call_pairs = affine_call_rows / 2, affine_tile_pairs = affine_tile_rows / 2 };

/// Adds 8 columns (nibbles: of one half of each byte) to the sums of all pairs: two dwords of every weight
/// row.
CK_INLINE void affine_add_columns(lanes_i32 sum[][affine_tile_pairs], const uint8_t *codes, const int8_t *const *values,
                                  size_t at, const bool nibbles, const bool upper, const size_t pairs) {
    uint8x16_t weights[affine_tile_pairs]; // 8 columns of one row, then 8 of the next
    for (size_t r = 0; r < affine_tile_vectors; r++) {
        const uint8_t *from = codes + 4 * r * lane_count;
        const uint32x4_t first = vreinterpretq_u32_u8(vld1q_u8(from));
        const uint32x4_t second = vreinterpretq_u32_u8(vld1q_u8(from + 4 * affine_tile_rows));
        weights[2 * r] = vreinterpretq_u8_u32(vzip1q_u32(first, second));
        weights[2 * r + 1] = vreinterpretq_u8_u32(vzip2q_u32(first, second));
    }
    for (size_t r = 0; r < affine_tile_pairs && nibbles; r++)
        weights[r] = upper ? high_nibbles(weights[r]) : low_nibbles(weights[r]);
    for (size_t p = 0; p < pairs; p++) {
        const int8x16_t v = vcombine_s8(vld1_s8(values[2 * p] + at), vld1_s8(values[2 * p + 1] + at));
        for (size_t r = 0; r < affine_tile_pairs; r++)
            sum[p][r] = vusmmlaq_s32(sum[p][r], weights[r], v);
    }
}

/// The sums of one activation row of a pair, one weight row per lane.
CK_INLINE lanes_i32 affine_pick(lanes_i32 upper, lanes_i32 lower, bool second) {
    return second ? vuzp2q_s32(upper, lower) : vuzp1q_s32(upper, lower);
}

CK_INLINE void affine_micro_kernel_rows(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                        size_t count, bool fresh, bool fetch, const bool nibbles, const size_t pairs) {
    lanes_f32 acc[affine_call_rows][affine_tile_vectors];
    const int8_t *values[affine_call_rows], *odds[affine_call_rows];
    size_t rows[affine_call_rows];
    for (size_t j = 0; j < 2 * pairs; j++) {
        rows[j] = j < count ? j : count - 1;
        values[j] = x->values + rows[j] * x->stride;
        odds[j] = x->odds + rows[j] * x->stride;
        for (size_t r = 0; r < affine_tile_vectors; r++)
            acc[j][r] = fresh ? vdupq_n_f32(0) : vld1q_f32(y + rows[j] * y_stride + r * lane_count);
    }
    const size_t portion = tile->group_bytes * affine_tile_rows;
    for (size_t g = 0; g < tile->groups; g++) {
        if (fetch)
            ck_prefetch(tile->ahead + g * portion, portion);
        lanes_i32 sum[affine_call_pairs][affine_tile_pairs];
        for (size_t p = 0; p < pairs; p++)
            for (size_t r = 0; r < affine_tile_pairs; r++)
                sum[p][r] = vdupq_n_s32(0);
        for (size_t b = g * tile->group_bytes; b < (g + 1) * tile->group_bytes; b += 8) {
            const uint8_t *codes = tile->codes + b * affine_tile_rows;
            affine_add_columns(sum, codes, values, b, nibbles, false, pairs);
            if (nibbles)
                affine_add_columns(sum, codes, odds, b, true, true, pairs);
        }
        const float *scales = tile->scales + g * affine_tile_rows, *biases = tile->biases + g * affine_tile_rows;
        for (size_t j = 0; j < 2 * pairs; j++)
            for (size_t r = 0; r < affine_tile_vectors; r++)
                acc[j][r] = affine_accumulate(
                    acc[j][r], affine_pick(sum[j / 2][2 * r], sum[j / 2][2 * r + 1], j % 2 == 1),
                    scales + r * lane_count, biases + r * lane_count, x->scales + rows[j] * x->group_stride + g,
                    x->sums + rows[j] * x->group_stride + g);
    }
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < affine_tile_vectors; r++)
            vst1q_f32(y + j * y_stride + r * lane_count, acc[j][r]);
}

CK_INLINE void affine_micro_kernel_count(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                         bool fresh, bool fetch, size_t count, const bool nibbles) {
#define AFFINE_CALL(pairs) affine_micro_kernel_rows(y, y_stride, tile, x, count, fresh, fetch, nibbles, pairs)
    CK_COPY_PER_COUNT(4, (count + 1) / 2, AFFINE_CALL)
#undef AFFINE_CALL
}

/// y[j][0 ... 7] of `count` <= affine_call_rows rows over the groups of the tile. One copy of the loop per
/// number of pairs.
static void affine_micro_kernel(float *y, size_t y_stride, const affine_tile *tile, bool nibbles, const affine_rows *x,
                                size_t count, bool fresh, bool fetch) {
    if (nibbles)
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, true);
    else
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, false);
}

#endif
