"""Gemma 3n: AltUp streams, LAuReL, per-layer embeddings, sparse gates, shared keys and values."""
from .catalog import Affine, F, Fixture, S, SHARED_KEYS


def text(**keys):
    base = dict(SHARED_KEYS, model_type="gemma3n_text", vocab_size=275, vocab_size_per_layer_input=256, hidden_size=64,
                hidden_size_per_layer_input=16, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
                laurel_rank=16, altup_num_inputs=4, altup_active_idx=0, altup_coef_clip=120.0, altup_correct_scale=True,
                final_logit_softcapping=30.0, rope_theta=1000000.0, rope_local_base_freq=10000.0, rope_scaling=None,
                sliding_window=8)
    base.update(keys)
    base.setdefault("num_hidden_layers", len(base["layer_types"]))
    return base


def fixtures():
    small = dict(layer_types=[S, F, S, F], num_kv_shared_layers=2, activation_sparsity_pattern=[0.95, 0.0, 0.0, 0.0])
    wrapper = dict(wrapped=True, prefix="language_model.model.")
    return [
        Fixture("gemma3n-full", "everything on: two owners of each kind, sharing of both kinds, per-layer widths, "
                "ids beyond the per-layer table, unused k/v present, three shards", "gemma3n",
                text(layer_types=[S, F, S, F, S, S, F], num_kv_shared_layers=2,
                     intermediate_size=[128, 96, 64, 64, 48, 48, 64],
                     activation_sparsity_pattern=[0.95, 0.95, 0.0, 0.0, 0.0, 0.0, 0.0]),
                prefix="model.language_model.", wrapped=True, shards=3, store_shared_keys=True),
        Fixture("gemma3n-bare", "bare config, f16, one key head, no sharing, no correct scale, odd widths, "
                "rope_parameters spelling", "gemma3n",
                without(text(layer_types=[S, S, F], num_kv_shared_layers=0, intermediate_size=72, num_key_value_heads=1,
                             activation_sparsity_pattern=[0.95, 0.0, 0.0], altup_correct_scale=False,
                             vocab_size=261, vocab_size_per_layer_input=261,
                             rope_parameters={F: dict(rope_type="default", rope_theta=500000.0),
                                              S: dict(rope_type="default", rope_theta=20000.0)})),
                plain_type="f16"),
        Fixture("gemma3n-q4-g64", "4-bit group 64 with 8-bit overrides, per_layer_model_projection kept in bf16",
                "gemma3n", text(hidden_size_per_layer_input=64, laurel_rank=64, intermediate_size=[128] * 4, **small),
                affine=Affine(4, 64, {"per_layer_model_projection": False,
                                      "layers.0.mlp.gate_proj": (8, 32), "layers.0.mlp.up_proj": (8, 32),
                                      "layers.0.mlp.down_proj": (8, 32), "layers.2.self_attn.q_proj": (8, 64),
                                      "layers.3.altup.modality_router": (8, 64)}), **wrapper),
        Fixture("gemma3n-q4-g32", "4-bit group 32 with f16 scales, some inputs too few for a group", "gemma3n",
                text(hidden_size_per_layer_input=32, laurel_rank=16, intermediate_size=[96] * 4, **small),
                affine=Affine(4, 32, parameter_type="f16"), plain_type="f16", **wrapper),
        Fixture("gemma3n-q8-g32", "8-bit group 32, window 32, unused k/v present", "gemma3n",
                text(hidden_size_per_layer_input=32, laurel_rank=32, intermediate_size=[64] * 4, sliding_window=32,
                     **small),
                affine=Affine(8, 32), store_shared_keys=True, window=32, **wrapper),
    ]


def without(keys, names=("rope_theta", "rope_local_base_freq", "rope_scaling")):
    return {key: value for key, value in keys.items() if key not in names}
