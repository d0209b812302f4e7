#include "ck/product.h"

#include <string.h>

// Moves bytes only, so it is the same at every level.

typedef struct part {
    const uint8_t *rows;
    size_t row_bytes, stride;
} part;

static size_t scale_bytes(const ck_matrix *w, size_t columns) {
    return w->group == 0 ? 0 : columns / w->group * (w->scale_type == CK_F32 ? 4 : 2);
}

/// Bytes of codes or values.
static size_t code_bytes(const ck_matrix *w, size_t columns) {
    switch (w->type) {
    case CK_F32:
        return columns * 4;
    case CK_F16:
    case CK_BF16:
        return columns * 2;
    case CK_Q4:
        return columns / 2;
    case CK_Q8:
    case CK_I8:
        return columns;
    }
    return 0;
}

static void fetch(const part *p, size_t row) {
    const uint8_t *from = p->rows + row * p->stride;
    for (size_t i = 0; i < p->row_bytes; i += 64)
        __builtin_prefetch(from + i);
}

size_t ck_row_bytes(ck_matrix w) {
    return code_bytes(&w, w.columns) + 2 * scale_bytes(&w, w.columns);
}

ck_matrix ck_copy_rows(void *scratch, ck_matrix w, const int32_t *ids, size_t count, size_t ahead) {
    const size_t codes = code_bytes(&w, w.columns), code_stride = code_bytes(&w, w.stride);
    const size_t scales = scale_bytes(&w, w.columns), scale_stride = scale_bytes(&w, w.stride);
    const part parts[3] = {
        {w.data, codes, code_stride}, {w.scales, scales, scale_stride}, {w.biases, scales, scale_stride}};
    const size_t used = w.group == 0 ? 1 : 3;
    uint8_t *to[3] = {scratch, NULL, NULL};
    w.data = to[0];
    if (used == 3) {
        w.scales = to[1] = to[0] + count * parts[0].row_bytes;
        w.biases = to[2] = to[1] + count * parts[1].row_bytes;
    }
    w.rows = count;
    w.stride = w.columns;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < used; p++) {
            // The memory works on the rows to come while this one is copied.
            if (i < ahead)
                fetch(&parts[p], (size_t)ids[count + i]);
            memcpy(to[p] + i * parts[p].row_bytes, parts[p].rows + (size_t)ids[i] * parts[p].stride,
                   parts[p].row_bytes);
        }
    return w;
}
