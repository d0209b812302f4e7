#ifndef CK_QUANTIZED_PRODUCT_H
#define CK_QUANTIZED_PRODUCT_H

#ifndef CK_LEVEL // for tools that read this file alone
#if defined(__x86_64__)
#include "x86/gemm_avx2.h"
#elif defined(__aarch64__)
#include "arm/gemm_dot.h"
#endif
#endif

// The product of a vector level: which kernel does which rows. Tiles meet the level's affine_micro_kernel, which takes
// up to affine_call_rows activation rows.

/// All activation rows against one tile, in calls of nearly equal size. `fresh`: the sums start from zero.
static void affine_tile_product(float *y, size_t y_stride, const affine_tile *tile, bool nibbles,
                                const ck_activations *x, size_t rows, size_t first, size_t used, bool fresh) {
    for (size_t i = 0; i < rows;) {
        const size_t left = rows - i, calls = (left + affine_call_rows - 1) / affine_call_rows;
        const size_t count = (left + calls - 1) / calls;
        const affine_rows r = affine_rows_of(x, i, first);
        float *out = y + i * y_stride;
        if (used == affine_tile_rows) {
            affine_micro_kernel(out, y_stride, tile, nibbles, &r, count, fresh, i == 0);
        } else {
            // The kernel writes whole vectors: give it a place where it may.
            float part[affine_call_rows * affine_tile_rows] = {0};
            for (size_t j = 0; j < count && !fresh; j++)
                memcpy(part + j * affine_tile_rows, out + j * y_stride, used * sizeof(float));
            affine_micro_kernel(part, affine_tile_rows, tile, nibbles, &r, count, fresh, i == 0);
            for (size_t j = 0; j < count; j++)
                memcpy(out + j * y_stride, part + j * affine_tile_rows, used * sizeof(float));
        }
        i += count;
    }
}

/// Any number of rows: tile by tile along the weight rows; y carries the running sums from tile to tile.
static void affine_tiles(float *y, size_t y_stride, const affine_source *w, bool nibbles, const ck_activations *x,
                         size_t rows, size_t begin, size_t end) {
    _Alignas(64) affine_tile tile;
    const size_t depth = affine_tile_depth(w->group_bytes, rows);
    for (size_t o = begin; o < end; o += affine_tile_rows) {
        const size_t n = end - o < affine_tile_rows ? end - o : affine_tile_rows;
        for (size_t g = 0; g < w->groups; g += depth) {
            const size_t count = w->groups - g < depth ? w->groups - g : depth;
            affine_tile_fill(&tile, w, o, n, g, count);
            affine_tile_product(y + o, y_stride, &tile, nibbles, x, rows, g, n, g == 0);
        }
    }
}

/// The kernels that a level has for one activation row and for a few.
typedef struct affine_kernels {
    /// y[o] of the weight rows o from `begin` on, in whole panels; returns the first row that is left.
    size_t (*gemv)(float *y, const ck_matrix *w, const ck_activations *x, size_t begin, size_t end);
    /// y[j][0 ... lane_count - 1] of `count` activation rows and the panel of weight rows from `row` on; null: none.
    void (*few_rows)(float *y, size_t y_stride, const affine_source *w, bool nibbles, const affine_rows *x,
                     size_t count, size_t row);
    size_t few_q4, few_q8; // up to how many rows those are faster than tiles
} affine_kernels;

/// The whole product; `kernels` is a constant at each call.
CK_INLINE void affine_product_with(const affine_kernels kernels, float *y, size_t y_stride, ck_matrix w,
                                   ck_activations x, size_t rows, size_t begin, size_t end) {
    const affine_source source = affine_source_of(&w);
    const bool nibbles = w.type == CK_Q4;
    size_t o = begin;
    if (rows == 1)
        o = kernels.gemv(y, &w, &x, begin, end);
    if (kernels.few_rows && rows > 1 && rows <= (nibbles ? kernels.few_q4 : kernels.few_q8)) {
        const affine_rows r = affine_rows_of(&x, 0, 0);
        affine_fetch_first(&source, begin, end);
        for (; end - o >= lane_count; o += lane_count)
            kernels.few_rows(y + o, y_stride, &source, nibbles, &r, rows, o);
    }
    if (o < end && rows > 0)
        affine_tiles(y, y_stride, &source, nibbles, &x, rows, o, end);
}

#endif
