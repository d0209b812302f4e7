#include "ck/format.h"
#include "ck/product.h"
#include "internal/prefetch.h"

#include <string.h>

// Moves bytes only, so it is the same at every level.

typedef struct part {
    const uint8_t *rows;
    uint8_t *copies;
    size_t row_bytes, stride;
} part;

ck_matrix ck_copy_rows(void *scratch, ck_matrix w, const int32_t *ids, size_t count, size_t ahead) {
    part parts[CK_PART_COUNT];
    uint8_t *to = scratch;
    for (size_t i = 0; i < CK_PART_COUNT; i++) {
        parts[i] = (part){ck_part_address(w, i, 0, 0), to, ck_part_bytes(w, i, w.columns), ck_part_stride(w, i)};
        to += count * parts[i].row_bytes;
    }
    for (size_t i = 0; i < count; i++)
        for (const part *p = parts; p < parts + CK_PART_COUNT && p->row_bytes > 0; p++) {
            // The memory works on the rows to come while this one is copied.
            if (i < ahead)
                ck_prefetch(p->rows + (size_t)ids[count + i] * p->stride, p->row_bytes);
            memcpy(p->copies + i * p->row_bytes, p->rows + (size_t)ids[i] * p->stride, p->row_bytes);
        }
    w.data = parts[CK_CODES].copies;
    w.scales = parts[CK_SCALES].row_bytes ? parts[CK_SCALES].copies : NULL;
    w.biases = parts[CK_BIASES].row_bytes ? parts[CK_BIASES].copies : NULL;
    w.rows = count;
    w.stride = w.columns;
    return w;
}
