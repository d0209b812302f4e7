"""Faults that any of the three families can have."""
import torch

from .ablations import SLIGHT, VISIBLE, attentions, code, rebuilt, replace
from .catalog import F, S


def window(change):
    def damage(model, fixture, stack):
        return rebuilt(model, fixture, sliding_window=change(fixture.text["sliding_window"]))
    return damage


def window_everywhere(model, fixture, stack):
    replace(stack, code(model), "create_causal_mask", code(model).create_sliding_window_causal_mask)


def rope_parameters(model):
    return {kind: dict(model.config.rope_parameters[kind]) for kind in (S, F)}


def swapped_bases(model, fixture, stack):
    rope = rope_parameters(model)
    rope[S]["rope_theta"], rope[F]["rope_theta"] = rope[F]["rope_theta"], rope[S]["rope_theta"]
    return rebuilt_rope(model, fixture, rope)


def unscaled_positions(model, fixture, stack):
    rope = rope_parameters(model)
    if "factor" not in rope[F]:
        return False
    rope[F]["factor"] = 1.0
    return rebuilt_rope(model, fixture, rope)


def scaled_everywhere(model, fixture, stack):
    rope = rope_parameters(model)
    if "factor" not in rope[F]:
        return False
    rope[S].update(rope_type=rope[F]["rope_type"], factor=rope[F]["factor"])
    return rebuilt_rope(model, fixture, rope)


def rebuilt_rope(model, fixture, rope):
    keys = dict(rope_scaling=None) if "rope_scaling" in fixture.text else {}
    return rebuilt(model, fixture, rope_parameters=rope, **keys)


def neighbouring_pairs(model, fixture, stack):
    rotate = code(model).apply_rotary_pos_emb

    def regroup(value):
        if value.dim() != 4:
            return value
        return torch.cat((value[..., 0::2], value[..., 1::2]), -1)

    replace(stack, code(model), "apply_rotary_pos_emb",
            lambda *parts, **named: rotate(*map(regroup, parts), **named))


def interleaved_heads(model, fixture, stack):
    if all(a.num_key_value_groups in (1, a.config.num_attention_heads) for a in attentions(model)):
        return False
    replace(stack, code(model), "repeat_kv", lambda value, times: value.repeat(1, times, 1, 1))


def score_scale(model, fixture, stack):
    for attention in attentions(model):
        attention.scaling = attention.head_dim ** -0.5


def plain_norm(name):
    """Takes the weight of the named norms away."""
    def damage(model, fixture, stack):
        found = False
        for module_name, module in model.named_modules():
            if module_name.endswith("." + name) and getattr(module, "weight", None) is not None:
                module.weight.fill_(0.0 if fixture.family == "gemma3" else 1.0)
                found = True
        return None if found else False
    return damage


def final_norm(model, fixture, stack):
    model.model.norm.weight.fill_(float(model.model.norm.weight.abs().mean()))


def other_convention(model, fixture, stack):
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm") and getattr(module, "weight", None) is not None:
            module.weight.add_(-1.0 if fixture.family == "gemma3" else 1.0)


def raw_values(model, fixture, stack):
    norms = [a.v_norm for a in attentions(model) if getattr(a, "v_norm", None) is not None]
    for norm in norms:
        norm.forward = lambda value: value
    return None if norms else False


def embedding_scale(model, fixture, stack):
    model.model.embed_tokens.embed_scale.fill_(1.0)


def cap(model, fixture, stack):
    """Leaves the cap out (one of 1e6 does nothing); puts one of 15 in where there should be none."""
    model.config.final_logit_softcapping = 1e6 if model.config.final_logit_softcapping else 15.0


def exact_gelu(model, fixture, stack):
    for module in model.modules():
        if hasattr(module, "act_fn"):
            module.act_fn = torch.nn.GELU()


TABLE = {
    "no sliding window": (window(lambda w: 100_000), VISIBLE),
    "window one longer": (window(lambda w: w + 1), VISIBLE),
    "window one shorter": (window(lambda w: w - 1), VISIBLE),
    "window on full layers too": (window_everywhere, VISIBLE),
    "RoPE bases swapped": (swapped_bases, VISIBLE),
    "RoPE scaling left out": (unscaled_positions, VISIBLE),
    "RoPE scaling on sliding layers too": (scaled_everywhere, VISIBLE),
    "RoPE on neighbouring pairs": (neighbouring_pairs, VISIBLE),
    "query heads mapped h mod n": (interleaved_heads, VISIBLE),
    "scores scaled by 1/sqrt(D)": (score_scale, VISIBLE),
    "q_norm weight ignored": (plain_norm("q_norm"), VISIBLE),
    "k_norm weight ignored": (plain_norm("k_norm"), VISIBLE),
    "v norm left out": (raw_values, VISIBLE),
    "input norm weight ignored": (plain_norm("input_layernorm"), VISIBLE),
    "post-attention norm weight ignored": (plain_norm("post_attention_layernorm"), VISIBLE),
    "pre-feedforward norm weight ignored": (plain_norm("pre_feedforward_layernorm"), VISIBLE),
    "post-feedforward norm weight ignored": (plain_norm("post_feedforward_layernorm"), VISIBLE),
    "final norm weight flat": (final_norm, VISIBLE),
    "other norm convention (w or 1 + w)": (other_convention, VISIBLE),
    "embedding not scaled": (embedding_scale, VISIBLE),
    "final cap left out or put in": (cap, VISIBLE),
    "erf gelu in place of tanh gelu": (exact_gelu, SLIGHT),
}
