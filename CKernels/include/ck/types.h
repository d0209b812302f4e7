#ifndef CK_TYPES_H
#define CK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Element types of stored data. Q4 and Q8 are the affine codes of MLX: unsigned, least significant bits first.
/// I8 are the signed codes of key/value caches, with one scale per row.
typedef enum __attribute__((enum_extensibility(closed))) ck_type {
    CK_F32 = 0,
    CK_F16 = 1,
    CK_BF16 = 2,
    CK_Q4 = 3,
    CK_Q8 = 4,
    CK_I8 = 5,
} ck_type;

/// Types there are; their numbers are below.
#define CK_TYPE_COUNT 6

/// A weight matrix [rows, columns], row-major, exactly as it lies in the mapped file (any alignment), or the first
/// columns of a wider one.
/// Q4 and Q8: w[r][k] = scales[r][k / group] * code[r][k] + biases[r][k / group]; the scale may be negative.
typedef struct ck_matrix {
    const void *data;   // codes or values
    const void *scales; // [rows, stride / group], type scale_type; null unless Q4 or Q8
    const void *biases; // [rows, stride / group], type scale_type; null unless Q4 or Q8
    size_t rows;        // output features
    size_t columns;     // input features; a multiple of group for Q4 and Q8
    size_t stride;      // elements from one row to the next: at least columns; a multiple of group for Q4 and Q8
    size_t group;       // 32, 64 or 128; 0 unless Q4 or Q8
    ck_type type;
    ck_type scale_type; // F32, F16 or BF16
} ck_matrix;

/// A weight vector as it lies in the mapped file (any alignment): F32, F16 or BF16. Null data means all ones.
typedef struct ck_vector {
    const void *data;
    ck_type type;
    float shift; // added to each element: 1 for the norms of Gemma 3, else 0
} ck_vector;

/// Order of the int8 values within one row of quantised activations.
typedef enum __attribute__((enum_extensibility(closed))) ck_order {
    CK_NATURAL = 0,  // 0, 1, 2, ...: what Q8 weights want
    CK_EVEN_ODD = 1, // all even elements of the row, then all odd ones: what Q4 weights want
} ck_order;

/// Activations quantised per group: x[r][k] is about scales[r][k / group] * value.
typedef struct ck_activations {
    int8_t *values; // [rows, columns] in `order`, rows `stride` apart; -127 ... 127
    float *scales;  // [rows, columns / group]: absmax / 127
    float *sums;    // [rows, columns / group]: scale * float(exact sum of the group's values)
    size_t columns;
    size_t stride; // values from one row to the next: at least columns; a multiple of 2,048 crowds caches
    size_t group;
    ck_order order;
} ck_activations;

#endif
