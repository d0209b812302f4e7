#!/usr/bin/env python3
"""Writes the small random drafters of Tests/Fixtures/drafters and what transformers drafts with them.

usage: make_drafters.py [--check] [NAME ...]

Their targets are fixtures of Tests/Fixtures/models, which make_fixtures.py writes. `demo4` stands for the bundled
drafter, of which only the drafts are written: to be run again whenever that model or its drafter was trained again.
--check recomputes from the files that are there and compares.
"""
import argparse
import json
import os
import shutil

import torch

from fixturelib import catalog, checkpoint, drafter_faults, drafters, expected, reference

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "Fixtures", "models")
OUTPUT = os.path.join(HERE, "..", "Fixtures", "drafters")
DEMO = os.path.join(HERE, "..", "..", "Sources", "DemoModel", "Resources", "demo4")
DEMO_TOKENS = 320
LEAST_MARGIN = 5e-3  # between the two best scores of a step


def fixture_content(drafter, folder, target):
    model = reference.load(target, checkpoint.read(os.path.join(MODELS, target.name), target.prefix))
    ids = expected.prompts(target)[-1]
    places = drafters.positions(len(ids), target.window)
    whole = {1, target.window + 1, places[-1]}
    assistant = drafters.load(folder)
    faults = drafter_faults.check(assistant, model, ids, places[-1])
    return dict(target=target.name, covers=drafter.covers, faults=faults, ids=ids,
                rounds=drafters.rounds(assistant, model, ids, places, whole))


def demo_content():
    """The bundled pair over a text that the target wrote itself, past its window."""
    with open(os.path.join(DEMO, "config.json"), encoding="utf-8") as file:
        text = json.load(file)["text_config"]
    fixture = catalog.Fixture("demo4", "", "gemma4", text, prefix="language_model.model.")
    model = reference.load(fixture, checkpoint.read(DEMO, fixture.prefix))
    ids = [2, 300, 400, 500]
    while len(ids) < DEMO_TOKENS:
        # Not quite its first choice, which would soon repeat itself.
        best = torch.topk(reference.logits(model, ids)[-1], 3).indices
        ids.append(int(best[len(ids) % 7 // 5]))
    places = drafters.positions(len(ids), text["sliding_window"])[1:] + list(range(200, len(ids) - 1, 12))
    entries = drafters.rounds(drafters.load(os.path.join(DEMO, "drafter")), model, ids, sorted(set(places)))
    entries = [entry for entry in entries if min(step["margin"] for step in entry["steps"]) >= LEAST_MARGIN]
    return dict(target="demo4", covers="the bundled drafter", ids=ids, rounds=entries)


def compare(name, old, new):
    if [r["token"] for r in old["rounds"]] != [r["token"] for r in new["rounds"]]:
        raise AssertionError(f"{name}: the targets' choices differ")
    worst = 0.0
    for a, b in zip(old["rounds"], new["rounds"], strict=True):
        for one, other in zip(a["steps"], b["steps"], strict=True):
            if one["top"][0] != other["top"][0]:
                raise AssertionError(f"{name}: other drafts at {a['position']}")
            worst = max([worst] + [abs(x - y) for x, y in zip(one["scores"], other["scores"], strict=True)])
    print(f"{name}: recomputed scores differ by at most {worst:.2g}")
    if worst > 1e-4:
        raise AssertionError(f"{name}: the stored scores are not reproduced")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    targets = {fixture.name: fixture for fixture in catalog.all_fixtures()}
    known = drafters.catalog()
    for name in options.names or [*known, "demo4"]:
        if name != "demo4" and name not in known:
            parser.error(f"no such drafter: {name}; known: {', '.join(known)}, demo4")
        folder = os.path.join(OUTPUT, name)
        if name == "demo4":
            content = demo_content()
        else:
            drafter = known[name]
            if not options.check:
                shutil.rmtree(folder, ignore_errors=True)
                drafters.write(folder, drafter, targets[drafter.target])
            content = fixture_content(drafter, folder, targets[drafter.target])
        steps = [step for entry in content["rounds"] for step in entry["steps"]]
        margin = min(step["margin"] for step in steps)
        print(f"{name}: {len(content['rounds'])} rounds, {len({s['guess'] for s in steps})} distinct guesses, "
              f"margins from {margin}")
        if margin < LEAST_MARGIN:
            raise AssertionError(f"{name}: two scores lie too close for a test; choose another seed")
        path = os.path.join(folder, "expected.json")
        content["provenance"] = dict(command=f"python3 Tests/Reference/make_drafters.py {name}",
                                     versions=expected.versions())
        if options.check:
            with open(path, encoding="utf-8") as file:
                compare(name, json.load(file), content)
        else:
            expected.save(path, content)


if __name__ == "__main__":
    main()
