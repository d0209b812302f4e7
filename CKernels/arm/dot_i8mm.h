#ifndef CK_ARM_DOT_I8MM_H
#define CK_ARM_DOT_I8MM_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/lanes_neon.h"
#endif

// Exact dot products by USDOT: unsigned codes with signed values, so nothing needs to be given back. Must be
// included inside a target region.

typedef uint8x16_t affine_operand;

CK_INLINE affine_operand affine_from_nibbles(uint8x16_t nibbles) {
    return nibbles;
}

CK_INLINE affine_operand affine_from_bytes(uint8x16_t codes) {
    return codes;
}

CK_INLINE int32x4_t affine_offset(int32x4_t sum, int8x16_t values) {
    (void)values;
    return sum;
}

/// sum + 16 products; which lane gets which is left open.
CK_INLINE int32x4_t affine_dot(int32x4_t sum, affine_operand codes, int8x16_t values) {
    return vusdotq_s32(sum, codes, values);
}

#endif
