#!/usr/bin/env python3
"""Trains the bundled demo model of the Gemma 4 kind, then its drafter, in the layout of the published MLX models.

    python3 Tools/DemoModels/train_demo4.py --corpus FOLDER --start Sources/DemoModel/Resources/demo \\
        --work FOLDER --out Sources/DemoModel/Resources/demo4
    python3 Tools/DemoModels/train_demo4.py --drafter --corpus FOLDER --work FOLDER \\
        --out Sources/DemoModel/Resources/demo4

FOLDER of --corpus holds plain text files (paragraphs of one line, blank lines between). --work keeps the checkpoint:
run the same command again to go on after an interruption, or with --export-only to write what there is so far.
The drafter learns from the finished model in --out and is written into its subfolder. Its lessons are the model's own
answers, which the command line of this package tells: build it before (make build).
"""
import dataclasses
import functools
import shutil
from pathlib import Path

import torch

from demo import command, export
from demo4 import network, telling, transplant
from demo4.recipe import RECIPE, drafter_recipe


def first_weights(start, work):
    model = network.fresh()
    if start:
        transplant.transplant(model, start, work)
    return model


def drafter(args):
    """The recipe of the drafter for the model in args.out; moves args to subfolders for the drafter."""
    target = network.fresh().eval()
    export.load_into(RECIPE.weights(target), export.read(args.out, RECIPE))
    folder = args.out
    tokenizer, args.work, args.out = args.work / "tokenizer.json", args.work / "drafter", folder / "drafter"
    args.work.mkdir(exist_ok=True)
    shutil.copyfile(tokenizer, args.work / "tokenizer.json")
    told = args.work / "answers.pt"
    if not told.exists():
        args.tokenizer = tokenizer
        data = RECIPE.data(args.corpus, command.pieces(RECIPE, args), RECIPE)
        torch.save(telling.tell(args.gemma, folder, data, RECIPE.layout, args.answers), told)
    return drafter_recipe(target, *torch.load(told))


if __name__ == "__main__":
    parser = command.parser(__doc__)
    parser.add_argument("--start", type=Path, help="folder of the Gemma 3n demo model: take over what fits")
    parser.add_argument("--drafter", action="store_true", help="train the drafter of the model in --out")
    parser.add_argument("--gemma", type=Path, default=".build/release/gemma", help="what tells the drafter's lessons")
    parser.add_argument("--answers", type=int, default=7500, help="how many answers it tells")
    args = parser.parse_args()
    first = functools.partial(first_weights, args.start, args.work)
    command.run(drafter(args) if args.drafter else dataclasses.replace(RECIPE, fresh=first), args)
