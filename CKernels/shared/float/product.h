#ifndef CK_FLOAT_PRODUCT_H
#define CK_FLOAT_PRODUCT_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/expand.h"
#endif

// Dot products over 16 lanes of k, for one activation row or many. A few weight rows at a time are converted
// to a float32 tile that stays in the first-level cache; the lane accumulators live on from tile to tile,
// so that neither the tiles nor the number of activation rows change a bit.

enum {
    tile_rows = 4,       // weight rows of a tile
    tile_columns = 1024, // a multiple of 16
    batch_rows = 64,     // activation rows whose accumulators are kept
    rows_ahead = 8,      // how far the weights are asked for, in rows
};

typedef struct product_tile {
    v16 sums[batch_rows][tile_rows];
    _Alignas(64) float weights[tile_rows][tile_columns];
} product_tile;

/// Adds `length` products to the accumulators of one register tile; `rows` and `columns` are constants at
/// each call.
CK_INLINE void product_register_tile(product_tile *tile, size_t row, size_t column, const float *x, size_t x_stride,
                                     size_t length, const size_t rows, const size_t columns) {
    v16 acc[v16_tile_columns][v16_tile_rows];
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            acc[c][r] = tile->sums[column + c][row + r];
    const float *weights = tile->weights[row];
    size_t k = 0;
    for (; k + 16 <= length; k += 16) {
        v16 w[v16_tile_rows];
        for (size_t r = 0; r < rows; r++)
            w[r] = v16_load(weights + r * tile_columns + k);
        for (size_t c = 0; c < columns; c++) {
            const v16 v = v16_load(x + c * x_stride + k);
            for (size_t r = 0; r < rows; r++)
                acc[c][r] = v16_fma(v, w[r], acc[c][r]);
        }
    }
    if (k < length)
        for (size_t c = 0; c < columns; c++) {
            const v16 v = load_part(x + c * x_stride + k, length - k, 0);
            for (size_t r = 0; r < rows; r++)
                acc[c][r] = v16_fma(v, load_part(weights + r * tile_columns + k, length - k, 0), acc[c][r]);
        }
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            tile->sums[column + c][row + r] = acc[c][r];
}

/// One tile against `count` activation rows.
static void product_step(product_tile *tile, const float *x, size_t x_stride, size_t count, size_t length) {
    _Static_assert(tile_rows % v16_tile_rows == 0, "a tile holds whole register tiles");
    size_t column = 0;
    for (; column + v16_tile_columns <= count; column += v16_tile_columns)
        for (size_t row = 0; row < tile_rows; row += v16_tile_rows)
            product_register_tile(tile, row, column, x + column * x_stride, x_stride, length, v16_tile_rows,
                                  v16_tile_columns);
    for (; column < count; column++)
        for (size_t row = 0; row < tile_rows; row += v16_tile_rows)
            product_register_tile(tile, row, column, x + column * x_stride, x_stride, length, v16_tile_rows, 1);
}

static void float_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                          size_t begin, size_t end) {
    product_tile tile;
    for (size_t first = begin; first < end; first += tile_rows) {
        const size_t used = end - first < tile_rows ? end - first : tile_rows;
        for (size_t batch = 0; batch < rows; batch += batch_rows) {
            const size_t count = rows - batch < batch_rows ? rows - batch : batch_rows;
            for (size_t i = 0; i < count; i++)
                for (size_t r = 0; r < tile_rows; r++)
                    tile.sums[i][r] = v16_set1(0);
            for (size_t k = 0; k < w.columns; k += tile_columns) {
                const size_t length = w.columns - k < tile_columns ? w.columns - k : tile_columns;
                // Rows beyond the range repeat the last one and are dropped.
                for (size_t r = 0; r < tile_rows; r++)
                    expand_row(tile.weights[r], &w, first + (r < used ? r : used - 1), k, k + length, rows_ahead);
                product_step(&tile, x + batch * x_stride + k, x_stride, count, length);
            }
            for (size_t i = 0; i < count; i++)
                for (size_t r = 0; r < used; r++)
                    y[(batch + i) * y_stride + first + r] = v16_sum(tile.sums[i][r]);
        }
    }
}

#endif
