"""Writes the trained network as a folder in the layout of the published MLX models, and reads it back."""
import json
import os
import shutil
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from .quantise import dequantise, pack, quantise


def write(model, recipe, tokenizer_file, folder):
    """model.safetensors, config.json, generation_config.json and tokenizer.json; a model card is left alone."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    storage, prefix = recipe.storage, recipe.prefix
    quantization = {"group_size": storage.group, "bits": storage.default_bits, "mode": "affine"}
    tensors = {prefix + name: tensor for name, tensor in recipe.buffers(model).items()}
    for name, parameter in recipe.weights(model).items():
        tensor, bits = parameter.detach(), storage.bits_of(name, parameter)
        if bits is None:
            tensors[prefix + name] = tensor.bfloat16().contiguous()
            continue
        module = name.removesuffix(".weight")
        if bits != storage.default_bits:
            quantization[prefix + module] = {"group_size": storage.group, "bits": bits}
        q, scales, biases = quantise(tensor, bits, storage.group)
        tensors[prefix + name] = torch.from_numpy(pack(q, bits))
        tensors[f"{prefix}{module}.scales"] = scales.bfloat16()
        tensors[f"{prefix}{module}.biases"] = biases.bfloat16()
    part = folder / "model.safetensors.part"
    save_file(tensors, part, metadata={"format": "mlx"})
    os.replace(part, folder / "model.safetensors")
    os.chmod(folder / "model.safetensors", 0o644)
    vocab = json.loads(Path(tokenizer_file).read_text(encoding="utf-8"))["model"]["vocab"]
    dump(recipe.file_config(model, quantization, vocab), folder / "config.json")
    dump(recipe.generation, folder / "generation_config.json")
    if recipe.has_tokenizer:
        shutil.copyfile(tokenizer_file, folder / "tokenizer.json")


def dump(value, path):
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def unpack(words, bits):
    """Inverse of quantise.pack: uint32 words as int64 [out, in]."""
    words = words.to(torch.int64) & 0xFFFFFFFF
    shifts = torch.arange(32 // bits) * bits
    return ((words[..., None] >> shifts) & (2 ** bits - 1)).flatten(-2)


def read(folder, recipe):
    """{name without prefix: float32 tensor} from the files alone, widths taken from config.json."""
    folder = Path(folder)
    quantization = json.loads((folder / "config.json").read_text())["quantization"]
    out = {}
    with safe_open(folder / "model.safetensors", "pt") as file:
        names = set(file.keys())
        for name in names:
            module = name.removesuffix(".weight")
            if name.endswith((".scales", ".biases")):
                continue
            tensor = file.get_tensor(name)
            if tensor.dtype == torch.int64:  # a buffer
                continue
            if module + ".scales" in names:
                bits = quantization.get(module, quantization)["bits"]
                scales, biases = (file.get_tensor(f"{module}.{k}").float() for k in ("scales", "biases"))
                tensor = dequantise(unpack(tensor, bits), scales, biases)
            out[name.removeprefix(recipe.prefix)] = tensor.float()
    return out


def load_into(own, weights):
    """Puts weights read from a folder into the parameters of a transformers model."""
    if own.keys() != weights.keys():
        raise SystemExit(f"names differ: {sorted(own.keys() ^ weights.keys())}")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(weights[name])
