#ifndef CK_THREADS_H
#define CK_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/// Starts a thread that nobody joins, with a stack of so many bytes and a name of at most 15 characters.
/// False when the system refuses: no memory, or too many threads.
bool ck_thread_start(const char *name, size_t stack_bytes, void (*body)(void *context), void *context);

/// Threads with such stacks (0: as large as the system makes them), beside those there are, that the process
/// could have now; at most `wanted` and 1,023. Found by starting them, all at once, and ending them: limits
/// of the process, the user and the control group cannot be told otherwise.
size_t ck_startable_threads(size_t wanted, size_t stack_bytes);

/// From now on all threads allocate from one arena. For programs under a limit on address space, of which
/// each arena of glibc reserves 64 MB or twice as much for a while. Changes nothing with other C libraries.
void ck_allocate_from_one_arena(void);

#endif
