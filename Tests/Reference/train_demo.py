#!/usr/bin/env python3
"""Trains the bundled demo model from scratch and writes it in the layout of the published MLX models.

    python3 Tests/Reference/train_demo.py --corpus FOLDER --work FOLDER --out Sources/DemoModel/Resources/demo --minutes 85

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
from tokenizers import Tokenizer

from demo import corpus, export, forward, network, quantise, samples, tokenizer
from demo.batches import Data, to_tensors

LENGTH, ROWS, FULL_ROWS = 512, 8, 5  # tokens per row; rows per step; of which at full width
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


def loss_of(config, weights, rows, full):
    """Mean held-out loss in nats per token, float32."""
    run = forward.Pass(config, LENGTH, 10**9 if full else 0)
    total = count = 0
    with torch.no_grad():
        for i in range(0, len(rows), 8):
            ids, labels = to_tensors(rows[i:i + 8])
            total += sum(run(weights, ids, labels)).item()
            count += (labels >= 0).sum().item()
    return total / count


def save(path, state):
    torch.save(state, str(path) + ".part")
    os.replace(str(path) + ".part", path)


def train(args, model, data, checkpoint):
    names = dict(model.model.named_parameters())
    opts, peaks = optimisers(model)
    elapsed, step = 0.0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        for o, s in zip(opts, state["optimisers"]):
            o.load_state_dict(s)
        elapsed, step = state["elapsed"], state["step"]
        print(f"going on at step {step}, {elapsed / 60:.1f} min", flush=True)
    else:
        print("difference from transformers:", forward.agrees(model), flush=True)
    rng = random.Random(1000 + step)
    run = forward.Pass(model.config, LENGTH, FULL_ROWS)
    if args.compile:
        run = torch.compile(run, dynamic=False)
    total = args.minutes * 60
    began, saved, tested = time.time() - elapsed, time.time(), time.time()
    recent = []
    while (elapsed := time.time() - began) < total:
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
        ((full + half) / (labels >= 0).sum()).backward()
        if exact:
            for n, value in exact.items():
                names[n].data.copy_(value)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for o in opts:
            o.step()
            o.zero_grad(set_to_none=True)
        step += 1
        recent.append((full.item() / (labels[:FULL_ROWS] >= 0).sum().item(),
                       half.item() / (labels[FULL_ROWS:] >= 0).sum().item()))
        now = time.time()
        if step % 20 == 0 or step < 4:
            f, h = (sum(r[k] for r in recent) / len(recent) for k in (0, 1))
            print(f"step {step} {elapsed / 60:.1f} min loss {f:.3f} half {h:.3f} "
                  f"tokens {step * ROWS * LENGTH / 1e6:.2f} M {'rounded' if exact else ''}", flush=True)
            recent = []
        if now - tested > 420:
            plain = {n: p.detach() for n, p in names.items()}
            print("held out:", *(f"{k} {loss_of(model.config, plain, rows, wide):.3f}" for k, rows, wide in (
                ("full", data.held_out[::6], True), ("half", data.held_out[::6], False),
                ("chat", data.held_out_chat[:8], True))), flush=True)
            tested = time.time()
        if now - saved > 180:
            save(checkpoint, dict(model=model.state_dict(), optimisers=[o.state_dict() for o in opts],
                                  elapsed=time.time() - began, step=step))
            saved = time.time()
    save(checkpoint, dict(model=model.state_dict(), optimisers=[o.state_dict() for o in opts],
                          elapsed=elapsed, step=step))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder for the checkpoint and the tokenizer")
    parser.add_argument("--out", type=Path, help="folder for the finished model")
    parser.add_argument("--minutes", type=float, default=85, help="wall-clock time of the whole training")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="do not use torch.compile")
    parser.add_argument("--export-only", action="store_true", help="write the last checkpoint, train no further")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.work.mkdir(parents=True, exist_ok=True)
    pieces = args.work / "tokenizer.json"
    if not pieces.exists():
        runs = (run for ps in corpus.books(args.corpus).values() for run in corpus.split(ps)[0])
        made = tokenizer.train("\n\n".join(run) for run in runs)
        tokenizer.check(made)
        made.save(str(pieces), pretty=False)
    data = Data(args.corpus, Tokenizer.from_file(str(pieces)), LENGTH)
    model = network.fresh(network.config())
    checkpoint = args.work / "checkpoint.pt"
    if not args.export_only:
        train(args, model, data, checkpoint)
    if args.out:
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        export.write(model, pieces, args.out)
        stored = export.read(args.out)
        exact = {n: p.detach() for n, p in model.model.named_parameters()}
        report = {"step": state["step"], "tokens": state["step"] * ROWS * LENGTH, "minutes": state["elapsed"] / 60}
        for label, weights in (("exact", exact), ("stored", stored)):
            for wide in (True, False):
                key = f"{label} {'full' if wide else 'half'}"
                report[key] = round(loss_of(model.config, weights, data.held_out, wide), 4)
            report[f"{label} chat"] = round(loss_of(model.config, weights, data.held_out_chat, True), 4)
        print(json.dumps(report, indent=1), flush=True)
        export.load_into(model, stored)
        samples.show(model, data.tokenizer)


if __name__ == "__main__":
    main()
