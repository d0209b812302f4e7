#include "internal/team.h"

// Work stealing. Each thread has a queue of neighbouring units (a grain of items) and works through it from the
// front, so that what its kernels fetch ahead is what it needs next; a thread whose queue is empty steals from
// the ends of the others. A share is a part of what is left of the queue: near the end shares are small, and
// nobody waits long.

enum {
    shares_per_thread = 12, // at least: enough to even out a thread that lost its core
    share_of_rest = 4,      // a share is this part of what is left of a queue
};

typedef struct share {
    size_t first, end; // units
} share;

static uint64_t pack_units(size_t first, size_t end) {
    return (uint64_t)end << 32 | first;
}

/// Takes a share from the front of one's own queue or steals one from the end of another's; false when the queue
/// is empty.
static bool claim(ck_queue *queue, bool own, size_t largest, share *claimed) {
    uint64_t left = atomic_load(&queue->units);
    for (;;) {
        const size_t first = left & UINT32_MAX, end = left >> 32;
        if (first == end)
            return false;
        size_t count = (end - first) / share_of_rest;
        count = count > largest ? largest : count > 0 ? count : 1;
        if (atomic_compare_exchange_weak(&queue->units, &left,
                                         own ? pack_units(first + count, end) : pack_units(first, end - count))) {
            *claimed = own ? (share){first, first + count} : (share){end - count, end};
            return true;
        }
    }
}

void ck_loop_take_part(ck_team *t, size_t index) {
    const ck_job *j = &t->job;
    for (size_t i = 0; i < t->queue_count; i++) {
        const size_t queue = (index + i) % t->queue_count;
        for (share s; claim(&t->queues[queue], queue == index, j->largest, &s);)
            j->task(j->context, ck_unit_begin(j->units, s.first), ck_unit_begin(j->units, s.end));
    }
}

void ck_for(size_t count, size_t grain, ck_task task, void *context) {
    ck_team *t = ck_current_team;
    if (count == 0)
        return;
    if (!t || ck_in_task) {
        task(context, 0, count);
        return;
    }
    const ck_units u = ck_cut(count, grain);
    ck_in_task = true;
    if (u.count == 1) {
        task(context, 0, count);
    } else {
        const size_t largest = u.count / t->size / shares_per_thread;
        t->job = (ck_job){task, context, u, largest > 0 ? largest : 1, t->announced};
        for (size_t i = 0; i < t->queue_count; i++)
            atomic_store(&t->queues[i].units,
                         pack_units(ck_queue_begin(u, i, t->queue_count), ck_queue_begin(u, i + 1, t->queue_count)));
        ck_job_open(t);
        ck_loop_take_part(t, 0);
        ck_job_close(t);
    }
    ck_in_task = false;
}
