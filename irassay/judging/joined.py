"""A run joined to its judgements: results in order with what is known of each, laid out as batches of rankings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.io.order import Lists
from irassay.io.trec import Run
from irassay.judging.cells import CellMap, cell_maps
from irassay.judging.judged import JudgedQueries
from irassay.judging.kinds import Kind
from irassay.judging.lookup import Found
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import JudgedPool
from irassay.rankings.batch import Rankings, neutral
from irassay.rankings.passages import NO_PASSAGES, Passages

AFTER_ALL = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Column:
    """A number for each row of a run's frame, and the one that holds past the end of a list."""

    values: Floats  # [row]
    past: float


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """A run's results in order, those that are judged, and what else is known of each row of the run's frame."""

    run: Run
    kind: Kind
    policy: JudgingPolicy
    pool: JudgedPool
    results: Lists
    found: Found  # the judged results, copies too
    graded: Found  # the judged results but for copies
    words: Column | None  # NaN where unknown
    costs: Column | None
    lengths: Floats  # words of every document whose length is known

    def rankings(self, cells: CellMap, topic: Ints, turns: Ints | None, topic_values: Mapping[str, Floats]) -> Rankings:
        """One batch; without turns, each row is one turn."""
        pool, brought = self.pool.pool, {"aspects": self.pool.by_aspect, "turns": turns is not None}
        brought |= {name: getattr(self.policy, name) is not None for name in ("weights", "lengths", "costs")}
        brought["passages"] = self.pool.nuggets is not None
        cell, within = cells.cell(self.graded.place)
        source = self.pool.index.place[self.graded.entry[within]]
        grade, judged = np.zeros(cells.shape), np.zeros(cells.shape, dtype=bool)
        grade.ravel()[cell] = pool.grade.ravel()[source]
        judged.ravel()[cell] = True
        if self.kind.copies_judged:
            judged.ravel()[cells.cell(self.found.copies)[0]] = True
        aspects: Any = grade[:, :, None]
        if self.pool.by_aspect:
            flat = pool.aspects.reshape(-1, pool.aspects.shape[2])
            aspects = np.zeros((*cells.shape, flat.shape[1]), dtype=flat.dtype)
            aspects.reshape(-1, flat.shape[1])[cell] = flat[source]
        more = neutral(*cells.shape)
        for name, column in (("words", self.words), ("cost", self.costs)):
            if column is not None:
                more |= {name: cells.layout(column.values, column.past), f"past_{name}": column.past}
        if turns is not None:
            turn = cells.layout(self.run.frame["turn"].to_numpy(), 0)
            more |= {"turn": np.where(turn > 0, turn, np.maximum(turns, 1)[:, None]), "turns": turns}
        return Rankings(
            grade=grade,
            judged=judged,
            retrieved=cells.retrieved,
            topic=topic,
            pool=pool,
            max_grade=self.pool.scale(self.policy.max_grade),
            aspects=aspects,
            **more,
            carries=frozenset(name for name, given in brought.items() if given),
            topic_values=topic_values,
            passages=self.passages(cells, topic),
        )

    def passages(self, cells: CellMap, topic: Ints) -> Passages:
        """What judgements by passage say of the results of a batch."""
        if self.pool.nuggets is None:
            return NO_PASSAGES
        document = self.pool.index.place[self.found.entry] % self.pool.pool.grade.shape[1]
        copies = self.found.copies
        return Passages(
            topic,
            cells.scatter(self.found.place, document, -1),
            cells.scatter(copies, np.ones(len(copies), dtype=bool), False),
            cells.layout(np.arange(self.run.frame.height), AFTER_ALL),
            self.pool.nuggets,
            np.sort(self.lengths),
        )

    def queries(self, topic: Ints, turns: Ints) -> JudgedQueries:
        """The turns of the rows, whose topics and numbers of turns these are, as rankings of their own."""
        parts, query = by_turn(self.run, self.results)
        row = np.full(len(self.pool.topics), -1)
        row[topic] = np.arange(len(topic))
        session = row[parts.topic]
        order, gap, rest = _gaps(session, query, turns)
        times = np.concatenate([np.ones_like(query), gap[gap > 0], rest[rest > 0]])[order]
        of = np.concatenate([session, session[gap > 0], np.flatnonzero(rest > 0)])[order]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        maps = cell_maps(parts, place[: len(query)], len(order))
        found = tuple(self.rankings(cells, topic[of[cells.rows]], None, {}) for cells in maps)
        return JudgedQueries(found, maps, topic[of], times, tuple(self.pool.topics))


def by_turn(run: Run, results: Lists) -> tuple[Lists, Ints]:
    """The results of each turn as a list of its own, in the order they have, and which turns these are."""
    turn = run.frame["turn"].to_numpy()[results.every_row()]
    one = np.repeat(np.arange(len(results.size)), results.size)
    begins = np.flatnonzero(np.diff(one, prepend=-1) | np.diff(turn, prepend=0))
    parts = Lists(results.rows, results.topic[one[begins]], np.diff(begins, append=len(turn)))
    return parts, turn[begins]


def _gaps(session: Ints, query: Ints, turns: Ints) -> tuple[Ints, Ints, Ints]:
    """Queries without results: how many come before each query, and after the last of each session.

    Also in what order the queries, the gaps before them and the gaps at the end come.
    """
    order = np.lexsort((query, session))
    before = np.zeros_like(query)
    same = session[order][1:] == session[order][:-1]
    before[order[1:]] = np.where(same, query[order][:-1], 0)
    gap = query - before - 1
    last = np.zeros_like(turns)
    np.maximum.at(last, session, query)
    rest = turns - last
    of = np.concatenate([session, session[gap > 0], np.flatnonzero(rest > 0)])
    when = np.concatenate([2 * query, 2 * query[gap > 0] - 1, np.full(int((rest > 0).sum()), AFTER_ALL)])
    return np.lexsort((when, of)), gap, rest
