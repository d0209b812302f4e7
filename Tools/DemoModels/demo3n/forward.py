"""Gemma 3n's training pass over the parameters of a Hugging Face Gemma3nForCausalLM.

The same mathematics as transformers' own forward (see `agrees`), written so that the compiler can fuse it: AltUp's
4 x 4 mixing is unrolled, attention is the fused kernel, and every feed-forward layer can be cut to its first columns.
"""
import torch
import torch.nn.functional as F

from demo.attention import attend, mask
from demo.primitives import compute_type, key_sources, rms, rotate, softcap


def tables(config, length):
    """Per layer type (cos, sin) [T, 1, D/2] and the mask [T, T] of what a position may see."""
    at, half = torch.arange(length), config.head_dim // 2
    out = {}
    for kind, window in (("sliding_attention", config.sliding_window), ("full_attention", None)):
        theta = config.rope_parameters[kind]["rope_theta"]
        angle = at[:, None].float() * theta ** (-torch.arange(half).float() / half)
        out[kind] = angle.cos()[:, None], angle.sin()[:, None], mask(length, window)
    return out


class Pass:
    """The network as a function of (weights by name, ids, labels).

    The leading rows["full"] rows of a batch run at full width; the others use the first half of every feed-forward
    layer (the nested network of MatFormer).
    """

    def __init__(self, config, length, rows):
        self.config, self.full_rows = config, rows.get("full", 0)
        self.tables = tables(config, length)
        self.source = key_sources(config)
        self.sparsity_cut = [0.0 if s == 0 else float(torch.distributions.Normal(0, 1).icdf(torch.tensor(s)))
                             for s in config.activation_sparsity_pattern]

    def __call__(self, w, ids, labels, dropout=None):
        """(summed cross entropy of the labels >= 0, their number) of the rows at full width, then at half width."""
        c = self.config
        x = self.hidden(w, ids)
        logits = F.linear(x, w["embed_tokens.weight"]).float()
        logits = softcap(logits, c.final_logit_softcapping)
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="none")
        parts = lambda x: torch.stack([x[:self.full_rows].sum(), x[self.full_rows:].sum()])
        return parts(loss.view_as(labels)), parts(labels >= 0)

    def hidden(self, w, ids):
        c = self.config
        x0 = w["embed_tokens.weight"][ids] * c.hidden_size ** 0.5
        table = w["embed_tokens_per_layer.weight"]
        rows = table[torch.where(ids < c.vocab_size_per_layer_input, ids, 0)] * c.hidden_size_per_layer_input ** 0.5
        made = F.linear(x0, w["per_layer_model_projection.weight"]) * c.hidden_size ** -0.5
        made = rms(made.unflatten(-1, (c.num_hidden_layers, -1)), w["per_layer_projection_norm.weight"])
        per_layer = (made + rows.unflatten(-1, (c.num_hidden_layers, -1))) * 0.5 ** 0.5
        streams = [x0] + [self.match(F.linear(x0, w[f"altup_projections.{i}.weight"]), x0) for i in range(3)]
        cache = {}
        for i in range(c.num_hidden_layers):
            streams = self.layer(w, f"layers.{i}.", i, streams, per_layer[:, :, i], cache)
        out = [streams[0]] + [self.match(F.linear(streams[i + 1], w[f"altup_unembed_projections.{i}.weight"]),
                                         streams[0]) for i in range(3)]
        return rms(sum(out) / 4, w["norm.weight"])

    @staticmethod
    def match(x, like):
        x = x.float()
        wanted = like.pow(2).mean(-1, keepdim=True).clamp(min=1e-12).sqrt()  # a row of zeros has no slope otherwise
        return x * (wanted / x.pow(2).mean(-1, keepdim=True).clamp(min=1e-5).sqrt())

    def modalities(self, w, p, x):
        x = rms(x, w[p + "altup.router_norm.weight"]) / self.config.hidden_size
        return torch.tanh(F.linear(x, w[p + "altup.modality_router.weight"]).float())

    def layer(self, w, p, i, streams, per_layer, cache):
        mix = F.linear(self.modalities(w, p, streams[0]), w[p + "altup.prediction_coefs.weight"]).float()
        mix = mix.unsqueeze(-1).unbind(-2)
        predicted = [s + sum(mix[4 * k + j] * streams[j] for j in range(4)) for k, s in enumerate(streams)]
        active = predicted[0]
        normed = rms(active, w[p + "input_layernorm.weight"])
        laurel = F.linear(F.linear(normed, w[p + "laurel.linear_left.weight"]), w[p + "laurel.linear_right.weight"])
        laurel = normed + rms(laurel, w[p + "laurel.post_laurel_norm.weight"])
        attended = rms(self.attend(w, p, i, normed, cache), w[p + "post_attention_layernorm.weight"])
        x = (active + attended + laurel) * 0.5 ** 0.5
        fed = self.feed(w, p, i, rms(x, w[p + "pre_feedforward_layernorm.weight"]))
        x = x + rms(fed, w[p + "post_feedforward_layernorm.weight"])
        gain = F.linear(self.modalities(w, p, x), w[p + "altup.correction_coefs.weight"]).float() + 1
        gain = gain.unsqueeze(-1).unbind(-2)
        innovation = x - active
        corrected = [s + g * innovation for s, g in zip(predicted, gain)]
        gate = F.linear(corrected[0] * w[p + "altup.correct_output_scale"], w[p + "per_layer_input_gate.weight"])
        gate = F.gelu(gate.float(), approximate="tanh") * per_layer
        extra = rms(F.linear(gate, w[p + "per_layer_projection.weight"]), w[p + "post_per_layer_input_norm.weight"])
        return [corrected[0]] + [s + extra for s in corrected[1:]]

    def attend(self, w, p, i, x, cache):
        c, a = self.config, p + "self_attn."
        cos, sin, seen = self.tables[c.layer_types[i]]
        heads = lambda name: F.linear(x, w[a + name + ".weight"]).unflatten(-1, (-1, c.head_dim))
        q = rotate(rms(heads("q_proj"), w[a + "q_norm.weight"]), cos, sin)
        if self.source[i] == i:
            k = rotate(rms(heads("k_proj"), w[a + "k_norm.weight"]), cos, sin)
            cache[i] = [t.to(compute_type(t)).transpose(1, 2) for t in (k, rms(heads("v_proj")))]
        k, v = cache[self.source[i]]
        out = attend(q.to(k.dtype).transpose(1, 2), k, v, seen)
        return F.linear(out.transpose(1, 2).flatten(2), w[a + "o_proj.weight"])

    def feed(self, w, p, i, x):
        mats = [w[p + f"mlp.{n}_proj.weight"] for n in ("gate", "up", "down")]
        half = mats[0].shape[0] // 2
        full = min(self.full_rows, x.shape[0])
        parts = [self.cut_to(i, x[:full], *mats)] if full else []
        if full < x.shape[0]:
            parts.append(self.cut_to(i, x[full:], mats[0][:half], mats[1][:half], mats[2][:, :half]))
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def cut_to(self, i, x, gate, up, down):
        g = F.linear(x, gate).float()
        if self.config.activation_sparsity_pattern[i] > 0:  # the cut is that of the columns in use
            mean = g.mean(-1, keepdim=True)
            std = (g - mean).pow(2).mean(-1, keepdim=True).sqrt()
            g = F.relu(g - (mean + std * self.sparsity_cut[i]))
        return F.linear(F.gelu(g, approximate="tanh") * F.linear(x, up), down)


def agrees(model, length=384):
    """Largest difference from transformers' own logits in float32 at full width; raises above 1e-3."""
    config = model.config
    w = {k: v.detach() for k, v in model.model.named_parameters()}
    ids = torch.randint(5, config.vocab_size, (2, length))
    with torch.no_grad():
        ours = F.linear(Pass(config, length, {"full": 2}).hidden(w, ids), w["embed_tokens.weight"])
        gap = (softcap(ours, config.final_logit_softcapping) - model.eval()(input_ids=ids).logits).abs().max().item()
    if not gap < 1e-3:
        raise SystemExit(f"the training pass differs from transformers by {gap}")
    return gap
