"""The drafter's network (queries only, four layers) and its training pass, unrolled over the steps of a round."""
import torch
import torch.nn.functional as F
from transformers import Gemma4AssistantConfig, Gemma4AssistantForCausalLM, Gemma4TextConfig

from demo.attention import mask
from demo.primitives import rms

from .forward import Pass, head_sizes

STEPS = 4  # drafts per round while training


def shape(target, hidden=128, width=256, clusters=128, top=16):
    """target: configuration of the model that is drafted for; its heads are the drafter's too."""
    text = Gemma4TextConfig(
        vocab_size=target.vocab_size, vocab_size_per_layer_input=0, hidden_size=hidden, intermediate_size=width,
        layer_types=["sliding_attention"] * 3 + ["full_attention"], num_hidden_layers=4, num_kv_shared_layers=4,
        num_attention_heads=target.num_attention_heads, num_key_value_heads=target.num_key_value_heads,
        head_dim=head_sizes(target)["sliding_attention"], global_head_dim=head_sizes(target)["full_attention"],
        hidden_size_per_layer_input=0, sliding_window=target.sliding_window, final_logit_softcapping=None,
        max_position_embeddings=target.max_position_embeddings, rope_parameters=target.rope_parameters,
        pad_token_id=target.pad_token_id, eos_token_id=target.eos_token_id, bos_token_id=target.bos_token_id)
    return Gemma4AssistantConfig(text_config=text, backbone_hidden_size=target.hidden_size, use_ordered_embeddings=True,
                                 num_centroids=clusters, centroid_intermediate_top_k=top)


def fresh(target_config, target_weights, order, seed=0):
    """First weights: the head is the target's table in its own main directions, the two projections turn with it."""
    torch.manual_seed(seed)
    model = Gemma4AssistantForCausalLM(shape(target_config)).float()
    table = target_weights["embed_tokens.weight"]
    hidden = model.config.text_config.hidden_size
    rotated = torch.linalg.svd(table, full_matrices=False)[2][:hidden]
    with torch.no_grad():
        for layer in model.model.layers:
            del layer.layer_scalar
            layer.layer_scalar = torch.nn.Parameter(torch.ones(1))
        for name, p in model.named_parameters():
            if name.endswith("q_norm.weight"):
                p.fill_(p.shape[0] ** -0.25)
            elif "post_" in name and p.dim() == 1:
                p.fill_(0.3)
            elif p.dim() == 2:
                p.normal_(0, p.shape[1] ** -0.5)
        model.model.embed_tokens.weight.copy_(table @ rotated.T)
        model.pre_projection.weight.mul_(0.2)
        model.pre_projection.weight[:, table.shape[1]:] += rotated
        model.post_projection.weight.copy_(rotated.T)
        model.masked_embedding.token_ordering.copy_(order)
        members = model.model.embed_tokens.weight[order].unflatten(0, (model.config.num_centroids, -1))
        model.masked_embedding.centroids.weight.copy_(members.mean(1))
    return model


class Unrolled:
    """Rounds that begin at every position of a row at once, on the target's hidden states, keys and values.

    A round at position p drafts from the piece at p and the target's hidden state at p - 1, sees keys before p, and
    keeps its position. While training, later steps are given the pieces of the row: a draft is of use only as long
    as all before it were right.
    """

    def __init__(self, config, length, rows, target_config, target_weights, order):
        """rows: taken for the trainer's sake. order: the pieces by cluster."""
        self.target, self.target_weights = Pass(target_config, length), target_weights
        self.own = Pass(config.text_config, length)
        for kind, (cos, sin, _) in self.own.tables.items():
            window = config.text_config.sliding_window if kind == "sliding_attention" else None
            self.own.tables[kind] = cos, sin, mask(length, window, own=False)
        self.order, self.clusters = order, config.num_centroids
        kinds = target_config.layer_types
        owners = [i for i, source in enumerate(self.target.source) if i == source]
        self.sources = {kind: max(i for i in owners if kinds[i] == kind) for kind in set(kinds)}

    def teach(self, ids):
        """(hidden states, keys and values by layer type, log-probabilities of the target), without gradient."""
        with torch.no_grad():
            hidden, cache = self.target.hidden(self.target_weights, ids)
            logits = self.target.logits(self.target_weights, hidden)
        return hidden, {kind: cache[i] for kind, i in self.sources.items()}, F.log_softmax(logits, -1)

    def step(self, w, ids, state, keys_values):
        """(state after the final norm, what the next step gets in its place). state: [B, T, backbone hidden]."""
        config = self.own.config
        embedding = F.embedding(ids, self.target_weights["embed_tokens.weight"]) * state.shape[-1] ** 0.5
        x = F.linear(torch.cat([embedding, state.float()], -1), w["pre_projection.weight"])
        for i, kind in enumerate(config.layer_types):
            p = f"model.layers.{i}."
            x = self.own.layer(w, p, x, keys_values[kind], kind) * w[p + "layer_scalar"]
        x = rms(x, w["model.norm.weight"])
        return x, F.linear(x, w["post_projection.weight"])

    def __call__(self, w, ids, labels, dropout=None):
        """(summed cross entropies, labels counted) of the steps, then of the clusters over all steps.

        Against the target's distributions, not against the text. labels: -100 where the next piece is no lesson.
        """
        hidden, keys_values, teacher = self.teach(ids)
        state, losses, counts, clusters = ahead(hidden, -1), [], [], 0.0
        for k in range(STEPS):
            out, state = self.step(w, ahead(ids, k), state, keys_values)
            wanted, known = ahead(teacher, k).exp(), ahead(labels, k, -100) >= 0
            known[:, 0] = False  # nothing precedes the first piece
            loss = -(wanted * F.log_softmax(F.linear(out, w["model.embed_tokens.weight"]).float(), -1)).sum(-1)
            losses.append((loss * known).sum())
            counts.append(known.sum())
            chances = wanted[..., self.order].unflatten(-1, (self.clusters, -1)).sum(-1)
            scores = F.log_softmax(F.linear(out, w["masked_embedding.centroids.weight"]).float(), -1)
            clusters = clusters - ((chances * scores).sum(-1) * known).sum()
        return torch.stack(losses + [clusters]), torch.stack(counts + [sum(counts)])


def compiled(run):
    run.step, run.teach = (torch.compile(f, dynamic=False) for f in (run.step, run.teach))
    return run


def agrees_with(forward, model, length=192):
    """Largest difference from transformers' own logits and states over two steps of a round, past the window too."""
    config, w = model.config, {k: v.detach() for k, v in model.named_parameters()}
    run = forward(config, length, {})
    ids, worst = torch.randint(110, config.text_config.vocab_size - 8, (1, length)), 0.0
    with torch.no_grad():
        hidden, keys_values, _ = run.teach(ids)
        state, ours = ahead(hidden, -1), []
        for k in range(2):
            out, state = run.step(w, ahead(ids, k), state, keys_values)
            ours.append((out, state))
        for p in (1, 60, config.text_config.sliding_window + 40):
            kept = {"sliding_attention": slice(max(0, p - config.text_config.sliding_window + 1), p),
                    "full_attention": slice(0, p)}
            shared = {kind: tuple(t[:, :, kept[kind]] for t in pair) for kind, pair in keys_values.items()}
            theirs = hidden[:, p - 1:p]
            for k, (out, state) in enumerate(ours):
                embedding = run.target_weights["embed_tokens.weight"][ids[:, p + k]] * theirs.shape[-1] ** 0.5
                made = model.eval()(inputs_embeds=torch.cat([embedding[:, None], theirs], -1), shared_kv_states=shared,
                                    position_ids=torch.tensor([[p]]))
                theirs = made.last_hidden_state
                full = F.linear(out[0, p], w["model.embed_tokens.weight"])
                seen = made.logits[0, 0] > made.logits.min()  # outside the best clusters there is a constant
                worst = max(worst, (theirs[0, 0] - state[0, p]).abs().max().item(),
                            (made.logits[0, 0] - full)[seen].abs().max().item())
    if not worst < 1e-3:
        raise SystemExit(f"the drafter's pass differs from transformers by {worst}")
    return worst


def ahead(x, by, fill=0):
    """x [B, T, ...] such that position t holds what was at t + by; fill where there is nothing."""
    if by == 0:
        return x
    rest = torch.full_like(x[:, :abs(by)], fill)
    return torch.cat([x[:, by:], rest], 1) if by > 0 else torch.cat([rest, x[:, :by]], 1)
