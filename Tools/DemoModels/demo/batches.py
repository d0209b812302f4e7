"""Rows of token ids for training: windows of the books, and rows packed with chat examples."""
import random

import numpy as np
import torch

from . import corpus
from .chat import Chat


class Data:
    """Labels are already shifted by one; a label of -100 takes no part in the loss."""

    def __init__(self, folder, tokenizer, recipe, chat_share=0.3):
        self.tokenizer, self.length, self.chat_share = tokenizer, recipe.length, chat_share
        books = corpus.books(folder)
        parts = {name: corpus.split(paragraphs) for name, paragraphs in books.items()}
        self.chat = Chat([train for train, _ in parts.values()], tokenizer, recipe.layout)
        held_chat = Chat([held for _, held in parts.values()], tokenizer, recipe.layout)
        encode = lambda run: [2] + tokenizer.encode("\n\n".join(run), add_special_tokens=False).ids
        self.runs = [np.array(encode(run)) for train, _ in parts.values() for run in train if run]
        self.weights = [len(r) for r in self.runs]
        self.tokens = sum(self.weights)
        held = [encode(run) for _, held in parts.values() for run in held]
        rng = random.Random(1)
        self.held_out = {"books": self._held_rows(held), "chat": [self._pack(held_chat, rng) for _ in range(24)]}

    def _held_rows(self, runs):
        rows = []
        for run in runs:
            for ids in corpus.windows(run, self.length):
                ids = ids + [0] * (self.length + 1 - len(ids))
                rows.append((ids[:-1], [i if i else -100 for i in ids[1:]]))
        return rows

    def _pack(self, chat, rng):
        ids, labels = [], []
        while len(ids) <= self.length:
            more = chat.ids(*chat.draw(rng))
            ids, labels = ids + more[0], labels + more[1]
        return ids[:self.length], labels[1:self.length + 1]

    def _window(self, rng):
        run = rng.choices(self.runs, self.weights)[0]
        start = max(0, rng.randrange(-64, len(run) - 64))
        ids = run[start:start + self.length + 1].tolist()
        if start:
            ids = ids[:self.length]
            ids.insert(0, 2)  # every row starts as a prompt does
        labels = ids[1:]
        pad = self.length - len(labels)
        return ids[:len(labels)] + [0] * pad, labels + [-100] * pad

    def batch(self, rng, rows):
        """(ids, labels), both int64 [rows, length]."""
        drawn = [self._pack(self.chat, rng) if rng.random() < self.chat_share else self._window(rng)
                 for _ in range(rows)]
        return to_tensors(drawn)


def to_tensors(rows):
    return torch.tensor([r[0] for r in rows]), torch.tensor([r[1] for r in rows])
