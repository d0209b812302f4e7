#ifndef CK_X86_GEMV_VNNI_H
#define CK_X86_GEMV_VNNI_H

#include "ck/product.h"

/// One activation row on the AVX-512 VNNI level, in vectors of 32 bytes: y[o] of the weight rows o from
/// `begin` on, in whole panels of 8; returns the first row that is left. One row is bound by memory, and
/// panels of 8 rows read it better than those of 16 that fill the longer vectors.
size_t ck_affine_gemv_vnni(float *y, const ck_matrix *w, const ck_activations *x, size_t begin, size_t end);

#endif
