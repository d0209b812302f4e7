#include "internal/cpu.h"
#include "internal/table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { most_levels = 4 };

typedef struct level {
    const char *name;
    ck_table table;
} level;

// Written once under `prepared`, read-only afterwards.
static level levels[most_levels];
static size_t level_count;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static const level *_Atomic current;

static ck_table *add_level(const char *name) {
    level *added = &levels[level_count];
    if (level_count > 0)
        added->table = levels[level_count - 1].table;
    added->name = name;
    level_count++;
    return &added->table;
}

static const level *find_level(const char *name) {
    for (size_t i = 0; i < level_count; i++)
        if (strcmp(levels[i].name, name) == 0)
            return &levels[i];
    return NULL;
}

static void prepare(void) {
    ck_fill_portable(add_level("portable"));
#if defined(__x86_64__)
    if (ck_cpu_has_avx2())
        ck_fill_avx2(add_level("avx2"));
    if (ck_cpu_has_avx512vnni())
        ck_fill_avx512vnni(add_level("avx512vnni"));
#elif defined(__aarch64__)
    ck_fill_neon(add_level("neon")); // every 64-bit ARM has it
    if (ck_cpu_has_dotprod())
        ck_fill_neon_dotprod(add_level("neon-dotprod"));
    if (ck_cpu_has_i8mm())
        ck_fill_neon_i8mm(add_level("neon-i8mm"));
#endif
    const char *requested = ck_cpu_requested_level();
    const level *chosen = requested ? find_level(requested) : NULL;
    atomic_store(&current, chosen ? chosen : &levels[level_count - 1]);
}

static const level *current_level(void) {
    const level *chosen = atomic_load_explicit(&current, memory_order_acquire);
    if (chosen)
        return chosen;
    pthread_once(&prepared, prepare);
    return atomic_load(&current);
}

const ck_table *ck_kernels(void) {
    return &current_level()->table;
}

size_t ck_level_count(void) {
    current_level();
    return level_count;
}

const char *ck_level_name(size_t index) {
    return index < ck_level_count() ? levels[index].name : NULL;
}

const char *ck_level_current(void) {
    return current_level()->name;
}

bool ck_level_select(const char *name) {
    current_level();
    const level *chosen = find_level(name);
    if (!chosen)
        return false;
    atomic_store(&current, chosen);
    return true;
}
