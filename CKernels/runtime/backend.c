#include "internal/team.h"

// Where the threads of a team come from: the only file that knows OpenMP and GCD.

#if defined(CK_OPENMP)

// The entry points of an OpenMP runtime (LLVM's or GNU's) that compilers call; so no compiler flag is needed.
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
// Only LLVM's runtime has these.
__attribute__((weak)) void kmp_set_blocktime(int milliseconds);
__attribute__((weak)) size_t kmp_get_stacksize_s(void);

/// A little more than the runtime takes.
size_t ck_backend_stack(void) {
    return kmp_get_stacksize_s ? kmp_get_stacksize_s() + (1 << 20) : 0;
}

static void region(void *data) {
    ck_team_enter(data, omp_get_thread_num() == 0);
}

void ck_backend_open(ck_team *t) {
    if (kmp_set_blocktime)
        kmp_set_blocktime(0); // between regions workers sleep rather than spin
    GOMP_parallel(region, t, (unsigned)t->size, 0);
}

#elif defined(__APPLE__)

#include <dispatch/dispatch.h>

size_t ck_backend_stack(void) {
    return 0;
}

// Iteration 0 may run on any thread, and the caller may be given no other until the body ends: the body is called
// on the calling thread and only the helpers are dispatched.
static void helper(void *data) {
    ck_team_enter(data, false);
}

void ck_backend_open(ck_team *t) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0);
    for (size_t i = 1; i < t->size; i++)
        dispatch_group_async_f(group, queue, t, helper);
    ck_team_enter(t, true);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
}

#else

size_t ck_backend_stack(void) {
    return 0;
}

// No runtime: the body is called alone.
void ck_backend_open(ck_team *t) {
    t->size = 1;
    ck_team_enter(t, true);
}

#endif
