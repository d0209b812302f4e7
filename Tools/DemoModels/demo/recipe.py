"""What the trainer has to know of one demo model."""
import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch

from . import batches, samples
from .quantise import Storage
from .tokenizer import Layout

EVERY_ROW = 10**9


def never(epochs):
    return None


def inner(model):
    """The weights of a causal language model by their names inside it; the tied head is the embedding."""
    return dict(model.model.named_parameters())


def no_buffers(model):
    return {}


@dataclass(frozen=True)
class Recipe:
    layout: Layout
    fresh: Callable          # () -> transformers model with first weights
    forward: Callable        # (configuration, tokens per row, {part: rows}) -> run
    # run(weights, ids, labels, dropout) -> (summed loss in nats, labels counted), a tensor each with one entry a part
    agrees: Callable         # model -> difference of the forward pass from transformers; raises if too large
    parts: dict              # {part of a step: its rows per worker}
    tests: dict              # {name: (rows of Data.held_out, {part: rows})}
    storage: Storage
    file_config: Callable    # (model, quantization, vocabulary) -> config.json
    generation: dict         # generation_config.json
    length: int = 512        # tokens per row
    peak: float = 1.0        # factor on the trainer's learning rates
    rows: int = 5            # per step and worker
    data: Callable = batches.Data         # (folder of the corpus, tokenizer, recipe) -> what has batch() and held_out
    show: Callable = samples.show         # (model, tokenizer, recipe): prints what the finished model does
    prefix: str = "language_model.model."  # of the names in the file
    weights: Callable = inner             # model -> {name: parameter}
    buffers: Callable = no_buffers        # model -> {name: tensor} of what is stored beside the weights, as it is
    compiled: Callable = functools.partial(torch.compile, dynamic=False)  # run -> the same, faster
    has_tokenizer: bool = True            # whether the finished folder has one of its own
    dropout: Callable = never             # passes over the corpus -> share of the branch outputs left out, or None
