#!/usr/bin/env python3
"""Writes what transformers computes in float32 with the real Gemma 3 270M.

usage: real_expectations.py --model FOLDER --corpus FOLDER [--output FOLDER] [hf] [mlx4]
  FOLDER of --model holds hf/ (bf16) and mlx4/ (affine 4-bit, group 64; dequantised here as scale * q + bias).

The output has numbers only, and the page of the corpus (public domain) that was scored.
"""
import argparse
import json
import math
import os
import types

import tokenizers
import torch
import transformers

from fixturelib import checkpoint, expected, reference

DEFAULT = os.path.join(os.path.dirname(__file__), "..", "Fixtures", "real-gemma3-270m")
PROMPT, STEPS = "The capital of France is", 32
PAGE_FILE, PAGE_START, PAGE_IDS = "Alice-s-Adventures-in-Wonderland_11.txt", 12000, 300
BEGIN = 2


def load(folder):
    """The float32 model and its config.json."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    text = {key: value for key, value in config.items()
            if key not in ("architectures", "quantization", "quantization_config", "torch_dtype")}
    fixture = types.SimpleNamespace(name=folder, family="gemma3", text=text)
    return reference.load(fixture, checkpoint.read(folder, "model."))


def page(corpus, tokenizer):
    """(text, first character, end character, ids): a stretch that makes exactly PAGE_IDS ids, begin-of-text included."""
    with open(os.path.join(corpus, PAGE_FILE), encoding="utf-8", newline="") as file:
        content = file.read()
    for end in range(PAGE_START + 2 * PAGE_IDS, len(content)):
        text = content[PAGE_START:end]
        ids = [BEGIN] + tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) == PAGE_IDS:
            return text, PAGE_START, end, ids
        if len(ids) > PAGE_IDS:
            raise ValueError(f"no stretch of {PAGE_FILE} from {PAGE_START} on makes {PAGE_IDS} ids")
    raise ValueError(f"{PAGE_FILE} is too short")


def compute(kind, folder, corpus):
    model = load(folder)
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    prompt = [BEGIN] + tokenizer.encode(PROMPT, add_special_tokens=False).ids
    chosen, margins = reference.greedy(model, prompt, STEPS)
    text, start, end, ids = page(corpus, tokenizer)
    table = reference.log_probabilities(model, ids)
    scores = [float(table[at, token]) for at, token in enumerate(ids[1:])]
    best = torch.topk(table[-1], 10)
    print(f"{kind}: {tokenizer.decode(chosen)!r}, perplexity of the page {math.exp(-sum(scores) / len(scores)):.4f}, "
          f"cache difference {reference.cached_difference(model, prompt, chosen):.2g}")
    return dict(
        format=1, name=f"gemma3-270m {kind}",
        provenance=dict(command=f"python3 Tests/Reference/real_expectations.py --model ... --corpus ... {kind}",
                        versions=dict(expected.versions(), tokenizers=tokenizers.__version__)),
        continuation=dict(text=PROMPT, ids=prompt, greedy=dict(ids=chosen, margins=expected.numbers(margins))),
        page=dict(file=PAGE_FILE, first_character=start, end_character=end, text=text, ids=ids,
                  logprobs=expected.numbers(scores), perplexity=math.exp(-sum(scores) / len(scores)),
                  top=dict(position=len(ids) - 1, ids=best.indices.tolist(), logprobs=expected.numbers(best.values))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="hf|mlx4")
    parser.add_argument("--model", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--output", default=DEFAULT)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    for kind in options.kinds or ["hf", "mlx4"]:
        content = compute(kind, os.path.join(options.model, kind), options.corpus)
        expected.save(os.path.join(options.output, f"expected-{kind}.json"), content)


if __name__ == "__main__":
    main()
