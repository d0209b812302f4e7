#ifndef CK_X86_FEW_ROWS_AVX512_H
#define CK_X86_FEW_ROWS_AVX512_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/few_steps_avx512.h"
#include "x86/few_rows.h"
#endif

static void affine_few_panel(float *y, size_t y_stride, const affine_source *w, bool nibbles, const affine_rows *x,
                             size_t count, size_t row) {
    const bool conflicting = w->row_bytes % affine_conflict_stride == 0;
    if (nibbles && conflicting)
        affine_few_count(y, y_stride, w, x, row, true, w->group_bytes, true, count);
    else if (nibbles)
        affine_few_count(y, y_stride, w, x, row, true, w->group_bytes, false, count);
    else if (conflicting)
        affine_few_count(y, y_stride, w, x, row, false, w->group_bytes, true, count);
    else
        affine_few_count(y, y_stride, w, x, row, false, w->group_bytes, false, count);
}

#endif
