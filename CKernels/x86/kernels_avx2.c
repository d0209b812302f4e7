#if defined(__x86_64__)

#include "internal/bits.h"
#include "internal/table.h"
#include "internal/target.h"

#include <immintrin.h>
#include <math.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX2_BEGIN

#include "x86/simd_avx2.h"
#include "shared/kernels.inc"

CK_TARGET_END

void ck_fill_avx2(ck_table *table) {
    fill_float_kernels(table);
}

#else

typedef int ck_no_avx2; // an empty file is not C

#endif
