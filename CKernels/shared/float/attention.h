#ifndef CK_FLOAT_ATTENTION_H
#define CK_FLOAT_ATTENTION_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/attention_key_tile.h"
#endif

// Grouped-query attention with a running softmax over key tiles; the contract is in ck/attention.h.

/// The oldest position that the query at `position` sees.
CK_INLINE size_t oldest_key(const ck_attention_task *task, size_t position) {
    return task->window > 0 && position + 1 > task->window ? position + 1 - task->window : 0;
}

/// Which keys of the tile at `base` each query sees; false when none sees any.
static bool look_at_keys(query_tile *tile, key_tile *cached, const ck_attention_task *task, size_t base) {
    cached->low = tile_keys;
    cached->high = 0;
    for (size_t c = 0; c < tile->count; c++) {
        const size_t position = tile->positions[c], oldest = oldest_key(task, position);
        const size_t end = position + 1 > base ? position + 1 - base : 0;
        size_t low = oldest > base ? oldest - base : 0, high = end < tile_keys ? end : tile_keys;
        if (low >= high)
            low = high = 0;
        tile->low[c] = low;
        tile->high[c] = high;
        if (high > 0) {
            cached->low = low < cached->low ? low : cached->low;
            cached->high = high > cached->high ? high : cached->high;
        }
    }
    return cached->low < cached->high;
}

/// The running softmax of all queries of the tile over the keys of one span.
CK_INLINE void attend_span(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span,
                           const ck_type type) {
    const size_t dimensions = task->head_dim, slots = kv_head * task->capacity;
    const size_t row_bytes = dimensions * cached_size(type);
    const char *keys = task->keys, *values = task->values;
    const size_t oldest = oldest_key(task, tile->positions[0]), last = tile->positions[tile->count - 1];
    const size_t begin = span * CK_ATTENTION_SPAN, end = begin + CK_ATTENTION_SPAN;
    for (size_t c = 0; c < tile->count; c++) {
        tile->maximum[c] = -INFINITY;
        tile->sum[c] = 0;
        memset(tile->out[c], 0, dimensions * sizeof(float));
    }
    for (size_t base = oldest > begin ? oldest - oldest % tile_keys : begin; base < end && base <= last;
         base += tile_keys) {
        const size_t slot = slots + base % task->capacity, next = base + tile_keys;
        const size_t next_slot = slots + next % task->capacity;
        key_tile cached = {
            .keys = keys + slot * row_bytes,
            .values = values + slot * row_bytes,
            .key_scales = type == CK_I8 ? task->key_scales + slot : NULL,
            .value_scales = type == CK_I8 ? task->value_scales + slot : NULL,
            .next_keys = next <= last ? keys + next_slot * row_bytes : NULL,
            .next_values = next <= last ? values + next_slot * row_bytes : NULL,
        };
        if (look_at_keys(tile, &cached, task, base))
            attend_keys(tile, &cached, dimensions, task->scale, type);
    }
}

/// Copies of the code, one per type of the cache.
static void attend_span_f32(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span) {
    attend_span(tile, task, kv_head, span, CK_F32);
}

static void attend_span_bf16(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span) {
    attend_span(tile, task, kv_head, span, CK_BF16);
}

static void attend_span_i8(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span) {
    attend_span(tile, task, kv_head, span, CK_I8);
}

static void attend_span_typed(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span) {
    if (task->type == CK_F32)
        attend_span_f32(tile, task, kv_head, span);
    else if (task->type == CK_BF16)
        attend_span_bf16(tile, task, kv_head, span);
    else
        attend_span_i8(tile, task, kv_head, span);
}

/// What the spans of one query so far come to; the weighted sum of values lies in its row of the output.
typedef struct attention_total {
    float maximum, sum;
    bool any;
} attention_total;

/// Folds the next span's state into the total.
static void add_span(attention_total *total, float *out, float maximum, float sum, const float *values,
                     size_t dimensions) {
    if (!total->any) {
        *total = (attention_total){maximum, sum, true};
        memcpy(out, values, dimensions * sizeof *out);
        return;
    }
    const float largest = total->maximum > maximum ? total->maximum : maximum;
    const float a = decay_of(total->maximum, largest), b = decay_of(maximum, largest);
    for (size_t d = 0; d < dimensions; d += 16)
        v16_store(out + d, v16_fma(v16_load(out + d), v16_set1(a), v16_mul(v16_load(values + d), v16_set1(b))));
    total->sum = fmaf(total->sum, a, sum * b);
    total->maximum = largest;
}

static void finish_query(const attention_total *total, float *out, size_t dimensions) {
    const v16 inverse = v16_set1(1 / total->sum);
    for (size_t d = 0; d < dimensions; d += 16)
        v16_store(out + d, v16_mul(v16_load(out + d), inverse));
}

/// The spans whose keys the query at `position` sees: first ... last.
CK_INLINE size_t first_span(const ck_attention_task *task, size_t position) {
    return oldest_key(task, position) / CK_ATTENTION_SPAN;
}

CK_INLINE size_t last_span(size_t position) {
    return position / CK_ATTENTION_SPAN;
}

CK_INLINE float *state_at(const ck_attention_task *task, const ck_attention_states *states, size_t row, size_t head,
                          size_t span) {
    const size_t index = (row * states->spans + span - states->first_span) * task->heads + head;
    return states->data + index * (task->head_dim + CK_ATTENTION_STATE_EXTRA);
}

/// One span of the tile's queries; the results are the states.
static void keep_span(query_tile *tile, const ck_attention_task *task, size_t kv_head, size_t span) {
    attend_span_typed(tile, task, kv_head, span);
    for (size_t c = 0; c < tile->count; c++)
        if (span >= first_span(task, tile->positions[c]) && span <= last_span(tile->positions[c])) {
            memcpy(tile->results[c], tile->out[c], task->head_dim * sizeof(float));
            tile->results[c][task->head_dim] = tile->maximum[c];
            tile->results[c][task->head_dim + 1] = tile->sum[c];
        }
}

/// All spans of the tile's queries, and their results.
static void attend_tile(query_tile *tile, const ck_attention_task *task, size_t kv_head) {
    attention_total totals[tile_queries] = {0};
    const size_t last = last_span(tile->positions[tile->count - 1]);
    for (size_t span = first_span(task, tile->positions[0]); span <= last; span++) {
        attend_span_typed(tile, task, kv_head, span);
        for (size_t c = 0; c < tile->count; c++)
            if (span >= first_span(task, tile->positions[c]) && span <= last_span(tile->positions[c]))
                add_span(&totals[c], tile->results[c], tile->maximum[c], tile->sum[c], tile->out[c], task->head_dim);
    }
    for (size_t c = 0; c < tile->count; c++)
        finish_query(&totals[c], tile->results[c], task->head_dim);
}

/// Fills and attends tiles for the queries of a range. With states only the span `span` is read, and the
/// states take the place of the results.
static void attend_range(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin,
                         size_t head_end, const ck_attention_states *states, size_t span) {
    const size_t sharing = task->heads / task->kv_heads, dimensions = task->head_dim;
    for (size_t begin = head_begin; begin < head_end;) {
        const size_t kv_head = begin / sharing, next = (kv_head + 1) * sharing;
        const size_t end = next < head_end ? next : head_end;
        query_tile tile;
        tile.count = 0;
        for (size_t row = row_begin; row < row_end; row++)
            for (size_t head = begin; head < end; head++) {
                const size_t c = tile.count++;
                tile.queries[c] = task->queries + row * task->query_stride + head * dimensions;
                tile.results[c] = states ? state_at(task, states, row, head, span)
                                         : task->out + row * task->out_stride + head * dimensions;
                tile.positions[c] = task->first_position + row;
                if (tile.count < tile_queries && !(row + 1 == row_end && head + 1 == end))
                    continue;
                if (states)
                    keep_span(&tile, task, kv_head, span);
                else
                    attend_tile(&tile, task, kv_head);
                tile.count = 0;
            }
        begin = end;
    }
}

static void attention(const ck_attention_task *task, size_t row_begin, size_t row_end, size_t head_begin,
                      size_t head_end) {
    attend_range(task, row_begin, row_end, head_begin, head_end, NULL, 0);
}

static void attention_span(const ck_attention_task *task, ck_attention_states states, size_t row_begin, size_t row_end,
                           size_t head_begin, size_t head_end, size_t span) {
    attend_range(task, row_begin, row_end, head_begin, head_end, &states, span);
}

static void attention_merge(const ck_attention_task *task, ck_attention_states states, size_t row, size_t head) {
    const size_t dimensions = task->head_dim, position = task->first_position + row;
    float *out = task->out + row * task->out_stride + head * dimensions;
    attention_total total = {0};
    for (size_t span = first_span(task, position); span <= last_span(position); span++) {
        const float *state = state_at(task, &states, row, head, span);
        add_span(&total, out, state[dimensions], state[dimensions + 1], state, dimensions);
    }
    finish_query(&total, out, dimensions);
}

#endif
