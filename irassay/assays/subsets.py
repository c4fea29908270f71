"""Criteria on subsets of the topics: significance at a fixed critical value, and agreement."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.meta.complete_scores import CompleteScores, mean_of_known
from irassay.parallel import check_cancelled, map_blocks
from irassay.stats.jackknife import student_critical
from irassay.stats.paired_test import find_test
from irassay.stats.rank_codes import RankCodes, rank_codes, tau_matrices, taus

if TYPE_CHECKING:  # methods are listed in the order in which they are imported
    from irassay.meta.discrimination import Discrimination

CELLS = 1 << 23  # of an array [subset, metric, system, system] at a time
SLACK = 1e-9  # relative, so that rounding does not decide if a t or a difference equals the critical value
SPLITS_OF_A_HALF = 6  # splits of a half of the topics
MIN_NOISE = 0.05  # of a metric's mean noise: topics with less count as having this much


@dataclass(frozen=True)
class SignificanceRule:
    """When a difference is significant on a set of topics, with the critical value of the test on all topics.

    HSD has one critical difference, which is scaled by the square root of all topics / topics kept. A test of all pairs
    together by t keeps its critical t. Tests of single pairs, also by ranks, signs or resamples, use Student's t at the
    largest p-value that was significant after correction.
    """

    topics: int
    level: Floats  # [metric] difference, |t| or p-value
    unit: str  # 'difference', 't' or 'p'

    def critical_value(self, m: int, kept: int) -> float:
        """The difference, or |t|, that must be exceeded on `kept` topics."""
        level = float(self.level[m])
        if self.unit == "difference":
            return level * math.sqrt(self.topics / kept)
        if self.unit == "t":
            return level
        from scipy.special import stdtrit

        return float(stdtrit(kept - 1, 1 - level / 2)) if level > 0 else math.inf


def significance_rule(power: "Discrimination", values: Floats, alpha: float) -> SignificanceRule:
    """The rule of the test of all topics at a level, for scores [system, topic, metric]."""
    threshold = power.threshold[power.levels.index(alpha)]
    if find_test(power.test).one_threshold:
        return SignificanceRule(power.topics, threshold, "difference")
    error = np.stack([_errors(values[:, :, m]) for m in range(values.shape[2])], axis=1)  # [pair, metric]
    error[error <= TIE * np.ptp(values, axis=(0, 1))] = 0.0  # differences without spread, but for rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(power.difference) / error
    smallest_t = np.where((power.p < alpha) & (error > 0), t, np.inf).min(axis=0) * (1 - SLACK)
    if find_test(power.test).family:
        with np.errstate(divide="ignore", invalid="ignore"):
            critical = np.where(np.isfinite(threshold), threshold / np.median(error, axis=0), np.inf) * (1 + SLACK)
        level = np.fmin(smallest_t, critical)
        # If no significant difference has any spread: the Bonferroni bound for this many pairs.
        no_spread = ~np.isfinite(level) & (power.p < alpha).any(axis=0)
        bonferroni = student_critical(alpha / len(power.p), power.topics)
        return SignificanceRule(power.topics, np.where(no_spread, bonferroni, level), "t")
    if power.correction == "none":
        return SignificanceRule(power.topics, np.full(len(threshold), alpha), "p")
    from scipy.special import stdtr

    largest_p = 2 * stdtr(power.topics - 1, -smallest_t)
    return SignificanceRule(power.topics, np.where(largest_p > 0, largest_p, alpha / len(power.p)), "p")


def _errors(scores: Floats) -> Floats:
    """[pair] the standard error of the mean difference of every two systems, of scores [system, topic]."""
    first, second = np.triu_indices(len(scores), k=1)
    return (scores[first] - scores[second]).std(axis=1, ddof=1) / math.sqrt(scores.shape[1])


Bounds = Callable[[int, Ints], tuple[Floats, Floats]]  # of metric, pairs: [pair, topic] smallest, largest difference


def resolved_shares(
    values: Floats, bounds: Bounds | None, among: int, noise: Floats, kept: Bools, rule: SignificanceRule
) -> Floats:
    """[2, subset, metric] the shares of pairs that are significant, and that stay so under both bounds.

    Given are scores [system, topic, metric] and subsets of the topics [subset, topic]. The first `among` metrics have
    bounds of the differences: a pair is resolved if the smallest and the largest difference that missing judgements
    allow are significant too, with the same sign. For other metrics both shares are the same.
    """
    shared = values, bounds, among, noise, kept, rule
    return np.stack(map_blocks(_metric_shares, range(values.shape[2]), shared, doing="profiling"), axis=2)


def _metric_shares(m: int, shared: tuple[Floats, Bounds | None, int, Floats, Bools, SignificanceRule]) -> Floats:
    """[2, subset] as `resolved_shares`, for one metric."""
    values, bounds, among, noise, kept, rule = shared
    bounds = bounds if m < among else None
    topics = kept.T.astype(np.float64)  # [topic, subset]
    n = kept.sum(axis=1)
    starts = np.cumsum([0, *range(len(values) - 1, 0, -1)])  # pairs are ordered by their first system
    largest = max(float(np.abs(values[:, :, m]).max()), np.finfo(float).tiny)
    scale = 2.0 ** -int(np.clip(np.frexp(largest)[1], -1000, 1000))
    shares = np.zeros((2, len(kept)))
    by_size = {size: rule.critical_value(m, size) for size in set(n.tolist())}
    limit = np.array([by_size[size] for size in n.tolist()])
    if not np.isfinite(limit).all():
        return shares
    floor = n * noise[m] * scale
    # With S the sum of n gaps and Q that of their squares, |t| > c is S² > Q n c² / (n - 1 + c²).
    needed = np.vstack([topics * (n * limit**2 / (n - 1 + limit**2)), floor**2])

    def significant(size: Floats, gap: Floats) -> Bools:
        """[pair, subset] from the sums of gaps and the gaps [pair, topic]."""
        if rule.unit == "difference":
            return np.abs(size) > np.maximum(floor, n * limit * scale * (1 - SLACK))
        squares = np.ones((len(gap), len(needed)))
        np.square(gap, out=squares[:, :-1])
        return size * size > squares @ needed

    rows = np.ascontiguousarray(values[:, :, m]) * scale  # so that no square overflows or underflows
    sums = rows @ topics  # [system, subset]
    for i, start in enumerate(starts[:-1]):
        check_cancelled()
        size = sums[i] - sums[i + 1 :]
        resolved = significant(size, rows[i] - rows[i + 1 :])
        shares[0] += resolved.sum(axis=0)
        if bounds is None:
            continue
        candidates = np.flatnonzero(resolved.any(axis=1))  # the others are resolved on no subset
        resolved, up = resolved[candidates], size[candidates] > 0
        ends = np.stack(bounds(m, start + candidates)) * scale
        ends[:, ~up[:, 0]] = ends[::-1, ~up[:, 0]]  # the bound nearer to 0 first, which leaves few pairs
        for end in range(2):
            gap = ends[end]
            moved = gap @ topics
            resolved &= significant(moved, gap) & ((moved > 0) == up)
            left = resolved.any(axis=1)
            resolved, up, ends = resolved[left], up[left], ends[:, left]
        shares[1] += resolved.sum(axis=0)
    if bounds is None:
        shares[1] = shares[0]
    return shares / starts[-1]


def outer_bounds(lowest: Floats, largest: Floats) -> Bounds:
    """Bounds of differences from bounds of scores [system, topic, metric]: one's lowest minus the other's highest."""
    return partial(_outer_ends, lowest, largest, *np.triu_indices(len(lowest), k=1))


def _outer_ends(
    lowest: Floats, largest: Floats, first: Ints, second: Ints, m: int, pairs: Ints
) -> tuple[Floats, Floats]:
    i, j = first[pairs], second[pairs]
    return lowest[i, :, m] - largest[j, :, m], largest[i, :, m] - lowest[j, :, m]


def twin_groups(made: CompleteScores) -> Ints:
    """[metric] the number of its group of twins: metrics that order the systems in the same way on every topic."""
    codes = [rank_codes(made.values[:, :, m].T, noise) for m, noise in enumerate(made.scores.noise())]
    same = np.array([[np.array_equal(one, other) for other in codes] for one in codes])
    return np.argmax(same, axis=1)


def agreement_on(made: CompleteScores, kept: Bools, groups: Ints) -> Floats:
    """[subset, metric] the mean tau-b with the other groups of twins, by means over each subset.

    The first metrics are in these groups [metric], and a group counts once; the others, if any, are in none.
    """
    weight = kept / kept.sum(axis=1, keepdims=True)
    noise = made.noise
    codes = np.stack([rank_codes(weight @ made.values[:, :, m].T, noise[m]) for m in range(len(noise))], axis=1)
    step = max(1, CELLS // codes[0].size // codes.shape[2])
    blocks = [codes[s : s + step] for s in range(0, len(codes), step)]
    tau = np.concatenate(map_blocks(_subset_taus, blocks, doing="profiling"))[:, :, : len(groups)]
    first = np.unique(groups)  # the first metric of each group, which stands for it
    group_taus = np.stack([mean_of_known(np.moveaxis(tau[:, :, groups == g], 2, 0)) for g in first], axis=2)
    for m, group in enumerate(groups):
        group_taus[:, m, first == group] = np.nan
    return mean_of_known(np.moveaxis(group_taus, 2, 0))


def _subset_taus(codes: RankCodes, shared: None) -> Floats:
    """[subset, metric, metric] tau-b of rank codes [subset, metric, system]."""
    return tau_matrices(codes)


def order_agreement(one: Floats, other: Floats, noise: Floats, kept: Bools) -> Floats:
    """[subset, metric] tau-b of the rankings by two cubes [system, topic, metric], by means over each subset.

    NaN if a subset has no topic.
    """
    with np.errstate(invalid="ignore"):
        weight = kept / kept.sum(axis=1, keepdims=True)
    found = np.full((len(kept), one.shape[2]), np.nan)
    some = kept.any(axis=1)
    for m in range(one.shape[2]):
        codes = (rank_codes(weight[some] @ cube[:, :, m].T, noise[m]) for cube in (one, other))
        found[some, m] = taus(*codes)
    return found


def steadiness_on(made: CompleteScores, kept: Bools, seed: int) -> Floats:
    """[subset, metric] the mean tau-b between the rankings on two halves of each subset, over some splits."""
    from irassay.meta.consistency import half_taus

    rows = np.repeat(kept, SPLITS_OF_A_HALF, axis=0)
    drawn = np.where(rows, np.random.default_rng([seed, 2]).random(rows.shape), np.inf)
    first = np.zeros(rows.shape, dtype=np.bool_)
    half = int(kept[0].sum()) // 2
    np.put_along_axis(first, np.argsort(drawn, axis=1)[:, :half], True, axis=1)
    tau = half_taus(made, first, rows & ~first).reshape(len(kept), SPLITS_OF_A_HALF, -1)
    known = np.count_nonzero(~np.isnan(tau), axis=1)
    with np.errstate(invalid="ignore"):
        return np.nansum(tau, axis=1) / known


def fixed_split_taus(made: CompleteScores, sets: Bools, splits: int, seed: int) -> Floats:
    """[set, left out, metric] the mean tau-b between halves of the topics, for sets [set, left out, topic].

    All splits of a set's topics, the first of its subsets, stay fixed when a topic is left out, so that only this topic
    changes the mean.
    """
    from irassay.meta.consistency import half_taus

    keys = np.random.default_rng([seed, 3]).random((len(sets), splits, sets.shape[2]))
    order = np.argsort(np.where(sets[:, :1], keys, np.inf), axis=2)
    first = np.zeros(order.shape, dtype=np.bool_)
    np.put_along_axis(first, order[:, :, : int(sets[0, 0].sum()) // 2], True, axis=2)
    halves = [(kept[:, :, None] & sets[:, None]).reshape(-1, sets.shape[2]) for kept in (first, ~first)]
    tau = half_taus(made, halves[0], halves[1]).reshape(len(sets), splits, sets.shape[1], -1)
    return mean_of_known(tau.swapaxes(0, 1))


def excess_error_of_tau(values: Floats) -> float:
    """How many times the delete-one error of a difference of two taus between halves is taken to be too large.

    Topics interact in tau between halves, and the jackknife counts an interaction of two topics twice. Its error is 1.2
    to 1.6 times too large if a metric's noise is alike on all topics, but hardly too large or even too small if some
    topics are much noisier by one metric than by another. So it depends on how unlike the noise is.

    >>> x = np.random.default_rng(0).normal(size=(30, 40, 2))
    >>> unlike = np.where(np.arange(40)[:, None] % 2 == np.arange(2), 3.0, 1.0)  # noise [topic, metric]
    >>> round(excess_error_of_tau(x), 2), round(excess_error_of_tau(x * unlike), 2)
    (1.32, 0.85)
    """
    return float(np.clip(1.4 - 0.7 * unlike_noise(values), 0.8, 1.35))


def unlike_noise(values: Floats) -> float:
    """The spread of the log of the noise [topic, metric] about its means by topic and by metric.

    The noise of scores [system, topic, metric] is their standard deviation about the means of systems and topics. On
    real collections its log spreads by 0.2 to 0.4.

    >>> unlike_noise(np.random.default_rng(0).normal(size=(30, 40, 1)))  # there is nothing to be unlike
    0.0
    """
    largest = np.abs(values).max(axis=(0, 1))
    scaled = values / np.where(largest > 0, largest, 1.0)  # so that no square overflows
    residual = scaled - scaled.mean(axis=1, keepdims=True)
    noise = (residual - residual.mean(axis=0)).std(axis=0)  # [topic, metric]
    noise = noise[:, noise.mean(axis=0) > TIE]
    topics, metrics = noise.shape
    if metrics < 2:
        return 0.0
    log_noise = np.log(np.maximum(noise, MIN_NOISE * noise.mean(axis=0)))
    log_noise -= log_noise.mean(axis=0)
    log_noise -= log_noise.mean(axis=1, keepdims=True)
    return math.sqrt((log_noise**2).sum() / ((topics - 1) * (metrics - 1)))


def by_size(function: Callable[[Bools], Floats], kept: Bools) -> Floats:
    """The results of a function of subsets of one size, for subsets of several sizes."""
    sizes = kept.sum(axis=1)
    parts = {size: function(kept[sizes == size]) for size in np.unique(sizes)}
    found = np.empty((len(kept), next(iter(parts.values())).shape[1]))
    for size, part in parts.items():
        found[sizes == size] = part
    return found
