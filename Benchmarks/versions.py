#!/usr/bin/env python3
"""Measures two builds of `gemma` against each other by turns, so that a change's cost shows: medians and ratios.

  versions.py --old OLD/gemma --new NEW/gemma --model gemma4-e2b --model gemma3n-e2b --rounds 5
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "peers"))

from engines import Gemma  # noqa: E402
from figures import summary, table  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, metavar="PATH", help="the earlier program")
    parser.add_argument("--new", required=True, metavar="PATH", help="the later program")
    parser.add_argument("--model", action="append", required=True, metavar="FOLDER", help="may be repeated")
    parser.add_argument("--prompt-tokens", type=int, default=512, metavar="N")
    parser.add_argument("--response-tokens", type=int, default=32, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each program (default: 5)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--kernels", metavar="NAME", help="kernel level of both (default: the fastest)")
    parser.add_argument("--gemma-options", default="", metavar="TEXT", help="further options of gemma bench")
    options = parser.parse_args()
    for folder in options.model:
        extra = options.gemma_options.split()
        old, new = (Gemma(path, folder, options.threads, options.kernels, extra) for path in (options.old, options.new))
        before, after = [], []
        for round_index in range(options.rounds):
            # Each side goes first in every second round: the machine's pace drifts.
            for program, runs in ((new, after), (old, before))[:: 1 if round_index % 2 else -1]:
                runs.append(program.measure(options.prompt_tokens, options.response_tokens))
        print(f"{Path(folder).name}: {new.kernels}, {options.threads} threads, {options.rounds} rounds")
        print(table(options.prompt_tokens, "before", summary(after, before)), flush=True)


if __name__ == "__main__":
    main()
