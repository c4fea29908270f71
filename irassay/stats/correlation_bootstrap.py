"""Bootstrap intervals of correlations with one rating, units redrawn one by one or in groups."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.stats.clustered import group_repeats
from irassay.stats.compare_correlations import midranks, pearson, unit_length
from irassay.stats.draws import BLOCK_TRIALS
from irassay.stats.paired import ELEMENTS


def resampled_correlations(x: Floats, y: Floats, group: Ints, trials: int, seed: int) -> tuple[Floats, Floats]:
    """[trial, metric] Pearson's r and Spearman's rho when groups of units are redrawn.

    Resamples in which the rating, or a metric that otherwise varies, is constant are left out.
    """
    draws = group_repeats(group, trials, seed)
    varies = ~np.isnan(unit_length(x)[:, 0])
    r, rho = np.full((2, trials, len(x)), np.nan)
    step = max(1, 2 * ELEMENTS // (BLOCK_TRIALS * len(y)))
    for start in range(0, len(draws.blocks), step):
        some = draws.blocks[start : start + step]
        weight = np.concatenate([draws.draw(block) for block in some], axis=1)  # [unit, trial]
        part = slice(some[0].start, some[-1].start + some[-1].size)
        r[part] = resampled_pearson(x, y, weight)
        rho[part, varies] = resampled_spearman(x[varies], y, weight)
    kept = np.isnan(r[:, varies]).sum(axis=1) == 0
    return r[kept], rho[kept]


def correlation_intervals(
    x: Floats, y: Floats, groups: Sequence[Ints], trials: int, seed: int
) -> tuple[Floats, Floats, Floats, list[str]]:
    """[end, metric], [end, metric] and [end, metric, other]: intervals of r, rho and differences of r; and notes.

    Of one grouping, or of units, these are percentiles. Of two, users and tasks, the variances add up, less that of
    units, which is in both: those of r and rho on Fisher's scale, those of differences as they are.
    """
    units = np.arange(len(y))
    drawn = [resampled_correlations(x, y, group, trials, seed) for group in (*groups, units)[: 1 if len(groups) < 2 else 3]]
    if min(len(r) for r, _ in drawn) < trials / 2:
        raise InputError("Too few units, users or tasks to redraw them; give more ratings.")
    lost = sum(trials - len(r) for r, _ in drawn)
    notes = [f"{lost} of {trials * len(drawn)} resamples were constant and left out."] if lost else []
    ends = [0.025, 0.975]
    if len(drawn) == 1:
        r, rho = drawn[0]
        gaps = [np.quantile(r[:, [m]] - r, ends, axis=0) for m in range(len(x))]  # [metric] of [end, other]
        return np.quantile(r, ends, axis=0), np.quantile(rho, ends, axis=0), np.stack(gaps, axis=1), notes
    from scipy.special import stdtrit

    reach = np.array([-1.0, 1.0]) * float(stdtrit(min(int(group.max()) for group in groups), 0.975))

    def spread(values: Sequence[Floats]) -> Floats:
        """[...] the standard error: of users, plus of tasks, less of units."""
        users, tasks, both = (value.var(axis=0, ddof=1) for value in values)
        return np.sqrt(np.maximum(users + tasks - both, np.maximum(users, tasks)))

    def fisher(estimate: Floats, values: Sequence[Floats]) -> Floats:
        edge = 1 - 1e-12
        z = [np.arctanh(np.clip(value, -edge, edge)) for value in values]
        return np.tanh(np.arctanh(np.clip(estimate, -edge, edge)) + reach[:, None] * spread(z))

    r, rho = pearson(x, y), pearson(midranks(x), midranks(y))
    error = np.stack([spread([part[:, [m]] - part for part, _ in drawn]) for m in range(len(x))])
    gap: Floats = np.subtract.outer(r, r) + reach[:, None, None] * error
    return fisher(r, [part for part, _ in drawn]), fisher(rho, [part for _, part in drawn]), gap, notes


def resampled_pearson(x: Floats, y: Floats, weight: Floats) -> Floats:
    """[trial, metric] r of x [metric, unit] with y [unit] in samples that hold units as often as weight [unit, trial].

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
    """[trial, metric] Spearman's rho, likewise; the samples are ranked anew."""
    rank = _redrawn_midranks(y, weight)
    held = weight * rank
    spread_y = (held * rank).sum(axis=0)
    rho = np.empty((weight.shape[1], len(x)))
    for m, row in enumerate(x):
        ranked = _redrawn_midranks(row, weight)
        spread = (weight * ranked**2).sum(axis=0) * spread_y
        with np.errstate(divide="ignore", invalid="ignore"):
            rho[:, m] = np.where(spread > 0, (held * ranked).sum(axis=0) / np.sqrt(spread), np.nan)
    return rho


def _redrawn_midranks(x: Floats, weight: Floats) -> Floats:
    """[unit, trial] the mid-ranks of x [unit] in the samples, less their mean."""
    _, place = np.unique(x, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    size = np.add.reduceat(weight[order], starts, axis=0)  # [value, trial]
    below = size.cumsum(axis=0) - size
    return (below + (size - weight.sum(axis=0)) / 2)[place]
