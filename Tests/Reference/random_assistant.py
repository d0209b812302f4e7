#!/usr/bin/env python3
"""Writes a random drafter of a published shape for a Gemma 4 folder: for measuring, no guess of it is any good.

usage: random_assistant.py TARGET OUTPUT [--affine BITS] [--group SIZE]

TARGET is a model folder whose config.json says what to fit; OUTPUT becomes a folder of the same layout. The drafter
has the sizes that E2B's and E4B's have where the target has per-layer embeddings, else those of the larger models.
"""
import argparse
import json
import os
import types

import numpy as np
import torch

from fixturelib import checkpoint, drafters
from fixturelib.catalog import Affine, F, S

SMALL = dict(hidden=256, width=2048, heads=4, clusters=2048, top=32)
LARGE = dict(hidden=1024, width=8192, heads=16, clusters=None, top=None)


def tensors(shapes, settings, seed=0):
    """One tensor after the other, so that a large drafter needs little memory: (name, {stored name: tensor})."""
    rng = np.random.default_rng(seed)
    for name, shape in shapes.items():
        if name == drafters.ORDERING:
            yield {name: torch.from_numpy(rng.permutation(shape[0]))}
        elif len(shape) == 1:
            yield {name: torch.ones(shape, dtype=torch.bfloat16)}
        else:
            array = rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[1] ** 0.5)
            yield checkpoint.stored_tensors({name: array}, "", "bf16", settings, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("output")
    parser.add_argument("--affine", type=int, choices=(4, 8), help="quantise as MLX does; bf16 by default")
    parser.add_argument("--group", type=int, choices=(32, 64, 128), default=64)
    options = parser.parse_args()
    with open(os.path.join(options.target, "config.json"), encoding="utf-8") as file:
        whole = json.load(file)
    text = whole.get("text_config", whole)
    shape = SMALL if text.get("hidden_size_per_layer_input") else LARGE
    unified = "unified" in whole["model_type"]
    settings = Affine(options.affine, options.group) if options.affine else None
    drafter = types.SimpleNamespace(
        model_type="gemma4_unified_assistant" if unified else "gemma4_assistant",
        text_type="gemma4_unified_text" if unified else "gemma4_text", layer_types=[S, S, S, F], affine=settings, **shape)
    content = drafters.config(drafter, text)
    with torch.device("meta"):
        shapes = {name: tuple(value.shape) for name, value in drafters.empty_model(content).state_dict().items()
                  if not name.startswith("lm_head")}
    stored = {}
    for part in tensors(shapes, settings):
        stored.update(part)
    os.makedirs(options.output, exist_ok=True)
    checkpoint.write_weights(options.output, stored, 1, "mlx" if settings else "pt")
    checkpoint.write_json(options.output, "config.json", content)
    count = sum(int(np.prod(size)) for name, size in shapes.items() if name != drafters.ORDERING)
    print(f"{options.output}: {count / 1e6:.2f} M parameters")


if __name__ == "__main__":
    main()
