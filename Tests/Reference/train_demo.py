#!/usr/bin/env python3
"""Trains the bundled demo model from scratch and writes it in the layout of the published MLX models.

    python3 Tests/Reference/train_demo.py --corpus FOLDER --work FOLDER --out Sources/DemoModel/Resources/demo

FOLDER of --corpus holds plain text files (paragraphs of one line, blank lines between). --work keeps the checkpoint:
run the same command again to go on after an interruption, or with --export-only to write what there is so far.
"""
import argparse
import json
import os
import random
import time
from pathlib import Path

import torch
import torch.distributed as dist
from tokenizers import Tokenizer

from demo import corpus, export, forward, network, quantise, samples, tokenizer
from demo.batches import Data, to_tensors

LENGTH, ROWS, FULL_ROWS = 512, 5, 3  # tokens per row; rows per step and worker; of which at full width
ROUNDED_FROM = 0.88                  # share of the time after which the pass sees the quantised weights


def optimisers(model):
    """Muon for the matrices inside the network, AdamW for tables and vectors; the learning rates are the peaks."""
    matrices, groups = [], {"table": [], "rows": [], "router": [], "small": []}
    for name, p in model.model.named_parameters():
        if name == "embed_tokens.weight":
            groups["table"].append(p)
        elif name == "embed_tokens_per_layer.weight":
            groups["rows"].append(p)
        elif "modality_router" in name:
            groups["router"].append(p)
        elif p.dim() == 2 and "_coefs" not in name:
            matrices.append(p)
        else:
            groups["small"].append(p)
    rates = {"table": 2e-3, "rows": 4e-3, "router": 2e-2, "small": 2e-3}
    adam = torch.optim.AdamW([{"params": p, "lr": rates[k]} for k, p in groups.items()], betas=(0.9, 0.95),
                             weight_decay=0.0)
    muon = torch.optim.Muon(matrices, lr=5e-3, weight_decay=0.1, momentum=0.95, adjust_lr_fn="match_rms_adamw")
    peaks = [g["lr"] for o in (adam, muon) for g in o.param_groups]
    return [adam, muon], peaks


def rate(progress):
    """Share of the peak learning rate: a short rise, then linear decay over the wall-clock time."""
    return min(1.0, progress / 0.02 + 0.02) * max(0.02, 1 - progress)


def loss_of(config, weights, rows, full, share=slice(None)):
    """(summed loss in nats, labels) of held-out rows in float32; share: which of the rows this process takes."""
    run = forward.Pass(config, LENGTH, 10**9 if full else 0)
    rows, total, count = rows[share], 0.0, 0
    with torch.no_grad():
        for i in range(0, len(rows), 8):
            ids, labels = to_tensors(rows[i:i + 8])
            total += sum(run(weights, ids, labels)).item()
            count += (labels >= 0).sum().item()
    return torch.tensor([total, count])


def save(path, state):
    torch.save(state, str(path) + ".part")
    os.replace(str(path) + ".part", path)


class Sum:
    """Adds gradients and a few figures over the workers: they meet once per step, never inside an operation."""

    def __init__(self, parameters, figures):
        self.parameters, self.figures = list(parameters), figures
        self.flat = torch.empty(sum(p.numel() for p in self.parameters) + figures, dtype=torch.float32)

    def __call__(self, figures):
        torch.cat([p.grad.flatten() for p in self.parameters] + [torch.tensor(figures)], out=self.flat)
        dist.all_reduce(self.flat)
        views = self.flat[:-self.figures].split([p.numel() for p in self.parameters])
        figures = self.flat[-self.figures:].tolist()
        return [v.view_as(p) for v, p in zip(views, self.parameters)], figures


def train(rank, args):
    """One worker. All hold the same weights and make the same step from the summed gradient."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", init_method=f"file://{args.work.resolve()}/rendezvous", rank=rank,
                            world_size=args.workers)
    torch.set_num_threads(args.threads)
    say = (lambda *a: print(*a, flush=True)) if rank == 0 else (lambda *a: None)
    data, model, checkpoint = Data(args.corpus, pieces(args), LENGTH), network.fresh(network.config()), args.checkpoint
    names = dict(model.model.named_parameters())
    opts, peaks = optimisers(model)
    began_at, step, tokens = 0.0, 0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        for o, s in zip(opts, state["optimisers"]):
            o.load_state_dict(s)
        began_at, step, tokens = state["elapsed"], state["step"], state["tokens"]
        say(f"going on at step {step}, {began_at / 60:.1f} min")
    else:
        say("difference from transformers:", forward.agrees(model))
    rng = random.Random(1000 * step + rank)
    run = forward.Pass(model.config, LENGTH, FULL_ROWS)
    if args.compile:
        run = torch.compile(run, dynamic=False)
    gather = Sum(names.values(), 6)
    for turn in range(args.workers):  # the first compiles, the others find its result in the compiler's cache
        if turn == rank:
            with torch.autocast("cpu", torch.bfloat16):
                sum(run(names, *data.batch(rng, ROWS))).backward()
            model.zero_grad(set_to_none=True)
        dist.barrier()
    total, start, saved, tested = args.minutes * 60, time.time(), time.time(), time.time()
    elapsed, recent = began_at, torch.zeros(4)
    state = lambda: dict(model=model.state_dict(), optimisers=[o.state_dict() for o in opts], elapsed=elapsed,
                         step=step, tokens=tokens)
    while elapsed < total:
        progress = elapsed / total
        for group, peak in zip((g for o in opts for g in o.param_groups), peaks):
            group["lr"] = peak * rate(progress)
        exact = None
        if progress >= ROUNDED_FROM:  # straight-through: the gradient at the rounded weights moves the exact ones
            exact = {n: p.detach().clone() for n, p in names.items()}
            for n, value in quantise.rounded(exact).items():
                names[n].data.copy_(value)
        ids, labels = data.batch(rng, ROWS)
        with torch.autocast("cpu", torch.bfloat16):
            full, half = run(names, ids, labels)
        (full + half).backward()
        if exact:
            for n, value in exact.items():
                names[n].data.copy_(value)
        counts = [(part >= 0).sum().item() for part in (labels[:FULL_ROWS], labels[FULL_ROWS:])]
        clock = began_at + time.time() - start if rank == 0 else 0.0
        grads, figures = gather([full.item(), half.item(), *counts, float(ids.numel()), clock])
        recent += torch.tensor(figures[:4])
        for p, grad in zip(names.values(), grads):
            p.grad = grad / (figures[2] + figures[3])
        torch.nn.utils.clip_grad_norm_(names.values(), 1.0)
        for o in opts:
            o.step()
            o.zero_grad(set_to_none=True)
        step, tokens, elapsed = step + 1, tokens + int(figures[4]), figures[5]
        if step % 20 == 0 or step < 4:
            say(f"step {step} {elapsed / 60:.1f} min loss {recent[0] / recent[2]:.3f} half {recent[1] / recent[3]:.3f} "
                f"tokens {tokens / 1e6:.2f} M {'rounded' if exact else ''}")
            recent.zero_()
        if elapsed - tested + start - began_at > 420:
            tested = start - began_at + elapsed
            plain = {n: p.detach() for n, p in names.items()}
            line = "held out:"
            for label, rows, wide in (("full", data.held_out[::6], True), ("half", data.held_out[::6], False),
                                      ("chat", data.held_out_chat[:8], True)):
                sums = loss_of(model.config, plain, rows, wide, slice(rank, None, args.workers))
                dist.all_reduce(sums)
                line += f" {label} {sums[0] / sums[1]:.3f}"
            say(line)
        if rank == 0 and time.time() - saved > 180:
            save(checkpoint, state())
            saved = time.time()
    if rank == 0:
        save(checkpoint, state())
    dist.destroy_process_group()


def pieces(args):
    """The tokenizer of the work folder, trained on the first call."""
    if not args.tokenizer.exists():
        runs = (run for ps in corpus.books(args.corpus).values() for run in corpus.split(ps)[0])
        made = tokenizer.train("\n\n".join(run) for run in runs)
        tokenizer.check(made)
        made.save(str(args.tokenizer), pretty=False)
    return Tokenizer.from_file(str(args.tokenizer))


def finish(args):
    """Writes the model folder from the checkpoint, measures what was written, and shows samples."""
    data, model = Data(args.corpus, pieces(args), LENGTH), network.fresh(network.config())
    state = torch.load(args.checkpoint)
    model.load_state_dict(state["model"])
    export.write(model, args.tokenizer, args.out)
    stored = export.read(args.out)
    exact = {n: p.detach() for n, p in model.model.named_parameters()}
    report = {"steps": state["step"], "tokens": state["tokens"], "minutes": state["elapsed"] / 60}
    for label, weights in (("exact", exact), ("stored", stored)):
        for part, rows, wide in (("full", data.held_out, True), ("half", data.held_out, False),
                                 ("chat full", data.held_out_chat, True)):
            total, count = loss_of(model.config, weights, rows, wide).tolist()
            report[f"{label} {part}"] = round(total / count, 4)
    print(json.dumps(report, indent=1), flush=True)
    export.load_into(model, stored)
    samples.show(model, data.tokenizer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder for the checkpoint and the tokenizer")
    parser.add_argument("--out", type=Path, help="folder for the finished model")
    parser.add_argument("--minutes", type=float, default=75, help="wall-clock time of the whole training")
    parser.add_argument("--workers", type=int, default=2, help="processes that share the batch")
    parser.add_argument("--threads", type=int, default=1, help="threads of each worker")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="do not use torch.compile")
    parser.add_argument("--export-only", action="store_true", help="write the last checkpoint, train no further")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    args.checkpoint, args.tokenizer = args.work / "checkpoint.pt", args.work / "tokenizer.json"
    pieces(args)
    if not args.export_only:
        (args.work / "rendezvous").unlink(missing_ok=True)
        torch.multiprocessing.spawn(train, (args,), args.workers)
    if args.out:
        torch.set_num_threads(args.threads)
        finish(args)


if __name__ == "__main__":
    main()
