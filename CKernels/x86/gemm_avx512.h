#ifndef CK_X86_GEMM_AVX512_H
#define CK_X86_GEMM_AVX512_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx512.h"
#include "shared/quantized/tile.h"
#endif

// Several activation rows against a tile of 32 weight rows. Every code vector is loaded once per call and
// meets all of its rows; activations come as broadcasts of four values. The sums of all rows stay in
// registers.

enum { affine_call_rows = 6 };

CK_INLINE void affine_micro_kernel_rows(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                        bool fresh, bool fetch, const bool nibbles, const size_t count) {
    const __m512i mask = _mm512_set1_epi8(15);
    __m512 acc[affine_call_rows][2];
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < 2; r++)
            acc[j][r] = fresh ? _mm512_setzero_ps() : _mm512_loadu_ps(y + j * y_stride + r * lane_count);
    const uint8_t *codes = tile->codes;
    const int8_t *values = x->values, *odds = x->odds;
    const size_t portion = tile->group_bytes * affine_tile_rows;
    for (size_t g = 0; g < tile->groups; g++) {
        if (fetch)
            ck_prefetch(tile->ahead + g * portion, portion);
        __m512i sum[affine_call_rows][2];
        for (size_t j = 0; j < count; j++)
            sum[j][0] = sum[j][1] = _mm512_setzero_si512();
        for (size_t b = 0; b < tile->group_bytes; b += 4, codes += 128, values += 4, odds += 4) {
            const __m512i first = _mm512_load_si512(codes), second = _mm512_load_si512(codes + 64);
            const __m512i low0 = nibbles ? _mm512_and_si512(first, mask) : first;
            const __m512i low1 = nibbles ? _mm512_and_si512(second, mask) : second;
            for (size_t j = 0; j < count; j++) {
                const __m512i v = lanes_broadcast(values + j * x->stride);
                sum[j][0] = _mm512_dpbusd_epi32(sum[j][0], low0, v);
                sum[j][1] = _mm512_dpbusd_epi32(sum[j][1], low1, v);
            }
            if (!nibbles)
                continue;
            const __m512i high0 = _mm512_and_si512(_mm512_srli_epi16(first, 4), mask);
            const __m512i high1 = _mm512_and_si512(_mm512_srli_epi16(second, 4), mask);
            for (size_t j = 0; j < count; j++) {
                const __m512i v = lanes_broadcast(odds + j * x->stride);
                sum[j][0] = _mm512_dpbusd_epi32(sum[j][0], high0, v);
                sum[j][1] = _mm512_dpbusd_epi32(sum[j][1], high1, v);
            }
        }
        const float *scales = tile->scales + g * affine_tile_rows, *biases = tile->biases + g * affine_tile_rows;
        for (size_t j = 0; j < count; j++)
            for (size_t r = 0; r < 2; r++)
                acc[j][r] = affine_accumulate(acc[j][r], sum[j][r], scales + r * lane_count, biases + r * lane_count,
                                              x->scales + j * x->group_stride + g, x->sums + j * x->group_stride + g);
    }
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < 2; r++)
            _mm512_storeu_ps(y + j * y_stride + r * lane_count, acc[j][r]);
}

CK_INLINE void affine_micro_kernel_count(float *y, size_t y_stride, const affine_tile *tile, const affine_rows *x,
                                         bool fresh, bool fetch, size_t count, const bool nibbles) {
#define AFFINE_CALL(rows) affine_micro_kernel_rows(y, y_stride, tile, x, fresh, fetch, nibbles, rows)
    CK_COPY_PER_COUNT(6, count, AFFINE_CALL)
#undef AFFINE_CALL
}

/// y[j][0 ... 31] of `count` <= affine_call_rows rows over the groups of the tile. One copy of the loop per
/// count.
static void affine_micro_kernel(float *y, size_t y_stride, const affine_tile *tile, bool nibbles, const affine_rows *x,
                                size_t count, bool fresh, bool fetch) {
    if (nibbles)
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, true);
    else
        affine_micro_kernel_count(y, y_stride, tile, x, fresh, fetch, count, false);
}

#endif
