#if defined(__x86_64__)

#include "affine_gemv_vnni.h"
#include "internal/target.h"
#include "shared/affine_group.h"

#include <immintrin.h>

#pragma STDC FP_CONTRACT OFF

CK_TARGET_AVX512_BEGIN

#include "affine_avx2.h"
#include "shared/affine_source.inc"
#include "affine_gemv_vnni.inc"

CK_TARGET_END

size_t ck_affine_gemv_vnni(float *y, const ck_matrix *w, const ck_activations *x, size_t begin, size_t end) {
    return affine_gemv(y, w, x, begin, end);
}

#endif
