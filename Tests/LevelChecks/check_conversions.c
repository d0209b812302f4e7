#include "check.h"

// Conversions bit for bit, NaN included, and the functions of one variable over the whole range of float32.

enum { patterns = 1 << 16 };

typedef struct conversion {
    const float *x;
    ck_vector w;
    ck_type type;
    size_t n;
} conversion;

static void store(const void *arguments, void *out) {
    const conversion *v = arguments;
    ck_store(out, v->type, v->x, v->n);
}

static void load(const void *arguments, void *out) {
    const conversion *v = arguments;
    ck_multiply(out, v->x, v->w, v->n);
}

static void hyperbolic_tangent(const void *arguments, void *out) {
    const conversion *v = arguments;
    ck_tanh(out, v->x, v->n);
}

static void gelu_gate(const void *arguments, void *out) {
    const conversion *v = arguments;
    float *y = out;
    for (size_t i = 0; i < v->n; i++)
        y[i] = 1;
    ck_gelu_gate(y, v->x, y, v->n);
}

static void put(float *x, size_t index, uint32_t bits) {
    memcpy(x + index, &bits, sizeof bits);
}

/// Every upper half of a float32 with lower halves about the tie of bf16, and all ties of f16.
static void check_rounding(checks *c) {
    enum { finite = 0x7c00 };
    static const uint32_t lower[] = {0x7fff, 0x8000, 0x8001, 0};
    for (size_t k = 0; k < 4; k++) {
        float *x = guarded(slot_first, patterns * sizeof *x, 0);
        for (uint32_t i = 0; i < patterns; i++)
            put(x, i, i << 16 | (lower[k] ? lower[k] : random_bits(c) & 0xffffu));
        conversion v = {.x = x, .n = patterns};
        for (v.type = CK_F16; v.type <= CK_BF16; v.type++)
            check(c, (shape){0, patterns * 2}, store, &v, NULL, "store, %s, lower halves %zu", type_name(v.type), k);
    }
    float *ties = guarded(slot_first, 3 * finite * sizeof *ties, 0);
    for (uint32_t half = 0; half < finite; half++) {
        // Half a step above `half`: 2^-25 among the denormals, where the step is 2^-24.
        const uint32_t exponent = half >> 10, fraction = half & 1023, steps = exponent ? 1024 + fraction : fraction;
        float tie = ((float)steps + 0.5f) * 0x1p-24f;
        for (uint32_t e = 1; e < exponent; e++)
            tie *= 2;
        uint32_t bits;
        memcpy(&bits, &tie, sizeof bits);
        for (uint32_t i = 0; i < 3; i++)
            put(ties, 3 * half + i, (bits + i - 1) | (half % 2) << 31);
    }
    const conversion v = {.x = ties, .n = 3 * finite, .type = CK_F16};
    check(c, (shape){0, 3 * finite * 2}, store, &v, NULL, "store, f16, about the ties");
}

static void check_functions(checks *c) {
    float *x = guarded(slot_first, patterns * sizeof *x, 0);
    for (uint32_t i = 0; i < patterns; i++)
        put(x, i, i << 16 | (random_bits(c) & 0xffffu));
    const conversion v = {.x = x, .n = patterns};
    check(c, (shape){patterns, 0}, hyperbolic_tangent, &v, NULL, "tanh, all exponents");
    check(c, (shape){patterns, 0}, gelu_gate, &v, NULL, "gelu_gate, all exponents");
}

/// Every 16-bit pattern, times one.
static void check_loading(checks *c) {
    float *ones = guarded(slot_first, patterns * sizeof *ones, 0);
    uint16_t *halves = guarded(slot_first + 1, patterns * sizeof *halves, 0);
    for (size_t i = 0; i < patterns; i++) {
        ones[i] = 1;
        halves[i] = (uint16_t)i;
    }
    conversion v = {.x = ones, .n = patterns};
    for (ck_type type = CK_F16; type <= CK_BF16; type++) {
        v.w = (ck_vector){.data = halves, .type = type};
        check(c, (shape){patterns, 0}, load, &v, NULL, "load, all of %s", type_name(type));
    }
}

void check_conversions(checks *c) {
    for (ck_type type = CK_F32; type <= CK_BF16; type++)
        for (size_t n = 0; n <= 40; n++) {
            conversion v = {.type = type, .n = n, .x = floats(c, slot_first, n, 2, n % 2 ? wild : extreme)};
            check(c, (shape){0, n * (type == CK_F32 ? 4 : 2)}, store, &v, NULL, "store, %s, length %zu",
                  type_name(type), n);
        }
    check_rounding(c);
    check_functions(c);
    check_loading(c);
}
