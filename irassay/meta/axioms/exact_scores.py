"""Scores as exact fractions, for metrics that add up rational terms: floats cannot tell a tie from a violation.

The score of a ranking follows from that of the ranking that it extends by one result, by the metric's rule
(`exact_rules`).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats
from irassay.meta.axioms.exact_rules import term_sum
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Letters, Space

Adds = NDArray[np.bool_] | bool | None


@dataclass(frozen=True, eq=False)
class Rationals:
    """The score of every ranking as a fraction, all with the same denominator."""

    numerator: NDArray[Any]  # [size] int64, or Python integers where int64 is too small
    denominator: int

    @cached_property
    def floats(self) -> Floats:
        """[size] the scores as floating-point numbers."""
        return (self.numerator / self.denominator).astype(np.float64, copy=False)


def depth_seen(metric: Metric, space: Space) -> int:
    """How many results of a ranking the metric looks at: its cutoff, unless that counts turns, or else all."""
    k = metric.size
    return space.depth if k is None or "turns" in metric.meaning.needs else min(k, space.depth)


def exact_score(metric: Metric, space: Space, letters: tuple[int, ...]) -> Fraction | None:
    """The exact score of one ranking; None if the metric has no rule.

    >>> from irassay.metrics.grammar import parse
    >>> str(exact_score(parse("AP"), Space.of(1, 5, pool=5), (0, 1, 0)))  # (1/1 + 2/3) / 5
    '1/3'
    """
    rule = term_sum(metric, space)
    if rule is None:
        return None
    weights = rule.weights or (1,) * space.aspects
    seen, used, total, sums = [0] * space.aspects, [0] * space.q, Fraction(0), Fraction(0)
    for i, letter in enumerate(letters, start=1):
        about = [a for a, grade in enumerate(space.grades[letter]) if grade and used[letter] < space.judged[letter]]
        columns = about if rule.by_aspect else [0] * bool(about)
        if i <= depth_seen(metric, space):
            total += rule.every(i) + sum(weights[a] * rule.term(i, seen[a]) for a in columns)
        used[letter] += 1
        for a in columns:
            seen[a] += 1
        sums += total
    length = max(len(letters), 1)
    return sums / length if rule.over_prefixes else total / length if rule.over_length else total


def exact_scores(metric: Metric, space: Space) -> Rationals | None:
    """The exact score of every ranking, each computed from the ranking that it extends; None without a rule."""
    rule = term_sum(metric, space)
    if rule is None:
        return None
    depth, cut = space.depth, depth_seen(metric, space)
    weights = [Fraction(w) for w in rule.weights or (1,) * space.aspects] if rule.by_aspect else [Fraction(1)]
    terms = [[Fraction(rule.term(i, c)) for c in range(i)] for i in range(1, cut + 1)]
    every = [Fraction(rule.every(i)) for i in range(1, cut + 1)]
    parts = [w * t for w in weights for row in terms for t in row] + every
    one = math.lcm(*(part.denominator for part in parts)) if parts else 1
    mean = math.lcm(*range(1, depth + 1)) if rule.over_length or rule.over_prefixes else 1
    largest = one * mean * depth * (1 + max(abs(part) for part in parts)) * space.aspects * depth
    dtype: Any = np.int64 if largest < 2**62 else object
    totals = np.zeros(space.size, dtype=dtype)  # over one
    levels = [slice(space.first(i), space.first(i + 1)) for i in range(depth + 1)]
    for i, (seen, about) in enumerate(relevant_counts(space, rule.by_aspect), start=1):
        longer = totals[levels[i]].reshape(-1, space.q)  # each ranking followed by each kind
        longer[:] = totals[levels[i - 1], None]
        if i > cut:
            continue
        if every[i - 1]:
            longer += int(every[i - 1] * one)
        for a, weight in enumerate(weights):
            worth = np.array([int(weight * term * one) for term in terms[i - 1]], dtype=dtype)
            adds = worth.take(seen[:, a])
            for c in range(space.q):
                judged = about[c][a]
                if judged is not None:
                    longer[:, c] += adds if judged is True else np.where(judged, adds, 0)
    if rule.over_prefixes:
        for before, here in pairwise(levels):
            totals[here].reshape(-1, space.q)[:] += totals[before, None]
    if mean > 1:
        for i, here in enumerate(levels[1:], start=1):
            totals[here] *= mean // i
    return Rationals(totals, one * mean)


@lru_cache(maxsize=2)
def relevant_counts(space: Space, by_aspect: bool) -> tuple[tuple[Letters, tuple[tuple[Adds, ...], ...]], ...]:
    """By length: how many relevant results each shorter ranking has [n, a], and whether each kind adds one [q][a].

    Without aspects there is one column. A kind adds one to a column always (True), never (None), or only while judged
    documents of the kind are left [n].
    """
    columns = space.table > 0  # [q, a]
    columns = columns if by_aspect else np.asarray(columns.any(axis=1))[:, None]
    count = np.zeros((1, space.q), dtype=np.int8)  # documents of each kind so far
    seen = np.zeros((1, columns.shape[1]), dtype=np.int8)
    levels = []
    for _ in range(space.depth):
        left = count < np.array(space.judged)  # [n|1, q]
        lasts = [judged >= space.depth for judged in space.judged]
        about = tuple(
            tuple((True if lasts[c] else left[:, c]) if adds else None for adds in columns[c]) for c in range(space.q)
        )
        levels.append((seen, about))
        seen = (seen[:, None] + (columns & left[:, :, None])).astype(np.int8).reshape(-1, columns.shape[1])
        if not all(lasts):
            count = (count[:, None] + np.eye(space.q, dtype=np.int8)).reshape(-1, space.q)
    return tuple(levels)
