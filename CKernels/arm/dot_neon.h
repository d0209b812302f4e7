#ifndef CK_ARM_DOT_NEON_H
#define CK_ARM_DOT_NEON_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/signed_codes.h"
#endif

// Exact dot products where there is no instruction for them: products in 16 bits, added in pairs to 32 bits.
// A nibble's product is at most 15 * 127 = 1,905 in magnitude, a byte's (less 128, see signed_codes.h)
// 16,256: two of those still fit.

/// A vector whose lanes add up to 128 times the values more than those of `sum`.
CK_INLINE int32x4_t affine_offset(int32x4_t sum, int8x16_t values) {
    return vaddq_s32(sum, vshlq_n_s32(vpaddlq_s16(vpaddlq_s8(values)), 7));
}

/// sum + 16 products; which lane gets which is left open.
CK_INLINE int32x4_t affine_dot(int32x4_t sum, affine_operand codes, int8x16_t values) {
    const int16x8_t low = vmull_s8(vget_low_s8(codes), vget_low_s8(values));
    return vpadalq_s16(sum, vmlal_high_s8(low, codes, values));
}

/// Lane l: sum + the products of the dwords l of codes[0 ... 3] with the values 0 ... 15.
CK_INLINE int32x4_t affine_dot_transposed(int32x4_t sum, const affine_operand codes[4], int8x16_t values,
                                          const bool nibbles) {
    const int32x4_t dwords = vreinterpretq_s32_s8(values);
    const int8x16_t v[4] = {
        vreinterpretq_s8_s32(vdupq_laneq_s32(dwords, 0)), vreinterpretq_s8_s32(vdupq_laneq_s32(dwords, 1)),
        vreinterpretq_s8_s32(vdupq_laneq_s32(dwords, 2)), vreinterpretq_s8_s32(vdupq_laneq_s32(dwords, 3))};
    int16x8_t low, high; // rows 0 and 1, rows 2 and 3
    for (size_t d = 0; d < 4; d++) {
        const bool first = d == 0 || !nibbles;
        const int8x8_t c = vget_low_s8(codes[d]), four = vget_low_s8(v[d]);
        low = first ? vmull_s8(c, four) : vmlal_s8(low, c, four);
        high = first ? vmull_high_s8(codes[d], v[d]) : vmlal_high_s8(high, codes[d], v[d]);
        if (d == 3 || !nibbles)
            sum = vpadalq_s16(sum, vpaddq_s16(low, high));
    }
    return sum;
}

#endif
