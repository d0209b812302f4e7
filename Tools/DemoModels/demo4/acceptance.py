"""How many drafts the target would take: rounds played over texts whose pieces are the target's own choice."""
import torch

from . import stories, telling
from .drafter import STEPS, ahead


def masked_argmax(out, w, order, clusters, top):
    """The drafter's choice [B, T] among the pieces of its best clusters."""
    scores = torch.nn.functional.linear(out, w["masked_embedding.centroids.weight"])
    best = torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, scores.topk(top, -1).indices, True)
    open_pieces = torch.empty(*best.shape[:-1], order.numel(), dtype=torch.bool)
    open_pieces[..., order] = best.repeat_interleave(order.numel() // clusters, -1)
    logits = torch.nn.functional.linear(out, w["model.embed_tokens.weight"])
    return logits.masked_fill(~open_pieces, -torch.inf).argmax(-1)


def drafts(run, w, ids, config):
    """[B, T, STEPS] what a round at each position drafts, each step fed with the drafter's own choice before it."""
    hidden, keys_values, _ = run.teach(ids)
    state, piece, made = ahead(hidden, -1), ids, []
    for _ in range(STEPS):
        out, state = run.step(w, piece, state, keys_values)
        piece = masked_argmax(out, w, run.order, config.num_centroids, config.centroid_intermediate_top_k)
        made.append(piece)
    return torch.stack(made, -1)


def measure(run, w, config, rows):
    """{drafts per round: (share of right drafts by step, given that those before it were right; tokens a round)}.

    rows: [(ids, labels)] with labels the target's own choices. A round emits its right drafts and one more piece.
    """
    right, reached = torch.zeros(STEPS), torch.zeros(STEPS)
    rounds = {g: [0, 0] for g in range(1, STEPS + 1)}
    for ids, labels in rows:
        ids, labels = torch.tensor([ids]), torch.tensor(labels)
        with torch.no_grad():
            made = drafts(run, w, ids, config)[0]
        where = (labels >= 0).nonzero().flatten()
        first, last = where[0].item() + 1, where[-1].item()  # the first piece of the answer is no draft's
        agree = lambda at, k: at + k <= last and made[at, k] == labels[at + k]
        for at in range(first, last + 1):
            for k in range(STEPS):
                if at + k > last:
                    break
                reached[k] += 1
                if not agree(at, k):
                    break
                right[k] += 1
        for g, sums in rounds.items():
            at = first
            while at <= last:
                n = next((k for k in range(g) if not agree(at, k)), g)
                sums[0], sums[1] = sums[0] + 1, sums[1] + min(n + 1, last + 1 - at)
                at += n + 1
    return (right / reached).tolist(), {g: tokens / count for g, (count, tokens) in rounds.items()}


def show(forward, held, model, tokenizer, recipe):
    """Prints what the finished drafter reaches on answers of the target that it never saw."""
    config, w = model.config, {n: p.detach() for n, p in model.named_parameters()}
    run = forward(config, recipe.length, {})
    for label, greedy in (("sampled", False), ("greedy", True)):
        rows = [stories.row(*pair, recipe.length) for n, pair in enumerate(held) if telling.is_greedy(n) == greedy]
        right, rounds = measure(run, w, config, rows)
        print(f"{len(rows)} {label} answers: right drafts by step", *(f"{share:.3f}" for share in right))
        print("tokens a round:", *(f"{g} drafts {tokens:.2f};" for g, tokens in rounds.items()), flush=True)
