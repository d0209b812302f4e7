"""The arithmetic of a comparison: medians, ratios, order of the runs, and the tables that show them."""

from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True)
class Run:
    """One measurement of one engine: speeds in tokens per second."""

    prefill: float
    decode: float

    def __post_init__(self):
        if not (self.prefill > 0 and self.decode > 0):
            raise ValueError(f"a speed is not positive: {self}")


@dataclass(frozen=True)
class Comparison:
    """Medians of both engines and their ratio for one quantity; above 1 means that ours is faster."""

    ours: float
    peer: float
    ratio: float
    lowest_ratio: float  # of the rounds, each against its own neighbour in time
    highest_ratio: float


def compare(ours, peer):
    """Compares the speeds of runs that alternated: ours[i] and peer[i] belong to the same round."""
    if not ours or len(ours) != len(peer):
        raise ValueError(f"{len(ours)} runs against {len(peer)}: each round needs one of both")
    rounds = [mine / theirs for mine, theirs in zip(ours, peer)]
    mine, theirs = median(ours), median(peer)
    return Comparison(mine, theirs, mine / theirs, min(rounds), max(rounds))


def alternate(rounds, ours, peer):
    """Calls `ours` and `peer` in turn (A B A B ...) and returns the two lists of results."""
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(ours())
        theirs.append(peer())
    return mine, theirs


def summary(ours, peer):
    """{"prefill": Comparison, "decode": Comparison} of two lists of runs."""
    return {
        name: compare([getattr(run, name) for run in ours], [getattr(run, name) for run in peer])
        for name in ("prefill", "decode")
    }


def record(title, prompt_tokens, result):
    """One JSON-ready object of a comparison."""
    return {"pair": title, "promptTokens": prompt_tokens} | {name: asdict(row) for name, row in result.items()}


def table(prompt_tokens, peer_name, result):
    """The lines that a person reads."""
    lines = [f"{'':16}{'ours':>10}{peer_name:>14}{'ratio':>8}   of the rounds"]
    for name, row in result.items():
        label = f"prefill {prompt_tokens}" if name == "prefill" else f"decode at {prompt_tokens}"
        lines.append(
            f"{label:16}{row.ours:10.1f}{row.peer:14.1f}{row.ratio:8.2f}"
            f"   {row.lowest_ratio:.2f} to {row.highest_ratio:.2f}"
        )
    return "\n".join(lines)
