"""Judged runs: rankings in batches of lists of similar length, so that memory follows the number of results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, NDArray, share
from irassay.notes import Note
from irassay.rankings.batch import Rankings, stacked_batches
from irassay.rankings.ties import TieGroups

if TYPE_CHECKING:
    from polars import Series

    from irassay.io.tie_order import OrderedLists
    from irassay.judging.lookup import JudgedResults

Value = TypeVar("Value", bound=np.generic)

MAX_CELLS = 1 << 22  # cells of a batch, however many of them are past the end of a list
CELLS_PER_RESULT = 4  # at most, in a larger batch


def positions_among(some: Ints, total: int) -> Ints:
    """[total] the position of each number below the total among some numbers; -1 if it is not one of them.

    >>> positions_among(np.array([3, 0]), 4)
    array([ 1, -1, -1,  0])
    """
    position = np.full(total, -1)
    position[some] = np.arange(len(some))
    return position


@dataclass(frozen=True, eq=False)
class CellMap:
    """The cells of one batch: the row of each list, and how much of it is kept."""

    results: "OrderedLists"
    row: Ints  # [list] row of the batch; -1 if the list is in another batch
    rows: Ints  # [n] which of all the rows these are
    retrieved: Ints  # [n]
    depth: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the batch."""
        return len(self.rows), self.depth

    def cell(self, place: Ints) -> tuple[Ints, Bools]:
        """The cells of some ascending places in the flattened arrays, and which of the places the batch has."""
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


def cell_maps(results: "OrderedLists", row: Ints, n: int, depth: int | None, chosen: Ints) -> tuple[CellMap, ...]:
    """One map for each batch of the chosen ones of n rows, given the row [list] of each list (-1: left out)."""
    size = np.zeros(n, dtype=np.int64)
    size[row[row >= 0]] = results.size[row >= 0]
    size = size if depth is None else np.minimum(size, depth)
    maps = []
    for rows in (chosen[part] for part in rows_by_length(size[chosen])):
        position = positions_among(rows, n + 1)  # the last one is for lists left out
        maps.append(CellMap(results, position[row], rows, size[rows], int(size[rows].max(initial=0))))
    return tuple(maps)


def rows_by_length(size: Ints) -> list[Ints]:
    """The rows of each batch: all in one, unless padding to the longest would need far more memory than the results.

    >>> [rows.tolist() for rows in rows_by_length(np.array([2, 9, 2, 1]))]
    [[0, 1, 2, 3]]
    """
    whole = len(size) * int(size.max(initial=0))
    if whole <= max(MAX_CELLS, CELLS_PER_RESULT * int(size.sum())):
        return [np.arange(len(size))]
    power = np.ceil(np.log2(np.maximum(size, size[size > 0].min()))).astype(np.int64)
    return [np.flatnonzero(power == each) for each in np.unique(power)]


def groups_by_area(high: Ints, wide: Ints) -> list[Ints]:
    """Groups of items that go together, as with `rows_by_length`, given the height and width of each item.

    >>> [each.tolist() for each in groups_by_area(np.array([5000, 1, 2]), np.array([1, 5000, 1]))]
    [[1], [2], [0]]
    """
    whole = len(high) * int(high.max(initial=0)) * int(wide.max(initial=0))
    if whole <= max(MAX_CELLS, CELLS_PER_RESULT * int((high * wide).sum())):
        return [np.arange(len(high))]
    power = np.ceil(np.log2(np.maximum([high, wide], 1))).astype(np.int64)
    alike = power[0] << 6 | power[1]
    return [np.flatnonzero(alike == each) for each in np.unique(alike)]


@dataclass(frozen=True, eq=False)
class Batches:
    """Rankings in batches of similar length, and the numbers of each batch's rows among all rows."""

    batches: tuple[Rankings, ...]
    rows: tuple[Ints, ...]
    about: tuple[Ints, ...] = field(default=(), kw_only=True)  # [batch][n] topics, if batches have their own pools

    @property
    def topic(self) -> tuple[Ints, ...]:
        """[batch][n] the number of each row's topic among all topics."""
        return self.about or tuple(r.topic for r in self.batches)

    @property
    def rankings(self) -> Rankings:
        """All rows in one batch, as wide as the longest list."""
        if len(self.batches) == 1:
            return self.batches[0]
        return stacked_batches(self.batches)[np.argsort(np.concatenate(self.rows))]

    def in_order(self, parts: Sequence[NDArray[Value]]) -> NDArray[Value]:
        """[row, …] the values of each batch's rows, in the order of all rows."""
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts)[np.argsort(np.concatenate(self.rows))]


@dataclass(frozen=True, eq=False)
class JudgedQueries(Batches):
    """One ranking for each query of sessions; consecutive queries without results share one."""

    session: Ints  # [row] number of the session
    times: Ints  # [row] number of queries that the ranking stands for
    sessions: tuple[str, ...]

    def mean(self, scores: Floats) -> Floats:
        """[session] the mean of scores [row] over the queries of each session."""
        total, queries = np.zeros(len(self.sessions)), np.zeros(len(self.sessions))
        np.add.at(total, self.session, scores * self.times)
        np.add.at(queries, self.session, self.times)
        return share(total, queries)


@dataclass(frozen=True, eq=False)
class JudgedLists(Batches):
    """A run's lists with their grades, one per topic, and notes for readers of its scores."""

    name: str
    topics: tuple[str, ...]  # names of the rows of the pool
    notes: tuple[Note, ...]
    queries: JudgedQueries | None  # of sessions, for metrics of single lists
    scanned_keys: tuple[NDArray[np.uint64], ...] = field(default=(), kw_only=True)

    def keys(self) -> tuple[NDArray[np.uint64], ...]:
        """[batch][n, depth] keys that identify documents, judged or not, if they were requested."""
        return self.scanned_keys


@dataclass(frozen=True, eq=False)
class JudgedRun(JudgedLists):
    """Judged lists with the position of each result in the run and in the pool."""

    cells: tuple[CellMap, ...]
    judged: "JudgedResults"
    index: Ints  # [entry] positions of judged documents in the flattened pool
    documents: "Series"  # [row] of the run's frame
    # Makes [row] what results were sorted by; None if they were not sorted.
    sort_key: Callable[[], NDArray[np.float64 | np.float32]] | None = None

    def keys(self) -> tuple[NDArray[np.uint64], ...]:
        """[batch][n, depth] keys that identify documents, judged or not."""
        from irassay.judging.lookup import document_keys

        keys = document_keys(self.documents)
        return tuple(cells.layout(keys, 0) for cells in self.cells)

    def tie_groups(self) -> tuple[TieGroups, ...]:
        """[batch] the results that are tied."""
        if self.sort_key is None:
            return tuple(TieGroups(np.broadcast_to(np.arange(r.depth), r.grade.shape)) for r in self.batches)
        key = self.sort_key().astype(np.float64)
        return tuple(TieGroups.of(cells.layout(key, np.nan)) for cells in self.cells)

    def places(self) -> tuple[NDArray[np.int32], ...]:
        """[batch][n, depth] the position of each result in the flattened pool; -1 if it is not judged."""
        place = self.index[self.judged.entry].astype(np.int32)
        return tuple(cells.scatter(self.judged.place, place, -1) for cells in self.cells)
