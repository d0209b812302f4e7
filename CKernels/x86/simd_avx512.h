#ifndef CK_SIMD_AVX512_H
#define CK_SIMD_AVX512_H

#include "internal/bits.h"

#include <immintrin.h>

// The vocabulary of portable/simd_portable.h (see there for what each word means) on one 512-bit register.
// Must be included inside a target region.

typedef __m512 v16;

enum { v16_tile_rows = 4, v16_tile_columns = 4 };

CK_INLINE v16 v16_load(const void *p) {
    return _mm512_loadu_ps(p);
}

CK_INLINE void v16_store(void *p, v16 a) {
    _mm512_storeu_ps(p, a);
}

CK_INLINE v16 v16_set1(float value) {
    return _mm512_set1_ps(value);
}

CK_INLINE v16 v16_add(v16 a, v16 b) {
    return _mm512_add_ps(a, b);
}

CK_INLINE v16 v16_sub(v16 a, v16 b) {
    return _mm512_sub_ps(a, b);
}

CK_INLINE v16 v16_mul(v16 a, v16 b) {
    return _mm512_mul_ps(a, b);
}

CK_INLINE v16 v16_div(v16 a, v16 b) {
    return _mm512_div_ps(a, b);
}

CK_INLINE v16 v16_fma(v16 a, v16 b, v16 c) {
    return _mm512_fmadd_ps(a, b, c);
}

CK_INLINE v16 v16_fnma(v16 a, v16 b, v16 c) {
    return _mm512_fnmadd_ps(a, b, c);
}

CK_INLINE v16 v16_max(v16 a, v16 b) {
    return _mm512_max_ps(a, b);
}

CK_INLINE v16 v16_select_less(v16 a, v16 b, v16 x, v16 y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}

CK_INLINE uint32_t v16_mask_at_least(v16 a, v16 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}

CK_INLINE v16 v16_abs(v16 a) {
    return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a);
}

CK_INLINE v16 v16_with_sign(v16 a, v16 b) {
    return _mm512_or_ps(a, _mm512_and_ps(b, _mm512_set1_ps(-0.0f)));
}

CK_INLINE v16 v16_add_exponent(v16 a, v16 n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}

CK_INLINE float v16_sum(v16 a) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

CK_INLINE float v16_largest(v16 a) {
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/// Sums of four vectors, one per 128-bit quarter in their order, of four lanes each: the first two halvings.
CK_INLINE v16 v16_quarters(v16 a, v16 b, v16 c, v16 d) {
    const v16 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
    const v16 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xee));
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
}

/// The third halving of two such vectors, kept in pairs.
CK_INLINE v16 v16_pairs(v16 a, v16 b) {
    const __m512d p = _mm512_castps_pd(a), q = _mm512_castps_pd(b);
    return _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(p, q)), _mm512_castpd_ps(_mm512_unpackhi_pd(p, q)));
}

CK_INLINE v16 v16_sum_each(const v16 a[16]) {
    const v16 left = v16_pairs(v16_quarters(a[0], a[4], a[8], a[12]), v16_quarters(a[1], a[5], a[9], a[13]));
    const v16 right = v16_pairs(v16_quarters(a[2], a[6], a[10], a[14]), v16_quarters(a[3], a[7], a[11], a[15]));
    return _mm512_add_ps(_mm512_shuffle_ps(left, right, 0x88), _mm512_shuffle_ps(left, right, 0xdd));
}

CK_INLINE v16 v16_load_bf16(const void *p) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

CK_INLINE v16 v16_load_f16(const void *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(p));
}

CK_INLINE v16 v16_load_u8(const uint8_t *p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)));
}

CK_INLINE v16 v16_load_i8(const int8_t *p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
}

CK_INLINE v16 v16_load_u4(const uint8_t *p) {
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)p), low = _mm_set1_epi8(15);
    const __m128i evens = _mm_and_si128(bytes, low), odds = _mm_and_si128(_mm_srli_epi16(bytes, 4), low);
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_unpacklo_epi8(evens, odds)));
}

CK_INLINE void v16_store_bf16(void *p, v16 a) {
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i even = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(even, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __m512i kept = _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), rounded, quiet);
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16)));
}

CK_INLINE void v16_store_f16(void *p, v16 a) {
    _mm256_storeu_si256(p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

#endif
