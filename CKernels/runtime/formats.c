#include "internal/format_table.h"
#include "internal/table.h"

// The portable products, a file each in portable/.
ck_quantized_product_kernel ck_affine_product_portable;

ck_quantized_product_kernel *const ck_portable_products[CK_TYPE_COUNT] = {
    [CK_Q4] = ck_affine_product_portable,
    [CK_Q8] = ck_affine_product_portable,
};

const ck_format *ck_format_of(ck_type type) {
    return &ck_formats[type];
}

size_t ck_part_bytes(ck_matrix w, size_t part, size_t elements) {
    return ck_block_bytes(ck_block_of(&w, w.type, part), elements);
}

size_t ck_part_stride(ck_matrix w, size_t part) {
    return ck_stride_of(&w, w.type, part);
}

const void *ck_part_address(ck_matrix w, size_t part, size_t row, size_t column) {
    return ck_address_of(&w, w.type, part, row, column);
}

size_t ck_columns_bytes(ck_matrix w, size_t columns) {
    size_t bytes = 0;
    for (size_t part = 0; part < CK_PART_COUNT; part++)
        bytes += ck_part_bytes(w, part, columns);
    return bytes;
}

size_t ck_row_bytes(ck_matrix w) {
    return ck_columns_bytes(w, w.columns);
}

size_t ck_stored_bytes(ck_type type, size_t elements) {
    return ck_block_bytes(ck_formats[type].parts[CK_CODES], elements);
}

size_t ck_widest_row_bytes(size_t elements) {
    size_t most = 0;
    for (ck_type type = 0; type < CK_TYPE_COUNT; type++) {
        const ck_matrix w = {.group = CK_SMALLEST_GROUP, .type = type, .scale_type = CK_F32};
        const size_t bytes = ck_formats[type].activation_group > 0 ? ck_columns_bytes(w, elements) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t ck_column_step(ck_matrix w) {
    // Of two blocks of a format the smaller divides the larger.
    size_t most = 1;
    for (size_t part = 0; part < CK_PART_COUNT; part++) {
        const size_t elements = ck_block_of(&w, w.type, part).elements;
        most = elements > most ? elements : most;
    }
    return most;
}

ck_matrix ck_slice(ck_matrix w, size_t row, size_t rows, size_t column, size_t columns) {
    ck_matrix slice = w;
    slice.data = ck_part_address(w, CK_CODES, row, column);
    slice.scales = ck_part_address(w, CK_SCALES, row, column);
    slice.biases = ck_part_address(w, CK_BIASES, row, column);
    slice.rows = rows;
    slice.columns = columns;
    return slice;
}

size_t ck_activation_group(ck_matrix w) {
    const ck_format *format = &ck_formats[w.type];
    return format->activation_group == CK_PER_GROUP ? w.group : format->activation_group;
}
