"""Differences of systems from human and model scores together: prediction-powered estimates and intervals.

There are human scores on n topics, and a model's on the same and on N further topics. The model has one weight, pooled
over systems, so that differences add up. The topics with human scores must be a random subset of all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.stats.draws import slices

CACHED_ELEMENTS = 1 << 18  # numbers in one temporary array, so that several stay in the cache
MIN_HUMAN_TOPICS = 3  # because a weight is estimated without one of them


@dataclass(frozen=True, eq=False)
class PoweredEstimates:
    """Estimates for systems and pairs, and the largest |t| of each resample."""

    weight: float  # lambda: 0 uses the human scores only, 1 trusts the model as much as people
    mean: Floats  # [system]
    difference: Floats  # [pair] of system i and j
    error: Floats  # [pair]
    null: Floats  # [trial] the largest |t| over all pairs, ascending

    def critical(self, alpha: float) -> float:
        """What |t| must exceed for intervals that hold for all pairs together."""
        place = math.ceil((1 - alpha) * (len(self.null) + 1))
        return float(self.null[place - 1]) if place <= len(self.null) else math.inf

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """[pair] the ends of intervals that hold for all pairs together."""
        reach = np.where(self.error > 0, self.critical(alpha) * self.error, 0.0)
        return self.difference - reach, self.difference + reach

    @property
    def p(self) -> Floats:
        """[pair] the share of resamples with a larger |t| in any pair: p-values that hold for all pairs together."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.difference == 0, 0.0, np.abs(self.difference) / self.error)
        above = len(self.null) - np.searchsorted(self.null, t * (1 - 1e-12), side="left")
        return np.where(self.difference == 0, 1.0, (above + 1) / (len(self.null) + 1))


def pooled_weights(human: Floats, model: Floats, further: int) -> tuple[float, Floats]:
    """The weight of the model, and [topic] the weight without each topic, pooled over systems [angelopoulos2023].

    cov(Y, f) / ((1 + n/N) var(f)) of scores [system, topic] minus the mean of their topic, between 0 and 1.

    >>> pooled_weights(np.array([[1.0, 2, 4], [0, 0, 0]]), np.array([[1.0, 2, 4], [0, 0, 0]]), 9)[0]
    0.75
    """
    topics = human.shape[1]
    y, f = without_means(human), without_means(model)
    cross, square = (y * f).sum(axis=0), (f**2).sum(axis=0)  # [topic]
    without = topics / (topics - 1)
    covariance, variance = (np.append(each.sum() - without * each, each.sum()) for each in (cross, square))
    rounding = (1e-12 * np.abs(model).max(initial=0.0)) ** 2 * model.size  # all that is left of a model without spread
    varies = variance > max(1e-12 * square.sum(), rounding, 1e-300)
    ratio = np.where(varies, covariance / np.where(varies, variance, 1.0), 0.0)
    weights = np.clip(ratio / (1 + topics / further), 0, 1)
    return float(weights[-1]), weights[:-1]


def without_means(scores: Floats) -> Floats:
    """[system, topic, ...] the scores minus the means of topics and of systems."""
    scores = scores - scores.mean(axis=0)
    return scores - scores.mean(axis=1, keepdims=True)


def prediction_powered(
    human: Floats,
    model: Floats,
    further: Floats,
    i: Ints,
    j: Ints,
    *,
    weight: float | None = None,
    alone: PoweredEstimates | None = None,
    trials: int = 10_000,
    seed: int = 0,
) -> PoweredEstimates:
    """The estimates from human [system, n], model [system, n] and further model scores [system, N] for pairs (i, j).

    Without a weight, each labelled topic is corrected by the pooled weight estimated without it; a weight of 0 gives
    the classical estimates. Signs of centred residuals are drawn separately for topics with and without human scores.
    Critical values are never below those of the human scores alone, which are computed unless given.
    """
    topics, more = human.shape[1], further.shape[1]
    if topics < MIN_HUMAN_TOPICS:
        raise InputError(f"At least {MIN_HUMAN_TOPICS} topics need human and model scores; found {topics}.")
    weights = pooled_weights(human, model, more)[1] if weight is None else np.full(topics, float(weight))
    mean_weight = float(weights.mean())
    unlabelled = mean_weight * further.mean(axis=1) if mean_weight else np.zeros(len(human))
    mean = (human - weights * model).mean(axis=1) + unlabelled
    residual = human - weights * (model - model.mean(axis=1, keepdims=True))  # [system, topic]
    residual = residual - residual.mean(axis=1, keepdims=True)
    rest = mean_weight * (further - further.mean(axis=1, keepdims=True)) if mean_weight else further[:, :0]
    squares, squares_rest = _squares(residual, i, j), _squares(rest, i, j)
    error = np.sqrt(_variance(squares, topics) + _variance(squares_rest, rest.shape[1]))
    scale = np.abs(human).max(initial=0.0)
    error[error < 1e-12 * scale] = 0.0
    difference = mean[i] - mean[j]
    difference[np.abs(difference) < 1e-12 * scale] = 0.0
    varies = error > 0
    strata = ((residual, squares[varies]), (rest, squares_rest[varies]))
    null = _largest_t(strata, i[varies], j[varies], trials, seed)
    if mean_weight:
        human_only = alone or prediction_powered(human, model, further, i, j, weight=0.0, trials=trials, seed=seed)
        null = np.maximum(null, human_only.null)
    return PoweredEstimates(mean_weight, mean, difference, error, null)


def _squares(rows: Floats, i: Ints, j: Ints) -> Floats:
    """[pair] the sum of squares of the differences of rows [system, topic]."""
    squares = np.empty(len(i))
    for part in slices(len(i), CACHED_ELEMENTS // max(1, rows.shape[1])):
        squares[part] = ((rows[i[part]] - rows[j[part]]) ** 2).sum(axis=1)
    return squares


def _variance(squares: Floats, topics: int) -> Floats:
    """[...] the squared standard error of a mean over this many topics."""
    return squares / (topics * (topics - 1)) if topics > 1 else np.zeros_like(squares)


def _largest_t(strata: Sequence[tuple[Floats, Floats]], i: Ints, j: Ints, trials: int, seed: int) -> Floats:
    """[trial] the largest |t| over pairs under random signs of centred residuals, ascending.

    A stratum has residuals [system, topic] and [pair] the sums of squares of their differences.
    """
    if not len(i):
        return np.zeros(trials)
    rng = np.random.default_rng(seed)
    largest = np.empty(trials)
    for part in slices(trials, CACHED_ELEMENTS // len(i)):
        size = part.stop - part.start
        total: Floats = np.zeros((len(i), size))
        spread: Floats = np.zeros((len(i), size))
        for rows, square in strata:
            topics = rows.shape[1]
            if topics < 2:
                continue
            signs = rng.integers(0, 2, size=(topics, size)).astype(np.float64) * 2 - 1
            means = rows @ signs / topics  # [system, trial]
            mean = means[i] - means[j]
            total += mean
            spread += np.maximum(square[:, None] - topics * mean**2, 0.0) / (topics * (topics - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(spread > 0, np.abs(total) / np.sqrt(spread), np.where(total == 0, 0.0, np.inf))
        largest[part] = t.max(axis=0)
    return np.sort(largest)
