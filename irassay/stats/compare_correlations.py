"""Tests of the difference between two correlations on the same units, and between two cross-validated errors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import TIE, Floats, scaled_to_unit
from irassay.stats.rank_codes import rank_codes


def pearson(x: Floats, y: Floats) -> Floats:
    """[...] Pearson's r of [..., unit] with [unit]; NaN where either is constant.

    >>> pearson(np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]]), np.array([1.0, 3.0, 2.0])).round(3)
    array([0.5, nan])
    """
    x, y = unit_length(x), unit_length(y)
    return np.clip(np.einsum("...u,...u->...", x, y), -1.0, 1.0)


def unit_length(x: Floats) -> Floats:
    """[..., unit] the values minus their mean, scaled to length 1; NaN where they are constant."""
    x = scaled_to_unit(x)
    low, high = x.min(axis=-1, keepdims=True), x.max(axis=-1, keepdims=True)
    flat = high - low <= 1e-13 * np.maximum(np.abs(low), np.abs(high))
    centred = x - x.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(flat, np.nan, centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True)))


def midranks(x: NDArray[Any]) -> Floats:
    """[..., unit] the rank of each value; equal values share their mean rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(x, axis=-1), dtype=np.float64)


def mean_ranks(means: Floats) -> Floats:
    """[..., system] ranks by mean, the best first; means that tie share their mean rank."""
    flat = means.reshape(-1, means.shape[-1])
    return midranks(rank_codes(-flat, TIE * np.ptp(flat, axis=1))).reshape(means.shape)


def correlation_tail(r: Floats, freedom: float) -> Floats:
    """Two-sided p of a correlation; Pearson's r has units - 2 degrees of freedom.

    >>> correlation_tail(np.array([0.5, 1.0]), 10).round(4)
    array([0.0979, 0.    ])
    """
    from scipy.special import stdtr

    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt(freedom / np.maximum(0.0, 1 - r**2))
    return np.asarray(2 * stdtr(freedom, -t), dtype=np.float64)


def williams(r12: Floats, r13: Floats, r23: Floats, n: int) -> tuple[Floats, Floats]:
    """t and p of the hypothesis that 2 and 3 correlate equally with 1, given their own correlation [williams1959].

    >>> t, p = williams(np.array(0.4), np.array(0.5), np.array(0.1), 103)
    >>> round(float(t), 4), round(float(p), 4)
    (-0.8913, 0.3749)
    """
    from scipy.special import stdtr

    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    spread = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3
    t = _ratio((r12 - r13) * np.sqrt((n - 1) * (1 + r23)), spread)
    return t, 2 * stdtr(n - 3, -np.abs(t))


def steiger(r12: Floats, r13: Floats, r23: Floats, n: int) -> tuple[Floats, Floats]:
    """Z and p of the same hypothesis as `williams`, by Fisher's transformation [steiger1980].

    >>> z, p = steiger(np.array(0.4), np.array(0.5), np.array(0.1), 103)
    >>> round(float(z), 4), round(float(p), 4)
    (-0.8887, 0.3742)
    """
    from scipy.special import ndtr

    mean = (r12 + r13) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN where r12 and r13 are both 1, or both -1
        c = (r23 * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r23**2) / 2) / (1 - mean**2) ** 2
        z = _ratio(np.sqrt(n - 3) * (np.arctanh(r12) - np.arctanh(r13)), 2 - 2 * c)
    return z, 2 * ndtr(-np.abs(z))


def resampled_t(difference: Floats, ratio: float = 0.0) -> tuple[Floats, Floats]:
    """t and p of differences [..., fold] whose folds overlap because a unit is tested in many of them.

    `ratio` is the ratio of test units to training units [nadeau2003]; with 0 the folds count as independent, as in the
    plain paired t-test. NaN where the differences do not vary.

    >>> t, p = resampled_t(np.array([0.1, 0.3, 0.2, 0.2]), 1 / 9)
    >>> round(float(t), 4), round(float(p), 4)
    (4.0762, 0.0267)
    """
    from scipy.special import stdtr

    folds = difference.shape[-1]
    variance = difference.var(axis=-1, ddof=1)
    flat = variance <= 1e-24 * (difference**2).mean(axis=-1)
    t = _ratio(difference.mean(axis=-1), np.where(flat, 0.0, (1 / folds + ratio) * variance))
    return t, 2 * stdtr(folds - 1, -np.abs(t))


def skill(squared_error: Floats, error_of_mean: float) -> Floats:
    """1 - MSE/MSE_mean, the share by which a prediction reduces the error of predicting the mean [murphy1988].

    >>> skill(np.array([8.0, 11.0]), 10.0).round(2)
    array([ 0.2, -0.1])
    """
    return 1 - squared_error / error_of_mean


def _ratio(estimate: Floats, variance: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, estimate / np.sqrt(variance), np.nan)
