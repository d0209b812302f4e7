"""A head start: weights of the finished Gemma 3n demo model, wherever the two networks have the same shape."""
import json
from pathlib import Path

import torch

from demo import export
from demo3n.recipe import RECIPE as GEMMA3N

SAME = {"<start_of_turn>": "<|turn>", "<end_of_turn>": "<turn|>"}


def rows_by_piece(old, new):
    """(rows of the new table, rows of the old one) of the pieces that both vocabularies have."""
    ids = lambda folder: json.loads((Path(folder) / "tokenizer.json").read_text())["model"]["vocab"]
    old = {SAME.get(piece, piece): row for piece, row in ids(old).items()}
    both = [(row, old[piece]) for piece, row in ids(new).items() if piece in old]
    return torch.tensor([a for a, _ in both]), torch.tensor([b for _, b in both])


def transplant(model, old, new):
    """old: folder of the Gemma 3n demo model. new: folder with the tokenizer.json of this one."""
    source = export.read(old, GEMMA3N)
    to, of = rows_by_piece(old, new)
    with torch.no_grad():
        for name, p in model.model.named_parameters():
            found = source.get(name)
            if name.startswith("embed_tokens"):
                p[to] = found[torch.where(of < found.shape[0], of, 0)]
            elif found is not None and p.dim() == 2 and found.dim() == 2:
                if all(a <= b for a, b in zip(p.shape, found.shape)):  # the first units of a nested feed-forward layer
                    p.copy_(found[:p.shape[0], :p.shape[1]])
            elif found is not None and found.shape == p.shape:
                p.copy_(found)
