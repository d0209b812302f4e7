#ifndef CK_SIMD_AVX2_H
#define CK_SIMD_AVX2_H

#include "internal/bits.h"

#include <immintrin.h>

// The vocabulary of portable/simd_portable.h (see there for what each word means) on two 256-bit registers.
// Must be included inside a target region.

typedef struct v16 {
    __m256 low, high; // lanes 0 ... 7 and 8 ... 15
} v16;

enum { v16_tile_rows = 2, v16_tile_columns = 2 };

CK_INLINE v16 v16_of(__m256 low, __m256 high) {
    return (v16){low, high};
}

CK_INLINE v16 v16_load(const void *p) {
    return v16_of(_mm256_loadu_ps(p), _mm256_loadu_ps((const float *)p + 8));
}

CK_INLINE void v16_store(void *p, v16 a) {
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps((float *)p + 8, a.high);
}

CK_INLINE v16 v16_set1(float value) {
    return v16_of(_mm256_set1_ps(value), _mm256_set1_ps(value));
}

CK_INLINE v16 v16_add(v16 a, v16 b) {
    return v16_of(_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high));
}

CK_INLINE v16 v16_sub(v16 a, v16 b) {
    return v16_of(_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high));
}

CK_INLINE v16 v16_mul(v16 a, v16 b) {
    return v16_of(_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high));
}

CK_INLINE v16 v16_div(v16 a, v16 b) {
    return v16_of(_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high));
}

CK_INLINE v16 v16_fma(v16 a, v16 b, v16 c) {
    return v16_of(_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high));
}

CK_INLINE v16 v16_fnma(v16 a, v16 b, v16 c) {
    return v16_of(_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high));
}

CK_INLINE v16 v16_max(v16 a, v16 b) {
    return v16_of(_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high));
}

CK_INLINE v16 v16_select_less(v16 a, v16 b, v16 x, v16 y) {
    return v16_of(_mm256_blendv_ps(y.low, x.low, _mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ)),
                  _mm256_blendv_ps(y.high, x.high, _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)));
}

CK_INLINE uint32_t v16_mask_at_least(v16 a, v16 b) {
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.low, b.low, _CMP_GE_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.high, b.high, _CMP_GE_OQ)) << 8;
}

CK_INLINE v16 v16_abs(v16 a) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return v16_of(_mm256_andnot_ps(sign, a.low), _mm256_andnot_ps(sign, a.high));
}

CK_INLINE v16 v16_with_sign(v16 a, v16 b) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return v16_of(_mm256_or_ps(a.low, _mm256_and_ps(b.low, sign)), _mm256_or_ps(a.high, _mm256_and_ps(b.high, sign)));
}

CK_INLINE __m256 v8_add_exponent(__m256 a, __m256 n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}

CK_INLINE v16 v16_add_exponent(v16 a, v16 n) {
    return v16_of(v8_add_exponent(a.low, n.low), v8_add_exponent(a.high, n.high));
}

CK_INLINE float v16_sum(v16 a) {
    const __m256 eight = _mm256_add_ps(a.low, a.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

CK_INLINE float v16_largest(v16 a) {
    const __m256 eight = _mm256_max_ps(a.low, a.high);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/// Sums of two vectors, one per 128-bit half, of four lanes each: the first two halvings.
CK_INLINE __m256 v16_halves(v16 a, v16 b) {
    const __m256 p = _mm256_add_ps(a.low, a.high), q = _mm256_add_ps(b.low, b.high);
    return _mm256_add_ps(_mm256_permute2f128_ps(p, q, 0x20), _mm256_permute2f128_ps(p, q, 0x31));
}

/// The third halving of two such vectors, kept in pairs.
CK_INLINE __m256 v8_pairs(__m256 a, __m256 b) {
    const __m256d p = _mm256_castps_pd(a), q = _mm256_castps_pd(b);
    return _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(p, q)), _mm256_castpd_ps(_mm256_unpackhi_pd(p, q)));
}

/// Lane i: v16_sum(a[i]), for eight vectors.
CK_INLINE __m256 v8_sum_each(const v16 a[8]) {
    const __m256 left = v8_pairs(v16_halves(a[0], a[4]), v16_halves(a[1], a[5]));
    const __m256 right = v8_pairs(v16_halves(a[2], a[6]), v16_halves(a[3], a[7]));
    return _mm256_add_ps(_mm256_shuffle_ps(left, right, 0x88), _mm256_shuffle_ps(left, right, 0xdd));
}

CK_INLINE v16 v16_sum_each(const v16 a[16]) {
    return v16_of(v8_sum_each(a), v8_sum_each(a + 8));
}

CK_INLINE __m256 v8_load_bf16(const __m128i *p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16));
}

CK_INLINE v16 v16_load_bf16(const void *p) {
    return v16_of(v8_load_bf16(p), v8_load_bf16((const __m128i *)p + 1));
}

CK_INLINE v16 v16_load_f16(const void *p) {
    return v16_of(_mm256_cvtph_ps(_mm_loadu_si128(p)), _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p + 1)));
}

CK_INLINE v16 v16_from_u8(__m128i bytes) {
    return v16_of(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)),
                  _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))));
}

CK_INLINE v16 v16_load_u8(const uint8_t *p) {
    return v16_from_u8(_mm_loadu_si128((const __m128i *)p));
}

CK_INLINE v16 v16_load_i8(const int8_t *p) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    return v16_of(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
                  _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))));
}

CK_INLINE v16 v16_load_u4(const uint8_t *p) {
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)p), low = _mm_set1_epi8(15);
    const __m128i evens = _mm_and_si128(bytes, low), odds = _mm_and_si128(_mm_srli_epi16(bytes, 4), low);
    return v16_from_u8(_mm_unpacklo_epi8(evens, odds));
}

/// bfloat16 in the low halves of 32-bit lanes.
CK_INLINE __m256i v8_to_bf16(__m256 a) {
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i even = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(even, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
}

CK_INLINE void v16_store_bf16(void *p, v16 a) {
    const __m256i packed = _mm256_packus_epi32(v8_to_bf16(a.low), v8_to_bf16(a.high));
    _mm256_storeu_si256(p, _mm256_permute4x64_epi64(packed, 0xd8));
}

CK_INLINE void v16_store_f16(void *p, v16 a) {
    enum { rounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    _mm_storeu_si128(p, _mm256_cvtps_ph(a.low, rounding));
    _mm_storeu_si128((__m128i *)p + 1, _mm256_cvtps_ph(a.high, rounding));
}

#endif
