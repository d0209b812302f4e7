#ifndef CK_SIMD_PORTABLE_H
#define CK_SIMD_PORTABLE_H

#include "internal/bits.h"

#include <math.h>

// The vocabulary of the shared kernels: a vector of 16 float32 lanes. This file is its definition; the other
// levels give the same bits (of a NaN only that it is one). Memory may have any alignment. Denormals stay.

typedef struct v16 {
    float lane[16];
} v16;

/// Register tile of products: weight rows (or keys) by activation rows (or queries).
enum { v16_tile_rows = 2, v16_tile_columns = 2 };

#define V16_EACH(result, expression)                                                                                   \
    v16 result;                                                                                                        \
    for (int i = 0; i < 16; i++)                                                                                       \
    result.lane[i] = (expression)

CK_INLINE v16 v16_load(const void *p) {
    v16 r;
    memcpy(&r, p, sizeof r);
    return r;
}

CK_INLINE void v16_store(void *p, v16 a) {
    memcpy(p, &a, sizeof a);
}

CK_INLINE v16 v16_set1(float value) {
    V16_EACH(r, value);
    return r;
}

CK_INLINE v16 v16_add(v16 a, v16 b) {
    V16_EACH(r, a.lane[i] + b.lane[i]);
    return r;
}

CK_INLINE v16 v16_sub(v16 a, v16 b) {
    V16_EACH(r, a.lane[i] - b.lane[i]);
    return r;
}

CK_INLINE v16 v16_mul(v16 a, v16 b) {
    V16_EACH(r, a.lane[i] * b.lane[i]);
    return r;
}

CK_INLINE v16 v16_div(v16 a, v16 b) {
    V16_EACH(r, a.lane[i] / b.lane[i]);
    return r;
}

/// a * b + c, rounded once.
CK_INLINE v16 v16_fma(v16 a, v16 b, v16 c) {
    V16_EACH(r, fmaf(a.lane[i], b.lane[i], c.lane[i]));
    return r;
}

/// c - a * b, rounded once.
CK_INLINE v16 v16_fnma(v16 a, v16 b, v16 c) {
    V16_EACH(r, fmaf(-a.lane[i], b.lane[i], c.lane[i]));
    return r;
}

/// a > b ? a : b, so b when either is NaN or both are zero.
CK_INLINE v16 v16_max(v16 a, v16 b) {
    V16_EACH(r, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
    return r;
}

/// a < b ? x : y, so y where a or b is NaN.
CK_INLINE v16 v16_select_less(v16 a, v16 b, v16 x, v16 y) {
    V16_EACH(r, a.lane[i] < b.lane[i] ? x.lane[i] : y.lane[i]);
    return r;
}

/// Bit i is set where a >= b in lane i; NaN never compares.
CK_INLINE uint32_t v16_mask_at_least(v16 a, v16 b) {
    uint32_t mask = 0;
    for (int i = 0; i < 16; i++)
        mask |= (uint32_t)(a.lane[i] >= b.lane[i]) << i;
    return mask;
}

CK_INLINE v16 v16_abs(v16 a) {
    V16_EACH(r, ck_float_of(ck_bits_of(a.lane[i]) & 0x7fffffffu));
    return r;
}

/// The magnitude of a (which must not be negative) with the sign of b.
CK_INLINE v16 v16_with_sign(v16 a, v16 b) {
    V16_EACH(r, ck_float_of(ck_bits_of(a.lane[i]) | (ck_bits_of(b.lane[i]) & 0x80000000u)));
    return r;
}

/// Adds the low 9 bits of n's representation to the exponent field of a: a * 2^k when n is 1.5 * 2^23 + k.
CK_INLINE v16 v16_add_exponent(v16 a, v16 n) {
    V16_EACH(r, ck_float_of(ck_bits_of(a.lane[i]) + (ck_bits_of(n.lane[i]) << 23)));
    return r;
}

/// The sum by halves: 16 lanes to 8 (i and i + 8), to 4, to 2, to 1.
CK_INLINE float v16_sum(v16 a) {
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            a.lane[i] += a.lane[i + half];
    return a.lane[0];
}

/// The maximum by halves, with v16_max's rule.
CK_INLINE float v16_largest(v16 a) {
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
    return a.lane[0];
}

/// Lane i: v16_sum(a[i]).
CK_INLINE v16 v16_sum_each(const v16 a[16]) {
    V16_EACH(r, v16_sum(a[i]));
    return r;
}

CK_INLINE v16 v16_load_bf16(const void *p) {
    V16_EACH(r, ck_from_bf16(ck_load_u16((const char *)p + 2 * i)));
    return r;
}

CK_INLINE v16 v16_load_f16(const void *p) {
    V16_EACH(r, ck_from_f16(ck_load_u16((const char *)p + 2 * i)));
    return r;
}

/// 16 unsigned bytes as floats.
CK_INLINE v16 v16_load_u8(const uint8_t *p) {
    V16_EACH(r, (float)p[i]);
    return r;
}

/// 16 signed bytes as floats.
CK_INLINE v16 v16_load_i8(const int8_t *p) {
    V16_EACH(r, (float)p[i]);
    return r;
}

/// 8 bytes of two codes each, the low nibble first, as floats.
CK_INLINE v16 v16_load_u4(const uint8_t *p) {
    V16_EACH(r, (float)(i % 2 ? p[i / 2] >> 4 : p[i / 2] & 15));
    return r;
}

/// Rounds to nearest even; NaN stays NaN.
CK_INLINE void v16_store_bf16(void *p, v16 a) {
    uint16_t halves[16];
    for (int i = 0; i < 16; i++)
        halves[i] = ck_to_bf16(a.lane[i]);
    memcpy(p, halves, sizeof halves);
}

/// Rounds to nearest even; NaN stays NaN.
CK_INLINE void v16_store_f16(void *p, v16 a) {
    uint16_t halves[16];
    for (int i = 0; i < 16; i++)
        halves[i] = ck_to_f16(a.lane[i]);
    memcpy(p, halves, sizeof halves);
}

#undef V16_EACH

#endif
