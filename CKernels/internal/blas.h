#ifndef CK_INTERNAL_BLAS_H
#define CK_INTERNAL_BLAS_H

/// From the first enter to the last leave the BLAS library runs single-threaded inside each call, because we
/// split the work ourselves; then its own setting is restored. The setting is global to the process.
void ck_blas_enter(void);
void ck_blas_leave(void);

#endif
