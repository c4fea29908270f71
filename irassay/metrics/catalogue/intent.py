"""Ad hoc metrics averaged over the aspects of a topic, each taken as a topic of its own."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.catalogue.classic import AP
from irassay.metrics.catalogue.static import P
from irassay.metrics.decorators import metric
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Pool, Rankings, share
from irassay.rankings.ideals import offered


def uniform(r: Rankings, rel: float) -> Floats:
    """[t, a] the same weight for every aspect to which some document is relevant."""
    found = offered(r.pool, rel)
    return share(found.astype(np.float64), found.sum(axis=1, keepdims=True))


def weights(r: Rankings, rel: float) -> Floats:
    """[t, a] what each aspect counts for: the weights that were given, as they are, or else uniform ones."""
    return r.pool.weights if "weights" in r.carries else uniform(r, rel)


def one_aspect(r: Rankings, aspect: int) -> Rankings:
    """The lists graded for one aspect, ideal and recall base too; what was judged at all counts as judged for it."""

    def offer() -> Pool:
        grade = r.pool.aspects[:, :, aspect]
        return Pool(grade.astype(np.float64), r.pool.size, grade[:, :, None], np.ones((len(grade), 1)))

    grade = r.aspects[:, :, aspect]
    return replace(
        r,
        grade=grade.astype(np.float64),
        pool=r.pool.once(("one aspect", aspect), offer),
        aspects=grade[:, :, None],
        carries=r.carries - {"aspects", "weights"},
    )


def weighted_mean_over_aspects(inner: Metric, r: Rankings, weight: Floats) -> Floats:
    """[n] the weighted sum of what a metric scores for each aspect; `weight` is [t, a]."""
    total = np.zeros(len(r))
    for aspect in range(weight.shape[1]):
        share_of_it = weight[r.topic, aspect]
        rows = np.flatnonzero(share_of_it)
        if len(rows):
            total[rows] += share_of_it[rows] * inner.score(one_aspect(r[rows], aspect))
    return total


def canonical_metric(text: Any) -> Any:
    """The canonical string of the metric that a string stands for."""
    return str(parse(text)) if isinstance(text, str | Metric) else text


def inner_range(outer: Metric) -> tuple[float, float]:
    """The range of the metric inside."""
    return parse(outer.params["metric"]).range


def inner_needs(params: Mapping[str, Any]) -> frozenset[str]:
    """What the metric inside needs."""
    return parse(params["metric"]).needs


def inner_uses(params: Mapping[str, Any]) -> str:
    """What the metric inside uses."""
    return " ".join(parse(params["metric"]).uses)


AD_HOC = Domain(
    "metric",
    holds_if=lambda text: not parse(text).meaning.needs & {"aspects", "turns", "passages"},
    canonical=canonical_metric,
    wording="an ad hoc metric with its cutoff, such as 'nDCG@10'",
)
InnerMetric = Annotated[str, AD_HOC, "The metric that scores each aspect, with its cutoff."]


@metric(
    "IA",
    cite="agrawal2009",
    takes={},
    needs="aspects pool",
    limits=inner_range,
    weighted=True,
    uses=inner_uses,
    needs_if=inner_needs,
)
def IA(r: Rankings, metric: InnerMetric = "AP", k: int | None = None) -> Floats:
    """What a metric scores when each aspect is a topic of its own, averaged over aspects by weight.

    Weights are those given with the judgements, or else the same for every aspect that has a relevant document.
    """
    inner = parse(metric)
    if k is not None and inner.cutoff is not None:
        raise InputError(f"IA(metric='{metric}')@{k} has two cutoffs; keep the one of the inner metric")
    inner = inner if k is None else inner @ k
    return weighted_mean_over_aspects(inner, r, weights(r, inner.params.get("rel", 1)))


@metric(
    "AP_IA",
    cite="agrawal2009",
    takes={"rel": 1},
    needs="aspects pool",
    monotone=True,
    aliases="MAP_IA MAP-IA AP-IA",
    uses="costs",
)
def AP_IA(r: Rankings) -> Floats:
    """AP for each aspect as a topic of its own, averaged over the aspects that have a relevant document."""
    return weighted_mean_over_aspects(AP(rel=r.metric_view.rel), r, uniform(r, r.metric_view.rel))


@metric("P_IA", cite="agrawal2009", takes={"rel": 1}, needs="aspects pool", monotone=True, aliases="P-IA", uses="costs")
def P_IA(r: Rankings, k: int | None = None) -> Floats:
    """Precision for each aspect as a topic of its own, averaged over the aspects that have a relevant document."""
    inner = P(rel=r.metric_view.rel)
    return weighted_mean_over_aspects(inner if k is None else inner @ k, r, uniform(r, r.metric_view.rel))
