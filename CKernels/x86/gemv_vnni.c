#if defined(__x86_64__)

#define CK_LEVEL avx512vnni

#include "ck/format.h"
#include "internal/bits.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#include "internal/target.h"
#include "x86/gemv_vnni.h"

#include <immintrin.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX512_BEGIN

#include "x86/lanes_avx2.h"
#include "shared/quantized/source.h"
#include "shared/quantized/scales.h"
#include "x86/gemv_steps_vnni.h"
#include "x86/gemv_cursors.h"
#include "x86/gemv.h"

CK_TARGET_END

size_t ck_affine_gemv_vnni(float *y, const ck_matrix *w, const ck_activations *x, size_t begin, size_t end) {
    return affine_gemv(y, w, x, begin, end);
}

#else

typedef int ck_no_gemv_vnni; // an empty file is not C

#endif
