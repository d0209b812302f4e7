#ifndef CK_X86_LANES_AVX2_H
#define CK_X86_LANES_AVX2_H

#include "ck/format.h"
#include "ck/product.h"
#include "internal/bits.h"
#include "internal/prefetch.h"

#include <immintrin.h>

// The lanes of the AVX2 level, for processors without VNNI, and of one activation row on the level above: a panel is 8
// weight rows, one in each 32-bit lane, and 16 bytes of each of them are transposed together. Must be included inside a
// target region.
//
// maddubs adds pairs of products in 16 bits and saturates, so codes only ever enter it as nibbles: a pair is
// at most 2 * 15 * 127 = 3,810 and eight of them, 30,480, still fit. An 8-bit code is 16 * high nibble + low
// nibble, or a 16-bit number in products of that width.

enum { lane_count = 8, transpose_bytes = 16 };

typedef __m256i lanes_i32;
typedef __m256 lanes_f32;

CK_INLINE __m256i lanes_load(const void *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}

/// Four activation values in every lane.
CK_INLINE __m256i lanes_broadcast(const int8_t *values) {
    int32_t four;
    memcpy(&four, values, sizeof four);
    return _mm256_set1_epi32(four);
}

CK_INLINE __m256i low_nibbles(__m256i codes) {
    return _mm256_and_si256(codes, _mm256_set1_epi8(15));
}

CK_INLINE __m256i high_nibbles(__m256i codes) {
    return low_nibbles(_mm256_srli_epi16(codes, 4));
}

/// The tile keeps the low and the high nibbles apart: 16 rows of 4 low nibbles, then the same of high ones.
enum {
    affine_tile_planes = 2,
    affine_plane_bytes = 2 * sizeof(__m256i),
    affine_tile_bytes = 48 * 1024, // of codes
    affine_tile_bytes_few = 12 * 1024,
};

#ifdef CK_LEVEL

/// Keeps the compiler from regrouping 16-bit sums: that would take more registers than there are.
#define KEEP_ORDER(sum) __asm__("" : "+x"(sum))

/// Computes all of them by here: products before their sums, which would take the products' pipes, and a
/// load well before it is multiplied. The processor looks too little ahead to do so by itself.
#define COMPUTE_BOTH(a, b) __asm__("" : "+x"(a), "+x"(b))
#define COMPUTE_ALL(a, b, c, d) __asm__("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d))

/// Keeps the compiler from holding on to what it has loaded from here, and from keeping one pointer per row:
/// both would take more registers than there are.
#define FORGET_LOADED(a, b) __asm__("" : "+r"(a), "+r"(b))

#else // outside a target region tools do not know these registers

#define KEEP_ORDER(sum) (void)(sum)
#define COMPUTE_BOTH(a, b) (void)(a), (void)(b)
#define COMPUTE_ALL(a, b, c, d) (void)(a), (void)(b), (void)(c), (void)(d)
#define FORGET_LOADED(a, b) (void)(a), (void)(b)

#endif

CK_INLINE void affine_store_codes(uint8_t *out, __m256i codes) {
    _mm256_store_si256((__m256i *)out, low_nibbles(codes));
    _mm256_store_si256((__m256i *)(out + affine_plane_bytes), high_nibbles(codes));
}

/// sum + factor * (pairs of 16-bit sums), in 32 bits.
CK_INLINE __m256i affine_widen_add(__m256i sum, __m256i pairs, short factor) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(factor)));
}

/// 16 bytes of a row, and of the row that lies `far` behind it.
CK_INLINE __m256i affine_load_halves(const uint8_t *row, size_t far) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)row)),
                                   _mm_loadu_si128((const __m128i *)(row + far)), 1);
}

/// 16 bytes of each of 8 rows, transposed: vector d holds dword d of every row, row r in lane r. Row 4 l + i
/// lies at rows + l * far + i * near.
CK_INLINE void transpose_apart(__m256i out[4], const uint8_t *rows, size_t near, size_t far) {
    __m256i half[4]; // 128-bit lane l of half i: row 4 l + i
    for (size_t i = 0; i < 4; i++)
        half[i] = affine_load_halves(rows + i * near, far);
    __m256i a = _mm256_unpacklo_epi32(half[0], half[1]), b = _mm256_unpackhi_epi32(half[0], half[1]);
    __m256i c = _mm256_unpacklo_epi32(half[2], half[3]), d = _mm256_unpackhi_epi32(half[2], half[3]);
    out[0] = _mm256_unpacklo_epi64(a, c);
    out[1] = _mm256_unpackhi_epi64(a, c);
    out[2] = _mm256_unpacklo_epi64(b, d);
    out[3] = _mm256_unpackhi_epi64(b, d);
}

CK_INLINE void transpose(lanes_i32 out[4], const uint8_t *rows, size_t stride) {
    transpose_apart(out, rows, stride, 4 * stride);
}

/// Rows folded to 4 sums per 128-bit lane, see the levels' affine_fold, to one vector per group, row r in
/// lane r; the 32 bytes of a row hold `groups` = 1 or 2 groups.
CK_INLINE void affine_spread(__m256i sums[4], const __m256i u[2], const size_t groups) {
    sums[0] = _mm256_permute2x128_si256(u[0], u[1], 0x20);
    sums[1] = _mm256_permute2x128_si256(u[0], u[1], 0x31);
    if (groups == 1)
        sums[0] = _mm256_add_epi32(sums[0], sums[1]);
}

/// The lower or upper halves of 8 dwords, as float16, to float32.
CK_INLINE lanes_f32 lanes_from_f16(__m256i v, bool upper) {
    v = upper ? _mm256_srli_epi32(v, 16) : _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
    v = _mm256_permute4x64_epi64(_mm256_packus_epi32(v, _mm256_setzero_si256()), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(v));
}

#define lanes_raised(v) _mm256_slli_epi32(v, 16)
#define lanes_upper(v) _mm256_and_si256(v, _mm256_set1_epi32((int)0xffff0000u))
#define lanes_as_f32 _mm256_castsi256_ps
#define lanes_to_f32 _mm256_cvtepi32_ps
#define lanes_load_f32 _mm256_loadu_ps
#define lanes_store_f32 _mm256_storeu_ps
#define lanes_splat_f32 _mm256_set1_ps
#define lanes_multiply _mm256_mul_ps
#define lanes_fma _mm256_fmadd_ps
#define lanes_zero _mm256_setzero_si256
#define lanes_zero_f32 _mm256_setzero_ps

#endif
