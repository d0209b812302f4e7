#include "check.h"

/// SplitMix64: the same values on every machine.
static uint64_t next(checks *c) {
    uint64_t z = c->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t random_bits(checks *c) {
    return (uint32_t)(next(c) >> 32);
}

size_t random_below(checks *c, size_t limit) {
    return random_bits(c) % limit;
}

void fill_bytes(checks *c, void *out, size_t count) {
    uint8_t *bytes = out;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)random_bits(c);
}

/// Every fourth value comes from here: the finite ones first.
static const uint32_t unusual[] = {
    0x00000000, 0x80000000,             // zeros
    0x00000001, 0x80000001, 0x007fffff, // denormals
    0x00800000, 0x80800000,             // the smallest normal numbers
    0x05800000, 0x857fffff,             // where a group begins to count
    0x7f7fffff, 0xff7fffff,             // the largest numbers
    0x3f800000, 0xbf800000, 0x42b17218, 0xc2aeac50, 0x41200000, 0x477fefff,
    0x477ff000, 0x33000000, 0x38800000, 0x7f800000, 0xff800000, // infinities
    0x7fc00000, 0xffc00000, 0x7f800001, 0xffa5a5a5, 0x7fffffff, // NaN, quiet and signalling
};

enum { all_unusual = sizeof unusual / sizeof unusual[0], not_finite = 7 };

void fill_floats(checks *c, float *out, size_t count, float factor, mood m) {
    for (size_t i = 0; i < count; i++) {
        const int32_t integer = (int32_t)(random_bits(c) >> 7) - (1 << 24);
        out[i] = (float)integer * 0x1p-24f * factor;
        if (m != plain && random_below(c, 4) == 0)
            memcpy(out + i, unusual + random_below(c, m == wild ? all_unusual : all_unusual - not_finite), sizeof *out);
    }
}

float *floats(checks *c, int slot, size_t count, float factor, mood m) {
    float *out = guarded(slot, count * sizeof(float), 0);
    fill_floats(c, out, count, factor, m);
    return out;
}

/// 16 bits of a number between 2^-4 and 1 (plain), of any finite one (extreme) or any bits at all.
static uint16_t half_bits(checks *c, ck_type type, mood m) {
    const unsigned fraction = type == CK_F16 ? 10 : 7, highest = type == CK_F16 ? 31 : 255;
    const uint32_t bits = random_bits(c);
    uint32_t exponent = highest / 2 - 4 + (bits >> 16) % 4;
    if (m != plain && (bits >> 20) % 4 == 0)
        exponent = (bits >> 22) % (m == wild ? highest + 1 : highest);
    return (uint16_t)((bits & 0x8000u) | exponent << fraction | (bits & ((1u << fraction) - 1)));
}

void *stored(checks *c, int slot, ck_type type, size_t count, mood m, size_t gap) {
    char *out = guarded(slot, count * (type == CK_F32 ? 4 : 2), gap);
    for (size_t i = 0; i < count; i++) {
        if (type == CK_F32) {
            float value;
            fill_floats(c, &value, 1, 1, m);
            memcpy(out + 4 * i, &value, sizeof value);
        } else {
            const uint16_t value = half_bits(c, type, m);
            memcpy(out + 2 * i, &value, sizeof value);
        }
    }
    return out;
}

ck_matrix matrix(checks *c, int slot, ck_type type, size_t rows, size_t columns, size_t group, ck_type scale_type,
                 mood m, size_t gap) {
    const bool affine = type == CK_Q4 || type == CK_Q8;
    ck_matrix w = {.rows = rows, .columns = columns, .type = type, .scale_type = scale_type};
    // Every third matrix is the first columns of a wider one; what the last row leaves out is not there.
    w.stride = columns + (random_below(c, 3) == 0 ? (affine ? group : 5) : 0);
    const size_t elements = (rows - 1) * w.stride + columns;
    if (!affine) {
        w.data = stored(c, slot, type, elements, m, gap);
        return w;
    }
    const size_t bytes = elements / (type == CK_Q4 ? 2 : 1), groups = elements / group;
    void *codes = guarded(slot, bytes, gap);
    fill_bytes(c, codes, bytes);
    w.data = codes;
    w.group = group;
    w.scales = stored(c, slot + 1, scale_type, groups, m, gap);
    w.biases = stored(c, slot + 2, scale_type, groups, m, gap);
    return w;
}

const char *type_name(ck_type type) {
    static const char *const names[] = {"f32", "f16", "bf16", "q4", "q8", "i8"};
    return names[type];
}
