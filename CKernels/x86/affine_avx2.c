#if defined(__x86_64__)

#include "internal/table.h"
#include "internal/target.h"
#include "shared/affine_group.h"

#include <immintrin.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX2_BEGIN

#include "affine_avx2.h"
#include "affine_quantize_avx2.inc"
#include "shared/affine_source.inc"
#include "shared/affine_tile.inc"
#include "affine_gemv_avx2.inc"
#include "affine_few_avx2.inc"
#include "affine_gemm_avx2.inc"
#include "shared/affine_product.inc"

CK_TARGET_END

void ck_fill_affine_avx2(ck_table *table) {
    table->quantize_groups = affine_quantize;
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#endif
