"""Faults of per-layer embeddings, which Gemma 3n and Gemma 4 share.

Two factors cannot be seen from outside and have no entry: the 1/sqrt(H) of the projection and the 1/sqrt(2) of the sum
are both followed by a norm that divides every common factor out again (but for its eps).
"""
import torch

from .ablations import VISIBLE, replace


def has_them(model):
    return bool(model.config.hidden_size_per_layer_input)


def only_if_present(damage):
    return lambda model, fixture, stack: damage(model, fixture, stack) if has_them(model) else False


def no_token_part(model, fixture, stack):
    model.model.embed_tokens_per_layer.weight.zero_()


def no_context_part(model, fixture, stack):
    model.model.per_layer_projection_norm.weight.zero_()


def flat_context_norm(model, fixture, stack):
    model.model.per_layer_projection_norm.weight.fill_(1.0)


def row_not_scaled(model, fixture, stack):
    model.model.embed_tokens_per_layer.embed_scale.fill_(1.0)


def wrong_order(model, fixture, stack):
    rows, layers = model.model.embed_tokens_per_layer, model.config.num_hidden_layers
    weight = rows.weight.reshape(rows.weight.shape[0], layers, -1)
    rows.weight.copy_(weight.transpose(1, 2).reshape(rows.weight.shape))


def next_layers_inputs(model, fixture, stack):
    rows, width = model.model.embed_tokens_per_layer, model.config.hidden_size_per_layer_input
    rows.weight.copy_(rows.weight.roll(-width, 1))


def left_out(model, fixture, stack):
    for layer in model.model.layers:
        layer.post_per_layer_input_norm.weight.zero_()


def flat_norm(model, fixture, stack):
    for layer in model.model.layers:
        layer.post_per_layer_input_norm.weight.fill_(1.0)


def last_row_for_unknown_ids(model, fixture, stack):
    table = model.model.embed_tokens_per_layer
    if table.weight.shape[0] >= model.config.vocab_size:
        return False

    def look_up(ids):
        rows = table(ids.clamp(max=table.weight.shape[0] - 1))
        return rows.reshape(*ids.shape, model.config.num_hidden_layers, -1)
    replace(stack, model.model, "get_per_layer_inputs", look_up)


def no_row_for_unknown_ids(model, fixture, stack):
    table = model.model.embed_tokens_per_layer
    if table.weight.shape[0] >= model.config.vocab_size:
        return False

    def look_up(ids):
        known = (ids < table.weight.shape[0])
        rows = table(torch.where(known, ids, 0)) * known[..., None]
        return rows.reshape(*ids.shape, model.config.num_hidden_layers, -1)
    replace(stack, model.model, "get_per_layer_inputs", look_up)


TABLE = {name: (only_if_present(damage), VISIBLE) for name, damage in {
    "PLE: token part left out": no_token_part,
    "PLE: context part left out": no_context_part,
    "PLE: projection norm weight ignored": flat_context_norm,
    "PLE: row not scaled by sqrt(P)": row_not_scaled,
    "PLE: row read as [P, L]": wrong_order,
    "PLE: inputs of the next layer": next_layers_inputs,
    "PLE: left out": left_out,
    "PLE: post norm weight ignored": flat_norm,
    "PLE: unknown ids use the last row": last_row_for_unknown_ids,
    "PLE: unknown ids use no row": no_row_for_unknown_ids,
}.items()}
