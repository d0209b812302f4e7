#ifndef CK_SAMPLING_H
#define CK_SAMPLING_H

#include "types.h"

/// Index of the largest value, the lowest index among equals. NaN is never chosen; returns n when all are NaN.
size_t ck_argmax(const float *x, size_t n);

/// The k largest values (k <= n) in descending order, lower index first among equals; NaN never chosen.
/// ids, values: [k]. Returns how many were written. O(n + k log k): works through the row once with a threshold.
size_t ck_top_k(int32_t *ids, float *values, size_t k, const float *x, size_t n);

#endif
