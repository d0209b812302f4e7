#include "GemmaKernels.h"
#include "LevelChecks.h"

#include <inttypes.h>
#include <stdio.h>

// The program for processors that only an emulator has: prints the levels, what was compared and the digest.

static void report(const char *line) {
    fprintf(stderr, "%s\n", line);
}

int main(void) {
    printf("levels");
    for (size_t i = 0; i < ck_level_count(); i++)
        printf(" %s", ck_level_name(i));
    const level_checks_result result = level_checks_run(report);
    printf("\ncomparisons %zu\ndifferences %zu\ndigest %016" PRIx64 "\n", result.comparisons, result.differences,
           result.digest);
    return result.differences > 0 ? 1 : 0;
}
