#if defined(__aarch64__)

#include "internal/table.h"
#include "shared/affine_group.h"

#include <arm_neon.h>

#pragma STDC FP_CONTRACT OFF

#include "arm/affine_dot_neon.h"
#include "arm/affine_quantize_neon.inc"
#include "shared/affine_source.inc"
#include "shared/affine_tile.inc"
#include "arm/affine_gemv_arm.inc"
#include "arm/affine_gemm_dot.inc"
#include "shared/affine_product.inc"

void ck_fill_affine_neon(ck_table *table) {
    table->quantize_groups = affine_quantize;
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#endif
