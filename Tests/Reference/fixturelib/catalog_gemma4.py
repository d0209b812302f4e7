"""Gemma 4: two head sizes, proportional RoPE, layer scalars, double-wide sharing layers, keys that are values."""
from .catalog import Affine, F, Fixture, S, SHARED_KEYS


def text(**keys):
    base = dict(SHARED_KEYS, model_type="gemma4_text", vocab_size=275, vocab_size_per_layer_input=275, hidden_size=64,
                hidden_size_per_layer_input=16, intermediate_size=64, num_attention_heads=4, num_key_value_heads=1,
                num_global_key_value_heads=None, head_dim=32, global_head_dim=64, attention_k_eq_v=False,
                enable_moe_block=False, use_double_wide_mlp=False, num_kv_shared_layers=0, num_experts=None,
                top_k_experts=None, moe_intermediate_size=None, final_logit_softcapping=30.0, sliding_window=8,
                use_bidirectional_attention=None,
                rope_parameters={F: dict(rope_type="proportional", partial_rotary_factor=0.25, rope_theta=1000000.0),
                                 S: dict(rope_type="default", rope_theta=10000.0)})
    base.update(keys)
    base.setdefault("num_hidden_layers", len(base["layer_types"]))
    return base


def fixtures():
    shared = dict(layer_types=[S, F, S, F], num_kv_shared_layers=2, use_double_wide_mlp=True)
    per_layer = text(layer_types=[S, S, F], hidden_size_per_layer_input=0, num_attention_heads=2,
                     num_key_value_heads=2, per_layer_config={"2": dict(head_dim=64, num_key_value_heads=1)}, intermediate_size=72)
    for key in ("global_head_dim", "num_global_key_value_heads"):
        del per_layer[key]
    return [
        Fixture("gemma4-e", "per-layer embeddings, two owners of each kind, sharing of both kinds, double-wide MLP, "
                "no unused k/v in the file", "gemma4",
                text(layer_types=[S, F, S, F, S, S, F], num_kv_shared_layers=2, use_double_wide_mlp=True,
                     num_attention_heads=2, sliding_window=16),
                prefix="model.language_model.", wrapped=True, window=16),
        Fixture("gemma4-keqv", "values from the raw key projection on full layers, other key heads there, no per-layer "
                "embeddings", "gemma4",
                text(layer_types=[S, F, S, F], hidden_size_per_layer_input=0, attention_k_eq_v=True,
                     num_key_value_heads=2, num_global_key_value_heads=1),
                prefix="model.language_model.", wrapped=True),
        Fixture("gemma4-per-layer-config", "bare config with per_layer_config in place of the global_* keys", "gemma4",
                per_layer),
        Fixture("gemma4-q4-g64", "4-bit group 64, per_layer_model_projection kept, 8-bit MLP in one layer", "gemma4",
                text(hidden_size_per_layer_input=64, **shared), prefix="language_model.model.", wrapped=True,
                affine=Affine(4, 64, {"per_layer_model_projection": False, "layers.1.mlp.gate_proj": (8, 64),
                                      "layers.1.mlp.up_proj": (8, 64), "layers.1.mlp.down_proj": (8, 64)})),
        Fixture("gemma4-q8-g32", "8-bit group 32, f16 scales, unused k/v present, two shards", "gemma4",
                text(hidden_size_per_layer_input=32, intermediate_size=96, **shared),
                prefix="language_model.model.", wrapped=True, plain_type="f16", shards=2, store_shared_keys=True,
                affine=Affine(8, 32, parameter_type="f16")),
        Fixture("gemma4-q4-g128", "4-bit group 128, keys that are values, no per-layer embeddings", "gemma4",
                text(layer_types=[S, F, F], hidden_size=128, hidden_size_per_layer_input=0, intermediate_size=128,
                     attention_k_eq_v=True, num_key_value_heads=2, num_global_key_value_heads=2),
                affine=Affine(4, 128), prefix="language_model.model.", wrapped=True),
        Fixture("gemma4-big-heads", "head sizes 256 and 512, 4-bit group 64", "gemma4",
                text(layer_types=[S, F], num_attention_heads=2, head_dim=256, global_head_dim=512,
                     hidden_size_per_layer_input=0), affine=Affine(4, 64), prefix="language_model.model.", wrapped=True),
    ]
