"""Differences of systems by human and model scores together: prediction-powered estimates and intervals.

Human scores of n topics, a model's of the same and of N further topics; one weight for the model, pooled over
systems, so that differences add up. Topics with human scores must be a random subset of all.
"""

import math
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError

ELEMENTS = 1 << 18  # numbers in one temporary array, so that several stay in the cache
MIN_HUMAN_TOPICS = 3  # topics with human scores, for a weight is found without one of them


@dataclass(frozen=True, eq=False)
class PoweredEstimates:
    """Estimates of systems and pairs, and the studentised largest deviations of resamples."""

    weight: float  # lambda: 0 is the human scores alone, 1 trusts the model as much as people
    mean: Floats  # [system]
    difference: Floats  # [pair] of system i and j
    error: Floats  # [pair]
    null: Floats  # [trial] the largest |t| over all pairs, ascending

    def critical(self, alpha: float) -> float:
        """What |t| must exceed for the intervals of all pairs together."""
        place = math.ceil((1 - alpha) * (len(self.null) + 1))
        return float(self.null[place - 1]) if place <= len(self.null) else math.inf

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """[pair] the ends of intervals that hold for all pairs together."""
        reach = np.where(self.error > 0, self.critical(alpha) * self.error, 0.0)
        return self.difference - reach, self.difference + reach

    @property
    def p(self) -> Floats:
        """[pair] the share of resamples with a larger |t| somewhere: p-values that hold for all pairs together."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.difference == 0, 0.0, np.abs(self.difference) / self.error)
        above = len(self.null) - np.searchsorted(self.null, t * (1 - 1e-12), side="left")
        return np.where(self.difference == 0, 1.0, (above + 1) / (len(self.null) + 1))


def pooled_weights(human: Floats, model: Floats, further: int) -> tuple[float, Floats]:
    """The weight of the model, and [topic] the same without each topic, pooled over systems [angelopoulos2023].

    cov(Y, f) / ((1 + n/N) var(f)) of scores [system, topic] less the mean of their topic, within 0 and 1.

    >>> pooled_weights(np.array([[1.0, 2, 4], [0, 0, 0]]), np.array([[1.0, 2, 4], [0, 0, 0]]), 9)[0]
    0.75
    """
    topics = human.shape[1]
    one, other = (each - each.mean(axis=0) for each in (human, model))
    one, other = (each - each.mean(axis=1, keepdims=True) for each in (one, other))
    cross, square = (one * other).sum(axis=0), (other**2).sum(axis=0)  # [topic]
    without = topics / (topics - 1)
    c, v = (
        np.append(cross.sum() - without * cross, cross.sum()),
        np.append(square.sum() - without * square, square.sum()),
    )
    known = v > 1e-12 * max(square.sum(), 1e-300)
    found = np.clip(np.where(known, c / np.where(known, v, 1.0), 0.0) / (1 + topics / further), 0, 1)
    return float(found[-1]), found[:-1]


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

    Without a weight, each labelled topic is corrected by the pooled weight found without it; a weight of 0 gives the
    classical estimates. Signs of centred residuals are drawn apart for topics with and without human scores. Critical
    values are never below those of the human scores alone, which are computed unless they are given.
    """
    topics, more = human.shape[1], further.shape[1]
    if topics < MIN_HUMAN_TOPICS:
        raise InputError(f"Human and model scores together need at least {MIN_HUMAN_TOPICS} human topics; found {topics}.")
    if weight is None:
        _, weights = pooled_weights(human, model, more)
    else:
        weights = np.full(topics, float(weight))
    mean_weight = float(weights.mean())
    unlabelled = mean_weight * further.mean(axis=1) if mean_weight else np.zeros(len(human))
    mean = (human - weights * model).mean(axis=1) + unlabelled
    residual = human - weights * (model - model.mean(axis=1, keepdims=True))  # [system, topic]
    residual = residual - residual.mean(axis=1, keepdims=True)
    rest = mean_weight * (further - further.mean(axis=1, keepdims=True)) if mean_weight else further[:, :0]
    squares, squares_rest = _squares(residual, i, j), _squares(rest, i, j)
    error = np.sqrt(_variance(squares, topics) + _variance(squares_rest, more if rest.shape[1] else 0))
    scale = np.abs(human).max(initial=0.0)
    error[error < 1e-12 * scale] = 0.0
    difference = mean[i] - mean[j]
    difference[np.abs(difference) < 1e-12 * scale] = 0.0
    null = _largest(residual, rest, i, j, (squares, squares_rest), error > 0, trials, seed)
    if mean_weight:
        alone = alone or prediction_powered(human, model, further, i, j, weight=0.0, trials=trials, seed=seed)
        null = np.maximum(null, alone.null)
    return PoweredEstimates(mean_weight, mean, difference, error, null)


def _squares(rows: Floats, i: Ints, j: Ints) -> Floats:
    """[pair] the sum of squares of the differences of rows [system, topic]."""
    step = max(1, ELEMENTS // max(1, rows.shape[1]))
    parts = [((rows[i[s : s + step]] - rows[j[s : s + step]]) ** 2).sum(axis=1) for s in range(0, len(i), step)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _variance(squares: Floats, topics: int) -> Floats:
    """[...] the squared error of a mean over so many topics."""
    return squares / (topics * (topics - 1)) if topics > 1 else np.zeros_like(squares)


def _largest(
    residual: Floats,
    rest: Floats,
    i: Ints,
    j: Ints,
    squares: tuple[Floats, Floats],
    known: Bools,
    trials: int,
    seed: int,
) -> Floats:
    """[trial] the largest |t| over pairs when centred residuals get random signs, ascending."""
    if not known.any():
        return np.zeros(trials)
    rng = np.random.default_rng(seed)
    i, j, squares = i[known], j[known], (squares[0][known], squares[1][known])
    found = np.empty(trials)
    step = max(1, ELEMENTS // len(i))
    for start in range(0, trials, step):
        size = min(step, trials - start)
        total: Floats = np.zeros((len(i), size))
        spread: Floats = np.zeros((len(i), size))
        for rows, square in zip((residual, rest), squares, strict=True):
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
        found[start : start + size] = t.max(axis=0)
    return np.sort(found)
