"""Effect sizes, tests of equivalence and detectable differences, by the noncentral t distribution."""

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.stats.power import chance_beyond


def effect_interval(t: Floats, topics: int, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """[pair] the ends of the 1 - alpha interval of d_z = mean / sd, given Student's t; NaN where t is not finite.

    >>> low, high = effect_interval(np.array([2.5]), 20)
    >>> round(low.item(), 4), round(high.item(), 4)
    (0.0802, 1.0252)
    """
    root, freedom = np.sqrt(topics), topics - 1
    size = np.where(np.isfinite(t), np.abs(t), 0.0)
    # P(t < x | shift) = P(t > -x | -shift): |t| throughout, and the ends swapped where t is negative
    low, high = (_shift(freedom, p, size) / root for p in (1 - alpha / 2, alpha / 2))
    low, high = np.where(t < 0, -high, low), np.where(t < 0, -low, high)
    return np.where(np.isfinite(t), low, np.nan), np.where(np.isfinite(t), high, np.nan)


def _shift(freedom: int, p: float, t: Floats) -> Floats:
    """The noncentrality at which values below t have probability p: scipy's, refined because it has only 7 digits."""
    from scipy.special import nctdtr, nctdtrinc

    shift = np.asarray(nctdtrinc(freedom, p, t), dtype=np.float64)
    slope = (nctdtr(freedom, shift + 1e-4, t) - nctdtr(freedom, shift - 1e-4, t)) / 2e-4
    for _ in range(2):
        shift = shift - (nctdtr(freedom, shift, t) - p) / slope
    return shift


def equivalence_p(difference: Floats, error: Floats, topics: int, margin: float) -> Floats:
    """[pair] p of the hypothesis that a mean difference is not within ± margin: the larger of two one-sided t-tests.

    >>> equivalence_p(np.array([0.01]), np.array([0.02]), 30, 0.05).round(6)
    array([0.027472])
    """
    from scipy.special import stdtr

    _check_margin(margin)
    inside = margin - np.abs(difference)  # the nearer margin decides
    with np.errstate(all="ignore"):  # divisions by errors close to 0
        t = np.where(error > 0, inside / error, np.where(inside > 0, np.inf, -np.inf))
    return np.asarray(stdtr(topics - 1, -t), dtype=np.float64)


LARGEST_CRITICAL = 30_000  # standard errors beyond which noncentral t is not computed
LARGEST_D = 1e6  # a margin beyond which everything is equivalent


def standardized_equivalence_p(t: Floats, topics: int, margin: float) -> Floats:
    """[pair] p of the hypothesis that d_z = mean / sd is not within ± margin, given Student's t [wellek2010].

    This is the most powerful such test: the probability of a |t| this small if d_z were at the margin, by noncentral t.
    `equivalence_p` with a margin in estimated standard deviations would be wrong, because that estimate varies too.
    For infinite t, p is 1.

    >>> standardized_equivalence_p(np.array([0.5]), 50, 0.5).round(6)
    array([0.001178])
    """
    from scipy.special import nctdtr

    _check_margin(margin)
    size, shift = np.abs(t), min(margin, LARGEST_D) * np.sqrt(topics)
    within = nctdtr(topics - 1, shift, size) - np.nan_to_num(nctdtr(topics - 1, shift, -size))
    return np.where(np.isfinite(t), np.clip(within, 0.0, 1.0), 1.0)


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise InputError(f"A margin of equivalence must be above 0; found {margin:g}.")


def detectable_shift(critical: float, topics: int, power: float = 0.8, sides: int = 2) -> float:
    """The true difference, in standard errors, for which |t| exceeds a critical value with this probability.

    With one side, it is t itself that exceeds it.

    >>> round(detectable_shift(2.0452296, 30), 4)
    2.8987
    """
    from scipy.special import chdtri

    if not 0 < power < 1:
        raise InputError(f"A power must lie between 0 and 1; found {power:g}.")
    if not np.isfinite(critical):
        return float("inf")
    if critical > LARGEST_CRITICAL:  # only the variation of the standard error matters: relative error 1e-8
        return float(critical * np.sqrt(chdtri(topics - 1, 1 - power) / (topics - 1)))

    def excess_power(shift: float) -> float:
        return chance_beyond(critical, shift, topics - 1, sides) - power

    low, high = 0.0, 3 * abs(critical) + 10
    while low < (middle := (low + high) / 2) < high and excess_power(0.0) < 0:  # brentq would take .2 s to import
        low, high = (middle, high) if excess_power(middle) < 0 else (low, middle)
    return low
