#!/usr/bin/env python3
"""Writes the small random models of Tests/Fixtures/models and what transformers computes with them.

usage: make_fixtures.py [--output FOLDER] [--check] [NAME ...]

Every fixture is written, read back from its files, run in float32, and then run again with each deliberate fault of
fixturelib/ablations*.py: a fault that changes nothing is an error, because such a fixture proves nothing.
--check writes nothing new: it recomputes the numbers from the files that are there and compares them.
"""
import argparse
import json
import os
import shutil
import sys

import torch

from fixturelib import ablations, affine, catalog, checkpoint, expected, random_weights, reference

CACHE_TOLERANCE = 1e-3
DEFAULT = os.path.join(os.path.dirname(__file__), "..", "Fixtures", "models")


def write_fixture(folder, fixture):
    shapes = reference.used_shapes(reference.empty_model(fixture))
    if fixture.store_shared_keys:
        shapes.update(reference.shared_key_shapes(fixture))
    shutil.rmtree(folder, ignore_errors=True)
    checkpoint.write(folder, fixture, random_weights.all_tensors(shapes, fixture))


def compute(folder, fixture):
    """The content of expected.json, from the files in the folder."""
    model = reference.load(fixture, checkpoint.read(folder, fixture.prefix))
    prompts, entries, cache = expected.prompts(fixture), [], 0.0
    for ids in prompts:
        entry, difference = expected.prompt_numbers(model, ids)
        entries.append(entry)
        cache = max(cache, difference)
    if cache > CACHE_TOLERANCE:
        raise AssertionError(f"{fixture.name}: transformers disagrees with its own cache by {cache}")
    faults = ablations.measure(model, fixture, prompts[-2:])
    provenance = dict(command=f"{expected.COMMAND} {fixture.name}", seed=fixture.seed, versions=expected.versions(),
                      covers=fixture.covers, cache_difference=float(f"{cache:.2g}"),
                      rounding_sensitivity=float(f"{reference.conditioning(model, prompts[-1]):.2g}"),
                      ablations={name: float(f"{change:.3g}") for name, change, _ in faults})
    content = dict(format=1, name=fixture.name, provenance=provenance, vocabulary_size=fixture.text["vocab_size"],
                   window=fixture.window, prompts=entries, trace=expected.trace(model, prompts[4]))
    return content, faults, model


def report(fixture, content, faults, model):
    entries = content["prompts"]
    wide = reference.logits(model, entries[-1]["ids"])
    distinct = len({token for entry in entries for token in entry["greedy"]["ids"]})
    margins = [margin for entry in entries for margin in entry["greedy"]["margins"]]
    print(f"\n{fixture.name}: {sum(p.numel() for p in model.parameters())} parameters, logits {wide.std():.2f} wide up "
          f"to {wide.abs().max():.1f}, {distinct} distinct greedy ids, margins from {min(margins):.4f}, "
          f"cache {content['provenance']['cache_difference']}, "
          f"rounding {content['provenance']['rounding_sensitivity']}")
    blind = 0
    for name, change, needed in faults:
        seen = change > needed
        blind += not seen
        print(f"  {'seen ' if seen else 'BLIND'} {change:9.4f}  {name}")
    return blind


def compare(folder, content):
    """Largest difference between stored and recomputed log-probabilities; greedy ids must be equal."""
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
        stored = json.load(file)
    worst = 0.0
    for old, new in zip(stored["prompts"], content["prompts"], strict=True):
        if old["ids"] != new["ids"] or old["greedy"]["ids"] != new["greedy"]["ids"]:
            raise AssertionError(f"{folder}: ids differ")
        pairs = [(old["logprobs"], new["logprobs"])]
        pairs += [(a["logprobs"], b["logprobs"]) for a, b in zip(old["full"], new["full"], strict=True)]
        for a, b in pairs:
            worst = max([worst] + [abs(x - y) for x, y in zip(a, b, strict=True)])
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="fixtures to write; all of them by default")
    parser.add_argument("--output", default=DEFAULT)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(affine.check_against_mlx())
    known = {fixture.name: fixture for fixture in catalog.all_fixtures()}
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"no such fixture: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    blind = 0
    for name in options.names or known:
        fixture, folder = known[name], os.path.join(options.output, name)
        if not options.check:
            write_fixture(folder, fixture)
        content, faults, model = compute(folder, fixture)
        blind += report(fixture, content, faults, model)
        if options.check:
            worst = compare(folder, content)
            print(f"  recomputed log-probabilities differ by at most {worst:.2g}")
            if worst > 1e-4:
                raise AssertionError(f"{name}: the stored numbers are not reproduced")
        else:
            expected.save(os.path.join(folder, "expected.json"), content)
    if blind:
        sys.exit(f"{blind} faults went unseen")


if __name__ == "__main__":
    main()
