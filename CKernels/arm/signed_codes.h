#ifndef CK_ARM_SIGNED_CODES_H
#define CK_ARM_SIGNED_CODES_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "arm/lanes_neon.h"
#endif

// Codes for the levels whose products want both operands signed: a byte enters less 128, and affine_offset of
// the level gives back 128 times the sum of the values.

typedef int8x16_t affine_operand;

CK_INLINE affine_operand affine_from_nibbles(uint8x16_t nibbles) {
    return vreinterpretq_s8_u8(nibbles);
}

CK_INLINE affine_operand affine_from_bytes(uint8x16_t codes) {
    return vreinterpretq_s8_u8(veorq_u8(codes, vdupq_n_u8(128)));
}

#endif
