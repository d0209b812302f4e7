#ifndef CK_AFFINE_PORTABLE_H
#define CK_AFFINE_PORTABLE_H

#include "ck/product.h"

void ck_quantize_groups_portable(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end);

void ck_affine_product_portable(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                                size_t end);

#endif
