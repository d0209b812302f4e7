#ifndef CK_X86_FEW_ROWS_AVX2_H
#define CK_X86_FEW_ROWS_AVX2_H

#ifndef CK_LEVEL // for tools that read this file alone
#include "x86/few_rows.h"
#endif

/// One copy of the loop per layout: with a constant size of the group all of it is one stretch of
/// instructions.
static void affine_few_panel(float *y, size_t y_stride, const affine_source *w, bool nibbles, const affine_rows *x,
                             size_t count, size_t row) {
#define AFFINE_FEW(nibbles, bytes) affine_few_count(y, y_stride, w, x, row, nibbles, bytes, false, count)
    AFFINE_COPY_PER_LAYOUT(nibbles, w->group_bytes, AFFINE_FEW)
#undef AFFINE_FEW
}

#endif
