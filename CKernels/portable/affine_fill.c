#include "affine_portable.h"
#include "internal/table.h"

void ck_fill_affine_portable(ck_table *table) {
    table->quantize_groups = ck_quantize_groups_portable;
    table->affine_product = ck_affine_product_portable;
}
