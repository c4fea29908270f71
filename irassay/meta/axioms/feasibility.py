"""What enumeration cannot do: metrics that need more than rankings, and rankings that are too many."""

import time
from collections.abc import Sequence

import numpy as np

from irassay.errors import InputError, argument
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Space

LIMIT = 30_000_000  # rankings whose scores fit in memory
TIMED = 256  # rankings scored to say how long all would take
NEEDED = {"lengths": "document lengths", "passages": "passages", "costs": "what results cost"}
UNITS = ((365.25 * 86400, "years"), (86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def refusal(metric: Metric, space: Space) -> str | None:
    """Why the metric cannot score enumerated rankings; None where it can."""
    batch = space.strings(1).rankings()
    missing = sorted(metric.meaning.needs - batch.carries - {"pool"})
    if missing:
        wanted = " and ".join(NEEDED.get(what, what) for what in missing)
        return f"{metric} needs {wanted}, which an enumerated ranking does not have; leave it out"
    try:
        metric.score(batch)
    except InputError as problem:  # a hint at files, of no use here, is left out
        reason = problem.found or str(problem).removeprefix(f"{metric}: ")
        return f"{metric} cannot score enumerated rankings: {reason}"
    return None


def scorable(metrics: Sequence[Metric], space: Space) -> tuple[list[Metric], dict[str, str]]:
    """The metrics that can score enumerated rankings, and why the others cannot."""
    reasons = {metric: refusal(metric, space) for metric in metrics}
    return [m for m in metrics if reasons[m] is None], {str(m): why for m, why in reasons.items() if why is not None}


def too_many(space: Space, metrics: Sequence[Metric]) -> str:
    """Why so many rankings cannot be enumerated: how many there are, how long they take, and what would fit."""
    if space.size > 10**300:
        fits = max((d for d in range(1, 1000) if space.first(d + 1) <= LIMIT), default=0)
        return (
            f"there are far more than 10^300 rankings of up to {space.depth:,} results, and at most {LIMIT:,} fit; "
            f"lower the depth to {fits} ({argument('depth', fits)})"
        )
    letters = np.random.default_rng(0).integers(space.q, size=(TIMED, space.depth)).astype(np.int8)
    batch = space.rankings(letters)
    start = time.perf_counter()
    for metric in metrics:
        metric.score(batch)
    seconds = (time.perf_counter() - start) / TIMED * space.size
    fits = max((d for d in range(1, space.depth) if space.first(d + 1) <= LIMIT), default=0)
    return (
        f"there are {space.size:,} rankings of up to {space.depth} results over {space.q} kinds of documents, and at "
        f"most {LIMIT:,} fit; scoring them would take about {duration(seconds)}; lower the depth to {fits} "
        f"({argument('depth', fits)}), or draw a sample of them ({argument('sample', 10000)})"
    )


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(45), duration(5000), duration(4e9)
    ('45 seconds', '83 minutes', '127 years')
    """
    size, name = next(((size, name) for size, name in UNITS if seconds >= 2 * size), UNITS[-1])
    return f"{seconds / size:,.0f} {name}"
