#ifndef CK_AFFINE_GROUP_H
#define CK_AFFINE_GROUP_H

#include "ck/format.h"
#include "ck/product.h"

#include <string.h>

// What the levels must agree on to the bit: how a group's scale follows from its largest magnitude, and how a
// stored scale or bias becomes float32.

#pragma STDC FP_CONTRACT OFF

#define CK_AFFINE_MAGNITUDE 0x7fffffffu // float bits without the sign: their integer order is the float order
#define CK_AFFINE_INFINITY 0x7f800000u  // magnitudes from here on are infinities and NaN
#define CK_AFFINE_NAN 0x7fc00000u
#define CK_AFFINE_SMALLEST 0x05800000u // 2^-116: below it a group counts as zeros, see ck_affine_step_for

static inline uint32_t ck_affine_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float ck_affine_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// How the values of one group are coded: value = round(x * inverse) when `coded`, else 0.
typedef struct ck_affine_step {
    float scale, inverse;
    bool coded;
} ck_affine_step;

/// The step of a group whose largest magnitude has the bits `peak`. From 2^-116 (about 1.2e-35) on, absmax /
/// 127 is a normal number and 127 / absmax is finite; smaller groups are zeros (scale 0), others with
/// infinities or NaN get NaN.
static inline ck_affine_step ck_affine_step_for(uint32_t peak) {
    if (peak < CK_AFFINE_SMALLEST)
        return (ck_affine_step){0.0f, 0.0f, false};
    if (peak >= CK_AFFINE_INFINITY)
        return (ck_affine_step){ck_affine_float(CK_AFFINE_NAN), 0.0f, false};
    float absmax = ck_affine_float(peak);
    return (ck_affine_step){absmax / 127.0f, 127.0f / absmax, true};
}

/// Rounds to nearest even, |value| < 2^22: adding 1.5 * 2^23 leaves no bits for a fraction.
static inline int32_t ck_affine_round(float value) {
    return (int32_t)((value + 12582912.0f) - 12582912.0f);
}

static inline float ck_affine_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) // infinity, or a NaN made quiet
        return ck_affine_float(sign | 0x7f800000u | (magnitude << 13) | (magnitude > 0x7c00 ? 0x400000u : 0));
    if (magnitude < 0x0400) // subnormal: magnitude * 2^-24, exact in float32
        return ck_affine_float(sign | ck_affine_bits((float)magnitude * 0x1p-24f));
    return ck_affine_float(sign | ((magnitude << 13) + (112u << 23)));
}

/// Element `index` of a row of scales or biases, which may lie at any address.
static inline float ck_affine_scale(const void *data, ck_type type, size_t index) {
    const uint8_t *bytes = data;
    if (type == CK_F32) {
        float value;
        memcpy(&value, bytes + 4 * index, sizeof value);
        return value;
    }
    uint16_t half;
    memcpy(&half, bytes + 2 * index, sizeof half);
    return type == CK_BF16 ? ck_affine_float((uint32_t)half << 16) : ck_affine_half(half);
}

static inline size_t ck_affine_scale_size(ck_type type) {
    return type == CK_F32 ? 4 : 2;
}

#endif
