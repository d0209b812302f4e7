#!/usr/bin/env python3
"""What drafting ahead brings: the same prompts with and without it, in turns, in one run.

    python3 Benchmarks/speculation.py .build/release/gemma MODEL [PROMPT ...] [--with auto] [--rounds 5] [-- OPTIONS]

Prints tokens, medians of tokens per second, their ratio and the share of right drafts; options behind `--` go to
`gemma run`. Stops with an error where the ids differ. Without prompts it asks for stories.
"""

import argparse
import json
import statistics
import subprocess
import sys

STORIES = ["Tell me a story about " + what for what in (
    "a fox", "a king and his three sons", "the sea", "a poor girl", "a wolf in the forest", "a golden bird",
    "an old woman", "a clever cat")]


def run(arguments, prompt, speculation):
    command = [arguments.gemma, "run", arguments.model, prompt, "--speculation", speculation, "--format", "json", "-q"]
    output = subprocess.run(command + arguments.options, check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def measure(arguments, prompt):
    """Tokens, tokens per second without and with drafts, and the statistics of one run with them."""
    plain, drafted = [], []
    for _ in range(arguments.rounds):
        without, with_drafts = run(arguments, prompt, "off"), run(arguments, prompt, arguments.with_drafts)
        if without["token_ids"] != with_drafts["token_ids"]:
            sys.exit(f"the ids differ for the prompt {prompt!r}")
        plain.append(without["statistics"]["decode_tokens_per_second"])
        drafted.append(with_drafts["statistics"]["decode_tokens_per_second"])
    return len(without["token_ids"]), statistics.median(plain), statistics.median(drafted), with_drafts["statistics"]


def main():
    own, options = sys.argv[1:], []
    if "--" in own:
        split = own.index("--")
        own, options = own[:split], own[split + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gemma")
    parser.add_argument("model")
    parser.add_argument("prompts", nargs="*", default=STORIES)
    parser.add_argument("--with", dest="with_drafts", default="auto", help="auto, or 1 to 8")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args(own)
    arguments.options = options
    print("| prompt | tokens | plain t/s | drafted t/s | ratio | right drafts | tokens a round |\n|---|---|---|---|---|---|---|")
    seconds, counts = [0.0, 0.0], [0, 0, 0]
    for prompt in arguments.prompts:
        tokens, plain, drafted, figures = measure(arguments, prompt)
        seconds[0] += tokens / plain
        seconds[1] += tokens / drafted
        counts = [a + figures[b] for a, b in zip(counts, ("accepted_tokens", "drafted_tokens", "draft_rounds"))]
        share = figures["accepted_tokens"] / max(figures["drafted_tokens"], 1)
        a_round = 1 + figures["accepted_tokens"] / max(figures["draft_rounds"], 1)
        print(f"| {' '.join(prompt.split())[:40]} | {tokens} | {plain:.0f} | {drafted:.0f} | {drafted / plain:.2f} "
              f"| {figures['accepted_tokens']} of {figures['drafted_tokens']} ({share:.0%}) | {a_round:.2f} |")
    accepted, drafted, rounds = counts
    print(f"\nall prompts together: {seconds[0] / seconds[1]:.2f} times as fast, {accepted} of {drafted} drafts right "
          f"({accepted / max(drafted, 1):.0%}), {1 + accepted / max(rounds, 1):.2f} tokens a round")


if __name__ == "__main__":
    main()
