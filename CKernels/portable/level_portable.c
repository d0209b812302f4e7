#define CK_LEVEL portable

#include "internal/bits.h"
#include "internal/format_table.h"
#include "internal/prefetch.h"
#include "internal/table.h"
#include "shared/quantized/activation_group.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

// float32, over 16 lanes.
#include "portable/simd_portable.h"
#include "shared/float/elements.h"
#include "shared/float/functions.h"
#include "shared/float/vector.h"
#include "shared/float/expand.h"
#include "shared/float/product.h"
#include "shared/float/attention_registers.h"
#include "shared/float/attention_key_tile.h"
#include "shared/float/attention.h"
#include "shared/float/sampling.h"
#include "shared/float/fill.h"

// Activations to int8. The products with them are files of their own, which the table of formats names.
#include "portable/activations_portable.h"

void ck_fill_portable(ck_table *table) {
    fill_float_kernels(table);
    table->quantize_groups = quantize_groups;
    for (size_t type = 0; type < CK_TYPE_COUNT; type++)
        table->quantized_products[type] = ck_portable_products[type];
}
