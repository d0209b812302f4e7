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

/// Pairs of 16-bit scales (lower group in the low half) to float32.
CK_AFFINE_INLINE void affine_widen_pair(float *lower, float *upper, affine_vector pair, ck_type type) {
    const uint32x4_t bits = vreinterpretq_u32_s32(pair);
    float32x4_t low, high;
    if (type == CK_BF16) {
        low = vreinterpretq_f32_u32(vshlq_n_u32(bits, 16));
        high = vreinterpretq_f32_u32(vandq_u32(bits, vdupq_n_u32(0xffff0000u)));
    } else {
        low = vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(bits)));
        high = vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32(bits, 16)));
    }
    vst1q_f32(lower, low);
    vst1q_f32(upper, high);
}

/// Turned pieces of scales, 8 groups of 16 bits or 4 of 32 bits, to float32 [group][row]. `step` is the
/// distance between groups in `out`.
CK_AFFINE_INLINE void affine_store_scales(float *out, size_t step, const affine_vector turned[4],
                                          ck_type type) {
    for (size_t d = 0; d < 4; d++) {
        if (type == CK_F32)
            vst1q_f32(out + d * step, vreinterpretq_f32_s32(turned[d]));
        else
            affine_widen_pair(out + 2 * d * step, out + (2 * d + 1) * step, turned[d], type);
    }
}

/// acc = fma(float(sum), wscale * ascale, acc); acc = fma(wbias, asum, acc): one group, one row per lane.
CK_AFFINE_INLINE affine_floats affine_step_rows(affine_floats acc, affine_vector sum, const float *scales,
                                                const float *biases, const float *scale, const float *total) {
    const float32x4_t step = vmulq_f32(vld1q_f32(scales), vdupq_n_f32(*scale));
    acc = vfmaq_f32(acc, vcvtq_f32_s32(sum), step);
    return vfmaq_f32(acc, vld1q_f32(biases), vdupq_n_f32(*total));
}

#endif
