#ifndef CK_SIMD_NEON_H
#define CK_SIMD_NEON_H

#include "internal/bits.h"

#include <arm_neon.h>

// The vocabulary of portable/simd_portable.h (see there for what each word means) on four 128-bit registers.
// Memory is loaded and stored as bytes, so that no alignment is promised to the compiler.

typedef struct v16 {
    float32x4_t q0, q1, q2, q3; // lanes 0 ... 3, 4 ... 7, 8 ... 11, 12 ... 15
} v16;

enum { v16_tile_rows = 2, v16_tile_columns = 2 };

#define V16_MAP(f, a) ((v16){f((a).q0), f((a).q1), f((a).q2), f((a).q3)})
#define V16_MAP2(f, a, b) ((v16){f((a).q0, (b).q0), f((a).q1, (b).q1), f((a).q2, (b).q2), f((a).q3, (b).q3)})
#define V16_MAP3(f, a, b, c)                                                                                           \
    ((v16){f((a).q0, (b).q0, (c).q0), f((a).q1, (b).q1, (c).q1), f((a).q2, (b).q2, (c).q2), f((a).q3, (b).q3, (c).q3)})

CK_INLINE float32x4_t v4_load(const void *p) {
    return vreinterpretq_f32_u8(vld1q_u8(p));
}

CK_INLINE v16 v16_load(const void *p) {
    const uint8_t *bytes = p;
    return (v16){v4_load(bytes), v4_load(bytes + 16), v4_load(bytes + 32), v4_load(bytes + 48)};
}

CK_INLINE void v4_store(void *p, float32x4_t a) {
    vst1q_u8(p, vreinterpretq_u8_f32(a));
}

CK_INLINE void v16_store(void *p, v16 a) {
    uint8_t *bytes = p;
    v4_store(bytes, a.q0);
    v4_store(bytes + 16, a.q1);
    v4_store(bytes + 32, a.q2);
    v4_store(bytes + 48, a.q3);
}

CK_INLINE v16 v16_set1(float value) {
    const float32x4_t q = vdupq_n_f32(value);
    return (v16){q, q, q, q};
}

CK_INLINE v16 v16_add(v16 a, v16 b) {
    return V16_MAP2(vaddq_f32, a, b);
}

CK_INLINE v16 v16_sub(v16 a, v16 b) {
    return V16_MAP2(vsubq_f32, a, b);
}

CK_INLINE v16 v16_mul(v16 a, v16 b) {
    return V16_MAP2(vmulq_f32, a, b);
}

CK_INLINE v16 v16_div(v16 a, v16 b) {
    return V16_MAP2(vdivq_f32, a, b);
}

CK_INLINE v16 v16_fma(v16 a, v16 b, v16 c) {
    return V16_MAP3(vfmaq_f32, c, a, b);
}

CK_INLINE v16 v16_fnma(v16 a, v16 b, v16 c) {
    return V16_MAP3(vfmsq_f32, c, a, b);
}

/// Not vmaxq_f32: that returns NaN where one operand is NaN, and +0 of two zeros.
CK_INLINE float32x4_t v4_max(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

CK_INLINE v16 v16_max(v16 a, v16 b) {
    return V16_MAP2(v4_max, a, b);
}

CK_INLINE float32x4_t v4_select_less(float32x4_t a, float32x4_t b, float32x4_t x, float32x4_t y) {
    return vbslq_f32(vcltq_f32(a, b), x, y);
}

CK_INLINE v16 v16_select_less(v16 a, v16 b, v16 x, v16 y) {
    return (v16){v4_select_less(a.q0, b.q0, x.q0, y.q0), v4_select_less(a.q1, b.q1, x.q1, y.q1),
                 v4_select_less(a.q2, b.q2, x.q2, y.q2), v4_select_less(a.q3, b.q3, x.q3, y.q3)};
}

CK_INLINE uint32_t v16_mask_at_least(v16 a, v16 b) {
    // One byte per lane, all ones or zero; each half keeps its own bit of a byte and adds up.
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint16x8_t low = vcombine_u16(vmovn_u32(vcgeq_f32(a.q0, b.q0)), vmovn_u32(vcgeq_f32(a.q1, b.q1)));
    const uint16x8_t high = vcombine_u16(vmovn_u32(vcgeq_f32(a.q2, b.q2)), vmovn_u32(vcgeq_f32(a.q3, b.q3)));
    const uint8x16_t each = vandq_u8(vcombine_u8(vmovn_u16(low), vmovn_u16(high)), vld1q_u8(bits));
    return (uint32_t)vaddv_u8(vget_low_u8(each)) | (uint32_t)vaddv_u8(vget_high_u8(each)) << 8;
}

CK_INLINE v16 v16_abs(v16 a) {
    return V16_MAP(vabsq_f32, a);
}

CK_INLINE float32x4_t v4_with_sign(float32x4_t a, float32x4_t b) {
    const uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(b), vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), sign));
}

CK_INLINE v16 v16_with_sign(v16 a, v16 b) {
    return V16_MAP2(v4_with_sign, a, b);
}

CK_INLINE float32x4_t v4_add_exponent(float32x4_t a, float32x4_t n) {
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(a), vshlq_n_u32(vreinterpretq_u32_f32(n), 23)));
}

CK_INLINE v16 v16_add_exponent(v16 a, v16 n) {
    return V16_MAP2(v4_add_exponent, a, n);
}

/// The first two halvings of the sum.
CK_INLINE float32x4_t v16_quarter(v16 a) {
    return vaddq_f32(vaddq_f32(a.q0, a.q2), vaddq_f32(a.q1, a.q3));
}

CK_INLINE float v16_sum(v16 a) {
    const float32x4_t four = v16_quarter(a);
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vaddv_f32(two);
}

CK_INLINE float v16_largest(v16 a) {
    const float32x4_t four = v4_max(v4_max(a.q0, a.q2), v4_max(a.q1, a.q3));
    const float32x2_t low = vget_low_f32(four), high = vget_high_f32(four);
    const float32x2_t two = vbsl_f32(vcgt_f32(low, high), low, high);
    const float first = vget_lane_f32(two, 0), second = vget_lane_f32(two, 1);
    return first > second ? first : second;
}

/// The third halving of two vectors of four, kept in pairs.
CK_INLINE float32x4_t v4_pairs(float32x4_t a, float32x4_t b) {
    const float64x2_t p = vreinterpretq_f64_f32(a), q = vreinterpretq_f64_f32(b);
    return vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(p, q)), vreinterpretq_f32_f64(vzip2q_f64(p, q)));
}

/// Lane i: v16_sum(a[i]), for four vectors.
CK_INLINE float32x4_t v4_sum_each(const v16 a[4]) {
    return vpaddq_f32(v4_pairs(v16_quarter(a[0]), v16_quarter(a[1])), v4_pairs(v16_quarter(a[2]), v16_quarter(a[3])));
}

CK_INLINE v16 v16_sum_each(const v16 a[16]) {
    return (v16){v4_sum_each(a), v4_sum_each(a + 4), v4_sum_each(a + 8), v4_sum_each(a + 12)};
}

CK_INLINE v16 v16_load_bf16(const void *p) {
    const uint16x8_t low = vreinterpretq_u16_u8(vld1q_u8(p));
    const uint16x8_t high = vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)p + 16));
    return (v16){vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(low), 16)),
                 vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(low), 16)),
                 vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(high), 16)),
                 vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(high), 16))};
}

CK_INLINE float32x4_t v4_load_f16(const uint8_t *p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}

CK_INLINE v16 v16_load_f16(const void *p) {
    const uint8_t *bytes = p;
    return (v16){v4_load_f16(bytes), v4_load_f16(bytes + 8), v4_load_f16(bytes + 16), v4_load_f16(bytes + 24)};
}

CK_INLINE v16 v16_from_u8(uint8x16_t bytes) {
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_u8(vget_high_u8(bytes));
    return (v16){vcvtq_f32_u32(vmovl_u16(vget_low_u16(low))), vcvtq_f32_u32(vmovl_u16(vget_high_u16(low))),
                 vcvtq_f32_u32(vmovl_u16(vget_low_u16(high))), vcvtq_f32_u32(vmovl_u16(vget_high_u16(high)))};
}

CK_INLINE v16 v16_load_u8(const uint8_t *p) {
    return v16_from_u8(vld1q_u8(p));
}

CK_INLINE v16 v16_load_i8(const int8_t *p) {
    const int8x16_t bytes = vld1q_s8(p);
    const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_s8(vget_high_s8(bytes));
    return (v16){vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_s16(vget_high_s16(low))),
                 vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_s16(vget_high_s16(high)))};
}

CK_INLINE v16 v16_load_u4(const uint8_t *p) {
    const uint8x8_t bytes = vld1_u8(p), evens = vand_u8(bytes, vdup_n_u8(15)), odds = vshr_n_u8(bytes, 4);
    return v16_from_u8(vcombine_u8(vzip1_u8(evens, odds), vzip2_u8(evens, odds)));
}

CK_INLINE uint16x4_t v4_to_bf16(float32x4_t a) {
    const uint32x4_t bits = vreinterpretq_u32_f32(a);
    const uint32x4_t even = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(even, vdupq_n_u32(0x7fff)));
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    return vshrn_n_u32(vbslq_u32(vceqq_f32(a, a), rounded, quiet), 16);
}

CK_INLINE void v16_store_bf16(void *p, v16 a) {
    const uint16x8_t low = vcombine_u16(v4_to_bf16(a.q0), v4_to_bf16(a.q1));
    const uint16x8_t high = vcombine_u16(v4_to_bf16(a.q2), v4_to_bf16(a.q3));
    vst1q_u8(p, vreinterpretq_u8_u16(low));
    vst1q_u8((uint8_t *)p + 16, vreinterpretq_u8_u16(high));
}

CK_INLINE void v4_store_f16(uint8_t *p, float32x4_t a) {
    vst1_u8(p, vreinterpret_u8_f16(vcvt_f16_f32(a)));
}

CK_INLINE void v16_store_f16(void *p, v16 a) {
    uint8_t *bytes = p;
    v4_store_f16(bytes, a.q0);
    v4_store_f16(bytes + 8, a.q1);
    v4_store_f16(bytes + 16, a.q2);
    v4_store_f16(bytes + 24, a.q3);
}

#undef V16_MAP
#undef V16_MAP2
#undef V16_MAP3

#endif
