"""Tied results: the groups of a list whose order the run leaves open, and the lists with them in other orders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.rankings.batch import BY_RANK, Rankings


@dataclass(frozen=True, eq=False)
class TieGroups:
    """Which results of each list are tied: those with the same number, which are at consecutive ranks."""

    group: Ints  # [n, depth] ascending from 0 in each row; past the list, each rank has its own

    @classmethod
    def of(cls, key: Floats) -> "TieGroups":
        """The groups of results with equal keys, from keys in ranked order [n, depth]; NaN past a list.

        >>> TieGroups.of(np.array([[3.0, 2, 2, np.nan, np.nan]])).group
        array([[0, 1, 1, 2, 3]])
        """
        new = np.ones(key.shape, dtype=np.int64)
        new[:, :1] = 0
        new[:, 1:] = key[:, 1:] != key[:, :-1]
        return cls(np.cumsum(new, axis=1))

    def __getitem__(self, rows: Ints) -> "TieGroups":
        return TieGroups(self.group[rows])

    def top(self, k: int) -> "TieGroups":
        """The groups of the first k ranks."""
        return TieGroups(self.group[:, :k])

    def totals(self, values: Floats | Bools) -> Floats:
        """[n, depth] the sum of values [n, depth] over the group of each result."""
        rows, depth = self.group.shape
        place = (self.group + depth * np.arange(rows)[:, None]).ravel()
        return np.bincount(place, values.ravel(), rows * depth)[place].reshape(rows, depth)

    @cached_property
    def size(self) -> Floats:
        """[n, depth] the number of results in the group of each result."""
        return self.totals(np.ones(self.group.shape))

    @cached_property
    def start(self) -> Ints:
        """[n, depth] the number of ranks before the group of each result."""
        rank = np.arange(self.group.shape[1])
        new = np.ones(self.group.shape, dtype=np.bool_)
        new[:, 1:] = np.diff(self.group, axis=1) > 0
        return np.maximum.accumulate(np.where(new, rank, 0), axis=1)

    def order_by(self, key: Floats) -> Ints:
        """[n, depth] the places of results in the order of ascending keys [n, depth] inside groups."""
        return np.lexsort((key, self.group), axis=1)


def reordered(r: Rankings, order: Ints) -> Rankings:
    """The lists with their results in another order [n, depth]."""
    arrays = {name: array for name, array in r._arrays(BY_RANK) if len(array) == len(r)}
    moved: dict[str, Any] = {
        name: np.take_along_axis(array, order if array.ndim == 2 else order[:, :, None], axis=1)
        for name, array in arrays.items()
    }
    return replace(r, **moved, passages=r.passages.reordered(order))


def arrangement_count(groups: Sequence[Sequence[int]]) -> int:
    """The number of orders of groups of codes that differ, where equal codes are alike.

    >>> arrangement_count([[1, 0, 0], [2, 1]])
    6
    """
    return prod(_multinomial(group) for group in groups)


def _multinomial(codes: Sequence[int]) -> int:
    counts = np.unique(codes, return_counts=True)[1].tolist()
    return prod(comb(sum(counts[: n + 1]), count) for n, count in enumerate(counts))


def arrangements(groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The orders of groups of codes that differ, as the places of all results, group after group.

    >>> list(arrangements([[1, 0, 0]]))
    [[1, 2, 0], [1, 0, 2], [0, 1, 2]]
    """
    starts = np.cumsum([0, *map(len, groups)])
    by_group = zip(starts.tolist(), groups, strict=False)
    parts = ([[start + place for place in order] for order in _orders(group)] for start, group in by_group)
    for chosen in product(*parts):
        yield [place for part in chosen for place in part]


def _orders(codes: Sequence[int]) -> Iterator[list[int]]:
    """The orders of codes that differ, as their places."""
    waiting = {code: [i for i, each in enumerate(codes) if each == code] for code in sorted(set(codes))}

    def rest(taken: dict[int, int], length: int) -> Iterator[list[int]]:
        if length == len(codes):
            yield []
        for code, places in waiting.items():
            if taken[code] < len(places):
                after = taken | {code: taken[code] + 1}
                yield from ([places[taken[code]], *more] for more in rest(after, length + 1))

    return rest(dict.fromkeys(waiting, 0), 0)
