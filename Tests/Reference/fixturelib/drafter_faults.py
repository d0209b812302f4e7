"""Rounds with one deliberate fault each: a fault that changes no score shows that a fixture proves nothing about it."""
import torch

from . import drafters

SMALLEST = 0.02


class LongerWindow(drafters.Target):
    """sliding layers see one key more"""
    longer = 1


class ShorterWindow(drafters.Target):
    """sliding layers see one key less"""
    longer = -1


class NewestMissing(drafters.Target):
    """the newest key is not seen"""
    newest = 1


class NextPosition(drafters.Target):
    """the position is one too far"""
    def position(self, position, step):
        return position + 1


class MovingPosition(drafters.Target):
    """the position moves on with each draft"""
    def position(self, position, step):
        return position + step


class Unscaled(drafters.Target):
    """the embedding is not scaled"""
    def embedding(self, token):
        return self.table[token]


class Swapped(drafters.Target):
    """the state comes before the embedding"""
    def pair(self, token, state):
        return torch.cat([state, self.embedding(token)[None, None]], -1)


class EarlierState(drafters.Target):
    """the hidden state of the token before"""
    def __init__(self, model, ids):
        super().__init__(model, ids)
        self.hidden = torch.cat([self.hidden[:, :1], self.hidden[:, :-1]], 1)


def check(assistant, model, ids, place):
    """Largest change of a score at `place`, beyond the window, by fault; raises where one does not show."""
    right = drafters.Target(model, ids)
    token = int(right.best[place - 1])
    steps = drafters.round_of_drafts(assistant, right, place, token)
    expected, guesses = [step[0] for step in steps], [step[1] for step in steps]
    changes = {}
    for fault in drafters.Target.__subclasses__():
        made = drafters.round_of_drafts(assistant, fault(model, ids), place, token, guesses)
        changes[fault.__doc__] = max(float((a - b[0]).abs().max()) for a, b in zip(expected, made))
    blind = [name for name, change in changes.items() if change < SMALLEST]
    if blind:
        raise AssertionError(f"faults that do not show: {blind}; {changes}")
    return {name: float(f"{change:.3g}") for name, change in changes.items()}
