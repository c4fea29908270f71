"""Standings: the wins of metrics in intuitiveness or unanimity, by round and overall, and their dense ranks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.meta.pair_verdicts import PairwiseResult, Sets
from irassay.results import Result
from irassay.scores import Scores
from irassay.stats.compare_correlations import correlation_tail, midranks, pearson

MAX_EXACT_METRICS = 8  # the largest number of metrics for which every order is tried


@dataclass(frozen=True, eq=False, repr=False)
class Standings(Result):
    """How often each metric wins, for every set of simple metrics in every round, and overall."""

    saved_as: ClassVar[str] = "standings"
    view_in: ClassVar[str] = "irassay.views.leaderboard"

    metrics: tuple[str, ...]
    sets: Sets
    rounds: tuple[str, ...]  # iterations, cutoffs, or anything else that was repeated
    wins: Ints  # [round, set, metric] summed over collections
    each: tuple[Result, ...] = ()  # [round] the result of every round, if kept

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and their wins over all rounds, most first, for the first set of simple metrics."""
        return best_first(self.metrics, self.overall()[0])

    def overall(self) -> Ints:
        """[set, metric] wins over all rounds."""
        return self.wins.sum(axis=0)

    def ranks(self) -> Ints:
        """[round, set, metric] dense ranks: 1 for the most wins; equal numbers share a rank."""
        return dense_ranks(self.wins)

    def overall_ranks(self) -> Ints:
        """[set, metric] dense ranks over all rounds."""
        return dense_ranks(self.overall())


def standings_by_round(method: Callable[[Scores], Any], cubes: Mapping[str, Scores]) -> Standings:
    """The standings of a method over the scores of every round, with the result of each round."""
    results = {name: method(cube) for name, cube in cubes.items()}
    notes = tuple(dict.fromkeys(note for result in results.values() for note in result.notes))
    first = next(iter(results.values()))
    settings = replace(first.settings, given={"by": "iteration", **first.settings.given})
    return replace(standings(results), each=tuple(results.values()), notes=notes, settings=settings)


def standings(results: Mapping[str, PairwiseResult], **question: Any) -> Standings:
    """The standings of the results of several rounds; `question` is passed to their `wins`."""
    if not results:
        raise InputError("Standings need at least one result; give one.")
    first = next(iter(results.values()))
    for name, result in results.items():
        if (result.metrics, result.sets) != (first.metrics, first.sets):
            raise InputError(f"Round '{name}' has other metrics than the first round; give the same to all.")
    wins = np.stack([result.wins(**question).sum(axis=0) for result in results.values()])
    return Standings(first.metrics, first.sets, tuple(results), wins)


def dense_ranks(wins: Ints) -> Ints:
    """[..., metric] 1 for the most wins, 2 for the next number of wins, and so on.

    >>> dense_ranks(np.array([3, 5, 3, 0]))
    array([2, 1, 2, 3])
    """
    rows = [np.unique(-row, return_inverse=True)[1] + 1 for row in wins.reshape(-1, wins.shape[-1])]
    return np.array(rows, dtype=np.int64).reshape(wins.shape)


def rank_agreement(first: NDArray[Any], second: NDArray[Any], exact: bool = False) -> tuple[Floats, Floats]:
    """[...] Spearman's rho of two rankings [..., metric] and its p, by the t approximation or over every order.

    >>> rho, p = rank_agreement(np.array([1, 2, 3, 4, 5]), np.array([1, 2, 3, 5, 4]), exact=True)
    >>> round(rho.item(), 2), round(p.item(), 4)
    (0.9, 0.0833)
    """
    x, y = midranks(np.asarray(first, np.float64)), midranks(np.asarray(second, np.float64))
    rho = np.asarray(pearson(x, y))
    n = x.shape[-1]
    if not exact:
        return rho, correlation_tail(rho, n - 2)
    if n > MAX_EXACT_METRICS:
        raise InputError(f"{n} metrics have too many orders for an exact p-value; leave out ", argument("exact"), ".")
    orders = np.array(list(permutations(range(n))))
    permuted = pearson(x[..., None, :], y[..., orders])  # [..., order]
    return rho, np.asarray((np.abs(permuted) >= np.abs(rho)[..., None] - 1e-12).mean(axis=-1))
