"""Metrics for topics with several aspects; most of them reward novelty."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, share
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.catalogue.classic import GAINS
from irassay.metrics.catalogue.intent import weights
from irassay.metrics.cwl import stopping_probability, weighted_sum
from irassay.metrics.decorators import metric
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import FRACTION, NOT_NEGATIVE, PROBABILITY, Persistence, one_of
from irassay.metrics.tails import term_numbers
from irassay.rankings.batch import MAX_RANK, MetricView, Rankings, TooFarError
from irassay.rankings.gain import gains
from irassay.rankings.ideals import covered_aspects, ideal_novelty, is_relevant_to
from irassay.rankings.pool import one_aspect_pool

ASPECTS: dict[str, Any] = {"needs": "aspects pool", "monotone": True}
LEVEL: dict[str, Any] = {"takes": {"rel": 1}, **ASPECTS}
NEGLIGIBLE = 1e-18  # share of a sum at which its terms are dropped
SMALLEST_ALPHA = 1e-6  # below it, the sum over an endless list takes too many terms

Discount = Callable[[Floats], Floats]


def relevant_to(r: Rankings) -> Bools:
    """[n, depth, a] whether a result is relevant to an aspect."""
    return is_relevant_to(r.aspects, r.metric_view.rel)


def aspects_known(r: Rankings) -> Ints:
    """[n] the number of the topic's aspects with a relevant document, retrieved or not."""
    return covered_aspects(r.pool, r.metric_view.rel).sum(axis=1)[r.topic]


def novelty(relevant: Bools, alpha: float) -> Floats:
    """[n, depth] the gain that each result adds: every result about an aspect takes the share alpha of its worth.

    >>> novelty(np.array([[[True, False], [True, True]]]), alpha=0.5)
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


def logarithmic(rank: Floats) -> Floats:
    """1/log2(i+1)."""
    return 1 / np.log2(rank + 1)


def reciprocal(rank: Floats) -> Floats:
    """1/i."""
    return 1 / rank


def discounted_sum(gain: Floats, discount: Discount) -> Floats:
    """[n] the discounted sum over ranks."""
    return gain @ discount(np.arange(1.0, gain.shape[1] + 1))


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
    total = discounted_sum(novelty(relevant_to(r), alpha), discount)
    if k == 1:  # ndeval divides from rank 2 on
        return total
    return share(total / flawless_sum(discount, alpha, k), aspects_known(r))


def against_the_ideal(r: Rankings, alpha: float, discount: Discount, k: int | None) -> Floats:
    """[n] discounted novelty, divided by that of the greedy ideal."""
    best = discounted_sum(ideal_novelty(r.pool, alpha, r.metric_view.rel, k), discount)
    return share(discounted_sum(novelty(relevant_to(r), alpha), discount), best[r.topic])


def aspect_recall(r: Rankings) -> Floats:
    """[n] the share of aspects with a relevant result, among those with a relevant document."""
    return share(relevant_to(r).any(axis=1).sum(axis=1), aspects_known(r))


@metric("StRecall", cite="zhai2003", aliases="strec I-rec", **LEVEL)
def StRecall(r: Rankings) -> Floats:
    """The share of the topic's aspects that have a relevant result."""
    return aspect_recall(r)


Redundancy = Annotated[float, FRACTION, "Share of an aspect's worth that is lost with every result about it."]


def unless_at_one(m: Metric) -> tuple[float, float]:
    """Up to 1; at cutoff 1, where the sum is not normalised, up to the number of aspects."""
    return 0.0, np.inf if m.size == 1 else 1.0


@metric("alpha_DCG", cite="clarke2008", limits=unless_at_one, aliases="α_DCG alpha-DCG α-DCG", **LEVEL)
def alpha_DCG(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """DCG of novelty: an aspect loses the share alpha of its worth with every result about it.

    It is divided by the sum for a list with every result about every aspect; at cutoff 1, as in ndeval, it is not.
    """
    return against_any_collection(r, alpha, logarithmic, k)


@metric("alpha_nDCG", cite="clarke2008", high=np.inf, aliases="α_nDCG alpha-nDCG α-nDCG", **LEVEL)
def alpha_nDCG(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """alpha-DCG divided by that of a greedy order of all judged documents; it can exceed 1."""
    return against_the_ideal(r, alpha, logarithmic, k)


@metric("ERR_IA", cite="chapelle2009", limits=unless_at_one, aliases="ERR-IA", **LEVEL)
def ERR_IA(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """The expected reciprocal rank where users are satisfied, averaged over aspects; a result satisfies a share alpha.

    It is divided by the sum for a list with every result about every aspect; at cutoff 1, as in ndeval, it is not.
    """
    return against_any_collection(r, alpha, reciprocal, k)


@metric("nERR_IA", cite="chapelle2009", high=np.inf, aliases="nERR-IA", **LEVEL)
def nERR_IA(r: Rankings, alpha: Redundancy = 0.5, k: int | None = None) -> Floats:
    """ERR-IA divided by that of a greedy order of all judged documents; it can exceed 1."""
    return against_the_ideal(r, alpha, reciprocal, k)


@metric("NRBP", cite="clarke2009", **LEVEL)
def NRBP(r: Rankings, alpha: Redundancy = 0.5, beta: Persistence = 0.5) -> Floats:
    """RBP of novelty, for a user who continues with probability beta."""
    total = (novelty(relevant_to(r), alpha) * beta ** (r.rank - 1)).sum(axis=1)
    return share((1 - (1 - alpha) * beta) * total, aspects_known(r))


@metric("nNRBP", cite="clarke2009", high=np.inf, **LEVEL)
def nNRBP(r: Rankings, alpha: Redundancy = 0.5, beta: Persistence = 0.5) -> Floats:
    """NRBP divided by that of a greedy order of all judged documents; it can exceed 1."""
    last = math.ceil(math.log(NEGLIGIBLE) / math.log(beta)) + 1
    return against_the_ideal(r, alpha, lambda rank: beta ** (rank - 1), last)


def by_global_gain(r: Rankings) -> Rankings:
    """The lists with one grade per document: its gain over all aspects, weighted."""
    weight = weights(r, r.metric_view.rel)  # [t, a]
    key = ("global gain", r.metric_view, r.max_grade, "weights" in r.carries)
    offer = r.pool.once(key, lambda: global_gain(r, r.pool.aspects, weight) * r.pool.listed)
    pool = r.pool.once((*key, "pool"), lambda: one_aspect_pool(offer, r.pool.size))
    grade = global_gain(r, r.aspects, weight[r.topic])
    view = r.metric_view
    top = float(gains(np.array([r.max_grade]), view.gain, r.max_grade, view.rel, raw=True)[0])  # the scale of gains
    carries = r.carries - {"aspects", "weights"}
    return replace(r, grade=grade, pool=pool, max_grade=top, metric_view=MetricView(), carries=carries)


def global_gain(r: Rankings, aspects: Any, weight: Floats) -> Floats:
    """[n, depth] the gains by aspect [n, depth, a], summed by weight [n, a]."""
    total = np.zeros(aspects.shape[:2])
    for aspect in range(aspects.shape[2]):
        grade = aspects[:, :, aspect].astype(np.float64)
        total += weight[:, aspect, None] * gains(grade, r.metric_view.gain, r.max_grade, r.metric_view.rel, raw=True)
    return total


ANY_GAIN = np.nextafter(0, 1)


def with_any_gain(inner: Metric) -> Metric:
    """A metric for which any gain is relevant, unless it has a level, and gains are not grades."""
    params, given = inner.params, {*dict(inner.given), *inner.typed_parameters}
    instead: dict[str, Any] = {"gain": params["gain"]} if "gain" in params else {}
    if instead.get("gain") == "exp" and "gain" not in given:
        instead["gain"] = "linear"  # the global gain itself, on the scale from 0 to 1
    if "rel" in params and "rel" not in given:
        instead["rel"] = ANY_GAIN
    return inner(**instead)


def of_global_gain(inner: Metric, r: Rankings) -> Floats:
    """[n] an ad hoc metric of the gain over all aspects."""
    return with_any_gain(inner).score(by_global_gain(r))


def inner_metric(metric: str, k: int | None) -> Metric:
    """The metric of D and Dsharp, with the cutoff of either."""
    inner = parse(metric)
    if k is not None and inner.cutoff is not None:
        raise InputError(f"{k} and '{metric}' are two cutoffs; keep one.")
    return inner if k is None else inner @ k


def canonical_metric_with_level(text: Any) -> Any:
    """The canonical string of a metric, with its level of relevance if one was given, even the default."""
    metric = parse(text) if isinstance(text, str | Metric) else text
    return metric.with_level_shown() if isinstance(metric, Metric) else text


def takes_gains(text: str) -> bool:
    """Whether a metric is an ad hoc one that takes any gain; gains of grades are a parameter of D itself."""
    metric = parse(text)
    by_grade = any(isinstance(metric.params.get(name), tuple) for name in ("h", "gain", "stops"))
    exponential = dict(metric.given).get("gain") == "exp" or metric.params.get("dialect") == "jiang"
    return not (metric.needs & {"aspects", "turns", "passages"} or by_grade or exponential)


GlobalMetric = Annotated[
    str,
    Domain(
        "metric",
        holds_if=takes_gains,
        canonical=canonical_metric_with_level,
        wording="an ad hoc metric such as 'nDCG@10', without gains by grade; give those to D, as in D(gain='exp')",
    ),
    "The metric of the gain over all aspects, with its cutoff; any gain is relevant, unless it has its own rel.",
]
Coverage = Annotated[float, FRACTION, "Weight of subtopic recall; the other part has the rest."]
GLOBAL: dict[str, Any] = {"takes": GAINS, "raw": True, "needs": "aspects pool"}
NAMED: dict[str, Any] = {"cite": "sakai2011", "monotone": True, "weighted": True, **GLOBAL}


@cache
def depends_on_weights(metric: str) -> bool:
    """Whether D of a metric depends on how much gain a document has, not only on whether it has any.

    Tried on every list of three results with three gains, and with their squares.
    """
    inner = parse(metric)
    if "rel" in {*dict(inner.given), *inner.typed_parameters}:
        return True
    gain = np.array(list(product([0.0, 0.5, 1.0], repeat=3)))
    lists = (Rankings.of(each, best=np.sort(each, axis=1)[:, ::-1], max_grade=1) for each in (gain, gain**2))
    known: dict[str, Any] = {"words": np.full((1, 3), 100.0), "past_words": 100.0, "carries": frozenset({"lengths"})}
    first, second = (with_any_gain(inner).score(replace(r, **known)) for r in lists)
    return not np.array_equal(first, second)


def weights_if_needed(params: Mapping[str, Any]) -> str:
    """Weights of aspects, if the metric depends on them."""
    return "weights" if depends_on_weights(params["metric"]) else ""


BY_METRIC: dict[str, Any] = {
    "cite": ("sakai2011", "albahem2018"), "has_inner": True, "uses": weights_if_needed, **GLOBAL
}  # fmt: skip


def range_with_recall(m: Metric) -> tuple[float, float]:
    """The range of the weighted mean of subtopic recall and the inner metric."""
    assert m.inner is not None
    (low, high), gamma = m.inner.range, m.params["gamma"]
    return (1 - gamma) * low if gamma < 1 else 0.0, gamma + (1 - gamma) * high if gamma < 1 else 1.0


def with_recall(r: Rankings, gamma: float, inner: Metric) -> Floats:
    """[n] the weighted mean of subtopic recall (gamma) and a metric of the gain over all aspects, at one cutoff."""
    recall = aspect_recall(r if inner.size is None else r.top(inner.size))
    return gamma * recall + (1 - gamma) * of_global_gain(inner, r)


@metric("D", **BY_METRIC)
def D(r: Rankings, metric: GlobalMetric = "nDCG", k: int | None = None) -> Floats:
    """A metric of the gain summed over aspects, each by its weight; a document with any gain is relevant.

    A metric whose gains lie in [0, 1] gets the sum divided by the gain of the top grade.
    """
    return of_global_gain(inner_metric(metric, k), r)


@metric("Dsharp", limits=range_with_recall, **BY_METRIC)
def Dsharp(r: Rankings, metric: GlobalMetric = "nDCG", gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D of a metric (weight 1 - gamma), at one cutoff."""
    return with_recall(r, gamma, inner_metric(metric, k))


@metric("D_nDCG", aliases="D-nDCG", **NAMED)
def D_nDCG(r: Rankings, k: int | None = None) -> Floats:
    """nDCG of the gain summed over aspects, each by its weight."""
    return of_global_gain(inner_metric("nDCG", k), r)


@metric("D_Q", aliases="D-Q", **NAMED)
def D_Q(r: Rankings, k: int | None = None) -> Floats:
    """Q of the gain summed over aspects, each by its weight; a document with any gain is relevant."""
    return of_global_gain(inner_metric("Q", k), r)


@metric("Dsharp_nDCG", aliases="D#-nDCG", **NAMED)
def Dsharp_nDCG(r: Rankings, gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D-nDCG (weight 1 - gamma)."""
    return with_recall(r, gamma, inner_metric("nDCG", k))


@metric("Dsharp_Q", aliases="D#-Q", **NAMED)
def Dsharp_Q(r: Rankings, gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D-Q (weight 1 - gamma)."""
    return with_recall(r, gamma, inner_metric("Q", k))


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
    largest, weight = largest[r.topic].astype(np.float64), weights(r, 1)[r.topic]
    going_on = p ** (r.rank - 1)  # [n|1, depth]
    total = -(e * going_on * r.inside).sum(axis=1)
    for aspect in range(largest.shape[1]):
        scale = largest[:, aspect, None] if max_grade is None else max_grade
        satisfied = (np.exp2(np.maximum(r.aspects[:, :, aspect].astype(np.float64), 0.0)) - 1) / np.exp2(scale)
        total += weight[:, aspect] * weighted_sum(going_on, stopping_probability(1 - satisfied))
    return total * (p if dialect == "albahem2019" else 1 - p)
