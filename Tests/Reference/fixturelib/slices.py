"""MatFormer slices of Gemma 3n: two unsliced fixtures of 35 layers, the recipes, and slicing by copying weights."""
import copy
import dataclasses

from . import random_weights
from .catalog import Affine, F, Fixture, S
from .catalog_gemma3n import text

LAYERS, SHARED = 35, 15
ODD = [2, 10, 21, 30]


def layers(*ranges):
    """{4, 20, 21} for (4, (20, 21)): single layers and first and last ones."""
    return {layer for item in ranges
            for layer in (range(item[0], item[1] + 1) if isinstance(item, tuple) else (item,))}


# google/gemma3n-slicing-configs: name -> (layers that keep all units, skipped ones); the others keep half.
PUBLISHED = {
    "Main model": (layers((0, 34)), []),
    "Config for official E2B Model": (set(), list(range(20, 25))),
    "Config for E1.96B (layer-level)": (layers(4), list(range(20, 25))),
    "Config for E2.54B (layer-level)": (layers(4, (20, 24)), []),
    "Config for E2.69B (layer-level)": (layers(4, 9, 14, 19, (20, 24)), []),
    "Config for E2.98B (layer-level)": (layers((15, 24), (30, 34)), []),
    "Config for E3.18B (layer-level)": (layers(4, (9, 24), 29, 34), []),
    "Config for E3.39B (layer-level)": (layers(4, (9, 29), 34), []),
    "Config for E3.59B (layer-level)": (layers((4, 29), 34), []),
    "Config for E3.79B (layer-level)": (layers((4, 34)), []),
    "Config for E2.49B (block-level)": (layers((20, 24)), []),
    "Config for E2.73B (block-level)": (layers((15, 24)), []),
    "Config for E2.98B (block-level)": (layers((10, 24)), []),
    "Config for E3.24B (block-level)": (layers((10, 29)), []),
    "Config for E3.49B (block-level)": (layers((5, 29)), []),
    "Config for E3.79B (block-level)": (layers((5, 34)), []),
}


def recipes():
    """{name: (layers that keep all units, skipped layers)}: the published ones and one that skips single layers of
    every kind, so that kinds, sparsity and per-layer columns have to be found layer by layer."""
    return dict(PUBLISHED, odd=(layers((0, 34)) - layers(1, 5, 22, 33), ODD))


def fixtures():
    common = dict(layer_types=([S] * 4 + [F]) * 7, num_kv_shared_layers=SHARED, num_attention_heads=2,
                  num_key_value_heads=1, head_dim=16, laurel_rank=4,
                  activation_sparsity_pattern=[0.95] * 10 + [0.0] * 25)
    return [
        Fixture("gemma3n-bf16", "unquantised", "gemma3n",
                text(vocab_size=64, vocab_size_per_layer_input=60, hidden_size=16, hidden_size_per_layer_input=4,
                     intermediate_size=[32] * LAYERS, **common)),
        Fixture("gemma3n-q4-g32", "4-bit group 32: half a width is one group", "gemma3n",
                text(vocab_size=48, vocab_size_per_layer_input=40, hidden_size=32, hidden_size_per_layer_input=32,
                     intermediate_size=[64] * LAYERS, **common),
                affine=Affine(4, 32)),
    ]


def weights(shapes, fixture):
    """Random weights under which rounding errors do not grow over 35 layers, as they do with those of the shallow
    fixtures."""
    arrays = random_weights.all_tensors(shapes, fixture)
    factors = {"prediction_coefs": 0.2, "correction_coefs": 0.3, "modality_router": 0.3}
    for name in arrays:
        module = name.removesuffix(".weight").split(".")[-1]
        factor = 0.3 if module.startswith("post_") else 0.4 if name == "norm.weight" else factors.get(module, 1.0)
        arrays[name] = (arrays[name] * factor).astype("float32")
    return arrays


def widths(fixture, wide, skipped):
    """One width per remaining layer."""
    full = fixture.text["intermediate_size"]
    return [full[layer] if layer in wide else full[layer] // 2 for layer in range(LAYERS) if layer not in skipped]


def sliced_fixture(fixture, wide, skipped):
    """The fixture's description as that of a model of its own."""
    keys = copy.deepcopy(fixture.text)
    kept = [layer for layer in range(LAYERS) if layer not in skipped]
    for key in ("layer_types", "activation_sparsity_pattern"):
        keys[key] = [keys[key][layer] for layer in kept]
    keys["intermediate_size"] = widths(fixture, wide, skipped)
    keys["num_hidden_layers"] = len(kept)
    keys["num_kv_shared_layers"] -= sum(layer >= LAYERS - SHARED for layer in skipped)
    return dataclasses.replace(fixture, text=keys)


def sliced_weights(fixture, arrays, wide, skipped):
    """{name: tensor} of the slice, from the whole model's."""
    kept = [layer for layer in range(LAYERS) if layer not in skipped]
    number = {str(old): str(new) for new, old in enumerate(kept)}
    width = dict(zip(kept, widths(fixture, wide, skipped), strict=True))
    columns = fixture.text["hidden_size_per_layer_input"]
    result = {}
    for name, value in arrays.items():
        parts = name.split(".")
        if parts[0] == "layers":
            if parts[1] not in number:
                continue
            units = width[int(parts[1])]
            if parts[3] in ("gate_proj", "up_proj"):
                value = value[:units]
            elif parts[3] == "down_proj":
                value = value[:, :units]
            parts[1] = number[parts[1]]
        elif parts[0] == "per_layer_model_projection":
            value = value.reshape(LAYERS, columns, -1)[kept].flatten(0, 1)
        elif parts[0] == "embed_tokens_per_layer":
            value = value.reshape(-1, LAYERS, columns)[:, kept].flatten(1)
        result[".".join(parts)] = value.contiguous()
    return result
