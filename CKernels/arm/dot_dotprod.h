#ifndef CK_ARM_DOT_DOTPROD_H
#define CK_ARM_DOT_DOTPROD_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/signed_codes.h"
#endif

// Exact dot products by SDOT. Must be included inside a target region.

/// A vector whose lanes add up to 128 times the values more than those of `sum`.
CK_INLINE int32x4_t affine_offset(int32x4_t sum, int8x16_t values) {
    return vsubq_s32(sum, vdotq_s32(vdupq_n_s32(0), values, vdupq_n_s8(-128)));
}

/// sum + 16 products; which lane gets which is left open.
CK_INLINE int32x4_t affine_dot(int32x4_t sum, affine_operand codes, int8x16_t values) {
    return vdotq_s32(sum, codes, values);
}

/// Lane l: sum + the products of the dwords l of codes[0 ... 3] with the values 0 ... 15.
CK_INLINE int32x4_t affine_dot_transposed(int32x4_t sum, const affine_operand codes[4], int8x16_t values,
                                          const bool nibbles) {
    (void)nibbles;
    sum = vdotq_laneq_s32(sum, codes[0], values, 0);
    sum = vdotq_laneq_s32(sum, codes[1], values, 1);
    sum = vdotq_laneq_s32(sum, codes[2], values, 2);
    return vdotq_laneq_s32(sum, codes[3], values, 3);
}

#endif
