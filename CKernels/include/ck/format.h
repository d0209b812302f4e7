#ifndef CK_FORMAT_H
#define CK_FORMAT_H

#include "types.h"

// How each type of data is stored, and all that follows from it: how many bytes rows have and where they lie.

/// The parts of a stored row. Each part is an array of rows of its own, behind a pointer of ck_matrix.
enum {
    CK_CODES = 0,  // codes, blocks or values: ck_matrix.data
    CK_SCALES = 1, // ck_matrix.scales
    CK_BIASES = 2, // ck_matrix.biases
    CK_PART_COUNT = 3,
};

/// Fewest elements that share a scale of the matrix, where a format leaves their number to it.
#define CK_SMALLEST_GROUP 32

/// A part is a row of blocks: `bytes` for every `elements` of the matrix. Both 0: the format has no such part.
typedef struct ck_block {
    size_t elements; // CK_PER_GROUP: the group of the matrix
    size_t bytes;    // CK_ONE_SCALE: one value of the scale type of the matrix
} ck_block;

#define CK_PER_GROUP SIZE_MAX
#define CK_ONE_SCALE SIZE_MAX

/// A weight format: one row of the table in internal/format_table.h.
typedef struct ck_format {
    const char *name;
    ck_block parts[CK_PART_COUNT];
    size_t activation_group; // elements of int8 activations that share a scale; CK_PER_GROUP: the group of the matrix;
                             // 0: there is no product with int8 activations (there is one with float32 for all)
    ck_order order;          // of these activations
} ck_format;

/// The format of a type.
const ck_format *ck_format_of(ck_type type);

/// Bytes of `elements` elements of a row in one part; a block that they only begin counts whole.
size_t ck_part_bytes(ck_matrix w, size_t part, size_t elements);

/// Bytes from one row of a part to the next; 0 where the format has no such part.
size_t ck_part_stride(ck_matrix w, size_t part);

/// The block of a part in which the element [row, column] lies; null where there is none.
const void *ck_part_address(ck_matrix w, size_t part, size_t row, size_t column);

/// Bytes of `columns` columns of a row in all parts.
size_t ck_columns_bytes(ck_matrix w, size_t columns);

/// Bytes of one row of a matrix in all parts: what ck_columns_bytes says of all columns.
size_t ck_row_bytes(ck_matrix w);

/// Bytes of `elements` values or codes of a type, without the scales that lie beside them.
size_t ck_stored_bytes(ck_type type, size_t elements);

/// The most bytes that a row of `elements` elements has in any format that takes int8 activations.
size_t ck_widest_row_bytes(size_t elements);

/// Rows can be cut at multiples of so many columns: no block of any part is split.
size_t ck_column_step(ck_matrix w);

/// The rows [row, row + rows) and the columns [column, column + columns), where they lie. Columns begin and end at
/// multiples of ck_column_step(w).
ck_matrix ck_slice(ck_matrix w, size_t row, size_t rows, size_t column, size_t columns);

/// Elements of an activation row that share a scale in a product with w; 0 where w takes only float32.
size_t ck_activation_group(ck_matrix w);

#endif
