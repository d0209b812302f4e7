#include "internal/blas.h"
#include "ck/product.h"

#if defined(CK_OPENBLAS)
#include <cblas.h>
#include <pthread.h>
#define CK_BLAS 1
#elif defined(__APPLE__)
#include <Accelerate/Accelerate.h>
#define CK_BLAS 1
#endif

#if defined(CK_OPENBLAS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;
static int threads_before;

void ck_blas_enter(void)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        threads_before = openblas_get_num_threads();
        if (threads_before != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void ck_blas_leave(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0 && threads_before != 1)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

#else

void ck_blas_enter(void)
{
}

void ck_blas_leave(void)
{
}

#endif

#if defined(CK_BLAS)

// A tile of weights as float32 on the stack (256 KB, so that secondary threads with small stacks can run
// this), small enough for the second-level cache.
enum { tile_rows = 64, tile_columns = 1024 };

void ck_blas_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                     size_t begin, size_t end)
{
    if (w.columns == 0 || w.rows > INT32_MAX || rows > INT32_MAX || x_stride > INT32_MAX
        || y_stride > INT32_MAX) {
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
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)used, (int)length, 1, x + k,
                        (int)x_stride, tile, tile_columns, k == 0 ? 0 : 1, y + first, (int)y_stride);
        }
    }
    ck_blas_leave();
}

#else

void ck_blas_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                     size_t begin, size_t end)
{
    ck_float_product(y, y_stride, w, x, x_stride, rows, begin, end);
}

#endif
