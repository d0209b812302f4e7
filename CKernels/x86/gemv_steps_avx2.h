#ifndef CK_X86_GEMV_STEPS_AVX2_H
#define CK_X86_GEMV_STEPS_AVX2_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx2.h"
#endif

// The AVX2 form of one vector of the GEMV: 32 bytes of 8 rows, see gemv.h.

enum { affine_vector_bytes = 32, affine_folds = 2, affine_panels_ahead = 4, affine_shortest_cursor_row = 512 };

/// 16 codes as 16-bit numbers.
CK_INLINE __m256i affine_wide_codes(const uint8_t *bytes) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)bytes));
}

/// 16 activations as 16-bit numbers.
CK_INLINE __m256i affine_wide_values(const int8_t *bytes) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
}

/// start + partial sums of 32 bytes of one row. Nibbles: in 16 bits, dword l covers bytes 4 l ... 4 l + 3; a
/// group has at most two vectors, 15,240 in all. 8-bit codes: in 32 bits, in any lane of the vector's one
/// group.
CK_INLINE __m256i affine_partial(__m256i start, const uint8_t *bytes, const int8_t *values, const int8_t *odds,
                                 const bool nibbles) {
    if (nibbles) {
        const __m256i codes = lanes_load(bytes);
        const __m256i low = _mm256_maddubs_epi16(low_nibbles(codes), lanes_load(values));
        const __m256i high = _mm256_maddubs_epi16(high_nibbles(codes), lanes_load(odds));
        return _mm256_add_epi16(start, _mm256_add_epi16(low, high));
    }
    const __m256i lower = _mm256_madd_epi16(affine_wide_codes(bytes), affine_wide_values(values));
    const __m256i upper = _mm256_madd_epi16(affine_wide_codes(bytes + 16), affine_wide_values(values + 16));
    return _mm256_add_epi32(start, _mm256_add_epi32(lower, upper));
}

/// Two rows' partial sums, dwords of the rows by turns: the sum of two dwords each.
CK_INLINE __m256i affine_fold_pair(__m256i first, __m256i second, const bool nibbles) {
    const __m256i a = _mm256_unpacklo_epi32(first, second), b = _mm256_unpackhi_epi32(first, second);
    if (nibbles) // still in 16 bits: at most 30,480
        return _mm256_madd_epi16(_mm256_add_epi16(a, b), _mm256_set1_epi16(1));
    return _mm256_add_epi32(a, b);
}

/// Four rows' partial sums to the sums of 4 lanes each: 128-bit lane q holds rows 0 ... 3 of half q.
CK_INLINE __m256i affine_fold(const __m256i v[4], const bool nibbles) {
    const __m256i a = affine_fold_pair(v[0], v[1], nibbles), b = affine_fold_pair(v[2], v[3], nibbles);
    return _mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

/// sum + the products of one transposed vector, four bytes of every row.
CK_INLINE __m256i affine_add_transposed(__m256i sum, __m256i codes, const int8_t *values, const int8_t *odds,
                                        const bool nibbles) {
    const __m256i v = lanes_broadcast(values);
    sum = affine_widen_add(sum, _mm256_maddubs_epi16(low_nibbles(codes), v), 1);
    return nibbles ? affine_widen_add(sum, _mm256_maddubs_epi16(high_nibbles(codes), lanes_broadcast(odds)), 1)
                   : affine_widen_add(sum, _mm256_maddubs_epi16(high_nibbles(codes), v), 16);
}

#endif
