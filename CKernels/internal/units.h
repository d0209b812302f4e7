#ifndef CK_INTERNAL_UNITS_H
#define CK_INTERNAL_UNITS_H

#include <stddef.h>
#include <stdint.h>

/// A loop cut into units of at least a grain, all but some longer ones of `base` items. Queues hold units.
typedef struct ck_units {
    size_t count, base, longer;
} ck_units;

static inline ck_units ck_cut(size_t count, size_t grain) {
    size_t number = count / (grain > 0 ? grain : 1);
    number = number < 1 ? 1 : number > UINT32_MAX ? UINT32_MAX : number;
    return (ck_units){number, count / number, count % number};
}

/// The first item of a unit.
static inline size_t ck_unit_begin(ck_units u, size_t unit) {
    return unit * u.base + (unit < u.longer ? unit : u.longer);
}

/// The first unit of a queue.
static inline size_t ck_queue_begin(ck_units u, size_t index, size_t queues) {
    return (size_t)((unsigned __int128)index * u.count / queues);
}

#endif
