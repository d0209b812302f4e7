#include "check.h"

typedef struct row {
    const float *x;
    size_t n, k;
} row;

static void argmax(const void *arguments, void *out) {
    const row *r = arguments;
    const uint64_t index = ck_argmax(r->x, r->n);
    memcpy(out, &index, sizeof index);
}

static void top_k(const void *arguments, void *out) {
    const row *r = arguments;
    float *values = out;
    int32_t *ids = (int32_t *)(values + r->k);
    const int32_t count = (int32_t)ck_top_k(ids, values, r->k, r->x, r->n);
    memcpy(ids + r->k, &count, sizeof count);
}

void check_sampling(checks *c) {
    static const size_t lengths[] = {1, 2, 15, 16, 17, 33, 100, 1000, 4099};
    for (size_t i = 0; i < 9; i++)
        for (size_t kind = 0; kind < 5; kind++) {
            row r = {.n = lengths[i]};
            float *x = floats(c, slot_first, r.n, 20, kind == 3 ? wild : kind == 4 ? extreme : plain);
            for (size_t j = 0; j < r.n && kind > 0 && kind < 3; j++) {
                const uint32_t nan = 0x7fc00001u;
                x[j] = (float)(int)x[j]; // many equals
                if (kind == 2)
                    memcpy(x + j, &nan, sizeof nan);
            }
            r.x = x;
            check(c, (shape){0, sizeof(uint64_t)}, argmax, &r, NULL, "argmax, length %zu, values %zu", r.n, kind);
            for (r.k = 0; r.k <= r.n; r.k = 3 * r.k + 1)
                check(c, (shape){r.k, 4 * (r.k + 1)}, top_k, &r, NULL, "top_k, %zu of %zu, values %zu", r.k, r.n, kind);
        }
}
