"""The numbers of a fixture: prompts, scores, greedy ids, a trace, and where they come from."""
import json
import os
import platform

import numpy as np
import torch

from . import reference

GREEDY_STEPS = 24
COMMAND = "python3 Tests/Reference/make_fixtures.py"


def prompts(fixture):
    """Seven prompts of random ids, the first of them the begin-of-text id; the longest holds every special case."""
    window, vocabulary = fixture.window, fixture.text["vocab_size"]
    rng = np.random.default_rng([fixture.seed, 99])
    result = []
    for length in (1, 2, window - 1, window, window + 1, 3 * window, 12 * window):
        ids = [2] + [int(i) for i in rng.integers(3, vocabulary, length - 1)]
        table = fixture.text.get("vocab_size_per_layer_input", vocabulary)
        if table < vocabulary:                     # ids beyond the per-layer table, early so that later ids feel them
            for at in range(1, length, 5):
                ids[at] = int(rng.integers(table, vocabulary))
        if length >= 3 * window:
            ids[4:7] = [ids[4]] * 3                # one id three times
            ids[-1] = vocabulary - 1
        result.append(ids)
    return result


def versions():
    import safetensors
    import transformers
    return dict(python=platform.python_version(), numpy=np.__version__, torch=torch.__version__,
                transformers=transformers.__version__, safetensors=safetensors.__version__)


def prompt_numbers(model, ids):
    """One entry of "prompts" and the largest difference to transformers' own cache."""
    table = reference.log_probabilities(model, ids)
    chosen, margins = reference.greedy(model, ids, GREEDY_STEPS)
    following = [float(table[at, token]) for at, token in enumerate(ids[1:])]
    middle = sorted({len(ids) - 1} | ({len(ids) // 2} if len(ids) > 8 else set()))
    entry = dict(ids=ids, logprobs=numbers(following),
                 full=[dict(position=at, logprobs=numbers(table[at])) for at in middle],
                 greedy=dict(ids=chosen, margins=numbers(margins)))
    return entry, reference.cached_difference(model, ids, chosen)


def trace(model, ids):
    """Hidden states after each layer at a middle and the last position of one prompt."""
    positions = sorted({len(ids) // 2, len(ids) - 1})
    return dict(prompt=ids, positions=positions,
                steps=[dict(name=name, shape=list(values.shape), values=numbers(values.reshape(-1)))
                       for name, values in reference.layer_outputs(model, ids, positions)])


def numbers(values):
    return [float(f"{float(value):.7g}") for value in values]


def save(path, content):
    """JSON with one line per list of numbers: small, and a difference stays readable."""
    def write(value, indent):
        pad = " " * indent
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"{pad} {json.dumps(key)}: {write(item, indent + 1)}" for key, item in value.items())
            return "{\n" + inner + "\n" + pad + "}"
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n" + ",\n".join(pad + " " + write(item, indent + 1) for item in value) + "\n" + pad + "]"
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(write(content, 0) + "\n")
