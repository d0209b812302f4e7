#ifndef CK_FLOAT_FUNCTIONS_H
#define CK_FLOAT_FUNCTIONS_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "portable/simd_portable.h"
#endif

// exp, tanh and gelu from fma, so that every level computes the same bits. The coefficients are our own
// weighted minimax fits (Lawson's iteration on Chebyshev nodes in float64, then rounded to float32).

/// exp(x): below 1.1 units in the last place over [-87, 88]. 0 below -126 ln 2, infinity above 128 ln 2, NaN
/// stays.
CK_INLINE v16 exp16(v16 x) {
    // x = k ln 2 + r with |r| <= ln 2 / 2; adding 1.5 * 2^23 rounds to the integer k and leaves it in the low
    // bits.
    const v16 magic = v16_set1(0x1.8p23f);
    const v16 shifted = v16_fma(x, v16_set1(0x1.715476p0f), magic);
    const v16 k = v16_sub(shifted, magic);
    v16 r = v16_fnma(k, v16_set1(0x1.62e4p-1f), x);
    r = v16_fnma(k, v16_set1(0x1.7f7d1cp-20f), r);
    // exp(r) = 1 + r + r^2 q(r); the fit's relative error is 3.1e-9.
    v16 q = v16_set1(0x1.6a23cep-10f);
    q = v16_fma(q, r, v16_set1(0x1.123a20p-7f));
    q = v16_fma(q, r, v16_set1(0x1.5558f2p-5f));
    q = v16_fma(q, r, v16_set1(0x1.555492p-3f));
    q = v16_fma(q, r, v16_set1(0x1.fffffcp-2f));
    const v16 p = v16_add(v16_fma(v16_mul(r, r), q, r), v16_set1(1));
    const v16 scaled = v16_add_exponent(p, shifted);
    // The last operand is infinity above the range and NaN for NaN.
    const v16 upper = v16_select_less(x, v16_set1(0x1.62e430p6f), scaled, v16_add(x, v16_set1(INFINITY)));
    return v16_select_less(x, v16_set1(-0x1.5d589ep6f), v16_set1(0), upper);
}

/// tanh(x): absolute error below 1.2e-7, odd, exactly +-1 from about 9 on, NaN stays.
CK_INLINE v16 tanh16(v16 x) {
    const v16 a = v16_abs(x), one = v16_set1(1), two = v16_set1(2);
    // Near zero x + x^3 q(x^2), elsewhere 1 - 2 / (exp(2 |x|) + 1).
    const v16 z = v16_mul(a, a);
    v16 q = v16_set1(-0x1.76ac1ap-8f);
    q = v16_fma(q, z, v16_set1(0x1.5256d8p-6f));
    q = v16_fma(q, z, v16_set1(-0x1.b84448p-5f));
    q = v16_fma(q, z, v16_set1(0x1.110768p-3f));
    q = v16_fma(q, z, v16_set1(-0x1.555534p-2f));
    const v16 near = v16_fma(v16_mul(z, a), q, a);
    const v16 far = v16_sub(one, v16_div(two, v16_add(exp16(v16_add(a, a)), one)));
    return v16_with_sign(v16_select_less(a, v16_set1(0.625f), near, far), x);
}

/// 0.5 v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))).
CK_INLINE v16 gelu16(v16 v) {
    const v16 one = v16_set1(1);
    const v16 cubic = v16_fma(v16_mul(v, v), v16_set1(0.044715f), one);
    const v16 t = tanh16(v16_mul(v16_mul(v, v16_set1(0.7978845608f)), cubic));
    return v16_mul(v16_mul(v16_set1(0.5f), v), v16_add(one, t));
}

#endif
