"""Consistency: whether a metric ranks systems the same on two halves of the topics."""

import math
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import CompleteScores, best_first, checked_alpha, complete_scores, mean_of_known
from irassay.meta.shared_options import Alpha, Seed, Splits, Subsets
from irassay.meta.split_taus import first_halves, half_taus, split_halves, tau_selection
from irassay.method import method
from irassay.metrics.grids import browsing_model
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.jackknife import jackknife_error, kept_topics, normal_critical
from irassay.stats.levels import alpha_of_level
from irassay.stats.paired_test import PairedTest
from irassay.stats.selection import Selection

GroupBy = Literal["none", "browse"]

JACKKNIFE_SPLITS = 30  # splits of the topics that remain when some are left out


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(Result):
    """Kendall's tau between the rankings of the systems on two halves of the topics, over many splits."""

    saved_as: ClassVar[str] = "consistency"

    metrics: tuple[str, ...]
    systems: int
    topics: int
    seed: int
    alpha: float
    tau: Floats  # [split, metric] tau-b; NaN if all systems tie in a half
    covariance: Floats  # [metric, metric] of the mean taus over topics, by the jackknife
    constant: Bools  # [metric] every system has the same mean
    group: tuple[str, ...]  # [metric] the group within which it is compared; '' if all are compared
    p: Floats  # [metric, metric] randomised HSD over the splits; NaN without compat, and between groups
    drawn_error: Floats = field(default_factory=lambda: np.array(np.nan))  # [metric] Monte Carlo error of `error`
    selection: Selection | None = None  # of the metrics; None for given splits, and in files of earlier versions

    @property
    def mean(self) -> Floats:
        """[metric] the mean tau over the splits; NaN for a constant metric."""
        return mean_of_known(self.tau)

    @property
    def sd(self) -> Floats:
        """[metric] the standard deviation of tau over the splits."""
        spread = (self.tau - self.mean) ** 2
        return np.sqrt(np.nansum(spread, axis=0) / np.maximum(1, self.valid - 1)) + 0 * self.mean

    @property
    def valid(self) -> Ints:
        """[metric] the number of splits that have a tau."""
        return np.count_nonzero(~np.isnan(self.tau), axis=0)

    @property
    def error(self) -> Floats:
        """[metric] the standard error of the mean tau over topics, by the jackknife."""
        return np.sqrt(np.maximum(0.0, self.covariance.diagonal()))

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of the mean tau over topics, by default at 1 - alpha."""
        reach = normal_critical(alpha_of_level(level, self.alpha)) * self.error
        return np.maximum(-1.0, self.mean - reach), np.minimum(1.0, self.mean + reach)

    def monte_carlo_error(self, level: float | None = None) -> Floats:
        """[metric] the standard deviation of an end of the interval over seeds."""
        reach = normal_critical(alpha_of_level(level, self.alpha)) * self.drawn_error
        return np.sqrt(self.sd**2 / np.maximum(1, self.valid) + reach**2)

    def difference(self, one: str, other: str, pairs: int = 1) -> tuple[float, float, float]:
        """The consistency of one metric minus that of the other, and the ends of its interval over topics.

        The intervals of this many `pairs` hold together, by Bonferroni.
        """
        a, b = positions("metric", self.metrics, (one, other))
        gap = float(self.mean[a] - self.mean[b])
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        reach = normal_critical(self.alpha / pairs) * math.sqrt(max(0.0, variance))
        return gap, gap - reach, gap + reach

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their mean tau, the most consistent first; constant ones last."""
        return best_first(self.metrics, self.mean)

    @property
    def compared(self) -> bool:
        """Whether there are p-values of the randomised HSD over the splits."""
        return not bool(np.isnan(self.p).all())

    def beats(self) -> Ints:
        """[metric] the largest k for which the metric is significantly better than each of the worst k of its group."""
        worst_first = np.argsort(self.mean, kind="stable")
        p, rival_mean = self.p[:, worst_first], self.mean[worst_first]  # [metric, rival], [rival]
        is_rival = ~np.isnan(p)  # of the same group, and not the metric itself
        is_beaten = (p < self.alpha) & (self.mean[:, None] > rival_mean)
        return np.count_nonzero(is_rival & np.logical_and.accumulate(is_beaten | ~is_rival, axis=1), axis=1)


def check_group_by(group_by: str, compat: bool) -> None:
    """Refuses groups without the test over splits that compares metrics within them."""
    if group_by != "none" and not compat:
        raise InputError(argument("group_by"), " works only with ", argument("compat"), "; add that or leave it out.")


@method(
    "Does a metric rank systems the same on other topics?",
    cite="chen2023 sakai2021 shao1989",
    affine=True,
    check=check_group_by,
    least_runs=2,
    examples=("irassay meta consistency qrels.txt runs/ -m nDCG@10 -m AP",),
)
def consistency(
    scores: Scores,
    *,
    splits: Splits = 1000,
    compat: Annotated[
        bool, Option("Follow the papers: also test with randomised HSD over splits.", panel="Testing")
    ] = False,
    group_by: Annotated[GroupBy, "With compat: compare metrics with the same browsing model only."] = "none",
    alpha: Alpha = 0.05,
    subsets: Subsets = 100,
    seed: Seed = 0,
) -> Consistency:
    """Measure how consistently metrics rank systems on other topics: tau between halves (chen2023, section 5).

    The topics are split into halves many times, in the same way for all metrics, and the rankings on the two halves are
    correlated: algorithm 1 of chen2023 [sakai2021]. Intervals come from leaving out a fifth of the topics at a time.
    All pairs of metrics are compared at once, as in a report: by what each topic contributes, and random signs of these
    contributions. `compat` adds the randomised HSD over splits that the papers report.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.4, 0.5, 0.4, 0.8]])[:, :, None]
    >>> consistency(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), splits=10).ranked()
    [('AP', 1.0)]
    """
    complete = complete_scores(scores, "Consistency", topics=4)
    first = split_halves(len(complete.scores.topics), splits, seed)
    found = split_consistency(
        complete, first, compat=compat, group_by=group_by, alpha=alpha, subsets=subsets, seed=seed
    )
    return replace(found, selection=tau_selection(complete, found.mean, alpha, seed))


def split_consistency(
    complete: CompleteScores,
    first: Bools,
    *,
    compat: bool = False,
    group_by: GroupBy = "none",
    trials: int = 2000,
    alpha: float = 0.05,
    subsets: int = 100,
    seed: int = 0,
) -> Consistency:
    """The consistency over these splits [split, topic], which are true for the topics of the first half."""
    checked_alpha(alpha)
    topics = len(complete.scores.topics)
    first = np.asarray(first, dtype=np.bool_)
    if first.ndim != 2 or first.shape[1] != topics or not first.any(axis=1).all() or first.all(axis=1).any():
        raise InputError(f"Splits must be an array [split, {topics}], topics in both halves; found {first.shape}.")
    tau = half_taus(complete, first, ~first)
    metrics = complete.scores.metrics
    group = tuple(map(browsing_model, metrics)) if group_by == "browse" else ("",) * len(metrics)
    p, notes = _split_tests(tau, group, trials, seed) if compat else (np.full((tau.shape[1],) * 2, np.nan), [])
    lost = np.count_nonzero(np.isnan(tau[:, ~complete.constant]), axis=0)
    covariance, drawn_error = _covariance(complete, subsets, seed)
    if lost.any():
        splits = count_phrase(len(tau), "split")
        notes.append(f"A metric lost up to {lost.max()} of {splits}, in which all systems tie in a half.")
    return Consistency(
        metrics=metrics,
        systems=len(complete.scores.systems),
        topics=topics,
        seed=seed,
        alpha=alpha,
        tau=tau,
        covariance=covariance,
        constant=complete.constant,
        group=group,
        p=p,
        drawn_error=drawn_error,
        notes=(*complete.notes, *notes),
    )


def _covariance(complete: CompleteScores, subsets: int, seed: int) -> tuple[Floats, Floats]:
    """[metric, metric] the delete-d jackknife covariance of the mean taus, and [metric] the error of its root.

    A fifth of the topics is left out at a time. The rest is split only a few times, which adds the noise of the splits
    to the means; it is subtracted.
    """
    topics, metrics = len(complete.scores.topics), len(complete.scores.metrics)
    out = max(1, min(round(topics / 5), topics - 2))
    kept = kept_topics(topics, out, subsets, seed)
    rows = np.repeat(kept, JACKKNIFE_SPLITS, axis=0)  # [subset and split, topic]
    keys = np.where(rows, np.random.default_rng([seed, 1]).random(rows.shape), np.inf)
    first = first_halves(keys, (topics - out) // 2)
    tau = half_taus(complete, first, rows & ~first).reshape(len(kept), JACKKNIFE_SPLITS, metrics)
    mean = mean_of_known(tau.swapaxes(0, 1))  # [subset, metric]
    mean = np.where(np.isnan(mean), mean_of_known(mean), mean)
    within = np.where(np.isnan(tau), 0.0, tau - mean[:, None])
    noise = np.einsum("gsa,gsb->ab", within, within) / (len(kept) * (JACKKNIFE_SPLITS - 1) * JACKKNIFE_SPLITS)
    between = mean - mean.mean(axis=0)
    spread = jackknife_error(mean, topics, out) ** 2  # [metric] the diagonal of the plain jackknife
    scale = (topics - out) / out
    covariance = scale * (between.T @ between / len(kept) - noise * (1 - 1 / len(kept)))
    np.fill_diagonal(covariance, np.clip(covariance.diagonal(), 0.0, spread))
    variance = (within**2).sum(axis=1) / ((JACKKNIFE_SPLITS - 1) * JACKKNIFE_SPLITS)  # [subset, metric] of the means
    if math.comb(topics, out) <= subsets:  # all subsets are used, and only the splits are random
        drawn_error = np.sqrt((4 * between**2 * variance + 2 * variance**2).mean(axis=0) / len(kept))
    else:
        drawn_error = (between**2 - variance).std(axis=0) / math.sqrt(len(kept))
    variances = covariance.diagonal()
    return covariance, np.sqrt(variances + scale * drawn_error) - np.sqrt(variances)


def _split_tests(tau: Floats, group: tuple[str, ...], trials: int, seed: int) -> tuple[Floats, list[str]]:
    """[metric, metric] p-values of the randomised HSD with splits as blocks, within each group, and notes on them."""
    p = np.full((tau.shape[1],) * 2, np.nan)
    alone = 0
    for name in dict.fromkeys(group):
        members = np.array([m for m, g in enumerate(group) if g == name and not np.isnan(tau[:, m]).all()], dtype=int)
        blocks = tau[~np.isnan(tau[:, members]).any(axis=1)][:, members]
        if len(members) < 2 or len(blocks) < 2:
            alone += len(members)
            continue
        pairs = PairedTest("tukey", trials=trials, seed=seed, compat=True).run(blocks.T[:, :, None])[0].metric(0)
        i, j = members[pairs.i], members[pairs.j]
        p[i, j] = p[j, i] = pairs.p
    notes = [
        "The p-values over splits shrink without bound as splits are added, because all splits share the same topics: "
        "they tell how precisely the mean tau was computed, not what other topics would show. The intervals do.",
        "Randomised HSD has one threshold for all metrics of a group, which one very inconsistent metric raises, so "
        "its verdicts depend on the metrics included.",
    ]
    if alone:
        verb = "has" if alone == 1 else "have"
        notes.append(f"{count_phrase(alone, 'metric')} {verb} no other metric of the same group to be compared with.")
    return p, notes
