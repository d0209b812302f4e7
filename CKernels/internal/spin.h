#ifndef CK_INTERNAL_SPIN_H
#define CK_INTERNAL_SPIN_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum { ck_looks_per_clock = 32 }; // looks at the awaited word between two looks at the clock

static inline void ck_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline long long ck_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/// Looks at the word for a while; returns its last value, which is `value` when nothing happened in time.
static inline uint32_t ck_spin_while(_Atomic uint32_t *word, uint32_t value, long patience) {
    uint32_t seen = atomic_load(word);
    if (seen != value || patience == 0)
        return seen;
    const long long deadline = ck_nanoseconds() + patience;
    do {
        for (int i = 0; i < ck_looks_per_clock; i++) {
            ck_relax();
            seen = atomic_load(word);
            if (seen != value)
                return seen;
        }
    } while (ck_nanoseconds() < deadline);
    return seen;
}

#endif
