"""Consistency: whether a metric ranks the systems alike on two halves of the topics."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.meta.complete import CompleteScores, complete_scores, level
from irassay.metrics.grids import browsing
from irassay.parallel import Progress, map_blocks
from irassay.prose import counted
from irassay.results import Result
from irassay.scores import Scores, positions
from irassay.stats.jackknife import jackknife_error, kept_topics
from irassay.stats.paired import ELEMENTS
from irassay.stats.rank_codes import places, taus
from irassay.stats.tests import pvalues

GroupBy = Literal["none", "browse"]

SPLITS_WITHOUT = 30  # splits of what is left when some topics are left out


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(Result):
    """Kendall's tau between the rankings of the systems on two halves of the topics, over many splits."""

    saved_as: ClassVar[str] = "consistency"
    metrics: tuple[str, ...]
    systems: int
    topics: int
    seed: int
    alpha: float
    tau: Floats  # [split, metric] tau-b; NaN where all systems tie in a half
    covariance: Floats  # [metric, metric] of the mean taus over topics, by the jackknife
    constant: Bools  # [metric] every system has the same mean
    group: tuple[str, ...]  # [metric] what the metric is compared within; '' for all with all
    p: Floats  # [metric, metric] randomised HSD over the splits; NaN unless asked for, and between groups
    notes: tuple[str, ...] = ()

    @property
    def mean(self) -> Floats:
        """[metric] the mean tau over the splits; NaN for a constant metric."""
        return _mean(self.tau)

    @property
    def sd(self) -> Floats:
        """[metric] the standard deviation of tau over the splits."""
        spread = (self.tau - self.mean) ** 2
        return np.sqrt(np.nansum(spread, axis=0) / np.maximum(1, self.valid - 1)) + 0 * self.mean

    @property
    def valid(self) -> Ints:
        """[metric] how many splits have a tau."""
        return np.count_nonzero(~np.isnan(self.tau), axis=0)

    @property
    def error(self) -> Floats:
        """[metric] the standard error of the mean tau over topics, by the jackknife."""
        return np.sqrt(np.maximum(0.0, self.covariance.diagonal()))

    def interval(self) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of the mean tau that topics would give at 1 - alpha."""
        reach = _normal(self.alpha) * self.error
        return np.maximum(-1.0, self.mean - reach), np.minimum(1.0, self.mean + reach)

    def difference(self, one: str, other: str) -> tuple[float, float, float]:
        """How much more consistent one metric is than the other, and the interval of that over topics."""
        a, b = positions("metric", self.metrics, (one, other))
        gap = float(self.mean[a] - self.mean[b])
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        reach = _normal(self.alpha) * math.sqrt(max(0.0, variance))
        return gap, gap - reach, gap + reach

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their mean tau, the most consistent first; constant ones last."""
        order = np.argsort(-np.nan_to_num(self.mean, nan=-np.inf), kind="stable")
        return [(self.metrics[m], float(self.mean[m])) for m in order]

    @property
    def compared(self) -> bool:
        """Whether the randomised HSD over the splits was asked for."""
        return not bool(np.isnan(self.p).all())

    def beats(self) -> Ints:
        """[metric] k where the metric is significantly better than each of the worst k of its group."""
        found = np.zeros(len(self.metrics), dtype=np.int64)
        for m in range(len(self.metrics)):
            rivals = [i for i in range(len(self.metrics)) if i != m and not np.isnan(self.p[m, i])]
            for i in sorted(rivals, key=lambda i: self.mean[i]):
                if not (self.p[m, i] < self.alpha and self.mean[m] > self.mean[i]):
                    break
                found[m] += 1
        return found


def consistency(
    scores: Scores,
    *,
    splits: int = 1000,
    halves: Bools | None = None,
    compat: bool = False,
    group_by: GroupBy = "none",
    trials: int = 2000,
    alpha: float = 0.05,
    subsets: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Consistency:
    """Splits the topics in halves many times, the same for all metrics, and correlates the two rankings.

    This is algorithm 1 of chen2023 [sakai2021]. Intervals come from leaving out a fifth of the topics at a time.
    `compat` adds the randomised HSD over splits that the papers report. `halves` [split, topic] gives the splits,
    true for the topics of the first half.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.4, 0.5, 0.4, 0.8]])[:, :, None]
    >>> consistency(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), splits=10).ranked()
    [('AP', 1.0)]
    """
    if splits < 1:
        raise InputError(f"Consistency needs at least one split; found {splits}.")
    level(alpha)
    made = complete_scores(scores, "Consistency", topics=4)
    topics = len(made.scores.topics)
    first = split_halves(topics, splits, seed) if halves is None else _given(halves, topics)
    tau = half_taus(made, first, ~first, jobs, progress)
    group = tuple(map(browsing, made.scores.metrics)) if group_by == "browse" else ("",) * len(made.scores.metrics)
    p, said = _compared(tau, group, trials, seed) if compat else (np.full((tau.shape[1],) * 2, np.nan), [])
    lost = np.count_nonzero(np.isnan(tau[:, ~made.constant]), axis=0)
    if lost.any():
        said.append(f"A metric lost up to {lost.max()} of {counted(len(tau), 'split')}: all systems tie in a half.")
    return Consistency(
        metrics=made.scores.metrics,
        systems=len(made.scores.systems),
        topics=topics,
        seed=seed,
        alpha=alpha,
        tau=tau,
        covariance=_covariance(made, subsets, seed, jobs),
        constant=made.constant,
        group=group,
        p=p,
        notes=(*made.notes, *said),
    )


def split_halves(topics: int, splits: int, seed: int) -> Bools:
    """[split, topic] true for the floor(T/2) topics of the first half, each split drawn at random.

    >>> split_halves(5, 2, seed=0).sum(axis=1)
    array([2, 2])
    """
    drawn = np.random.default_rng(seed).random((splits, topics))
    first = np.zeros((splits, topics), dtype=np.bool_)
    np.put_along_axis(first, np.argsort(drawn, axis=1)[:, : topics // 2], True, axis=1)
    return first


def half_taus(
    made: CompleteScores, first: Bools, second: Bools, jobs: int = 1, progress: Progress | None = None
) -> Floats:
    """[split, metric] tau-b between the rankings by mean over two sets of topics [split, topic]."""
    weights = [half / half.sum(axis=1, keepdims=True) for half in (first, second)]
    noise = made.noise  # [metric]
    values = np.ascontiguousarray(made.values.transpose(2, 1, 0))  # [metric, topic, system]
    step = max(1, ELEMENTS // 2 // values.shape[2])
    work = [(m, slice(s, s + step)) for m in range(len(values)) for s in range(0, len(first), step)]

    def block(place: tuple[int, slice]) -> Floats:
        m, rows = place
        one, other = (places(weight[rows] @ values[m], noise[m]) for weight in weights)
        return taus(one, other)

    found = map_blocks(block, work, jobs, progress=progress)
    return np.concatenate(found).reshape(len(values), len(first)).T


def _covariance(made: CompleteScores, subsets: int, seed: int, jobs: int) -> Floats:
    """[metric, metric] the delete-d jackknife covariance of the mean taus, a fifth of the topics left out.

    What is left is split some times only, so that the means carry the noise of the splits; it is subtracted.
    """
    topics, metrics = len(made.scores.topics), len(made.scores.metrics)
    out = max(1, min(round(topics / 5), topics - 2))
    kept = kept_topics(topics, out, subsets, seed)
    rows = np.repeat(kept, SPLITS_WITHOUT, axis=0)  # [subset and split, topic]
    drawn = np.where(rows, np.random.default_rng([seed, 1]).random(rows.shape), np.inf)
    first = np.zeros(rows.shape, dtype=np.bool_)
    np.put_along_axis(first, np.argsort(drawn, axis=1)[:, : (topics - out) // 2], True, axis=1)
    tau = half_taus(made, first, rows & ~first, jobs).reshape(len(kept), SPLITS_WITHOUT, metrics)
    mean = _mean(tau.swapaxes(0, 1))  # [subset, metric]
    mean = np.where(np.isnan(mean), _mean(mean), mean)
    within = np.where(np.isnan(tau), 0.0, tau - mean[:, None])
    noise = np.einsum("gsa,gsb->ab", within, within) / (len(kept) * (SPLITS_WITHOUT - 1) * SPLITS_WITHOUT)
    between = mean - mean.mean(axis=0)
    spread = jackknife_error(mean, topics, out) ** 2  # [metric] the diagonal, as the jackknife has it
    scale = (topics - out) / out
    whole = scale * (between.T @ between / len(kept) - noise * (1 - 1 / len(kept)))
    np.fill_diagonal(whole, np.clip(whole.diagonal(), 0.0, spread))
    return whole


def _compared(tau: Floats, group: tuple[str, ...], trials: int, seed: int) -> tuple[Floats, list[str]]:
    """[metric, metric] p-values of the randomised HSD with splits as blocks, within each group."""
    p = np.full((tau.shape[1],) * 2, np.nan)
    alone = 0
    for name in dict.fromkeys(group):
        members = np.array([m for m, g in enumerate(group) if g == name and not np.isnan(tau[:, m]).all()], dtype=int)
        if len(members) < 2:
            alone += len(members)
            continue
        whole = tau[:, members]
        whole = whole[~np.isnan(whole).any(axis=1)]
        if len(whole) < 2:
            alone += len(members)
            continue
        found = pvalues(whole, "tukey", trials=trials, seed=seed, compat=True)
        p[members[found.i], members[found.j]] = found.p
        p[members[found.j], members[found.i]] = found.p
    said = [
        "The p-values over splits shrink without bound as splits are added, because all splits share the same "
        "topics: they say how precisely the mean tau was computed, not what other topics would show. The intervals do.",
        "Randomised HSD has one threshold for all metrics of a group, which one very inconsistent metric raises: its "
        "verdicts depend on the metrics included.",
    ]
    if alone:
        said.append(f"{alone} metrics have no other of their group to be compared with.")
    return p, said


def _given(halves: Bools, topics: int) -> Bools:
    first = np.asarray(halves, dtype=np.bool_)
    if first.ndim != 2 or first.shape[1] != topics or not first.any(axis=1).all() or first.all(axis=1).any():
        raise InputError(
            f"The splits must say of each of {topics} topics whether it is in the first half, and leave some for the "
            f"second; found shape {first.shape}."
        )
    return first


def _mean(tau: Floats) -> Floats:
    """The mean over the first axis of what is a number; NaN where nothing is."""
    known = np.count_nonzero(~np.isnan(tau), axis=0)
    with np.errstate(invalid="ignore"):
        return np.nansum(tau, axis=0) / known


def _normal(alpha: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - alpha / 2))
