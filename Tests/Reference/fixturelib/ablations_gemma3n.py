"""Faults of Gemma 3n: AltUp, LAuReL, the sparse gate."""
import types

import torch

from . import ablations_per_layer, ablations_sharing
from .ablations import SLIGHT, VISIBLE, code, replace


def for_each_layer(change):
    def damage(model, fixture, stack):
        for layer in model.model.layers:
            change(layer, model)
    return damage


def sparse_gate(cut):
    """Replaces the sparse gate by cut(gate, mean, deviation with divisor F, the same with F - 1, multiplier)."""
    def damage(model, fixture, stack):
        sparse = [layer.mlp for layer in model.model.layers if layer.mlp.activation_sparsity > 0]
        for mlp in sparse:
            multiplier = torch.distributions.Normal(0, 1).icdf(torch.tensor(mlp.activation_sparsity))

            def gate(value, multiplier=multiplier):
                return cut(value, value.mean(-1, keepdim=True), value.std(-1, keepdim=True, unbiased=False),
                           value.std(-1, keepdim=True), multiplier)
            mlp._gaussian_topk = gate
        return None if sparse else False
    return damage


def transposed_predictions(layer, model):
    weight = layer.altup.prediction_coefs.weight
    weight.copy_(weight.reshape(4, 4, 4).transpose(0, 1).reshape(16, 4).clone())


def without_one(layer, model):
    module = layer.altup.correction_coefs
    module.forward = lambda value: torch.nn.functional.linear(value, module.weight) - 1.0


def router_without_tanh(layer, model):
    altup = layer.altup
    altup.compute_router_modalities = lambda x: altup.modality_router(altup.router_norm(x) * altup.router_input_scale)


def root_router_scale(layer, model):
    layer.altup.router_input_scale.fill_(model.config.hidden_size ** -0.5)


def output_scale(model, fixture, stack):
    model.config.altup_correct_scale = not model.config.altup_correct_scale


def identity_projections(name):
    def damage(model, fixture, stack):
        for projection in getattr(model.model, name):
            projection.weight.copy_(torch.eye(projection.weight.shape[0]))
    return damage


def streams_not_rescaled(model, fixture, stack):
    """The random projections double the magnitude, so this is what the streams are without rescaling."""
    def double(_, arguments):
        streams = arguments[0].clone()
        streams[1:] *= 2
        return (streams, *arguments[1:])
    model.model.layers[0].register_forward_pre_hook(double)


def first_stream_only(model, fixture, stack):
    for projection in model.model.altup_unembed_projections:
        projection.weight.zero_()


def injected_everywhere(model, fixture, stack):
    for layer in model.model.layers:
        kept = []
        layer.post_per_layer_input_norm.register_forward_hook(lambda _, __, output, kept=kept: kept.append(output))

        def add(_, __, output, kept=kept):
            output = output.clone()
            output[0] += kept.pop()
            return output
        layer.register_forward_hook(add)


def half_sum_not_scaled(model, fixture, stack):
    replace(stack, code(model), "math", types.SimpleNamespace(sqrt=lambda value: 1.0))


TABLE = {
    "gate: no sparsity": (sparse_gate(lambda g, mean, std, std1, z: g), VISIBLE),
    "gate: survivors not shifted": (sparse_gate(lambda g, mean, std, std1, z: torch.where(g > mean + z * std, g, 0)),
                                    VISIBLE),
    "gate: mean left out": (sparse_gate(lambda g, mean, std, std1, z: torch.relu(g - z * std)), SLIGHT),
    "gate: deviation divided by F - 1": (sparse_gate(lambda g, mean, std, std1, z: torch.relu(g - mean - z * std1)),
                                         SLIGHT),
    "AltUp: no prediction": (for_each_layer(lambda layer, _: layer.altup.prediction_coefs.weight.zero_()), VISIBLE),
    "AltUp: prediction transposed": (for_each_layer(transposed_predictions), VISIBLE),
    "AltUp: correction coefficients ignored":
        (for_each_layer(lambda layer, _: layer.altup.correction_coefs.weight.zero_()), VISIBLE),
    "AltUp: correction without + 1": (for_each_layer(without_one), VISIBLE),
    "AltUp: router scaled by 1/sqrt(H)": (for_each_layer(root_router_scale), VISIBLE),
    "AltUp: router without tanh": (for_each_layer(router_without_tanh), VISIBLE),
    "AltUp: router norm weight ignored":
        (for_each_layer(lambda layer, _: layer.altup.router_norm.weight.fill_(1.0)), VISIBLE),
    "AltUp: correct_output_scale switched": (output_scale, VISIBLE),
    "AltUp: projections ignored": (identity_projections("altup_projections"), VISIBLE),
    "AltUp: streams not rescaled": (streams_not_rescaled, VISIBLE),
    "AltUp: unembedding projections ignored": (identity_projections("altup_unembed_projections"), VISIBLE),
    "AltUp: only stream 0 read out": (first_stream_only, VISIBLE),
    "LAuReL left out": (for_each_layer(lambda layer, _: layer.laurel.post_laurel_norm.weight.zero_()), VISIBLE),
    "LAuReL norm weight ignored":
        (for_each_layer(lambda layer, _: layer.laurel.post_laurel_norm.weight.fill_(1.0)), VISIBLE),
    "LAuReL sum not scaled by 1/sqrt(2)": (half_sum_not_scaled, VISIBLE),
    "PLE: injected into stream 0 too": (injected_everywhere, VISIBLE),
    **ablations_per_layer.TABLE,
    **ablations_sharing.TABLE,
}
