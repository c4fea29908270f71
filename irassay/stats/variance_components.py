"""Variance components of scores by system and topic, and the reliability of means over topics [brennan2001]."""

from typing import NamedTuple

import numpy as np

from irassay.arrays import Floats


class MeanSquares(NamedTuple):
    """The mean squares of scores [system, topic, metric]: systems, topics and residual."""

    system: Floats  # [metric] systems - 1 degrees of freedom
    topic: Floats  # [metric] topics - 1
    residual: Floats  # [metric] (systems - 1)(topics - 1)


def mean_squares(values: Floats) -> MeanSquares:
    """The mean squares of scores [system, topic, metric].

    >>> [float(square[0]) for square in mean_squares(np.array([[1.0, 3.0], [2.0, 5.0]])[:, :, None])]
    [2.25, 6.25, 0.25]
    """
    systems, topics = values.shape[:2]
    by_system, by_topic = values.mean(axis=1), values.mean(axis=0)
    residual = values - by_system[:, None] - by_topic + values.mean(axis=(0, 1))
    return MeanSquares(
        topics * by_system.var(axis=0, ddof=1),
        systems * by_topic.var(axis=0, ddof=1),
        (residual**2).sum(axis=(0, 1)) / ((systems - 1) * (topics - 1)),
    )


def reliability(ratio: Floats, topics: Floats | int) -> Floats:
    """The share of systems in the variance of means over topics, given the ratio of systems to error for one topic.

    >>> reliability(np.array([0.0, 0.5, np.inf]), 6)
    array([0.  , 0.75, 1.  ])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1 / (1 + 1 / (topics * ratio)))


def topics_needed(ratio: Floats, target: float) -> Floats:
    """The number of topics that gives the target reliability; infinite where no number does.

    >>> topics_needed(np.array([0.0, 0.5, np.inf]), 0.75)
    array([inf,  6.,  1.])
    """
    with np.errstate(divide="ignore"):
        needed = target / (1 - target) / ratio
    return np.maximum(1.0, np.ceil(needed * (1 - 1e-12)))


def relative_limits(squares: MeanSquares, systems: int, topics: int, tail: float) -> tuple[Floats, Floats]:
    """The limits of the ratio of the systems' variance to the error variance of a difference, for one topic.

    Exact for normal effects, where the ratio of the mean squares has an F distribution [feldt1965].
    """
    first, last = systems - 1, (systems - 1) * (topics - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = squares.system / squares.residual
    low, high = (np.maximum(0.0, (ratio / _f(first, last, p) - 1) / topics) for p in (1 - tail, tail))
    return low, high


def absolute_limits(squares: MeanSquares, systems: int, topics: int, tail: float) -> tuple[Floats, Floats]:
    """The limits of the ratio of the systems' variance to the error variance of a mean, for one topic [arteaga1982].

    Approximate: brennan2001, section 6.2.
    """

    def limit(p: float) -> Floats:
        f1, f2, f3 = (_f(systems - 1, df, p) for df in (np.inf, (systems - 1) * (topics - 1), topics - 1))
        s, t, e = squares
        signal = s**2 - f1 * s * e + (f1 - f2) * f2 * e**2
        error = (systems - 1) * f1 * s * e + f3 * s * t
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(s > 0, np.maximum(0.0, systems * signal / (topics * error)), 0 * (s + e))

    return limit(1 - tail), limit(tail)


def _f(first: float, second: float, p: float) -> float:
    """The quantile of the F distribution; the second degrees of freedom may be infinite.

    >>> round(_f(3, 12, 0.95), 4), round(_f(3, np.inf, 0.95), 4)
    (3.4903, 2.6049)
    """
    from scipy.special import chdtri, fdtri

    return float(chdtri(first, 1 - p) / first if np.isinf(second) else fdtri(first, second, p))
