"""Which of several metrics may correlate best with ratings, whether units are independent or share users and tasks."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.stats.clusters import t_tail
from irassay.stats.compare_correlations import pearson
from irassay.stats.corrections import corrected_p
from irassay.stats.correlation_bootstrap import gap_errors, pearson_without, two_way_freedom
from irassay.stats.selection import Selection, selection

ALPHA = 0.05
HALVES = 20  # random ones; few, because each takes a comparison of all metrics
MIN_UNITS = 4  # of a half


def correlation_selection(
    x: Floats, y: Floats, groups: Sequence[Ints], seed: int, names: Sequence[str] | None = None
) -> Selection:
    """Compares the correlations of x [metric, unit] with y [unit], all pairs of metrics at once.

    `groups` are users, tasks (each if known) and units. With users and tasks, the two-way standard error of each
    difference and Student's t decide, with Holm's correction: tests that take units as independent err in 12 to 32 % of
    such studies. Otherwise one group, or unit, is left out at a time, and a group counts by its number of units.
    """
    r = pearson(x, y)
    if len(groups) < 3:
        units = np.unique(groups[0], return_counts=True)[1]
        weight = np.repeat(units[:, None] / units.mean(), len(r), axis=1)  # [group, metric]
        return selection(r, pearson_without(x, y, groups[0]), ALPHA, seed, names, weight=weight)
    from scipy.special import stdtrit

    gap, error, freedom = np.subtract.outer(r, r), gap_errors(x, y, groups), two_way_freedom(groups)
    p = np.where(error > 1e-12, t_tail(gap, error, freedom), np.nan)
    pairs = np.triu(~np.isnan(p), k=1)
    p[pairs] = corrected_p(p[pairs], "holm") if pairs.any() else p[pairs]
    p = np.where(pairs, p, p.T)
    return Selection(r, p, gap - float(stdtrit(freedom, 1 - ALPHA)) * error, ALPHA)


def shares_of_halves(x: Floats, y: Floats, groups: Sequence[Ints], seed: int) -> Floats:
    """[metric] the share of random halves of the users, or of other groups or units, in which it may be the best."""
    group = groups[0]
    rng = np.random.default_rng(seed)
    inside = []
    for _ in range(HALVES):
        codes = rng.permutation(np.unique(group))
        half = np.isin(group, codes[: (len(codes) + 1) // 2])
        if _has_spread(x, y, half) and (len(groups) < 3 or two_way_freedom([g[half] for g in groups]) > 0):
            part = correlation_selection(x[:, half], y[half], [g[half] for g in groups], seed)
            inside.append(part.may_be_best)
    return np.mean(inside, axis=0) if inside else np.full(len(x), np.nan)


def _has_spread(x: Floats, y: Floats, half: Bools) -> bool:
    """Whether some metric and the ratings vary among these units."""
    return bool(half.sum() >= MIN_UNITS and np.ptp(y[half]) > 0 and np.ptp(x[:, half], axis=1).any())
