"""Intervals of correlations with ratings, whose units are resampled or left out one by one or in groups."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.stats.clusters import group_repeats, group_sums
from irassay.stats.compare_correlations import midranks, pearson, unit_length
from irassay.stats.draws import BLOCK_TRIALS, ELEMENTS, slices
from irassay.stats.jackknife import LARGEST_CORRELATION


def resampled_correlations(x: Floats, y: Floats, group: Ints, trials: int, seed: int) -> tuple[Floats, Floats]:
    """[trial, metric] Pearson's r and Spearman's rho when groups of units are resampled.

    Resamples in which the rating, or a metric that otherwise varies, is constant are left out.
    """
    draws = group_repeats(group, trials, seed)
    varies = ~np.isnan(unit_length(x)[:, 0])
    r, rho = np.full((2, trials, len(x)), np.nan)
    for part in slices(len(draws.blocks), 2 * ELEMENTS // (BLOCK_TRIALS * len(y))):
        weight = np.concatenate([draws.draw(block) for block in draws.blocks[part]], axis=1)  # [unit, trial]
        rows = slice(part.start * BLOCK_TRIALS, part.start * BLOCK_TRIALS + weight.shape[1])
        r[rows] = resampled_pearson(x, y, weight)
        rho[rows, varies] = resampled_spearman(x[varies], y, weight)
    complete = ~np.isnan(r[:, varies]).any(axis=1)
    return r[complete], rho[complete]


def correlation_intervals(
    x: Floats, y: Floats, groups: Sequence[Ints], trials: int, seed: int
) -> tuple[Floats, Floats, Floats, list[str]]:
    """Intervals of r [end, metric], rho [end, metric] and differences of r [end, metric, other]; and notes.

    `groups` are users, tasks (each if known) and units. Without users or tasks, intervals are percentiles over the
    first grouping. With both, the variance is that over users plus that over tasks minus that over units, which is in
    both; for r and rho on Fisher's scale. Differences of r then leave out one user, task or unit at a time.
    """
    drawn = [resampled_correlations(x, y, group, trials, seed) for group in (groups if len(groups) > 2 else groups[:1])]
    if min(len(r) for r, _ in drawn) < trials / 2:
        raise InputError("There are too few units, users or tasks to resample; give more ratings.")
    lost = sum(trials - len(r) for r, _ in drawn)
    notes = [f"{lost} of {trials * len(drawn)} resamples were constant and left out."] if lost else []
    ends = [0.025, 0.975]
    if len(drawn) == 1:
        r, rho = drawn[0]
        gaps = [np.quantile(r[:, [m]] - r, ends, axis=0) for m in range(len(x))]  # [metric] of [end, other]
        return np.quantile(r, ends, axis=0), np.quantile(rho, ends, axis=0), np.stack(gaps, axis=1), notes
    from scipy.special import stdtrit

    reach = np.array([-1.0, 1.0]) * float(stdtrit(two_way_freedom(groups), 0.975))

    def fisher(estimate: Floats, values: Sequence[Floats]) -> Floats:
        z, *resampled = (
            np.arctanh(np.clip(each, -LARGEST_CORRELATION, LARGEST_CORRELATION)) for each in (estimate, *values)
        )
        return np.tanh(z + reach[:, None] * resampled_two_way_error(resampled))

    r, rho = pearson(x, y), pearson(midranks(x), midranks(y))
    gap: Floats = np.subtract.outer(r, r) + reach[:, None, None] * gap_errors(x, y, groups)
    return fisher(r, [part for part, _ in drawn]), fisher(rho, [part for _, part in drawn]), gap, notes


def resampled_two_way_error(drawn: Sequence[Floats]) -> Floats:
    """[...] the standard error of resampled values [trial, ...]: over users, plus over tasks, minus over units."""
    return _two_way_root(*(value.var(axis=0, ddof=1) for value in drawn))


def _two_way_root(users: Floats, tasks: Floats, units: Floats) -> Floats:
    """[...] the standard error from variances over users, tasks and units, or from the larger of the first two."""
    return np.sqrt(np.maximum(users + tasks - units, np.maximum(users, tasks)))


def two_way_freedom(groups: Sequence[Ints]) -> int:
    """The degrees of freedom of that error: the smaller number of groups, minus one."""
    return min(len(np.unique(group)) for group in groups) - 1


def gap_errors(x: Floats, y: Floats, groups: Sequence[Ints]) -> Floats:
    """[metric, other] the two-way standard error of the difference of two r, by the jackknife [owen2007].

    One user, one task or one unit is left out at a time. The bootstrap's error is too small: two equal metrics
    would differ too often. benchmarks/satisfaction_selection.py prints how often they do by the jackknife.
    """
    without = [pearson_without(x, y, group) for group in groups]  # [left out, metric]

    def variance(gap: Floats) -> Floats:
        return (len(gap) - 1) * gap.var(axis=0)

    return np.stack([_two_way_root(*(variance(r[:, [m]] - r) for r in without)) for m in range(len(x))])


def pearson_without(x: Floats, y: Floats, group: Ints) -> Floats:
    """[group, metric] r of x [metric, unit] with y [unit] without each group; NaN where x or y is constant then.

    >>> pearson_without(np.array([[1.0, 2.0, 3.0, 9.0]]), np.array([1.0, 3.0, 2.0, 0.0]), np.array([0, 0, 0, 1])).T
    array([[nan, 0.5]])
    """
    x, y = (unit_length(v) * np.sqrt(len(y)) for v in (x, y))
    _, codes = np.unique(group, return_inverse=True)
    y = np.broadcast_to(y, x.shape)
    moments = np.stack([x, y, x * x, y * y, x * y])  # [moment, metric, unit]
    kept = moments.sum(axis=-1, keepdims=True) - group_sums(moments, codes)  # [moment, metric, group]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y, square_x, square_y, product = kept / (len(codes) - np.bincount(codes))
        spread = (square_x - mean_x**2) * (square_y - mean_y**2)
        return np.where(spread > 1e-12, (product - mean_x * mean_y) / np.sqrt(spread), np.nan).T


def resampled_pearson(x: Floats, y: Floats, weight: Floats) -> Floats:
    """[trial, metric] r of x [metric, unit] with y [unit] in samples that hold each unit `weight` [unit, trial] times.

    NaN where x or y is constant, in the sample or altogether.
    """
    x, y = (unit_length(v) * np.sqrt(len(y)) for v in (x, y))
    n = weight.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = x @ weight / n, y @ weight / n  # [metric, trial], [trial]
        spread = (x * x @ weight / n - mean_x**2) * (y * y @ weight / n - mean_y**2)
        shared = (x * y) @ weight / n - mean_x * mean_y
        return np.where(spread > 1e-12, shared / np.sqrt(spread), np.nan).T


def resampled_spearman(x: Floats, y: Floats, weight: Floats) -> Floats:
    """[trial, metric] Spearman's rho in the same samples, with ranks taken within each sample."""
    rank_y = _resampled_midranks(y, weight)
    weighted = weight * rank_y
    spread_y = (weighted * rank_y).sum(axis=0)
    rho = np.empty((weight.shape[1], len(x)))
    for m, row in enumerate(x):
        rank_x = _resampled_midranks(row, weight)
        spread = (weight * rank_x**2).sum(axis=0) * spread_y
        with np.errstate(divide="ignore", invalid="ignore"):
            rho[:, m] = np.where(spread > 0, (weighted * rank_x).sum(axis=0) / np.sqrt(spread), np.nan)
    return rho


def _resampled_midranks(x: Floats, weight: Floats) -> Floats:
    """[unit, trial] the mid-ranks of x [unit] in the samples, minus their mean."""
    _, place = np.unique(x, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    size = np.add.reduceat(weight[order], starts, axis=0)  # [value, trial]
    below = size.cumsum(axis=0) - size
    return (below + (size - weight.sum(axis=0)) / 2)[place]
