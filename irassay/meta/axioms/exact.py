"""Scores as exact fractions, for metrics that add up rational terms; floating point cannot tell a tie from a violation.

A rule says what a relevant result adds at rank i when c relevant ones came before it: among all results, or for
each aspect on its own. Every ranking's score then follows from that of the ranking it extends.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Letters, Space

Adds = NDArray[np.bool_] | bool | None
Term = Callable[[int, int], Fraction | int]


@dataclass(frozen=True)
class Sum:
    """A score as a sum of terms."""

    term: Term  # (i, c): of a relevant result at rank i after c others
    by_aspect: bool = False  # c counts, and the term is added for, each aspect of the result
    weights: tuple[Fraction, ...] = ()  # [a] what each aspect's terms are multiplied by; 1 if left out
    every: Callable[[int], Fraction | int] = lambda i: 0  # of any result at rank i
    over_length: bool = False  # divided by the number of results
    over_prefixes: bool = False  # averaged over all beginnings of the list


@dataclass(frozen=True)
class Case:
    """A metric and the space that it scores, as rules look at them."""

    metric: Metric
    space: Space

    @property
    def k(self) -> int | None:
        """The metric's cutoff."""
        return self.metric.cutoff

    @property
    def known(self) -> int:
        """Relevant documents in the pool."""
        return sum(self.space.judged[c] for c in self.space.relevant)

    @property
    def by_aspect(self) -> tuple[int, ...]:
        """Documents in the pool about each aspect."""
        kinds = range(self.space.q)
        return tuple(sum(self.space.judged[c] for c in kinds if self.space.grades[c][a]) for a in range(self.m))

    @property
    def m(self) -> int:
        """Aspects of the topic."""
        return self.space.aspects

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The weights of the aspects."""
        return tuple(Fraction(weight).limit_denominator(10**6) for weight in self.space.weights)

    def of(self, name: str) -> Fraction:
        """A parameter as the fraction that its decimals spell."""
        return Fraction(str(self.metric.params[name]))


Rule = Callable[[Case], Sum | None]
RULES: dict[str, tuple[Rule, frozenset[str]]] = {}


def exact(name: str, takes: str = "") -> Callable[[Rule], Rule]:
    """Registers the rule of a metric; it holds while no parameters but those it `takes` differ from the default."""

    def register(rule: Rule) -> Rule:
        RULES[name] = rule, frozenset(takes.split())
        return rule

    return register


@dataclass(frozen=True, eq=False)
class Rationals:
    """Scores of every enumerated ranking as whole numbers of a common part of 1."""

    numerator: NDArray[Any]  # [size] int64, or Python integers where int64 is too small
    denominator: int

    @cached_property
    def floats(self) -> Floats:
        """[size] the scores as floating-point numbers."""
        return (self.numerator / self.denominator).astype(np.float64, copy=False)


def rule_of(metric: Metric, space: Space) -> Sum | None:
    """How the metric adds up on this space, where that is known."""
    from irassay.meta.axioms import rules  # noqa: F401  registers them

    rule, takes = RULES.get(metric.name, (None, frozenset()))
    if rule is None or space.max_grade > 1 or {name for name, _ in metric.given} - takes:
        return None
    return rule(Case(metric, space))


def fraction(metric: Metric, space: Space, letters: tuple[int, ...]) -> Fraction | None:
    """The exact score of one ranking, where the metric has a rule.

    >>> from irassay.metrics.grammar import parse
    >>> str(fraction(parse("AP"), Space.of(1, 5, pool=5), (0, 1, 0)))  # (1/1 + 2/3) / 5
    '1/3'
    """
    found = rule_of(metric, space)
    if found is None:
        return None
    seen, used, total, sums = [0] * space.aspects, [0] * space.q, Fraction(0), Fraction(0)
    relevant = 0
    for i, letter in enumerate(letters, start=1):
        kept = metric.cutoff is None or i <= metric.cutoff or "turns" in metric.meaning.needs
        about = [a for a in range(space.aspects) if space.grades[letter][a] and used[letter] < space.judged[letter]]
        total += found.every(i) if kept else 0
        if about and kept:
            weights = found.weights or (1,) * space.aspects
            total += sum(weights[a] * found.term(i, seen[a]) for a in about) if found.by_aspect else 0
            total += 0 if found.by_aspect else found.term(i, relevant)
        used[letter] += 1
        relevant += bool(about)
        for a in about:
            seen[a] += 1
        sums += total
    length = max(len(letters), 1)
    return sums / length if found.over_prefixes else total / length if found.over_length else total


def rationals(metric: Metric, space: Space) -> Rationals | None:
    """The exact score of every ranking, each one from that of the ranking it extends; None without a rule."""
    found = rule_of(metric, space)
    if found is None:
        return None
    depth = space.depth
    cut = depth if metric.cutoff is None or "turns" in metric.meaning.needs else min(metric.cutoff, depth)
    weights = [Fraction(w) for w in found.weights or (1,) * space.aspects] if found.by_aspect else [Fraction(1)]
    terms = [[Fraction(found.term(i, c)) for c in range(i)] for i in range(1, cut + 1)]
    every = [Fraction(found.every(i)) for i in range(1, cut + 1)]
    parts = [w * t for w in weights for row in terms for t in row] + every
    one = math.lcm(*(part.denominator for part in parts)) if parts else 1
    mean = math.lcm(*range(1, depth + 1)) if found.over_length or found.over_prefixes else 1
    most = one * mean * depth * (1 + max(abs(part) for part in parts)) * space.aspects * depth
    dtype: Any = np.int64 if most < 2**62 else object
    totals = np.zeros(space.size, dtype=dtype)  # over one
    levels = [slice(space.first(i), space.first(i + 1)) for i in range(depth + 1)]
    for i, (seen, about) in enumerate(relevant_so_far(space, found.by_aspect), start=1):
        longer = totals[levels[i]].reshape(-1, space.q)  # each ranking followed by each kind
        longer[:] = totals[levels[i - 1], None]
        if i > cut:
            continue
        if every[i - 1]:
            longer += _whole(every[i - 1] * one)
        for a, weight in enumerate(weights):
            worth = np.array([_whole(weight * term * one) for term in terms[i - 1]], dtype=dtype)
            adds = worth.take(seen[:, a])
            for c in range(space.q):
                judged = about[c][a]
                if judged is not None:
                    longer[:, c] += adds if judged is True else np.where(judged, adds, 0)
    if found.over_prefixes:
        for before, here in pairwise(levels):
            totals[here].reshape(-1, space.q)[:] += totals[before, None]
    if mean > 1:
        for i, here in enumerate(levels[1:], start=1):
            totals[here] *= mean // i
    return Rationals(totals, one * mean)


@lru_cache(maxsize=2)
def relevant_so_far(space: Space, by_aspect: bool) -> tuple[tuple[Letters, tuple[tuple[Adds, ...], ...]], ...]:
    """By length: how many relevant results each shorter ranking has [n, a], and where each kind adds one more [q][a].

    Without aspects there is one column. Where a kind adds one to a column: always (True), never (None), or as long as
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


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise InputError(f"{value} is not a whole number of parts")
    return value.numerator
