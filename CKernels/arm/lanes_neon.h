#ifndef CK_ARM_LANES_NEON_H
#define CK_ARM_LANES_NEON_H

#include "ck/format.h"
#include "ck/product.h"
#include "internal/bits.h"
#include "internal/prefetch.h"

#include <arm_neon.h>

// The lanes of the three ARM levels: a panel is 4 weight rows, one in each 32-bit lane, and 16 bytes of each of them
// are transposed together.

enum { lane_count = 4, transpose_bytes = 16 };

/// The tile keeps codes as they are stored.
enum { affine_tile_planes = 1, affine_tile_bytes = 48 * 1024, affine_tile_bytes_few = affine_tile_bytes };

typedef int32x4_t lanes_i32;
typedef float32x4_t lanes_f32;

CK_INLINE void affine_store_codes(uint8_t *out, lanes_i32 codes) {
    vst1q_u8(out, vreinterpretq_u8_s32(codes));
}

CK_INLINE uint8x16_t low_nibbles(uint8x16_t codes) {
    return vandq_u8(codes, vdupq_n_u8(15));
}

CK_INLINE uint8x16_t high_nibbles(uint8x16_t codes) {
    return vshrq_n_u8(codes, 4);
}

/// 16 bytes of each of 4 rows, transposed: vector d holds dword d of every row, row r in lane r.
CK_INLINE void transpose(lanes_i32 out[4], const uint8_t *rows, size_t stride) {
    const int32x4_t a = vreinterpretq_s32_u8(vld1q_u8(rows));
    const int32x4_t b = vreinterpretq_s32_u8(vld1q_u8(rows + stride));
    const int32x4_t c = vreinterpretq_s32_u8(vld1q_u8(rows + 2 * stride));
    const int32x4_t d = vreinterpretq_s32_u8(vld1q_u8(rows + 3 * stride));
    const int64x2_t even0 = vreinterpretq_s64_s32(vtrn1q_s32(a, b)); // dwords 0 and 2 of rows 0 and 1
    const int64x2_t odd0 = vreinterpretq_s64_s32(vtrn2q_s32(a, b));
    const int64x2_t even1 = vreinterpretq_s64_s32(vtrn1q_s32(c, d));
    const int64x2_t odd1 = vreinterpretq_s64_s32(vtrn2q_s32(c, d));
    out[0] = vreinterpretq_s32_s64(vtrn1q_s64(even0, even1));
    out[1] = vreinterpretq_s32_s64(vtrn1q_s64(odd0, odd1));
    out[2] = vreinterpretq_s32_s64(vtrn2q_s64(even0, even1));
    out[3] = vreinterpretq_s32_s64(vtrn2q_s64(odd0, odd1));
}

/// The lower or upper halves of 4 dwords, as float16, to float32.
CK_INLINE lanes_f32 lanes_from_f16(lanes_i32 v, bool upper) {
    const uint32x4_t bits = vreinterpretq_u32_s32(v);
    return vcvt_f32_f16(vreinterpret_f16_u16(upper ? vshrn_n_u32(bits, 16) : vmovn_u32(bits)));
}

#define lanes_raised(v) vshlq_n_s32(v, 16)
#define lanes_upper(v) vandq_s32(v, vdupq_n_s32((int32_t)0xffff0000u))
#define lanes_as_f32 vreinterpretq_f32_s32
#define lanes_to_f32 vcvtq_f32_s32
#define lanes_load_f32 vld1q_f32
#define lanes_store_f32 vst1q_f32
#define lanes_splat_f32 vdupq_n_f32
#define lanes_multiply vmulq_f32
#define lanes_fma(a, b, c) vfmaq_f32(c, a, b)

#endif
