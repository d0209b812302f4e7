#ifndef CK_PRODUCT_H
#define CK_PRODUCT_H

#include "types.h"

/// Quantises the rows [begin, end) of x (row stride in elements) into `out`, group by group:
/// scale = absmax / 127, value = round to nearest even of x / scale (of x * (127 / absmax)), sum = scale * sum(values).
/// A group whose absmax is below 2^-116 (about 1.2e-35, where 127 / absmax would soon overflow) counts as zeros and
/// gets scale 0; a group with an infinity or NaN gets scale and sum NaN and values 0, so that it stays visible.
void ck_quantize_activations(ck_activations out, const float *x, size_t x_stride, size_t begin, size_t end);

/// The same for the groups [begin, end) of one row; the other elements of x are not read.
void ck_quantize_groups(ck_activations out, const float *x, size_t x_stride, size_t row, size_t begin, size_t end);

/// y[i][o] = sum over k of w[o][k] * x[i][k] for all `rows` activation rows i and the weight rows o in [begin, end).
/// The format of w takes int8 activations; x has the order and the group that it wants.
/// Canonical order of Q4 and Q8, per output: for each group g ascending, with the exact integer dot product isum:
///   acc = fma(float(isum), wscale * ascale, acc);  acc = fma(wbias, asum, acc).
/// The bits do not depend on `rows`, on the range or on the level (of a NaN only that it is one). Reads nothing outside
/// the matrix. Ranges that begin and end at multiples of 32 are fastest. y_stride in elements; y must not alias x.
void ck_quantized_product(float *y, size_t y_stride, ck_matrix w, ck_activations x, size_t rows, size_t begin,
                          size_t end);

/// The same product with float32 activations and weights of any type (Q4, Q8 as fma(code, scale, bias)).
/// Canonical order, per output: lane k mod 16 accumulates acc = fma(x[k], w[k], acc) for ascending k (x and w padded
/// with zeros to a multiple of 16); the lanes are summed by halves: 16 to 8 (i and i + 8), 8 to 4, 4 to 2, 2 to 1.
void ck_float_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows,
                      size_t begin, size_t end);

/// The same product through OpenBLAS (Accelerate on Apple), for many rows: fast, but not in canonical order.
/// Single-threaded inside: the caller splits [begin, end). Falls back to ck_float_product without BLAS, see below.
void ck_blas_product(float *y, size_t y_stride, ck_matrix w, const float *x, size_t x_stride, size_t rows, size_t begin,
                     size_t end);

/// Whether products go through a BLAS library. They do not under a limit on address space or data (setrlimit), which
/// OpenBLAS does not bear.
bool ck_blas_available(void);

/// Copies the rows ids[0 ... count - 1] of a matrix side by side into `scratch` (count *
/// ck_row_bytes(w) bytes, aligned to 4) and returns them as a matrix of `count` rows. Meanwhile fetches up to
/// `count` of the `ahead` rows whose ids follow. Ids must lie in [0, w.rows).
ck_matrix ck_copy_rows(void *scratch, ck_matrix w, const int32_t *ids, size_t count, size_t ahead);

/// out[i][c - column_begin] = scale * w[ids[i]][c] for the columns [column_begin, column_end), i in [0, count).
/// Q4 and Q8 rows are dequantised as fma(code, scale, bias) first. Ids must lie in [0, w.rows); any column range.
void ck_gather_rows(float *out, size_t out_stride, ck_matrix w, const int32_t *ids, size_t count, size_t column_begin,
                    size_t column_end, float scale);

#endif
