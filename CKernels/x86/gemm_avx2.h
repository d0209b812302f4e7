#ifndef CK_X86_GEMM_AVX2_H
#define CK_X86_GEMM_AVX2_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/quantized/tile.h"
#endif

// Several activation rows against a tile of 16 weight rows, whose nibbles lie apart. 32 columns at a time are
// summed in 16 bits, which is exact for nibbles (see lanes_avx2.h), and then widened.

enum { affine_call_rows = 4 };

/// Adds factor * the products of eight planes, `plane` bytes apart, each with the next 4 bytes of the
/// activations: all from `values`, or by turns from `values` and `odds`.
CK_INLINE void affine_add_planes(__m256i sum[][2], const uint8_t *codes, size_t plane, const int8_t *values,
                                 const int8_t *odds, size_t stride, const bool nibbles, const bool fresh,
                                 const size_t count, const short factor) {
    __m256i part[affine_call_rows][2];
#pragma clang loop unroll(full)
    for (size_t d = 0; d < 8; d++) {
        const __m256i first = lanes_load(codes + plane * d), second = lanes_load(codes + plane * d + 32);
        const int8_t *from = !nibbles ? values + 4 * d : d % 2 == 0 ? values + 2 * d : odds + 2 * d - 2;
#pragma clang loop unroll(full)
        for (size_t j = 0; j < count; j++) {
            const __m256i v = lanes_broadcast(from + j * stride);
            __m256i a = _mm256_maddubs_epi16(first, v), b = _mm256_maddubs_epi16(second, v);
            COMPUTE_BOTH(a, b);
            part[j][0] = d == 0 ? a : _mm256_add_epi16(part[j][0], a);
            part[j][1] = d == 0 ? b : _mm256_add_epi16(part[j][1], b);
            KEEP_ORDER(part[j][0]);
            KEEP_ORDER(part[j][1]);
        }
    }
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < 2; r++)
            sum[j][r] = fresh ? _mm256_madd_epi16(part[j][r], _mm256_set1_epi16(factor))
                              : affine_widen_add(sum[j][r], part[j][r], factor);
}

CK_INLINE void affine_micro_kernel_rows(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                        bool fresh, bool fetch, const bool nibbles, const size_t bytes,
                                        const size_t count) {
    const size_t step = nibbles ? 16 : 32; // bytes of 32 columns
    __m256 acc[affine_call_rows][2];
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < 2; r++)
            acc[j][r] = fresh ? _mm256_setzero_ps() : _mm256_loadu_ps(y + j * y_stride + r * lane_count);
    const uint8_t *codes = tile->codes;
    const int8_t *values = x->values, *odds = x->odds;
    const size_t portion = bytes * affine_tile_rows;
    for (size_t g = 0; g < tile->groups; g++) {
        if (fetch)
            ck_prefetch(tile->ahead + g * portion, portion);
        __m256i sum[affine_call_rows][2];
        FORGET_LOADED(codes, values);
#pragma clang loop unroll(full)
        for (size_t b = 0; b < bytes; b += step) {
            if (nibbles) {
                affine_add_planes(sum, codes, affine_plane_bytes, values, odds, x->stride, true, b == 0, count, 1);
            } else {
                affine_add_planes(sum, codes, 2 * affine_plane_bytes, values, odds, x->stride, false, b == 0, count, 1);
                affine_add_planes(sum, codes + affine_plane_bytes, 2 * affine_plane_bytes, values, odds, x->stride,
                                  false, false, count, 16);
            }
            codes += 2 * step * affine_tile_rows;
            values += step;
            odds += step;
        }
        const float *scales = tile->scales + g * affine_tile_rows, *biases = tile->biases + g * affine_tile_rows;
        for (size_t j = 0; j < count; j++)
            for (size_t r = 0; r < 2; r++)
                acc[j][r] = affine_accumulate(acc[j][r], sum[j][r], scales + r * lane_count, biases + r * lane_count,
                                              x->scales + j * x->group_stride + g, x->sums + j * x->group_stride + g);
    }
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < 2; r++)
            _mm256_storeu_ps(y + j * y_stride + r * lane_count, acc[j][r]);
}

CK_INLINE void affine_micro_kernel_count(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                         bool fresh, bool fetch, size_t count, const bool nibbles, const size_t bytes) {
#define AFFINE_CALL(rows) affine_micro_kernel_rows(y, y_stride, tile, x, fresh, fetch, nibbles, bytes, rows)
    CK_COPY_PER_COUNT(4, count, AFFINE_CALL)
#undef AFFINE_CALL
}

/// y[j][0 ... 15] of `count` <= affine_call_rows rows over the groups of the tile. One copy of the loop per
/// layout and count: with a constant size of the group its first sums need no zeros and its last ones stay in
/// registers.
static void affine_micro_kernel(float *y, size_t y_stride, const affine_tile *tile, bool nibbles, const affine_rows *x,
                                size_t count, bool fresh, bool fetch) {
#define AFFINE_CALL(nibbles, bytes) affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, nibbles, bytes)
    AFFINE_COPY_PER_LAYOUT(nibbles, tile->group_bytes, AFFINE_CALL)
#undef AFFINE_CALL
}

#endif
