#ifndef CK_ATTENTION_H
#define CK_ATTENTION_H

#include "types.h"

/// Keys per key tile. Key tiles are aligned to absolute positions, so a chunk boundary changes no bit.
#define CK_ATTENTION_TILE 32

/// Keys per span: a softmax of their own, folded into that of the spans before it. Aligned like key tiles.
#define CK_ATTENTION_SPAN 512

/// Queries (rows times heads that share a key/value head) that are worth giving to one call: they read each
/// key tile from memory once.
#define CK_ATTENTION_QUERIES 64

/// Grouped-query attention of neighbouring query rows over a ring or flat key/value cache.
/// Query head h reads key/value head h / (heads / kv_heads). The key of position p lies in slot p mod capacity.
typedef struct ck_attention_task {
    const float *queries;      // [rows, heads, head_dim], row stride query_stride
    float *out;                // [rows, heads, head_dim], row stride out_stride
    const void *keys;          // [kv_heads, capacity, head_dim]
    const void *values;        // [kv_heads, capacity, head_dim]
    const float *key_scales;   // [kv_heads, capacity]; I8 only: a key is its scale times its int8 values
    const float *value_scales; // [kv_heads, capacity]; I8 only
    size_t query_stride, out_stride;
    size_t heads, kv_heads;
    size_t head_dim;       // a multiple of 16, at most 512
    size_t capacity;       // positions per head; a multiple of CK_ATTENTION_TILE
    size_t first_position; // absolute position of query row 0
    size_t window;         // keys seen including the own one; 0 = all before
    ck_type type;          // of keys and values: F32, BF16 or I8
    float scale;           // multiplies each score
} ck_attention_task;

/// Computes the rows [row_begin, row_end) of the query heads [head_begin, head_end).
/// Keys and values are read once for all heads of the range that share them.
/// Canonical order per query: in each span, key tiles ascending; score = scale * dot (16 lanes, summed by halves; I8:
/// scale * (key scale * dot)); new maximum m' over the key tile; c = exp(m - m'), 1 where they are equal;
/// sum = fma(sum, c, lane sum of exp(score - m')); out = fma over keys ascending of (p, v, out * c), where p is
/// exp(score - m') (I8: times the value's scale). Spans ascending, the first as it is, each other one (m, s, o) by:
/// new maximum m'; a = exp(M - m'), b = exp(m - m'); S = fma(S, a, s * b); O = fma(O, a, o * b).
/// At the end O * (1 / S).
void ck_attention(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end);

/// Where the states of single spans are kept, for calls that share out the keys of few queries.
typedef struct ck_attention_states {
    float *data;       // [rows, spans, heads, head_dim + CK_ATTENTION_STATE_EXTRA]
    size_t first_span; // index of span 0 here, counted from position 0
    size_t spans;
} ck_attention_states;

/// Floats of a state beside its weighted sum of values.
#define CK_ATTENTION_STATE_EXTRA 16

/// The part of ck_attention that reads one span (counted from position 0): its states go to `states`. Queries that see
/// none of its keys get none.
void ck_attention_span(const ck_attention_task *task, ck_attention_states states, size_t row_begin, size_t row_end,
                       size_t head_begin, size_t head_end, size_t span);

/// Folds the states of one query, which must all be there, into its output: the bits of ck_attention.
void ck_attention_merge(const ck_attention_task *task, ck_attention_states states, size_t row, size_t head);

#endif
