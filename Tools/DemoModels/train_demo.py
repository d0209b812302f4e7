#!/usr/bin/env python3
"""Trains the bundled demo model from scratch and writes it in the layout of the published MLX models.

    python3 Tools/DemoModels/train_demo.py --corpus FOLDER --work FOLDER --out Sources/DemoModel/Resources/demo

FOLDER of --corpus holds plain text files (paragraphs of one line, blank lines between). --work keeps the checkpoint:
run the same command again to go on after an interruption, or with --export-only to write what there is so far.
"""
from demo import command
from demo3n.recipe import RECIPE

if __name__ == "__main__":
    command.run(RECIPE, command.parser(__doc__).parse_args())
