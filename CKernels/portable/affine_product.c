#include "ck/format.h"
#include "internal/bits.h"
#include "internal/table.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

// One weight row at a time. The codes of a group are unpacked once, in the order of the activations, and used
// for all rows; the running sums stay in y between the groups, which loses nothing: they are float32 either
// way.

enum { largest_group = 128 };

/// The codes of Q4 bytes: low nibbles are the even elements, high nibbles the odd ones.
static void unpack_nibbles(uint8_t *evens, uint8_t *odds, const uint8_t *bytes, size_t count) {
    for (size_t k = 0; k < count; k++) {
        evens[k] = bytes[k] & 15;
        odds[k] = bytes[k] >> 4;
    }
}

static int32_t dot(const uint8_t *codes, const int8_t *values, size_t count) {
    int32_t sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += (int32_t)codes[k] * values[k];
    return sum;
}

ck_quantized_product_kernel ck_affine_product_portable;

void ck_affine_product_portable(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                                size_t end) {
    const size_t group = w.group, groups = w.columns / group, half = group / 2;
    const size_t group_bytes = ck_part_bytes(w, CK_CODES, group);
    for (size_t o = begin; o < end; o++) {
        const uint8_t *bytes = ck_part_address(w, CK_CODES, o, 0);
        const void *scales = ck_part_address(w, CK_SCALES, o, 0), *biases = ck_part_address(w, CK_BIASES, o, 0);
        for (size_t i = 0; i < rows; i++)
            y[i * y_stride + o] = 0;
        for (size_t g = 0; g < groups; g++) {
            uint8_t codes[largest_group];
            if (w.type == CK_Q4)
                unpack_nibbles(codes, codes + half, bytes + g * group_bytes, half);
            else
                memcpy(codes, bytes + g * group_bytes, group);
            const float scale = ck_load_element(scales, w.scale_type, g);
            const float bias = ck_load_element(biases, w.scale_type, g);
            for (size_t i = 0; i < rows; i++) {
                const int8_t *values = x.values + i * x.stride;
                const int32_t sum = w.type == CK_Q4 ? dot(codes, values + g * half, half) +
                                                          dot(codes + half, values + x.columns / 2 + g * half, half)
                                                    : dot(codes, values + g * group, group);
                float acc = y[i * y_stride + o];
                acc = fmaf((float)sum, scale * x.scales[i * groups + g], acc);
                y[i * y_stride + o] = fmaf(bias, x.sums[i * groups + g], acc);
            }
        }
    }
}
