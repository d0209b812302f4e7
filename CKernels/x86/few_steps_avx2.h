#ifndef CK_X86_FEW_STEPS_AVX2_H
#define CK_X86_FEW_STEPS_AVX2_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/gemv_steps_avx2.h"
#endif

// The AVX2 form of a few activation rows, see few_rows.h. Without VNNI arithmetic is the limit,
// not memory. A vector holds eight bytes of four weight rows (a "quad"): that takes half of transpose, and
// each sum is spread over two lanes, not four as in the GEMV. Sums stay in 16 bits over a "stretch" of eight
// products of nibbles, which is exact (see lanes_avx2.h): 32 bytes of nibbles, or 64 of 8-bit codes, whose
// nibbles are summed apart.

/// Up to so many activation rows this is faster than a tile: as far as registers reach.
enum { affine_few_q4 = 9, affine_few_q8 = 6 };

/// 16 bytes of the weight rows r and r + 4, and of r + 1 and r + 5.
typedef struct affine_quad {
    __m256i first, second;
} affine_quad;

CK_INLINE affine_quad affine_load_quad(const uint8_t *rows, size_t stride) {
    return (affine_quad){affine_load_halves(rows, 4 * stride), affine_load_halves(rows + stride, 4 * stride)};
}

/// Eight activation values, four times.
CK_INLINE __m256i lanes_broadcast_eight(const int8_t *values) {
    int64_t eight;
    memcpy(&eight, values, sizeof eight);
    return _mm256_set1_epi64x(eight);
}

/// Adds the products of eight bytes of a quad's rows and of `count` activation rows; nibbles: all to `low`.
CK_INLINE void affine_add_eight(__m256i low[], __m256i high[], __m256i codes, const int8_t *values, const int8_t *odds,
                                size_t x_stride, const bool nibbles, const bool fresh, const size_t count) {
    const __m256i l = low_nibbles(codes), h = high_nibbles(codes);
#pragma clang loop unroll(full)
    for (size_t j = 0; j < count; j++) {
        const __m256i v = lanes_broadcast_eight(values + j * x_stride);
        const __m256i o = nibbles ? lanes_broadcast_eight(odds + j * x_stride) : v;
        __m256i a = _mm256_maddubs_epi16(l, v), b = _mm256_maddubs_epi16(h, o);
        COMPUTE_BOTH(a, b);
        low[j] = fresh ? a : _mm256_add_epi16(low[j], a);
        if (nibbles) {
            low[j] = _mm256_add_epi16(low[j], b);
        } else {
            high[j] = fresh ? b : _mm256_add_epi16(high[j], b);
            KEEP_ORDER(high[j]);
        }
        KEEP_ORDER(low[j]);
    }
}

/// The two lanes of each row, added: dwords r, r, r + 1, r + 1 of either half, r = 0 and r = 2.
CK_INLINE __m256i affine_join_quads(__m256i first, __m256i second) {
    const __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
    __m256i evens = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    KEEP_ORDER(evens); // else it becomes a slower horizontal addition
    return _mm256_add_epi32(evens, _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)));
}

/// The exact sums of a stretch of `bytes` and `count` activation rows. Every 16 bytes are loaded and transposed while
/// those before are multiplied.
CK_INLINE void affine_stretch_sums(__m256i sum[], const uint8_t *rows, size_t stride, const int8_t *values,
                                   const int8_t *odds, size_t x_stride, const bool nibbles, const size_t bytes,
                                   const size_t count) {
    const size_t loads = bytes / transpose_bytes;
    __m256i low[affine_few_q4], high[affine_few_q4], pairs[2][affine_few_q4];
    affine_quad next = affine_load_quad(rows, stride);
#pragma clang loop unroll(full)
    for (size_t i = 0; i < 2 * loads; i++) {
        const size_t quad = i / loads, at = i % loads * transpose_bytes, following = i + 1;
        __m256i lower = _mm256_unpacklo_epi64(next.first, next.second);
        __m256i upper = _mm256_unpackhi_epi64(next.first, next.second);
        if (following < 2 * loads)
            next =
                affine_load_quad(rows + following / loads * 2 * stride + following % loads * transpose_bytes, stride);
        COMPUTE_ALL(lower, upper, next.first, next.second);
        if (at == 0)
            FORGET_LOADED(values, odds);
        affine_add_eight(low, high, lower, values + at, odds + at, x_stride, nibbles, at == 0, count);
        affine_add_eight(low, high, upper, values + at + 8, odds + at + 8, x_stride, nibbles, false, count);
        for (size_t j = 0; j < count && at + transpose_bytes == bytes; j++) {
            pairs[quad][j] = _mm256_madd_epi16(low[j], _mm256_set1_epi16(1));
            if (!nibbles)
                pairs[quad][j] = affine_widen_add(pairs[quad][j], high[j], 16);
        }
    }
    for (size_t j = 0; j < count; j++)
        sum[j] = affine_join_quads(pairs[0][j], pairs[1][j]);
}

CK_INLINE size_t affine_few_step(size_t bytes) {
    return bytes;
}

/// Adds the products of a group and `count` activation rows.
CK_INLINE void affine_few_add(lanes_i32 sum[], const uint8_t *rows, size_t stride, const int8_t *values,
                              const int8_t *odds, size_t x_stride, const uint8_t *ahead, const bool nibbles,
                              const size_t bytes, const size_t count) {
    const size_t longest = nibbles ? 32 : 64, stretch = bytes < longest ? bytes : longest;
    ck_prefetch(ahead, bytes * lane_count);
    FORGET_LOADED(rows, values);
#pragma clang loop unroll(full)
    for (size_t b = 0; b < bytes; b += stretch) {
        __m256i part[affine_few_q4];
        affine_stretch_sums(part, rows + b, stride, values + b, odds + b, x_stride, nibbles, stretch, count);
        for (size_t j = 0; j < count; j++)
            sum[j] = _mm256_add_epi32(sum[j], part[j]);
    }
}

#endif
