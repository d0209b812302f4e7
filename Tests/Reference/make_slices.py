#!/usr/bin/env python3
"""Writes the unsliced models of Tests/Fixtures/slices and what transformers computes with slices of them.

usage: make_slices.py [--output FOLDER]

Every slice is cut here by copying weights, and run as a model of its own in float32. Two slices that give the same
numbers are an error: such a fixture would not see a wrong recipe.
"""
import argparse
import os
import shutil

import numpy as np
import torch

from fixturelib import checkpoint, expected, reference, slices

DEFAULT = os.path.join(os.path.dirname(__file__), "..", "Fixtures", "slices")
LENGTH = 40          # five windows
LEAST_DIFFERENCE = 0.1
MOST_ROUNDING = 5e-4


def prompt(fixture):
    rng = np.random.default_rng([fixture.seed, 7])
    return [2] + [int(i) for i in rng.integers(3, fixture.text["vocab_size"], LENGTH - 1)]


def slice_numbers(fixture, arrays, ids, name, wide, skipped):
    part = slices.sliced_fixture(fixture, wide, skipped)
    model = reference.load(part, slices.sliced_weights(fixture, arrays, wide, skipped))
    table = reference.log_probabilities(model, ids)
    entry = dict(name=name, layers=part.text["num_hidden_layers"], skipped=skipped,
                 widths=slices.widths(fixture, wide, skipped),
                 logprobs=expected.numbers(float(table[at, token]) for at, token in enumerate(ids[1:])),
                 last=expected.numbers(table[-1]))
    return entry, reference.conditioning(model, ids, seeds=(1,))


def write(folder, fixture):
    shutil.rmtree(folder, ignore_errors=True)
    shapes = reference.used_shapes(reference.empty_model(fixture))
    checkpoint.write(folder, fixture, slices.weights(shapes, fixture))
    arrays = checkpoint.read(folder, fixture.prefix)
    ids, entries, rounding = prompt(fixture), [], 0.0
    for name, (wide, skipped) in slices.recipes().items():
        entry, floor = slice_numbers(fixture, arrays, ids, name, wide, skipped)
        rounding = max(rounding, floor)
        for other in entries:
            if np.abs(np.subtract(entry["last"], other["last"])).max() < LEAST_DIFFERENCE:
                raise AssertionError(f"{fixture.name}: {name} and {other['name']} cannot be told apart")
        entries.append(entry)
    if rounding > MOST_ROUNDING:
        raise AssertionError(f"{fixture.name}: rounding alone moves a log-probability by {rounding}")
    provenance = dict(command="python3 Tests/Reference/make_slices.py", seed=fixture.seed,
                      versions=expected.versions(), covers=fixture.covers, rounding_sensitivity=float(f"{rounding:.2g}"))
    expected.save(os.path.join(folder, "expected.json"),
                  dict(format=1, name=fixture.name, provenance=provenance, ids=ids, slices=entries))
    print(f"{fixture.name}: {len(entries)} slices, rounding {rounding:.2g}, "
          f"{sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder))} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=DEFAULT)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for fixture in slices.fixtures():
        write(os.path.join(options.output, fixture.name), fixture)


if __name__ == "__main__":
    main()
