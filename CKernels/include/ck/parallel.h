#ifndef CK_PARALLEL_H
#define CK_PARALLEL_H

#include "types.h"

/// One share of a loop: the items [begin, end).
typedef void (*ck_task)(void *context, size_t begin, size_t end);

/// Opens a team of `threads` threads (the caller is one of them), calls body(context) on the caller and closes
/// the team when it returns. The helpers wait for loops with a short spin, then sleep.
/// The body is alone when threads is 1 or when the caller is already inside a team, and has fewer threads where the
/// system has no more.
void ck_team_run(size_t threads, void (*body)(void *context), void *context);

/// Calls task for [0, count) in shares of at least `grain` items and returns when all are done.
/// A thread works through a queue of neighbouring items, in smaller shares towards the end, and then steals from the
/// others' queues: so a thread that lost its core delays the rest by one share only, and all end at nearly the same
/// time. Outside a team, and inside a task, the caller does the whole range.
void ck_for(size_t count, size_t grain, ck_task task, void *context);

/// The rows of a matrix that a later loop is going to read, stored in up to three parts, as codes, scales and biases
/// are.
typedef struct ck_rows {
    const void *parts[3]; // null where there are fewer
    size_t row_bytes[3];  // from one row to the next
    size_t rows;
} ck_rows;

/// Rows that are one item of the announced loop, and the most matrices it may go through.
enum { CK_ITEM_ROWS = 16, CK_ANNOUNCED_MATRICES = 4 };

/// Announces a later `ck_for` over the items of `count` matrices (the rest of too many is left out), one matrix behind
/// the other and each rounded up to whole items, with this `grain`; in place of what was announced before.
/// From the next loop on, threads of the team that wait for the others or for the next loop fetch the first `bytes` of
/// their own portion of it into their caches meanwhile. Does nothing outside a team and inside a task.
void ck_announce(const ck_rows *matrices, size_t count, size_t grain, size_t bytes);

/// Threads of the team the caller is in; 1 outside a team.
size_t ck_team_size(void);

#endif
