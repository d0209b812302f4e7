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

static size_t code_bytes(const ck_matrix *w, size_t columns) {
    return w->type == CK_Q4 ? columns / 2 : columns;
}

static void fetch(const part *p, size_t row) {
    const uint8_t *from = p->rows + row * p->stride;
    for (size_t i = 0; i < p->row_bytes; i += 64)
        __builtin_prefetch(from + i);
}

size_t ck_affine_row_bytes(ck_matrix w) {
    return code_bytes(&w, w.columns) + 2 * scale_bytes(&w, w.columns);
}

ck_matrix ck_copy_rows(void *scratch, ck_matrix w, const int32_t *ids, size_t count, size_t ahead) {
    const size_t codes = code_bytes(&w, w.columns), code_stride = code_bytes(&w, w.stride);
    const size_t scales = scale_bytes(&w, w.columns), scale_stride = scale_bytes(&w, w.stride);
    const part parts[3] = {
        {w.data, codes, code_stride}, {w.scales, scales, scale_stride}, {w.biases, scales, scale_stride}};
    uint8_t *to[3] = {scratch, NULL, NULL};
    to[1] = to[0] + count * parts[0].row_bytes;
    to[2] = to[1] + count * parts[1].row_bytes;
    w.data = to[0];
    w.scales = to[1];
    w.biases = to[2];
    w.rows = count;
    w.stride = w.columns;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < 3; p++) {
            // The memory works on the rows to come while this one is copied.
            if (i < ahead)
                fetch(&parts[p], (size_t)ids[count + i]);
            memcpy(to[p] + i * parts[p].row_bytes, parts[p].rows + (size_t)ids[i] * parts[p].stride,
                   parts[p].row_bytes);
        }
    return w;
}
