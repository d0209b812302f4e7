#ifndef CK_INTERNAL_TEAM_H
#define CK_INTERNAL_TEAM_H

#include "internal/read_ahead.h"

#include <stdatomic.h>

enum { CK_MOST_QUEUES = 64 }; // threads beyond only steal

/// The units left in a queue: the first in the low half, the end in the high half.
typedef struct ck_queue {
    _Alignas(64) _Atomic uint64_t units;
} ck_queue;

/// A loop that the whole team works on.
typedef struct ck_job {
    ck_task task;
    void *context;
    ck_units units;
    size_t largest; // units of a share
    ck_announcement announced;
} ck_job;

typedef struct ck_team {
    _Alignas(64) _Atomic uint32_t epoch; // odd while a job is open
    ck_queue queues[CK_MOST_QUEUES];
    size_t queue_count;
    _Alignas(64) _Atomic uint32_t inside;   // workers that may read the job
    _Alignas(64) _Atomic uint32_t sleepers; // workers that may sleep on the epoch
    _Atomic bool caller_sleeps;             // on `inside`
    ck_job job;
    ck_announcement announced;   // only the caller reads and writes it
    ck_prefetcher prefetcher;    // the caller's
    _Atomic uint32_t next_index; // of the threads as they enter
    size_t size;
    long spin_nanoseconds;
    void (*body)(void *context);
    void *context;
} ck_team;

/// The team that the thread is in, or null, and whether it works on a loop.
extern _Thread_local ck_team *ck_current_team;
extern _Thread_local bool ck_in_task;

// team.c
/// What each thread of the parallel region does; the first calls the body.
void ck_team_enter(ck_team *t, bool first);

// job.c
/// Opens the job, whose fields and queues are set.
void ck_job_open(ck_team *t);
/// Ends it; returns when no worker is inside any more.
void ck_job_close(ck_team *t);
/// No job will follow: workers leave the team.
void ck_job_dismiss(ck_team *t);
/// A worker's life: takes part in one job after the other.
void ck_job_work(ck_team *t);

// loop.c
/// Works on shares of the job until none is left; `index` is the thread's.
void ck_loop_take_part(ck_team *t, size_t index);

// backend.c
/// Calls ck_team_enter on so many threads, of which the caller is the first, and returns when all have left.
void ck_backend_open(ck_team *t);
/// Bytes of stack that the threads of the back end take; 0 for as much as the system gives.
size_t ck_backend_stack(void);

#endif
