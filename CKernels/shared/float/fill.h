#ifndef CK_FLOAT_FILL_H
#define CK_FLOAT_FILL_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "shared/float/product.h"
#include "shared/float/attention.h"
#include "shared/float/sampling.h"
#include "internal/table.h"
#endif

// The float kernels of a level, whose bodies came before.

static void fill_float_kernels(ck_table *table) {
    table->float_product = float_product;
    table->gather_rows = gather_rows;
    table->rms_norm = rms_norm;
    table->mean_square = mean_square;
    table->gelu_gate = gelu_gate;
    table->gaussian_top_k = gaussian_top_k;
    table->add_scaled = add_scaled;
    table->scale = scale;
    table->multiply = multiply;
    table->altup_predict = altup_predict;
    table->tanh = tanh_all;
    table->softcap = softcap;
    table->softmax = softmax;
    table->log_sum_exp = log_sum_exp;
    table->store = store;
    table->rope = rope;
    table->attention = attention;
    table->attention_span = attention_span;
    table->attention_merge = attention_merge;
    table->argmax = argmax;
    table->top_k = top_k;
}

#endif
