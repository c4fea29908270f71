"""Pairs of systems that are significant on subsets of the topics, also whatever missing judgements may be."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.parallel import check_cancelled, map_blocks
from irassay.stats.jackknife import student_critical
from irassay.stats.pair_tests import Test

SLACK = 1e-9  # relative, so that rounding does not decide if a t or a difference equals the critical value


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

    def critical_value(self, m: int, topics: int) -> float:
        """The difference, or |t|, that must be exceeded on this many topics."""
        level = float(self.level[m])
        if self.unit == "difference":
            return level * math.sqrt(self.topics / topics)
        if self.unit == "t":
            return level
        return student_critical(level, topics) if level > 0 else math.inf


def significance_rule(
    test: Test, correction: str, difference: Floats, p: Floats, threshold: Floats, values: Floats, alpha: float
) -> SignificanceRule:
    """The rule of a test of all topics at a level, for scores [system, topic, metric].

    Given are its differences and p-values [pair, metric], and the difference needed [metric], the median over pairs.
    """
    topics = values.shape[1]
    if test.one_threshold:
        return SignificanceRule(topics, threshold, "difference")
    error = np.stack([_errors(values[:, :, m]) for m in range(values.shape[2])], axis=1)  # [pair, metric]
    error[error <= TIE * np.ptp(values, axis=(0, 1))] = 0.0  # differences without spread, but for rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(difference) / error
    smallest_t = np.where((p < alpha) & (error > 0), t, np.inf).min(axis=0) * (1 - SLACK)
    if test.family:
        with np.errstate(divide="ignore", invalid="ignore"):
            critical = np.where(np.isfinite(threshold), threshold / np.median(error, axis=0), np.inf) * (1 + SLACK)
        level = np.fmin(smallest_t, critical)
        # If no significant difference has any spread: the Bonferroni bound for this many pairs.
        no_spread = ~np.isfinite(level) & (p < alpha).any(axis=0)
        return SignificanceRule(topics, np.where(no_spread, student_critical(alpha / len(p), topics), level), "t")
    if correction == "none":
        return SignificanceRule(topics, np.full(len(threshold), alpha), "p")
    from scipy.special import stdtr

    largest_p = 2 * stdtr(topics - 1, -smallest_t)
    return SignificanceRule(topics, np.where(largest_p > 0, largest_p, alpha / len(p)), "p")


def _errors(scores: Floats) -> Floats:
    """[pair] the standard error of the mean difference of every two systems, of scores [system, topic]."""
    first, second = np.triu_indices(len(scores), k=1)
    gap = scores[first] - scores[second]
    exponent = np.frexp(np.abs(gap).max(axis=1))[1]  # so that no square overflows or underflows
    error = np.ldexp(gap, -exponent[:, None]).std(axis=1, ddof=1) / math.sqrt(scores.shape[1])
    return np.ldexp(error, exponent)


Bounds = Callable[[int, Ints], tuple[Floats, Floats]]  # of metric, pairs: [pair, topic] smallest, largest difference


def resolved_shares(
    values: Floats, bounds: Bounds | None, among: int, noise: Floats, subsets: Bools, rule: SignificanceRule
) -> Floats:
    """[2, subset, metric] the shares of pairs that are significant, and that stay so under both bounds.

    Given are scores [system, topic, metric] and subsets of the topics [subset, topic]. The first `among` metrics have
    bounds of the differences: a pair is resolved if the smallest and the largest difference that missing judgements
    allow are significant too, with the same sign. For other metrics both shares are the same.
    """
    shared = values, bounds, among, noise, subsets, rule
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


def excess_error_of_share(topics: int) -> float:
    """How many times the delete-one error of a difference of two such shares is taken to be too large.

    It is too small, because the critical value of all topics also serves if one is left out, so that the error lacks
    the critical value's own. benchmarks/selections.py --only divisor-power prints the error rates of this rule.
    """
    return topics / (topics + 2)


def outer_bounds(lowest: Floats, highest: Floats) -> Bounds:
    """Bounds of differences from bounds of scores [system, topic, metric]: one's lowest minus the other's highest."""
    return partial(_outer_ends, lowest, highest, *np.triu_indices(len(lowest), k=1))


def _outer_ends(
    lowest: Floats, highest: Floats, first: Ints, second: Ints, m: int, pairs: Ints
) -> tuple[Floats, Floats]:
    i, j = first[pairs], second[pairs]
    return lowest[i, :, m] - highest[j, :, m], highest[i, :, m] - lowest[j, :, m]
