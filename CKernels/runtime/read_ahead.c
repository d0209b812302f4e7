#include "internal/prefetch.h"
#include "internal/read_ahead.h"
#include "internal/team.h"

enum { step_bytes = 1024 };

static size_t items_of(const ck_rows *m) {
    return m->rows / CK_ITEM_ROWS + (m->rows % CK_ITEM_ROWS > 0);
}

void ck_announce(const ck_rows *matrices, size_t count, size_t grain, size_t bytes) {
    ck_team *t = ck_current_team;
    if (!t || ck_in_task)
        return;
    size_t items = 0;
    for (size_t i = 0; i < CK_ANNOUNCED_MATRICES; i++) {
        t->announced.matrices[i] = i < count ? matrices[i] : (ck_rows){.rows = 0};
        items += items_of(&t->announced.matrices[i]);
    }
    t->announced.units = ck_cut(items, grain);
    t->announced.bytes = bytes;
    t->announced.serial++;
}

void ck_prefetch_begin(ck_prefetcher *p, const ck_announcement *announced) {
    if (p->announced.serial == announced->serial)
        return;
    p->announced = *announced;
    p->matrix = p->row = p->part = p->done = p->items = 0;
    p->bytes = announced->bytes;
    if (p->index >= p->queues)
        return;
    const ck_units u = announced->units;
    size_t first = ck_unit_begin(u, ck_queue_begin(u, p->index, p->queues));
    p->items = ck_unit_begin(u, ck_queue_begin(u, p->index + 1, p->queues)) - first;
    for (; p->matrix < CK_ANNOUNCED_MATRICES; p->matrix++) {
        const size_t items = items_of(&announced->matrices[p->matrix]);
        if (first < items)
            break;
        first -= items;
    }
    p->row = first * CK_ITEM_ROWS;
}

bool ck_prefetch_step(ck_prefetcher *p) {
    while (p->matrix < CK_ANNOUNCED_MATRICES && p->items > 0 && p->bytes > 0) {
        const ck_rows *m = &p->announced.matrices[p->matrix];
        if (p->row >= m->rows) {
            p->matrix++;
            p->row = 0;
            continue;
        }
        if (p->part == 3) {
            p->row += CK_ITEM_ROWS;
            p->items--;
            p->part = 0;
            continue;
        }
        const size_t rows = m->rows - p->row < CK_ITEM_ROWS ? m->rows - p->row : CK_ITEM_ROWS;
        const size_t row_bytes = m->row_bytes[p->part], end = m->parts[p->part] ? rows * row_bytes : 0;
        if (p->done >= end) {
            p->part++;
            p->done = 0;
            continue;
        }
        size_t bytes = end - p->done < step_bytes ? end - p->done : step_bytes;
        if (bytes > p->bytes)
            bytes = p->bytes;
        const char *from = (const char *)m->parts[p->part] + p->row * row_bytes + p->done;
        ck_prefetch(from, bytes);
        p->done += bytes;
        p->bytes -= bytes;
        return true;
    }
    return false;
}
