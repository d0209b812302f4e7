#if defined(__aarch64__)

#define CK_LEVEL neon

#include "internal/bits.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#include "internal/table.h"
#include "shared/quantized/activation_group.h"

#include <arm_neon.h>
#include <math.h>

#pragma STDC FP_CONTRACT OFF

// float32, over 16 lanes.
#include "arm/simd_neon.h"
#include "shared/float/elements.h"
#include "shared/float/functions.h"
#include "shared/float/vector.h"
#include "shared/float/expand.h"
#include "shared/float/product.h"
#include "shared/float/attention_registers.h"
#include "shared/float/attention_key_tile.h"
#include "shared/float/attention.h"
#include "shared/float/sampling.h"
#include "shared/float/fill.h"

// Activations to int8, and their products with affine weights, over 4 lanes.
#include "arm/lanes_neon.h"
#include "arm/activations_neon.h"
#include "shared/quantized/activations.h"
#include "shared/quantized/source.h"
#include "shared/quantized/scales.h"
#include "shared/quantized/tile.h"
#include "arm/signed_codes.h"
#include "arm/dot_neon.h"
#include "arm/gemv_neon.h"
#include "arm/gemm_dot.h"
#include "shared/quantized/product.h"

static void affine_product(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                           size_t end) {
    const affine_kernels kernels = {affine_gemv, NULL, 0, 0};
    affine_product_with(kernels, y, y_stride, w, x, rows, begin, end);
}

void ck_fill_neon(ck_table *table) {
    fill_float_kernels(table);
    table->quantize_groups = quantize_groups;
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#else

typedef int ck_no_neon; // an empty file is not C

#endif
