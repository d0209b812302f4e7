"""Gemma 3: 1 + w norms, two RoPE bases, a score scale that does not come from the head size."""
from .catalog import Affine, F, Fixture, S, SHARED_KEYS


def text(**keys):
    base = dict(SHARED_KEYS, model_type="gemma3_text", vocab_size=275, hidden_size=64, intermediate_size=80,
                num_hidden_layers=5, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
                query_pre_attn_scalar=20, sliding_window=16, layer_types=[S, S, F, S, F],
                rope_theta=1000000.0, rope_local_base_freq=10000.0, rope_scaling=None,
                attn_logit_softcapping=None, final_logit_softcapping=None, sliding_window_pattern=3)
    base.update(keys)
    return base


def fixtures():
    no_bare_rope = dict(rope_theta=None, rope_local_base_freq=None, rope_scaling=None)
    linear = {F: dict(rope_type="linear", factor=8.0, rope_theta=1000000.0),
              S: dict(rope_type="default", rope_theta=10000.0)}
    return [
        Fixture("gemma3-bf16", "bare text config, bf16, sliding and full layers, grouped queries", "gemma3", text(),
                window=16),
        Fixture("gemma3-f32-linear-rope", "wrapper config, f32, linear RoPE scaling as rope_scaling, lm_head copy",
                "gemma3", text(num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=64,
                               layer_types=[S, F], sliding_window=8, query_pre_attn_scalar=40,
                               rope_scaling=dict(factor=8.0, rope_type="linear")),
                prefix="language_model.model.", wrapped=True, plain_type="f32", duplicate_head=True),
        Fixture("gemma3-q4-g64", "4-bit group 64, bare config, linear RoPE scaling as rope_parameters", "gemma3",
                without(text(num_hidden_layers=4, intermediate_size=128, layer_types=[S, F, S, F], sliding_window=8,
                             rope_parameters=linear), no_bare_rope),
                affine=Affine(4, 64)),
        Fixture("gemma3-q8-g32", "8-bit group 32 with f32 scales", "gemma3",
                text(num_hidden_layers=3, intermediate_size=96, layer_types=[S, F, S], sliding_window=8),
                affine=Affine(8, 32, parameter_type="f32"), plain_type="f32"),
    ]


def without(keys, names):
    return {key: value for key, value in keys.items() if key not in names}
