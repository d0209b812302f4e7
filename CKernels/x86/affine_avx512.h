#ifndef CK_AFFINE_AVX512_H
#define CK_AFFINE_AVX512_H

#include "shared/affine_group.h"

#include <immintrin.h>

// Building blocks of the AVX-512 VNNI level. Everything here must be included inside a target region.
// A "block" is 16 weight rows, one per 32-bit lane; a "piece" is 16 bytes of each of them.

#define CK_AFFINE_INLINE static inline __attribute__((always_inline))

enum { affine_lanes = 16, affine_piece = 16 };

typedef __m512i affine_vector;
typedef __m512 affine_floats;

CK_AFFINE_INLINE void affine_store_codes(uint8_t *out, __m512i codes) {
    _mm512_store_si512(out, codes);
}

/// Four activation values in every lane.
CK_AFFINE_INLINE __m512i affine_broadcast(const int8_t *values) {
    int32_t four;
    memcpy(&four, values, sizeof four);
    return _mm512_set1_epi32(four);
}

CK_AFFINE_INLINE __m512i affine_low(__m512i codes) {
    return _mm512_and_si512(codes, _mm512_set1_epi8(15));
}

CK_AFFINE_INLINE __m512i affine_high(__m512i codes) {
    return affine_low(_mm512_srli_epi16(codes, 4));
}

/// The 16-byte pieces of 16 rows, turned: vector d holds dword d of every row, row r in lane r. Row 4 l + i
/// lies at rows + l * far + i * near.
CK_AFFINE_INLINE void affine_turn_apart(__m512i out[4], const uint8_t *rows, size_t near, size_t far) {
    __m512i quarter[4]; // 128-bit lane l of quarter i: row 4 l + i
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *row = rows + i * near;
        __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)row));
        v = _mm512_mask_broadcast_i32x4(v, 0x00f0, _mm_loadu_si128((const __m128i *)(row + far)));
        v = _mm512_mask_broadcast_i32x4(v, 0x0f00, _mm_loadu_si128((const __m128i *)(row + 2 * far)));
        quarter[i] = _mm512_mask_broadcast_i32x4(v, 0xf000, _mm_loadu_si128((const __m128i *)(row + 3 * far)));
    }
    __m512i a = _mm512_unpacklo_epi32(quarter[0], quarter[1]), b = _mm512_unpackhi_epi32(quarter[0], quarter[1]);
    __m512i c = _mm512_unpacklo_epi32(quarter[2], quarter[3]), d = _mm512_unpackhi_epi32(quarter[2], quarter[3]);
    out[0] = _mm512_unpacklo_epi64(a, c);
    out[1] = _mm512_unpackhi_epi64(a, c);
    out[2] = _mm512_unpacklo_epi64(b, d);
    out[3] = _mm512_unpackhi_epi64(b, d);
}

CK_AFFINE_INLINE void affine_turn(affine_vector out[4], const uint8_t *rows, size_t stride) {
    affine_turn_apart(out, rows, stride, 4 * stride);
}

/// The lower or upper halves of 16 dwords, as float16, to float32.
CK_AFFINE_INLINE affine_floats affine_halves_as_floats(__m512i v, bool upper) {
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(upper ? _mm512_srli_epi32(v, 16) : v));
}

#define affine_raised(v) _mm512_slli_epi32(v, 16)
#define affine_upper(v) _mm512_and_si512(v, _mm512_set1_epi32((int)0xffff0000u))
#define affine_as_floats _mm512_castsi512_ps
#define affine_converted _mm512_cvtepi32_ps
#define affine_load_floats _mm512_loadu_ps
#define affine_store_floats _mm512_storeu_ps
#define affine_splat _mm512_set1_ps
#define affine_multiply _mm512_mul_ps
#define affine_fma _mm512_fmadd_ps
#define affine_no_sum _mm512_setzero_si512
#define affine_no_floats _mm512_setzero_ps

#include "shared/affine_step.inc"

#endif
