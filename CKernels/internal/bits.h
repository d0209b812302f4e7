#ifndef CK_BITS_H
#define CK_BITS_H

#include "ck/types.h"
#include "internal/inline.h"

#include <string.h>

// Conversions of single values in integer arithmetic, rounding to nearest even. NaN stays a (quiet) NaN.

CK_INLINE uint32_t ck_bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CK_INLINE float ck_float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

CK_INLINE float ck_from_bf16(uint16_t half) {
    return ck_float_of((uint32_t)half << 16);
}

CK_INLINE uint16_t ck_to_bf16(float value) {
    const uint32_t bits = ck_bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

CK_INLINE float ck_from_f16(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
    if (exponent == 31)
        return ck_float_of(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
    if (exponent == 0) {
        const float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return ck_float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

CK_INLINE uint16_t ck_to_f16(float value) {
    const uint32_t bits = ck_bits_of(value), magnitude = bits & 0x7fffffffu;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) // 65,520 and above round to infinity
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) {
        // Below 2^-14: adding 1/2 leaves the subnormal's bits at the end of the sum.
        const float shifted = ck_float_of(magnitude) + 0.5f;
        return (uint16_t)(sign | (ck_bits_of(shifted) - 0x3f000000u));
    }
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (rounded - 0x38000000u) >> 13);
}

CK_INLINE uint16_t ck_load_u16(const void *p) {
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

CK_INLINE float ck_load_f32(const void *p) {
    float value;
    memcpy(&value, p, sizeof value);
    return value;
}

/// Bytes of an element of F32, F16 or BF16: a constant where the type is one, as ck_stored_bytes is not.
CK_INLINE size_t ck_element_size(ck_type type) {
    return type == CK_F32 ? 4 : 2;
}

/// One element of F32, F16 or BF16.
CK_INLINE float ck_load_element(const void *data, ck_type type, size_t index) {
    const char *p = (const char *)data + index * ck_element_size(type);
    return type == CK_F32    ? ck_load_f32(p)
           : type == CK_BF16 ? ck_from_bf16(ck_load_u16(p))
                             : ck_from_f16(ck_load_u16(p));
}

#endif
