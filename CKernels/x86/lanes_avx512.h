#ifndef CK_X86_LANES_AVX512_H
#define CK_X86_LANES_AVX512_H

#include "ck/format.h"
#include "ck/product.h"
#include "internal/bits.h"
#include "internal/prefetch.h"

#include <immintrin.h>

// The lanes of the AVX-512 VNNI level: a panel is 16 weight rows, one in each 32-bit lane, and 16 bytes of each of them
// are transposed together. Must be included inside a target region.

enum { lane_count = 16, transpose_bytes = 16 };

/// The tile keeps codes as they are stored.
enum { affine_tile_planes = 1, affine_tile_bytes = 48 * 1024, affine_tile_bytes_few = affine_tile_bytes };

typedef __m512i lanes_i32;
typedef __m512 lanes_f32;

CK_INLINE void affine_store_codes(uint8_t *out, __m512i codes) {
    _mm512_store_si512(out, codes);
}

/// Four activation values in every lane.
CK_INLINE __m512i lanes_broadcast(const int8_t *values) {
    int32_t four;
    memcpy(&four, values, sizeof four);
    return _mm512_set1_epi32(four);
}

CK_INLINE __m512i low_nibbles(__m512i codes) {
    return _mm512_and_si512(codes, _mm512_set1_epi8(15));
}

CK_INLINE __m512i high_nibbles(__m512i codes) {
    return low_nibbles(_mm512_srli_epi16(codes, 4));
}

/// 16 bytes of each of 16 rows, transposed: vector d holds dword d of every row, row r in lane r. Row 4 l + i
/// lies at rows + l * far + i * near.
CK_INLINE void transpose_apart(__m512i out[4], const uint8_t *rows, size_t near, size_t far) {
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

CK_INLINE void transpose(lanes_i32 out[4], const uint8_t *rows, size_t stride) {
    transpose_apart(out, rows, stride, 4 * stride);
}

/// The lower or upper halves of 16 dwords, as float16, to float32.
CK_INLINE lanes_f32 lanes_from_f16(__m512i v, bool upper) {
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(upper ? _mm512_srli_epi32(v, 16) : v));
}

#define lanes_raised(v) _mm512_slli_epi32(v, 16)
#define lanes_upper(v) _mm512_and_si512(v, _mm512_set1_epi32((int)0xffff0000u))
#define lanes_as_f32 _mm512_castsi512_ps
#define lanes_to_f32 _mm512_cvtepi32_ps
#define lanes_load_f32 _mm512_loadu_ps
#define lanes_store_f32 _mm512_storeu_ps
#define lanes_splat_f32 _mm512_set1_ps
#define lanes_multiply _mm512_mul_ps
#define lanes_fma _mm512_fmadd_ps
#define lanes_zero _mm512_setzero_si512
#define lanes_zero_f32 _mm512_setzero_ps

#endif
