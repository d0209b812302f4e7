#include "check.h"

typedef struct arguments {
    ck_attention_task task;
    size_t rows;
} arguments;

static void call(const void *given, void *out) {
    const arguments *a = given;
    ck_attention_task task = a->task;
    task.out = out;
    ck_attention(&task, 0, a->rows, 0, task.heads);
}

typedef struct heads {
    size_t queries, shared;
} heads;

static void *rows_of(checks *c, int slot, ck_type type, size_t count, mood m) {
    if (type != CK_I8)
        return stored(c, slot, type, count, m, 0);
    void *out = guarded(slot, count, 0);
    fill_bytes(c, out, count);
    return out;
}

static void check_one(checks *c, size_t head_dim, ck_type type, heads h, size_t rows, size_t first, size_t window,
                      mood m) {
    arguments a = {.rows = rows};
    a.task = (ck_attention_task){.heads = h.queries, .kv_heads = h.shared, .head_dim = head_dim};
    a.task.type = type;
    a.task.window = window;
    a.task.first_position = first;
    a.task.scale = 0.125f;
    // As small as the ring allows: the window and the rows, in whole blocks and one more.
    const size_t seen = window > 0 && window < first + rows ? window + rows : first + rows;
    a.task.capacity = (seen / CK_ATTENTION_TILE + 2) * CK_ATTENTION_TILE;
    a.task.query_stride = h.queries * head_dim + 2;
    a.task.out_stride = h.queries * head_dim + 1;
    a.task.queries = floats(c, slot_first, rows * a.task.query_stride - 2, 2, m);
    const size_t count = h.shared * a.task.capacity * head_dim;
    a.task.keys = rows_of(c, slot_first + 1, type, count, m);
    a.task.values = rows_of(c, slot_first + 2, type, count, m);
    if (type == CK_I8) {
        a.task.key_scales = floats(c, slot_first + 3, count / head_dim, 0.02f, m);
        a.task.value_scales = floats(c, slot_first + 4, count / head_dim, 0.02f, m);
    }
    check(c, (shape){rows * a.task.out_stride - 1, 0}, call, &a, NULL,
          "attention, head size %zu, %s, %zu/%zu heads, %zu rows from %zu, window %zu, mood %d", head_dim,
          type_name(type), h.queries, h.shared, rows, first, window, (int)m);
}

void check_attention(checks *c) {
    static const size_t head_sizes[] = {32, 48, 64, 80, 128, 256, 512};
    static const size_t windows[] = {0, 5, 32, 33}, firsts[] = {0, 31, 70};
    static const heads some[] = {{4, 2}, {5, 1}, {3, 3}};
    static const ck_type types[] = {CK_F32, CK_BF16, CK_I8};
    for (size_t t = 0; t < 3; t++) {
        const ck_type type = types[t];
        for (size_t d = 0; d < 7; d++)
            for (size_t i = 0; i < 3; i++)
                check_one(c, head_sizes[d], type, some[(d + i) % 3], 1 + i, firsts[(d + i) % 3],
                          windows[(d + 2 * i) % 4], plain);
        for (size_t w = 0; w < 4; w++)
            for (size_t f = 0; f < 3; f++) {
                check_one(c, 32, type, some[(w + f) % 3], 1, firsts[f], windows[w], plain);
                check_one(c, 32, type, some[w % 3], 19, firsts[f], windows[w], plain);
            }
        for (size_t i = 0; i < 60; i++)
            check_one(c, 16 * (1 + random_below(c, 8)), type, some[random_below(c, 3)], 1 + random_below(c, 12),
                      random_below(c, 100), random_below(c, 40), plain);
        check_one(c, 48, type, some[0], 3, 1100, 600, plain);
        check_one(c, 64, type, some[0], 3, 40, 0, extreme);
        check_one(c, 64, type, some[1], 3, 40, 8, wild);
    }
}
