#include "check.h"

// The elementwise kernels and the reductions.

typedef struct vectors {
    const float *x, *b;
    ck_vector w;
    size_t n, rows;
    float a;
} vectors;

static void rms_norm(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_rms_norm(out, v->n + 1, v->x, v->n, v->w, v->n, 1e-6f, 0, v->rows);
}

static void reductions(const void *arguments, void *out) {
    const vectors *v = arguments;
    float *y = out;
    y[0] = ck_mean_square(v->x, v->n);
    y[1] = v->n ? ck_log_sum_exp(v->x, v->n) : 0;
}

static void gelu_gate(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_gelu_gate(out, v->x, v->b, v->n);
}

static void gaussian_top_k(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_gaussian_top_k(out, v->n, v->a);
}

static void add_scaled(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_add_scaled(out, v->x, v->b, v->a, v->n);
}

static void scale(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_scale(out, v->x, v->a, v->n);
}

static void multiply(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_multiply(out, v->x, v->w, v->n);
}

static void altup_predict(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_altup_predict(out, v->x, v->n, v->b, v->n);
}

static void hyperbolic_tangent(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_tanh(out, v->x, v->n);
}

static void softcap(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_softcap(out, v->x, v->a, v->n);
}

static void softmax(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_softmax(out, v->x, v->n);
}

static void rope(const void *arguments, void *out) {
    const vectors *v = arguments;
    ck_rope(out, v->rows, v->n, v->x, v->b);
}

/// Every kernel of the family on one length. `factor` is the size of the plain values.
static void check_length(checks *c, size_t n, float factor, mood m) {
    static const ck_type types[] = {CK_F32, CK_F16, CK_BF16};
    const ck_type type = types[n % 3];
    vectors v = {.n = n, .rows = 3, .a = n % 2 ? 1.6449f : -0.75f};
    v.x = floats(c, slot_first, 4 * n, factor, m);
    v.b = floats(c, slot_first + 1, n < 16 ? 16 : n, 1, m);
    v.w = (ck_vector){.data = stored(c, slot_first + 2, type, n, m, n % 5), .type = type, .shift = (float)(n % 2)};
#define CHECK(name, count, initial)                                                                                    \
    check(c, (shape){count, 0}, name, &v, initial, "%s, length %zu, values up to %g, mood %d", #name, n,               \
          (double)factor, (int)m)
    CHECK(rms_norm, 3 * (n + 1), NULL);
    CHECK(multiply, n, NULL);
    v.w.data = NULL;
    CHECK(rms_norm, 3 * (n + 1), NULL);
    CHECK(multiply, n, NULL);
    CHECK(reductions, 2, NULL);
    CHECK(gelu_gate, n, NULL);
    CHECK(gaussian_top_k, n, v.x);
    CHECK(add_scaled, n, NULL);
    CHECK(scale, n, NULL);
    CHECK(altup_predict, 4 * n, NULL);
    CHECK(hyperbolic_tangent, n, NULL);
    if (n > 0)
        CHECK(softmax, n, NULL);
    v.a = 30;
    CHECK(softcap, n, NULL);
#undef CHECK
}

/// Where a comparison decides: both sides of the cut of tanh and of exp's lower end, and zeros of either
/// sign.
static void check_edges(checks *c) {
    static const float cuts[] = {0.625f, 0x1.3ffffep-1f, 0x1.400002p-1f, -0.625f};
    static const float ends[] = {0, -0x1.5d589ep6f, -0x1.5d589cp6f, -0x1.5d58a0p6f};
    enum { count = 4 };
    vectors v = {.n = count, .x = cuts};
    check(c, (shape){count, 0}, hyperbolic_tangent, &v, NULL, "tanh at its cut");
    v.x = ends;
    check(c, (shape){count, 0}, softmax, &v, NULL, "softmax at the lower end of exp");
    const float zeros[count] = {-0.0f, -0.0f, -0.0f, -0.0f};
    check(c, (shape){count, 0}, gaussian_top_k, &v, zeros, "gaussian_top_k of negative zeros");
}

static void check_rope(checks *c, size_t head_dim, mood m) {
    enum { heads = 3 };
    vectors v = {.n = head_dim, .rows = heads};
    v.x = floats(c, slot_first, head_dim / 2, 1, m);
    v.b = floats(c, slot_first + 1, head_dim / 2, 1, m);
    const float *initial = floats(c, slot_first + 2, heads * head_dim, 5, m);
    check(c, (shape){heads * head_dim, 0}, rope, &v, initial, "rope, head size %zu, mood %d", head_dim, (int)m);
}

void check_vectors(checks *c) {
    static const size_t lengths[] = {37, 61, 64, 101, 257, 640};
    static const size_t head_sizes[] = {2, 32, 48, 64, 96, 128, 256, 320, 512};
    for (size_t n = 0; n <= 33; n++)
        check_length(c, n, 3, n % 3 == 1 ? extreme : n % 3 == 2 ? wild : plain);
    for (size_t i = 0; i < 6; i++)
        for (mood m = plain; m <= wild; m++)
            check_length(c, lengths[i], i % 2 ? 90 : 0.5f, m);
    check_edges(c);
    for (size_t i = 0; i < 9; i++)
        for (mood m = plain; m <= wild; m++)
            check_rope(c, head_sizes[i], m);
}
