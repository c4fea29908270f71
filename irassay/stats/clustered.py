"""Inference where observations come in clusters: by topic, by system and topic, by user and task."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from irassay.arrays import TIE, Counts, Floats, Ints
from irassay.stats.draws import Block, Draws, blocks, generator, repeats, signs
from irassay.stats.paired import ELEMENTS

PIECE = 1 << 16  # numbers of a piece of the jackknife, which stay in cache


def sign_flip(sums: Floats, trials: int = 10_000, seed: int = 0) -> Floats:
    """[row] two-sided p of the sums [row, cluster] when every cluster may change its sign [fisher1935].

    What happens within a cluster may depend on anything; all signs are tried where there are few clusters.

    >>> sign_flip(np.array([[3.0, 1.0, 2.0], [1.0, -1.0, 0.0]]))
    array([0.25, 1.  ])
    """
    active = np.flatnonzero(sums.any(axis=0))
    if not len(active):
        return np.ones(len(sums))
    rows = sums[:, active] if len(active) <= trials.bit_length() else sums  # few clusters: all signs can be tried
    weight, exact = _sign_table(rows.shape[1], trials, seed)
    most = np.abs(rows).sum(axis=1)
    bar = np.abs(rows.sum(axis=1)) - TIE * most
    if most.max() < 1 << 22 and np.array_equal(rows, np.rint(rows)):  # such sums are exact in the faster type
        rows, bar = rows.astype(np.float32), np.rint(bar).astype(np.float32)
    else:
        weight = weight.astype(np.float64)
    count = np.zeros(len(rows), dtype=np.int64)
    step = max(1, ELEMENTS // weight.shape[1])
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        count[part] = (np.abs(rows[part] @ weight) >= bar[part, None]).sum(axis=1)
    return count / weight.shape[1] if exact else (count + 1) / (weight.shape[1] + 1)


@lru_cache(maxsize=4)
def _sign_table(clusters: int, trials: int, seed: int) -> tuple[Counts, bool]:
    """[cluster, trial] the signs, kept for the next call, and whether these are all there are."""
    draws = signs(clusters, trials, seed)
    return np.concatenate([draws.draw(block) for block in draws.blocks], axis=1, dtype=np.float32), draws.exact


@lru_cache(maxsize=4)
def repeat_table(clusters: int, trials: int, seed: int) -> Floats:
    """[cluster, trial] how often each cluster is drawn, kept for the next call."""
    draws = repeats(clusters, trials, seed)
    return np.concatenate([draws.draw(block) for block in draws.blocks], axis=1)


def two_way_error(counts: Sequence[Counts], statistic: Callable[..., Floats]) -> Floats:
    """Standard error of a statistic of counted cases, each being of two systems and a topic.

    Every array [topic, system, ...] counts the cases of a system on a topic, so that a case is counted for
    both of its systems. The jackknife leaves out each system, each topic, and both [owen2007]: with J_S, J_T and
    J_ST the variances these give, se² = J_S + J_T - J_ST, and the larger of J_S and J_T where that is negative.
    """
    topics, systems = counts[0].shape[:2]
    of_system = [count.sum(axis=0, dtype=np.float64) for count in counts]  # [system, ...]
    of_topic = [count.sum(axis=1, dtype=np.float64) / 2 for count in counts]  # [topic, ...]
    whole = [count.sum(axis=0) for count in of_topic]
    estimate = statistic(*whole)
    less_system = statistic(*(all_ - some for all_, some in zip(whole, of_system, strict=True)))
    less_topic = statistic(*(all_ - some for all_, some in zip(whole, of_topic, strict=True)))
    both = np.zeros_like(estimate)
    step = max(1, PIECE // less_system.size)
    for start in range(0, topics, step):
        some = slice(start, start + step)
        left = [
            all_ - system - topic[some, None] + count[some]  # [topic, system, ...]
            for all_, system, topic, count in zip(whole, of_system, of_topic, counts, strict=True)
        ]
        cross = statistic(*left) - less_system - less_topic[some, None] + estimate
        both += (cross**2).sum(axis=(0, 1))
    share_systems, share_topics = (systems - 1) / systems, (topics - 1) / topics
    J_S = share_systems * ((less_system - less_system.mean(axis=0)) ** 2).sum(axis=0)
    J_T = share_topics * ((less_topic - less_topic.mean(axis=0)) ** 2).sum(axis=0)
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
    """Exact two-sided p of a fair coin that shows its more frequent side so often.

    >>> binomial_sign(np.array([8.0, 5.0, 0.0]), np.array([10.0, 10.0, 0.0])).round(6)
    array([0.109375, 1.      , 1.      ])
    """
    from scipy.special import betainc

    # P(X >= k) = I_½(k, n - k + 1)
    tail = betainc(np.maximum(larger, 1), trials - larger + 1, 0.5)
    return np.where(trials == 0, 1.0, np.minimum(1.0, 2 * tail))


def codes(names: Sequence[str]) -> Ints:
    """[unit] the number of each unit's group, groups counted in the order in which they appear.

    >>> codes(["b", "a", "b"])
    array([0, 1, 0])
    """
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([place[name] for name in names], dtype=np.int64)


def group_sums(values: Floats, group: Ints) -> Floats:
    """[..., group] the sum of the values [..., unit] of each group.

    >>> group_sums(np.array([[1.0, 3.0, 5.0]]), np.array([0, 0, 1]))
    array([[4., 5.]])
    """
    rows = [np.bincount(group, weights=row) for row in values.reshape(-1, values.shape[-1])]
    return np.array(rows, dtype=np.float64).reshape(*values.shape[:-1], -1)


def within(values: Floats, group: Ints) -> Floats:
    """[..., unit] the values less the mean of their group.

    >>> within(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]))
    array([-1.,  1.,  0.])
    """
    return values - (group_sums(values, group) / np.bincount(group))[..., group]


def group_repeats(group: Ints, trials: int, seed: int) -> Draws[Floats]:
    """[unit, trial] how often each unit is drawn when groups are drawn with replacement, each with all its units."""
    groups = repeats(int(group.max()) + 1, trials, seed)

    def drawn(block: Block) -> Floats:
        return groups.draw(block)[group]

    return Draws(groups.blocks, trials, False, drawn)


def shuffled_order(size: int, rounds: int, seed: int) -> Ints:
    """[round, place] a random order of 0 to size - 1 for each round.

    >>> shuffled_order(3, 2, seed=1).shape
    (2, 3)
    """
    numbers = [generator(seed, block).permutation(size) for block in blocks(rounds, 1)]
    return np.array(numbers, dtype=np.int64).reshape(rounds, size)
