#ifndef CK_INTERNAL_BLAS_H
#define CK_INTERNAL_BLAS_H

/// CBLAS's matrix product of float32 with its enumerations as numbers.
typedef void ck_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                      int a_stride, const float *b, int b_stride, float beta, float *c, int c_stride);

/// The product of the BLAS library, which is loaded on the first call; NULL when the machine has none, or
/// when the process lives under a limit of memory that the library would not bear.
ck_sgemm *ck_blas_sgemm(void);

/// From the first enter to the last leave the BLAS library runs single-threaded inside each call, because we
/// split the work ourselves; then its own setting is restored. The setting is global to the process.
void ck_blas_enter(void);
void ck_blas_leave(void);

#endif
