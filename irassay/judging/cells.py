"""Where results lie in arrays [n, depth]: lists of like length together, so that room follows the results."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Ints
from irassay.io.order import Lists

Value = TypeVar("Value", bound=np.generic)

ROOM = 1 << 22  # cells that a batch may have, however many of them are past the end of a list
WASTE = 4  # cells for each result that a larger batch may have


@dataclass(frozen=True, eq=False)
class CellMap:
    """The cells of one batch: which row each list is, and how much of it is kept."""

    results: Lists
    row: Ints  # [list] row of the batch; -1 where the list is in another batch
    rows: Ints  # [n] which of all the rows these are
    retrieved: Ints  # [n]
    depth: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the batch."""
        return len(self.rows), self.depth

    def cell(self, place: Ints) -> tuple[Ints, Bools]:
        """Where those of some ascending places that the batch has are in the flattened arrays; which ones it has."""
        one = self.results.list_of(place)
        column = place - self.results.start[one]
        row = self.row[one]
        within = (column < self.depth) & (row >= 0)
        return (row * self.depth + column)[within], within

    def scatter(self, place: Ints, values: NDArray[Value], elsewhere: object) -> NDArray[Value]:
        """[n, depth] values [f] of the results at some ascending places; `elsewhere` at all others."""
        cell, within = self.cell(place)
        array = np.full(self.shape, elsewhere, dtype=values.dtype)
        array.ravel()[cell] = values[within]
        return array

    def layout(self, values: NDArray[Value], past: object) -> NDArray[Value]:
        """[n, depth] values by row of the run's frame; `past` beyond the end of a list."""
        place = np.arange(self.results.size.sum())
        return self.scatter(place, values[self.results.row(place)], past)


def cell_maps(results: Lists, row: Ints, n: int, depth: int | None = None) -> tuple[CellMap, ...]:
    """One map for each batch that n rows are put in, given the row [list] of each list, -1 where it is left out."""
    size = np.zeros(n, dtype=np.int64)
    size[row[row >= 0]] = results.size[row >= 0]
    size = size if depth is None else np.minimum(size, depth)
    maps = []
    for rows in by_length(size):
        position = np.full(n + 1, -1)
        position[rows] = np.arange(len(rows))
        maps.append(CellMap(results, position[row], rows, size[rows], int(size[rows].max(initial=0))))
    return tuple(maps)


def by_length(size: Ints) -> list[Ints]:
    """Which rows go together: all, unless as wide as the longest they would take far more room than the results.

    >>> [rows.tolist() for rows in by_length(np.array([2, 9, 2, 1]))]
    [[0, 1, 2, 3]]
    """
    whole = len(size) * int(size.max(initial=0))
    if whole <= max(ROOM, WASTE * int(size.sum())):
        return [np.arange(len(size))]
    power = np.ceil(np.log2(np.maximum(size, size[size > 0].min()))).astype(np.int64)
    return [np.flatnonzero(power == each) for each in np.unique(power)]
