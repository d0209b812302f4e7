#!/usr/bin/env python3
"""What a round of drafts costs against a plain step, and the share of right drafts from which it pays.

    python3 Benchmarks/rounds.py .build/release/gemma MODEL [--drafter FOLDER] [--rounds 3]

For weights whose drafts are never right (random ones): then each round yields one token, and its time is that of a
token. Plain steps and rounds of 1 to 8 drafts alternate; medians count.
"""

import argparse
import json
import statistics
import subprocess


def step_seconds(arguments, drafts):
    """Seconds of a token, and the share of drafts that were right."""
    command = [arguments.gemma, "bench", arguments.model, "--prompt-tokens", str(arguments.prompt_tokens),
               "--response-tokens", str(arguments.response_tokens), "--repetitions", "1", "--format", "json", "-q"]
    if drafts:
        command += ["--speculation", str(drafts)]
        command += ["--drafter", arguments.drafter] if arguments.drafter else []
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures = json.loads(output)["figures"][0]
    right = figures["accepted_tokens"] / max(figures["drafted_tokens"], 1)
    return 1 / figures["decode_tokens_per_second"], right, figures["drafted_tokens"]


def break_even(cost, drafts):
    """The share a of right drafts with 1 + a + ... + a^drafts = cost, or None where even a = 1 is not enough."""
    if cost >= 1 + drafts:
        return None
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(middle**k for k in range(drafts + 1)) < cost else (low, middle)
    return high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gemma")
    parser.add_argument("model")
    parser.add_argument("--drafter")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--response-tokens", type=int, default=25)
    arguments = parser.parse_args()
    times = {drafts: [] for drafts in range(9)}
    for _ in range(arguments.rounds):
        for drafts in times:
            seconds, right, drafted = step_seconds(arguments, drafts)
            if drafts and (right > 0.02 or drafted == 0):
                parser.exit(1, f"{drafted} drafts, {right:.0%} right: a round's time is not that of a token\n")
            times[drafts].append(seconds)
    plain = statistics.median(times[0])
    print(f"plain step {plain * 1000:.1f} ms\n\n| drafts | round ms | cost | pays from |\n|---|---|---|---|")
    for drafts in range(1, 9):
        seconds = statistics.median(times[drafts])
        share = break_even(seconds / plain, drafts)
        pays = "never" if share is None else f"{share:.0%} right"
        print(f"| {drafts} | {seconds * 1000:.1f} | {seconds / plain:.2f} | {pays} |")


if __name__ == "__main__":
    main()
