#ifndef CK_AFFINE_ARM_H
#define CK_AFFINE_ARM_H

#include "shared/affine_group.h"

#include <arm_neon.h>

// Building blocks that the three ARM levels share. A "block" is 4 weight rows, one per 32-bit lane; a "piece"
// is 16 bytes of each of them.

#define CK_AFFINE_INLINE static inline __attribute__((always_inline))

enum { affine_lanes = 4, affine_piece = 16 };

typedef int32x4_t affine_vector;
typedef float32x4_t affine_floats;

CK_AFFINE_INLINE void affine_store_codes(uint8_t *out, affine_vector codes) {
    vst1q_u8(out, vreinterpretq_u8_s32(codes));
}

CK_AFFINE_INLINE uint8x16_t affine_low(uint8x16_t codes) {
    return vandq_u8(codes, vdupq_n_u8(15));
}

CK_AFFINE_INLINE uint8x16_t affine_high(uint8x16_t codes) {
    return vshrq_n_u8(codes, 4);
}

/// The 16-byte pieces of 4 rows, turned: vector d holds dword d of every row, row r in lane r.
CK_AFFINE_INLINE void affine_turn(affine_vector out[4], const uint8_t *rows, size_t stride) {
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
CK_AFFINE_INLINE affine_floats affine_halves_as_floats(affine_vector v, bool upper) {
    const uint32x4_t bits = vreinterpretq_u32_s32(v);
    return vcvt_f32_f16(vreinterpret_f16_u16(upper ? vshrn_n_u32(bits, 16) : vmovn_u32(bits)));
}

#define affine_raised(v) vshlq_n_s32(v, 16)
#define affine_upper(v) vandq_s32(v, vdupq_n_s32((int32_t)0xffff0000u))
#define affine_as_floats vreinterpretq_f32_s32
#define affine_converted vcvtq_f32_s32
#define affine_load_floats vld1q_f32
#define affine_store_floats vst1q_f32
#define affine_splat vdupq_n_f32
#define affine_multiply vmulq_f32
#define affine_fma(a, b, c) vfmaq_f32(c, a, b)

#include "shared/affine_step.inc"

#endif
