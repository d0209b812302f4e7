#include "internal/wait.h"

#if defined(__linux__)

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel compares the word with the value itself, so a change between our look and the sleep is not
// missed.

void ck_wait_while(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void ck_wake_all(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else

#include <pthread.h>

// One lock for all words: sleeping is the rare case. The word is compared under the lock and wakers take the
// lock after they changed the word, so no wake-up is lost.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void ck_wait_while(_Atomic uint32_t *word, uint32_t value) {
    pthread_mutex_lock(&lock);
    if (atomic_load(word) == value)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void ck_wake_all(_Atomic uint32_t *word) {
    (void)word;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

#endif
