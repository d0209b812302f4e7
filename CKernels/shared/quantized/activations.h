#ifndef CK_QUANTIZED_ACTIVATIONS_H
#define CK_QUANTIZED_ACTIVATIONS_H

#ifndef CK_LEVEL // for tools that read this file alone
#if defined(__x86_64__)
#include "x86/activations_avx2.h"
#elif defined(__aarch64__)
#include "arm/activations_neon.h"
#endif
#endif

// The walk over groups of a vector level's quantiser, in terms of its group_magnitude (largest magnitude bits of a
// group), quantize_natural and quantize_even_odd (values of a group in either order; both return their sum).

static void quantize_groups(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end) {
    const size_t groups = out.columns / out.group, half = out.group / 2;
    for (size_t i = begin; i < end; i++) {
        const size_t row = i / groups, g = i % groups;
        const float *from = x + row * x_stride + g * out.group;
        const ck_activation_step step = ck_activation_step_for(group_magnitude(from, out.group));
        int8_t *values = out.values + row * out.stride;
        int32_t total = 0;
        if (out.order == CK_EVEN_ODD) {
            int8_t *evens = values + g * half, *odds = evens + out.columns / 2;
            if (step.coded) {
                total = quantize_even_odd(evens, odds, from, out.group, step.inverse);
            } else {
                memset(evens, 0, half);
                memset(odds, 0, half);
            }
        } else if (step.coded) {
            total = quantize_natural(values + g * out.group, from, out.group, step.inverse);
        } else {
            memset(values + g * out.group, 0, out.group);
        }
        out.scales[i] = step.scale;
        out.sums[i] = step.scale * (float)total;
    }
}

#endif
