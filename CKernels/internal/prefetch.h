#ifndef CK_INTERNAL_PREFETCH_H
#define CK_INTERNAL_PREFETCH_H

#include "internal/inline.h"

#include <stddef.h>

/// Asks the caches for `bytes` bytes that will be read soon; any address may be asked for. In small portions between
/// arithmetic: a burst of them would hold up what is read now, and so add up the times of both.
CK_INLINE void ck_prefetch(const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)from + i, 0, 2);
}

#endif
