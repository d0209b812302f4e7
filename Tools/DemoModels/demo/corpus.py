"""The corpus: plain text files, one paragraph per line, blank lines between; a held-out part; story passages."""
import re
from pathlib import Path

HELD_OUT_EVERY, HELD_OUT_RUN = 500, 10  # ten consecutive paragraphs of every 500 (2 %) are never trained on
STORY_START = re.compile(
    r"^(Once upon a time|Once (there|upon)|There (was|were|lived) once|There (was|lived) |Once, |Long(,)? (long )?ago|"
    r"In (the )?(olden|old|ancient|days|a) |Many(,)? (many )?years ago|A long )")


def books(folder):
    """The paragraphs of every book, headings included: {file name: [paragraph]}."""
    files = sorted(f for f in Path(folder).glob("*.txt"))
    if not files:
        raise SystemExit(f"no .txt file in {folder}")
    return {f.name: [p.strip() for p in f.read_text(encoding="utf-8").split("\n\n") if p.strip()] for f in files}


def split(paragraphs):
    """(training runs, held-out runs) of consecutive paragraphs; the first run of a book is always training text."""
    train, held, start = [], [], 0
    for cut in range(HELD_OUT_EVERY // 2, len(paragraphs) - HELD_OUT_RUN, HELD_OUT_EVERY):
        train.append(paragraphs[start:cut])
        held.append(paragraphs[cut:cut + HELD_OUT_RUN])
        start = cut + HELD_OUT_RUN
    train.append(paragraphs[start:])
    return train, held


def windows(ids, length):
    """Rows of length + 1 ids, the last one shorter; each begins with the id that ended the one before."""
    rows = (ids[start:start + length + 1] for start in range(0, len(ids), length))
    return [row for row in rows if len(row) > 16]


def is_prose(paragraph):
    """False for titles, contents lists, notes and other text that makes a poor answer."""
    letters = [c for c in paragraph if c.isalpha()]
    return (len(paragraph) > 60 and paragraph[-1] in '.!?"\'' and paragraph[0] not in "([*_"
            and sum(c.isupper() for c in letters) < 0.2 * len(letters) and "CHAPTER" not in paragraph
            and not re.search(r"\(\d+\)|\[|Illustration|_", paragraph))
