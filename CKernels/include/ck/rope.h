#ifndef CK_ROPE_H
#define CK_ROPE_H

#include "types.h"

/// Rotates the heads of one row in place, half-split ("NeoX") pairs (k, k + head_dim / 2):
///   x1' = x1 cos - x2 sin,  x2' = x2 cos + x1 sin.
/// x: [heads, head_dim]; cos, sin: [head_dim / 2] of this row's position. Proportional RoPE has cos 1 and sin 0
/// for the pairs that do not turn.
void ck_rope(float *x, size_t heads, size_t head_dim, const float *cosines, const float *sines);

/// cos and sin of (float)position * frequencies[k], the product rounded to float32 as in the reference, for
/// positions first ... first + count - 1. cosines, sines: [count, pairs].
void ck_rope_table(float *cosines, float *sines, const float *frequencies, size_t pairs, size_t first, size_t count);

#endif
