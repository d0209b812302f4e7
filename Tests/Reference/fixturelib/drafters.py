"""Small random drafters for Gemma 4 fixtures, and rounds of drafts by transformers' own assistant model."""
import copy
import json
import os
import types

import numpy as np
import torch
from transformers import (Gemma4AssistantConfig, Gemma4AssistantForCausalLM, Gemma4UnifiedAssistantConfig,
                          Gemma4UnifiedAssistantForCausalLM)

from . import affine, checkpoint, expected, random_weights, reference
from .catalog import Affine, F, S

CLASSES = {"gemma4_assistant": (Gemma4AssistantConfig, Gemma4AssistantForCausalLM),
           "gemma4_unified_assistant": (Gemma4UnifiedAssistantConfig, Gemma4UnifiedAssistantForCausalLM)}
STEPS = 4  # drafts of a round
ORDERING = "masked_embedding.token_ordering"
# What a drafter takes over from its target's config.json.
INHERITED = ("vocab_size", "num_key_value_heads", "num_global_key_value_heads", "head_dim", "global_head_dim",
             "attention_k_eq_v", "sliding_window", "rope_parameters", "rms_norm_eps", "hidden_activation",
             "attention_bias", "attention_dropout", "bos_token_id", "eos_token_id", "pad_token_id",
             "tie_word_embeddings", "initializer_range", "max_position_embeddings")


def catalog():
    """{name: drafter}; `target` is the fixture of Tests/Fixtures/models that it drafts for."""
    def drafter(name, target, covers, **more):
        keys = dict(model_type="gemma4_assistant", text_type="gemma4_text", layer_types=[S, S, S, F], hidden=64, width=96,
                    heads=4, clusters=25, top=4, plain_type="bf16", affine=None, shards=1, seed=20261130)
        return types.SimpleNamespace(name=name, target=target, covers=covers, **{**keys, **more})

    drafters = [
        drafter("gemma4-e", "gemma4-e", "bf16, clusters, other heads than the target's", hidden=48, width=80, layer_types=[S, S, F]),
        drafter("gemma4-keqv", "gemma4-keqv", "no clusters, unified model type, other key heads in the full layer, f32",
                model_type="gemma4_unified_assistant", text_type="gemma4_unified_text", clusters=None,
                hidden=32, width=48, layer_types=[S, F], plain_type="f32"),
        drafter("gemma4-q4-g64", "gemma4-q4-g64", "4-bit group 64, projections with 8 bits, centroids quantised",
                width=128, affine=Affine(4, 64, {"pre_projection": (8, 64), "post_projection": (8, 64)})),
        drafter("gemma4-q8-g32", "gemma4-q8-g32", "8-bit group 32, f16 scales, centroids kept, two shards", heads=2,
                plain_type="f16", shards=2, layer_types=[S, F],
                affine=Affine(8, 32, {"masked_embedding.centroids": False}, parameter_type="f16")),
        drafter("gemma4-big-heads", "gemma4-big-heads", "head sizes 256 and 512, 4-bit group 64, no clusters", heads=2,
                width=64, clusters=None, layer_types=[S, F], affine=Affine(4, 64), seed=20261133),
    ]
    return {one.name: one for one in drafters}


def config(drafter, target_text):
    """The content of the drafter's config.json."""
    layers = len(drafter.layer_types)
    text = {key: target_text[key] for key in INHERITED if key in target_text}
    text.update(model_type=drafter.text_type, hidden_size=drafter.hidden, intermediate_size=drafter.width,
                num_attention_heads=drafter.heads, num_hidden_layers=layers, num_kv_shared_layers=layers,
                layer_types=drafter.layer_types, final_logit_softcapping=None)
    if drafter.text_type == "gemma4_text":
        text.update(hidden_size_per_layer_input=0, vocab_size_per_layer_input=0, use_double_wide_mlp=False,
                    enable_moe_block=False)
    top = dict(architectures=[CLASSES[drafter.model_type][1].__name__], model_type=drafter.model_type, text_config=text,
               backbone_hidden_size=target_text["hidden_size"], use_ordered_embeddings=drafter.clusters is not None,
               tie_word_embeddings=True)
    if drafter.clusters:
        top.update(num_centroids=drafter.clusters, centroid_intermediate_top_k=drafter.top)
    if drafter.affine:
        settings = dict(group_size=drafter.affine.group, bits=drafter.affine.bits, mode="affine")
        for module, override in drafter.affine.overrides.items():
            settings[module] = override if override is False else dict(bits=override[0], group_size=override[1])
        top["quantization"] = top["quantization_config"] = settings
    return top


def empty_model(content):
    """The assistant with whatever weights transformers starts from."""
    config_class, model_class = CLASSES[content["model_type"]]
    plain = {key: value for key, value in copy.deepcopy(content).items()
             if key not in ("quantization", "quantization_config", "architectures", "dtype")}
    made = config_class(**plain)
    made.text_config._attn_implementation = made._attn_implementation = "eager"
    return model_class(made).float().eval()


def write(folder, drafter, target):
    """The drafter's folder, with weights under which its every part shows in the scores."""
    content = config(drafter, target.text)
    shapes = {name: tuple(value.shape) for name, value in empty_model(content).state_dict().items()
              if not name.startswith("lm_head")}
    arrays = {}
    for name, shape in shapes.items():
        if name == ORDERING:
            order = np.random.default_rng([drafter.seed, 1]).permutation(shape[0])
            continue
        arrays[name] = random_weights.tensor(name.removeprefix("model."), shape, "gemma4", drafter.seed, 0, 1)
    tensors = checkpoint.stored_tensors(arrays, "", drafter.plain_type, drafter.affine, drafter.name)
    if drafter.clusters:
        tensors[ORDERING] = torch.from_numpy(order)
    os.makedirs(folder, exist_ok=True)
    checkpoint.write_weights(folder, tensors, drafter.shards, "mlx" if drafter.affine else "pt")
    checkpoint.write_json(folder, "config.json", content)


def load(folder):
    """The float32 assistant of a folder, affine weights dequantised; every tensor it computes with must be there."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        model = empty_model(json.load(file))
    arrays = checkpoint.read(folder, "")
    wanted = {name for name in model.state_dict() if not name.startswith("lm_head")}
    if wanted != set(arrays):
        raise ValueError(f"{folder}: left over {sorted(set(arrays) - wanted)}, missing {sorted(wanted - set(arrays))}")
    if ORDERING in arrays:
        arrays[ORDERING] = arrays[ORDERING].long()
    model.load_state_dict(arrays, strict=False)
    model.tie_weights()
    return model


class Target:
    """What a target hands to its drafter, from one pass over all ids without cache."""

    longer, newest, lag = 0, 0, 0  # changed by faults only

    def __init__(self, model, ids):
        self.table, self.window = model.model.embed_tokens.weight, model.config.sliding_window
        out = model(input_ids=torch.tensor([ids]), use_cache=False, output_hidden_states=True,
                    return_shared_kv_states=True)
        self.hidden, self.best = out.hidden_states[-1], out.logits[0].argmax(-1)
        final = model.model(input_ids=torch.tensor([ids]), use_cache=False).last_hidden_state
        if not torch.equal(final, self.hidden):
            raise AssertionError("the last hidden state is not the one behind the final norm")
        self.shared = {kind: out.shared_kv_states[kind] for kind in (S, F)}

    def keys_values(self, position):
        """Those that a query at `position` sees: it has none of its own."""
        end = position - self.newest
        kept = {S: slice(max(0, position - self.window + 1 - self.longer), end), F: slice(0, end)}
        return {kind: tuple(part[:, :, kept[kind]] for part in pair) for kind, pair in self.shared.items()}

    def embedding(self, token):
        return self.table[token] * self.table.shape[1] ** 0.5

    def pair(self, token, state):
        return torch.cat([self.embedding(token)[None, None], state], -1)

    def position(self, position, step):
        return position


def round_of_drafts(assistant, target, position, token, forced=()):
    """[(scores [V], guess, margin)]: the loop of transformers' SinglePositionMultiTokenCandidateGenerator, with exactly
    the keys before `position`. `token` is the one at `position`, which the target has not computed. `forced`: tokens that
    go on in place of the guesses."""
    state, shared, made = target.hidden[:, position - 1:position], target.keys_values(position), []
    for step in range(STEPS):
        at = target.position(position, step)
        out = assistant(inputs_embeds=target.pair(token, state), shared_kv_states=shared,
                        position_ids=torch.tensor([[at]]), use_cache=False)
        state, scores = out.last_hidden_state, out.logits[0, 0]
        best = torch.topk(scores, 2)
        token = int(best.indices[0])
        made.append((scores, token, float(best.values[0] - best.values[1])))
        token = forced[step] if forced else token
    return made


def positions(length, window):
    return sorted({1, 2, window - 1, window, window + 1, min(3 * window, length - 2), length - 1})


def rounds(assistant, model, ids, places, whole=()):
    """The entries of "rounds": at each place the target's own choice is drafted from. `whole`: places with all scores,
    of every step; elsewhere only the best pieces' are kept."""
    target, entries = Target(model, ids), []
    for place in places:
        bonus = int(target.best[place - 1])
        steps = []
        for scores, guess, margin in round_of_drafts(assistant, target, place, bonus):
            top = torch.topk(scores, 4)
            step = dict(guess=guess, margin=float(f"{margin:.4g}"), least=float(f"{scores.min():.7g}"),
                        top=[int(i) for i in top.indices], scores=expected.numbers(top.values))
            if place in whole:
                step["full"] = expected.numbers(scores)
            steps.append(step)
        entries.append(dict(position=place, token=bonus, steps=steps))
    return entries
