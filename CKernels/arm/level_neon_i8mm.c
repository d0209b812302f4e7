#if defined(__aarch64__)

#define CK_LEVEL neon_i8mm

#include "internal/bits.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#include "internal/table.h"
#include "internal/target.h"
#include "shared/quantized/activation_group.h"

#include <arm_neon.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_I8MM_BEGIN

// Products of int8 activations with affine weights, over 4 lanes.
#include "arm/lanes_neon.h"
#include "shared/quantized/source.h"
#include "shared/quantized/scales.h"
#include "shared/quantized/tile.h"
#include "arm/dot_i8mm.h"
#include "arm/gemv_neon.h"
#include "arm/gemm_i8mm.h"
#include "shared/quantized/product.h"

static void affine_product(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                           size_t end) {
    const affine_kernels kernels = {affine_gemv, NULL, 0, 0};
    affine_product_with(kernels, y, y_stride, w, x, rows, begin, end);
}

CK_TARGET_END

void ck_fill_neon_i8mm(ck_table *table) {
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#else

typedef int ck_no_neon_i8mm; // an empty file is not C

#endif
