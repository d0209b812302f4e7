#include "internal/table.h"

// The public kernels: each goes through the table of the level in use.

void ck_quantize_activations(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end) {
    const size_t groups = out.columns / out.group;
    ck_kernels()->quantize_groups(out, x, x_stride, begin * groups, end * groups);
}

void ck_quantize_groups(ck_activations out, const float *x, size_t x_stride, size_t row, size_t begin, size_t end) {
    const size_t first = row * (out.columns / out.group);
    ck_kernels()->quantize_groups(out, x, x_stride, first + begin, first + end);
}

void ck_quantized_product(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                          size_t end) {
    ck_kernels()->quantized_products[w.type](y, y_stride, w, x, rows, begin, end);
}

void ck_float_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                      size_t begin, size_t end) {
    ck_kernels()->float_product(y, y_stride, w, x, x_stride, rows, begin, end);
}

void ck_gather_rows(float *out, size_t out_stride, ck_matrix w, const int32_t *ids, size_t count, size_t column_begin,
                    size_t column_end, float scale) {
    ck_kernels()->gather_rows(out, out_stride, w, ids, count, column_begin, column_end, scale);
}

void ck_rms_norm(float *y, size_t y_stride, const float *x, size_t x_stride, ck_vector w, size_t columns, float eps,
                 size_t begin, size_t end) {
    ck_kernels()->rms_norm(y, y_stride, x, x_stride, w, columns, eps, begin, end);
}

float ck_mean_square(const float *x, size_t n) {
    return ck_kernels()->mean_square(x, n);
}

void ck_gelu_gate(float *y, const float *gate, const float *up, size_t n) {
    ck_kernels()->gelu_gate(y, gate, up, n);
}

void ck_gaussian_top_k(float *x, size_t n, float z) {
    ck_kernels()->gaussian_top_k(x, n, z);
}

void ck_add_scaled(float *y, const float *x, const float *b, float a, size_t n) {
    ck_kernels()->add_scaled(y, x, b, a, n);
}

void ck_scale(float *y, const float *x, float a, size_t n) {
    ck_kernels()->scale(y, x, a, n);
}

void ck_multiply(float *y, const float *x, ck_vector w, size_t n) {
    ck_kernels()->multiply(y, x, w, n);
}

void ck_altup_predict(float *y, const float *x, size_t stride, const float *coefficients, size_t n) {
    ck_kernels()->altup_predict(y, x, stride, coefficients, n);
}

void ck_tanh(float *y, const float *x, size_t n) {
    ck_kernels()->tanh(y, x, n);
}

void ck_softcap(float *y, const float *x, float cap, size_t n) {
    ck_kernels()->softcap(y, x, cap, n);
}

void ck_softmax(float *y, const float *x, size_t n) {
    ck_kernels()->softmax(y, x, n);
}

float ck_log_sum_exp(const float *x, size_t n) {
    return ck_kernels()->log_sum_exp(x, n);
}

void ck_store(void *y, ck_type type, const float *x, size_t n) {
    ck_kernels()->store(y, type, x, n);
}

void ck_rope(float *x, size_t heads, size_t head_dim, const float *cosines, const float *sines) {
    ck_kernels()->rope(x, heads, head_dim, cosines, sines);
}

void ck_attention(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end) {
    ck_kernels()->attention(task, row_begin, row_end, head_begin, head_end);
}

void ck_attention_span(const ck_attention_task *task, ck_attention_states states, size_t row_begin, size_t row_end,
                       size_t head_begin, size_t head_end, size_t span) {
    ck_kernels()->attention_span(task, states, row_begin, row_end, head_begin, head_end, span);
}

void ck_attention_merge(const ck_attention_task *task, ck_attention_states states, size_t row, size_t head) {
    ck_kernels()->attention_merge(task, states, row, head);
}

size_t ck_argmax(const float *x, size_t n) {
    return ck_kernels()->argmax(x, n);
}

size_t ck_top_k(int32_t *ids, float *values, size_t k, const float *x, size_t n) {
    return ck_kernels()->top_k(ids, values, k, x, n);
}
