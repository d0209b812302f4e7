#ifndef CK_INTERNAL_READ_AHEAD_H
#define CK_INTERNAL_READ_AHEAD_H

#include "ck/parallel.h"
#include "internal/units.h"

/// What was announced; `serial` tells one announcement from the next.
typedef struct ck_announcement {
    ck_rows matrices[CK_ANNOUNCED_MATRICES];
    ck_units units;
    size_t bytes;
    uint32_t serial;
} ck_announcement;

/// How far one thread is with its portion of an announcement.
typedef struct ck_prefetcher {
    ck_announcement announced;
    size_t matrix, row, part, done; // where it is: bytes of a part of the item that begins with the row
    size_t items, bytes;            // that are left
    size_t index, queues;           // this thread's queue and how many there are
} ck_prefetcher;

/// Makes this the announcement to work on, unless it is already.
void ck_prefetch_begin(ck_prefetcher *p, const ck_announcement *announced);

/// Fetches the next bytes of the thread's portion, few enough to look at other things in between; false when
/// there are none.
bool ck_prefetch_step(ck_prefetcher *p);

#endif
