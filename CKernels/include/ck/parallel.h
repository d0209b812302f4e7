#ifndef CK_PARALLEL_H
#define CK_PARALLEL_H

#include "types.h"

/// One share of a loop: the items [begin, end).
typedef void (*ck_task)(void *context, size_t begin, size_t end);

/// Opens a team of `threads` threads (the caller is one of them), calls body(context) on the caller and closes
/// the team when it returns. The helpers wait for loops with a short spin, then sleep.
/// Runs the body alone when threads is 1 or when the caller is already inside a team, and with fewer threads where the
/// system has no more.
void ck_team_run(size_t threads, void (*body)(void *context), void *context);

/// Runs task over [0, count) in shares of at least `grain` items and returns when all are done.
/// A thread works through neighbouring shares and then takes some of the others', so a thread that lost its core
/// delays the rest by one share only.
/// Outside a team, and inside a task, the whole range runs on the caller.
void ck_for(size_t count, size_t grain, ck_task task, void *context);

/// Memory that a later loop is going to read, each thread its own part of it.
typedef struct ck_range {
    const void *start;
    size_t bytes;
    size_t front;   // bytes at the front of each thread's part that are worth fetching early
} ck_range;

enum { CK_ANNOUNCED_RANGES = 3 };

/// Announces what a later loop will read; at most CK_ANNOUNCED_RANGES ranges, in place of those announced before.
/// From the next loop on, threads of the team that wait for the others or for the next loop fetch it into their
/// caches meanwhile. Does nothing outside a team and inside a task.
void ck_announce(const ck_range *ranges, size_t count);

/// Threads of the team the caller is in; 1 outside a team.
size_t ck_team_size(void);

#endif
