#include "ck/parallel.h"
#include "ck/cpu.h"
#include "ck/threads.h"
#include "internal/blas.h"
#include "internal/wait.h"

#include <limits.h>
#include <time.h>

// A team lives in one parallel region: its first thread runs the body, the others loop over jobs. A job is
// published by making the epoch odd ("open") and ended by making it even; a worker counts itself in before it
// looks whether the epoch is open, and the caller ends the job before it looks whether anyone is still in.
// Both use sequentially consistent operations, so either the worker sees the end and stays out, or the caller
// sees the worker and waits for it: the job's fields never change under a reader.

// Each thread has a run of neighbouring units (a grain of items) and works through it from the front, so that
// what its kernels fetch ahead is what it needs next; a thread whose run is empty takes from the ends of the
// others. A share is a part of what is left of the run: near the end shares are small, and nobody waits long.

enum {
    shares_per_thread = 12, // at least: enough to even out a thread that lost its core
    share_of_rest = 4,      // a share is this part of what is left of a run
    largest_runs = 64,      // threads beyond take from the others only
    looks_per_clock = 32,   // looks at the awaited word between two looks at the clock
    fetched_piece = 1024,   // bytes between two looks at the awaited word
    patient_nanoseconds = 50000,
    hasty_nanoseconds = 20000, // when the team fills the machine, others may need the core
};

static const uint32_t closed_for_good = UINT32_MAX - 1;

/// A loop cut into units of at least a grain, all but some longer ones of `base` items.
typedef struct units {
    size_t count, base, longer;
} units;

/// What was announced; `serial` tells one announcement from the next.
typedef struct announcement {
    ck_rows matrices[CK_ANNOUNCED_MATRICES];
    units units;
    size_t bytes;
    uint32_t serial;
} announcement;

/// How far one thread is with its part of an announcement.
typedef struct fetcher {
    announcement announced;
    size_t matrix, row, part, done; // where it is: bytes of a part of the item that begins with the row
    size_t items, bytes;            // that are left
    size_t index, threads;          // this thread's run and the number of runs
} fetcher;

typedef struct job {
    ck_task task;
    void *context;
    units units;
    size_t largest; // units of a share
    announcement announced;
} job;

typedef struct team {
    _Alignas(64) _Atomic uint32_t epoch;
    struct {
        _Alignas(64) _Atomic uint64_t units; // those left: first in the low half, end in the high half
    } runs[largest_runs];
    size_t run_count;
    _Alignas(64) _Atomic uint32_t inside;   // workers that may read the job
    _Alignas(64) _Atomic uint32_t sleepers; // workers that may sleep on the epoch
    _Atomic bool caller_sleeps;             // on `inside`
    job job;
    announcement announced;      // only the caller reads and writes it
    fetcher fetcher;             // the caller's
    _Atomic uint32_t next_index; // of the threads as they enter
    size_t size;
    long spin_nanoseconds;
    void (*body)(void *context);
    void *context;
} team;

static _Thread_local team *current_team;
static _Thread_local bool in_task;

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static long long nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static units cut(size_t count, size_t grain) {
    size_t number = count / (grain > 0 ? grain : 1);
    number = number < 1 ? 1 : number > UINT32_MAX ? UINT32_MAX : number;
    return (units){number, count / number, count % number};
}

/// The first item of a unit.
static size_t item(units u, size_t unit) {
    return unit * u.base + (unit < u.longer ? unit : u.longer);
}

/// The first unit of a thread's run.
static size_t run_begin(units u, size_t index, size_t runs) {
    return (size_t)((unsigned __int128)index * u.count / runs);
}

static size_t items_of(const ck_rows *m) {
    return m->rows / CK_ITEM_ROWS + (m->rows % CK_ITEM_ROWS > 0);
}

static void start_fetching(fetcher *f, const announcement *announced) {
    if (f->announced.serial == announced->serial)
        return;
    f->announced = *announced;
    f->matrix = f->row = f->part = f->done = f->items = 0;
    f->bytes = announced->bytes;
    if (f->index >= f->threads)
        return;
    const units u = announced->units;
    size_t first = item(u, run_begin(u, f->index, f->threads));
    f->items = item(u, run_begin(u, f->index + 1, f->threads)) - first;
    for (; f->matrix < CK_ANNOUNCED_MATRICES; f->matrix++) {
        const size_t items = items_of(&announced->matrices[f->matrix]);
        if (first < items)
            break;
        first -= items;
    }
    f->row = first * CK_ITEM_ROWS;
}

/// Fetches the thread's next piece; false when there is none.
static bool fetch_piece(fetcher *f) {
    while (f->matrix < CK_ANNOUNCED_MATRICES && f->items > 0 && f->bytes > 0) {
        const ck_rows *m = &f->announced.matrices[f->matrix];
        if (f->row >= m->rows) {
            f->matrix++;
            f->row = 0;
            continue;
        }
        if (f->part == 3) {
            f->row += CK_ITEM_ROWS;
            f->items--;
            f->part = 0;
            continue;
        }
        const size_t rows = m->rows - f->row < CK_ITEM_ROWS ? m->rows - f->row : CK_ITEM_ROWS;
        const size_t row_bytes = m->row_bytes[f->part], end = m->parts[f->part] ? rows * row_bytes : 0;
        if (f->done >= end) {
            f->part++;
            f->done = 0;
            continue;
        }
        size_t bytes = end - f->done < fetched_piece ? end - f->done : fetched_piece;
        if (bytes > f->bytes)
            bytes = f->bytes;
        const char *from = (const char *)m->parts[f->part] + f->row * row_bytes + f->done;
        for (size_t i = 0; i < bytes; i += 64)
            __builtin_prefetch(from + i, 0, 2);
        f->done += bytes;
        f->bytes -= bytes;
        return true;
    }
    return false;
}

/// Looks at the word for a while; returns its last value, which is `value` when nothing happened in time.
static uint32_t spin_while(_Atomic uint32_t *word, uint32_t value, long patience) {
    uint32_t seen = atomic_load(word);
    if (seen != value || patience == 0)
        return seen;
    const long long deadline = nanoseconds() + patience;
    do {
        for (int i = 0; i < looks_per_clock; i++) {
            relax();
            seen = atomic_load(word);
            if (seen != value)
                return seen;
        }
    } while (nanoseconds() < deadline);
    return seen;
}

static uint64_t pack_units(size_t first, size_t end) {
    return (uint64_t)end << 32 | first;
}

typedef struct share {
    size_t first, end; // units
} share;

/// Takes a share from the front of one's own run or from the end of another's; false when the run is empty.
static bool claim(_Atomic uint64_t *run, bool own, size_t largest, share *claimed) {
    uint64_t left = atomic_load(run);
    for (;;) {
        const size_t first = left & UINT32_MAX, end = left >> 32;
        if (first == end)
            return false;
        size_t count = (end - first) / share_of_rest;
        count = count > largest ? largest : count > 0 ? count : 1;
        if (atomic_compare_exchange_weak(run, &left,
                                         own ? pack_units(first + count, end) : pack_units(first, end - count))) {
            *claimed = own ? (share){first, first + count} : (share){end - count, end};
            return true;
        }
    }
}

/// Works on shares until none is left; `index` is the thread's.
static void take_part(team *t, size_t index) {
    const job *j = &t->job;
    for (size_t i = 0; i < t->run_count; i++) {
        const size_t run = (index + i) % t->run_count;
        for (share s; claim(&t->runs[run].units, run == index, j->largest, &s);)
            j->task(j->context, item(j->units, s.first), item(j->units, s.end));
    }
}

static void work(team *t) {
    in_task = true;
    uint32_t seen = 0;
    fetcher fetcher = {.index = atomic_fetch_add(&t->next_index, 1) + 1, .threads = t->run_count};
    for (;;) {
        while (atomic_load(&t->epoch) == seen && fetch_piece(&fetcher)) {
        }
        uint32_t epoch = spin_while(&t->epoch, seen, t->spin_nanoseconds);
        while (epoch == seen) {
            atomic_fetch_add(&t->sleepers, 1);
            ck_wait_while(&t->epoch, seen);
            atomic_fetch_sub(&t->sleepers, 1);
            epoch = atomic_load(&t->epoch);
        }
        if (epoch % 2 == 1) {
            atomic_fetch_add(&t->inside, 1);
            epoch = atomic_load(&t->epoch);
            if (epoch % 2 == 1) {
                take_part(t, fetcher.index);
                start_fetching(&fetcher, &t->job.announced);
            }
            if (atomic_fetch_sub(&t->inside, 1) == 1 && atomic_load(&t->caller_sleeps))
                ck_wake_all(&t->inside);
        }
        if (epoch == closed_for_good)
            break;
        seen = epoch;
    }
    in_task = false;
}

static void set_epoch(team *t, uint32_t epoch) {
    atomic_store(&t->epoch, epoch);
    if (atomic_load(&t->sleepers) > 0)
        ck_wake_all(&t->epoch);
}

static void wait_for_workers(team *t) {
    uint32_t inside;
    start_fetching(&t->fetcher, &t->job.announced);
    while (atomic_load(&t->inside) > 0 && fetch_piece(&t->fetcher)) {
    }
    while ((inside = atomic_load(&t->inside)) > 0) {
        inside = spin_while(&t->inside, inside, t->spin_nanoseconds);
        if (inside == 0)
            return;
        atomic_store(&t->caller_sleeps, true);
        inside = atomic_load(&t->inside);
        if (inside > 0)
            ck_wait_while(&t->inside, inside);
        atomic_store(&t->caller_sleeps, false);
    }
}

void ck_for(size_t count, size_t grain, ck_task task, void *context) {
    team *t = current_team;
    if (count == 0)
        return;
    if (!t || in_task) {
        task(context, 0, count);
        return;
    }
    const units u = cut(count, grain);
    in_task = true;
    if (u.count == 1) {
        task(context, 0, count);
    } else {
        const size_t largest = u.count / t->size / shares_per_thread;
        t->job = (job){task, context, u, largest > 0 ? largest : 1, t->announced};
        for (size_t i = 0; i < t->run_count; i++)
            atomic_store(&t->runs[i].units,
                         pack_units(run_begin(u, i, t->run_count), run_begin(u, i + 1, t->run_count)));
        // Wrapping before the closing value keeps that value unique; workers compare epochs for equality
        // only.
        const uint32_t epoch = atomic_load(&t->epoch) >= closed_for_good - 2 ? 0 : atomic_load(&t->epoch);
        set_epoch(t, epoch + 1);
        take_part(t, 0);
        atomic_store(&t->epoch, epoch + 2); // nobody needs to wake for an end
        wait_for_workers(t);
    }
    in_task = false;
}

void ck_announce(const ck_rows *matrices, size_t count, size_t grain, size_t bytes) {
    team *t = current_team;
    if (!t || in_task)
        return;
    size_t items = 0;
    for (size_t i = 0; i < CK_ANNOUNCED_MATRICES; i++) {
        t->announced.matrices[i] = i < count ? matrices[i] : (ck_rows){.rows = 0};
        items += items_of(&t->announced.matrices[i]);
    }
    t->announced.units = cut(items, grain);
    t->announced.bytes = bytes;
    t->announced.serial++;
}

size_t ck_team_size(void) {
    return current_team ? current_team->size : 1;
}

/// What each thread of the region does.
static void enter(team *t, bool first) {
    current_team = t;
    if (first) {
        t->body(t->context);
        set_epoch(t, closed_for_good);
    } else {
        work(t);
    }
    current_team = NULL;
}

#if defined(CK_OPENMP)

// The entry points of an OpenMP runtime (LLVM's or GNU's) that compilers call; so no compiler flag is needed.
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
// Only LLVM's runtime has these.
__attribute__((weak)) void kmp_set_blocktime(int milliseconds);
__attribute__((weak)) size_t kmp_get_stacksize_s(void);

/// A little more than the runtime takes.
static size_t helper_stack(void) {
    return kmp_get_stacksize_s ? kmp_get_stacksize_s() + (1 << 20) : 0;
}

static void region(void *data) {
    enter(data, omp_get_thread_num() == 0);
}

static void run_region(team *t) {
    if (kmp_set_blocktime)
        kmp_set_blocktime(0); // between regions workers sleep rather than spin
    GOMP_parallel(region, t, (unsigned)t->size, 0);
}

#elif defined(__APPLE__)

#include <dispatch/dispatch.h>

static size_t helper_stack(void) {
    return 0;
}

// Iteration 0 may run on any thread, and the caller may be given no other until the body ends: the body runs
// on the calling thread and only the helpers are dispatched.
static void helper(void *data) {
    enter(data, false);
}

static void run_region(team *t) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0);
    for (size_t i = 1; i < t->size; i++)
        dispatch_group_async_f(group, queue, t, helper);
    enter(t, true);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
}

#else

static size_t helper_stack(void) {
    return 0;
}

// No runtime: the body runs alone.
static void run_region(team *t) {
    t->size = 1;
    enter(t, true);
}

#endif

/// The wanted number of threads, or the smaller one that the system has room for: an OpenMP runtime ends the
/// process when a thread is refused. Asked once per calling thread and number, because each caller has
/// helpers of its own, which stay.
static size_t affordable(size_t wanted) {
    static _Thread_local size_t proven = 1, refused, instead;
    if (wanted <= proven)
        return wanted;
    if (wanted == refused)
        return instead;
    const size_t found = 1 + ck_startable_threads(wanted - 1, helper_stack());
    if (found >= wanted) {
        proven = wanted;
        return wanted;
    }
    refused = wanted;
    instead = found > 2 * proven ? found / 2 : proven; // the runtime needs room for itself
    return instead;
}

void ck_team_run(size_t threads, void (*body)(void *context), void *context) {
    threads = threads > 1 && !current_team ? affordable(threads < INT_MAX ? threads : INT_MAX) : 1;
    if (threads == 1) {
        body(context);
        return;
    }
    // Asked once: it reads system files, and a team opens for every forward pass.
    static _Atomic size_t known_processors;
    size_t processors = atomic_load(&known_processors);
    if (processors == 0) {
        processors = ck_processor_count();
        atomic_store(&known_processors, processors);
    }
    team t = {
        .size = threads,
        .run_count = threads < largest_runs ? threads : largest_runs,
        .spin_nanoseconds = threads > processors    ? 0
                            : threads == processors ? hasty_nanoseconds
                                                    : patient_nanoseconds,
        .body = body,
        .context = context,
    };
    t.fetcher.threads = t.run_count;
    ck_blas_enter();
    run_region(&t);
    ck_blas_leave();
}
