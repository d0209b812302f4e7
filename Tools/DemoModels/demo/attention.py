"""Attention over a causal mask; where only a window is seen, in blocks of that window."""
import torch
import torch.nn.functional as F


def mask(length, window=None, own=True):
    """What a position may see, as 0 or -inf in bfloat16: itself (if own) and what is before it, within the window.

    [T, T]; or [blocks, 1, W, 2W], a block's queries against its own keys and those of the block before, where the
    length is a multiple of the window. The first position always sees itself, for want of anything else.
    """
    blocks = length // window if window and length % window == 0 and length > window else 0
    if not blocks:
        at, keys = torch.arange(length), torch.arange(length)
    else:
        at = torch.arange(length).view(blocks, 1, window)
        keys = torch.arange(2 * window) + (torch.arange(blocks)[:, None, None] - 1) * window
    distance = at[..., None] - keys[..., None, :]
    seen = (distance >= (0 if own else 1)) & (keys >= 0)[..., None, :]
    if window:
        seen &= distance < window
    seen |= (distance == 0) & (at[..., None] == 0)
    return torch.where(seen, 0.0, -torch.inf).bfloat16()


def attend(q, k, v, seen):
    """q [B, heads, T, D]; k, v [B, key heads, T, D]. The scale is 1, as in Gemma 3n and 4."""
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
    seen = seen.to(k.dtype)
    if seen.dim() == 2:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=1.0)
    (rows, heads, length, size), (blocks, _, window, _) = q.shape, seen.shape
    fold = lambda t: t.unflatten(2, (blocks, -1)).transpose(1, 2).flatten(0, 1)
    before = lambda t: F.pad(t, (0, 0, window, 0))[:, :, :length]
    k, v = (torch.cat([fold(before(t)), fold(t)], 2) for t in (k, v))
    out = F.scaled_dot_product_attention(fold(q), k, v, attn_mask=seen.repeat(rows, 1, 1, 1), scale=1.0)
    return out.unflatten(0, (rows, blocks)).transpose(1, 2).reshape(rows, heads, length, size)
