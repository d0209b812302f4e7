#ifndef CK_CPU_H
#define CK_CPU_H

#include "types.h"

/// Number of kernel levels this processor can run, from the slowest ("portable", index 0) to the fastest.
size_t ck_level_count(void);

/// Name of a level: "portable"; "avx2", "avx512vnni"; "neon", "neon-dotprod", "neon-i8mm". Null when the index is out
/// of range.
const char *ck_level_name(size_t index);

/// Name of the level in use. The first use picks the fastest, or the one that GEMMA_KERNELS names if it exists.
const char *ck_level_current(void);

/// Switches every kernel to a level by name; false (and no change) when this processor does not have it.
/// All levels give the same bits, so switching while kernels run is harmless.
bool ck_level_select(const char *name);

/// Processors this process may run on (affinity mask), at least 1.
size_t ck_processor_count(void);

#endif
