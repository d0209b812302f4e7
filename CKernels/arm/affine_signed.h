#ifndef CK_AFFINE_SIGNED_H
#define CK_AFFINE_SIGNED_H

#include "arm/affine_arm.h"

// Codes for the levels whose products want both operands signed: a byte enters less 128, and affine_offset of
// the level gives back 128 times the sum of the values.

typedef int8x16_t affine_operand;

CK_AFFINE_INLINE affine_operand affine_from_nibbles(uint8x16_t nibbles) {
    return vreinterpretq_s8_u8(nibbles);
}

CK_AFFINE_INLINE affine_operand affine_from_bytes(uint8x16_t codes) {
    return vreinterpretq_s8_u8(veorq_u8(codes, vdupq_n_u8(128)));
}

#endif
