#if defined(__aarch64__)

#include "internal/table.h"
#include "internal/target.h"
#include "shared/affine_group.h"

#include <arm_neon.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_I8MM_BEGIN

#include "arm/affine_dot_i8mm.h"
#include "shared/affine_source.inc"
#include "shared/affine_tile.inc"
#include "arm/affine_gemv_arm.inc"
#include "arm/affine_gemm_i8mm.inc"
#include "shared/affine_product.inc"

CK_TARGET_END

void ck_fill_affine_neon_i8mm(ck_table *table) {
    table->quantized_products[CK_Q4] = affine_product;
    table->quantized_products[CK_Q8] = affine_product;
}

#endif
