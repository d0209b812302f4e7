#ifndef CK_X86_FEW_STEPS_AVX512_H
#define CK_X86_FEW_STEPS_AVX512_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx512.h"
#endif

// Two to nine activation rows on the AVX-512 VNNI level, see few_rows.h.

enum { affine_panels_ahead = 2 };

/// sum + the products of one transposed vector, four bytes of every row.
CK_INLINE __m512i affine_add_transposed(__m512i sum, __m512i codes, const int8_t *values, const int8_t *odds,
                                        const bool nibbles) {
    const __m512i v = lanes_broadcast(values);
    if (!nibbles)
        return _mm512_dpbusd_epi32(sum, codes, v);
    return _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(sum, low_nibbles(codes), v), high_nibbles(codes),
                               lanes_broadcast(odds));
}

enum { affine_few_q4 = 9, affine_few_q8 = 9 };

CK_INLINE size_t affine_few_step(size_t bytes) {
    (void)bytes;
    return transpose_bytes;
}

/// Adds the products of 16 bytes of each weight row, transposed, and 16 bytes of `count` activation rows.
CK_INLINE void affine_few_add(lanes_i32 sum[], const uint8_t *rows, size_t stride, const int8_t *values,
                              const int8_t *odds, size_t x_stride, const uint8_t *ahead, const bool nibbles,
                              const size_t bytes, const size_t count) {
    (void)bytes;
    lanes_i32 transposed[4];
    transpose(transposed, rows, stride);
    ck_prefetch(ahead, transpose_bytes * lane_count);
    // Else the compiler keeps the transposed vectors in memory, for some counts.
#pragma clang loop unroll(full)
    for (size_t d = 0; d < 4; d++)
#pragma clang loop unroll(full)
        for (size_t j = 0; j < count; j++)
            sum[j] = affine_add_transposed(sum[j], transposed[d], values + j * x_stride + 4 * d,
                                           odds + j * x_stride + 4 * d, nibbles);
}

#endif
