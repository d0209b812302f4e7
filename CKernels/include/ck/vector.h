#ifndef CK_VECTOR_H
#define CK_VECTOR_H

#include "types.h"

// Reductions run over 16 virtual lanes (element i in lane i mod 16, padded with zeros), summed by halves as in
// ck_float_product. exp and tanh are our own polynomials, built from fma, the same bits on every level.
// Rows [begin, end) of matrices [rows, columns] with strides in elements; y may be x (in place) unless noted.

/// y = x * (1 / sqrt(mean(x^2) + eps)) * w, row by row; w: [columns].
void ck_rms_norm(float *y, size_t y_stride, const float *x, size_t x_stride, ck_vector w, size_t columns, float eps,
                 size_t begin, size_t end);

/// mean(x^2) over n elements (canonical lanes).
float ck_mean_square(const float *x, size_t n);

/// y[i] = gelu_tanh(gate[i]) * up[i];  gelu_tanh(v) = 0.5 v (1 + tanh(sqrt(2/pi) (v + 0.044715 v^3))). May alias.
void ck_gelu_gate(float *y, const float *gate, const float *up, size_t n);

/// Gemma 3n's activation sparsity, in place: x = max(x - (mean + z * std), 0), std over the population (divide by n).
void ck_gaussian_top_k(float *x, size_t n, float z);

/// y = x + a * b (scalar a), elementwise. May alias.
void ck_add_scaled(float *y, const float *x, const float *b, float a, size_t n);

/// y = a * x (scalar a). May alias.
void ck_scale(float *y, const float *x, float a, size_t n);

/// y = x * w elementwise. May alias.
void ck_multiply(float *y, const float *x, ck_vector w, size_t n);

/// AltUp prediction: y[i] = x[i] + sum over j ascending of c[4 i + j] * x[j], 4 streams of n elements that lie
/// `stride` elements apart in x and y. Not in place.
void ck_altup_predict(float *y, const float *x, size_t stride, const float *coefficients, size_t n);

/// y[i] = tanh(x[i]). May alias.
void ck_tanh(float *y, const float *x, size_t n);

/// y[i] = cap * tanh(x[i] / cap). May alias.
void ck_softcap(float *y, const float *x, float cap, size_t n);

/// Softmax of one row: y = exp(x - max) / sum. May alias.
void ck_softmax(float *y, const float *x, size_t n);

/// max + log(sum(exp(x - max))): a token's log-probability is its logit less this.
float ck_log_sum_exp(const float *x, size_t n);

/// Stores n float32 values as F32, F16 or BF16 (round to nearest even).
void ck_store(void *y, ck_type type, const float *x, size_t n);

#endif
