"""The distribution of the studentised range, for thousands of values at once."""

from functools import lru_cache
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.stats.draws import slices

LARGEST_RANGE = 50.0  # of normal variables; larger ones have no probability worth computing


def range_tail(q: Floats, groups: int, freedom: float) -> Floats:
    """The probability that the range of `groups` normal means exceeds q estimated standard errors.

    >>> range_tail(np.array([0.0, 3.876777, np.inf]), 3, 10).round(6)
    array([1.  , 0.05, 0.  ])
    """
    # With s the estimated over the true standard error and y = log s, the density of y is proportional to
    # exp(freedom (y - (s² - 1) / 2)); it has fallen by e^-45 at the ends of the grid.
    fall = 45 / freedom
    low = -(fall + np.sqrt(fall**2 + 4 * fall)) / 2
    high = min(np.sqrt(fall), np.log(2 * fall + 1) / 2 + 1)
    y = np.linspace(low, high, 600)
    weight = np.exp(freedom * (y - np.expm1(2 * y) / 2))
    weight /= weight.sum()
    tail = np.where(q > 0, 0.0, 1.0)
    inside = np.flatnonzero((q > 0) & np.isfinite(q))
    log_tail = _log_range_tail(groups)
    for part in slices(len(inside), 2048):
        x = q[inside[part], None] * np.exp(y)  # [value, node]
        tail[inside[part]] = np.where(x < LARGEST_RANGE, np.exp(log_tail(np.minimum(x, LARGEST_RANGE))), 0.0) @ weight
    return tail


def range_critical(alpha: float, groups: int, freedom: float) -> float:
    """The value that the studentised range exceeds with probability alpha.

    >>> round(range_critical(0.05, 3, 10), 6)
    3.876777
    """
    from scipy.optimize import brentq

    def excess(log_q: float) -> float:
        return float(range_tail(np.array([np.exp(log_q)]), groups, freedom)[0]) - alpha

    return float(np.exp(brentq(excess, -20.0, 50.0, xtol=1e-13)))


@lru_cache(maxsize=8)
def _log_range_tail(groups: int) -> Any:
    """The log of the probability that the range of normal variables exceeds x, as a spline on 0 to LARGEST_RANGE."""
    from scipy.interpolate import CubicSpline
    from scipy.special import log_ndtr

    # P(range > x) = k ∫ φ(z) [Φ(z)^(k-1) - (Φ(z) - Φ(z-x))^(k-1)] dz, with z the largest variable; the bracket is
    # written so that small probabilities keep their digits.
    x = np.append(np.arange(1, 2400) * 0.005, np.linspace(12, LARGEST_RANGE, 500))  # past 12 nearly a parabola
    z = np.linspace(-9.0, LARGEST_RANGE / 2 + 12, 800)
    step = z[1] - z[0]
    below = log_ndtr(z)
    log_density = -(z**2) / 2 - np.log(2 * np.pi) / 2 + (groups - 1) * below
    log_tail = np.empty(len(x))
    for part in slices(len(x), 250):
        ratio = -np.exp(np.minimum(log_ndtr(z - x[part, None]) - below, -1e-300))
        with np.errstate(divide="ignore"):
            bracket = -np.expm1((groups - 1) * np.log1p(ratio))
        log_tail[part] = np.log(groups * step * (np.exp(log_density) * bracket).sum(axis=1))
    return CubicSpline(np.append(0.0, x), np.append(0.0, log_tail))
