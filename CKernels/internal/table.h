#ifndef CK_TABLE_H
#define CK_TABLE_H

#include "ck/attention.h"
#include "ck/format.h"
#include "ck/product.h"
#include "ck/rope.h"
#include "ck/sampling.h"
#include "ck/types.h"
#include "ck/vector.h"

typedef void ck_quantized_product_kernel(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows,
                                         size_t begin, size_t end);

/// The portable product of each format that takes int8 activations, else null; in runtime/formats.c.
extern ck_quantized_product_kernel *const ck_portable_products[CK_TYPE_COUNT];

/// One kernel level: a pointer for every dispatched kernel, with the signature of the public function of that
/// name.
typedef struct ck_table {
    // Products. Groups are counted through the rows. One quantised product for each format that takes int8.
    void (*quantize_groups)(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end);
    ck_quantized_product_kernel *quantized_products[CK_TYPE_COUNT];
    void (*float_product)(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                          size_t begin, size_t end);
    void (*gather_rows)(float *out, size_t out_stride, ck_matrix w, const int32_t *ids, size_t count,
                        size_t column_begin, size_t column_end, float scale);
    // Vectors.
    void (*rms_norm)(float *y, size_t y_stride, const float *x, size_t x_stride, ck_vector w, size_t columns, float eps,
                     size_t begin, size_t end);
    float (*mean_square)(const float *x, size_t n);
    void (*gelu_gate)(float *y, const float *gate, const float *up, size_t n);
    void (*gaussian_top_k)(float *x, size_t n, float z);
    void (*add_scaled)(float *y, const float *x, const float *b, float a, size_t n);
    void (*scale)(float *y, const float *x, float a, size_t n);
    void (*multiply)(float *y, const float *x, ck_vector w, size_t n);
    void (*altup_predict)(float *y, const float *x, size_t stride, const float *coefficients, size_t n);
    void (*tanh)(float *y, const float *x, size_t n);
    void (*softcap)(float *y, const float *x, float cap, size_t n);
    void (*softmax)(float *y, const float *x, size_t n);
    float (*log_sum_exp)(const float *x, size_t n);
    void (*store)(void *y, ck_type type, const float *x, size_t n);
    // Attention and sampling.
    void (*rope)(float *x, size_t heads, size_t head_dim, const float *cosines, const float *sines);
    void (*attention)(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin,
                      size_t head_end);
    void (*attention_span)(const ck_attention_task *task, ck_attention_states states, size_t row_begin, size_t row_end,
                           size_t head_begin, size_t head_end, size_t span);
    void (*attention_merge)(const ck_attention_task *task, ck_attention_states states, size_t row, size_t head);
    size_t (*argmax)(const float *x, size_t n);
    size_t (*top_k)(int32_t *ids, float *values, size_t k, const float *x, size_t n);
} ck_table;

/// The level in use; chosen on the first call.
const ck_table *ck_kernels(void);

// Each function overrides the kernels its level has; dispatch.c starts every level from a copy of the one
// below.
void ck_fill_portable(ck_table *table);
#if defined(__x86_64__)
void ck_fill_avx2(ck_table *table);
void ck_fill_avx512vnni(ck_table *table);
#elif defined(__aarch64__)
void ck_fill_neon(ck_table *table);
void ck_fill_neon_dotprod(ck_table *table);
void ck_fill_neon_i8mm(ck_table *table);
#endif

#endif
