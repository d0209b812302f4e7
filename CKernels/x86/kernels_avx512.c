#if defined(__x86_64__)

#include "internal/bits.h"
#include "internal/table.h"
#include "internal/target.h"

#include <immintrin.h>
#include <math.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX512_BEGIN

#include "x86/simd_avx512.h"
#include "shared/kernels.inc"

CK_TARGET_END

void ck_fill_avx512vnni(ck_table *table) {
    fill_float_kernels(table);
}

#else

typedef int ck_no_avx512; // an empty file is not C

#endif
