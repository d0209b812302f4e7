#ifndef LEVEL_CHECKS_H
#define LEVEL_CHECKS_H

#include <stddef.h>
#include <stdint.h>

/// What a run over all kernels found.
typedef struct level_checks_result {
    size_t comparisons; // runs of a kernel on a level above the first, each held against the first
    size_t differences; // those that gave other bits or wrote outside their output; 0 is success
    uint64_t digest;    // of everything the first level computed: equal on all processors
} level_checks_result;

/// Runs every kernel on every level this processor has, on many shapes and extreme values, and holds the bits
/// against those of the first level, "portable" (of a NaN only that it is one, except where a kernel copies
/// or converts). Reports the first differences line by line. Switches the level of the process meanwhile.
level_checks_result level_checks_run(void (*report)(const char *line));

#endif
