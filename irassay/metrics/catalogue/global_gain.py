"""The D metrics: ad hoc metrics of the gain summed over aspects, with or without subtopic recall."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.catalogue.classic import GAINS
from irassay.metrics.catalogue.diversity import aspect_recall
from irassay.metrics.catalogue.intent import aspect_weights
from irassay.metrics.decorators import metric
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import FRACTION
from irassay.rankings.batch import MetricView, Rankings
from irassay.rankings.gain import gains
from irassay.rankings.pool import one_aspect_pool


def by_global_gain(r: Rankings) -> Rankings:
    """The lists with one grade per document: its gain over all aspects, weighted."""
    weight = aspect_weights(r, r.metric_view.rel)  # [t, a]
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


@metric(
    "D", **BY_METRIC,
    formula=r"\text{D} = \text{metric}(g_1, g_2, \ldots) \qquad g_i = \sum_{a} w_a \, g_{ia}",
)  # fmt: skip
def D(r: Rankings, metric: GlobalMetric = "nDCG", k: int | None = None) -> Floats:
    """A metric of the gain summed over aspects, each by its weight; a document with any gain is relevant.

    A metric whose gains lie in [0, 1] gets the sum divided by the gain of the top grade.
    """
    return of_global_gain(inner_metric(metric, k), r)


@metric(
    "Dsharp", limits=range_with_recall, **BY_METRIC,
    formula=r"\text{D\#} = \gamma \, \frac{1}{m} \sum_{a} \max_{i \le k} b_{ia} + (1 - \gamma) \, \text{D}",
)  # fmt: skip
def Dsharp(r: Rankings, metric: GlobalMetric = "nDCG", gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D of a metric (weight 1 - gamma), at one cutoff."""
    return with_recall(r, gamma, inner_metric(metric, k))


@metric(
    "D_nDCG", aliases="D-nDCG", **NAMED,
    formula=r"\text{D-nDCG} = \frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}"
    r"{\sum_{i=1}^{k} g^*_i / \log_2(i+1)} \qquad g_i = \sum_{a} w_a \, g_{ia}",
)  # fmt: skip
def D_nDCG(r: Rankings, k: int | None = None) -> Floats:
    """nDCG of the gain summed over aspects, each by its weight."""
    return of_global_gain(inner_metric("nDCG", k), r)


@metric(
    "D_Q", aliases="D-Q", **NAMED,
    formula=r"\text{D-Q} &= \frac{1}{R} \sum_{i} b_i \, \frac{B_i + G_i}{i + G^*_i} \qquad g_i = "
    r"\sum_{a} w_a \, g_{ia} \qquad b_i = [g_i > 0] \\ "
    r"\text{D-Q@}k &= \frac{1}{\min(R, k)} \sum_{i=1}^{k} b_i \, \frac{B_i + G_i}{i + G^*_i}",
)  # fmt: skip
def D_Q(r: Rankings, k: int | None = None) -> Floats:
    """Q of the gain summed over aspects, each by its weight; a document with any gain is relevant."""
    return of_global_gain(inner_metric("Q", k), r)


@metric(
    "Dsharp_nDCG", aliases="D#-nDCG", **NAMED,
    formula=r"\text{D\#-nDCG} = \gamma \, \frac{1}{m} \sum_{a} \max_{i \le k} b_{ia} + (1 - \gamma) \, \text{D-nDCG}",
)  # fmt: skip
def Dsharp_nDCG(r: Rankings, gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D-nDCG (weight 1 - gamma)."""
    return with_recall(r, gamma, inner_metric("nDCG", k))


@metric(
    "Dsharp_Q", aliases="D#-Q", **NAMED,
    formula=r"\text{D\#-Q} = \gamma \, \frac{1}{m} \sum_{a} \max_{i \le k} b_{ia} + (1 - \gamma) \, \text{D-Q}",
)  # fmt: skip
def Dsharp_Q(r: Rankings, gamma: Coverage = 0.5, k: int | None = None) -> Floats:
    """The weighted mean of subtopic recall (weight gamma) and D-Q (weight 1 - gamma)."""
    return with_recall(r, gamma, inner_metric("Q", k))
