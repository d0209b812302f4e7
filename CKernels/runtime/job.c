#include "internal/spin.h"
#include "internal/team.h"
#include "internal/wait.h"

// A job is published by making the epoch odd ("open") and ended by making it even; a worker counts itself in
// before it looks whether the epoch is open, and the caller ends the job before it looks whether anyone is still
// in. Both use sequentially consistent operations, so either the worker sees the end and stays out, or the caller
// sees the worker and waits for it: the job's fields never change under a reader.

static const uint32_t closed_for_good = UINT32_MAX - 1;

static void set_epoch(ck_team *t, uint32_t epoch) {
    atomic_store(&t->epoch, epoch);
    if (atomic_load(&t->sleepers) > 0)
        ck_wake_all(&t->epoch);
}

void ck_job_open(ck_team *t) {
    // Wrapping before the closing value keeps that value unique; workers compare epochs for equality only.
    const uint32_t epoch = atomic_load(&t->epoch);
    set_epoch(t, epoch >= closed_for_good - 2 ? 1 : epoch + 1);
}

void ck_job_dismiss(ck_team *t) {
    set_epoch(t, closed_for_good);
}

static void wait_for_workers(ck_team *t) {
    uint32_t inside;
    ck_prefetch_begin(&t->prefetcher, &t->job.announced);
    while (atomic_load(&t->inside) > 0 && ck_prefetch_step(&t->prefetcher)) {
    }
    while ((inside = atomic_load(&t->inside)) > 0) {
        inside = ck_spin_while(&t->inside, inside, t->spin_nanoseconds);
        if (inside == 0)
            return;
        atomic_store(&t->caller_sleeps, true);
        inside = atomic_load(&t->inside);
        if (inside > 0)
            ck_wait_while(&t->inside, inside);
        atomic_store(&t->caller_sleeps, false);
    }
}

void ck_job_close(ck_team *t) {
    atomic_store(&t->epoch, atomic_load(&t->epoch) + 1); // nobody needs to wake for an end
    wait_for_workers(t);
}

/// The epoch once it is no longer `seen`; memory that was announced is fetched meanwhile.
static uint32_t next_epoch(ck_team *t, uint32_t seen, ck_prefetcher *prefetcher) {
    while (atomic_load(&t->epoch) == seen && ck_prefetch_step(prefetcher)) {
    }
    uint32_t epoch = ck_spin_while(&t->epoch, seen, t->spin_nanoseconds);
    while (epoch == seen) {
        atomic_fetch_add(&t->sleepers, 1);
        ck_wait_while(&t->epoch, seen);
        atomic_fetch_sub(&t->sleepers, 1);
        epoch = atomic_load(&t->epoch);
    }
    return epoch;
}

void ck_job_work(ck_team *t) {
    ck_in_task = true;
    uint32_t epoch = 0;
    ck_prefetcher prefetcher = {.index = atomic_fetch_add(&t->next_index, 1) + 1, .queues = t->queue_count};
    while (epoch != closed_for_good) {
        epoch = next_epoch(t, epoch, &prefetcher);
        if (epoch % 2 == 0)
            continue;
        atomic_fetch_add(&t->inside, 1);
        epoch = atomic_load(&t->epoch);
        if (epoch % 2 == 1) {
            ck_loop_take_part(t, prefetcher.index);
            ck_prefetch_begin(&prefetcher, &t->job.announced);
        }
        if (atomic_fetch_sub(&t->inside, 1) == 1 && atomic_load(&t->caller_sleeps))
            ck_wake_all(&t->inside);
    }
    ck_in_task = false;
}
