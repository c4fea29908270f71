"""The limits of enumeration: metrics that need more than a ranking, and rankings too many to score."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.errors import InputError, argument
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Space

MAX_RANKINGS = 30_000_000  # rankings whose scores fit in memory
TIMED_RANKINGS = 256  # rankings scored to estimate how long all of them would take
INPUT_WORDS = {
    "lengths": "document lengths",
    "passages": "passages",
    "preferences": "preferences between documents",
    "costs": "the costs of results",
}
TIME_UNITS = ((365.25 * 86400, "years"), (86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True)
class Refusal:
    """Why a metric cannot score enumerated rankings."""

    metric: Metric
    missing_inputs: tuple[str, ...] = ()  # what the metric needs and an enumerated ranking does not have
    problem: str = ""  # any other reason, such as a table for another number of grades

    @property
    def sentence(self) -> str:
        """The reason in words."""
        if self.missing_inputs:
            inputs = " and ".join(INPUT_WORDS.get(name, name) for name in self.missing_inputs)
            return f"{self.metric} needs {inputs}, which an enumerated ranking does not have; leave it out"
        return f"{self.metric} cannot score enumerated rankings: {self.problem}"


def refusal(metric: Metric, space: Space) -> Refusal | None:
    """Why the metric cannot score the rankings of the space; None if it can."""
    batch = space.strings(1).rankings()
    missing = metric.needs - batch.carries - {"pool"}
    if missing:
        return Refusal(metric, tuple(sorted(missing)))
    try:
        metric.score(batch)
    except InputError as problem:  # a hint at files, of no use here, is left out
        return Refusal(metric, problem=problem.found or str(problem).removeprefix(f"{metric}: "))
    return None


def scorable_metrics(metrics: Sequence[Metric], space: Space) -> tuple[list[Metric], list[Refusal]]:
    """The metrics that can score enumerated rankings, and why the others cannot."""
    refusals = {metric: refusal(metric, space) for metric in metrics}
    return [m for m in metrics if refusals[m] is None], [why for why in refusals.values() if why is not None]


def too_many_rankings(space: Space, metrics: Sequence[Metric]) -> InputError:
    """The error for a space that is too large: how many rankings it has, how long they would take, and what fits."""
    fits = max((d for d in range(1, space.depth) if space.first(d + 1) <= MAX_RANKINGS), default=0)
    lower = (f"lower the depth to {fits} (", argument("depth", fits), ")")
    if space.size > 10**300:
        count = f"There are more than 10^300 rankings of up to {space.depth:,} results"
        return InputError(f"{count}, and at most {MAX_RANKINGS:,} fit; ", *lower, ".")
    letters = np.random.default_rng(0).integers(space.q, size=(TIMED_RANKINGS, space.depth)).astype(np.int8)
    batch = space.rankings(letters)
    start = time.perf_counter()
    for metric in metrics:
        metric.score(batch)
    seconds = (time.perf_counter() - start) / TIMED_RANKINGS * space.size
    count = f"There are {space.size:,} rankings of up to {space.depth} results over {space.q} kinds of documents"
    text = f"{count}, and at most {MAX_RANKINGS:,} fit; scoring them would take about {duration(seconds)}; "
    return InputError(text, *lower, ", or try a sample of them (", argument("sample", 10000), ").")


def duration(seconds: float) -> str:
    """A time in a unit that people use for it.

    >>> duration(45), duration(5000), duration(4e9)
    ('45 seconds', '83 minutes', '127 years')
    """
    size, name = next(((size, name) for size, name in TIME_UNITS if seconds >= 2 * size), TIME_UNITS[-1])
    return f"{seconds / size:,.0f} {name}"
