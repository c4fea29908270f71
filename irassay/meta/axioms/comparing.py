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
from irassay.parallel import map_blocks
from irassay.rankings.enumeration import Space, Strings

Pair = tuple[int, int]  # (worse, better)


@dataclass(frozen=True, eq=False)
class Broken:
    """Counts of every metric and property; the last axis is without cases that touch the empty ranking, and with."""

    cases: Ints  # [metric, property, 2]
    violations: Ints  # [metric, property, 2]
    first: list[list[list[Pair]]]  # [metric][property] the smallest broken pairs, the empty ranking left out


def violated(scores: NDArray[Any], worse: Any, better: Any, tolerance: float, strict: bool) -> NDArray[np.bool_]:
    """[pair] whether the worse ranking scores more; if strict, whether the better one does not."""
    low, high = scores[worse], scores[better]
    return ~(high > low + tolerance) if strict else low > high + tolerance


def compared(
    space: Space,
    axioms: Sequence[Axiom],
    scores: Sequence[NDArray[Any]],
    tolerances: Sequence[float],
    sizes: Sequence[int | None],
    witnesses: int,
) -> Broken:
    """Holds the scores [metric][size] of every ranking against every pair that the properties name, block by block.

    `sizes` are the metrics' cutoffs, for properties that speak of the first k results.
    """
    wanted = witnesses * (math.factorial(space.aspects) if space.even else 1)

    def block_counts(block: tuple[int, int, int]) -> Broken:
        return _of_block(space.strings(*block), axioms, scores, tolerances, sizes, wanted)

    found = map_blocks(block_counts, space.blocks(), doing="trying rankings")
    shape = range(len(scores)), range(len(axioms))
    return Broken(
        np.sum([part.cases for part in found], axis=0),
        np.sum([part.violations for part in found], axis=0),
        [[_smallest(space, (part.first[m][p] for part in found), witnesses) for p in shape[1]] for m in shape[0]],
    )


def _of_block(
    strings: Strings,
    axioms: Sequence[Axiom],
    scores: Sequence[NDArray[Any]],
    tolerances: Sequence[float],
    sizes: Sequence[int | None],
    wanted: int,
) -> Broken:
    cases = np.zeros((len(scores), len(axioms), 2), dtype=np.int64)
    violations = np.zeros_like(cases)
    first: list[list[list[Pair]]] = [[[] for _ in axioms] for _ in scores]
    for p, axiom in enumerate(axioms):
        for k in dict.fromkeys(sizes) if axiom.sized else [None]:
            of_size = [m for m in range(len(scores)) if not axiom.sized or sizes[m] == k]
            for worse, better in axiom.pairs(strings, k):
                inner = (worse > 0) & (better > 0)
                cases[of_size, p] += [int(inner.sum()), len(worse)]
                for m in of_size:
                    broken = violated(scores[m], worse, better, tolerances[m], axiom.strict)
                    if broken.any():
                        violations[m, p] += [int((broken & inner).sum()), int(broken.sum())]
                        first[m][p] += _leading(worse, better, broken & inner, wanted)
    return Broken(cases, violations, first)


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
