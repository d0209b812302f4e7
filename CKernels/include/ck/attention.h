#ifndef CK_ATTENTION_H
#define CK_ATTENTION_H

#include "types.h"

/// Keys per block. Blocks are aligned to absolute positions, so a chunk boundary changes no bit.
#define CK_ATTENTION_BLOCK 32

/// Grouped-query attention of a run of query rows over a ring or flat key/value cache.
/// Query head h reads key/value head h / (heads / kv_heads). The key of position p lies in slot p mod capacity.
typedef struct ck_attention_task {
    const float *queries;     // [rows, heads, head_dim], row stride query_stride
    float *out;               // [rows, heads, head_dim], row stride out_stride
    const void *keys;         // [kv_heads, capacity, head_dim]
    const void *values;       // [kv_heads, capacity, head_dim]
    size_t query_stride, out_stride;
    size_t heads, kv_heads;
    size_t head_dim;          // a multiple of 16, at most 512
    size_t capacity;          // positions per head; a multiple of CK_ATTENTION_BLOCK
    size_t first_position;    // absolute position of query row 0
    size_t window;            // keys seen including the own one; 0 = all before
    ck_type type;             // of keys and values: F32 or BF16
    float scale;              // multiplies each score
} ck_attention_task;

/// Computes the rows [row_begin, row_end) of the query heads [head_begin, head_end).
/// Keys and values are read once for all heads of the range that share them.
/// Canonical order per query: blocks ascending; score = scale * dot (16 lanes, summed by halves);
/// new maximum m' over the block; c = exp(m - m'); sum = fma(sum, c, lane sum of exp(score - m'));
/// out = fma over keys ascending of (p, v, out * c); at the end out * (1 / sum).
void ck_attention(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end);

#endif
