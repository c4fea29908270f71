"""Kendall's tau between the rankings on two halves of the topics, and which metrics may have the highest.

The halves of `consistency` and of a report's profile are the same, so that both give the same answer.
"""

import math

import numpy as np

from irassay.arrays import TIE, Bools, Floats
from irassay.meta.complete_scores import CompleteScores, mean_of_known
from irassay.parallel import map_blocks
from irassay.stats.draws import ELEMENTS, slices
from irassay.stats.rank_codes import rank_codes, taus
from irassay.stats.selection import Selection, selection, without_each

SPLITS = 200  # of the topics, which stay fixed when a topic is left out
MIN_NOISE = 0.05  # of a metric's mean noise: topics with less count as having this much


def tau_selection(complete: CompleteScores, mean: Floats, alpha: float, seed: int) -> Selection:
    """Which metrics may have the highest mean tau [metric] between halves of the topics."""
    [found] = fixed_split_taus(complete, without_each(np.ones((1, complete.values.shape[1]), np.bool_)), SPLITS, seed)
    estimate = np.where(np.isnan(found[0]), np.nan, mean)
    excess = excess_error_of_tau(complete.values)
    return selection(estimate, found[1:], alpha, seed, complete.scores.metrics, excess=excess)


def split_halves(topics: int, splits: int, seed: int) -> Bools:
    """[split, topic] true for the floor(T/2) topics of the first half; each split is random.

    >>> split_halves(5, 2, seed=0).sum(axis=1)
    array([2, 2])
    """
    return first_halves(np.random.default_rng(seed).random((splits, topics)), topics // 2)


def first_halves(keys: Floats, size: int) -> Bools:
    """[split, topic] true for the `size` topics with the smallest keys."""
    first = np.zeros(keys.shape, dtype=np.bool_)
    for part in slices(len(keys), ELEMENTS // keys.shape[1]):
        np.put_along_axis(first[part], np.argsort(keys[part], axis=1)[:, :size], True, axis=1)
    return first


def half_taus(complete: CompleteScores, first: Bools, second: Bools) -> Floats:
    """[split, metric] tau-b between the rankings by mean over two sets of topics [split, topic]."""
    weights = [half / half.sum(axis=1, keepdims=True) for half in (first, second)]  # [split, topic]
    values = np.ascontiguousarray(complete.values.transpose(2, 1, 0))  # [metric, topic, system]
    parts = list(slices(len(first), ELEMENTS // 4 // values.shape[2]))
    work = [(m, part) for m in range(len(values)) for part in parts]
    blocks = map_blocks(_block_taus, work, (weights, values, complete.noise), doing="splitting")
    return np.concatenate(blocks).reshape(len(values), len(first)).T


def _block_taus(place: tuple[int, slice], shared: tuple[list[Floats], Floats, Floats]) -> Floats:
    """[split] tau-b between the two halves under one metric, for a block of splits."""
    (m, rows), (weights, values, noise) = place, shared
    one, other = (rank_codes(weight[rows] @ values[m], noise[m]) for weight in weights)
    return taus(one, other)


def fixed_split_taus(complete: CompleteScores, sets: Bools, splits: int, seed: int) -> Floats:
    """[set, left out, metric] the mean tau-b between halves of the topics, for sets [set, left out, topic].

    All splits of a set's topics, the first of its subsets, stay fixed when a topic is left out, so that only this topic
    changes the mean.
    """
    keys = np.random.default_rng([seed, 3]).random((len(sets), splits, sets.shape[2]))
    order = np.argsort(np.where(sets[:, :1], keys, np.inf), axis=2)
    first = np.zeros(order.shape, dtype=np.bool_)
    np.put_along_axis(first, order[:, :, : int(sets[0, 0].sum()) // 2], True, axis=2)
    halves = [(kept[:, :, None] & sets[:, None]).reshape(-1, sets.shape[2]) for kept in (first, ~first)]
    tau = half_taus(complete, halves[0], halves[1]).reshape(len(sets), splits, sets.shape[1], -1)
    return mean_of_known(tau.swapaxes(0, 1))


def excess_error_of_tau(values: Floats) -> float:
    """How many times the delete-one error of a difference of two taus between halves is taken to be too large.

    Topics interact in tau between halves, and the jackknife counts an interaction of two topics twice. Its error is 1.3
    to 2 times too large if there are few systems and a metric's noise is alike on all topics. It is hardly too large
    with many systems, because tau then moves in smaller steps, and it is too small if some topics are much noisier by
    one metric than by another. The rule was fitted by eye. `benchmarks/selections.py --only divisor-consistency` prints
    how often equal metrics are then found to differ.

    >>> x = np.random.default_rng(0).normal(size=(30, 40, 2))
    >>> unlike = np.where(np.arange(40)[:, None] % 2 == np.arange(2), 3.0, 1.0)  # noise [topic, metric]
    >>> round(excess_error_of_tau(x), 2), round(excess_error_of_tau(x * unlike), 2)
    (1.13, 0.7)
    """
    return float(np.clip(1.4 - unlike_noise(values), 0.7, 1 + 4 / len(values)))


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
