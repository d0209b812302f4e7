#ifndef CK_FLOAT_EXPAND_H
#define CK_FLOAT_EXPAND_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/elements.h"
#include "shared/float/vector.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#endif

// Weight rows as float32: plain types converted, affine codes as fma(code, scale, bias).

/// Expands the columns [begin, end) of one row and asks the cache for what lies `rows_ahead` rows further on.
typedef void expand_format(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead);

CK_INLINE void expand_plain(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead,
                            const ck_type type) {
    const size_t size = ck_element_size(type), count = end - begin,
                 ahead = rows_ahead * ck_stride_of(w, type, CK_CODES);
    const char *p = ck_address_of(w, type, CK_CODES, row, begin);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        ck_prefetch(p + i * size + ahead, 1);
        v16_store(out + i, load_typed(p + i * size, type));
    }
    if (i < count)
        store_part(out + i, load_typed_part(p + i * size, type, count - i), count - i);
}

/// The weight at one place. For ends of ranges that no vector step fits.
static float expand_affine_one(const ck_matrix *w, size_t row, size_t column) {
    const uint8_t *byte = ck_part_address(*w, CK_CODES, row, column);
    const int code = w->type == CK_Q8 ? *byte : column % 2 ? *byte >> 4 : *byte & 15;
    return fmaf((float)code, ck_load_element(ck_part_address(*w, CK_SCALES, row, column), w->scale_type, 0),
                ck_load_element(ck_part_address(*w, CK_BIASES, row, column), w->scale_type, 0));
}

CK_INLINE void expand_affine(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead,
                             const bool nibbles) {
    const ck_type type = nibbles ? CK_Q4 : CK_Q8;
    const uint8_t *codes = ck_address_of(w, type, CK_CODES, row, 0);
    const void *scales = ck_address_of(w, type, CK_SCALES, row, 0);
    const void *biases = ck_address_of(w, type, CK_BIASES, row, 0);
    const size_t ahead = rows_ahead * ck_stride_of(w, type, CK_CODES);
    size_t column = begin;
    for (; column < end && column % 16 != 0; column++)
        *out++ = expand_affine_one(w, row, column);
    // A step of 16 lies inside one group, and in Q4 it starts at a whole byte.
    while (column + 16 <= end) {
        const size_t group = column / w->group, limit = (group + 1) * w->group;
        const v16 scale = v16_set1(ck_load_element(scales, w->scale_type, group));
        const v16 bias = v16_set1(ck_load_element(biases, w->scale_type, group));
        for (; column + 16 <= end && column < limit; column += 16, out += 16) {
            const uint8_t *p = nibbles ? codes + column / 2 : codes + column;
            ck_prefetch(p + ahead, 1);
            v16_store(out, v16_fma(nibbles ? v16_load_u4(p) : v16_load_u8(p), scale, bias));
        }
    }
    for (; column < end; column++)
        *out++ = expand_affine_one(w, row, column);
}

static void expand_f32(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_plain(out, w, row, begin, end, rows_ahead, CK_F32);
}

static void expand_f16(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_plain(out, w, row, begin, end, rows_ahead, CK_F16);
}

static void expand_bf16(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_plain(out, w, row, begin, end, rows_ahead, CK_BF16);
}

static void expand_q4(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_affine(out, w, row, begin, end, rows_ahead, true);
}

static void expand_q8(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_affine(out, w, row, begin, end, rows_ahead, false);
}

/// One for every weight format.
static expand_format *const expand_formats[CK_TYPE_COUNT] = {
    [CK_F32] = expand_f32, [CK_F16] = expand_f16, [CK_BF16] = expand_bf16, [CK_Q4] = expand_q4, [CK_Q8] = expand_q8,
};

static void expand_row(float *out, const ck_matrix *w, size_t row, size_t begin, size_t end, size_t rows_ahead) {
    expand_formats[w->type](out, w, row, begin, end, rows_ahead);
}

static void gather_rows(float *out, size_t out_stride, ck_matrix w, const int32_t *ids, size_t count,
                        size_t column_begin, size_t column_end, float factor) {
    if (column_begin >= column_end)
        return;
    for (size_t i = 0; i < count; i++) {
        float *row = out + i * out_stride;
        expand_row(row, &w, (size_t)ids[i], column_begin, column_end, 0);
        scale(row, row, factor, column_end - column_begin);
    }
}

#endif
