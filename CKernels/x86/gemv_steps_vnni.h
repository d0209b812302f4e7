#ifndef CK_X86_GEMV_STEPS_VNNI_H
#define CK_X86_GEMV_STEPS_VNNI_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/lanes_avx2.h"
#endif

// The VNNI form of one vector of the GEMV: 32 bytes of 8 rows, see gemv.h.

enum { affine_vector_bytes = 32, affine_folds = 2, affine_panels_ahead = 4, affine_shortest_cursor_row = 256 };

/// start + partial sums of 32 bytes of one row: lane l covers bytes 4 l ... 4 l + 3.
CK_INLINE __m256i affine_partial(__m256i start, const uint8_t *bytes, const int8_t *values, const int8_t *odds,
                                 const bool nibbles) {
    const __m256i codes = lanes_load(bytes), v = lanes_load(values);
    if (!nibbles)
        return _mm256_dpbusd_epi32(start, codes, v);
    start = _mm256_dpbusd_epi32(start, low_nibbles(codes), v);
    return _mm256_dpbusd_epi32(start, high_nibbles(codes), lanes_load(odds));
}

/// Four rows' partial sums to the sums of 4 lanes each: 128-bit lane q holds rows 0 ... 3 of half q.
CK_INLINE __m256i affine_fold(const __m256i v[4], const bool nibbles) {
    (void)nibbles;
    __m256i a = _mm256_add_epi32(_mm256_unpacklo_epi32(v[0], v[1]), _mm256_unpackhi_epi32(v[0], v[1]));
    __m256i b = _mm256_add_epi32(_mm256_unpacklo_epi32(v[2], v[3]), _mm256_unpackhi_epi32(v[2], v[3]));
    return _mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

/// sum + the products of one transposed vector, four bytes of every row.
CK_INLINE __m256i affine_add_transposed(__m256i sum, __m256i codes, const int8_t *values, const int8_t *odds,
                                        const bool nibbles) {
    const __m256i v = lanes_broadcast(values);
    if (!nibbles)
        return _mm256_dpbusd_epi32(sum, codes, v);
    return _mm256_dpbusd_epi32(_mm256_dpbusd_epi32(sum, low_nibbles(codes), v), high_nibbles(codes),
                               lanes_broadcast(odds));
}

#endif
