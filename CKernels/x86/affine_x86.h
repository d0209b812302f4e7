#ifndef CK_AFFINE_X86_H
#define CK_AFFINE_X86_H

#include "ck/product.h"

void ck_quantize_activations_avx2(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end);
void ck_affine_product_avx2(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                            size_t end);

void ck_quantize_activations_avx512vnni(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end);
void ck_affine_product_avx512vnni(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                                  size_t end);

#endif
