"""MLX's affine layout: per group of a row w = scale * q + bias, scale and bias in bfloat16."""
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Storage:
    """How a model's tensors are stored. Names are those inside the model, without its prefix."""
    group: int
    eight_bit: tuple         # beginnings of names that get 8 bits; the other matrices get 4
    plain: tuple             # parts of names that stay in bfloat16, as everything does that is no matrix

    default_bits = 4

    def bits_of(self, name, tensor):
        """4 or 8, or None for a tensor that is stored unquantised."""
        if tensor.dim() != 2 or any(part in name for part in self.plain):
            return None
        return 8 if name.startswith(self.eight_bit) else self.default_bits

    def rounded(self, weights):
        """The same weights as they will be after storing; what the end of the training and the checks use."""
        out = {}
        for name, tensor in weights.items():
            bits = self.bits_of(name, tensor)
            out[name] = dequantise(*quantise(tensor, bits, self.group)) if bits else tensor.bfloat16().float()
        return out


def quantise(tensor, bits, group):
    """(q uint8 [out, in], scale, bias float32 [out, in / group] already rounded to bfloat16)."""
    groups = tensor.float().unflatten(-1, (-1, group))
    low, high = groups.amin(-1), groups.amax(-1)
    levels = 2 ** bits - 1
    from_high = high.abs() > low.abs()  # the edge of larger magnitude sits at q = 0, so that it is met exactly
    scale = ((high - low) / levels).clamp(min=1e-7)
    scale = torch.where(from_high, -scale, scale).bfloat16().float()
    edge = torch.where(from_high, high, low)
    zero = torch.round(edge / scale)  # then 0 is representable too, as in MLX
    scale = torch.where(zero == 0, scale, edge / torch.where(zero == 0, 1, zero)).bfloat16().float()
    bias = torch.where(zero == 0, torch.zeros_like(edge), edge).bfloat16().float()
    q = torch.round((groups - bias[..., None]) / scale[..., None]).clamp(0, levels)
    return q.to(torch.uint8).flatten(-2), scale, bias


def dequantise(q, scale, bias):
    return (q.float().unflatten(-1, (scale.shape[-1], -1)) * scale[..., None] + bias[..., None]).flatten(-2)


def pack(q, bits):
    """uint8 values to little-endian uint32 words [out, in * bits / 32]."""
    q = q.numpy().astype(np.uint32)
    per_word = 32 // bits
    words = q.reshape(q.shape[0], -1, per_word) << (np.arange(per_word, dtype=np.uint32) * bits)
    return np.bitwise_or.reduce(words, axis=-1).astype(np.uint32)
