#include "check.h"

typedef struct quantisation {
    const float *x;
    size_t x_stride, rows, columns, gap, group;
    ck_order order;
} quantisation;

static void call(const void *arguments, void *out) {
    const quantisation *q = arguments;
    const size_t groups = q->rows * (q->columns / q->group);
    float *scales = out;
    const ck_activations to = {.values = (int8_t *)(scales + 2 * groups),
                               .scales = scales,
                               .sums = scales + groups,
                               .columns = q->columns,
                               .stride = q->columns + q->gap,
                               .group = q->group,
                               .order = q->order};
    ck_quantize_activations(to, q->x, q->x_stride, 0, q->rows);
}

/// Halves between two codes, where the rounding must go to the even one.
static void fill_ties(checks *c, float *x, size_t count, size_t group) {
    for (size_t i = 0; i < count; i++)
        x[i] = i % group == 0 ? 127 : (float)((int)random_below(c, 253) - 126) + 0.5f;
}

void check_quantisation(checks *c) {
    enum { rows = 3, padding = 5 };
    static const size_t groups[] = {32, 64, 128}, counts[] = {1, 2, 5};
    static const float factors[] = {1, 1e-33f, 1e38f};
    for (size_t g = 0; g < 3; g++)
        for (size_t n = 0; n < 3; n++)
            for (ck_order order = CK_NATURAL; order <= CK_EVEN_ODD; order++)
                for (size_t kind = 0; kind < 6; kind++) {
                    quantisation q = {.rows = rows, .columns = groups[g] * counts[n], .group = groups[g]};
                    q.order = order;
                    q.x_stride = q.columns + padding;
                    q.gap = n * padding;
                    const size_t count = rows * q.x_stride - padding;
                    float *x = floats(c, slot_first, count, kind < 3 ? factors[kind] : 1,
                                      kind == 3   ? extreme
                                      : kind == 4 ? wild
                                                  : plain);
                    if (kind == 4) // few enough that some groups stay finite
                        for (size_t i = 0; i < count; i++)
                            if (i % 7 != 0)
                                x[i] = (float)(i % 100);
                    if (kind == 5)
                        fill_ties(c, x, count, groups[g]);
                    q.x = x;
                    const size_t coded = rows * counts[n];
                    check(c, (shape){2 * coded, rows * (q.columns + q.gap) - q.gap}, call, &q, NULL,
                          "quantize_activations, %zu groups of %zu, order %d, values %zu", counts[n], groups[g],
                          (int)order, kind);
                }
}
