#include "affine_portable.h"
#include "internal/table.h"

void ck_fill_affine_portable(ck_table *table) {
    table->quantize_groups = ck_quantize_groups_portable;
    table->quantized_products[CK_Q4] = ck_affine_product_portable;
    table->quantized_products[CK_Q8] = ck_affine_product_portable;
}
