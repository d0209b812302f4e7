#ifndef CK_X86_GEMV_CURSORS_H
#define CK_X86_GEMV_CURSORS_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/gemv_steps_avx2.h"
#include "shared/quantized/scales.h"
#endif

// One activation row times panels of lane_count weight rows that are read at four cursors, each of which goes through
// neighbouring rows: memory gives most to few long sequences. Lane 4 k + s of a panel is row k of its part at cursor s.
// The integer sums of a whole panel are kept in the first-level cache; its float part follows bit by bit while the
// codes of the next panel are read, because the processor has no room to look ahead of both. The arithmetic is that of
// gemv.h, and so is the order of every row's float operations.

enum {
    affine_cursors = 4,
    affine_cursor_rows = lane_count / affine_cursors, // of one cursor in a panel
    affine_longest_row = 2048,                        // bytes: with longer rows the sums crowd the first-level cache
    affine_band_panels = 16,                          // whose rows are shared out over the cursors
    affine_cursor_panels_ahead = 2,
    affine_scale_groups = 8, // converted together: 16 bytes of 16-bit scales
};

/// [vector][k]: the folded sums of row k of the four cursors.
typedef lanes_i32 affine_panel_sums[affine_longest_row / affine_vector_bytes][affine_cursor_rows];

typedef struct affine_scales {
    _Alignas(64) float scales[affine_scale_groups * lane_count]; // [group][lane]
    float biases[affine_scale_groups * lane_count];
} affine_scales;

/// A panel: its first row, and the distance in rows from one cursor to the next.
typedef struct affine_place {
    size_t row, apart;
} affine_place;

/// Whether rows are whole vectors, long enough to be read in order and short enough for their sums.
CK_INLINE bool affine_suits_cursors(const affine_source *w, const size_t bytes) {
    const size_t row = w->groups * bytes;
    return row % affine_vector_bytes == 0 && row >= affine_shortest_cursor_row && w->row_bytes <= affine_longest_row;
}

/// Where panel `index` of `count` lies that begin at row `first`. A band of up to affine_band_panels is
/// shared out over the cursors. Panels behind the last one continue with the row behind it.
CK_INLINE affine_place affine_place_of(size_t index, size_t count, size_t first) {
    const size_t begin = index < count ? index / affine_band_panels * affine_band_panels : count;
    const size_t left = index < count ? count - begin : affine_band_panels;
    const size_t panels = left < affine_band_panels ? left : affine_band_panels;
    return (affine_place){first + begin * lane_count + (index - begin) * affine_cursor_rows,
                          panels * affine_cursor_rows};
}

/// The sums of row k of the four cursors, while row k of the panel at `later` is fetched.
CK_INLINE void affine_sum_cursors(affine_panel_sums sums, const affine_source *w, const affine_rows *x,
                                  affine_place place, size_t k, size_t later, const bool nibbles, const size_t bytes) {
    const size_t span = bytes < affine_vector_bytes ? affine_vector_bytes : bytes, vectors = w->groups * bytes / span;
    const size_t apart = place.apart * w->row_bytes, ahead = (later - place.row) * w->row_bytes;
    const uint8_t *from = w->codes + (place.row + k) * w->row_bytes;
    const int8_t *values = x->values, *odds = x->odds;
    for (size_t c = 0; c < vectors; c++) {
        lanes_i32 v[affine_cursors];
        for (size_t s = 0; s < affine_cursors; s++) {
            v[s] = lanes_zero();
            for (size_t b = 0; b < span; b += affine_vector_bytes)
                v[s] = affine_partial(v[s], from + s * apart + b, values + b, odds + b, nibbles);
            ck_prefetch(from + s * apart + ahead, span);
        }
        sums[c][k] = affine_fold(v, nibbles);
        from += span;
        values += span;
        odds += span;
    }
}

/// Scales (or biases) of the groups first ... first + count - 1 of a panel's rows to float32 [group][lane].
CK_INLINE void affine_cursor_scales(float *out, const uint8_t *from, size_t stride, affine_place place, size_t first,
                                    size_t count, const ck_type type) {
    const size_t size = ck_element_size(type), full = transpose_bytes / size;
    const uint8_t *rows = from + place.row * stride + first * size;
    for (size_t g = 0; g + full <= count; g += full) {
        lanes_i32 transposed[4];
        transpose_apart(transposed, rows + g * size, place.apart * stride, stride);
        affine_store_scales(out + g * lane_count, lane_count, transposed, type);
    }
    for (size_t g = count / full * full; g < count; g++)
        for (size_t lane = 0; lane < lane_count; lane++)
            out[g * lane_count + lane] =
                ck_load_element(rows + (lane % affine_cursors * place.apart + lane / affine_cursors) * stride, type, g);
}

/// Loads the scales and biases around `group`; returns the first group it has loaded. The last ones of a row
/// are loaded with those before them, so that loads stay whole.
CK_INLINE size_t affine_load_cursor_scales(affine_scales *out, const affine_source *w, affine_place place,
                                           size_t group) {
    const size_t count = w->groups < affine_scale_groups ? w->groups : affine_scale_groups;
    const size_t first = group + count <= w->groups ? group : w->groups - count, stride = w->scale_row_bytes;
#define AFFINE_LOAD(type)                                                                                              \
    affine_cursor_scales(out->scales, w->scales, stride, place, first, count, type),                                   \
        affine_cursor_scales(out->biases, w->biases, stride, place, first, count, type)
    AFFINE_COPY_PER_SCALE_TYPE(w->scale_type, AFFINE_LOAD)
#undef AFFINE_LOAD
    return first;
}

/// y[o - row] of the weight rows o = row ... row + count * lane_count - 1.
CK_INLINE void affine_gemv_cursors(float *y, const affine_source *w, const affine_rows *x, size_t row, size_t count,
                                   const bool nibbles, const size_t bytes) {
    const size_t per_vector = bytes < affine_vector_bytes ? affine_vector_bytes / bytes : 1;
    const size_t vectors = w->groups / per_vector, scale_bytes = w->scale_row_bytes;
    _Alignas(64) affine_panel_sums sums[2]; // of the panel that is read, and of the one before
    affine_scales scales;
    size_t loaded = 0; // the first group that `scales` holds
    affine_place before = {0, 0};
    for (size_t panel = 0; panel <= count; panel++) {
        const affine_place place = affine_place_of(panel, count, row);
        const size_t next = affine_place_of(panel + 1, count, row).row;
        const size_t later = affine_place_of(panel + affine_cursor_panels_ahead, count, row).row;
        lanes_f32 acc = lanes_zero_f32();
        size_t c = 0;
        for (size_t k = 0; k < affine_cursor_rows; k++) {
            if (panel < count) {
                affine_sum_cursors(sums[panel % 2], w, x, place, k, later, nibbles, bytes);
                for (size_t s = 0; s < affine_cursors; s++) {
                    const size_t at = (next + s * place.apart + k) * scale_bytes;
                    ck_prefetch(w->scales + at, scale_bytes);
                    ck_prefetch(w->biases + at, scale_bytes);
                }
            }
            if (panel == 0)
                continue;
            for (; c < vectors * (k + 1) / affine_cursor_rows; c++) {
                const size_t group = c * per_vector;
                if (group % affine_scale_groups == 0)
                    loaded = affine_load_cursor_scales(&scales, w, before, group);
                lanes_i32 spread[4];
                affine_spread(spread, sums[(panel - 1) % 2][c], per_vector);
                for (size_t i = 0; i < per_vector; i++)
                    acc = affine_accumulate(acc, spread[i], scales.scales + (group + i - loaded) * lane_count,
                                            scales.biases + (group + i - loaded) * lane_count, x->scales + group + i,
                                            x->sums + group + i);
            }
        }
        if (panel > 0) {
            float lanes[lane_count];
            lanes_store_f32(lanes, acc);
            for (size_t lane = 0; lane < lane_count; lane++)
                y[before.row - row + lane % affine_cursors * before.apart + lane / affine_cursors] = lanes[lane];
        }
        before = place;
    }
}

#endif
