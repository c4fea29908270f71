"""Metrics for topics with several aspects; most of them reward novelty."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, share, weighted_rows
from irassay.errors import InputError
from irassay.metrics.catalogue.intent import aspect_weights
from irassay.metrics.cwl import stopping_probability, weighted_sum
from irassay.metrics.decorators import metric
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import FRACTION, NOT_NEGATIVE, PROBABILITY, Persistence, one_of
from irassay.metrics.tails import term_numbers
from irassay.rankings.batch import MAX_RANK, Rankings, TooFarError
from irassay.rankings.ideals import covered_aspects, ideal_novelty, is_relevant_to

ASPECTS: dict[str, Any] = {"needs": "aspects pool", "monotone": True}
LEVEL: dict[str, Any] = {"takes": {"rel": 1}, **ASPECTS}
NEGLIGIBLE = 1e-18  # share of a sum at which its terms are dropped
SMALLEST_ALPHA = 1e-6  # below it, the sum over an endless list takes too many terms

NOVELTY = r" \\ v_i &= \sum_{a} b_{ia} (1-\alpha)^{\sum_{j<i} b_{ja}}"  # formula of what a result adds

Discount = Callable[[Floats], Floats]


def relevant_to(r: Rankings) -> Bools:
    """[n, depth, a] whether a result is relevant to an aspect."""
    return is_relevant_to(r.aspects, r.metric_view.rel)


def aspects_known(r: Rankings) -> Ints:
    """[n] the number of the topic's aspects with a relevant document, retrieved or not."""
    return covered_aspects(r.pool, r.metric_view.rel).sum(axis=1)[r.topic]


def novel_gain(relevant: Bools, alpha: float) -> Floats:
    """[n, depth] the gain that each result adds: every result about an aspect takes the share alpha of its worth.

    >>> novel_gain(np.array([[[True, False], [True, True]]]), alpha=0.5)
    array([[1. , 1.5]])
    """
    n, depth, aspects = relevant.shape
    worth = np.cumprod(np.r_[1.0, np.full(max(depth - 1, 0), 1 - alpha)])
    by_aspect = np.flatnonzero(relevant.swapaxes(1, 2))  # by row, then aspect, then rank
    line, rank = np.divmod(by_aspect, max(depth, 1))
    starts = np.flatnonzero(np.diff(line, prepend=-1))
    seen = np.arange(len(line)) - np.repeat(starts, np.diff(starts, append=len(line)))
    place = line // max(aspects, 1) * depth + rank
    total = np.bincount(place, weights=worth[seen], minlength=n * depth)
    return np.asarray(total, dtype=np.float64).reshape(n, depth)


def log_discount(rank: Floats) -> Floats:
    """1/log2(i+1)."""
    return 1 / np.log2(rank + 1)


def reciprocal_discount(rank: Floats) -> Floats:
    """1/i."""
    return 1 / rank


def discounted_sum(gain: Floats, discount: Discount) -> Floats:
    """[n] the discounted sum over ranks."""
    return weighted_rows(gain, discount(np.arange(1.0, gain.shape[1] + 1)))


@lru_cache
def flawless_sum(discount: Discount, alpha: float, k: int | None) -> float:
    """The sum for one aspect if every result is about it: to rank k, or over an endless list."""
    last = k
    if last is None or last > MAX_RANK:
        if alpha < SMALLEST_ALPHA:
            if last is not None:
                raise TooFarError(last)
            raise InputError(
                f"With alpha={alpha:g} the ideal of an endless list is not finite; add a cutoff, such as @20."
            )
        last = 1 if alpha == 1 else math.ceil(math.log(NEGLIGIBLE) / math.log(1 - alpha)) + 1
    return float(sum(((1 - alpha) ** rank * discount(rank + 1)).sum() for rank in term_numbers(last, 1 << 16)))


def against_any_collection(r: Rankings, alpha: float, discount: Discount, k: int | None) -> Floats:
    """[n] discounted novelty, divided by that of a list with every result about every aspect."""
    total = discounted_sum(novel_gain(relevant_to(r), alpha), discount)
    if k == 1:  # ndeval divides from rank 2 on
        return total
    return share(total / flawless_sum(discount, alpha, k), aspects_known(r))


def against_the_ideal(r: Rankings, alpha: float, discount: Discount, k: int | None) -> Floats:
    """[n] discounted novelty, divided by that of the greedy ideal."""
    best = discounted_sum(ideal_novelty(r.pool, alpha, r.metric_view.rel, k), discount)
    return share(discounted_sum(novel_gain(relevant_to(r), alpha), discount), best[r.topic])


def aspect_recall(r: Rankings) -> Floats:
    """[n] the share of aspects with a relevant result, among those with a relevant document."""
    return share(relevant_to(r).any(axis=1).sum(axis=1), aspects_known(r))


@metric(
    "StRecall", cite="zhai2003", aliases="strec I-rec", **LEVEL,
    formula=r"\text{StRecall} = \frac{1}{m} \sum_{a} \max_{i \le k} b_{ia}",
)  # fmt: skip
def StRecall(r: Rankings) -> Floats:
    """The share of the topic's aspects that have a relevant result."""
    return aspect_recall(r)


Redundancy = Annotated[float, FRACTION, "Share of an aspect's worth that is lost with every result about it."]


def unless_at_one(m: Metric) -> tuple[float, float]:
    """Up to 1; at cutoff 1, where the sum is not normalised, up to the number of aspects."""
    return 0.0, np.inf if m.size == 1 else 1.0


@metric(
    "alpha_DCG", cite="clarke2008", limits=unless_at_one, aliases="α_DCG alpha-DCG α-DCG", **LEVEL,
    formula=r"\alpha\text{-DCG} &= \frac{\sum_{i=1}^{k} v_i / \log_2(i+1)}{m \sum_{i=1}^{k} "
    r"(1-\alpha)^{i-1} / \log_2(i+1)}" + NOVELTY,
)  # fmt: skip
def alpha_DCG(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """DCG of novelty: an aspect loses the share alpha of its worth with every result about it.

    It is divided by the sum for a list with every result about every aspect; at cutoff 1, as in ndeval, it is not.
    """
    return against_any_collection(r, alpha, log_discount, k)


@metric(
    "alpha_nDCG", cite="clarke2008", high=np.inf, aliases="α_nDCG alpha-nDCG α-nDCG", **LEVEL,
    formula=r"\alpha\text{-nDCG} &= \frac{\sum_{i=1}^{k} v_i / \log_2(i+1)}"
    r"{\sum_{i=1}^{k} v^*_i / \log_2(i+1)}" + NOVELTY,
)  # fmt: skip
def alpha_nDCG(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """alpha-DCG divided by that of a greedy order of all judged documents; it can exceed 1."""
    return against_the_ideal(r, alpha, log_discount, k)


@metric(
    "ERR_IA", cite="chapelle2009", limits=unless_at_one, aliases="ERR-IA", **LEVEL,
    formula=r"\text{ERR-IA} &= \frac{\sum_{i=1}^{k} v_i / i}{m \sum_{i=1}^{k} (1-\alpha)^{i-1} / i}" + NOVELTY,
)  # fmt: skip
def ERR_IA(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """The expected reciprocal rank where users are satisfied, averaged over aspects; a result satisfies a share alpha.

    It is divided by the sum for a list with every result about every aspect; at cutoff 1, as in ndeval, it is not.
    """
    return against_any_collection(r, alpha, reciprocal_discount, k)


@metric(
    "nERR_IA", cite="chapelle2009", high=np.inf, aliases="nERR-IA", **LEVEL,
    formula=r"\text{nERR-IA} &= \frac{\sum_{i=1}^{k} v_i / i}{\sum_{i=1}^{k} v^*_i / i}" + NOVELTY,
)  # fmt: skip
def nERR_IA(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """ERR-IA divided by that of a greedy order of all judged documents; it can exceed 1."""
    return against_the_ideal(r, alpha, reciprocal_discount, k)


@metric(
    "NRBP", cite="clarke2009", **LEVEL,
    formula=r"\text{NRBP} &= \frac{1 - (1-\alpha) \beta}{m} \sum_{i} \beta^{i-1} v_i" + NOVELTY,
)  # fmt: skip
def NRBP(r: Rankings, alpha: Redundancy = 0.5, beta: Persistence = 0.5) -> Floats:
    """RBP of novelty, for a user who continues with probability beta."""
    total = (novel_gain(relevant_to(r), alpha) * beta ** (r.rank - 1)).sum(axis=1)
    return share((1 - (1 - alpha) * beta) * total, aspects_known(r))


@metric(
    "nNRBP", cite="clarke2009", high=np.inf, **LEVEL,
    formula=r"\text{nNRBP} &= \frac{\sum_{i} \beta^{i-1} v_i}{\sum_{i} \beta^{i-1} v^*_i}" + NOVELTY,
)  # fmt: skip
def nNRBP(r: Rankings, alpha: Redundancy = 0.5, beta: Persistence = 0.5) -> Floats:
    """NRBP divided by that of a greedy order of all judged documents; it can exceed 1."""
    last = math.ceil(math.log(NEGLIGIBLE) / math.log(beta)) + 1
    return against_the_ideal(r, alpha, lambda rank: beta ** (rank - 1), last)


PUBLISHED = {"java": (0.8, 0.03), "albahem2019": (0.99, 0.05)}  # p, e


def patience_and_cost(dialect: str, p: float | None, e: float | None) -> tuple[float, float]:
    """p and e, by default the dialect's."""
    published_p, published_e = PUBLISHED[dialect]
    return published_p if p is None else p, published_e if e is None else e


def by_patience(m: Metric) -> tuple[float, float]:
    """From reading for ever without gain to full satisfaction at rank 1, for weights that sum to 1."""
    p, e = patience_and_cost(*(m.params[name] for name in ("dialect", "p", "e")))
    return (-e, 1 - p) if m.params["dialect"] == "java" else (-e * p / (1 - p), p)


@metric(
    "RBU",
    cite=("amigo2018", "albahem2019"),
    takes={},
    weighted=True,
    limits=by_patience,
    starts_at_zero=False,
    **ASPECTS,
    formula=r"\text{RBU} &= (1-p) \sum_{i=1}^{n} p^{i-1} \left( \sum_{a} w_a q_{ia} \prod_{j<i} "
    r"(1 - q_{ja}) - e \right) \\ "
    r"q_{ia} &= \frac{2^{x_{ia}} - 1}{2^{y}} \qquad y = \max_{d} x_{da}",
)
def RBU(
    r: Rankings,
    dialect: Annotated[str, one_of(*PUBLISHED), "Whose definition: the authors' program, or albahem2019."] = "java",
    p: Annotated[float | None, PROBABILITY, "Probability of continuing; by default, the dialect's."] = None,
    e: Annotated[float | None, NOT_NEGATIVE, "Cost of examining a result; by default, the dialect's."] = None,
    max_grade: float | None = None,
) -> Floats:
    """Continues with probability p at a cost of e per result, and is satisfied once per aspect, each by its weight.

    By default p and e are those of the authors' program (0.8, 0.03) or of albahem2019 (0.99, 0.05), whose scores are
    p/(1 - p) times as large. Grade g satisfies with probability (2^g - 1)/2^max; max is the aspect's largest grade.
    """
    p, e = patience_and_cost(dialect, p, e)
    largest = r.pool.once("largest grade by aspect", lambda: r.pool.aspects.max(axis=1, initial=0))  # [t, a]
    largest, weight = largest[r.topic].astype(np.float64), aspect_weights(r, 1)[r.topic]
    going_on = p ** (r.rank - 1)  # [n|1, depth]
    total = -(e * going_on * r.inside).sum(axis=1)
    for aspect in range(largest.shape[1]):
        scale = largest[:, aspect, None] if max_grade is None else max_grade
        satisfied = (np.exp2(np.maximum(r.aspects[:, :, aspect].astype(np.float64), 0.0)) - 1) / np.exp2(scale)
        total += weight[:, aspect] * weighted_sum(going_on, stopping_probability(1 - satisfied))
    return total * (p if dialect == "albahem2019" else 1 - p)
