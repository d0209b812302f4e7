#if defined(__x86_64__)

#include "affine_x86.h"
#include "shared/affine_group.h"

#include <immintrin.h>

#pragma STDC FP_CONTRACT OFF
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c"))), \
                             apply_to = function)

#include "affine_avx512.h"
#include "affine_quantize_avx512.inc"
#include "shared/affine_tile.inc"
#define AFFINE_KERNELS "x86/affine_kernels_avx512.inc"
#include "shared/affine_product.inc"

void ck_quantize_activations_avx512vnni(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end)
{
    affine_quantize(out, x, x_stride, begin, end);
}

void ck_affine_product_avx512vnni(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                                  size_t end)
{
    affine_product(y, y_stride, w, x, rows, begin, end);
}

#pragma clang attribute pop

#endif
