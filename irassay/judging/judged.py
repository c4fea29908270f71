"""What judging returns: rankings in batches of lists of like length, so that room follows the results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, NDArray
from irassay.notes import Note
from irassay.rankings.batch import Rankings, share, stacked

if TYPE_CHECKING:
    from polars import Series

    from irassay.io.tie_order import Lists
    from irassay.judging.lookup import Found

Value = TypeVar("Value", bound=np.generic)

ROOM = 1 << 22  # cells that a batch may have, however many of them are past the end of a list
WASTE = 4  # cells for each result that a larger batch may have


@dataclass(frozen=True, eq=False)
class CellMap:
    """The cells of one batch: which row each list is, and how much of it is kept."""

    results: "Lists"
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


def cell_maps(
    results: "Lists", row: Ints, n: int, depth: int | None = None, chosen: Ints | None = None
) -> tuple[CellMap, ...]:
    """One map for each batch that n rows are put in, given the row [list] of each list, -1 where it is left out.

    Only of some rows, where these are chosen.
    """
    size = np.zeros(n, dtype=np.int64)
    size[row[row >= 0]] = results.size[row >= 0]
    size = size if depth is None else np.minimum(size, depth)
    maps = []
    chosen = np.arange(n) if chosen is None else chosen
    for rows in (chosen[part] for part in by_length(size[chosen])):
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


def by_area(high: Ints, wide: Ints) -> list[Ints]:
    """Which things go together, as with `by_length`, where each is so high and so wide.

    >>> [each.tolist() for each in by_area(np.array([5000, 1, 2]), np.array([1, 5000, 1]))]
    [[1], [2], [0]]
    """
    if len(high) * int(high.max(initial=0)) * int(wide.max(initial=0)) <= max(ROOM, WASTE * int((high * wide).sum())):
        return [np.arange(len(high))]
    power = np.ceil(np.log2(np.maximum([high, wide], 1))).astype(np.int64)
    alike = power[0] << 6 | power[1]
    return [np.flatnonzero(alike == each) for each in np.unique(alike)]


@dataclass(frozen=True, eq=False)
class Batches:
    """Rankings in batches of like length, and which of all rows the rows of each batch are."""

    batches: tuple[Rankings, ...]
    rows: tuple[Ints, ...]
    about: tuple[Ints, ...] = field(
        default=(), kw_only=True
    )  # [batch][n] topics, where batches have pools of their own

    @property
    def topic(self) -> tuple[Ints, ...]:
        """[batch][n] which of all topics each row is about."""
        return self.about or tuple(r.topic for r in self.batches)

    @property
    def rankings(self) -> Rankings:
        """All rows in one batch, as wide as the longest list."""
        if len(self.batches) == 1:
            return self.batches[0]
        return stacked(self.batches)[np.argsort(np.concatenate(self.rows))]

    def in_order(self, parts: Sequence[NDArray[Value]]) -> NDArray[Value]:
        """[row, …] values of the rows of each batch, in the order of all rows."""
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts)[np.argsort(np.concatenate(self.rows))]


@dataclass(frozen=True, eq=False)
class JudgedQueries(Batches):
    """One ranking for each query of sessions; queries without results that follow one another share one."""

    session: Ints  # [row] which of the sessions
    times: Ints  # [row] how many queries the ranking stands for
    sessions: tuple[str, ...]

    def mean(self, scores: Floats) -> Floats:
        """[session] the mean of scores [row] over the queries of each session."""
        total, queries = np.zeros(len(self.sessions)), np.zeros(len(self.sessions))
        np.add.at(total, self.session, scores * self.times)
        np.add.at(queries, self.session, self.times)
        return share(total, queries)


@dataclass(frozen=True, eq=False)
class JudgedLists(Batches):
    """A run's lists with their grades, one a topic, and what a reader of its scores should know."""

    name: str
    topics: tuple[str, ...]  # what the rows of the pool are called
    notes: tuple[Note, ...]
    queries: JudgedQueries | None  # of sessions, for metrics that know none
    scanned_keys: tuple[NDArray[np.uint64], ...] = field(default=(), kw_only=True)

    def keys(self) -> tuple[NDArray[np.uint64], ...]:
        """[batch][n, depth] what the documents of the results are told by, judged or not, if that was asked for."""
        return self.scanned_keys


@dataclass(frozen=True, eq=False)
class Judged(JudgedLists):
    """The same, and where each result is in the run and in the pool."""

    cells: tuple[CellMap, ...]
    found: "Found"  # the judged results
    index: Ints  # [entry] where judged documents lie in the flattened pool
    documents: "Series"  # [row] of the run's frame

    def keys(self) -> tuple[NDArray[np.uint64], ...]:
        """[batch][n, depth] what the documents of the results are told by, judged or not."""
        from irassay.judging.lookup import keys

        found = keys(self.documents)
        return tuple(cells.layout(found, 0) for cells in self.cells)

    def places(self) -> tuple[NDArray[np.int32], ...]:
        """[batch][n, depth] where each result lies in the flattened pool; -1 where it is not judged."""
        place = self.index[self.found.entry].astype(np.int32)
        return tuple(cells.scatter(self.found.place, place, -1) for cells in self.cells)
