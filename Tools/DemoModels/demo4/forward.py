"""Gemma 4's training pass over the parameters of a Hugging Face Gemma4ForCausalLM.

The same mathematics as transformers' own forward (see `agrees`), written so that the compiler can fuse it and so that
the drafter's training can have the keys, values and hidden states.
"""
import torch
import torch.nn.functional as F

from demo.attention import attend, mask
from demo.primitives import compute_type, key_sources, rms, rotate, softcap


def head_sizes(config):
    return {kind: config.per_layer_config[kind].head_dim for kind in set(config.layer_types)}


def angles(config, kind, positions):
    """(cos, sin) [T, 1, D/2]; in full layers only the first pairs are rotated."""
    rope, half = config.rope_parameters[kind], head_sizes(config)[kind] // 2
    turning = int(rope.get("partial_rotary_factor", 1.0) * half)
    frequency = rope["rope_theta"] ** (-torch.arange(half).float() / half)
    frequency[turning:] = 0
    angle = positions[:, None].float() * frequency
    return angle.cos()[:, None], angle.sin()[:, None]


def drop(x, share):
    """Leaves out a share (a tensor) of the elements and enlarges the others."""
    return x if share is None else x * ((torch.rand_like(x) >= share) / (1 - share))


class Pass:
    """The network as a function of (weights by name, ids, labels)."""

    def __init__(self, config, length, rows=None):
        """rows: taken for the trainer's sake; all rows are computed alike."""
        self.config, self.sizes, self.source = config, head_sizes(config), key_sources(config)
        self.tables = {kind: (*angles(config, kind, torch.arange(length)), mask(length, window))
                       for kind, window in (("sliding_attention", config.sliding_window), ("full_attention", None))}

    def __call__(self, w, ids, labels, dropout=None):
        """(summed cross entropy of the labels >= 0, their number)."""
        logits = self.logits(w, self.hidden(w, ids, dropout)[0])
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
        return loss[None], (labels >= 0).sum()[None]

    def logits(self, w, hidden):
        return softcap(F.linear(hidden, w["embed_tokens.weight"]).float(), self.config.final_logit_softcapping)

    def hidden(self, w, ids, dropout=None):
        """(states after the final norm [B, T, H], {layer: (keys, values) [B, heads, T, D]} of the owners)."""
        c = self.config
        x = w["embed_tokens.weight"][ids] * c.hidden_size ** 0.5
        rows = w["embed_tokens_per_layer.weight"][ids] * c.hidden_size_per_layer_input ** 0.5
        made = F.linear(x, w["per_layer_model_projection.weight"]) * c.hidden_size ** -0.5
        made = rms(made.unflatten(-1, (c.num_hidden_layers, -1)), w["per_layer_projection_norm.weight"])
        per_layer = (made + rows.unflatten(-1, (c.num_hidden_layers, -1))) * 0.5 ** 0.5
        cache = {}
        for i in range(c.num_hidden_layers):
            p = f"layers.{i}."
            x = self.layer(w, p, x, self.keys(w, p, i, x, cache), c.layer_types[i], dropout)
            gate = F.gelu(F.linear(x, w[p + "per_layer_input_gate.weight"]).float(), approximate="tanh")
            extra = F.linear(gate * per_layer[:, :, i], w[p + "per_layer_projection.weight"])
            x = x + rms(extra, w[p + "post_per_layer_input_norm.weight"])
            x = x * w[p + "layer_scalar"]
        return rms(x, w["norm.weight"]), cache

    def keys(self, w, p, i, x, cache):
        """Keys and values for layer i, made here if it owns them."""
        kind, a = self.config.layer_types[i], p + "self_attn."
        if self.source[i] == i:
            cos, sin, _ = self.tables[kind]
            x = rms(x, w[p + "input_layernorm.weight"])
            heads = lambda name: F.linear(x, w[a + name + ".weight"]).unflatten(-1, (-1, self.sizes[kind]))
            k = rotate(rms(heads("k_proj"), w[a + "k_norm.weight"]), cos, sin)
            cache[i] = [t.to(compute_type(t)).transpose(1, 2) for t in (k, rms(heads("v_proj")))]
        return cache[self.source[i]]

    def layer(self, w, p, x, keys_values, kind, dropout=None):
        """Attention and feed-forward with their residuals: what target and drafter have in common."""
        cos, sin, seen = self.tables[kind]
        a = p + "self_attn."
        normed = rms(x, w[p + "input_layernorm.weight"])
        q = F.linear(normed, w[a + "q_proj.weight"]).unflatten(-1, (-1, self.sizes[kind]))
        q = rotate(rms(q, w[a + "q_norm.weight"]), cos, sin)
        k, v = keys_values
        out = attend(q.to(k.dtype).transpose(1, 2), k, v, seen)
        out = F.linear(out.transpose(1, 2).flatten(2), w[a + "o_proj.weight"])
        x = x + drop(rms(out, w[p + "post_attention_layernorm.weight"]), dropout)
        y = rms(x, w[p + "pre_feedforward_layernorm.weight"])
        gate = F.gelu(F.linear(y, w[p + "mlp.gate_proj.weight"]).float(), approximate="tanh")
        out = F.linear(gate * F.linear(y, w[p + "mlp.up_proj.weight"]), w[p + "mlp.down_proj.weight"])
        return x + drop(rms(out, w[p + "post_feedforward_layernorm.weight"]), dropout)


def agrees(model, length=384):
    """Largest difference from transformers' own logits in float32; raises above 1e-3."""
    w = {k: v.detach() for k, v in model.model.named_parameters()}
    ids = torch.randint(5, model.config.vocab_size, (2, length))
    with torch.no_grad():
        run = Pass(model.config, length)
        gap = (run.logits(w, run.hidden(w, ids)[0]) - model.eval()(input_ids=ids).logits).abs().max().item()
    if not gap < 1e-3:
        raise SystemExit(f"the training pass differs from transformers by {gap}")
    return gap
