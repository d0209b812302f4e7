"""The command line of the training scripts."""
import argparse
import json
from pathlib import Path

import torch
from tokenizers import Tokenizer

from . import corpus, export, tokenizer, training


def pieces(recipe, args):
    """The tokenizer of the work folder, trained on the first call."""
    if not args.tokenizer.exists():
        runs = (run for ps in corpus.books(args.corpus).values() for run in corpus.split(ps)[0])
        made = tokenizer.train(("\n\n".join(run) for run in runs), recipe.layout)
        tokenizer.check(made, recipe.layout)
        made.save(str(args.tokenizer), pretty=False)
    return Tokenizer.from_file(str(args.tokenizer))


def finish(recipe, args):
    """Writes the model folder from the checkpoint, measures what was written, and shows what it does."""
    pieces_of = pieces(recipe, args)
    data, model, state = recipe.data(args.corpus, pieces_of, recipe), recipe.fresh(), torch.load(args.checkpoint)
    model.load_state_dict(state["model"])
    export.write(model, recipe, args.tokenizer, args.out)
    stored = export.read(args.out, recipe)
    exact = {n: p.detach() for n, p in recipe.weights(model).items()}
    report = {"steps": state["step"], "tokens": state["tokens"], "minutes": state["elapsed"] / 60}
    for label, weights in (("exact", exact), ("stored", stored)):
        for test, sums in training.held_out(recipe, model.config, weights, data).items():
            report[f"{label} {test}"] = [round(mean, 4) for mean in training.means(sums)]
    print(json.dumps(report, indent=1), flush=True)
    export.load_into(recipe.weights(model), stored)
    recipe.show(model, pieces_of, recipe)


def parser(description):
    out = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("--corpus", type=Path, required=True)
    out.add_argument("--work", type=Path, required=True, help="folder for the checkpoint and the tokenizer")
    out.add_argument("--out", type=Path, help="folder for the finished model")
    out.add_argument("--minutes", type=float, default=75, help="wall-clock time of the whole training")
    out.add_argument("--workers", type=int, default=2, help="processes that share the batch")
    out.add_argument("--threads", type=int, default=1, help="threads of each worker")
    out.add_argument("--no-compile", dest="compile", action="store_false", help="do not use torch.compile")
    out.add_argument("--export-only", action="store_true", help="write the last checkpoint, train no further")
    return out


def run(recipe, args):
    args.work.mkdir(parents=True, exist_ok=True)
    args.checkpoint, args.tokenizer = args.work / "checkpoint.pt", args.work / "tokenizer.json"
    pieces(recipe, args)
    if not args.export_only:
        (args.work / "rendezvous").unlink(missing_ok=True)
        torch.multiprocessing.spawn(training.train, (recipe, args), args.workers)
    if args.out:
        torch.set_num_threads(args.threads)
        finish(recipe, args)
