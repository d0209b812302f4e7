#!/usr/bin/env python3
"""Measures `gemma` against another engine on the same machine in the same minutes: A B A B, medians and ratios.

  compare.py --model g4-e2b=gemma4-e2b.gguf --prompt-tokens 512 --rounds 5
  compare.py --model gemma-3-270m-4bit=gemma-3-270m-4bit --peer mlx
  compare.py --model gemma-3-270m-4bit=gemma-3-270m --peer transformers

Peers are optional: llama.cpp needs llama-cpp-python, the others mlx-lm or transformers with torch.
"""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from engines import Gemma, Peer
from figures import alternate, record, summary, table


def processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", required=True, metavar="OURS=THEIRS",
                        help="our folder and the peer's file or folder; may be repeated")
    parser.add_argument("--peer", choices=["llama.cpp", "mlx", "transformers"], default="llama.cpp")
    parser.add_argument("--prompt-tokens", default="512", metavar="LIST", help="prompt lengths (default: 512)")
    parser.add_argument("--response-tokens", type=int, default=32, metavar="N",
                        help="tokens generated behind each prompt (default: 32)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each side (default: 5)")
    parser.add_argument("--threads", type=int, default=processors(), metavar="N",
                        help="threads of both sides (default: the processors there are)")
    parser.add_argument("--kernels", metavar="NAME", help="our kernel level, such as avx2 (default: the fastest)")
    parser.add_argument("--flash-attention", choices=["best", "on", "off"], default="best",
                        help="of llama.cpp; best tries both per length and keeps the faster (default)")
    parser.add_argument("--gemma", metavar="PATH", help="our program (default: .build/release/gemma, then PATH)")
    parser.add_argument("--gemma-options", default="", metavar="TEXT", help="further options of gemma bench")
    parser.add_argument("--python", default=sys.executable, metavar="PATH",
                        help="interpreter of the peer, for another build of it (default: this one)")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="json: one object per comparison")
    options = parser.parse_args()
    try:
        options.prompt_tokens = [int(part) for part in options.prompt_tokens.split(",")]
    except ValueError:
        parser.error("--prompt-tokens needs whole numbers with commas between them")
    if min(options.prompt_tokens) < 2 or options.rounds < 1 or options.threads < 1 or options.response_tokens < 2:
        parser.error("--rounds and --threads need numbers from 1, --prompt-tokens and --response-tokens from 2")
    options.model = [tuple(pair.split("=", 1)) for pair in options.model]
    for pair in options.model:
        if len(pair) != 2:
            parser.error(f"--model needs OURS=THEIRS, not {pair[0]}")
        for path in pair:
            if not Path(path).exists():
                parser.error(f"there is no {path}")
    built = Path(__file__).resolve().parents[2] / ".build/release/gemma"
    options.gemma = options.gemma or (str(built) if built.exists() else shutil.which("gemma"))
    if not options.gemma:
        parser.error("gemma is not built: `make build`, or --gemma PATH")
    return options


def start_peer(options, path):
    longest = max(options.prompt_tokens) + options.response_tokens
    match options.peer:
        case "llama.cpp":
            return Peer(options.python, "llama_cpp_peer.py", path, options.threads, longest, options.flash_attention)
        case "mlx":
            return Peer(options.python, "mlx_peer.py", path)
        case _:
            return Peer(options.python, "transformers_peer.py", path, options.threads)


def main():
    options = parse()
    for folder, path in options.model:
        ours = Gemma(options.gemma, folder, options.threads, options.kernels, options.gemma_options.split())
        peer = start_peer(options, path)
        title = f"{Path(folder).name} against {options.peer} with {Path(path).name}"
        print(f"{title}: files of {ours.bytes / 1e6:.0f} and {peer.about['bytes'] / 1e6:.0f} MB", file=sys.stderr)
        for length in options.prompt_tokens:
            peer.prepare(length, options.response_tokens)
            runs = alternate(options.rounds, lambda: ours.measure(length, options.response_tokens),
                             lambda: peer.measure(length, options.response_tokens))
            result = summary(*runs)
            if options.format == "json":
                about = {"ourBytes": ours.bytes, "ourKernels": ours.kernels, "rounds": options.rounds}
                print(json.dumps(record(title, length, result) | about | {"peer": peer.about}), flush=True)
            else:
                print(f"{title}: {ours.kernels}, {options.threads} threads, {options.rounds} rounds")
                print(table(length, options.peer, result), flush=True)
        peer.close()


if __name__ == "__main__":
    main()
