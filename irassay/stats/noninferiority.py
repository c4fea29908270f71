"""Is a mean no worse than before: one-sided limits of its change, also where a few topics may lose much."""

import math

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.stats.power import SMALLEST_EFFECT, topics_for_t

POWER = 0.8  # with which a system of unchanged quality should pass


def student_limits(change: Floats, alpha: float) -> tuple[Floats, Floats]:
    """[metric], [metric] the lower and the upper one-sided limit of the mean change [metric, topic] at 1 - alpha.

    >>> [limit.round(4).tolist() for limit in student_limits(np.array([[0.1, 0.0, 0.2, 0.1]]), 0.05)]
    [[0.0039], [0.1961]]
    """
    from scipy.special import stdtrit

    topics = change.shape[1]
    reach = stdtrit(topics - 1, 1 - alpha) * change.std(axis=1, ddof=1) / math.sqrt(topics)
    return change.mean(axis=1) - reach, change.mean(axis=1) + reach


def worse_p(change: Floats, tolerance: float) -> Floats:
    """[metric] p of Student's test that the mean change [metric, topic] is not below -tolerance."""
    from scipy.special import stdtr

    topics = change.shape[1]
    error = change.std(axis=1, ddof=1) / math.sqrt(topics)
    excess = change.mean(axis=1) + tolerance
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, excess / error, np.sign(excess) * np.inf)
    return np.where(np.isnan(t), 0.5, stdtr(topics - 1, t))


def loss_limit(change: Floats, alpha: float) -> Floats:
    """[metric] a lower limit of the mean change [metric, topic] that holds where few topics lose, and lose much.

    Student's limit is too high there, because differences are skewed. The sum of the losses gets the upper limit of a
    weighted sum of Poisson counts [fay1997], a gamma quantile with mean y + w and variance v + w²: y and v are the sums
    of the losses and of their squares, and w is the largest loss. If all losses are equal, it is the exact limit of
    their number. Gains count as they are.

    >>> loss_limit(np.array([[-0.5] + [0.0] * 99]), 0.05).round(4).tolist()  # 4.74 losses of .5
    [-0.0237]
    """
    from scipy.special import gammaincinv

    loss, gain = np.maximum(-change, 0.0), np.maximum(change, 0.0)
    largest = loss.max(axis=1)
    mean, variance = loss.sum(axis=1) + largest, (loss**2).sum(axis=1) + largest**2
    has_loss = largest > 0
    shape = np.divide(mean**2, variance, out=np.ones_like(mean), where=has_loss)
    scale = np.divide(variance, mean, out=np.zeros_like(mean), where=has_loss)
    return np.asarray((gain.sum(axis=1) - scale * gammaincinv(shape, 1 - alpha)) / change.shape[1])


def unseen_share(topics: int, alpha: float) -> float:
    """The largest share of topics that may be hit although none of these was: the rule of three [hanley1983].

    >>> round(unseen_share(600, 0.05), 6)
    0.004993
    """
    return -math.log(alpha) / topics


def topics_to_pass(change: Floats, tolerance: float, alpha: float) -> Ints:
    """[metric] the topics with which a system of unchanged quality passes Student's limit in 80 % of cases.

    The standard deviation is that of the change [metric, topic]; -1 if no number of topics is enough.
    """
    spread = change.std(axis=1, ddof=1)
    numbers = []
    for each in spread.tolist():
        if each == 0:
            numbers.append(2)
        elif tolerance / each < SMALLEST_EFFECT:
            numbers.append(-1)
        else:
            numbers.append(topics_for_t(tolerance, each**2 / 2, alpha=alpha, power=POWER, sides=1))
    return np.array(numbers, dtype=np.int64)


def topics_to_see(loss: float, tolerance: float, alpha: float) -> int:
    """The topics from which losses of this size that are not seen cannot lower the mean by the tolerance; -1 if none.

    >>> topics_to_see(1.0, 0.005, 0.05)
    600
    """
    return math.ceil(-math.log(alpha) * loss / tolerance) if tolerance > 0 else -1
