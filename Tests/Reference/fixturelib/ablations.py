"""Deliberate faults. Each must move a scored log-probability, or the fixture could not catch it.

An ablation is a function (model, fixture, stack) that damages a private copy of the model; what it changes outside of
that copy (functions of transformers' module) it undoes through `stack`. It returns False where it does not apply.
"""
import contextlib
import copy
import sys
from unittest import mock

import torch

from . import reference

VISIBLE = 0.05          # a change of a log-probability that a test at 2e-3 cannot miss
SLIGHT = 1e-3           # for faults that are small by nature, such as another gelu; some fixtures show them, not all


def code(model):
    """The transformers source module of the model's family."""
    return sys.modules[type(model).__module__]


def attentions(model):
    return [layer.self_attn for layer in model.model.layers]


def replace(stack, owner, name, value):
    stack.enter_context(mock.patch.object(owner, name, value))


def measure(model, fixture, prompts):
    """[(name, largest change of a scored log-probability, needed)] for every ablation that applies."""
    from . import ablations_common, ablations_gemma3n, ablations_gemma4
    table = dict(ablations_common.TABLE)
    table.update({"gemma3n": ablations_gemma3n.TABLE, "gemma4": ablations_gemma4.TABLE}.get(fixture.family, {}))
    intact = scores(model, prompts)
    results = []
    for name, (damage, needed) in table.items():
        with contextlib.ExitStack() as stack:
            damaged = copy.deepcopy(model)
            outcome = damage(damaged, fixture, stack)
            if outcome is False:
                continue
            changed = scores(outcome if isinstance(outcome, torch.nn.Module) else damaged, prompts)
            results.append((name, float((changed - intact).abs().max()), needed))
    if float((scores(model, prompts) - intact).abs().max()) != 0:
        raise AssertionError("an ablation has not been undone")
    return results


def scores(model, prompts):
    """The numbers a test sees: log-probabilities of the next ids of all prompts."""
    rows = []
    for ids in prompts:
        table = reference.log_probabilities(model, ids)[:-1]
        rows.append(table.gather(1, torch.tensor(ids[1:])[:, None])[:, 0])
    return torch.cat(rows)


def rebuilt(model, fixture, **keys):
    """The same weights under a changed text config."""
    changed = copy.copy(fixture)
    changed.text = copy.deepcopy(fixture.text)
    changed.text.update(keys)
    other = reference.empty_model(changed)
    other.load_state_dict(model.state_dict())
    other.tie_weights()
    return other
