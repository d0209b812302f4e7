#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most_bytes = 1 << 20, margin = 64, most_reports = 20, pattern = 0xa5 };

void *guarded(int slot, size_t bytes, size_t gap) {
    static char *ends[slot_count];
    if (!ends[slot]) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        char *map = mmap(NULL, most_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + most_bytes, page, PROT_NONE) != 0) {
            perror("no memory for the checks");
            exit(2);
        }
        ends[slot] = map + most_bytes;
    }
    if (bytes + gap + margin > most_bytes) {
        fprintf(stderr, "a check needs %zu bytes, more than a slot holds\n", bytes + gap + margin);
        exit(2);
    }
    return ends[slot] - gap - bytes;
}

static void report_difference(checks *c, const char *format, va_list arguments, const char *level,
                              const char *finding) {
    c->result.differences++;
    if (c->result.differences > most_reports)
        return;
    char what[160], line[320];
    vsnprintf(what, sizeof what, format, arguments);
    snprintf(line, sizeof line, "%s: %s: %s", level, what, finding);
    c->report(line);
}

static uint32_t bits_at(const char *p, size_t index) {
    uint32_t bits;
    memcpy(&bits, p + 4 * index, sizeof bits);
    return bits;
}

static bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/// Adds what the first level computed to the digest (FNV-1a); every NaN counts as the same.
static void digest(checks *c, shape s, const char *out) {
    for (size_t i = 0; i < s.floats; i++) {
        const uint32_t bits = bits_at(out, i);
        c->result.digest = (c->result.digest ^ (is_nan(bits) ? 0x7fc00000u : bits)) * 0x100000001b3u;
    }
    for (size_t i = 4 * s.floats; i < 4 * s.floats + s.bytes; i++)
        c->result.digest = (c->result.digest ^ (unsigned char)out[i]) * 0x100000001b3u;
}

/// Says where two outputs differ; false when they do not.
static bool differ(shape s, const char *expected, const char *found, char *finding, size_t size) {
    for (size_t i = 0; i < s.floats; i++) {
        const uint32_t a = bits_at(expected, i), b = bits_at(found, i);
        if (a != b && !(is_nan(a) && is_nan(b))) {
            snprintf(finding, size, "float %zu of %zu is %08x, not %08x", i, s.floats, b, a);
            return true;
        }
    }
    for (size_t i = 0; i < s.bytes; i++)
        if (expected[4 * s.floats + i] != found[4 * s.floats + i]) {
            snprintf(finding, size, "byte %zu of %zu differs", i, s.bytes);
            return true;
        }
    return false;
}

void check(checks *c, shape s, kernel_call call, const void *arguments, const void *initial, const char *what, ...) {
    static char expected[most_bytes];
    const size_t bytes = 4 * s.floats + s.bytes, gap = bytes % 4 ? 4 - bytes % 4 : 0;
    char *out = guarded(slot_output, bytes, gap);
    for (size_t level = 0; level < ck_level_count(); level++) {
        const char *name = ck_level_name(level);
        ck_level_select(name);
        memset(out - margin, pattern, margin + bytes + gap);
        if (initial)
            memcpy(out, initial, bytes);
        call(arguments, out);
        char finding[96] = "";
        bool wrong = false;
        for (size_t i = 0; i < margin; i++)
            wrong = wrong || (unsigned char)*(out - margin + i) != pattern;
        for (size_t i = 0; i < gap; i++)
            wrong = wrong || (unsigned char)out[bytes + i] != pattern;
        if (wrong)
            snprintf(finding, sizeof finding, "wrote outside its output");
        if (level == 0) {
            memcpy(expected, out, bytes);
            digest(c, s, out);
        } else {
            c->result.comparisons++;
            wrong = wrong || differ(s, expected, out, finding, sizeof finding);
        }
        if (wrong) {
            va_list list;
            va_start(list, what);
            report_difference(c, what, list, name, finding);
            va_end(list);
        }
    }
}

level_checks_result level_checks_run(void (*report)(const char *line)) {
    checks c = {.report = report, .seed = 1, .result = {.digest = 0xcbf29ce484222325u}};
    const char *before = ck_level_current();
    check_quantisation(&c);
    check_quantized_products(&c);
    check_float_products(&c);
    check_vectors(&c);
    check_conversions(&c);
    check_attention(&c);
    check_sampling(&c);
    ck_level_select(before);
    return c.result;
}
