#ifndef CK_X86_ACTIVATIONS_AVX512_H
#define CK_X86_ACTIVATIONS_AVX512_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx512.h"
#include "shared/quantized/activation_group.h"
#endif

// Groups of activations to int8, see shared/quantized/activations.h.

CK_INLINE uint32_t group_magnitude(const float *x, size_t n) {
    const __m512i mask = _mm512_set1_epi32((int)CK_MAGNITUDE_BITS);
    __m512i peak = _mm512_setzero_si512();
    for (size_t k = 0; k < n; k += 16)
        peak = _mm512_max_epu32(peak, _mm512_and_si512(_mm512_loadu_si512(x + k), mask));
    return _mm512_reduce_max_epu32(peak);
}

CK_INLINE __m512i quantize_rounded(const float *x, __m512 inverse) {
    return _mm512_cvt_roundps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), inverse),
                                    _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

CK_INLINE void quantize_store(int8_t *out, __m512i values) {
    _mm_storeu_si128((__m128i *)out, _mm512_cvtepi32_epi8(values));
}

CK_INLINE int32_t quantize_natural(int8_t *out, const float *x, size_t n, float inverse) {
    const __m512 factor = _mm512_set1_ps(inverse);
    __m512i total = _mm512_setzero_si512();
    for (size_t k = 0; k < n; k += 16) {
        __m512i v = quantize_rounded(x + k, factor);
        total = _mm512_add_epi32(total, v);
        quantize_store(out + k, v);
    }
    return _mm512_reduce_add_epi32(total);
}

CK_INLINE int32_t quantize_even_odd(int8_t *evens, int8_t *odds, const float *x, size_t n, float inverse) {
    const __m512 factor = _mm512_set1_ps(inverse);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    __m512i total = _mm512_setzero_si512();
    for (size_t k = 0; k < n; k += 32) {
        __m512i a = quantize_rounded(x + k, factor), b = quantize_rounded(x + k + 16, factor);
        total = _mm512_add_epi32(total, _mm512_add_epi32(a, b));
        quantize_store(evens + k / 2, _mm512_permutex2var_epi32(a, even, b));
        quantize_store(odds + k / 2, _mm512_permutex2var_epi32(a, odd, b));
    }
    return _mm512_reduce_add_epi32(total);
}

#endif
