#!/usr/bin/env python3
"""Digests of everything the command line computes, to prove that a change leaves every bit as it was.

  digest.py --gemma OLD/gemma --output before.txt      on the commit before the change
  digest.py --gemma NEW/gemma --compare before.txt     on the changed code; exit code 1 where a part differs

Parts: `gemma verify` of both demos; the log-probabilities of all pieces after each token of every fixture, in
several settings and on every kernel level; greedy ids of every fixture; 200 answers of the demos, sampled and greedy,
with and without drafts. Only ids and numbers enter, never times. Numbers are printed so that they read back exactly.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "int8": [],
    "int8 cache": ["--kv-cache", "int8"],
    "chunks of 7": ["--prefill-chunk", "7"],
    "one thread": ["--threads", "1"],
    "float32": ["--activations", "float32", "--reproducible"],
    "float32 through BLAS": ["--activations", "float32", "--threads", "1"],
}
PROMPTS = [
    "Once upon a time", "There was a king who had three daughters.", "Tell me about a fox.", "The old woman said",
    "Repeat after me: the wolf, the wolf, the wolf.", "What did the princess find in the wood?", "In the evening",
    "Why?",
]


class Gemma:
    """The program under test."""

    def __init__(self, path):
        self.path = path

    def json(self, *arguments):
        """The JSON object that a command prints; a command that fails ends the script."""
        command = [self.path, *map(str, arguments), "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def longest_prompt(folder):
    """The longest list of ids that the reference wrote beside a fixture."""
    expected = json.loads((folder / "expected.json").read_text())
    lists = []

    def collect(value):
        if isinstance(value, list) and value and all(isinstance(item, int) for item in value):
            lists.append(value)
        elif isinstance(value, (list, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                collect(item)

    collect(expected.get("prompts", expected))
    return ",".join(map(str, max(lists, key=len)))


def vocabulary(folder):
    """Pieces of a fixture's vocabulary."""
    config = json.loads((folder / "config.json").read_text())
    return config.get("text_config", config)["vocab_size"]


def scores(gemma, folder, options):
    found = gemma.json("score", folder, "--token-ids", longest_prompt(folder), "--top", vocabulary(folder), *options)
    return [found["token_ids"], found["logprobs"], found["top"]]


def greedy(gemma, folder, options):
    found = gemma.json("run", folder, "--token-ids", longest_prompt(folder), "--temperature", 0, "--max-tokens", 48,
                       "--ignore-eos", *options)
    return found["token_ids"]


def answer(gemma, model, seed):
    """One of the 200 answers; every seed has its own prompt, sampling and way of drafting."""
    sampling = [["--temperature", 0], ["--temperature", 1], ["--temperature", 0.7, "--top-k", 20],
                ["--temperature", 1.3, "--top-p", 0.9], ["--temperature", 0.9, "--min-p", 0.05],
                ["--temperature", 0.8, "--repetition-penalty", 1.2]][seed % 6]
    drafting = [["--speculation", "off"], ["--speculation", 1 + seed % 8],
                ["--speculation", 1 + seed % 8, "--kv-cache", "int8"], ["--speculation", "auto"],
                ["--speculation", 4, "--drafter", "none"]][seed // 6 % 5]
    if model == "demo" and seed % 7 == 3:
        drafting = ["--speculation", 3, "--drafter", "half"]
    found = gemma.json("run", model, PROMPTS[seed % len(PROMPTS)], "--seed", seed, "--max-tokens", 24 + seed % 40,
                       *sampling, *drafting)
    return [found["prompt_token_ids"], found["token_ids"], found["text"]]


def verdicts(gemma, model):
    found = gemma.json("verify", model)
    assert found["is_identical"], f"verify {model}"
    return [[row["kernels"], row["threads"], row["prefill_chunk"], row["token_ids"], row["logits_digest"],
             row["drafted_tokens"]] for row in found["verdicts"]]


def parts(gemma):
    """(name, how to compute it) of everything that is digested."""
    levels = sorted({row[0] for row in verdicts(gemma, "demo")})
    for model in ("demo", "demo4"):
        yield f"verify {model}", lambda model=model: verdicts(gemma, model)
    fixtures = ROOT / "Tests/Fixtures"
    for folder in sorted((fixtures / "models").iterdir()) + sorted((fixtures / "slices").iterdir()):
        settings = dict(SETTINGS) | {level: ["--kernels", level] for level in levels}
        if folder.parent.name == "slices":
            settings = {"int8": [], "slice half": ["--slice", "half"],
                        "slice half, float32": ["--slice", "half", "--activations", "float32", "--reproducible"]}
        for setting, options in settings.items():
            yield f"score {folder.name}, {setting}", lambda f=folder, o=options: scores(gemma, f, o)
        for speculation in ("off", 3):
            yield (f"greedy {folder.name}, speculation {speculation}",
                   lambda f=folder, s=speculation: greedy(gemma, f, ["--speculation", s]))
    for drafter in sorted((fixtures / "drafters").iterdir()):
        target = fixtures / "models" / drafter.name
        if (drafter / "config.json").exists() and target.exists():
            yield (f"greedy {drafter.name}, its drafter",
                   lambda t=target, d=drafter: greedy(gemma, t, ["--drafter", d, "--speculation", 4]))
    for model in ("demo", "demo4"):
        for seed in range(100):
            yield f"answer {model} {seed}", lambda m=model, s=seed: answer(gemma, m, s)


def digests(gemma):
    """{part: SHA-256 of what it computed}, two programs at a time."""
    wanted = list(parts(gemma))
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda part: hashlib.sha256(json.dumps(part[1]()).encode()).hexdigest(), wanted)
        return {name: digest for (name, _), digest in zip(wanted, results)}


def read(path):
    lines = Path(path).read_text().splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gemma", default=str(ROOT / ".build/release/gemma"), help="the program (default: this build)")
    parser.add_argument("--output", metavar="FILE", help="where the digests are kept")
    parser.add_argument("--compare", metavar="FILE", help="digests of an earlier run to compare with")
    options = parser.parse_args()
    found = digests(Gemma(options.gemma))
    total = hashlib.sha256("".join(found.values()).encode()).hexdigest()
    if options.output:
        Path(options.output).write_text("".join(f"{digest}  {name}\n" for name, digest in found.items()))
    print(f"{len(found)} parts, in all {total}")
    if options.compare:
        before = read(options.compare)
        different = [name for name in before | found if before.get(name) != found.get(name)]
        for name in different:
            print(f"DIFFERENT: {name}")
        print("no part differs" if not different else f"{len(different)} parts differ")
        sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
