#if defined(CK_OPENBLAS)

#define _GNU_SOURCE // sched_getaffinity
#include "internal/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

// OpenBLAS is loaded when the first product asks for it, not with the program: at its start it makes a thread
// for each further processor, each of which spins for a while and takes a buffer of 128 MB, and quantised
// models never call it.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool looked_for;
static int users, threads_before;
static ck_sgemm *sgemm;
static int (*get_threads)(void);
static void (*set_threads)(int);

/// OpenBLAS tries for ever to get memory that it is refused.
static bool is_limited(int resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// It counts the processors that the loading thread may use and starts a thread for each but one.
static void *load_on_one_processor(void) {
    cpu_set_t allowed, one;
    bool restricted = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    if (restricted) {
        int processor = 0;
        while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &allowed))
            processor++;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        restricted = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (restricted)
        sched_setaffinity(0, sizeof allowed, &allowed);
    return library;
}

static void load(void) {
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
        return;
    void *library = load_on_one_processor();
    if (!library)
        return;
    get_threads = (int (*)(void))dlsym(library, "openblas_get_num_threads");
    set_threads = (void (*)(int))dlsym(library, "openblas_set_num_threads");
    if (get_threads && set_threads)
        sgemm = (ck_sgemm *)dlsym(library, "cblas_sgemm");
}

/// Under the lock. The host may have loaded the library before us, with threads.
static void keep_to_one_thread(void) {
    threads_before = get_threads();
    if (threads_before != 1)
        set_threads(1);
}

ck_sgemm *ck_blas_sgemm(void) {
    pthread_mutex_lock(&lock);
    if (!looked_for) {
        looked_for = true;
        load();
        if (sgemm && users > 0)
            keep_to_one_thread();
    }
    ck_sgemm *found = sgemm;
    pthread_mutex_unlock(&lock);
    return found;
}

void ck_blas_enter(void) {
    pthread_mutex_lock(&lock);
    if (users++ == 0 && sgemm)
        keep_to_one_thread();
    pthread_mutex_unlock(&lock);
}

void ck_blas_leave(void) {
    pthread_mutex_lock(&lock);
    if (--users == 0 && sgemm && threads_before != 1)
        set_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

#endif
