"""Witnesses: two rankings small enough to score by hand, which a metric puts the wrong way round."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from irassay.meta.axioms.exact import fraction
from irassay.meta.axioms.relations import Axiom
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Space

DIGITS = (4, 6, 8, 10, 12, 15)


@dataclass(frozen=True)
class Witness:
    """One case in which a metric breaks a property."""

    metric: str
    axiom: Axiom
    worse: str
    better: str
    worse_score: float
    better_score: float
    worse_exact: Fraction | None = None  # the same scores, where they are known exactly
    better_exact: Fraction | None = None

    @classmethod
    def of(cls, metric: Metric, axiom: Axiom, space: Space, pair: tuple[int, int], scores: Any) -> Self:
        """The pair (worse, better) in words, with its scores, which are looked up by the numbers of the rankings."""
        worse, better = pair
        return cls(
            str(metric),
            axiom,
            space.text(worse),
            space.text(better),
            float(scores[worse]),
            float(scores[better]),
            *(fraction(metric, space, space.decoded(index)) for index in pair),
        )

    @property
    def margin(self) -> float:
        """How much more the worse ranking gets; 0 where a strict property is broken by a tie."""
        return self.worse_score - self.better_score

    @property
    def sentence(self) -> str:
        """What should be, and what is."""
        high, low = apart(self.worse_score, self.better_score)
        rule = self.axiom.summary.removesuffix(".")
        if high == low:
            return f"{rule}, but {self.metric} scores both {self.worse} and {self.better} at {high}."
        worse = f"{self.worse} at {high}{_as_fraction(self.worse_exact)}"
        better = f"{self.better} at {low}{_as_fraction(self.better_exact)}"
        return f"{rule}, but {self.metric} scores {worse} and {better}."


def _as_fraction(value: Fraction | None) -> str:
    return "" if value is None or value.denominator == 1 else f" (= {value})"


def apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to tell them apart.

    >>> apart(0.0833333, 0.075), apart(0.50001, 0.5)
    (('0.0833', '0.0750'), ('0.500010', '0.500000'))
    """
    for digits in DIGITS:
        texts = f"{a:.{digits}f}", f"{b:.{digits}f}"
        if texts[0] != texts[1]:
            return texts
    return f"{a:.{DIGITS[0]}f}", f"{b:.{DIGITS[0]}f}"


def renamings(space: Space) -> list[tuple[int, ...]]:
    """[][q] every way to rename the aspects, as a letter for each letter; only the identity where they weigh unlike."""
    if not space.even:
        return [tuple(range(space.q))]
    return [
        tuple(space.grades.index(tuple(kind[a] for a in order)) for kind in space.grades)
        for order in itertools.permutations(range(space.aspects))
    ]


def distinct(space: Space, pairs: Iterable[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """The first pairs of strings, at most so many, no two of which differ only in the names of the aspects.

    >>> two = Space.of(2, 2)
    >>> distinct(two, [(two.index("aa"), two.index("ab")), (two.index("bb"), two.index("ba"))], 5)
    [(4, 5)]
    """
    names = renamings(space)
    seen: set[tuple[int, int]] = set()
    kept: list[tuple[int, int]] = []
    for pair in pairs:
        if len(kept) == most:
            break
        form = first_named(space, pair, names)
        if form not in seen:
            seen.add(form)
            kept.append(pair)
    return kept


def first_named(space: Space, pair: tuple[int, int], names: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    """The same two strings with the aspects renamed so that the first ones come first.

    >>> two = Space.of(2, 2)
    >>> [two.text(i) for i in first_named(two, (two.index("bb"), two.index("ba")), renamings(two))]
    ['aa', 'ab']
    """
    worse, better = (space.decoded(index) for index in pair)
    low, high = min((tuple(name[c] for c in worse), tuple(name[c] for c in better)) for name in names)
    return space.at(low), space.at(high)
