"""What the drafter learns from: the target's own answers, and windows of the books."""
import random
import time

import torch

from demo.batches import Data, to_tensors
from demo.samples import until_stop


def answers(model, heads, sampling, longest=200):
    """[(question ids, answer ids)]: what a transformers model answers, with the piece that ends it."""
    width = max(map(len, heads))
    ids = torch.tensor([[0] * (width - len(h)) + h for h in heads])
    made = model.generate(ids, attention_mask=(ids != 0).long(), max_new_tokens=longest, **sampling).tolist()
    return [(head, until_stop(row[width:], sampling["eos_token_id"])) for head, row in zip(heads, made)]


def row(question, answer, length):
    """(ids, labels) of one conversation; the labels are those of the answer."""
    ids = (question + answer)[:length + 1]
    labels = ([-100] * (len(question) - 1) + answer)[:length]
    pad = length - len(labels)
    return ids[:len(labels)] + [0] * pad, labels + [-100] * pad


class Stories:
    """Rows as in Data, half of them the target's own answers, each in a row of its own, the others the books'."""

    def __init__(self, folder, tokenizer, recipe, made, held):
        """made, held: [(question ids, answer ids)] for training and for tests."""
        self.books, self.length = Data(folder, tokenizer, recipe), recipe.length
        self.tokens, self.own = self.books.tokens, [row(*pair, self.length) for pair in made]
        own_held = [row(*pair, self.length) for pair in held]
        self.held_out = {"own": own_held, "books": self.books.held_out["books"][::8]}

    def batch(self, rng, rows):
        own = to_tensors([rng.choice(self.own) for _ in range(rows - rows // 3)])
        books = self.books.batch(rng, rows // 3)
        return tuple(torch.cat(pair) for pair in zip(own, books))


def collect(model, data, recipe, seconds, held=64, rows=64, seed=0):
    """(made, held): answers to drawn questions, for so many seconds; one batch in four is greedy."""
    rng, pairs, start = random.Random(seed), [], time.time()
    torch.manual_seed(seed)
    while time.time() - start < seconds or len(pairs) < held + rows:
        questions = [data.chat.draw(rng)[0] for _ in range(rows)]
        heads = [[2] + data.tokenizer.encode(recipe.layout.turn(q), add_special_tokens=False).ids for q in questions]
        greedy = len(pairs) // rows % 4 == 3
        chances = {"do_sample": False, "temperature": None, "top_k": None, "top_p": None} if greedy else {}
        pairs += answers(model, heads, recipe.generation | chances)
        print(f"{len(pairs)} answers, {sum(len(a) for _, a in pairs)} tokens, {time.time() - start:.0f} s", flush=True)
    return pairs[held:], pairs[:held]
