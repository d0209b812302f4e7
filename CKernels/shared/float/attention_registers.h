#ifndef CK_FLOAT_ATTENTION_REGISTERS_H
#define CK_FLOAT_ATTENTION_REGISTERS_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "internal/prefetch.h"
#include "portable/simd_portable.h"
#endif

// Register tiles of attention: lane products of queries with keys, and weighted sums of values.

/// Vectors of the output that stay in registers while the keys of a tile go by.
enum { value_vectors = v16_tile_rows };

CK_INLINE size_t cached_size(const ck_type type) {
    return type == CK_F32 ? 4 : type == CK_BF16 ? 2 : 1;
}

CK_INLINE v16 load_cached(const char *p, size_t index, const ck_type type) {
    return type == CK_F32    ? v16_load(p + 4 * index)
           : type == CK_BF16 ? v16_load_bf16(p + 2 * index)
                             : v16_load_i8((const int8_t *)p + index);
}

/// dots[q][at + r]: lane products of `queries` queries (a constant at each call) with the keys `keys[r]`.
CK_INLINE void dot_tile(v16 (*dots)[16], size_t at, const float *const *q, const char *const *keys, size_t dimensions,
                        const ck_type type, const size_t queries) {
    v16 acc[v16_tile_columns][v16_tile_rows];
    for (size_t c = 0; c < queries; c++)
        for (size_t r = 0; r < v16_tile_rows; r++)
            acc[c][r] = v16_set1(0);
    for (size_t d = 0; d < dimensions; d += 16) {
        v16 k[v16_tile_rows];
        for (size_t r = 0; r < v16_tile_rows; r++)
            k[r] = load_cached(keys[r], d, type);
        for (size_t c = 0; c < queries; c++) {
            const v16 v = v16_load(q[c] + d);
            for (size_t r = 0; r < v16_tile_rows; r++)
                acc[c][r] = v16_fma(v, k[r], acc[c][r]);
        }
    }
    for (size_t c = 0; c < queries; c++)
        for (size_t r = 0; r < v16_tile_rows; r++)
            dots[c][at + r] = acc[c][r];
}

/// scores[q][i], key 16 i + lane: dot products of `queries` queries with the keys [low, high) of a key tile,
/// whose rows begin at `keys`. What lies outside is not read, and its scores mean nothing. Meanwhile fetches
/// the keys of the next tile from `next`, unless that is null.
CK_INLINE void score_tile(v16 (*scores)[2], const float *const *q, const char *keys, const char *next, size_t low,
                          size_t high, size_t dimensions, const ck_type type, const size_t queries) {
    const size_t row_bytes = dimensions * cached_size(type);
    for (size_t half = 0; half < 2; half++) {
        v16 dots[v16_tile_columns][16];
        for (size_t k = 0; k < 16; k += v16_tile_rows) {
            const size_t key = half * 16 + k;
            if (next)
                ck_prefetch(next + key * row_bytes, v16_tile_rows * row_bytes);
            if (key + v16_tile_rows <= low || key >= high) {
                for (size_t c = 0; c < queries; c++)
                    for (size_t r = 0; r < v16_tile_rows; r++)
                        dots[c][k + r] = v16_set1(0);
                continue;
            }
            const char *rows[v16_tile_rows];
            for (size_t r = 0; r < v16_tile_rows; r++) {
                const size_t wanted = key + r < low ? low : key + r < high ? key + r : high - 1;
                rows[r] = keys + wanted * row_bytes;
            }
            dot_tile(dots, k, q, rows, dimensions, type, queries);
        }
        for (size_t c = 0; c < queries; c++)
            scores[c][half] = v16_sum_each(dots[c]);
    }
}

/// out = fma over the keys [low, high) ascending of (weight, value, out * decay), for `vectors` vectors of
/// `queries` queries; both counts are constants at each call. Rows of values lie `stride` elements apart.
CK_INLINE void value_tile(float *const *out, const float *const *weights, const float *decay, const char *values,
                          size_t stride, size_t low, size_t high, const ck_type type, const size_t queries,
                          const size_t vectors) {
    v16 acc[v16_tile_columns][value_vectors];
    for (size_t c = 0; c < queries; c++)
        for (size_t i = 0; i < vectors; i++)
            acc[c][i] = v16_mul(v16_load(out[c] + 16 * i), v16_set1(decay[c]));
    for (size_t k = low; k < high; k++) {
        v16 v[value_vectors];
        for (size_t i = 0; i < vectors; i++)
            v[i] = load_cached(values, k * stride + 16 * i, type);
        for (size_t c = 0; c < queries; c++) {
            const v16 weight = v16_set1(weights[c][k]);
            for (size_t i = 0; i < vectors; i++)
                acc[c][i] = v16_fma(weight, v[i], acc[c][i]);
        }
    }
    for (size_t c = 0; c < queries; c++)
        for (size_t i = 0; i < vectors; i++)
            v16_store(out[c] + 16 * i, acc[c][i]);
}

#endif
