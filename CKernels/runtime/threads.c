#if defined(__linux__)
#define _GNU_SOURCE // pthread_setname_np
#endif
#include "ck/threads.h"
#include "internal/wait.h"

#include <pthread.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { most_threads = 1023 };

typedef struct start {
    char name[16];
    void (*body)(void *context);
    void *context;
} start;

static void *begin(void *data) {
    const start s = *(start *)data;
    free(data);
#if defined(__APPLE__)
    pthread_setname_np(s.name);
#else
    pthread_setname_np(pthread_self(), s.name);
#endif
    s.body(s.context);
    return NULL;
}

bool ck_thread_start(const char *name, size_t stack_bytes, void (*body)(void *context), void *context) {
    start *s = malloc(sizeof *s);
    pthread_attr_t attributes;
    if (!s || pthread_attr_init(&attributes) != 0) {
        free(s);
        return false;
    }
    *s = (start){.body = body, .context = context};
    for (size_t i = 0; i + 1 < sizeof s->name && name[i]; i++)
        s->name[i] = name[i];
    pthread_t thread;
    const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                         pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                         pthread_create(&thread, &attributes, begin, s) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        free(s);
    return started;
}

static void *wait_for_end(void *data) {
    _Atomic uint32_t *ended = data;
    // A thread's first allocation may reserve an arena of its own: on trial it does as it would in use.
    void *volatile block = malloc(1);
    free(block);
    while (atomic_load(ended) == 0)
        ck_wait_while(ended, 0);
    return NULL;
}

size_t ck_startable_threads(size_t wanted, size_t stack_bytes) {
    pthread_t threads[most_threads];
    _Atomic uint32_t ended = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    size_t count = 0;
    if (stack_bytes == 0 || pthread_attr_setstacksize(&attributes, stack_bytes) == 0)
        while (count < wanted && count < most_threads &&
               pthread_create(&threads[count], &attributes, wait_for_end, &ended) == 0)
            count++;
    pthread_attr_destroy(&attributes);
    atomic_store(&ended, 1);
    ck_wake_all(&ended);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return count;
}

void ck_allocate_from_one_arena(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}
