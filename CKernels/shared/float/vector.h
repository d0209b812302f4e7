#ifndef CK_FLOAT_VECTOR_H
#define CK_FLOAT_VECTOR_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/elements.h"
#include "shared/float/functions.h"
#include "ck/vector.h"
#endif

// Elementwise kernels and row reductions; the contract is in ck/vector.h.

static float sum_of_squares(const float *x, size_t n) {
    v16 sum = v16_set1(0);
    for (size_t i = 0; i < n; i += 16) {
        const v16 v = load_upto(x + i, step_length(i, n));
        sum = v16_fma(v, v, sum);
    }
    return v16_sum(sum);
}

static float mean_square(const float *x, size_t n) {
    return n ? sum_of_squares(x, n) / (float)n : 0;
}

static void rms_norm(float *y, size_t y_stride, const float *x, size_t x_stride, ck_vector w, size_t columns, float eps,
                     size_t begin, size_t end) {
    for (size_t row = begin; row < end; row++) {
        const float *in = x + row * x_stride;
        float *out = y + row * y_stride;
        const v16 factor = v16_set1(1 / sqrtf(mean_square(in, columns) + eps));
        for (size_t i = 0; i < columns; i += 16) {
            const size_t n = step_length(i, columns);
            store_upto(out + i, v16_mul(v16_mul(load_upto(in + i, n), factor), load_vector(w, i, n)), n);
        }
    }
}

static void gelu_gate(float *y, const float *gate, const float *up, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, v16_mul(gelu16(load_upto(gate + i, n)), load_upto(up + i, n)), n);
    }
}

static void gaussian_top_k(float *x, size_t count, float z) {
    if (count == 0)
        return;
    v16 sum = v16_set1(0);
    for (size_t i = 0; i < count; i += 16)
        sum = v16_add(sum, load_upto(x + i, step_length(i, count)));
    const float mean = v16_sum(sum) / (float)count;
    v16 squares = v16_set1(0);
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        const v16 d = v16_sub(n == 16 ? v16_load(x + i) : load_part(x + i, n, mean), v16_set1(mean));
        squares = v16_fma(d, d, squares);
    }
    const float deviation = sqrtf(v16_sum(squares) / (float)count);
    const v16 cutoff = v16_set1(mean + z * deviation), zero = v16_set1(0);
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        // In this order of the operands a NaN stays one.
        store_upto(x + i, v16_max(zero, v16_sub(load_upto(x + i, n), cutoff)), n);
    }
}

static void add_scaled(float *y, const float *x, const float *b, float a, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, v16_fma(v16_set1(a), load_upto(b + i, n), load_upto(x + i, n)), n);
    }
}

static void scale(float *y, const float *x, float a, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, v16_mul(v16_set1(a), load_upto(x + i, n)), n);
    }
}

static void multiply(float *y, const float *x, ck_vector w, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, v16_mul(load_upto(x + i, n), load_vector(w, i, n)), n);
    }
}

static void altup_predict(float *y, const float *x, size_t stride, const float *coefficients, size_t count) {
    enum { streams = 4 };
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        v16 in[streams];
        for (size_t j = 0; j < streams; j++)
            in[j] = load_upto(x + j * stride + i, n);
        for (size_t s = 0; s < streams; s++) {
            v16 sum = v16_mul(v16_set1(coefficients[streams * s]), in[0]);
            for (size_t j = 1; j < streams; j++)
                sum = v16_fma(v16_set1(coefficients[streams * s + j]), in[j], sum);
            store_upto(y + s * stride + i, v16_add(in[s], sum), n);
        }
    }
}

static void tanh_all(float *y, const float *x, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, tanh16(load_upto(x + i, n)), n);
    }
}

static void softcap(float *y, const float *x, float cap, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        const v16 c = v16_set1(cap);
        store_upto(y + i, v16_mul(c, tanh16(v16_div(load_upto(x + i, n), c))), n);
    }
}

/// The largest element; NaN is passed over; -infinity when there is none.
static float largest_of(const float *x, size_t count) {
    v16 best = v16_set1(-INFINITY);
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        best = v16_max(n == 16 ? v16_load(x + i) : load_part(x + i, n, -INFINITY), best);
    }
    return v16_largest(best);
}

/// exp(x - shift) of n <= 16 elements; the other lanes are zero.
CK_INLINE v16 exp_part(const float *x, size_t n, float shift) {
    return exp16(v16_sub(n == 16 ? v16_load(x) : load_part(x, n, -INFINITY), v16_set1(shift)));
}

static void softmax(float *y, const float *x, size_t count) {
    const float largest = largest_of(x, count);
    v16 sum = v16_set1(0);
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        const v16 e = exp_part(x + i, n, largest);
        sum = v16_add(sum, e);
        store_upto(y + i, e, n);
    }
    const v16 total = v16_set1(v16_sum(sum));
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        store_upto(y + i, v16_div(load_upto(y + i, n), total), n);
    }
}

static float log_sum_exp(const float *x, size_t count) {
    const float largest = largest_of(x, count);
    v16 sum = v16_set1(0);
    for (size_t i = 0; i < count; i += 16)
        sum = v16_add(sum, exp_part(x + i, step_length(i, count), largest));
    return (float)((double)largest + log((double)v16_sum(sum)));
}

static void store(void *y, ck_type type, const float *x, size_t count) {
    const size_t size = ck_element_size(type);
    for (size_t i = 0; i < count; i += 16) {
        const size_t n = step_length(i, count);
        const v16 v = load_upto(x + i, n);
        char buffer[64];
        char *out = n == 16 ? (char *)y + i * size : buffer;
        if (type == CK_F32)
            v16_store(out, v);
        else if (type == CK_BF16)
            v16_store_bf16(out, v);
        else
            v16_store_f16(out, v);
        if (n < 16)
            memcpy((char *)y + i * size, buffer, n * size);
    }
}

static void rope(float *x, size_t heads, size_t head_dim, const float *cosines, const float *sines) {
    const size_t pairs = head_dim / 2;
    for (size_t h = 0; h < heads; h++) {
        float *first = x + h * head_dim, *second = first + pairs;
        for (size_t i = 0; i < pairs; i += 16) {
            const size_t n = step_length(i, pairs);
            const v16 a = load_upto(first + i, n), b = load_upto(second + i, n);
            const v16 c = load_upto(cosines + i, n), s = load_upto(sines + i, n);
            store_upto(first + i, v16_fnma(b, s, v16_mul(a, c)), n);
            store_upto(second + i, v16_fma(a, s, v16_mul(b, c)), n);
        }
    }
}

#endif
