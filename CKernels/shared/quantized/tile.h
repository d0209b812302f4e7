#ifndef CK_QUANTIZED_TILE_H
#define CK_QUANTIZED_TILE_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/quantized/scales.h"
#endif

// A tile: some weight rows of some columns, transposed so that one row lies in each 32-bit lane.
//
// A level may take the codes apart while it stores them, so that its micro-kernel need not do so in every call:
// affine_tile_planes is the number of bytes that its affine_store_codes makes of one, 4 * affine_tile_rows apart.
// affine_tile_bytes_few is the size of the tile that serves few activation rows best.

enum {
    affine_tile_vectors = 2,
    affine_tile_rows = affine_tile_vectors * lane_count,
    affine_tile_groups = 64,
    affine_few_activations = 16, // rows that count as few
};

typedef struct affine_tile {
    uint8_t codes[affine_tile_bytes];                    // [dword][plane][row][4], 64-byte aligned
    float scales[affine_tile_groups * affine_tile_rows]; // [group][row]
    float biases[affine_tile_groups * affine_tile_rows];
    size_t groups, group_bytes;
    const uint8_t *ahead; // where the next tile's portion begins; the first call fetches it, group by group
} affine_tile;

/// Groups of a tile for `rows` activation rows: as many as it holds. It is larger than the first-level cache on
/// purpose: codes are read in order, which hides the way from the second level, while each call costs a round trip of
/// the running sums. With few rows that way back counts, since the codes are hardly read again. Never fewer than the 8
/// groups whose 16-bit scales are transposed together: a group has at most 128 bytes.
CK_INLINE size_t affine_tile_depth(size_t group_bytes, size_t rows) {
    const size_t bytes = rows > affine_few_activations ? affine_tile_bytes : affine_tile_bytes_few;
    const size_t groups = bytes / (affine_tile_planes * affine_tile_rows * group_bytes);
    return groups < 8 ? 8 : groups < affine_tile_groups ? groups : affine_tile_groups;
}

_Static_assert(affine_tile_bytes >= 8 * 128 * affine_tile_planes * affine_tile_rows, "a tile holds 8 groups");

/// Turns `bytes` of codes of `rows` <= lane_count rows into the tile's vectors `part`, part +
/// affine_tile_vectors, ...; the lanes beyond `rows` are zeros.
CK_INLINE void affine_load_codes(affine_tile *tile, size_t part, const uint8_t *from, size_t stride, size_t rows,
                                 size_t bytes) {
    uint8_t *out = tile->codes + part * lane_count * 4;
    uint8_t few[lane_count * transpose_bytes] = {0};
    for (size_t b = 0; b < bytes; b += transpose_bytes) {
        lanes_i32 transposed[4];
        if (rows < lane_count) {
            for (size_t r = 0; r < rows; r++)
                memcpy(few + r * transpose_bytes, from + r * stride + b, transpose_bytes);
            transpose(transposed, few, transpose_bytes);
        } else {
            transpose(transposed, from + b, stride);
        }
        for (size_t d = 0; d < 4; d++, out += affine_tile_planes * 4 * affine_tile_rows)
            affine_store_codes(out, transposed[d]);
    }
}

/// Fills the tile with `rows` weight rows from `row` on and the groups first ... first + count - 1.
static void affine_tile_fill(affine_tile *tile, const affine_source *w, size_t row, size_t rows, size_t first,
                             size_t count) {
    tile->groups = count;
    tile->group_bytes = w->group_bytes;
    tile->ahead = w->codes + (row + affine_tile_rows) * w->row_bytes + first * w->group_bytes * affine_tile_rows;
    for (size_t part = 0; part < affine_tile_vectors; part++) {
        const size_t top = row + part * lane_count, done = part * lane_count;
        const size_t n = rows <= done ? 0 : rows - done < lane_count ? rows - done : lane_count;
        affine_load_codes(tile, part, w->codes + top * w->row_bytes + first * w->group_bytes, w->row_bytes, n,
                          count * w->group_bytes);
        affine_load_scale_strip(tile->scales + done, tile->biases + done, affine_tile_rows, w, top, n, first, count,
                                affine_tile_vectors);
    }
}

#endif
