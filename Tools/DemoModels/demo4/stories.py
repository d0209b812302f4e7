"""What the drafter learns from: the target's own answers, and windows of the books."""
import torch

from demo.batches import Data, to_tensors


def row(question, answer, length):
    """(ids, labels) of one conversation; the labels are those of the answer."""
    ids = (question + answer)[:length + 1]
    labels = ([-100] * (len(question) - 1) + answer)[:length]
    pad = length - len(labels)
    return ids[:len(labels)] + [0] * pad, labels + [-100] * pad


class Stories:
    """Rows as in Data, two thirds of them the target's own answers, packed as its chat examples were."""

    def __init__(self, folder, tokenizer, recipe, made, held):
        """made, held: [(question ids, answer ids)] for training and for tests."""
        self.books, self.length, self.made = Data(folder, tokenizer, recipe), recipe.length, made
        self.tokens, self.between = self.books.tokens, tokenizer.encode("\n", add_special_tokens=False).ids
        own_held = [row(*pair, self.length) for pair in held]
        self.held_out = {"own": own_held, "books": self.books.held_out["books"][::8]}

    def _pack(self, rng):
        ids, labels = [], []
        while len(ids) <= self.length:
            question, answer = rng.choice(self.made)
            ids = ids + question + answer + self.between
            labels = labels + [-100] * len(question) + answer + [-100] * len(self.between)
        return ids[:self.length], labels[1:self.length + 1]

    def batch(self, rng, rows):
        own = to_tensors([self._pack(rng) for _ in range(rows - rows // 3)])
        books = self.books.batch(rng, rows // 3)
        return tuple(torch.cat(pair) for pair in zip(own, books))
