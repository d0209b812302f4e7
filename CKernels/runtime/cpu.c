#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "internal/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#if defined(__x86_64__)

bool ck_cpu_has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

bool ck_cpu_has_avx512vnni(void) {
    return ck_cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

#elif defined(__aarch64__) && defined(__linux__)

// Bits of the kernel's interface for programs, named here because older C libraries do not name the second.
enum { hwcap_asimddp = 1 << 20, hwcap2_i8mm = 1 << 13 };

bool ck_cpu_has_dotprod(void) {
    return (getauxval(AT_HWCAP) & hwcap_asimddp) != 0;
}

bool ck_cpu_has_i8mm(void) {
    return ck_cpu_has_dotprod() && (getauxval(AT_HWCAP2) & hwcap2_i8mm) != 0;
}

#elif defined(__aarch64__) && defined(__APPLE__)

// Written from the system's documentation and never run.
static bool has_feature(const char *name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}

bool ck_cpu_has_dotprod(void) {
    return has_feature("hw.optional.arm.FEAT_DotProd");
}

bool ck_cpu_has_i8mm(void) {
    return ck_cpu_has_dotprod() && has_feature("hw.optional.arm.FEAT_I8MM");
}

#elif defined(__aarch64__)

bool ck_cpu_has_dotprod(void) {
    return false;
}

bool ck_cpu_has_i8mm(void) {
    return false;
}

#endif

const char *ck_cpu_requested_level(void) {
    const char *name = getenv("GEMMA_KERNELS");
    return name && name[0] ? name : NULL;
}

#if defined(__linux__)

static size_t affinity_count(void) {
    // A mask of 1,024 processors is too small for the largest machines: the kernel then says so and we ask
    // for more.
    for (int processors = CPU_SETSIZE; processors <= 1 << 18; processors *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)processors);
        if (!set)
            return 0;
        const size_t size = CPU_ALLOC_SIZE((size_t)processors);
        const int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (size_t)count;
    }
    return 0;
}

/// Reads one line of a small system file; false when it cannot be read.
static bool read_line(const char *path, char *line, int size) {
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const bool read = fgets(line, size, file) != NULL;
    fclose(file);
    return read;
}

/// Processors' worth of time the control group grants, rounded up; 0 when there is no limit or it cannot be
/// read.
static size_t quota_count(void) {
    char line[128];
    long long quota = 0, period = 0;
    if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line)) {
        // Version 2: "quota period" or "max period".
        if (sscanf(line, "%lld %lld", &quota, &period) != 2)
            return 0;
    } else if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line)) {
        // Version 1: two files, a quota of -1 for none.
        quota = atoll(line);
        if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof line))
            return 0;
        period = atoll(line);
    }
    return quota > 0 && period > 0 ? (size_t)((quota + period - 1) / period) : 0;
}

size_t ck_processor_count(void) {
    size_t count = affinity_count();
    const size_t quota = quota_count();
    if (quota > 0 && (count == 0 || quota < count))
        count = quota;
    return count > 0 ? count : 1;
}

#else

size_t ck_processor_count(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

#endif
