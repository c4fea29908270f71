"""What judging returns: rankings in batches of like length, and what a reader of their scores should know."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.judging.cells import CellMap, Value
from irassay.judging.lookup import Found
from irassay.notes import Note
from irassay.rankings.batch import Rankings, share, stacked


@dataclass(frozen=True, eq=False)
class Batches:
    """Rankings in batches of like length, and which of all rows the rows of each batch are."""

    batches: tuple[Rankings, ...]
    cells: tuple[CellMap, ...]

    @property
    def rankings(self) -> Rankings:
        """All rows in one batch, as wide as the longest list."""
        rows = np.concatenate([cells.rows for cells in self.cells])
        return self.batches[0] if len(self.batches) == 1 else stacked(self.batches)[np.argsort(rows)]

    def in_order(self, parts: Sequence[NDArray[Value]]) -> NDArray[Value]:
        """[row, …] values of the rows of each batch, in the order of all rows."""
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts)[np.argsort(np.concatenate([cells.rows for cells in self.cells]))]


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
class Judged(Batches):
    """A run's lists with their grades, one a topic, and what a reader of its scores should know."""

    name: str
    topics: tuple[str, ...]  # what the rows of the pool are called
    notes: tuple[Note, ...]
    found: Found  # the judged results
    index: Ints  # [entry] where judged documents lie in the flattened pool
    queries: JudgedQueries | None = None  # of sessions, for metrics that know none

    def places(self) -> tuple[NDArray[np.int32], ...]:
        """[batch][n, depth] where each result lies in the flattened pool; -1 where it is not judged."""
        place = self.index[self.found.entry].astype(np.int32)
        return tuple(cells.scatter(self.found.place, place, -1) for cells in self.cells)
