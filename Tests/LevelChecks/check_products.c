#include "check.h"

typedef struct product {
    ck_matrix w;
    ck_activations x;
    const float *floats;
    size_t rows, begin, end, y_stride, x_stride;
} product;

static void call_quantized(const void *arguments, void *out) {
    const product *p = arguments;
    ck_quantized_product(out, p->y_stride, p->w, p->x, p->rows, p->begin, p->end);
}

/// One product of `outputs` weight rows, less a first one where there are several: lanes need not start at 0.
static void check_quantized(checks *c, ck_type type, size_t group, ck_type scale_type, size_t rows, size_t outputs,
                            size_t groups, mood m) {
    const size_t gap = outputs % 4;
    product p = {.rows = rows, .begin = outputs > 2 ? 1 : 0, .end = outputs, .y_stride = outputs + 3};
    p.w = matrix(c, slot_first, type, outputs, groups * group, group, scale_type, m, gap);
    p.x = (ck_activations){.columns = groups * group, .stride = groups * group + gap, .group = group};
    p.x.order = type == CK_Q4 ? CK_EVEN_ODD : CK_NATURAL;
    p.x.values = guarded(slot_first + 3, rows * p.x.stride - gap, gap);
    p.x.scales = floats(c, slot_first + 4, rows * groups, 0.01f, m);
    p.x.sums = floats(c, slot_first + 5, rows * groups, 1, m);
    const bool largest = m == plain && groups == 2;
    if (largest) // the sums of the largest magnitude
        memset((void *)(uintptr_t)p.w.data, 0xff, ((outputs - 1) * p.w.stride + p.w.columns) / (type == CK_Q4 ? 2 : 1));
    for (size_t i = 0; i < rows * p.x.stride - gap; i++)
        p.x.values[i] = largest ? (i / p.x.stride % 2 ? -127 : 127) : (int8_t)((int)random_below(c, 255) - 127);
    check(c, (shape){rows * p.y_stride, 0}, call_quantized, &p, NULL,
          "quantized_product, %s, %zu groups of %zu, %s scales, %zu rows, %zu outputs, mood %d", type_name(type),
          groups, group, type_name(scale_type), rows, outputs, (int)m);
}

void check_quantized_products(checks *c) {
    static const size_t sizes[] = {32, 64, 128}, outputs[] = {1, 3, 4, 5, 8, 13, 33};
    static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 40};
    for (ck_type type = CK_Q4; type <= CK_Q8; type++)
        for (size_t s = 0; s < 3; s++) {
            const size_t group = sizes[s];
            for (ck_type scale_type = CK_F32; scale_type <= CK_BF16; scale_type++) {
                for (size_t r = 0; r < 10; r++)
                    check_quantized(c, type, group, scale_type, rows[r], 18, 3, r % 2 ? extreme : plain);
                for (size_t o = 0; o < 7; o++)
                    for (size_t r = 1; r <= 4; r += 3)
                        check_quantized(c, type, group, scale_type, r, outputs[o], o % 2 ? 9 : 1, plain);
                for (size_t r = 1; r <= 7; r += 6) {
                    check_quantized(c, type, group, scale_type, r, 10, 2, plain);
                    check_quantized(c, type, group, scale_type, r, 13, 8, wild);
                }
            }
            // More groups than one panel or tile holds.
            check_quantized(c, type, group, CK_BF16, 1, 9, 67, plain);
            check_quantized(c, type, group, CK_BF16, 3, 9, 67, plain);
            check_quantized(c, type, group, CK_BF16, 9, 35, 67, plain);
            check_quantized(c, type, group, CK_BF16, 17, 9, 67, plain);
            // Weight rows 2,048 bytes apart, which crowd a cache.
            check_quantized(c, type, group, CK_BF16, 9, 20, (type == CK_Q4 ? 4096 : 2048) / group, plain);
        }
    for (size_t i = 0; i < 300; i++)
        check_quantized(c, random_below(c, 2) ? CK_Q4 : CK_Q8, sizes[random_below(c, 3)], (ck_type)random_below(c, 3),
                        1 + random_below(c, 20), 1 + random_below(c, 40), 1 + random_below(c, 12),
                        (mood)random_below(c, 3));
}

static void call_float(const void *arguments, void *out) {
    const product *p = arguments;
    ck_float_product(out, p->y_stride, p->w, p->floats, p->x_stride, p->rows, p->begin, p->end);
}

static void check_float(checks *c, ck_type type, size_t rows, size_t columns, size_t outputs, mood m) {
    product p = {.rows = rows, .begin = outputs > 2 ? 1 : 0, .end = outputs, .y_stride = outputs + 1};
    p.w = matrix(c, slot_first, type, outputs, columns, 32, CK_BF16, m, outputs % 4);
    p.x_stride = columns + 3;
    p.floats = floats(c, slot_first + 3, rows * p.x_stride - 3, 1, m);
    check(c, (shape){rows * p.y_stride, 0}, call_float, &p, NULL,
          "float_product, %s, %zu columns, %zu rows, %zu outputs, mood %d", type_name(type), columns, rows, outputs,
          (int)m);
}

typedef struct gather {
    ck_matrix w;
    const int32_t *ids;
    size_t count, begin, end;
} gather;

static void call_gather(const void *arguments, void *out) {
    const gather *g = arguments;
    ck_gather_rows(out, g->end - g->begin + 1, g->w, g->ids, g->count, g->begin, g->end, 0.375f);
}

static void check_gather(checks *c, ck_type type, ck_type scale_type, size_t begin, size_t end, mood m) {
    static const int32_t ids[] = {4, 0, 4, 2};
    enum { count = 4, columns = 192 };
    gather g = {.ids = ids, .count = count, .begin = begin, .end = end};
    g.w = matrix(c, slot_first, type, 5, columns, 64, scale_type, m, begin % 3);
    check(c, (shape){count * (end - begin + 1), 0}, call_gather, &g, NULL,
          "gather_rows, %s, %s scales, columns %zu ... %zu, mood %d", type_name(type), type_name(scale_type), begin,
          end, (int)m);
}

void check_float_products(checks *c) {
    static const size_t rows[] = {1, 2, 3, 5, 8, 9, 40}, odd[] = {1, 15, 16, 17, 33, 100};
    for (ck_type type = CK_F32; type <= CK_Q8; type++) {
        const bool affine = type == CK_Q4 || type == CK_Q8;
        for (size_t r = 0; r < 7; r++)
            check_float(c, type, rows[r], affine ? 96 : 67, 7, r % 2 ? extreme : plain);
        for (size_t k = 0; k < 6; k++)
            for (mood m = plain; m <= wild; m++)
                check_float(c, type, 1 + k % 3, affine ? 32 * (k + 1) : odd[k], 1 + k, m);
        for (size_t i = 0; i < 30; i++)
            check_float(c, type, 1 + random_below(c, 12), (1 + random_below(c, 5)) * (affine ? 32 : 27),
                        1 + random_below(c, 14), (mood)random_below(c, 3));
        check_float(c, type, 66, 48 + (affine ? 16 : 0), 5, plain); // more rows than one batch
        check_float(c, type, 2, affine ? 1056 : 1045, 4, plain);    // more columns than one panel
        for (ck_type scale_type = CK_F32; scale_type <= (affine ? CK_BF16 : CK_F32); scale_type++)
            for (mood m = plain; m <= wild; m++) {
                check_gather(c, type, scale_type, 0, 192, m);
                check_gather(c, type, scale_type, 5, 43, m);
                check_gather(c, type, scale_type, 65, 192, m);
                check_gather(c, type, scale_type, 7, 8, m);
            }
    }
}
