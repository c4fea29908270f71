"""Scores as exact fractions, for metrics that add up rational terms: floats cannot tell a tie from a violation.

A rule gives what a relevant result at rank i adds after c relevant ones, counted over all results or for each aspect
separately. The score of a ranking then follows from the score of the ranking that it extends by one result. The rules
assume binary relevance and each metric's default gain and aggregation.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats
from irassay.metrics.metric import Metric
from irassay.rankings.enumeration import Letters, Space
from irassay.rankings.turns import PAGE

Adds = NDArray[np.bool_] | bool | None
Term = Callable[[int, int], Fraction | int]


@dataclass(frozen=True)
class TermSum:
    """A score as a sum of terms."""

    term: Term  # (i, c): what a relevant result at rank i adds after c others
    by_aspect: bool = False  # count c, and add the term, for each aspect of the result
    weights: tuple[Fraction, ...] = ()  # [a] factor of each aspect's terms; 1 if left out
    every: Callable[[int], Fraction | int] = lambda i: 0  # what any result at rank i adds
    over_length: bool = False  # divide by the number of results
    over_prefixes: bool = False  # average over all prefixes of the list


@dataclass(frozen=True)
class ExactCase:
    """What a rule may use: a metric and the space that it scores."""

    metric: Metric
    space: Space

    @property
    def k(self) -> int | None:
        """The metric's cutoff."""
        return self.metric.cutoff

    @property
    def known(self) -> int:
        """How many relevant documents the pool has."""
        return sum(self.space.judged[c] for c in self.space.relevant)

    @property
    def by_aspect(self) -> tuple[int, ...]:
        """[a] how many documents the pool has on each aspect."""
        kinds = range(self.space.q)
        return tuple(sum(self.space.judged[c] for c in kinds if self.space.grades[c][a]) for a in range(self.m))

    @property
    def m(self) -> int:
        """How many aspects the topic has."""
        return self.space.aspects

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The weights of the aspects."""
        return tuple(Fraction(weight).limit_denominator(10**6) for weight in self.space.weights)

    def parameter(self, name: str) -> Fraction:
        """A parameter as the fraction that its decimals spell."""
        return Fraction(str(self.metric.params[name]))


Rule = Callable[[ExactCase], TermSum | None]
RULES: dict[str, tuple[Rule, frozenset[str]]] = {}


def exact_rule(name: str, takes: str = "") -> Callable[[Rule], Rule]:
    """Register the rule of a metric; it holds as long as only parameters that it `takes` differ from their default."""

    def register(rule: Rule) -> Rule:
        RULES[name] = rule, frozenset(takes.split())
        return rule

    return register


@dataclass(frozen=True, eq=False)
class Rationals:
    """The score of every ranking as a fraction, all with the same denominator."""

    numerator: NDArray[Any]  # [size] int64, or Python integers where int64 is too small
    denominator: int

    @cached_property
    def floats(self) -> Floats:
        """[size] the scores as floating-point numbers."""
        return (self.numerator / self.denominator).astype(np.float64, copy=False)


def term_sum(metric: Metric, space: Space) -> TermSum | None:
    """How the metric adds up on this space; None if there is no rule for that."""
    rule, takes = RULES.get(metric.name, (None, frozenset()))
    if rule is None or space.max_grade > 1 or {name for name, _ in metric.given} - takes:
        return None
    return rule(ExactCase(metric, space))


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


@exact_rule("P", takes="rel")
def precision(x: ExactCase) -> TermSum:
    """Each relevant result adds 1/k, or 1/length without a cutoff."""
    return TermSum(lambda i, c: Fraction(1, x.k or 1), over_length=x.k is None)


@exact_rule("R", takes="rel")
def recall(x: ExactCase) -> TermSum:
    """Each relevant result adds 1/R, with R relevant documents in the pool."""
    return TermSum(lambda i, c: Fraction(1, x.known))


@exact_rule("AP", takes="rel")
def average_precision(x: ExactCase) -> TermSum:
    """Each relevant result adds the precision at its rank, divided by R."""
    return TermSum(lambda i, c: Fraction(c + 1, i * x.known))


@exact_rule("RR", takes="rel")
def reciprocal_rank(x: ExactCase) -> TermSum:
    """Only the first relevant result counts."""
    return TermSum(lambda i, c: Fraction(1, i) if c == 0 else 0)


@exact_rule("Rprec", takes="rel")
def precision_at_known(x: ExactCase) -> TermSum:
    """The first R results count, with R relevant documents in the pool."""
    return TermSum(lambda i, c: Fraction(1, x.known) if i <= x.known else 0)


@exact_rule("Success", takes="rel")
def success(x: ExactCase) -> TermSum:
    """One relevant result is enough."""
    return TermSum(lambda i, c: int(c == 0))


@exact_rule("ERR")
def expected_reciprocal_rank(x: ExactCase) -> TermSum:
    """A relevant result satisfies half of the users who are left."""
    return TermSum(lambda i, c: Fraction(1, 2 ** (c + 1) * i))


@exact_rule("RBP", takes="p rel")
def rank_biased_precision(x: ExactCase) -> TermSum:
    """A geometric series."""
    p = x.parameter("p")
    return TermSum(lambda i, c: (1 - p) * p ** (i - 1))


@exact_rule("StRecall", takes="rel")
def subtopic_recall(x: ExactCase) -> TermSum:
    """Only the first result on each aspect counts."""
    return TermSum(lambda i, c: Fraction(int(c == 0), x.m), by_aspect=True)


@exact_rule("P_IA", takes="rel")
def precision_by_intent(x: ExactCase) -> TermSum:
    """P for each aspect."""
    return TermSum(lambda i, c: Fraction(1, (x.k or 1) * x.m), by_aspect=True, over_length=x.k is None)


@exact_rule("AP_IA", takes="rel")
def average_precision_by_intent(x: ExactCase) -> TermSum:
    """AP for each aspect, with the recall base of that aspect."""
    shares = tuple(Fraction(1, x.m * known) for known in x.by_aspect)
    return TermSum(lambda i, c: Fraction(c + 1, i), by_aspect=True, weights=shares)


@exact_rule("ERR_IA", takes="alpha rel")
def expected_reciprocal_rank_by_intent(x: ExactCase) -> TermSum | None:
    """ERR for each aspect divided by the ideal down to rank k; without k the ideal contains a logarithm."""
    left = 1 - x.parameter("alpha")
    if x.k is None or x.k == 1:
        return None
    best = x.m * sum(left ** (i - 1) / i for i in range(1, x.k + 1))
    return TermSum(lambda i, c: left**c / i / best, by_aspect=True)


@exact_rule("NRBP", takes="alpha beta rel")
def novelty_and_rank_biased_precision(x: ExactCase) -> TermSum:
    """RBP of new information."""
    left, beta = 1 - x.parameter("alpha"), x.parameter("beta")
    return TermSum(lambda i, c: (1 - left * beta) / x.m * beta ** (i - 1) * left**c, by_aspect=True)


@exact_rule("RBU", takes="p e")
def rank_biased_utility(x: ExactCase) -> TermSum:
    """RBP of satisfied users, minus e for every result; p and e default to those of the authors' program."""
    given = x.metric.params
    p = Fraction(4, 5) if given["p"] is None else x.parameter("p")
    e = Fraction(3, 100) if given["e"] is None else x.parameter("e")
    return TermSum(
        lambda i, c: (1 - p) * p ** (i - 1) / 2 ** (c + 1),
        by_aspect=True,
        weights=x.shares,
        every=lambda i: -(1 - p) * e * p ** (i - 1),
    )


def cube(x: ExactCase, over_prefixes: bool) -> TermSum:
    """What the result after c others pours into the prism of its aspect, as a share of the cube."""
    gamma, height = x.parameter("gamma"), x.parameter("MH")

    def poured(c: int) -> Fraction:
        filled: Fraction = min(height, sum((gamma ** (j + 1) for j in range(c)), Fraction(0)))
        return min(gamma ** (c + 1), height - filled) / height

    return TermSum(lambda i, c: poured(c), by_aspect=True, weights=x.shares, over_prefixes=over_prefixes)


@exact_rule("CT", takes="gamma MH")
def cube_test(x: ExactCase) -> TermSum:
    """One iteration takes one unit of time."""
    return cube(x, over_prefixes=False)


@exact_rule("ACT", takes="gamma MH")
def average_cube_test(x: ExactCase) -> TermSum:
    """CT at each result, averaged."""
    return cube(x, over_prefixes=True)


@exact_rule("nCT", takes="gamma MH")
def normalised_cube_test(x: ExactCase) -> TermSum:
    """CT divided by the most that k iterations plus one document can pour, the first of an aspect counting in full."""
    gamma, height, turns = x.parameter("gamma"), x.parameter("MH"), x.k or 1
    best = [min(height, sum(gamma**j for j in range(min(known, PAGE * turns + 1)))) for known in x.by_aspect]
    bound = sum(share * filled for share, filled in zip(x.shares, best, strict=True)) / (height * turns)
    poured = cube(x, over_prefixes=False)
    return replace(poured, term=lambda i, c: poured.term(i, c) / bound)
