#include "internal/team.h"
#include "ck/cpu.h"
#include "ck/threads.h"
#include "internal/blas.h"

#include <limits.h>

// A team lives in one parallel region of the back end: its first thread calls the body, the others work on the
// jobs that the body's loops become.

enum {
    patient_nanoseconds = 50000,
    hasty_nanoseconds = 20000, // when the team fills the machine, others may need the core
};

_Thread_local ck_team *ck_current_team;
_Thread_local bool ck_in_task;

size_t ck_team_size(void) {
    return ck_current_team ? ck_current_team->size : 1;
}

void ck_team_enter(ck_team *t, bool first) {
    ck_current_team = t;
    if (first) {
        t->body(t->context);
        ck_job_dismiss(t);
    } else {
        ck_job_work(t);
    }
    ck_current_team = NULL;
}

/// The wanted number of threads, or the smaller one that the system has room for: an OpenMP runtime ends the
/// process when a thread is refused. Asked once per calling thread and number, because each caller has
/// helpers of its own, which stay.
static size_t affordable(size_t wanted) {
    static _Thread_local size_t proven = 1, refused, instead;
    if (wanted <= proven)
        return wanted;
    if (wanted == refused)
        return instead;
    const size_t found = 1 + ck_startable_threads(wanted - 1, ck_backend_stack());
    if (found >= wanted) {
        proven = wanted;
        return wanted;
    }
    refused = wanted;
    instead = found > 2 * proven ? found / 2 : proven; // the runtime needs room for itself
    return instead;
}

/// Asked once: it reads system files, and a team opens for every forward pass.
static size_t processors(void) {
    static _Atomic size_t known;
    size_t count = atomic_load(&known);
    if (count == 0) {
        count = ck_processor_count();
        atomic_store(&known, count);
    }
    return count;
}

/// How long a thread of the team looks for work before it sleeps.
static long patience(size_t threads) {
    const size_t count = processors();
    return threads > count ? 0 : threads == count ? hasty_nanoseconds : patient_nanoseconds;
}

void ck_team_run(size_t threads, void (*body)(void *context), void *context) {
    threads = threads > 1 && !ck_current_team ? affordable(threads < INT_MAX ? threads : INT_MAX) : 1;
    if (threads == 1) {
        body(context);
        return;
    }
    ck_team t = {
        .size = threads,
        .queue_count = threads < CK_MOST_QUEUES ? threads : CK_MOST_QUEUES,
        .spin_nanoseconds = patience(threads),
        .body = body,
        .context = context,
    };
    t.prefetcher.queues = t.queue_count;
    ck_blas_enter();
    ck_backend_open(&t);
    ck_blas_leave();
}
