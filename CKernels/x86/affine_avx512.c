#if defined(__x86_64__)

#include "affine_gemv_vnni.h"
#include "internal/table.h"
#include "internal/target.h"
#include "shared/affine_group.h"

#include <immintrin.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX512_BEGIN

#include "affine_avx512.h"
#include "affine_quantize_avx512.inc"
#include "shared/affine_source.inc"
#include "shared/affine_tile.inc"
#include "affine_few_avx512.inc"
#include "affine_gemm_avx512.inc"
#define affine_gemv ck_affine_gemv_vnni
#include "shared/affine_product.inc"

CK_TARGET_END

void ck_fill_affine_avx512vnni(ck_table *table) {
    table->quantize_groups = affine_quantize;
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#endif
