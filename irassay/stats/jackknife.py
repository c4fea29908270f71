"""Intervals over topics for statistics that no formula covers: the delete-d jackknife."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.stats.correlation import kendall
from irassay.stats.paired import NOISE


@dataclass(frozen=True)
class Interval:
    """An estimate, its standard error over topics, and its confidence interval."""

    estimate: float
    error: float
    low: float
    high: float


def kept_topics(topics: int, left_out: int, subsets: int, seed: int) -> Bools:
    """[subset, topic] which topics are kept when `left_out` are not: every way, or `subsets` random ones.

    >>> kept_topics(3, 1, 100, seed=0).astype(int)
    array([[0, 1, 1],
           [1, 0, 1],
           [1, 1, 0]])
    """
    if not 0 < left_out < topics:
        raise InputError(f"The jackknife leaves out from 1 to {topics - 1} of {topics} topics; found {left_out}.")
    if math.comb(topics, left_out) <= subsets:
        out = np.array(list(itertools.combinations(range(topics), left_out)))
    else:
        drawn = np.random.default_rng(seed).random((subsets, topics))
        out = np.argpartition(drawn, left_out - 1, axis=1)[:, :left_out]
    kept = np.ones((len(out), topics), dtype=np.bool_)
    np.put_along_axis(kept, out, False, axis=1)
    return kept


def jackknife_error(found: Floats, topics: int, left_out: int) -> Floats:
    """[...] the standard error from the statistic [subset, ...] without each subset [shao1989].

    With one topic left out at a time, the error of a mean is the usual one:

    >>> x = np.array([1.0, 2.0, 4.0])
    >>> float(jackknife_error(np.array([3.0, 2.5, 1.5]), 3, 1).round(6)), float((x.std(ddof=1) / 3**0.5).round(6))
    (0.881917, 0.881917)
    """
    return np.sqrt((topics - left_out) / left_out * found.var(axis=0))


def tau_interval(
    X: Floats,
    Y: Floats,
    *,
    left_out: int | None = None,
    subsets: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    variant: str = "b",
    noise: float = NOISE,
) -> Interval:
    """Kendall's tau of the rankings by mean of two metrics [topic, system], with its jackknife interval.

    Topics are the sample, systems are taken as they are. A third of the topics is left out at a time: tau
    moves in steps, which makes the error too large with fewer left out and too small with more. It is the
    tau of topic sets of this size; with more topics tau is usually higher.
    """
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    if X.shape != Y.shape:
        raise InputError(
            f"The two tables differ in shape: {X.shape} and {Y.shape}; they need the same topics and systems."
        )
    from scipy.special import ndtri

    topics = len(X)
    out = max(1, round(topics / 3)) if left_out is None else left_out
    kept = kept_topics(topics, out, subsets, seed) / (topics - out)  # [subset, topic]
    found = kendall(kept @ X, kept @ Y, variant=variant, noise=noise)
    tau = float(kendall(X.mean(axis=0), Y.mean(axis=0), variant=variant, noise=noise))
    error = float(jackknife_error(found, topics, out))
    reach = float(ndtri(1 - alpha / 2)) * error
    return Interval(tau, error, max(-1.0, tau - reach), min(1.0, tau + reach))
