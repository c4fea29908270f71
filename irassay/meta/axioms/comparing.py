"""Scores held against properties: how many cases are broken, and which are the smallest."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.witness import distinct
from irassay.metrics.metric import Metric
from irassay.parallel import check_cancelled, map_blocks
from irassay.rankings.enumeration import Space

Pair = tuple[int, int]  # (worse, better)


@dataclass(frozen=True, eq=False)
class MetricScores:
    """A metric with what it gives every ranking, more being better."""

    metric: Metric
    values: NDArray[Any]  # [size] scores, or whole numbers where they are compared exactly
    tolerance: float  # the difference up to which two of them are the same


@dataclass(frozen=True, eq=False)
class Broken:
    """Counts of every metric and property; the last axis is without cases that touch the empty ranking, and with."""

    cases: Ints  # [metric, property, 2]
    violations: Ints  # [metric, property, 2]
    first: list[list[list[Pair]]]  # [metric][property] the smallest broken pairs, the empty ranking left out

    def of(self, axioms: Sequence[Axiom], some: Sequence[Axiom]) -> "Broken":
        """The counts of some of the axioms."""
        kept = [p for p, axiom in enumerate(axioms) if axiom in some]
        return Broken(self.cases[:, kept], self.violations[:, kept], [[row[p] for p in kept] for row in self.first])


def violated(scores: NDArray[Any], worse: Any, better: Any, tolerance: float, strict: bool) -> NDArray[np.bool_]:
    """[pair] whether the worse ranking scores more; if strict, whether the better one does not."""
    low, high = scores[worse], scores[better]
    return ~(high > low + tolerance) if strict else low > high + tolerance


def compared(space: Space, axioms: Sequence[Axiom], scored: Sequence[MetricScores], witnesses: int) -> Broken:
    """What each metric breaks, every ranking being held against every pair that the axioms name, block by block."""
    wanted = witnesses * (math.factorial(space.aspects) if space.even else 1)
    shared = space, list(axioms), list(scored), wanted
    parts = map_blocks(_block_violations, space.blocks(), shared, doing="trying rankings")
    return Broken(
        np.sum([part.cases for part in parts], axis=0),
        np.sum([part.violations for part in parts], axis=0),
        [
            [_smallest(space, (part.first[m][p] for part in parts), witnesses) for p in range(len(axioms))]
            for m in range(len(scored))
        ],
    )


def _block_violations(
    block: tuple[int, int, int], shared: tuple[Space, list[Axiom], list[MetricScores], int]
) -> Broken:
    """As `compared`, of one block of rankings."""
    space, axioms, scored, wanted = shared
    strings, shape = space.strings(*block), (len(scored), len(axioms), 2)
    found = Broken(
        np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64), [[[] for _ in axioms] for _ in scored]
    )
    for p, axiom in enumerate(axioms):
        for k in dict.fromkeys(one.metric.size for one in scored) if axiom.sized else [None]:
            of_size = [m for m, one in enumerate(scored) if not axiom.sized or one.metric.size == k]
            for worse, better in axiom.pairs(strings, k):
                check_cancelled()
                inner = (worse > 0) & (better > 0)
                found.cases[of_size, p] += [int(inner.sum()), len(worse)]
                low, high = evenly(worse), evenly(better)
                for m in of_size:
                    broken = violated(scored[m].values, low, high, scored[m].tolerance, axiom.strict)
                    if broken.any():
                        found.violations[m, p] += [int((broken & inner).sum()), int(broken.sum())]
                        found.first[m][p].extend(_leading(worse, better, broken & inner, wanted))
    return found


def evenly(index: Ints) -> Ints | slice:
    """The same places as a slice, where they lie evenly, for that is read much faster.

    >>> evenly(np.array([4, 7, 10])), evenly(np.array([4, 7, 8]))
    (slice(4, 11, 3), array([4, 7, 8]))
    """
    step = int(index[1] - index[0]) if len(index) > 1 else 0
    if step <= 0 or (np.diff(index) != step).any():
        return index
    return slice(int(index[0]), int(index[-1]) + 1, step)


def _leading(worse: Ints, better: Ints, chosen: NDArray[np.bool_], wanted: int) -> list[Pair]:
    """The chosen pairs with the lowest index of the worse ranking."""
    rows = np.flatnonzero(chosen)
    if len(rows) > wanted:
        rows = rows[np.argsort(worse[rows], kind="stable")[:wanted]]
    return [(int(w), int(b)) for w, b in zip(worse[rows], better[rows], strict=True)]


def _smallest(space: Space, parts: Any, most: int) -> list[Pair]:
    """The shortest pairs, in alphabetical order, each once whatever its aspects are called."""

    def size(pair: Pair) -> tuple[int, int, int]:
        return len(space.decoded(max(pair))), *pair

    return distinct(space, sorted(itertools.chain.from_iterable(parts), key=size), most)
