#if defined(__x86_64__)

#define CK_LEVEL avx2

#include "internal/bits.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#include "internal/table.h"
#include "internal/target.h"
#include "shared/quantized/activation_group.h"

#include <immintrin.h>
#include <math.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX2_BEGIN

// float32, over 16 lanes.
#include "x86/simd_avx2.h"
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

// Activations to int8, and their products with affine weights, over 8 lanes.
#include "x86/lanes_avx2.h"
#include "x86/activations_avx2.h"
#include "shared/quantized/activations.h"
#include "shared/quantized/source.h"
#include "shared/quantized/scales.h"
#include "shared/quantized/tile.h"
#include "x86/gemv_steps_avx2.h"
#include "x86/gemv_cursors.h"
#include "x86/gemv.h"
#include "x86/few_steps_avx2.h"
#include "x86/few_rows.h"
#include "x86/few_rows_avx2.h"
#include "x86/gemm_avx2.h"
#include "shared/quantized/product.h"

static void affine_product(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                           size_t end) {
    const affine_kernels kernels = {affine_gemv, affine_few_panel, affine_few_q4, affine_few_q8};
    affine_product_with(kernels, y, y_stride, w, x, rows, begin, end);
}

CK_TARGET_END

void ck_fill_avx2(ck_table *table) {
    fill_float_kernels(table);
    table->quantize_groups = quantize_groups;
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#else

typedef int ck_no_avx2; // an empty file is not C

#endif
