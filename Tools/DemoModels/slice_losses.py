#!/usr/bin/env python3
"""The demo model's loss on held-out text at several widths of its feed-forward layers, by our own engine.

usage: slice_losses.py --corpus FOLDER [--gemma .build/release/gemma] [--slices full,7/8,...] [OPTION OF GEMMA ...]

The rows are those that the training tested with: windows of the paragraphs that were never trained on. Each row is one
`gemma score demo --slice NAME --token-ids ...`; what follows `--` goes to it too, such as `-- --activations float32`.
Printed are nats per token over all rows. Needs the tokenizers package only.
"""
import argparse
import json
import subprocess
from pathlib import Path

from tokenizers import Tokenizer

from demo import corpus

LENGTH = 512
MODEL = Path(__file__).resolve().parents[2] / "Sources/DemoModel/Resources/demo"


def rows(folder, tokenizer):
    for paragraphs in corpus.books(folder).values():
        for run in corpus.split(paragraphs)[1]:
            ids = [2] + tokenizer.encode("\n\n".join(run), add_special_tokens=False).ids
            yield from corpus.windows(ids, LENGTH)


def logprobs(gemma, ids, options):
    command = [gemma, "score", str(MODEL), "--format", "json", "-q", "--token-ids", ",".join(map(str, ids)), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["logprobs"][1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--gemma", default=".build/release/gemma")
    parser.add_argument("--slices", default="full,7/8,6/8,5/8,half,3/8,2/8,1/8")
    parser.add_argument("options", nargs="*", help="for gemma score, behind --")
    arguments = parser.parse_args()
    held_out = list(rows(arguments.corpus, Tokenizer.from_file(str(MODEL / "tokenizer.json"))))
    for name in arguments.slices.split(","):
        options = ["--slice", name, *arguments.options]
        losses = [-p for ids in held_out for p in logprobs(arguments.gemma, ids, options)]
        print(f"{name}: {sum(losses) / len(losses):.4f} nats per token over {len(losses)}", flush=True)


if __name__ == "__main__":
    main()
