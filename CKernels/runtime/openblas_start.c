#if defined(CK_OPENBLAS)

#define _GNU_SOURCE // environ
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// OpenBLAS starts a thread for each further processor when it is loaded, before main: each spins for a while and
// takes a buffer of 128 MB. None of them would ever compute, because we split the work ourselves. The variable that
// keeps them away must be there before the constructors of libraries run, and before the C library has made the
// environment its own: so it takes the place of another variable until they are done. A program that is started
// without any variable has no place for it, and these threads then sleep after a few milliseconds.

static char setting[] = "OPENBLAS_NUM_THREADS=1";
// Volatile, because compilers take a constructor for the first code that runs and would evaluate ours beforehand.
static char *volatile original;

static int is_variable(const char *entry, const char *name) {
    const size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/// Of the variables that a shell makes for itself, or else of all, the last one.
static char **borrowed_place(char **environment) {
    static const char *const unread[] = {"_", "SHLVL", "OLDPWD", "PWD"};
    char **last = NULL;
    for (char **entry = environment; *entry; entry++) {
        for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
            if (is_variable(*entry, unread[i]))
                return entry;
        last = entry;
    }
    return last;
}

static void begin_with_one_thread(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    for (char **entry = environment; *entry; entry++)
        if (is_variable(*entry, "OPENBLAS_NUM_THREADS"))
            return;
    char **place = borrowed_place(environment);
    if (place) {
        original = *place;
        *place = setting;
    }
}

// Runs before the constructors of all libraries; in a shared library it never runs.
__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = begin_with_one_thread;

// Runs after those of the libraries, before those of the program itself.
__attribute__((constructor(101))) static void restore_environment(void) {
    char *const variable = original;
    if (!variable)
        return;
    for (char **entry = environ; entry && *entry; entry++)
        if (*entry == setting)
            *entry = variable;
}

#endif
