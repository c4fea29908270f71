"""Inference for observations in clusters: by topic, by system and topic, by user and task."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from irassay.arrays import TIE, Counts, Floats, Ints
from irassay.stats.draws import ELEMENTS, Draws, repeats, signs, slices

JACKKNIFE_CELLS = 1 << 16  # numbers in one step of the jackknife, so that they stay in the cache


def sign_flip(sums: Floats, trials: int = 10_000, seed: int = 0) -> Floats:
    """[row] two-sided p of the sums [row, cluster] under random signs of the clusters [fisher1935].

    Observations within a cluster may depend on each other in any way. With few clusters all signs are tried.

    >>> sign_flip(np.array([[3.0, 1.0, 2.0], [1.0, -1.0, 0.0]]))
    array([0.25, 1.  ])
    """
    active = np.flatnonzero(sums.any(axis=0))
    if not len(active):
        return np.ones(len(sums))
    rows = sums[:, active] if len(active) <= trials.bit_length() else sums  # few clusters: all signs can be tried
    weight, exact = _sign_table(rows.shape[1], trials, seed)
    largest = np.abs(rows).sum(axis=1)
    bar = np.abs(rows.sum(axis=1)) - TIE * largest
    if largest.max() < 1 << 22 and np.array_equal(rows, np.rint(rows)):  # such sums are exact in the faster type
        rows, bar = rows.astype(np.float32), np.rint(bar).astype(np.float32)
    else:
        weight = weight.astype(np.float64)
    count = np.zeros(len(rows), dtype=np.int64)
    for part in slices(len(rows), ELEMENTS // weight.shape[1]):
        count[part] = (np.abs(rows[part] @ weight) >= bar[part, None]).sum(axis=1)
    return count / weight.shape[1] if exact else (count + 1) / (weight.shape[1] + 1)


@lru_cache(maxsize=4)
def _sign_table(clusters: int, trials: int, seed: int) -> tuple[Counts, bool]:
    """[cluster, trial] the signs, cached, and whether these are all possible ones."""
    draws = signs(clusters, trials, seed)
    return np.concatenate([draws.draw(block) for block in draws.blocks], axis=1, dtype=np.float32), draws.exact


@lru_cache(maxsize=4)
def repeat_table(clusters: int, trials: int, seed: int) -> Floats:
    """[cluster, trial] how often each cluster is drawn, cached."""
    draws = repeats(clusters, trials, seed)
    return np.concatenate([draws.draw(block) for block in draws.blocks], axis=1)


def two_way_error(counts: Sequence[Counts], statistic: Callable[..., Floats]) -> Floats:
    """Standard error of a statistic of counted cases, each of two systems on one topic.

    Every array [topic, system, ...] counts the cases of a system on a topic, so a case is counted for both of its
    systems. The jackknife leaves out each system, each topic, and both [owen2007]. With their variances J_S, J_T and
    J_ST, se² = J_S + J_T - J_ST, or the larger of J_S and J_T where that is negative. With fewer than four systems or
    two topics it is NaN.
    """
    topics, systems = counts[0].shape[:2]
    of_system = [count.sum(axis=0, dtype=np.float64) for count in counts]  # [system, ...]
    of_topic = [count.sum(axis=1, dtype=np.float64) / 2 for count in counts]  # [topic, ...]
    totals = [count.sum(axis=0) for count in of_topic]
    estimate = statistic(*totals)
    if systems < 4 or topics < 2:
        return np.full_like(estimate, np.nan)
    without_system = statistic(*(total - system for total, system in zip(totals, of_system, strict=True)))
    without_topic = statistic(*(total - topic for total, topic in zip(totals, of_topic, strict=True)))
    both = np.zeros_like(estimate)
    for part in slices(topics, JACKKNIFE_CELLS // without_system.size):
        rest = [
            total - system - topic[part, None] + count[part]  # [topic, system, ...]
            for total, system, topic, count in zip(totals, of_system, of_topic, counts, strict=True)
        ]
        cross = statistic(*rest) - without_system - without_topic[part, None] + estimate
        both += (cross**2).sum(axis=(0, 1))
    share_systems, share_topics = (systems - 1) / systems, (topics - 1) / topics
    J_S = share_systems * ((without_system - without_system.mean(axis=0)) ** 2).sum(axis=0)
    J_T = share_topics * ((without_topic - without_topic.mean(axis=0)) ** 2).sum(axis=0)
    variance = J_S + J_T - share_systems * share_topics * both
    return np.sqrt(np.where(variance > 0, variance, np.maximum(J_S, J_T)))


def t_tail(estimate: Floats, error: Floats, freedom: float) -> Floats:
    """Two-sided p of an estimate with its standard error; NaN where the error is 0.

    >>> t_tail(np.array([2.0, 2.0]), np.array([1.0, 0.0]), 10).round(4)
    array([0.0734,    nan])
    """
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, estimate / error, np.nan)
    return np.asarray(2 * stdtr(freedom, -np.abs(t)), dtype=np.float64)


def binomial_sign(larger: Floats, trials: Floats) -> Floats:
    """Exact two-sided p of a fair coin whose more frequent side came up `larger` times in `trials`.

    >>> binomial_sign(np.array([8.0, 5.0, 0.0]), np.array([10.0, 10.0, 0.0])).round(6)
    array([0.109375, 1.      , 1.      ])
    """
    from scipy.special import betainc

    # P(X >= k) = I_½(k, n - k + 1)
    tail = betainc(np.maximum(larger, 1), trials - larger + 1, 0.5)
    return np.where(trials == 0, 1.0, np.minimum(1.0, 2 * tail))


def group_codes(names: Sequence[str]) -> Ints:
    """[unit] the number of each unit's group; groups are numbered in the order in which they appear.

    >>> group_codes(["b", "a", "b"])
    array([0, 1, 0])
    """
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([place[name] for name in names], dtype=np.int64)


def group_sums(values: Floats, group: Ints) -> Floats:
    """[..., group] the sum of the values [..., unit] in each group.

    >>> group_sums(np.array([[1.0, 3.0, 5.0]]), np.array([0, 0, 1]))
    array([[4., 5.]])
    """
    rows = [np.bincount(group, weights=row) for row in values.reshape(-1, values.shape[-1])]
    return np.array(rows, dtype=np.float64).reshape(*values.shape[:-1], -1)


def group_deviations(values: Floats, group: Ints) -> Floats:
    """[..., unit] the values minus the mean of their group.

    >>> group_deviations(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]))
    array([-1.,  1.,  0.])
    """
    return values - (group_sums(values, group) / np.bincount(group))[..., group]


def group_repeats(group: Ints, trials: int, seed: int) -> Draws[Floats]:
    """[unit, trial] how often each unit is drawn when groups are drawn with replacement, each with all its units."""
    groups = repeats(int(group.max()) + 1, trials, seed)
    return Draws(groups.blocks, trials, False, lambda block: groups.draw(block)[group])
