#ifndef CK_PORTABLE_ACTIVATIONS_PORTABLE_H
#define CK_PORTABLE_ACTIVATIONS_PORTABLE_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "ck/product.h"
#include "shared/quantized/activation_group.h"
#endif

// Groups of activations to int8, value by value.

static void quantize_group(const float *x, size_t group, ck_order order, int8_t *evens, int8_t *odds, float *scale,
                           float *sum) {
    uint32_t peak = 0;
    for (size_t k = 0; k < group; k++) {
        uint32_t magnitude = ck_bits_of(x[k]) & CK_MAGNITUDE_BITS;
        peak = magnitude > peak ? magnitude : peak;
    }
    ck_activation_step step = ck_activation_step_for(peak);
    int32_t total = 0;
    for (size_t k = 0; k < group; k++) {
        int8_t value = step.coded ? (int8_t)ck_activation_round(x[k] * step.inverse) : 0;
        total += value;
        if (order == CK_NATURAL)
            evens[k] = value;
        else if (k % 2 == 0)
            evens[k / 2] = value;
        else
            odds[k / 2] = value;
    }
    *scale = step.scale;
    *sum = step.scale * (float)total;
}

static void quantize_groups(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end) {
    const size_t groups = out.columns / out.group;
    const size_t packed = out.order == CK_EVEN_ODD ? out.group / 2 : out.group;
    for (size_t i = begin; i < end; i++) {
        const size_t row = i / groups, g = i % groups;
        int8_t *values = out.values + row * out.stride;
        quantize_group(x + row * x_stride + g * out.group, out.group, out.order, values + g * packed,
                       values + out.columns / 2 + g * packed, out.scales + i, out.sums + i);
    }
}

#endif
