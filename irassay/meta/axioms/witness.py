"""Witnesses: counterexamples to an axiom, two rankings small enough to score by hand."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from irassay.meta.axioms.exact_scores import exact_score
from irassay.meta.axioms.relations import Axiom
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Space

DECIMALS = (4, 6, 8, 10, 12, 15)

Pair = tuple[int, int]  # (worse, better): the index of each ranking


@dataclass(frozen=True)
class Witness:
    """A pair of rankings on which a metric breaks an axiom."""

    metric: str
    axiom: Axiom
    worse: str
    better: str
    worse_score: float
    better_score: float
    worse_exact: Fraction | None = None  # the same scores as fractions, if the metric has an exact rule
    better_exact: Fraction | None = None

    @classmethod
    def of(cls, metric: Metric, axiom: Axiom, space: Space, pair: Pair, scores: Any) -> Self:
        """The witness that a pair makes; `scores` has the score of each ranking under its index."""
        worse, better = pair
        texts, floats = (space.text(worse), space.text(better)), (float(scores[worse]), float(scores[better]))
        fractions = (exact_score(metric, space, space.decoded(index)) for index in pair)
        return cls(str(metric), axiom, *texts, *floats, *fractions)

    @property
    def margin(self) -> float:
        """The score of the worse ranking minus that of the better one; 0 if a tie breaks a strict axiom."""
        return self.worse_score - self.better_score

    @property
    def sentence(self) -> str:
        """What should hold, and how the metric scores instead."""
        high, low = distinct_decimals(self.worse_score, self.better_score)
        if high == low:
            return f"{self.axiom.summary} But {self.metric} scores both {self.worse} and {self.better} at {high}."
        worse = f"{self.worse} at {high}{_as_fraction(self.worse_exact)}"
        better = f"{self.better} at {low}{_as_fraction(self.better_exact)}"
        return f"{self.axiom.summary} But {self.metric} scores {worse} and {better}."


def _as_fraction(value: Fraction | None) -> str:
    return "" if value is None or value.denominator == 1 else f" (= {value})"


def distinct_decimals(a: float, b: float) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to see that they differ.

    >>> distinct_decimals(0.0833333, 0.075), distinct_decimals(0.50001, 0.5)
    (('0.0833', '0.0750'), ('0.500010', '0.500000'))
    """
    texts = [(f"{a:.{decimals}f}", f"{b:.{decimals}f}") for decimals in DECIMALS]
    return next((pair for pair in texts if pair[0] != pair[1]), texts[0])


def pair_order(space: Space, pair: Pair) -> tuple[int, int, int]:
    """A key that sorts pairs by length, then alphabetically."""
    return len(space.decoded(max(pair))), *pair


def aspect_renamings(space: Space) -> list[tuple[int, ...]]:
    """[][q] every way to rename the aspects, as a letter for each letter; only the identity if weights differ."""
    if not space.even:
        return [tuple(range(space.q))]
    return [
        tuple(space.grades.index(tuple(kind[a] for a in order)) for kind in space.grades)
        for order in itertools.permutations(range(space.aspects))
    ]


def distinct_pairs(space: Space, pairs: Iterable[Pair], limit: int) -> list[Pair]:
    """The first `limit` pairs, leaving out those that differ from an earlier one only in the names of aspects.

    >>> two = Space.of(2, 2)
    >>> distinct_pairs(two, [(two.index("aa"), two.index("ab")), (two.index("bb"), two.index("ba"))], 5)
    [(4, 5)]
    """
    renamings = aspect_renamings(space)
    kept: dict[Pair, Pair] = {}  # by canonical form
    for pair in pairs:
        if len(kept) == limit:
            break
        kept.setdefault(canonical_pair(space, pair, renamings), pair)
    return list(kept.values())


def canonical_pair(space: Space, pair: Pair, renamings: Sequence[tuple[int, ...]]) -> Pair:
    """The same two rankings with the aspects renamed so that they come first alphabetically.

    >>> two = Space.of(2, 2)
    >>> [two.text(i) for i in canonical_pair(two, (two.index("bb"), two.index("ba")), aspect_renamings(two))]
    ['aa', 'ab']
    """
    worse, better = (space.decoded(index) for index in pair)
    low, high = min((tuple(name[c] for c in worse), tuple(name[c] for c in better)) for name in renamings)
    return space.index_of_letters(low), space.index_of_letters(high)
