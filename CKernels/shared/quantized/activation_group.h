#ifndef CK_QUANTIZED_ACTIVATION_GROUP_H
#define CK_QUANTIZED_ACTIVATION_GROUP_H

#include "internal/bits.h"

// What the levels must agree on to the bit when they quantise activations: how a group's scale follows from its
// largest magnitude.

#define CK_MAGNITUDE_BITS 0x7fffffffu // float bits without the sign: their integer order is the float order
#define CK_INFINITY_BITS 0x7f800000u  // magnitudes from here on are infinities and NaN
#define CK_NAN_BITS 0x7fc00000u
#define CK_SMALLEST_BITS 0x05800000u // 2^-116: below it a group counts as zeros, see ck_activation_step_for

/// How the values of one group are coded: value = round(x * inverse) when `coded`, else 0.
typedef struct ck_activation_step {
    float scale, inverse;
    bool coded;
} ck_activation_step;

/// The step of a group whose largest magnitude has the bits `peak`. From 2^-116 (about 1.2e-35) on, absmax /
/// 127 is a normal number and 127 / absmax is finite; smaller groups are zeros (scale 0), others with
/// infinities or NaN get NaN.
CK_INLINE ck_activation_step ck_activation_step_for(uint32_t peak) {
    if (peak < CK_SMALLEST_BITS)
        return (ck_activation_step){0.0f, 0.0f, false};
    if (peak >= CK_INFINITY_BITS)
        return (ck_activation_step){ck_float_of(CK_NAN_BITS), 0.0f, false};
    float absmax = ck_float_of(peak);
    return (ck_activation_step){absmax / 127.0f, 127.0f / absmax, true};
}

/// Rounds to nearest even, |value| < 2^22: adding 1.5 * 2^23 leaves no bits for a fraction.
CK_INLINE int32_t ck_activation_round(float value) {
    return (int32_t)((value + 12582912.0f) - 12582912.0f);
}

#endif
