#ifndef CK_FLOAT_ATTENTION_KEY_TILE_H
#define CK_FLOAT_ATTENTION_KEY_TILE_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/attention_registers.h"
#include "shared/float/functions.h"
#include "ck/attention.h"
#endif

// A key tile with its values for a tile of queries that share a key/value head.

enum {
    tile_queries = CK_ATTENTION_QUERIES,
    tile_keys = CK_ATTENTION_TILE,
    most_dimensions = 512,
    many_queries = 4 * v16_tile_columns, // from here on a copy of the values as floats pays
};

_Static_assert(tile_keys == 32, "the scores of a tile are two vectors");

/// The running softmax of up to `tile_queries` queries over one span of keys.
typedef struct query_tile {
    _Alignas(64) float out[tile_queries][most_dimensions];
    _Alignas(64) float weights[tile_queries][tile_keys];     // what each value of the current key tile counts
    _Alignas(64) float copy[tile_keys * 16 * value_vectors]; // of some dimensions of the key tile's values
    const float *queries[tile_queries];
    float *results[tile_queries];
    size_t positions[tile_queries];
    float maximum[tile_queries], sum[tile_queries];
    float decay[tile_queries];                    // of what earlier key tiles added
    size_t low[tile_queries], high[tile_queries]; // keys of the current key tile that the query sees
    size_t count;
} query_tile;

/// A key tile in the cache. The scales are those of int8 rows, else null.
typedef struct key_tile {
    const char *keys, *values;
    const float *key_scales, *value_scales;
    const char *next_keys, *next_values; // of the key tile behind this one, null at the end
    size_t low, high;                    // keys that some query of the tile sees
} key_tile;

/// exp(a - b), and exactly 1 for equal numbers.
CK_INLINE float decay_of(float a, float b) {
    float lanes[16];
    if (a == b)
        return 1;
    v16_store(lanes, exp16(v16_set1(a - b)));
    return lanes[0];
}

/// Folds the scores of one query into its running maximum and sum and leaves the weights of the key tile.
CK_INLINE void weigh_keys(query_tile *tile, size_t query, const v16 *scores, const key_tile *cached, float factor,
                          const ck_type type) {
    _Alignas(64) float masked[tile_keys];
    for (size_t i = 0; i < 2; i++) {
        const v16 dots = type == CK_I8 ? v16_mul(scores[i], v16_load(cached->key_scales + 16 * i)) : scores[i];
        v16_store(masked + 16 * i, v16_mul(dots, v16_set1(factor)));
    }
    for (size_t k = 0; k < tile->low[query]; k++)
        masked[k] = -INFINITY;
    for (size_t k = tile->high[query]; k < tile_keys; k++)
        masked[k] = -INFINITY;
    const v16 first = v16_load(masked), second = v16_load(masked + 16);
    const float earlier = tile->maximum[query];
    const float largest = v16_largest(v16_max(second, v16_max(first, v16_set1(earlier))));
    const v16 shift = v16_set1(largest);
    const v16 p = exp16(v16_sub(first, shift)), q = exp16(v16_sub(second, shift));
    const float decay = decay_of(earlier, largest);
    float *weights = tile->weights[query];
    v16_store(weights, type == CK_I8 ? v16_mul(p, v16_load(cached->value_scales)) : p);
    v16_store(weights + 16, type == CK_I8 ? v16_mul(q, v16_load(cached->value_scales + 16)) : q);
    tile->maximum[query] = largest;
    tile->decay[query] = decay;
    tile->sum[query] = fmaf(tile->sum[query], decay, v16_sum(v16_add(p, q)));
}

/// Scores and weights of all queries.
CK_INLINE void score_keys(query_tile *tile, const key_tile *cached, size_t dimensions, float factor,
                          const ck_type type) {
    for (size_t c = 0; c < tile->count;) {
        v16 scores[v16_tile_columns][2];
        const float *const *q = tile->queries + c;
        const bool whole = c + v16_tile_columns <= tile->count;
        const size_t step = whole ? v16_tile_columns : 1;
        const char *next = c == 0 ? cached->next_keys : NULL;
        if (whole)
            score_tile(scores, q, cached->keys, next, cached->low, cached->high, dimensions, type, v16_tile_columns);
        else
            score_tile(scores, q, cached->keys, next, cached->low, cached->high, dimensions, type, 1);
        for (size_t i = 0; i < step; i++)
            if (tile->low[c + i] < tile->high[c + i])
                weigh_keys(tile, c + i, scores[i], cached, factor, type);
        c += step;
    }
}

/// Adds `vectors` vectors of the values from dimension d on to all queries.
CK_INLINE void add_values(query_tile *tile, size_t d, const char *values, size_t stride, const ck_type type,
                          const size_t vectors) {
    for (size_t c = 0; c < tile->count;) {
        float *out[v16_tile_columns];
        const float *weights[v16_tile_columns];
        const size_t low = tile->low[c], high = tile->high[c];
        bool alike = c + v16_tile_columns <= tile->count;
        for (size_t i = 0; i < v16_tile_columns && c + i < tile->count; i++) {
            out[i] = tile->out[c + i] + d;
            weights[i] = tile->weights[c + i];
            alike = alike && tile->low[c + i] == low && tile->high[c + i] == high;
        }
        if (low < high && alike)
            value_tile(out, weights, tile->decay + c, values, stride, low, high, type, v16_tile_columns, vectors);
        else if (low < high)
            value_tile(out, weights, tile->decay + c, values, stride, low, high, type, 1, vectors);
        c += alike ? v16_tile_columns : 1;
    }
}

/// add_values from the cache, through a copy as floats where enough queries share it.
CK_INLINE void value_step(query_tile *tile, const key_tile *cached, size_t d, size_t dimensions, const ck_type type,
                          const size_t vectors) {
    const char *values = cached->values + d * cached_size(type);
    if (cached->next_values)
        ck_prefetch(cached->next_values + tile_keys * d * cached_size(type),
                    tile_keys * 16 * vectors * cached_size(type));
    if (type == CK_F32 || tile->count < many_queries) {
        add_values(tile, d, values, dimensions, type, vectors);
        return;
    }
    for (size_t k = cached->low; k < cached->high; k++)
        for (size_t i = 0; i < vectors; i++)
            v16_store(tile->copy + 16 * (k * vectors + i), load_cached(values, k * dimensions + 16 * i, type));
    add_values(tile, d, (const char *)tile->copy, 16 * vectors, CK_F32, vectors);
}

/// Adds one key tile to all queries of the tile.
CK_INLINE void attend_keys(query_tile *tile, const key_tile *cached, size_t dimensions, float factor,
                           const ck_type type) {
    score_keys(tile, cached, dimensions, factor, type);
    const size_t wide = 16 * value_vectors;
    size_t d = 0;
    for (; d + wide <= dimensions; d += wide)
        value_step(tile, cached, d, dimensions, type, value_vectors);
    for (; d < dimensions; d += 16)
        value_step(tile, cached, d, dimensions, type, 1);
}

#endif
