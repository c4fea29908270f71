"""Similarity: how similarly metrics rank systems."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.meta.complete_scores import CompleteScores, best_first, checked_alpha, complete_scores, mean_of_known
from irassay.meta.shared_options import Alpha, Seed, Subsets
from irassay.method import method
from irassay.parallel import map_blocks
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.stats.correlation import fieller, rbo, spearman, tau_ap
from irassay.stats.draws import ELEMENTS, slices
from irassay.stats.jackknife import jackknife_error, kept_topics, student_critical
from irassay.stats.levels import alpha_of_level
from irassay.stats.rank_codes import RankCodes, rank_codes, tau_matrices

Coefficient = Callable[[Floats, Floats], Floats]

# Functions of rank codes [ranking, item] of two rankings; tau_AP in its symmetric form, which allows ties in both.
COEFFICIENTS: dict[str, Coefficient] = {"tau_ap": partial(tau_ap, ties="b"), "spearman": spearman, "rbo": rbo}


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
    tau: Floats  # [metric, metric] NaN if one metric is constant
    low: Floats  # [metric, metric] by Fieller's formula, as in chen2023: systems are the sample
    high: Floats  # [metric, metric]
    error: Floats  # [metric, metric] the standard error by the jackknife: topics are the sample
    also: tuple[str, ...]  # further coefficients
    other: Floats  # [coefficient, metric, metric]
    constant: Bools  # [metric] every system has the same mean
    order: tuple[int, ...]  # positions of the metrics, similar ones next to each other

    def means(self) -> Floats:
        """[system, metric] the mean scores, costs negated."""
        return self.mean

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[metric, metric] the ends of the jackknife interval of tau, by default at 1 - alpha."""
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
        """The positions of every two metrics, each pair once."""
        first, second = np.triu_indices(len(self.metrics), k=1)
        return list(zip(first.tolist(), second.tolist(), strict=True))


def check_two_metrics(expected: Scores | None = None) -> None:
    """Refuses a single metric."""
    if expected is not None and len(expected.metrics) == 1:
        text = f"Similarity needs at least two metrics; found only {expected.metrics[0]}. Name another metric."
        raise InputError(text, argument="metrics")


@method(
    "How similarly do metrics rank systems?",
    cite="chen2023 fieller1957 shao1989",
    affine=True,
    compares_metrics=True,
    check=check_two_metrics,
    least_runs=2,
    examples=("irassay meta similarity qrels.txt runs/ -m nDCG@10 -m AP -m RR --plot similarity.svg",),
)
def similarity(
    scores: Scores,
    *,
    also: Annotated[
        tuple[Literal["tau_ap", "spearman", "rbo"], ...],
        "Further coefficient besides tau: tau_ap, spearman or rbo; may be repeated.",
    ] = (),
    alpha: Alpha = 0.05,
    subsets: Subsets = 200,
    seed: Seed = 0,
) -> Similarity:
    """Correlate the rankings of systems by every two metrics, with intervals (chen2023, section 4).

    `also` adds further coefficients: tau_ap [yilmaz2008], spearman, rbo [webber2010]. Jackknife intervals come from
    leaving out half of the topics at a time, with Student's t.

    >>> cube = np.array([[[0.1, 0.3], [0.2, 0.4]], [[0.6, 0.9], [0.7, 0.8]], [[0.4, 1.0], [0.5, 0.9]]])
    >>> round(similarity(Scores(cube, ("A", "B", "C"), ("1", "2"), ("AP", "RR"))).of("AP", "RR"), 4)
    0.3333
    """
    result = similarity_result(scores, also=also, alpha=alpha, subsets=subsets, seed=seed)
    check_two_metrics(scores)
    return result


def similarity_result(
    scores: Scores, *, also: Sequence[str] = (), alpha: float = 0.05, subsets: int = 200, seed: int = 0
) -> Similarity:
    """How similarly the metrics rank systems; there may be only one metric."""
    checked_alpha(alpha)
    complete = complete_scores(scores, "Similarity")
    rank = rank_codes(complete.means.T, complete.noise)  # [metric, system]
    tau = tau_matrices(rank)
    systems = len(complete.scores.systems)
    low, high = fieller(tau, systems, alpha=alpha)
    notes = list(complete.notes)
    if systems <= 4:
        notes.append(f"no interval by Fieller: it needs at least five systems, and there are {systems}.")
    return Similarity(
        metrics=complete.scores.metrics,
        systems=complete.scores.systems,
        topics=len(complete.scores.topics),
        alpha=alpha,
        seed=seed,
        mean=complete.means,
        tau=tau,
        low=low,
        high=high,
        error=_errors(complete, subsets, seed),
        also=tuple(also),
        other=_further_coefficients(rank, also, complete.constant),
        constant=complete.constant,
        order=_tree_order(tau),
        notes=tuple(notes),
    )


def _errors(complete: CompleteScores, subsets: int, seed: int) -> Floats:
    """[metric, metric] the standard error of tau when topics are left out, half of them at a time."""
    systems, topics, metrics = complete.values.shape
    out = topics // 2  # tau changes in jumps, so leaving out fewer would make the error too large
    kept = kept_topics(topics, out, subsets, seed) / (topics - out)  # [subset, topic]
    work = [kept[part] for part in slices(len(kept), ELEMENTS // (metrics * systems**2))]
    tau = np.concatenate(map_blocks(_subset_taus, work, (complete.values, complete.noise), doing="correlating"))
    return jackknife_error(tau, topics, out)


def _subset_taus(weight: Floats, shared: tuple[Floats, Floats]) -> Floats:
    """[subset, metric, metric] tau-b of the rankings by means over topics with these weights [subset, topic]."""
    values, noise = shared  # [system, topic, metric], [metric]
    systems, topics, metrics = values.shape
    by_topic = values.swapaxes(0, 1).reshape(topics, -1)
    mean = (weight @ by_topic).reshape(-1, systems, metrics).swapaxes(1, 2)  # [subset, metric, system]
    rank = rank_codes(mean.reshape(-1, systems), np.tile(noise, len(mean)))
    return tau_matrices(rank.reshape(mean.shape))


def _further_coefficients(rank: RankCodes, also: Sequence[str], constant: Bools) -> Floats:
    """[coefficient, metric, metric] further coefficients of every two rankings; NaN if one metric is constant."""
    values = np.full((len(also), len(rank), len(rank)), np.nan)
    usable = np.flatnonzero(~constant)
    first, second = (usable[i] for i in np.triu_indices(len(usable)))
    for c, name in enumerate(also):
        value = COEFFICIENTS[name](rank[first].astype(np.float64), rank[second].astype(np.float64))
        values[c, first, second] = values[c, second, first] = value
    return values


def _tree_order(tau: Floats) -> tuple[int, ...]:
    """The positions of the metrics in the order of a tree that joins similar ones first; constant ones last."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    usable = np.flatnonzero(~np.isnan(tau.diagonal()))
    rest = np.flatnonzero(np.isnan(tau.diagonal())).tolist()
    if len(usable) < 3:
        return (*usable.tolist(), *rest)
    distance = 1 - tau[np.ix_(usable, usable)]
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance.clip(min=0.0), checks=False), "average", optimal_ordering=True)
    return (*usable[leaves_list(tree)].tolist(), *rest)
