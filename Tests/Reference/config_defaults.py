#!/usr/bin/env python3
"""Writes what transformers makes of config.json files that leave out one key: Tests/Fixtures/config/expected.json.

usage: config_defaults.py [--output FILE]

For each family there are configs with a value of its own for every key our parser reads, and what the model is then,
read from the modules that transformers builds, not from the configuration's attributes. Each case leaves out one key
(or all but the needed ones) and says which of those numbers become what, or that transformers refuses it.
"""
import argparse
import copy
import json
import os

import torch
import transformers
from transformers.models.gemma3 import modeling_gemma3 as gemma3
from transformers.models.gemma3n import modeling_gemma3n as gemma3n
from transformers.models.gemma4 import modeling_gemma4 as gemma4
from transformers.models.gemma4_unified import modeling_gemma4_unified as gemma4_unified

DEFAULT = os.path.join(os.path.dirname(__file__), "..", "Fixtures", "config", "expected.json")
REQUIRED = ("model_type", "hidden_size", "intermediate_size", "num_hidden_layers")

COMMON = dict(
    vocab_size=320, hidden_size=64, intermediate_size=96, num_hidden_layers=7, num_attention_heads=4,
    num_key_value_heads=2, head_dim=32, max_position_embeddings=500, sliding_window=24, rms_norm_eps=1e-5,
    final_logit_softcapping=20.0, hidden_activation="gelu_pytorch_tanh", attention_bias=False,
    tie_word_embeddings=True, eos_token_id=[1, 7], pad_token_id=0, bos_token_id=2,
    layer_types=["full_attention" if i in (1, 3, 4, 6) else "sliding_attention" for i in range(7)])
WITHOUT_TYPES = {key: value for key, value in COMMON.items() if key != "layer_types"}
ROPE = dict(sliding_attention=dict(rope_type="default", rope_theta=5000.0),
            full_attention=dict(rope_type="linear", rope_theta=70000.0, factor=4.0))
PROPORTIONAL = dict(sliding_attention=dict(rope_type="default", rope_theta=5000.0),
                    full_attention=dict(rope_type="proportional", rope_theta=70000.0, partial_rotary_factor=0.5))
LEGACY_ROPE = dict(rope_theta=70000.0, rope_local_base_freq=5000.0, rope_scaling=dict(rope_type="linear", factor=4.0))
PER_LAYER = dict(vocab_size_per_layer_input=300, hidden_size_per_layer_input=32)
GEMMA3N = dict(num_kv_shared_layers=2, laurel_rank=16, altup_correct_scale=False, altup_num_inputs=4,
               altup_active_idx=0, activation_sparsity_pattern=[0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0])
GEMMA4 = dict(attention_k_eq_v=True, use_double_wide_mlp=True, num_kv_shared_layers=2, global_head_dim=64,
              num_global_key_value_heads=1, use_bidirectional_attention="vision")

CONFIGS = {
    "gemma3": dict(COMMON, model_type="gemma3_text", query_pre_attn_scalar=100, rope_parameters=ROPE),
    "gemma3, older keys": dict(WITHOUT_TYPES, model_type="gemma3_text", sliding_window_pattern=3, **LEGACY_ROPE),
    "gemma3n": dict(COMMON, model_type="gemma3n_text", rope_parameters=ROPE, **PER_LAYER, **GEMMA3N),
    "gemma3n, older keys": dict(COMMON, model_type="gemma3n_text", **PER_LAYER, **GEMMA3N, **LEGACY_ROPE),
    "gemma4": dict(COMMON, model_type="gemma4_text", rope_parameters=PROPORTIONAL, enable_moe_block=False, **PER_LAYER,
                   **GEMMA4),
    "gemma4, keys per layer": dict(
        WITHOUT_TYPES, model_type="gemma4_text", rope_parameters=PROPORTIONAL, attention_k_eq_v=True, **PER_LAYER,
        per_layer_config={str(i): dict(head_dim=64, num_key_value_heads=1) for i in (5, 6)}),
    "gemma4_unified": dict(COMMON, model_type="gemma4_unified_text", rope_parameters=PROPORTIONAL, **GEMMA4),
}

MODELS = {
    "gemma3_text": (gemma3.Gemma3TextConfig, gemma3.Gemma3TextModel, gemma3.Gemma3RotaryEmbedding),
    "gemma3n_text": (gemma3n.Gemma3nTextConfig, gemma3n.Gemma3nTextModel, gemma3n.Gemma3nRotaryEmbedding),
    "gemma4_text": (gemma4.Gemma4TextConfig, gemma4.Gemma4TextModel, gemma4.Gemma4TextRotaryEmbedding),
    "gemma4_unified_text": (gemma4_unified.Gemma4UnifiedTextConfig, gemma4_unified.Gemma4UnifiedTextModel,
                            gemma4_unified.Gemma4UnifiedTextRotaryEmbedding),
}


def rotary_numbers(rotary, kind):
    """How many pairs are rotated, and the frequencies of the first two."""
    frequencies = getattr(rotary, kind + "_inv_freq").tolist()
    return dict(pairs=sum(value > 0 for value in frequencies), frequencies=frequencies[:2])


def layer_numbers(model, index):
    layer, config = model.layers[index], model.config
    attention, kind = layer.self_attn, config.layer_types[index]
    modes = getattr(config, "kv_sharing_modes", [None] * len(model.layers))
    source = index
    if modes[index] == "reuse":
        source = [i for i, mode in enumerate(modes) if mode != "reuse" and config.layer_types[i] == kind][-1]
    owner = model.layers[source].self_attn
    return dict(
        kinds=kind, head_dimensions=attention.head_dim,
        key_value_heads=owner.k_proj.out_features // attention.head_dim,
        feed_forward_widths=layer.mlp.gate_proj.out_features,
        sparsities=getattr(layer.mlp, "activation_sparsity", 0.0), key_value_sources=source,
        values_from_keys=getattr(owner, "v_proj", None) is None, scales=attention.scaling)


def model_numbers(config):
    config_class, model_class, rotary_class = MODELS[config["model_type"]]
    config = config_class.from_dict(copy.deepcopy(config))
    rotary = rotary_class(config)
    with torch.device("meta"):
        model = model_class(config)
    per_layer = getattr(model, "embed_tokens_per_layer", None)
    laurel = getattr(model.layers[0], "laurel", None)
    windows = {layer.self_attn.sliding_window for layer in model.layers} - {None}
    eos = config.eos_token_id
    numbers = dict(
        vocabulary=model.embed_tokens.num_embeddings, hidden=model.embed_tokens.embedding_dim,
        heads=model.layers[0].self_attn.q_proj.out_features // model.layers[0].self_attn.head_dim,
        window=windows.pop(), positions=config.max_position_embeddings, epsilon=model.norm.eps,
        softcap=config.final_logit_softcapping,
        per_layer_vocabulary=per_layer.num_embeddings if per_layer is not None else 0,
        per_layer_width=per_layer.embedding_dim // len(model.layers) if per_layer is not None else 0,
        laurel_rank=laurel.linear_left.out_features if laurel is not None else 0,
        corrects_scale=bool(getattr(config, "altup_correct_scale", False)),
        stop_tokens=eos if isinstance(eos, list) else [eos],
        rotary={kind: rotary_numbers(rotary, kind) for kind in sorted(set(config.layer_types))})
    columns = [layer_numbers(model, index) for index in range(len(model.layers))]
    return numbers | {key: [column[key] for column in columns] for key in columns[0]}


def without(config, path):
    copied = copy.deepcopy(config)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return copied


def paths(config):
    """Every key that can be left out, those of the rotary maps too."""
    for key, value in config.items():
        yield (key,)
        for inner, content in value.items() if key.startswith("rope") and isinstance(value, dict) else ():
            yield (key, inner)
            for innermost in content if isinstance(content, dict) else ():
                yield (key, inner, innermost)


def case(removed, config, base):
    try:
        numbers = model_numbers(config)
    except Exception as error:  # whatever transformers says against a config, it is refused
        return dict(removed=removed, refused=f"{type(error).__name__}: {error}".split("\n")[0][:120])
    return dict(removed=removed, changed={key: value for key, value in numbers.items() if value != base[key]})


def group(name, config):
    base = model_numbers(config)
    cases = [case(list(path), without(config, path), base) for path in paths(config) if path[0] != "model_type"]
    bare = {key: value for key, value in config.items() if key in REQUIRED}
    if "num_kv_shared_layers" in config:
        bare.update(num_kv_shared_layers=0)  # the default of Gemma 3n wants more layers
    return dict(name=name, config=config, expected=base, bare=dict(config=bare, **case([], bare, base)), cases=cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=DEFAULT)
    output = parser.parse_args().output
    groups = [group(name, config) for name, config in CONFIGS.items()]
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output, "w", encoding="utf-8") as file:
        json.dump(dict(command="python3 Tests/Reference/config_defaults.py", transformers=transformers.__version__,
                       groups=groups), file, indent=1)
        file.write("\n")
    cases = [entry for entry in groups for entry in entry["cases"]]
    print(f"{len(cases)} cases, {sum('refused' in entry for entry in cases)} of them refused by transformers")


if __name__ == "__main__":
    main()
