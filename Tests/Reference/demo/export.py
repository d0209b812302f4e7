"""Writes the trained network as a folder in the layout of the published MLX models, and reads it back."""
import json
import os
import shutil
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from .quantise import GROUP, bits_of, dequantise, pack, quantise

PREFIX = "language_model.model."
DEFAULT_BITS = 4
GENERATION = {"bos_token_id": 2, "pad_token_id": 0, "eos_token_id": [1, 106], "do_sample": True,
              "temperature": 0.7, "top_k": 40, "top_p": 0.95}
TEXT_KEYS = """vocab_size vocab_size_per_layer_input hidden_size hidden_size_per_layer_input intermediate_size
num_hidden_layers num_attention_heads num_key_value_heads head_dim num_kv_shared_layers layer_types sliding_window
activation_sparsity_pattern hidden_activation laurel_rank altup_num_inputs altup_active_idx altup_coef_clip
altup_correct_scale final_logit_softcapping max_position_embeddings rms_norm_eps attention_bias attention_dropout
initializer_range pad_token_id bos_token_id eos_token_id""".split()


def config(model, overrides, tokenizer_vocab):
    """config.json in the style of the published checkpoints: the text model inside a multimodal wrapper."""
    text = {k: getattr(model.config, k) for k in TEXT_KEYS}
    rope = model.config.rope_parameters
    text |= {"model_type": "gemma3n_text", "rope_theta": rope["full_attention"]["rope_theta"], "rope_scaling": None,
             "rope_local_base_freq": rope["sliding_attention"]["rope_theta"], "tie_word_embeddings": True}
    quantization = {"group_size": GROUP, "bits": DEFAULT_BITS, "mode": "affine"}
    quantization |= {PREFIX + name: {"group_size": GROUP, "bits": bits} for name, bits in overrides.items()}
    media = {"boi_token_id": "<start_of_image>", "eoi_token_id": "<end_of_image>", "image_token_id":
             "<image_soft_token>", "boa_token_id": "<start_of_audio>", "eoa_token_id": "<end_of_audio>",
             "audio_token_id": "<audio_soft_token>"}
    return {"architectures": ["Gemma3nForConditionalGeneration"], "model_type": "gemma3n", "text_config": text,
            "eos_token_id": [1, 106], "tie_word_embeddings": True, "dtype": "bfloat16",
            **{key: tokenizer_vocab[piece] for key, piece in media.items()},
            "quantization": quantization, "quantization_config": quantization}


def write(model, tokenizer_file, folder):
    """model.safetensors, config.json, generation_config.json and tokenizer.json; the model card is left alone."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tensors, overrides = {}, {}
    for name, parameter in model.model.named_parameters():
        tensor, bits = parameter.detach(), bits_of(name, parameter)
        if bits is None:
            tensors[PREFIX + name] = tensor.bfloat16().contiguous()
            continue
        module = name.removesuffix(".weight")
        if bits != DEFAULT_BITS:
            overrides[module] = bits
        q, scales, biases = quantise(tensor, bits)
        tensors[PREFIX + name] = torch.from_numpy(pack(q, bits))
        tensors[f"{PREFIX}{module}.scales"] = scales.bfloat16()
        tensors[f"{PREFIX}{module}.biases"] = biases.bfloat16()
    part = folder / "model.safetensors.part"
    save_file(tensors, part, metadata={"format": "mlx"})
    os.replace(part, folder / "model.safetensors")
    os.chmod(folder / "model.safetensors", 0o644)
    vocab = json.loads(Path(tokenizer_file).read_text(encoding="utf-8"))["model"]["vocab"]
    dump(config(model, overrides, vocab), folder / "config.json")
    dump(GENERATION, folder / "generation_config.json")
    shutil.copyfile(tokenizer_file, folder / "tokenizer.json")


def dump(value, path):
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def unpack(words, bits):
    """Inverse of quantise.pack: uint32 words as int64 [out, in]."""
    words = words.to(torch.int64) & 0xFFFFFFFF
    shifts = torch.arange(32 // bits) * bits
    return ((words[..., None] >> shifts) & (2 ** bits - 1)).flatten(-2)


def read(folder):
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
            if module + ".scales" in names:
                bits = quantization.get(module, quantization)["bits"]
                scales, biases = (file.get_tensor(f"{module}.{k}").float() for k in ("scales", "biases"))
                tensor = dequantise(unpack(tensor, bits), scales, biases)
            out[name.removeprefix(PREFIX)] = tensor.float()
    return out


def load_into(model, weights):
    """Puts weights read from a folder into a transformers model of the same shape."""
    own = dict(model.model.named_parameters())
    if own.keys() != weights.keys():
        raise SystemExit(f"names differ: {sorted(own.keys() ^ weights.keys())}")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(weights[name])
