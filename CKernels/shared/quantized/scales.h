#ifndef CK_QUANTIZED_SCALES_H
#define CK_QUANTIZED_SCALES_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/quantized/source.h"
#endif

// The scales and biases of a panel of weight rows as float32, one row per lane, and the running sums that they make
// of the exact sums of one group.

/// CALL(type) with a constant type of scales: one copy of the code for each keeps the choice out of its loops.
#define AFFINE_COPY_PER_SCALE_TYPE(type, CALL)                                                                         \
    if ((type) == CK_BF16)                                                                                             \
        CALL(CK_BF16);                                                                                                 \
    else if ((type) == CK_F16)                                                                                         \
        CALL(CK_F16);                                                                                                  \
    else                                                                                                               \
        CALL(CK_F32);

/// Pairs of 16-bit scales (lower group in the low half) to float32.
CK_INLINE void affine_widen_pair(float *lower, float *upper, lanes_i32 pair, ck_type type) {
    lanes_f32 low, high;
    if (type == CK_BF16) {
        low = lanes_as_f32(lanes_raised(pair));
        high = lanes_as_f32(lanes_upper(pair));
    } else {
        low = lanes_from_f16(pair, false);
        high = lanes_from_f16(pair, true);
    }
    lanes_store_f32(lower, low);
    lanes_store_f32(upper, high);
}

/// Transposed scales, 8 groups of 16 bits or 4 of 32 bits, to float32 [group][row]. `step` is the
/// distance between groups in `out`.
CK_INLINE void affine_store_scales(float *out, size_t step, const lanes_i32 transposed[4], ck_type type) {
    for (size_t d = 0; d < 4; d++) {
        if (type == CK_F32)
            lanes_store_f32(out + d * step, lanes_as_f32(transposed[d]));
        else
            affine_widen_pair(out + 2 * d * step, out + (2 * d + 1) * step, transposed[d], type);
    }
}

/// Scales (or biases) of `count` groups from `rows` <= lane_count rows to float32 [group][row] with `step`
/// floats between groups. A last load that is not full starts earlier and writes some groups twice: nothing
/// is read beyond the row.
CK_INLINE void affine_load_scales(float *out, size_t step, const uint8_t *from, size_t stride, size_t rows,
                                  size_t count, const ck_type type) {
    const size_t size = ck_element_size(type), full = transpose_bytes / size;
    if (rows == lane_count && count >= full) {
        for (size_t g = 0; g < count; g += full) {
            size_t start = g + full <= count ? g : count - full;
            lanes_i32 transposed[4];
            transpose(transposed, from + start * size, stride);
            affine_store_scales(out + start * step, step, transposed, type);
        }
        return;
    }
    for (size_t g = 0; g < count; g++)
        for (size_t r = 0; r < lane_count; r++)
            out[g * step + r] = r < rows ? ck_load_element(from + r * stride, type, g) : 0;
}

/// Scales and biases of the groups first ... first + count - 1 of `rows` rows from `row` on. Fetches the same
/// portion of the panel that lies `panels_ahead` panels further on.
static void affine_load_scale_strip(float *scales, float *biases, size_t step, const affine_source *w, size_t row,
                                    size_t rows, size_t first, size_t count, size_t panels_ahead) {
    const size_t size = ck_element_size(w->scale_type), stride = w->scale_row_bytes;
    const uint8_t *from[2] = {w->scales + row * stride + first * size, w->biases + row * stride + first * size};
    float *out[2] = {scales, biases};
    const size_t ahead = (panels_ahead * stride + first * size) * lane_count - first * size;
    for (size_t i = 0; i < 2; i++) {
#define AFFINE_LOAD(type) affine_load_scales(out[i], step, from[i], stride, rows, count, type)
        AFFINE_COPY_PER_SCALE_TYPE(w->scale_type, AFFINE_LOAD)
#undef AFFINE_LOAD
        ck_prefetch(from[i] + ahead, count * size * lane_count);
    }
}

/// acc = fma(float(sum), wscale * ascale, acc); acc = fma(wbias, asum, acc): one group, one row per lane.
CK_INLINE lanes_f32 affine_accumulate(lanes_f32 acc, lanes_i32 sum, const float *scales, const float *biases,
                                      const float *scale, const float *total) {
    const lanes_f32 step = lanes_multiply(lanes_load_f32(scales), lanes_splat_f32(*scale));
    acc = lanes_fma(lanes_to_f32(sum), step, acc);
    return lanes_fma(lanes_load_f32(biases), lanes_splat_f32(*total), acc);
}

#endif
