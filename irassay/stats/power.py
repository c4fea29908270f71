"""Numbers of topics to plan for: power of t-tests, and what a model's judgements save."""

import math
from collections.abc import Callable

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument

CERTAIN_SHIFT = 1e3  # standard errors beyond which a difference is certain to be detected
ERROR_QUANTILES = 1000  # of a standard error's distribution, over which a power is averaged
SMALLEST_EFFECT = 1e-4  # standard deviations; a smaller difference takes about a billion topics


def topics_for_t(difference: float, residual: float, *, alpha: float = 0.05, power: float = 0.8, sides: int = 2) -> int:
    """The number of topics with which a paired t-test detects a true difference with this power [sakai2016].

    The variance of a difference is assumed to be twice the residual variance.

    >>> topics_for_t(0.1, 0.05)
    81
    """
    from scipy.special import ndtri

    effect = _effect(difference, residual, alpha, power)
    z = float(ndtri(1 - alpha / sides))
    start = ((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2
    return _smallest_n(lambda n: power_of_t(n, difference, residual, alpha=alpha, sides=sides), power, start)


def power_of_t(topics: int, difference: float, residual: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The probability that a paired t-test over this many topics detects a true difference, with two sides or one.

    >>> round(power_of_t(81, 0.1, 0.05), 6)
    0.802829
    """
    from scipy.special import stdtrit

    shift = difference / math.sqrt(2 * residual) * math.sqrt(topics)
    if shift > CERTAIN_SHIFT:
        return 1.0
    critical = float(stdtrit(topics - 1, 1 - alpha / sides))
    return min(1.0, chance_beyond(critical, shift, topics - 1, sides))


def chance_beyond(critical: float, shift: float, freedom: int, sides: int) -> float:
    """The probability that noncentral t exceeds a critical value, or with two sides that |t| does."""
    from scipy.special import nctdtr

    # P(t < c | shift) = P(t > -c | -shift): the upper tail keeps its digits as a lower one
    other = float(nctdtr(freedom, shift, -critical)) if sides == 2 else 0.0  # NaN if it is almost 0
    return float(nctdtr(freedom, -shift, -critical)) + (other if other == other else 0.0)


def power_of_equivalence(topics: int, difference: float, margin: float, residual: float, *, alpha: float) -> float:
    """The probability that two one-sided t-tests show a true difference below the margin to lie within it.

    With the estimated standard error s times the true one, it is Φ((m - δ)/se - cs) + Φ((m + δ)/se - cs) - 1, or 0 if
    that is negative; c is the 1 - alpha quantile of t. It is averaged over quantiles of s. The variance of a difference
    is twice the residual variance.

    >>> round(power_of_equivalence(100, 0.0, 0.1, 0.05, alpha=0.05), 4)
    0.8653
    """
    from scipy.special import gammaincinv, ndtr, stdtrit

    freedom = topics - 1
    error = math.sqrt(2 * residual / topics)
    s = np.sqrt(gammaincinv(freedom / 2, (np.arange(ERROR_QUANTILES) + 0.5) / ERROR_QUANTILES) * 2 / freedom)
    reach = float(stdtrit(freedom, 1 - alpha)) * s
    shown = ndtr((margin - difference) / error - reach) + ndtr((margin + difference) / error - reach) - 1
    return float(np.maximum(shown, 0.0).mean())


def topics_for_equivalence(
    difference: float, margin: float, residual: float, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """The number of topics with which two one-sided tests show this with the given power.

    >>> topics_for_equivalence(0.0, 0.1, 0.05), topics_for_equivalence(0.05, 0.1, 0.05)
    (88, 249)
    """
    effect = _effect(margin - difference, residual, alpha, power)
    return _smallest_n(
        lambda n: power_of_equivalence(n, difference, margin, residual, alpha=alpha), power, 1 / effect**2
    )


def topics_for_sign_flips(level: float, sides: int = 2) -> int:
    """The number of topics a test needs for a p-value below the level if all their differences have the same sign.

    >>> topics_for_sign_flips(0.05), topics_for_sign_flips(0.05, sides=1), topics_for_sign_flips(0.05 / 105)
    (6, 5, 13)
    """
    return max(2, math.floor(-math.log2(level)) + sides)  # p is 2^-(T + 1 - sides)


def topics_for_anova(
    difference: float, residual: float, systems: int, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """The number of topics a one-way analysis of variance needs if the two extreme systems differ by `difference`.

    The variance within a system is assumed to be the residual variance [sakai2016].
    """
    _effect(difference, residual, alpha, power)
    if systems < 2:
        raise InputError(f"An analysis of variance needs at least two systems; found {systems}.")

    def power_of_anova(n: int) -> float:
        from scipy.special import fdtri, ncfdtr

        first, second = systems - 1, systems * (n - 1)
        shift = n * difference**2 / (2 * residual)
        return 1 - float(ncfdtr(first, second, shift, float(fdtri(first, second, 1 - alpha))))

    return _smallest_n(power_of_anova, power, residual / difference**2)


def topics_for_width(width: float, residual: float, *, alpha: float = 0.05) -> int:
    """The number of topics with which the expected interval of a difference is no wider than `width` [sakai2016].

    >>> topics_for_width(0.1, 0.05)
    156
    """
    _effect(width, residual, alpha, 0.5)

    def narrowness(n: int) -> float:
        from scipy.special import gammaln, stdtrit

        bias = math.sqrt(2 / (n - 1)) * math.exp(gammaln(n / 2) - gammaln((n - 1) / 2))  # c4: E(sd) / sigma
        return -float(stdtrit(n - 1, 1 - alpha / 2)) * bias * math.sqrt(2 * residual / n)

    return _smallest_n(narrowness, -width / 2, 2 * residual / width**2)


def _smallest_n(function: Callable[[int], float], target: float, start: float) -> int:
    """The smallest n from 2 on with function(n) >= target; the function increases with n."""
    high = max(2, math.ceil(start))
    while function(high) < target:
        high *= 2
    low = 1  # too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if function(middle) >= target else (middle, high)
    return high


def _effect(difference: float, residual: float, alpha: float, power: float) -> float:
    """The difference in standard deviations of a difference, after the arguments are checked."""
    if not difference > 0:
        raise InputError(argument("difference"), f" must be above 0; found {difference:g}.")
    if not residual > 0:
        raise InputError(f"The residual variance must be positive; found {residual:g}. Are all scores equal?")
    if not (0 < alpha < 1 and 0 < power < 1):
        problem = f" must be between 0 and 1; found {alpha:g} and {power:g}."
        raise InputError(argument("alpha"), " and ", argument("power"), problem)
    effect = difference / math.sqrt(2 * residual)
    if effect < SMALLEST_EFFECT:
        reason = f"A difference of {difference:g} is only {effect:.1g} standard deviations of a difference"
        fix = ", and takes about a billion topics or more; give a larger "
        raise InputError(reason, fix, argument("difference"), ".")
    return effect


def t_level(critical: Floats, freedom: Floats | float, sides: int = 2) -> Floats:
    """The level of a t-test with this critical value and these degrees of freedom.

    >>> t_level(np.array([2.0452296, 1.959964]), np.array([29, np.inf])).round(6)
    array([0.05, 0.05])
    """
    from scipy.special import stdtr

    return np.asarray(sides * stdtr(freedom, -critical), dtype=np.float64)


def remaining_variance(correlation: float, ratio: float, human: float, further: float) -> float:
    """The share of a mean's variance that remains when a model judges these human topics and further ones.

    `ratio` is the variance of the model's scores over that of the human ones. The weight of the model is the best one
    between 0 and 1 [angelopoulos2023]; unless it is capped at 1, the share is 1 - r² N / (n + N).

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
    """The number of human-judged topics with which a true difference is detected if a model also judges `further` ones.

    >>> human_topics(0.1, 0.05, 0.8, 1.0, 200), topics_for_t(0.1, 0.05)
    (39, 81)
    """
    _effect(difference, residual, alpha, power)

    def reached_power(n: int) -> float:
        share = remaining_variance(correlation, ratio, n, further)
        return power_of_t(n, difference, residual * share, alpha=alpha, sides=sides)

    return _smallest_n(reached_power, power, 2)
