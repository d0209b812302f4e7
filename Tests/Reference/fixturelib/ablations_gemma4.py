"""Faults of Gemma 4: layer scalars, proportional RoPE, double-wide layers, keys as values."""
import torch

from . import ablations_per_layer, ablations_sharing
from .ablations import VISIBLE, attentions


def no_layer_scalar(model, fixture, stack):
    for layer in model.model.layers:
        layer.layer_scalar.fill_(1.0)


def scalar_before_per_layer_inputs(model, fixture, stack):
    """The scalar is applied to the residual but not to what the per-layer inputs add."""
    if not model.config.hidden_size_per_layer_input:
        return False
    for layer in model.model.layers:
        layer.post_per_layer_input_norm.weight.div_(layer.layer_scalar)


def full_inverse_frequencies(frequencies):
    """Replaces the angles of the full layers by frequencies(base, rotated pairs, head size)."""
    def damage(model, fixture, stack):
        rope = model.config.rope_parameters["full_attention"]
        buffer = model.model.rotary_emb.full_attention_inv_freq
        head = 2 * buffer.shape[0]
        pairs = int(rope["partial_rotary_factor"] * head // 2)
        buffer.copy_(frequencies(rope["rope_theta"], pairs, head))
    return damage


def all_pairs(base, pairs, head):
    return base ** (-2 * torch.arange(head // 2, dtype=torch.float32) / head)


def small_denominator(base, pairs, head):
    steps = torch.arange(head // 2, dtype=torch.float32)
    return torch.where(steps < pairs, base ** (-2 * steps / (2 * pairs)), 0.0)


def first_dimensions_only(model, fixture, stack):
    """Pairs (k, k + pairs) inside the first 2 * pairs dimensions in place of (k, k + D/2)."""
    rope = model.config.rope_parameters["full_attention"]
    half = model.model.rotary_emb.full_attention_inv_freq.shape[0]
    pairs = int(rope["partial_rotary_factor"] * half)
    order = list(range(pairs)) + list(range(2 * pairs, pairs + half))
    order += list(range(pairs, 2 * pairs)) + list(range(pairs + half, 2 * half))

    def regroup(norm):
        plain = norm.forward
        norm.forward = lambda value: plain(value)[..., order]
    for attention in attentions(model):
        if not attention.is_sliding:
            regroup(attention.q_norm)
            if not attention.is_kv_shared_layer:
                regroup(attention.k_norm)


def single_width(model, fixture, stack):
    wide = [layer.mlp for layer in model.model.layers if layer.mlp.intermediate_size > model.config.intermediate_size]
    for mlp in wide:
        mlp.down_proj.weight[:, model.config.intermediate_size:] = 0
    return None if wide else False


def values_from_normed_keys(model, fixture, stack):
    chosen = [a for a in attentions(model) if a.use_alternative_attention]
    for attention in chosen:
        attention.v_norm.forward = attention.k_norm.forward
    return None if chosen else False


TABLE = {
    "layer_scalar ignored": (no_layer_scalar, VISIBLE),
    "layer_scalar before the per-layer inputs": (scalar_before_per_layer_inputs, VISIBLE),
    "full layers rotate all pairs": (full_inverse_frequencies(all_pairs), VISIBLE),
    "RoPE exponent over the rotated dimensions": (full_inverse_frequencies(small_denominator), VISIBLE),
    "RoPE on the first dimensions": (first_dimensions_only, VISIBLE),
    "sharing layers at single width": (single_width, VISIBLE),
    "values from the normed keys": (values_from_normed_keys, VISIBLE),
    **ablations_per_layer.TABLE,
    **ablations_sharing.TABLE,
}
