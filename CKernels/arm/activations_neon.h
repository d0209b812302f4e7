#ifndef CK_ARM_ACTIVATIONS_NEON_H
#define CK_ARM_ACTIVATIONS_NEON_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/lanes_neon.h"
#include "shared/quantized/activation_group.h"
#endif

// Groups of activations to int8, see shared/quantized/activations.h.

CK_INLINE uint32_t group_magnitude(const float *x, size_t n) {
    const uint32x4_t mask = vdupq_n_u32(CK_MAGNITUDE_BITS);
    uint32x4_t peak = vdupq_n_u32(0);
    for (size_t k = 0; k < n; k += 4)
        peak = vmaxq_u32(peak, vandq_u32(vreinterpretq_u32_f32(vld1q_f32(x + k)), mask));
    return vmaxvq_u32(peak);
}

CK_INLINE int32x4_t quantize_rounded(const float *x, float32x4_t inverse) {
    return vcvtnq_s32_f32(vmulq_f32(vld1q_f32(x), inverse));
}

/// 8 values of 32 bits (they fit in 8) to 16 bits, in order.
CK_INLINE int16x8_t quantize_narrow(int32x4_t a, int32x4_t b) {
    return vcombine_s16(vmovn_s32(a), vmovn_s32(b));
}

/// sum + the 8 values, in pairs; exact.
CK_INLINE int32x4_t quantize_count(int32x4_t sum, int16x8_t values) {
    return vpadalq_s16(sum, values);
}

CK_INLINE int32_t quantize_natural(int8_t *out, const float *x, size_t n, float inverse) {
    const float32x4_t factor = vdupq_n_f32(inverse);
    int32x4_t total = vdupq_n_s32(0);
    for (size_t k = 0; k < n; k += 8) {
        const int16x8_t values = quantize_narrow(quantize_rounded(x + k, factor), quantize_rounded(x + k + 4, factor));
        total = quantize_count(total, values);
        vst1_s8(out + k, vmovn_s16(values));
    }
    return vaddvq_s32(total);
}

CK_INLINE int32_t quantize_even_odd(int8_t *evens, int8_t *odds, const float *x, size_t n, float inverse) {
    const float32x4_t factor = vdupq_n_f32(inverse);
    int32x4_t total = vdupq_n_s32(0);
    for (size_t k = 0; k < n; k += 16) {
        const int16x8_t a = quantize_narrow(quantize_rounded(x + k, factor), quantize_rounded(x + k + 4, factor));
        const int16x8_t b = quantize_narrow(quantize_rounded(x + k + 8, factor), quantize_rounded(x + k + 12, factor));
        total = quantize_count(quantize_count(total, a), b);
        vst1_s8(evens + k / 2, vmovn_s16(vuzp1q_s16(a, b)));
        vst1_s8(odds + k / 2, vmovn_s16(vuzp2q_s16(a, b)));
    }
    return vaddvq_s32(total);
}

#endif
