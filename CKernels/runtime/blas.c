#include "internal/blas.h"
#include "ck/product.h"

// All calls of the BLAS library.

#if defined(CK_OPENBLAS)

#include "openblas.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_before; // under the lock

void ck_blas_enter(void) {
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        threads_before = openblas_get_num_threads();
        if (threads_before != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void ck_blas_leave(void) {
    pthread_mutex_lock(&lock);
    if (--users == 0 && threads_before != 1)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

static bool is_limited(int resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// The first product takes a buffer of 128 MB for each thread that computes, and OpenBLAS tries for ever to get
/// memory that it is refused.
bool ck_blas_available(void) {
    enum { unknown, usable, limited };
    static _Atomic int answer = unknown;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == unknown) {
        known = is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA) ? limited : usable;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == usable;
}

#elif defined(__APPLE__)

#include <Accelerate/Accelerate.h>

void ck_blas_enter(void) {}

void ck_blas_leave(void) {}

bool ck_blas_available(void) {
    return true;
}

#else

void ck_blas_enter(void) {}

void ck_blas_leave(void) {}

bool ck_blas_available(void) {
    return false;
}

#endif

#if defined(CK_OPENBLAS) || defined(__APPLE__)

// A tile of weights as float32 on the stack (256 KB, so that secondary threads with small stacks can run
// this), small enough for the second-level cache.
enum { tile_rows = 64, tile_columns = 1024 };

/// Output rows [begin, end), a tile of weights after the other.
static void tiled_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                          size_t begin, size_t end) {
    float tile[tile_rows * tile_columns];
    int32_t ids[tile_rows];
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
}

#else

static void tiled_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                          size_t begin, size_t end) {
    ck_float_product(y, y_stride, w, x, x_stride, rows, begin, end);
}

#endif

void ck_blas_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows, size_t begin,
                     size_t end) {
    if (!ck_blas_available() || w.columns == 0 || w.rows > INT32_MAX || rows > INT32_MAX || x_stride > INT32_MAX ||
        y_stride > INT32_MAX) {
        ck_float_product(y, y_stride, w, x, x_stride, rows, begin, end);
        return;
    }
    ck_blas_enter();
    tiled_product(y, y_stride, w, x, x_stride, rows, begin, end);
    ck_blas_leave();
}
