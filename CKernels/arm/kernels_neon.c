#if defined(__aarch64__)

#include "internal/bits.h"
#include "internal/table.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

#include "arm/simd_neon.h"
#include "shared/kernels.inc"

void ck_fill_neon(ck_table *table) {
    fill_float_kernels(table);
}

#endif
