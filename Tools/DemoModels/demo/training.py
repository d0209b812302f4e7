"""The training loop of the demo models."""
import random
import time

import torch
import torch.distributed as dist
from tokenizers import Tokenizer

from . import workers
from .batches import to_tensors

ROUNDED_FROM = 0.88  # share of the time after which the pass sees the quantised weights
TEST_EVERY, SAVE_EVERY = 420, 180  # seconds


def optimisers(weights):
    """Muon for the matrices inside the network, AdamW for tables and vectors; the learning rates are the peaks."""
    matrices, groups = [], {"table": [], "rows": [], "router": [], "small": []}
    for name, p in weights.items():
        if name.endswith(("embed_tokens.weight", "centroids.weight")):
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


def held_out(recipe, config, weights, data, share=slice(None)):
    """{test: [2, parts]} summed losses and labels in float32. share: which of the rows this process takes."""
    sums = {}
    for name, (kind, split) in recipe.tests.items():
        run, rows = recipe.forward(config, recipe.length, split), data.held_out[kind][share]
        sums[name] = torch.zeros(2, len(recipe.parts))
        with torch.no_grad():
            for i in range(0, len(rows), 8):
                sums[name] += torch.stack(run(weights, *to_tensors(rows[i:i + 8])))
    return sums


def means(sums):
    """Nats per label of every part that has any."""
    return [(loss / count).item() for loss, count in zip(*sums) if count]


class Trainer:
    """One worker. All hold the same weights and make the same step from the summed gradient."""

    def __init__(self, rank, recipe, args):
        workers.join(args.work, rank, args.workers, args.threads)
        self.rank, self.recipe, self.args = rank, recipe, args
        self.data = recipe.data(args.corpus, Tokenizer.from_file(str(args.tokenizer)), recipe)
        self.model = recipe.fresh()
        self.weights = recipe.weights(self.model)
        self.optimisers, self.peaks = optimisers(self.weights)
        self.elapsed, self.step, self.tokens = 0.0, 0, 0
        if args.checkpoint.exists():
            self.restore()
        else:
            self.say("difference from transformers:", recipe.agrees(self.model))
        self.rng = random.Random(1000 * self.step + rank)
        run = recipe.forward(self.model.config, recipe.length, recipe.parts)
        self.run = recipe.compiled(run) if args.compile else run
        self.gather = workers.Sum(self.weights.values(), 2 * len(recipe.parts) + 2)
        for turn in range(args.workers):  # the first compiles, the others find its result in the compiler's cache
            if turn == rank:
                self.gradients()
                self.model.zero_grad(set_to_none=True)
            dist.barrier()

    def say(self, *what):
        if self.rank == 0:
            print(*what, flush=True)

    def save(self):
        if self.rank == 0:
            workers.save(self.args.checkpoint, dict(
                model=self.model.state_dict(), optimisers=[o.state_dict() for o in self.optimisers],
                elapsed=self.elapsed, step=self.step, tokens=self.tokens))

    def restore(self):
        state = torch.load(self.args.checkpoint)
        self.model.load_state_dict(state["model"])
        for optimiser, saved in zip(self.optimisers, state["optimisers"]):
            optimiser.load_state_dict(saved)
        self.elapsed, self.step, self.tokens = state["elapsed"], state["step"], state["tokens"]
        self.say(f"going on at step {self.step}, {self.elapsed / 60:.1f} min")

    def gradients(self):
        """Leaves this worker's gradients in the weights; returns [2, parts] summed losses and labels, and the ids."""
        ids, labels = self.data.batch(self.rng, self.recipe.rows)
        with torch.autocast("cpu", torch.bfloat16):
            losses, counts = self.run(self.weights, ids, labels, self.recipe.dropout(self.tokens / self.data.tokens))
        losses.sum().backward()
        return torch.stack([losses.detach(), counts]).float(), ids.numel()

    def take_step(self, progress, clock):
        """One step of all workers. clock: seconds; that of the first worker counts. Returns the summed losses."""
        for group, peak in zip((g for o in self.optimisers for g in o.param_groups), self.peaks):
            group["lr"] = peak * self.recipe.peak * rate(progress)
        exact = None
        if progress >= ROUNDED_FROM:  # straight-through: the gradient at the rounded weights moves the exact ones
            exact = {n: p.detach().clone() for n, p in self.weights.items()}
            for n, value in self.recipe.storage.rounded(exact).items():
                self.weights[n].data.copy_(value)
        sums, tokens = self.gradients()
        if exact:
            for n, value in exact.items():
                self.weights[n].data.copy_(value)
        own = torch.tensor([tokens, clock() if self.rank == 0 else 0.0])
        grads, figures = self.gather(torch.cat([sums.flatten(), own]))
        sums = figures[:-2].view(2, -1)
        for p, grad in zip(self.weights.values(), grads):
            p.grad = grad / sums[1].sum()
        torch.nn.utils.clip_grad_norm_(self.weights.values(), 1.0)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.step, self.tokens, self.elapsed = self.step + 1, self.tokens + int(figures[-2]), figures[-1].item()
        return sums

    def test(self):
        plain = {n: p.detach() for n, p in self.weights.items()}
        sums = held_out(self.recipe, self.model.config, plain, self.data, slice(self.rank, None, 6 * self.args.workers))
        for total in sums.values():
            dist.all_reduce(total)
        self.say("held out:", *(f"{name} {show(total)}" for name, total in sums.items()))

    def go(self):
        total, before, start = self.args.minutes * 60, self.elapsed, time.time()
        clock = lambda: before + time.time() - start
        recent, tested, saved = torch.zeros(2, len(self.recipe.parts)), before, before
        while self.elapsed < total:
            progress = self.elapsed / total
            recent += self.take_step(progress, clock)
            if self.step % 20 == 0 or self.step < 4:
                self.say(f"step {self.step} {self.elapsed / 60:.1f} min loss {show(recent)} tokens "
                         f"{self.tokens / 1e6:.2f} M {'rounded' if progress >= ROUNDED_FROM else ''}")
                recent.zero_()
            if self.elapsed - tested > TEST_EVERY:
                tested = self.elapsed
                self.test()
            if self.elapsed - saved > SAVE_EVERY:
                saved = self.elapsed
                self.save()
        self.save()
        dist.destroy_process_group()


def show(sums):
    return " ".join(f"{mean:.3f}" for mean in means(sums))


def train(rank, recipe, args):
    Trainer(rank, recipe, args).go()
