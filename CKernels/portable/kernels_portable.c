#include "internal/simd_portable.h"
#include "internal/table.h"

#pragma STDC FP_CONTRACT OFF

#include "shared/kernels.inc"

void ck_fill_portable(ck_table *table) {
    fill_float_kernels(table);
}
