"""Affine group quantisation as MLX stores it, in numpy.

A row is cut into groups; each group keeps `w ~ scale * q + bias` with unsigned q of `bits` bits. The group's end of
larger magnitude is an exact grid point (q = 0), and zero is on the grid too whenever the rounding allows it.
`check_against_mlx` compares the three arrays with mlx.core.quantize.
"""
import numpy as np

SMALLEST_SCALE = np.float32(1e-7)


def quantize(weight, bits, group_size):
    """[out, in] float32 -> (q as uint8 [out, in], scales, biases as float32 [out, in/group])."""
    rows, columns = weight.shape
    if columns % group_size:
        raise ValueError(f"{columns} inputs are no multiple of the group size {group_size}")
    groups = weight.astype(np.float32).reshape(rows, columns // group_size, group_size)
    low, high = groups.min(-1), groups.max(-1)
    steps = np.float32((1 << bits) - 1)
    low_is_larger = np.abs(low) > np.abs(high)
    width = np.maximum((high - low) / steps, SMALLEST_SCALE)
    scale = np.where(low_is_larger, width, -width).astype(np.float32)
    edge = np.where(low_is_larger, low, high).astype(np.float32)
    edge_code = np.rint(edge / scale)
    on_grid = edge_code != 0
    scale = np.where(on_grid, edge / np.where(on_grid, edge_code, 1), scale).astype(np.float32)
    bias = np.where(on_grid, edge, 0).astype(np.float32)
    codes = np.rint((groups - bias[..., None]) / scale[..., None])
    return np.clip(codes, 0, steps).astype(np.uint8).reshape(rows, columns), scale, bias


def pack(codes, bits):
    """Codes [out, in] -> little-endian bit stream in uint32 words [out, in * bits / 32]."""
    per_word = 32 // bits
    words = codes.astype(np.uint32).reshape(codes.shape[0], -1, per_word)
    shifts = (np.arange(per_word, dtype=np.uint32) * np.uint32(bits))
    return np.bitwise_or.reduce(words << shifts, axis=-1).astype(np.uint32)


def unpack(words, bits):
    """The inverse of `pack`."""
    shifts = (np.arange(32 // bits, dtype=np.uint32) * np.uint32(bits))
    codes = (words[..., None] >> shifts) & np.uint32((1 << bits) - 1)
    return codes.reshape(words.shape[0], -1)


def dequantize(words, scales, biases, bits, group_size):
    """float32 `scale * q + bias`, product and sum each rounded once."""
    codes = unpack(words, bits).astype(np.float32).reshape(words.shape[0], -1, group_size)
    weight = codes * scales.astype(np.float32)[..., None] + biases.astype(np.float32)[..., None]
    return weight.reshape(words.shape[0], -1).astype(np.float32)


def check_against_mlx(seed=0):
    """Compares with mlx where it is installed; returns a sentence for the log, raises on a difference."""
    try:
        import mlx.core as mx
    except ImportError:
        return "mlx is not installed: the affine quantiser was not compared"
    rng = np.random.default_rng(seed)
    compared = 0
    for bits in (4, 8):
        for group in (32, 64, 128):
            for spread in (1e-3, 1.0, 50.0):
                weight = (rng.standard_normal((24, 256)) * spread).astype(np.float32)
                weight[0] = 0                       # a group without any width
                weight[1] = np.abs(weight[1])       # groups with one sign only
                weight[2] = -np.abs(weight[2]) - 3
                codes, scale, bias = quantize(weight, bits, group)
                theirs = [np.array(part) for part in mx.quantize(mx.array(weight), group_size=group, bits=bits)]
                ours = [pack(codes, bits), scale, bias]
                for name, a, b in zip(("codes", "scales", "biases"), ours, theirs):
                    if not np.array_equal(a, b):
                        raise AssertionError(f"{name} differ from mlx at {bits} bits, group {group}, spread {spread}: "
                                             f"{np.sum(a != b)} of {a.size}")
                restored = np.array(mx.dequantize(*[mx.array(part) for part in theirs], group_size=group, bits=bits))
                if np.abs(restored - dequantize(*ours, bits, group)).max() > 1e-6 * spread + 1e-7:
                    raise AssertionError(f"dequantised values differ from mlx at {bits} bits, group {group}")
                compared += weight.size
    return f"affine quantiser equals mlx {mx.__version__} on {compared} weights"
