"""Random weights under which every branch of the model shows in the log-probabilities.

Each tensor has its own generator, seeded by the fixture's seed and the tensor's name, so a change to one tensor
leaves all others as they were.
"""
import zlib

import numpy as np


def tensor(name, shape, family, seed, key_norm, per_layer):
    """A float32 array for the tensor `name` (without prefix) of a model of `family`.

    `key_norm`: the middle of the k_norm weights. `per_layer`: the width of a per-layer embedding.
    """
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    parts = name.split(".")
    module = parts[-2] if parts[-1] == "weight" else parts[-1]
    normal = rng.standard_normal(shape)

    if module.endswith("norm"):
        middle, spread = 1.0, 0.3
        if name == "norm.weight":
            # Wide enough for the final cap to bend the logits; signs at random, because a tied head would otherwise
            # see the last token's own embedding in the residual stream and repeat that token for ever.
            middle, spread = 4.0 * rng.choice([-1.0, 1.0], shape), 1.0
        elif module.startswith("post_"):
            middle, spread = 0.6, 0.2            # layers that add less than they find keep rounding errors small
        elif module == "k_norm" and family != "gemma3":
            middle, spread = key_norm, key_norm * 0.3   # scores of a few units: attention neither flat nor one-hot
        elif module == "q_norm" and family == "gemma3":
            middle, spread = 0.6, 0.2
        weight = middle + spread * normal
        return (weight - (1.0 if family == "gemma3" else 0.0)).astype(np.float32)
    if module == "layer_scalar":
        return rng.uniform(0.55, 0.85, shape).astype(np.float32)
    if module == "correct_output_scale":
        return (1.0 + 0.6 * normal).astype(np.float32)
    if module == "embed_tokens_per_layer":
        return (normal / np.sqrt(per_layer)).astype(np.float32)
    if module == "prediction_coefs":
        return (0.12 * normal).astype(np.float32)
    if module == "correction_coefs":
        return (0.3 * normal).astype(np.float32)
    if "altup_projections" in name or "altup_unembed_projections" in name:
        return (2.0 * normal / np.sqrt(shape[-1])).astype(np.float32)   # so that leaving out the rescaling shows
    if module == "modality_router":
        return (4.0 * normal).astype(np.float32)  # its input is divided by the hidden size
    return (normal / np.sqrt(shape[-1])).astype(np.float32)


def all_tensors(shapes, fixture):
    """{name: float32 array} for {name: shape}, names without prefix."""
    text = fixture.text
    head = max(text["head_dim"], text.get("global_head_dim") or 0)
    key_norm = 1.4 / np.sqrt(head)
    if fixture.family == "gemma3":
        key_norm = 1.0
    per_layer = text.get("hidden_size_per_layer_input") or 1
    return {name: tensor(name, shape, fixture.family, fixture.seed, key_norm, per_layer)
            for name, shape in shapes.items()}
