"""Similarity: how alike two metrics rank the systems."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.meta.complete_scores import CompleteScores, best_first, checked_alpha, complete_scores, mean_of_known
from irassay.meta.shared_options import Alpha, Seed, alpha_of_level
from irassay.method import method
from irassay.parallel import map_blocks
from irassay.results import Result
from irassay.scores import Scores, positions
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.correlation import fieller, rbo, spearman, tau_ap
from irassay.stats.draws import ELEMENTS
from irassay.stats.jackknife import jackknife_error, kept_topics, student_critical
from irassay.stats.rank_codes import RankCodes, rank_codes, tau_matrices

Coefficient = Callable[[Floats, Floats], Floats]

# Each takes rank codes [ranking, item] of two rankings; the symmetric form of tau_AP, which allows ties in both.
COEFFICIENTS: dict[str, Coefficient] = {
    "tau_ap": lambda x, y: tau_ap(x, y, ties="b"),
    "spearman": spearman,
    "rbo": rbo,
}


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Result):
    """Kendall's tau-b between the rankings of the systems by every two metrics."""

    saved_as: ClassVar[str] = "similarity"
    formerly: ClassVar[dict[str, str]] = {"means": "mean"}

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: int
    alpha: float
    seed: int
    mean: Floats  # [system, metric] what the systems are ranked by, costs negated
    tau: Floats  # [metric, metric]; NaN where one is constant
    low: Floats  # [metric, metric] by Fieller's formula, as chen2023: systems are the sample
    high: Floats  # [metric, metric]
    error: Floats  # [metric, metric] the standard error by the jackknife: topics are the sample
    also: tuple[str, ...]  # other coefficients that were asked for
    other: Floats  # [coefficient, metric, metric]
    constant: Bools  # [metric] every system has the same mean
    order: tuple[int, ...]  # the metrics, similar ones next to each other

    def means(self) -> Floats:
        """[system, metric] the mean scores, costs negated."""
        return self.mean

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[metric, metric] the ends of the jackknife interval of tau, at 1 - alpha unless a level is given."""
        reach = student_critical(alpha_of_level(level, self.alpha), self.topics) * self.error
        return np.maximum(-1.0, self.tau - reach), np.minimum(1.0, self.tau + reach)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their mean tau with the others, the most typical first; constant ones last."""
        others = np.where(np.eye(len(self.metrics), dtype=np.bool_), np.nan, self.tau)
        return best_first(self.metrics, mean_of_known(others))

    def of(self, one: str, other: str) -> float:
        """tau between two metrics."""
        a, b = positions("metric", self.metrics, (one, other))
        return float(self.tau[a, b])

    def nearest(self, metric: str) -> list[tuple[str, float]]:
        """The other metrics and their tau with this one, the most similar first; constant ones last."""
        m = positions("metric", self.metrics, [metric])[0]
        return [(name, tau) for name, tau in best_first(self.metrics, self.tau[m]) if name != self.metrics[m]]

    def pairs(self) -> list[tuple[int, int]]:
        """Every two metrics by their numbers, each pair once."""
        first, second = np.triu_indices(len(self.metrics), k=1)
        return list(zip(first.tolist(), second.tolist(), strict=True))


@method(
    "How alike do metrics rank systems?",
    cite="chen2023 fieller1957 shao1989",
    affine=True,
    compares_metrics=True,
    examples=("irassay meta similarity qrels.txt runs/ -m nDCG@10 -m AP -m RR --plot similarity.svg",),
)
def similarity(
    scores: Scores,
    *,
    also: Annotated[
        tuple[Literal["tau_ap", "spearman", "rbo"], ...], "Beside tau also tau_ap, spearman or rbo; may be repeated."
    ] = (),
    alpha: Alpha = 0.05,
    subsets: Annotated[int, Option("Sets of topics left out for the intervals, at most.", high=MAX_DRAWS)] = 200,
    seed: Seed = 0,
) -> Similarity:
    """How alike metrics rank systems (chen2023, section 4): a correlation for every two metrics, with intervals.

    `also` asks for further coefficients: tau_ap [yilmaz2008], spearman, rbo [webber2010]. Jackknife intervals come
    from leaving out half of the topics at a time, with Student's t.

    >>> cube = np.array([[[0.1, 0.3], [0.2, 0.4]], [[0.6, 0.9], [0.7, 0.8]], [[0.4, 1.0], [0.5, 0.9]]])
    >>> round(similarity(Scores(cube, ("A", "B", "C"), ("1", "2"), ("AP", "RR"))).of("AP", "RR"), 4)
    0.3333
    """
    found = similarity_result(scores, also=also, alpha=alpha, subsets=subsets, seed=seed)
    if len(found.metrics) == 1:
        raise InputError(f"Similarity is of two metrics or more; found {found.metrics[0]} alone. Name another metric.")
    return found


def similarity_result(
    scores: Scores, *, also: Sequence[str] = (), alpha: float = 0.05, subsets: int = 200, seed: int = 0
) -> Similarity:
    """How alike the metrics rank systems; of one metric alone, that it ranks them as itself."""
    checked_alpha(alpha)
    made = complete_scores(scores, "Similarity")
    rank = rank_codes(made.means.T, made.noise)  # [metric, system]
    tau = tau_matrices(rank)
    systems = len(made.scores.systems)
    low, high = fieller(tau, systems, alpha=alpha)
    notes = list(made.notes)
    if systems <= 4:
        notes.append(f"With {systems} systems Fieller's interval is not defined; it needs five.")
    return Similarity(
        metrics=made.scores.metrics,
        systems=made.scores.systems,
        topics=len(made.scores.topics),
        alpha=alpha,
        seed=seed,
        mean=made.means,
        tau=tau,
        low=low,
        high=high,
        error=_errors(made, subsets, seed),
        also=tuple(also),
        other=_others(rank, also, made.constant),
        constant=made.constant,
        order=_ordered(tau),
        notes=tuple(notes),
    )


def _errors(made: CompleteScores, subsets: int, seed: int) -> Floats:
    """[metric, metric] the standard error of tau when topics are left out, half of them at a time."""
    systems, topics, metrics = made.values.shape
    out = topics // 2  # tau jumps, and less would make the error too large
    kept = kept_topics(topics, out, subsets, seed) / (topics - out)  # [subset, topic]
    step = max(1, ELEMENTS // (metrics * systems**2))
    work = [kept[start : start + step] for start in range(0, len(kept), step)]
    found = np.concatenate(map_blocks(_subset_taus, work, (made.values, made.noise), doing="correlating"))
    return jackknife_error(found, topics, out)


def _subset_taus(weight: Floats, shared: tuple[Floats, Floats]) -> Floats:
    """[subset, metric, metric] tau-b of the rankings by means weighted over topics [subset, topic]."""
    values, noise = shared  # [system, topic, metric], [metric]
    systems, topics, metrics = values.shape
    by_topic = values.swapaxes(0, 1).reshape(topics, -1)
    mean = (weight @ by_topic).reshape(-1, systems, metrics).swapaxes(1, 2)  # [subset, metric, system]
    rank = rank_codes(mean.reshape(-1, systems), np.tile(noise, len(mean)))
    return tau_matrices(rank.reshape(mean.shape))


def _others(rank: RankCodes, also: Sequence[str], constant: Bools) -> Floats:
    """[coefficient, metric, metric] further coefficients of every two rankings; NaN where one is constant."""
    metrics = len(rank)
    found = np.full((len(also), metrics, metrics), np.nan)
    usable = np.flatnonzero(~constant)
    first, second = (usable[i] for i in np.triu_indices(len(usable)))
    for c, name in enumerate(also):
        value = COEFFICIENTS[name](rank[first].astype(np.float64), rank[second].astype(np.float64))
        found[c, first, second] = value
        found[c, second, first] = value
    return found


def _ordered(tau: Floats) -> tuple[int, ...]:
    """The metrics in the order of a tree that joins similar ones first; constant ones last."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    usable = np.flatnonzero(~np.isnan(tau.diagonal()))
    rest = np.flatnonzero(np.isnan(tau.diagonal())).tolist()
    if len(usable) < 3:
        return (*usable.tolist(), *rest)
    apart = 1 - tau[np.ix_(usable, usable)]
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart.clip(min=0.0), checks=False), "average", optimal_ordering=True)
    return (*usable[leaves_list(tree)].tolist(), *rest)
