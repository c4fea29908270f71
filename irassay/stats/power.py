"""How many topics it takes: power of t-tests, and what a model's judgements save."""

import math
from collections.abc import Callable

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument

CERTAIN_SHIFT = 1e3  # standard errors beyond which a difference is certain to be found
SMALLEST_EFFECT = 1e-4  # standard deviations: a smaller difference takes about a billion topics


def topics_for_t(difference: float, residual: float, *, alpha: float = 0.05, power: float = 0.8, sides: int = 2) -> int:
    """How many topics a paired t-test needs to find a true difference with the given power [sakai2016].

    The variance of a difference is taken to be twice the residual variance.

    >>> topics_for_t(0.1, 0.05)
    81
    """
    from scipy.special import ndtri

    effect = _effect(difference, residual, alpha, power)
    z = float(ndtri(1 - alpha / sides))
    start = ((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2
    return _smallest(lambda n: power_of_t(n, difference, residual, alpha=alpha, sides=sides), power, start)


def power_of_t(topics: int, difference: float, residual: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The probability that a paired t-test over so many topics finds a true difference, asked both ways or one way.

    >>> round(power_of_t(81, 0.1, 0.05), 6)
    0.802829
    """
    from scipy.special import nctdtr, stdtrit

    shift = difference / math.sqrt(2 * residual) * math.sqrt(topics)
    if shift > CERTAIN_SHIFT:
        return 1.0
    critical = stdtrit(topics - 1, 1 - alpha / sides)
    # P(t < c | shift) = P(t > -c | -shift): the upper tail keeps its digits as a lower one
    other = float(nctdtr(topics - 1, shift, -critical)) if sides == 2 else 0.0  # NaN where it is next to nothing
    return min(1.0, float(nctdtr(topics - 1, -shift, -critical)) + (other if other == other else 0.0))


def topics_for_sign_flips(level: float, sides: int = 2) -> int:
    """How many topics a test needs for a p-value below the level, when all their differences have the same sign.

    >>> topics_for_sign_flips(0.05), topics_for_sign_flips(0.05, sides=1), topics_for_sign_flips(0.05 / 105)
    (6, 5, 13)
    """
    return max(2, math.floor(-math.log2(level)) + sides)  # p is 2^-(T + 1 - sides)


def topics_for_anova(
    difference: float, residual: float, systems: int, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many topics a one-way analysis of variance needs when the two extreme systems differ by `difference`.

    The variance within a system is taken to be the residual variance [sakai2016].
    """
    _effect(difference, residual, alpha, power)
    if systems < 2:
        raise InputError(f"An analysis of variance needs at least two systems; found {systems}.")

    def reached(n: int) -> float:
        from scipy.special import fdtri, ncfdtr

        first, second = systems - 1, systems * (n - 1)
        shift = n * difference**2 / (2 * residual)
        return 1 - float(ncfdtr(first, second, shift, float(fdtri(first, second, 1 - alpha))))

    return _smallest(reached, power, residual / difference**2)


def topics_for_width(width: float, residual: float, *, alpha: float = 0.05) -> int:
    """How many topics make the expected confidence interval of a difference no wider than `width` [sakai2016].

    >>> topics_for_width(0.1, 0.05)
    156
    """
    _effect(width, residual, alpha, 0.5)

    def narrowness(n: int) -> float:
        from scipy.special import gammaln, stdtrit

        bias = math.sqrt(2 / (n - 1)) * math.exp(gammaln(n / 2) - gammaln((n - 1) / 2))  # c4: E(sd) / sigma
        return -float(stdtrit(n - 1, 1 - alpha / 2)) * bias * math.sqrt(2 * residual / n)

    return _smallest(narrowness, -width / 2, 2 * residual / width**2)


def _smallest(reached: Callable[[int], float], wanted: float, start: float) -> int:
    """The smallest n from 2 on with reached(n) >= wanted; reached grows with n."""
    high = max(2, math.ceil(start))
    while reached(high) < wanted:
        high *= 2
    low = 1  # too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return high


def _effect(difference: float, residual: float, alpha: float, power: float) -> float:
    """The difference in standard deviations of a difference, after checking the request."""
    if not difference > 0:
        raise InputError(f"The difference to be found must be positive; found {difference:g}.")
    if not residual > 0:
        raise InputError(f"The residual variance must be positive; found {residual:g}. Are all scores equal?")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise InputError(f"alpha and power must lie between 0 and 1; found {alpha:g} and {power:g}.")
    effect = difference / math.sqrt(2 * residual)
    if effect < SMALLEST_EFFECT:
        raise InputError(
            f"A difference of {difference:g} is {effect:.1g} standard deviations of a difference, and takes more "
            f"topics than there will ever be; give a larger one ({argument('difference')})."
        )
    return effect


def t_level(critical: Floats, freedom: Floats | float, sides: int = 2) -> Floats:
    """The level of one t-test with so many degrees of freedom whose critical value this is.

    >>> t_level(np.array([2.0452296, 1.959964]), np.array([29, np.inf])).round(6)
    array([0.05, 0.05])
    """
    from scipy.special import stdtr

    return np.asarray(sides * stdtr(freedom, -critical), dtype=np.float64)


def remaining_variance(correlation: float, ratio: float, human: float, further: float) -> float:
    """The share of a mean's variance that is left when a model judges these human topics and further ones.

    `ratio` is the variance of the model's scores by that of the human ones. The weight of the model is the best one,
    within 0 and 1 [angelopoulos2023]; where 1 does not cut it, 1 - r² N / (n + N) is left.

    >>> round(remaining_variance(0.8, 1.0, 50, 200), 4)
    0.488
    """
    more = 1 + human / further if further > 0 else math.inf
    if not (correlation > 0 and ratio > 0 and math.isfinite(more)):
        return 1.0
    covariance = correlation * math.sqrt(ratio)
    weight = min(1.0, covariance / (ratio * more))
    return 1 - 2 * weight * covariance + weight**2 * ratio * more


def human_topics(
    difference: float,
    residual: float,
    correlation: float,
    ratio: float,
    further: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: int = 2,
) -> int:
    """How many human-judged topics find a true difference when a model judges them and `further` ones too.

    >>> human_topics(0.1, 0.05, 0.8, 1.0, 200), topics_for_t(0.1, 0.05)
    (39, 81)
    """
    _effect(difference, residual, alpha, power)

    def reached(n: int) -> float:
        left = remaining_variance(correlation, ratio, n, further)
        return power_of_t(n, difference, residual * left, alpha=alpha, sides=sides)

    return _smallest(reached, power, 2)
