#ifndef CK_FLOAT_SAMPLING_H
#define CK_FLOAT_SAMPLING_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/vector.h"
#endif

// Choosing among logits; the contract is in ck/sampling.h.

static size_t argmax(const float *x, size_t count) {
    const float largest = largest_of(x, count);
    const v16 wanted = v16_set1(largest);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const uint32_t mask = v16_mask_at_least(v16_load(x + i), wanted);
        if (mask)
            return i + (size_t)__builtin_ctz(mask);
    }
    while (i < count && !(x[i] >= largest))
        i++;
    return i;
}

/// Whether the first is the lesser choice: a smaller value, or the same value later in the row.
CK_INLINE bool is_lesser(float value, int32_t id, float other_value, int32_t other_id) {
    return value < other_value || (value == other_value && id > other_id);
}

/// Puts an entry in place of the root of a heap whose root is its least choice.
static void replace_root(int32_t *ids, float *values, size_t count, int32_t id, float value) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_lesser(values[child + 1], ids[child + 1], values[child], ids[child]))
            child++;
        if (!is_lesser(values[child], ids[child], value, id))
            break;
        values[at] = values[child];
        ids[at] = ids[child];
    }
    values[at] = value;
    ids[at] = id;
}

static void append(int32_t *ids, float *values, size_t count, int32_t id, float value) {
    size_t at = count;
    for (; at > 0; at = (at - 1) / 2) {
        const size_t parent = (at - 1) / 2;
        if (!is_lesser(value, id, values[parent], ids[parent]))
            break;
        values[at] = values[parent];
        ids[at] = ids[parent];
    }
    values[at] = value;
    ids[at] = id;
}

static size_t top_k(int32_t *ids, float *values, size_t k, const float *x, size_t count) {
    if (k == 0)
        return 0;
    size_t kept = 0, i = 0;
    for (; i < count && kept < k; i++)
        if (x[i] == x[i]) {
            append(ids, values, kept, (int32_t)i, x[i]);
            kept++;
        }
    // Later equals of the least kept value lose to it, so only what exceeds it matters.
    while (i < count) {
        uint32_t mask = 1;
        size_t step = 1;
        if (i + 16 <= count) {
            step = 16;
            mask = v16_mask_at_least(v16_load(x + i), v16_set1(values[0]));
        }
        for (; mask; mask &= mask - 1) {
            const size_t candidate = i + (size_t)__builtin_ctz(mask);
            if (x[candidate] > values[0])
                replace_root(ids, values, k, (int32_t)candidate, x[candidate]);
        }
        i += step;
    }
    // Heap sort: the least choice goes last.
    for (size_t rest = kept; rest > 1; rest--) {
        const int32_t id = ids[0], moved = ids[rest - 1];
        const float value = values[0], moved_value = values[rest - 1];
        replace_root(ids, values, rest - 1, moved, moved_value);
        ids[rest - 1] = id;
        values[rest - 1] = value;
    }
    return kept;
}

#endif
