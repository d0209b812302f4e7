#ifndef LEVEL_CHECKS_CHECK_H
#define LEVEL_CHECKS_CHECK_H

#include "GemmaKernels.h"
#include "LevelChecks.h"

#include <string.h>

/// A run over all kernels.
typedef struct checks {
    level_checks_result result;
    void (*report)(const char *line);
    uint64_t seed;
} checks;

/// What a kernel computes: float32 values, compared up to the bits of NaN, then bytes, compared exactly.
typedef struct shape {
    size_t floats, bytes;
} shape;

/// Calls the kernel under test; `out` has the check's shape and may lie at any address that floats allow.
typedef void (*kernel_call)(const void *arguments, void *out);

/// Runs the call on every level and compares. `initial` fills the output before each run (for kernels that
/// work in place); null fills it with a pattern, so that what must not be written is compared as well.
__attribute__((format(printf, 6, 7))) void check(checks *c, shape s, kernel_call call, const void *arguments,
                                                 const void *initial, const char *what, ...);

/// Memory that ends `gap` bytes before an inaccessible page. Each slot holds one block at a time.
enum { slot_output, slot_first, slot_count = 8 };
void *guarded(int slot, size_t bytes, size_t gap);

/// How unpleasant values are.
typedef enum mood {
    plain,   // within [-1, 1]
    extreme, // zeros of both signs, denormals, the largest and smallest numbers among them
    wild,    // infinities and NaN too
} mood;

uint32_t random_bits(checks *c);
size_t random_below(checks *c, size_t limit);
void fill_bytes(checks *c, void *out, size_t count);
void fill_floats(checks *c, float *out, size_t count, float factor, mood m);

/// Guarded floats.
float *floats(checks *c, int slot, size_t count, float factor, mood m);

/// Guarded values of F32, F16 or BF16, `gap` bytes before the inaccessible page.
void *stored(checks *c, int slot, ck_type type, size_t count, mood m, size_t gap);

/// A guarded weight matrix of any type; uses the slots `slot` ... `slot + 2`.
ck_matrix matrix(checks *c, int slot, ck_type type, size_t rows, size_t columns, size_t group, ck_type scale_type,
                 mood m, size_t gap);

const char *type_name(ck_type type);

// The kernels by family.
void check_quantisation(checks *c);
void check_quantized_products(checks *c);
void check_float_products(checks *c);
void check_vectors(checks *c);
void check_conversions(checks *c);
void check_attention(checks *c);
void check_sampling(checks *c);

#endif
