"""The reference run: transformers' own text model in float32 on the weights of a fixture's folder."""
import copy

import numpy as np
import torch
import transformers

torch.set_grad_enabled(False)

TEXT_CLASSES = {
    "gemma3": (transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM),
    "gemma3n": (transformers.models.gemma3n.Gemma3nTextConfig, transformers.models.gemma3n.Gemma3nForCausalLM),
    "gemma4": (transformers.models.gemma4.Gemma4TextConfig, transformers.models.gemma4.Gemma4ForCausalLM),
}


def empty_model(fixture):
    """The fixture's model with whatever weights transformers starts from; attention is the plain ("eager") one."""
    config_class, model_class = TEXT_CLASSES[fixture.family]
    config = config_class(**copy.deepcopy(fixture.text))
    config._attn_implementation = "eager"
    return model_class(config).float().eval()


def used_shapes(model):
    """{name without prefix: shape} of the tensors the model computes with; the tied head is left out."""
    return {name.removeprefix("model."): tuple(value.shape) for name, value in model.state_dict().items()
            if not name.startswith("lm_head")}


def shared_key_shapes(fixture):
    """Shapes of the k/v tensors that sharing layers do not use but published files contain."""
    text, shapes = fixture.text, {}
    for layer in range(text["num_hidden_layers"] - text["num_kv_shared_layers"], text["num_hidden_layers"]):
        wide = fixture.family == "gemma4" and text["layer_types"][layer] == "full_attention"
        head = text["global_head_dim"] if wide else text["head_dim"]
        at = f"layers.{layer}.self_attn."
        for projection in ("k_proj", "v_proj"):
            shapes[at + projection + ".weight"] = (text["num_key_value_heads"] * head, text["hidden_size"])
        shapes[at + "k_norm.weight"] = (head,)
    return shapes


def load(fixture, arrays):
    """The float32 model with the given tensors; every tensor the model uses must be there."""
    model = empty_model(fixture)
    wanted = used_shapes(model)
    extra = set(arrays) - set(wanted) - set(shared_key_shapes(fixture) if "num_kv_shared_layers" in fixture.text else ())
    if extra or set(wanted) - set(arrays):
        raise ValueError(f"{fixture.name}: left over {sorted(extra)}, missing {sorted(set(wanted) - set(arrays))}")
    model.load_state_dict({"model." + name: arrays[name] for name in wanted}, strict=False)
    model.tie_weights()
    if model.lm_head.weight.data_ptr() != model.model.embed_tokens.weight.data_ptr():
        raise AssertionError("the output head is not tied to the embedding")
    return model


def logits(model, ids):
    """Final logits [tokens, vocabulary], capped where the model caps them; no cache, the whole prompt at once."""
    out = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    if not torch.isfinite(out).all():
        raise AssertionError("a logit is not finite")
    return out


def log_probabilities(model, ids):
    return torch.log_softmax(logits(model, ids).float(), -1)


def greedy(model, ids, count):
    """(ids, margins): the best next id `count` times, each from a full pass without cache; end ids do not stop it."""
    ids, chosen, margins = list(ids), [], []
    for _ in range(count):
        best = torch.topk(logits(model, ids)[-1], 2)
        chosen.append(int(best.indices[0]))
        margins.append(float(best.values[0] - best.values[1]))
        ids.append(chosen[-1])
    return chosen, margins


def cached_difference(model, ids, chosen):
    """Largest difference of log-probabilities between one pass without cache and transformers' own cache, fed the
    prompt in one piece and then token by token."""
    whole = log_probabilities(model, list(ids) + list(chosen))
    first = model(input_ids=torch.tensor([ids]), use_cache=True)
    cache = first.cache if getattr(first, "cache", None) is not None else first.past_key_values
    rows = [first.logits[0]]
    for offset, token in enumerate(chosen):
        position = torch.tensor([[len(ids) + offset]])
        step = model(input_ids=torch.tensor([[token]]), cache=cache, position_ids=position, use_cache=True)
        rows.append(step.logits[0])
    stepped = torch.log_softmax(torch.cat(rows).float(), -1)
    return float((stepped - whole).abs().max())


def layer_outputs(model, ids, positions):
    """[{name, values [streams, positions, hidden]}]: the embedding, the output of every layer, the final norm."""
    seen, hooks = [], []

    def keep(name):
        def hook(_, arguments, output):
            value = output[0] if isinstance(output, tuple) else output
            value = value.reshape(-1, len(ids), value.shape[-1]) if value.dim() == 4 else value
            seen.append((name, value[:, positions].clone().numpy().astype(np.float32)))
        return hook

    text = model.model
    hooks.append(text.embed_tokens.register_forward_hook(keep("embedding")))
    for number, layer in enumerate(text.layers):
        hooks.append(layer.register_forward_hook(keep(f"layer.{number}")))
    hooks.append(text.norm.register_forward_hook(keep("norm")))
    logits(model, ids)
    for hook in hooks:
        hook.remove()
    return seen


def conditioning(model, ids, seeds=(1, 2, 3)):
    """How far one unit in the last place of every weight moves a log-probability: a floor for any tolerance."""
    before, worst = log_probabilities(model, ids), 0.0
    for seed in seeds:
        nudged, generator = copy.deepcopy(model), torch.Generator().manual_seed(seed)
        for parameter in nudged.parameters():
            parameter.mul_(1 + 2.0 ** -23 * torch.sign(torch.randn(parameter.shape, generator=generator)))
        worst = max(worst, float((log_probabilities(nudged, ids) - before).abs().max()))
    return worst
