"""Violations: how many pairs of rankings each metric scores the wrong way round, and which are the smallest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.meta.axioms.enumerated_scores import MetricScores
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.witness import Pair, distinct_pairs, pair_order
from irassay.parallel import check_cancelled, map_blocks
from irassay.rankings.enumeration import Space


@dataclass(frozen=True, eq=False)
class ViolationCounts:
    """Cases and violations of every axiom; the last axis is: without pairs that hold the empty ranking, and with."""

    cases: Ints  # [metric, axiom, 2]
    violations: Ints  # [metric, axiom, 2]
    pairs: list[list[list[Pair]]]  # [metric][axiom] the smallest violations, without the empty ranking


def violation_mask(scores: NDArray[Any], worse: Any, better: Any, tolerance: float, strict: bool) -> NDArray[np.bool_]:
    """[pair] whether the worse ranking scores higher; if strict, whether the better one does not."""
    low, high = scores[worse], scores[better]
    return ~(high > low + tolerance) if strict else low > high + tolerance


def violation_counts(
    space: Space, axioms: Sequence[Axiom], scores: Sequence[MetricScores], witnesses: int
) -> ViolationCounts:
    """The violations of each metric among all pairs of rankings that the axioms relate."""
    limit = witnesses * (factorial(space.aspects) if space.even else 1)
    shared = space, list(axioms), list(scores), limit
    parts = map_blocks(_block_counts, space.blocks(), shared, doing="trying rankings")
    return ViolationCounts(
        np.sum([part.cases for part in parts], axis=0),
        np.sum([part.violations for part in parts], axis=0),
        [
            [_smallest_pairs(space, (part.pairs[m][p] for part in parts), witnesses) for p in range(len(axioms))]
            for m in range(len(scores))
        ],
    )


def _block_counts(
    block: tuple[int, int, int], shared: tuple[Space, list[Axiom], list[MetricScores], int]
) -> ViolationCounts:
    """The counts of one block of rankings, with the first `limit` violations of every relation."""
    space, axioms, scores, limit = shared
    strings = space.strings(*block)
    cases, violations = np.zeros((2, len(scores), len(axioms), 2), dtype=np.int64)
    pairs: list[list[list[Pair]]] = [[[] for _ in axioms] for _ in scores]
    for p, axiom in enumerate(axioms):
        for k in dict.fromkeys(one.metric.size for one in scores) if axiom.uses_cutoff else [None]:
            members = [m for m, one in enumerate(scores) if not axiom.uses_cutoff or one.metric.size == k]
            for worse, better in axiom.pairs(strings, k):
                check_cancelled()
                inner = (worse > 0) & (better > 0)
                cases[members, p] += [int(inner.sum()), len(worse)]
                low, high = slice_or_index(worse), slice_or_index(better)
                for m in members:
                    one = scores[m]
                    broken = violation_mask(one.comparable, low, high, one.comparable_tolerance, axiom.strict)
                    if broken.any():
                        violations[m, p] += [int((broken & inner).sum()), int(broken.sum())]
                        pairs[m][p].extend(_first_pairs(worse, better, broken & inner, limit))
    return ViolationCounts(cases, violations, pairs)


def slice_or_index(index: Ints) -> Ints | slice:
    """The same positions as a slice if they are evenly spaced, because numpy reads a slice much faster.

    >>> slice_or_index(np.array([4, 7, 10])), slice_or_index(np.array([4, 7, 8]))
    (slice(4, 11, 3), array([4, 7, 8]))
    """
    step = int(index[1] - index[0]) if len(index) > 1 else 0
    if step <= 0 or (np.diff(index) != step).any():
        return index
    return slice(int(index[0]), int(index[-1]) + 1, step)


def _first_pairs(worse: Ints, better: Ints, chosen: NDArray[np.bool_], limit: int) -> list[Pair]:
    """The chosen pairs with the lowest index of the worse ranking."""
    rows = np.flatnonzero(chosen)
    if len(rows) > limit:
        rows = rows[np.argsort(worse[rows], kind="stable")[:limit]]
    return [(int(w), int(b)) for w, b in zip(worse[rows], better[rows], strict=True)]


def _smallest_pairs(space: Space, parts: Iterable[list[Pair]], limit: int) -> list[Pair]:
    """The shortest pairs, in alphabetical order; pairs that differ only in the names of aspects count once."""
    return distinct_pairs(space, sorted(chain.from_iterable(parts), key=partial(pair_order, space)), limit)
