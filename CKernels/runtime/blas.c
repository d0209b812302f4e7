#include "internal/blas.h"
#include "ck/product.h"

#if !defined(CK_OPENBLAS)

#if defined(__APPLE__)

#include <Accelerate/Accelerate.h>

static void product(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                    int a_stride, const float *b, int b_stride, float beta, float *c, int c_stride) {
    cblas_sgemm((enum CBLAS_ORDER)order, (enum CBLAS_TRANSPOSE)transpose_a, (enum CBLAS_TRANSPOSE)transpose_b, m, n, k,
                alpha, a, a_stride, b, b_stride, beta, c, c_stride);
}

ck_sgemm *ck_blas_sgemm(void) {
    return product;
}

#else

ck_sgemm *ck_blas_sgemm(void) {
    return NULL;
}

#endif

void ck_blas_enter(void) {}

void ck_blas_leave(void) {}

#endif

// A tile of weights as float32 on the stack (256 KB, so that secondary threads with small stacks can run
// this), small enough for the second-level cache.
enum { tile_rows = 64, tile_columns = 1024 };
enum { row_major = 101, as_it_is = 111, transposed = 112 }; // CBLAS's numbers

bool ck_blas_available(void) {
    return ck_blas_sgemm() != NULL;
}

void ck_blas_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows, size_t begin,
                     size_t end) {
    ck_sgemm *sgemm = ck_blas_sgemm();
    if (!sgemm || w.columns == 0 || w.rows > INT32_MAX || rows > INT32_MAX || x_stride > INT32_MAX ||
        y_stride > INT32_MAX) {
        ck_float_product(y, y_stride, w, x, x_stride, rows, begin, end);
        return;
    }
    float tile[tile_rows * tile_columns];
    int32_t ids[tile_rows];
    ck_blas_enter();
    for (size_t first = begin; rows > 0 && first < end; first += tile_rows) {
        const size_t used = end - first < tile_rows ? end - first : tile_rows;
        for (size_t r = 0; r < used; r++)
            ids[r] = (int32_t)(first + r);
        for (size_t k = 0; k < w.columns; k += tile_columns) {
            const size_t length = w.columns - k < tile_columns ? w.columns - k : tile_columns;
            ck_gather_rows(tile, tile_columns, w, ids, used, k, k + length, 1);
            sgemm(row_major, as_it_is, transposed, (int)rows, (int)used, (int)length, 1, x + k, (int)x_stride, tile,
                  tile_columns, k == 0 ? 0 : 1, y + first, (int)y_stride);
        }
    }
    ck_blas_leave();
}
