"""Judging: a run and judgements become rankings. One pipeline for every kind of run, and the only join of the two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.order import Lists, lists
from irassay.io.passage_qrels import PassageQrels
from irassay.io.trec import Qrels, Run
from irassay.judging.cells import CellMap, Value, cell_maps
from irassay.judging.kinds import KINDS, Kind
from irassay.judging.lookup import Found, looked_up
from irassay.judging.policy import ByTopic, JudgingPolicy
from irassay.judging.pool import JudgedPool, build_pool
from irassay.judging.remarks import on_copies, on_order, on_topics
from irassay.notes import Note
from irassay.prose import counted, some
from irassay.rankings.batch import Rankings, neutral, share, stacked
from irassay.rankings.passages import NO_PASSAGES, Passages

AFTER_ALL = np.iinfo(np.int64).max


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


@dataclass(frozen=True, eq=False)
class Lookup:
    """A run's results in order, those that are judged, and what is known of each row of the run's frame."""

    run: Run
    kind: Kind
    policy: JudgingPolicy
    pool: JudgedPool
    results: Lists
    found: Found  # the judged results, copies too
    graded: Found  # the judged results but for copies
    words: Floats | None  # [row] NaN where unknown
    known_words: Floats  # of all documents
    costs: Mapping[str, Any]

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
        if self.words is not None:
            past = float(self.known_words.mean())
            more |= {"words": cells.layout(self.words, past), "past_words": past}
        if self.costs:
            more |= {"cost": cells.layout(self.costs["by row"], self.costs["past"]), "past_cost": self.costs["past"]}
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
            np.sort(self.known_words),
        )

    def queries(self, topic: Ints, turns: Ints) -> JudgedQueries:
        """The turns of the rows, whose topics and numbers of turns these are, as rankings of their own."""
        turn = self.run.frame["turn"].to_numpy()[self.results.every_row()]
        one = np.repeat(np.arange(len(self.results.size)), self.results.size)
        begins = np.flatnonzero(np.diff(one, prepend=-1) | np.diff(turn, prepend=0))
        size = np.diff(begins, append=len(turn))
        row = np.full(len(self.pool.topics), -1)
        row[topic] = np.arange(len(topic))
        session, query = row[self.results.topic[one[begins]]], turn[begins]
        order, gap, rest = _gaps(session, query, turns)
        times = np.concatenate([np.ones_like(query), gap[gap > 0], rest[rest > 0]])[order]
        of = np.concatenate([session, session[gap > 0], np.flatnonzero(rest > 0)])[order]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        parts = Lists(self.results.rows, self.results.topic[one[begins]], size)
        maps = cell_maps(parts, place[: len(query)], len(order))
        found = tuple(self.rankings(cells, topic[of[cells.rows]], None, {}) for cells in maps)
        return JudgedQueries(found, maps, topic[of], times, tuple(self.pool.topics))


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


def judge(run: Run, judgements: Qrels | PassageQrels, policy: JudgingPolicy | None = None) -> Judged:
    """The run's lists with their grades: one for each judged topic, in the order of the judgements.

    >>> judged = judge(Run.of({"1": {"a": 0.5, "b": 0.9}}), Qrels.of({"1": {"a": 2, "c": 1}}))
    >>> judged.rankings.grade, judged.rankings.judged, judged.places()[0]
    (array([[0., 2.]]), array([[False,  True]]), array([[-1,  1]], dtype=int32))
    """
    kind = KINDS[run.kind]
    policy = kind.policy(policy or JudgingPolicy())
    weights: Any = policy.weights
    pool = build_pool(judgements, policy.qrels_format == "subtopic", weights)
    names = tuple(pool.topics)
    results = lists(run, pool.topics, kind.ordering(policy))
    answered = [pool.topics[name] for name in run.turns if name in pool.topics] if kind.turns else results.topic
    notes = [*run.notes, *pool.notes]
    notes += on_topics(run, kind, pool, set(np.asarray(answered).tolist()), results.unknown, policy.missing)
    notes += on_order(run, results, policy)
    notes += () if kind.turns else pool.remarks
    found = looked_up(run, results, pool.index, kind.copies)
    notes += on_copies(run, kind, results, found.copies, policy, names)
    if policy.on_duplicate == "first" and len(found.copies):
        results, found = results.without(found.copies), found.moved(found.copies)
    if kind.depth_by_turn and policy.depth is not None:
        beyond = _beyond(run, results, policy.depth)
        results, found = results.without(beyond), found.moved(beyond)
    words, known = _words(run, policy.lengths)
    graded = found.without(found.copies) if len(found.copies) else found
    have = Lookup(run, kind, policy, pool, results, found, graded, words, known, _costs(run, policy.costs))
    topic: Ints = np.sort(answered).astype(np.int64) if policy.missing == "skip" else np.arange(len(names))
    row = np.full(len(names), -1)
    row[topic] = np.arange(len(topic))
    depth = None if kind.depth_by_turn else policy.depth
    maps = cell_maps(results, row[results.topic], len(topic), depth)
    turns = _turns(run, results, topic, names, depth) if kind.turns else None
    values = _topic_values(policy.topic_params or {}, names)
    batches = tuple(
        have.rankings(cells, topic[cells.rows], None if turns is None else turns[cells.rows], values) for cells in maps
    )
    if words is not None:
        unknown = sum(int(np.isnan(r.words).sum()) for r in batches)
        if unknown:
            notes.append(Note("without a length in the file of lengths", run.name, unknown, "result"))
    queries = have.queries(topic, turns) if kind.copies == "turn" and turns is not None else None
    return Judged(batches, maps, run.name, names, tuple(notes), graded, pool.index.place, queries)


def _turns(run: Run, results: Lists, topic: Ints, names: tuple[str, ...], depth: int | None) -> Ints:
    """[n] how many turns each topic has; a list that is cut ends with the turn it is cut in."""
    turns = np.array([run.turns.get(name, 0) for name in names], dtype=np.int64)
    if depth is not None:
        cut = results.size > depth
        turns[results.topic[cut]] = run.frame["turn"].to_numpy()[results.row(results.start[cut] + depth - 1)]
    return turns[topic]


def _beyond(run: Run, results: Lists, depth: int) -> Ints:
    """The places of results that are not among the first `depth` of their turn."""
    turn = run.frame["turn"].to_numpy()[results.every_row()]
    one = np.repeat(np.arange(len(results.size)), results.size)
    begins = np.flatnonzero(np.diff(one, prepend=-1) | np.diff(turn, prepend=0))
    size = np.diff(begins, append=len(turn))
    return np.flatnonzero(np.arange(len(turn)) - np.repeat(begins, size) >= depth)


def _words(run: Run, lengths: Any) -> tuple[Floats | None, Floats]:
    """[row] document lengths, NaN where unknown and None where none are given, and those of all documents."""
    if lengths is None:
        return None, np.zeros(0)
    if isinstance(lengths, Mapping):
        lengths = pl.DataFrame({"doc": list(lengths), "words": list(map(float, lengths.values()))})
    lengths = lengths.select("doc", pl.col("words").cast(pl.Float64))
    joined = run.frame.select("doc").join(lengths, on="doc", how="left", maintain_order="left")
    return joined["words"].fill_null(np.nan).to_numpy(), lengths["words"].to_numpy()


def _costs(run: Run, costs: Any) -> dict[str, Any]:
    """Costs by the kind of result in column 2 of the run; past the list, the largest."""
    if costs is None:
        return {}
    kind = run.carrying("kind").frame["kind"]
    unknown = (~kind.is_in(list(costs))).arg_true()
    if len(unknown):
        raise InputError(
            f"{run.place(int(unknown[0]))}: the kind of result {kind[int(unknown[0])]!r} has no cost (there are "
            f"some for {', '.join(costs)}); add it to the file of costs"
        )
    by_row = kind.replace_strict(dict(costs), return_dtype=pl.Float64).to_numpy()
    return {"by row": by_row, "past": max(costs.values())}


def _topic_values(params: ByTopic | Any, topics: tuple[str, ...]) -> dict[str, Floats]:
    """[t] the value of each parameter for each topic."""
    values = {}
    for name, by_topic in params.items():
        absent = [topic for topic in topics if topic not in by_topic]
        if absent:
            raise InputError(
                f"the parameter {name} has no value for {counted(len(absent), 'topic')} ({some(absent)}); add them"
            )
        values[name] = np.array([float(by_topic[topic]) for topic in topics])
    return values
