"""The jackknife, with one topic or many left out: intervals over topics for statistics without a formula."""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument

HALF_SUBSETS = 400  # halves of the topics that are left out in turn
NO_ERROR = 1e-12  # smaller errors are rounding
LARGEST_CORRELATION = 1 - 1e-12  # artanh is finite up to here


def kept_topics(topics: int, left_out: int, subsets: int, seed: int) -> Bools:
    """[subset, topic] which topics are kept when `left_out` of them are not: all choices, or `subsets` random ones.

    >>> kept_topics(3, 1, 100, seed=0).astype(int)
    array([[0, 1, 1],
           [1, 0, 1],
           [1, 1, 0]])
    """
    if not 0 < left_out < topics:
        raise InputError(f"The jackknife leaves out 1 to {topics - 1} of {topics} topics; found {left_out}.")
    if subsets < 2:
        raise InputError(
            "The jackknife needs at least 2 subsets of the topics; found ", argument("subsets", subsets), "."
        )
    if math.comb(topics, left_out) <= subsets:
        out = np.array(list(itertools.combinations(range(topics), left_out)))
    else:
        drawn = np.random.default_rng(seed).random((subsets, topics))
        out = np.argpartition(drawn, left_out - 1, axis=1)[:, :left_out]
    kept = np.ones((len(out), topics), dtype=np.bool_)
    np.put_along_axis(kept, out, False, axis=1)
    return kept


def halved_means(seed: int, *cubes: Floats) -> list[Floats]:
    """[subset, metric, system] the means of each cube [system, topic, metric] without half of the topics.

    All cubes are cut to the same topics.

    >>> [means] = halved_means(0, np.array([[[1.0], [2.0], [6.0]]]))
    >>> means[:, 0, 0]
    array([4. , 3.5, 1.5])
    """
    topics = cubes[0].shape[1]
    out = topics // 2  # see jackknife_error
    kept = kept_topics(topics, out, HALF_SUBSETS, seed) / (topics - out)  # [subset, topic]
    return [np.einsum("kt,stm->kms", kept, cube) for cube in cubes]


def normal_critical(alpha: float) -> float:
    """The two-sided critical value of a normal estimate at alpha, in standard errors.

    >>> round(normal_critical(0.05), 6)
    1.959964
    """
    from scipy.special import ndtri

    return float(ndtri(1 - alpha / 2))


def student_critical(alpha: float, number: int) -> float:
    """The two-sided critical value of Student's t at alpha, with standard errors from this number of topics or folds.

    >>> round(student_critical(0.05, 50), 6)
    2.009575
    """
    from scipy.special import stdtrit

    return float(stdtrit(number - 1, 1 - alpha / 2))


def jackknife_error(statistics: Floats, topics: int, left_out: int) -> Floats:
    """[...] the standard error of a statistic, from its values [subset, ...] without each subset of topics [shao1989].

    A rank correlation jumps where two systems change places. For such a statistic half of the topics must be left out,
    so that subsets differ from all topics as much as samples differ from each other: with a fifth left out, the error
    of tau is too large.

    With one topic left out at a time, the error of a mean is the ordinary one:

    >>> x = np.array([1.0, 2.0, 4.0])
    >>> float(jackknife_error(np.array([3.0, 2.5, 1.5]), 3, 1).round(6)), float((x.std(ddof=1) / 3**0.5).round(6))
    (0.881917, 0.881917)
    """
    return np.sqrt((topics - left_out) / left_out * statistics.var(axis=0))


@dataclass(frozen=True, eq=False)
class DeleteOne:
    """An estimate with its error over topics, from its values without each topic.

    >>> x = np.array([1.0, 2.0, 6.0])
    >>> mean = DeleteOne(x.mean(), (x.sum() - x) / 2, np.array([True] * 3))
    >>> float(mean.error.round(6)), float((x.std(ddof=1) / 3**0.5).round(6)), float(mean.p.round(4))
    (1.527525, 1.527525, 0.1885)
    """

    estimate: Floats  # [...]
    without: Floats  # [topic, ...]
    counted: Bools  # [topic, ...] whether the topic belongs to the estimate's data
    size: Floats | None = None  # [topic, ...] how much the topic weighs in the estimate; None: topics count the same

    @cached_property
    def topics(self) -> Floats:
        """[...] topics that belong to the estimate's data."""
        return np.broadcast_to(self.counted, self.without.shape).sum(axis=0).astype(np.float64)

    @cached_property
    def deviations(self) -> Floats:
        """[topic, ...] the values without each topic minus their mean; 0 where the topic is not counted."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(self.counted, self.without, 0.0).sum(axis=0) / self.topics
            return np.where(self.counted, self.without - mean, 0.0)

    @cached_property
    def error(self) -> Floats:
        """[...] the standard error; NaN with fewer than two topics, or if a topic cannot be left out."""
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt((self.topics - 1) / self.topics * (self.deviations**2).sum(axis=0))
        return np.where(self.topics > 1, np.where(error < NO_ERROR, 0.0, error), np.nan)

    @cached_property
    def freedom(self) -> Floats:
        """[...] degrees of freedom of the error, at least 1; topics of unequal size count as (sum w)² / sum w²."""
        if self.size is None:
            return np.maximum(self.topics - 1, 1.0)
        size = np.where(self.counted, self.size, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            effective = size.sum(axis=0) ** 2 / (size**2).sum(axis=0)
        return np.fmax(np.broadcast_to(effective, self.topics.shape) - 1, 1.0)

    @cached_property
    def kurtosis_freedom(self) -> Floats:
        """[...] degrees of freedom of the error, fewer than `freedom` if a few topics make most of it.

        A variance of n values with kurtosis k has the relative variance (k - (n - 3) / (n - 1)) / n. Satterthwaite's
        degrees of freedom are 2 divided by that: n - 1 for normal values, k = 3. The kurtosis found is multiplied by
        (n + 1) / (n - 1), so that it is 3 on average then.

        >>> x = np.array([0.0] * 8 + [1.0, 9.0])  # one topic makes most of the error
        >>> DeleteOne(x.mean(), (x.sum() - x) / 9, np.array([True] * 10)).kurtosis_freedom.round(1)
        np.float64(2.2)
        """
        n = self.topics
        with np.errstate(invalid="ignore", divide="ignore"):
            kurtosis = n * (self.deviations**4).sum(axis=0) / (self.deviations**2).sum(axis=0) ** 2
            found = 2 * n / (kurtosis * (n + 1) / (n - 1) - (n - 3) / (n - 1))
        return np.fmax(np.fmin(self.freedom, found), 1.0)

    def interval(self, alpha: float, low: float = -np.inf, high: float = np.inf) -> tuple[Floats, Floats]:
        """[...] the ends of the interval by Student's t, inside these limits; NaN if there is none.

        An error of 0 gives none: it says that nothing varies here, not that nothing would vary on other topics.
        """
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, 1 - alpha / 2) * np.where(self.error > 0, self.error, np.nan)
        return np.maximum(self.estimate - reach, low), np.minimum(self.estimate + reach, high)

    def correlation_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """[...] the ends of the interval of a statistic from -1 to 1, by Student's t on Fisher's scale artanh(e).

        The error is error / (1 - e²) there. benchmarks/judge_statements.py prints how often these intervals of kappa
        and alpha contain the true value, and how often those of Student's t alone do.
        """
        from scipy.special import stdtrit

        inside = np.clip(self.estimate, -LARGEST_CORRELATION, LARGEST_CORRELATION)
        error = np.where(self.error > 0, self.error, np.nan) / (1 - inside**2)
        reach = stdtrit(self.kurtosis_freedom, 1 - alpha / 2) * error
        return np.tanh(np.arctanh(inside) - reach), np.tanh(np.arctanh(inside) + reach)

    @property
    def p(self) -> Floats:
        """[...] the two-sided p-value of Student's t that the estimate is 0; 0 or 1 if no topic changes it."""
        from scipy.special import stdtr

        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(np.abs(self.estimate) > NO_ERROR, np.abs(self.estimate) / self.error, 0.0 * self.error)
        return 2 * stdtr(np.maximum(self.topics - 1, 1), -t)
