"""The prompt that every engine gets: the pseudo-random token ids of `gemma bench`."""


def tokens(count, vocabulary):
    """`count` ids below `vocabulary`; the first is 2, the beginning of a text. A prefix of every longer prompt."""
    state, ids = 0x9E3779B97F4A7C15, [min(2, vocabulary - 1)]
    while len(ids) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        ids.append((state >> 33) % vocabulary)
    return ids[:count]
