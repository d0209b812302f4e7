#ifndef CK_X86_ACTIVATIONS_AVX2_H
#define CK_X86_ACTIVATIONS_AVX2_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx2.h"
#include "shared/quantized/activation_group.h"
#endif

// Groups of activations to int8, see shared/quantized/activations.h.

CK_INLINE uint32_t group_magnitude(const float *x, size_t n) {
    const __m256i mask = _mm256_set1_epi32((int)CK_MAGNITUDE_BITS);
    __m256i peak = _mm256_setzero_si256();
    for (size_t k = 0; k < n; k += 8)
        peak = _mm256_max_epu32(peak, _mm256_and_si256(lanes_load(x + k), mask));
    __m128i v = _mm_max_epu32(_mm256_castsi256_si128(peak), _mm256_extracti128_si256(peak, 1));
    v = _mm_max_epu32(v, _mm_shuffle_epi32(v, 0x4e));
    v = _mm_max_epu32(v, _mm_shuffle_epi32(v, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(v);
}

CK_INLINE __m256i quantize_rounded(const float *x, __m256 inverse) {
    __m256 v = _mm256_mul_ps(_mm256_loadu_ps(x), inverse);
    return _mm256_cvttps_epi32(_mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/// 16 values of 32 bits (they fit in 8) to 16 bytes, in order.
CK_INLINE void quantize_store(int8_t *out, __m256i a, __m256i b) {
    __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    _mm_storeu_si128((__m128i *)out,
                     _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

CK_INLINE int32_t quantize_lane_sum(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

CK_INLINE int32_t quantize_natural(int8_t *out, const float *x, size_t n, float inverse) {
    const __m256 factor = _mm256_set1_ps(inverse);
    __m256i total = _mm256_setzero_si256();
    for (size_t k = 0; k < n; k += 16) {
        __m256i a = quantize_rounded(x + k, factor), b = quantize_rounded(x + k + 8, factor);
        total = _mm256_add_epi32(total, _mm256_add_epi32(a, b));
        quantize_store(out + k, a, b);
    }
    return quantize_lane_sum(total);
}

/// The even (0x88) or odd (0xdd) elements of two vectors, in order.
#define QUANTIZE_PICK(a, b, which)                                                                                     \
    _mm256_permute4x64_epi64(                                                                                          \
        _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which)), 0xd8)

CK_INLINE int32_t quantize_even_odd(int8_t *evens, int8_t *odds, const float *x, size_t n, float inverse) {
    const __m256 factor = _mm256_set1_ps(inverse);
    __m256i total = _mm256_setzero_si256();
    for (size_t k = 0; k < n; k += 32) {
        __m256i a = quantize_rounded(x + k, factor), b = quantize_rounded(x + k + 8, factor);
        __m256i c = quantize_rounded(x + k + 16, factor), d = quantize_rounded(x + k + 24, factor);
        total = _mm256_add_epi32(total, _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d)));
        quantize_store(evens + k / 2, QUANTIZE_PICK(a, b, 0x88), QUANTIZE_PICK(c, d, 0x88));
        quantize_store(odds + k / 2, QUANTIZE_PICK(a, b, 0xdd), QUANTIZE_PICK(c, d, 0xdd));
    }
    return quantize_lane_sum(total);
}

#undef QUANTIZE_PICK

#endif
