#ifndef CK_ARM_GEMM_DOT_H
#define CK_ARM_GEMM_DOT_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/dot_neon.h"
#include "shared/quantized/tile.h"
#endif

// Several activation rows against a tile of 8 weight rows, one per lane of two vectors, in terms of the
// level's affine_dot_transposed.

enum { affine_call_rows = 8 };

/// Adds the products of 16 bytes (nibbles: of one half of each byte) to the sums of all rows.
CK_INLINE void affine_add_half(lanes_i32 sum[][affine_tile_vectors], const uint8_t *codes, const int8_t *values,
                               size_t stride, const bool nibbles, const bool upper, const size_t count) {
    affine_operand operands[affine_tile_vectors][4];
    for (size_t r = 0; r < affine_tile_vectors; r++)
        for (size_t d = 0; d < 4; d++) {
            const uint8x16_t packed = vld1q_u8(codes + 4 * (d * affine_tile_rows + r * lane_count));
            operands[r][d] = nibbles ? affine_from_nibbles(upper ? high_nibbles(packed) : low_nibbles(packed))
                                     : affine_from_bytes(packed);
        }
    for (size_t j = 0; j < count; j++) {
        const int8x16_t v = vld1q_s8(values + j * stride);
        for (size_t r = 0; r < affine_tile_vectors; r++)
            sum[j][r] = affine_dot_transposed(sum[j][r], operands[r], v, nibbles);
    }
}

CK_INLINE void affine_micro_kernel_rows(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                        bool fresh, bool fetch, const bool nibbles, const size_t count) {
    lanes_f32 acc[affine_call_rows][affine_tile_vectors];
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < affine_tile_vectors; r++)
            acc[j][r] = fresh ? vdupq_n_f32(0) : vld1q_f32(y + j * y_stride + r * lane_count);
    const uint8_t *codes = tile->codes;
    const int8_t *values = x->values, *odds = x->odds;
    const size_t portion = tile->group_bytes * affine_tile_rows;
    for (size_t g = 0; g < tile->groups; g++) {
        if (fetch)
            ck_prefetch(tile->ahead + g * portion, portion);
        lanes_i32 sum[affine_call_rows][affine_tile_vectors], offset[affine_call_rows];
        for (size_t j = 0; j < count; j++)
            sum[j][0] = sum[j][1] = offset[j] = vdupq_n_s32(0);
        for (size_t b = 0; b < tile->group_bytes; b += transpose_bytes) {
            affine_add_half(sum, codes, values, x->stride, nibbles, false, count);
            if (nibbles)
                affine_add_half(sum, codes, odds, x->stride, true, true, count);
            for (size_t j = 0; j < count && !nibbles; j++)
                offset[j] = affine_offset(offset[j], vld1q_s8(values + j * x->stride));
            codes += transpose_bytes * affine_tile_rows;
            values += transpose_bytes;
            odds += transpose_bytes;
        }
        const float *scales = tile->scales + g * affine_tile_rows, *biases = tile->biases + g * affine_tile_rows;
        for (size_t j = 0; j < count; j++) {
            const lanes_i32 extra = vdupq_n_s32(nibbles ? 0 : vaddvq_s32(offset[j]));
            for (size_t r = 0; r < affine_tile_vectors; r++)
                acc[j][r] = affine_accumulate(acc[j][r], vaddq_s32(sum[j][r], extra), scales + r * lane_count,
                                              biases + r * lane_count, x->scales + j * x->group_stride + g,
                                              x->sums + j * x->group_stride + g);
        }
    }
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < affine_tile_vectors; r++)
            vst1q_f32(y + j * y_stride + r * lane_count, acc[j][r]);
}

CK_INLINE void affine_micro_kernel_count(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                         bool fresh, bool fetch, size_t count, const bool nibbles) {
#define AFFINE_CALL(rows) affine_micro_kernel_rows(y, y_stride, tile, x, fresh, fetch, nibbles, rows)
    CK_COPY_PER_COUNT(8, count, AFFINE_CALL)
#undef AFFINE_CALL
}

/// y[j][0 ... 7] of `count` <= affine_call_rows rows over the groups of the tile. One copy of the loop per
/// count.
static void affine_micro_kernel(float *y, size_t y_stride, const affine_tile *tile, bool nibbles, const affine_rows *x,
                                size_t count, bool fresh, bool fetch) {
    if (nibbles)
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, true);
    else
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, false);
}

#endif
