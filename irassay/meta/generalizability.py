"""Generalizability: how reliable the means over these topics are, and how many topics would be needed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first, checked_alpha, complete_scores
from irassay.meta.shared_options import Alpha
from irassay.method import method
from irassay.results import Result
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.levels import alpha_of_level
from irassay.stats.variance_components import (
    MeanSquares,
    absolute_limits,
    mean_squares,
    relative_limits,
    reliability,
    topics_needed,
)

ORDINARY_LIMIT = 2.0**300  # squares of scores beyond this, or of scores all below its inverse, overflow or underflow
ROUNDING = 1e-12  # mean squares that differ by less than this share are equal

COMPONENTS = ("system", "topic", "residual")
Ends = tuple[Floats, Floats]  # of an interval, low and high, [metric] each
Limits = Callable[[MeanSquares, int, int, float], Ends]  # from systems, topics and the share of one tail


@dataclass(frozen=True, eq=False, repr=False)
class Generalizability(Result):
    """The variance of scores due to systems, topics and the residual, and the reliability of means that follows.

    E rho² is the reliability of differences between systems, which the difficulty of topics does not affect; Phi is
    that of the means themselves.
    """

    saved_as: ClassVar[str] = "generalizability"

    metrics: tuple[str, ...]
    systems: int
    topics: int
    alpha: float
    wanted: float  # reliability to plan topics for
    sizes: tuple[int, ...]  # numbers of topics to report reliability for (the D-study)
    unit: Floats  # [metric] scores were divided by this so that squares do not overflow; almost always 1
    by_system: Floats  # [metric] mean squares
    by_topic: Floats  # [metric]
    residual: Floats  # [metric]

    @property
    def squares(self) -> MeanSquares:
        """The mean squares of the scores divided by their unit."""
        return MeanSquares(self.by_system, self.by_topic, self.residual)

    def _variance_parts(self) -> tuple[Floats, Floats, Floats]:
        """[metric] the variance due to systems, topics and the residual, of the divided scores; never below 0."""
        system, topic = (np.maximum(0.0, square - self.residual) for square in (self.by_system, self.by_topic))
        system, topic = (np.where(part <= ROUNDING * self.residual, 0.0, part) for part in (system, topic))
        return system / self.topics, topic / self.systems, self.residual

    def components(self) -> dict[str, Floats]:
        """[metric] the variance components in squares of the metric's unit: system, topic, residual."""
        return {name: part * self.unit**2 for name, part in zip(COMPONENTS, self._variance_parts(), strict=True)}

    def shares(self) -> dict[str, Floats]:
        """[metric] the variance components as shares of their sum; NaN if all scores are equal."""
        parts = self._variance_parts()
        with np.errstate(invalid="ignore"):
            return {name: part / sum(parts) for name, part in zip(COMPONENTS, parts, strict=True)}

    def relative(self, topics: int | None = None) -> Floats:
        """[metric] E rho², the reliability of differences of means over this many topics; by default over these."""
        return reliability(self._ratios()[0], self._topic_count(topics))

    def absolute(self, topics: int | None = None) -> Floats:
        """[metric] Phi, the reliability of means over this many topics; by default over these."""
        return reliability(self._ratios()[1], self._topic_count(topics))

    def interval(self, level: float | None = None, topics: int | None = None) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of E rho², by default at 1 - alpha and over these topics."""
        return self._interval(relative_limits, level, topics)

    def absolute_interval(self, level: float | None = None, topics: int | None = None) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of Phi, by default at 1 - alpha and over these topics."""
        return self._interval(absolute_limits, level, topics)

    def _interval(self, limits: Limits, level: float | None, topics: int | None) -> Ends:
        """[metric] the reliability at the ends of an interval of the ratio of variances."""
        low, high = limits(self.squares, self.systems, self.topics, alpha_of_level(level, self.alpha) / 2)
        return reliability(low, self._topic_count(topics)), reliability(high, self._topic_count(topics))

    def topics_for_relative(self, wanted: float | None = None) -> tuple[Floats, Floats, Floats]:
        """[metric] how many topics give this E rho², and the lowest and highest number by the interval."""
        return self._topics_needed(self._ratios()[0], relative_limits, wanted)

    def topics_for_absolute(self, wanted: float | None = None) -> tuple[Floats, Floats, Floats]:
        """[metric] how many topics give this Phi, and the lowest and highest number by the interval."""
        return self._topics_needed(self._ratios()[1], absolute_limits, wanted)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their E rho² over these topics, the most reliable first."""
        return best_first(self.metrics, self.relative())

    def _topic_count(self, topics: int | None) -> int:
        if topics is not None and topics < 1:
            raise InputError(argument="topics", value=topics, expected="1 or more")
        return self.topics if topics is None else topics

    def _topics_needed(self, ratio: Floats, limits: Limits, wanted: float | None) -> tuple[Floats, Floats, Floats]:
        """[metric] the topics needed by a ratio of variances, and by the ends of its interval."""
        target = checked_reliability(self.wanted if wanted is None else wanted)
        low, high = limits(self.squares, self.systems, self.topics, self.alpha / 2)
        return topics_needed(ratio, target), topics_needed(high, target), topics_needed(low, target)

    def _ratios(self) -> tuple[Floats, Floats]:
        """[metric] the variance due to systems by the error variance of a difference, and of a mean, for one topic."""
        system, topic, residual = self._variance_parts()
        with np.errstate(divide="ignore", invalid="ignore"):
            return system / residual, system / (topic + residual)


@method(
    "How reliable are means over these topics, and how many topics are needed?",
    cite="bodoff2007 urbano2013 brennan2001 feldt1965 arteaga1982",
    affine=True,
    least_runs=2,
    examples=("irassay meta generalizability qrels.txt runs/ -m nDCG@10 -m AP --reliability 0.9",),
)
def generalizability(
    scores: Scores,
    *,
    reliability: Annotated[float, Option("Reliability to plan topics for.", low=0, high=1, open="both")] = 0.95,
    topics: Annotated[
        tuple[int, ...],
        Option(
            "Numbers of topics to report reliability for, separated by commas.", shown="these and round numbers", low=1
        ),
    ] = (),
    alpha: Alpha = 0.05,
) -> Generalizability:
    """Estimate how reliable means over topics are: variance components, E rho² and Phi with intervals, topics needed.

    Systems and topics are both treated as samples [bodoff2007, urbano2013]. E rho² is the reliability of differences
    between systems, Phi that of the means themselves. The interval of E rho² is Feldt's, from the F ratio; that of Phi
    is by Arteaga, Jeyaratnam and Franklin [brennan2001]. Both intervals assume normal effects: in simulations 94 to
    97 % of 95 % intervals contained the true value, but 74 to 88 % with exponential effects.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> found = generalizability(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)))
    >>> [round(float(value[0]), 4) for value in (found.relative(), found.absolute(), *found.interval())]
    [0.9799, 0.9444, 0.8539, 0.9995]
    """
    checked_alpha(alpha)
    complete = complete_scores(scores, "Generalizability")
    largest = np.abs(complete.values).max(axis=(0, 1))
    odd = (largest > ORDINARY_LIMIT) | (largest < 1 / ORDINARY_LIMIT) & (largest > 0)
    unit = np.where(odd, 2.0 ** np.clip(np.frexp(largest)[1], -1022, 1023), 1.0)
    noise = complete.scores.noise() / unit
    squares = [np.where(square <= noise**2, 0.0, square) for square in mean_squares(complete.values / unit)]
    size = complete.values.shape[1]
    return Generalizability(
        metrics=complete.scores.metrics,
        systems=len(complete.scores.systems),
        topics=size,
        alpha=alpha,
        wanted=reliability,
        sizes=tuple(sorted({*topics} or {10, 25, 50, 100, 200, size})),
        unit=unit,
        by_system=squares[0],
        by_topic=squares[1],
        residual=squares[2],
        notes=complete.notes,
    )


def checked_reliability(reliability: float) -> float:
    """The reliability; InputError unless it lies between 0 and 1."""
    if not 0 < reliability < 1:
        raise InputError(argument("reliability"), f" must lie between 0 and 1; found {reliability:g}.")
    return reliability
