"""Writes a fixture's folder in the published layouts, and reads a folder back as float32 tensors."""
import json
import os

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from . import affine

TORCH_TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
NEVER_QUANTIZED = ("norm", "prediction_coefs", "correction_coefs", "correct_output_scale", "layer_scalar")


def recipe(name, array, settings):
    """(bits, group) for a matrix that gets quantised, else None. `name` has no prefix."""
    if settings is None or array.ndim != 2 or not name.endswith(".weight"):
        return None
    module = name.removesuffix(".weight")
    if module.endswith(NEVER_QUANTIZED):
        return None
    bits, group = settings.bits, settings.group
    if module in settings.overrides:
        if settings.overrides[module] is False:
            return None
        bits, group = settings.overrides[module]
    return (bits, group) if array.shape[1] % group == 0 else None


def write(folder, fixture, arrays):
    """Writes config.json, generation_config.json and the weight files."""
    os.makedirs(folder, exist_ok=True)
    tensors = stored_tensors(arrays, fixture.prefix, fixture.plain_type, fixture.affine, fixture.name)
    if fixture.duplicate_head:
        head = "language_model.lm_head.weight" if fixture.prefix.startswith("language_model.") else "lm_head.weight"
        tensors[head] = tensors[fixture.prefix + "embed_tokens.weight"].clone()
    write_weights(folder, tensors, fixture.shards, "mlx" if fixture.affine else "pt")
    write_json(folder, "config.json", fixture.config())
    write_json(folder, "generation_config.json", dict(bos_token_id=2, eos_token_id=[1, 106], pad_token_id=0,
                                                      do_sample=True, temperature=1.0, top_k=64, top_p=0.95))


def stored_tensors(arrays, prefix, plain_type, settings, owner):
    """{stored name: tensor} for {name without prefix: float32 array}, quantised where `settings` say so."""
    unused = set(settings.overrides) if settings else set()
    plain, tensors = TORCH_TYPES[plain_type], {}
    for name, array in arrays.items():
        stored = prefix + name
        chosen = recipe(name, array, settings)
        unused.discard(name.removesuffix(".weight"))
        if chosen is None:
            tensors[stored] = torch.from_numpy(array).to(plain)
            continue
        bits, group = chosen
        codes, scales, biases = affine.quantize(array, bits, group)
        parameters = TORCH_TYPES[settings.parameter_type]
        module = stored.removesuffix(".weight")
        tensors[stored] = torch.from_numpy(affine.pack(codes, bits))
        tensors[module + ".scales"] = torch.from_numpy(scales).to(parameters)
        tensors[module + ".biases"] = torch.from_numpy(biases).to(parameters)
    if unused:
        raise ValueError(f"{owner}: overrides name no module: {sorted(unused)}")
    return tensors


def write_weights(folder, tensors, shards, kind):
    names = sorted(tensors)

    def save(file, chosen):
        path = os.path.join(folder, file)
        save_file({name: tensors[name].contiguous() for name in chosen}, path, metadata={"format": kind})
        os.chmod(path, 0o644)

    if shards == 1:
        save("model.safetensors", names)
        return
    index, total = {}, 0
    for shard in range(shards):
        file = f"model-{shard + 1:05d}-of-{shards:05d}.safetensors"
        part = names[shard::shards]
        save(file, part)
        index.update({name: file for name in part})
        total += sum(tensors[name].numel() * tensors[name].element_size() for name in part)
    write_json(folder, "model.safetensors.index.json",
               dict(metadata=dict(total_size=total), weight_map=dict(sorted(index.items()))))


def write_json(folder, file, content):
    with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
        json.dump(content, out, indent=1)
        out.write("\n")


def read(folder, prefix):
    """{name without prefix: float32 tensor}, dequantised by the settings in config.json; lm_head copies are left out."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        settings = json.load(file).get("quantization")
    stored = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".safetensors"):
            with safe_open(os.path.join(folder, file), framework="pt") as part:
                stored.update({name: part.get_tensor(name) for name in part.keys()})
    arrays = {}
    for name, value in stored.items():
        if not name.startswith(prefix) or name.endswith((".scales", ".biases")):
            continue
        module = name.removesuffix(".weight")
        if module + ".scales" in stored:
            setting = settings.get(module, settings)
            scales, biases = (stored[module + end].float().numpy() for end in (".scales", ".biases"))
            value = torch.from_numpy(affine.dequantize(value.numpy(), scales, biases,
                                                       setting["bits"], setting["group_size"]))
        arrays[name.removeprefix(prefix)] = value.float()
    return arrays
