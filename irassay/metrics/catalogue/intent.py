"""Ad hoc metrics averaged over the aspects of a topic, each treated as a topic."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, share
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.catalogue.classic import AP
from irassay.metrics.catalogue.static import P
from irassay.metrics.decorators import metric
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.ideals import covered_aspects
from irassay.rankings.pool import one_aspect_pool


def equal_weights(r: Rankings, rel: float) -> Floats:
    """[t, a] equal weights for the aspects with a relevant document."""
    with_relevant = covered_aspects(r.pool, rel)
    return share(with_relevant.astype(np.float64), with_relevant.sum(axis=1, keepdims=True))


def aspect_weights(r: Rankings, rel: float) -> Floats:
    """[t, a] the weights of aspects: those given with the judgements, or else uniform ones."""
    return r.pool.weights if "weights" in r.carries else equal_weights(r, rel)


def one_aspect(r: Rankings, aspect: int) -> Rankings:
    """The lists and pools graded for one aspect; documents judged for any aspect count as judged for it."""
    grade = r.aspects[:, :, aspect]
    pool = r.pool.once(("one aspect", aspect), lambda: one_aspect_pool(r.pool.aspects[:, :, aspect], r.pool.size))
    carries = r.carries - {"aspects", "weights"}
    return replace(r, grade=grade.astype(np.float64), pool=pool, aspects=grade[:, :, None], carries=carries)


def weighted_mean_over_aspects(inner: Metric, r: Rankings, weight: Floats) -> Floats:
    """[n] the weighted sum of a metric's scores by aspect; `weight` is [t, a]."""
    total = np.zeros(len(r))
    for aspect in range(weight.shape[1]):
        share_of_it = weight[r.topic, aspect]
        rows = np.flatnonzero(share_of_it)
        if len(rows):
            total[rows] += share_of_it[rows] * inner.score(one_aspect(r[rows], aspect))
    return total


def canonical_metric(text: Any) -> Any:
    """The canonical string of a metric; anything else as it is."""
    return str(parse(text)) if isinstance(text, str | Metric) else text


AD_HOC = Domain(
    "metric",
    holds_if=lambda text: not parse(text).meaning.needs & {"aspects", "turns", "passages"},
    canonical=canonical_metric,
    wording="an ad hoc metric with its cutoff, such as 'nDCG@10'",
)
InnerMetric = Annotated[str, AD_HOC, "The metric that scores each aspect, with its cutoff."]


@metric(
    "IA", cite="agrawal2009", takes={}, needs="aspects pool", weighted=True, has_inner=True,
    formula=r"\text{IA} = \sum_{a} w_a \, \text{metric}_a",
)  # fmt: skip
def IA(r: Rankings, metric: InnerMetric = "AP", k: int | None = None) -> Floats:
    """A metric's score with each aspect treated as a topic, averaged over aspects by weight.

    Weights are those given with the judgements, or else equal for the aspects with a relevant document.
    """
    inner = parse(metric)
    if k is not None and inner.cutoff is not None:
        raise InputError(f"IA(metric='{metric}')@{k} has two cutoffs; keep the one of the inner metric.")
    inner = inner if k is None else inner @ k
    return weighted_mean_over_aspects(inner, r, aspect_weights(r, inner.params.get("rel", 1)))


AVERAGED: dict[str, Any] = {
    "cite": "agrawal2009", "takes": {"rel": 1}, "needs": "aspects pool", "monotone": True, "uses": "costs"
}  # fmt: skip


@metric(
    "AP_IA", aliases="MAP_IA MAP-IA AP-IA", **AVERAGED,
    formula=r"\text{AP-IA} = \frac{1}{m} \sum_{a} \text{AP}_a",
)  # fmt: skip
def AP_IA(r: Rankings) -> Floats:
    """AP with each aspect treated as a topic, averaged over the aspects with a relevant document."""
    return weighted_mean_over_aspects(AP(rel=r.metric_view.rel), r, equal_weights(r, r.metric_view.rel))


@metric(
    "P_IA", aliases="P-IA", **AVERAGED,
    formula=r"\text{P-IA} = \frac{1}{m \, k} \sum_{a} \sum_{i=1}^{k} b_{ia}",
)  # fmt: skip
def P_IA(r: Rankings, k: int | None = None) -> Floats:
    """Precision with each aspect treated as a topic, averaged over the aspects with a relevant document."""
    inner = P(rel=r.metric_view.rel)
    return weighted_mean_over_aspects(inner if k is None else inner @ k, r, equal_weights(r, r.metric_view.rel))
