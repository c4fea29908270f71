"""Judging: a run and judgements become rankings. One pipeline for every kind of run, and the only join of the two."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints, read_only
from irassay.errors import InputError
from irassay.io.order_settings import RARE, TOP
from irassay.io.passage_qrels import PassageQrels
from irassay.io.tie_order import Lists, lists
from irassay.io.trec import Qrels, Run
from irassay.judging.judged import CellMap, Judged, JudgedQueries, cell_maps
from irassay.judging.kinds import KINDS, Kind, on_order
from irassay.judging.lookup import Found, looked_up
from irassay.judging.missing_topics import scored_topics
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import JudgedPool, TopicGroup, build_pool
from irassay.notes import Note, NothingJudged
from irassay.prose import count_phrase, first_few
from irassay.rankings.batch import Rankings, neutral
from irassay.rankings.passages import NO_PASSAGES, Passages

AFTER_ALL = np.iinfo(np.int64).max

Column = tuple[Floats, float]  # [row] a number for each row of a run's frame, and the one past the end of a list


def judge(
    run: Run, judgements: Qrels | PassageQrels, policy: JudgingPolicy | None = None, apart: bool = False
) -> Judged:
    """The run's lists with their grades: one for each judged topic, in the order of the judgements.

    With `apart`, batches may have pools of their own, so that a topic with very many judgements widens no other.

    >>> judged = judge(Run.of({"1": {"a": 0.5, "b": 0.9}}), Qrels.of({"1": {"a": 2, "c": 1}}))
    >>> judged.rankings.grade, judged.rankings.judged, judged.places()[0]
    (array([[0., 2.]]), array([[False,  True]]), array([[-1,  1]], dtype=int32))
    """
    kind = KINDS[run.kind]
    policy = kind.policy(policy or JudgingPolicy())
    weights: Any = policy.weights
    pool = build_pool(judgements, policy.qrels_format == "subtopic", weights, policy.passage_grade)
    names = tuple(pool.topics)
    results = lists(run, pool.topics, kind.ordering(policy))
    answered = [pool.topics[name] for name in run.turns if name in pool.topics] if kind.turns else results.topic
    is_answered = np.zeros(len(names), dtype=np.bool_)
    is_answered[answered] = True
    notes = [*run.notes, *pool.notes]
    notes += kind.on_topics(run, pool, is_answered, results.unknown, policy.missing)
    notes += on_order(run.name, results.tied, len(results.unsettled), policy)
    notes += () if kind.turns else pool.remarks
    found = looked_up(run, results, pool.index, kind.copies)
    notes += on_documents(run, results, found, pool)
    notes += kind.on_copies(run, results, found.copies, policy, names)
    if policy.on_duplicate == "first" and len(found.copies):
        results, found = results.without(found.copies), found.moved(found.copies)
    if kind.depth_by_turn and policy.depth is not None:
        beyond = _beyond(run, results, policy.depth)
        results, found = results.without(beyond), found.moved(beyond)
    words, known = _words(run, policy.lengths)
    graded = found.without(found.copies) if len(found.copies) else found
    have = JoinedRun(run, kind, policy, pool, results, found, graded, words, _costs(run, policy.costs), known)
    topic = scored_topics(is_answered, policy.missing)
    row = np.full(len(names), -1)
    row[topic] = np.arange(len(topic))
    depth = None if kind.depth_by_turn else policy.depth
    groups = pool.groups if apart else (pool.whole,)
    mapped = [
        (group, cells)
        for group in groups
        for cells in cell_maps(results, row[results.topic], len(topic), depth, _chosen(pool.row_in(group)[topic]))
    ]
    maps = tuple(cells for _, cells in mapped)
    turns = _turns(run, results, topic, names, depth) if kind.turns else None
    values = _topic_values(policy.topic_params or {}, names)
    batches = tuple(
        have.rankings(cells, group, topic[cells.rows], None if turns is None else turns[cells.rows], values)
        for group, cells in mapped
    )
    if words is not None:
        unknown = sum(int(np.isnan(r.words).sum()) for r in batches)
        if unknown:
            notes.append(Note("without a length in the file of lengths", run.name, unknown, "result"))
    queries = have.queries(groups, topic, turns) if kind.copies == "turn" and turns is not None else None
    rows = tuple(cells.rows for cells in maps)
    about = tuple(topic[each] for each in rows) if len(groups) > 1 else ()
    found_in = (maps, graded, pool.index.place, run.frame["doc"])
    return Judged(batches, rows, run.name, names, tuple(notes), queries, *found_in, about=about)


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

    def rankings(
        self, cells: CellMap, group: TopicGroup, topic: Ints, turns: Ints | None, topic_values: Mapping[str, Floats]
    ) -> Rankings:
        """One batch, of topics of one group; without turns, each row is one turn."""
        pool, brought = group.pool, {"aspects": self.pool.by_aspect, "turns": turns is not None}
        brought |= {name: getattr(self.policy, name) is not None for name in ("weights", "lengths", "costs")}
        brought["passages"] = self.pool.nuggets is not None
        cell, within = cells.cell(self.graded.place)
        source = self.pool.index.place[self.graded.entry[within]]
        if len(group.topics) < len(self.pool.size):
            at, slot = self.pool.within(group, source)
            source, topic = at * pool.grade.shape[1] + slot, self.pool.row_in(group)[topic]
            topic_values = {name: value[group.topics] for name, value in topic_values.items()}
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
                more |= {name: cells.layout(*column), f"past_{name}": column[1]}
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
            passages=self.passages(cells, group, topic),
        )

    def passages(self, cells: CellMap, group: TopicGroup, topic: Ints) -> Passages:
        """What judgements by passage say of the results of a batch, whose rows are about these topics of a group."""
        if group.nuggets is None:
            return NO_PASSAGES
        document = self.pool.index.place[self.found.entry] % int(self.pool.size.max(initial=1))
        copies = self.found.copies
        return Passages(
            topic,
            cells.scatter(self.found.place, document, -1),
            cells.scatter(copies, np.ones(len(copies), dtype=bool), False),
            cells.layout(np.arange(self.run.frame.height), AFTER_ALL),
            group.nuggets,
            np.sort(self.lengths),
        )

    def queries(self, groups: tuple[TopicGroup, ...], topic: Ints, turns: Ints) -> JudgedQueries:
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
        mapped = [
            (group, cells)
            for group in groups
            for cells in cell_maps(
                parts, place[: len(query)], len(order), chosen=_chosen(self.pool.row_in(group)[topic[of]])
            )
        ]
        found = tuple(self.rankings(cells, group, topic[of[cells.rows]], None, {}) for group, cells in mapped)
        rows = tuple(cells.rows for _, cells in mapped)
        return JudgedQueries(found, rows, topic[of], times, tuple(self.pool.topics))


def on_documents(run: Run, results: Lists, found: Found, pool: JudgedPool) -> list[Note]:
    """A note where hardly any of the first ten results of the lists are judged: ids may be of two kinds."""
    place = found.place
    first = int((place - results.start[results.list_of(place)] < TOP).sum())
    if not len(pool.index.docs) or first >= RARE * np.minimum(results.size, TOP).sum():
        return []
    mine = run.frame["doc"].gather(results.row(np.arange(min(3, int(results.size.sum())))))
    samples = f"the run has {first_few(mine.to_list(), 3)}, the judgements have {first_few(pool.index.docs.head(3).to_list(), 3)}"
    much = f"fewer than 1 % of the first {TOP} results are judged" if len(place) else "no result is judged"
    kind = Note if len(place) else NothingJudged
    return [kind(f"{much} in {pool.source}; check that document ids agree: {samples}", run.name)]


def _chosen(row: Ints) -> Ints | None:
    """Which have a row; None where all do."""
    return None if (row >= 0).all() else np.flatnonzero(row >= 0)


def _turns(run: Run, results: Lists, topic: Ints, names: tuple[str, ...], depth: int | None) -> Ints:
    """[n] how many turns each topic has; a list that is cut ends with the turn it is cut in."""
    turns = np.array([run.turns.get(name, 0) for name in names], dtype=np.int64)
    if depth is not None:
        cut = results.size > depth
        turns[results.topic[cut]] = run.frame["turn"].to_numpy()[results.row(results.start[cut] + depth - 1)]
    return turns[topic]


def _beyond(run: Run, results: Lists, depth: int) -> Ints:
    """The places of results that are not among the first `depth` of their turn."""
    parts, _ = by_turn(run, results)
    place = np.arange(parts.size.sum())
    return np.flatnonzero(place - np.repeat(parts.start, parts.size) >= depth)


def _words(run: Run, lengths: Any) -> tuple[Column | None, Floats]:
    """The length of each result, NaN where unknown, the mean past the list; and those of all documents."""
    if lengths is None or not len(lengths):
        return None, np.zeros(0)
    if isinstance(lengths, Mapping):
        lengths = pl.DataFrame({"doc": list(lengths), "words": list(map(float, lengths.values()))})
    lengths = lengths.select("doc", pl.col("words").cast(pl.Float64))
    joined = run.frame.select("doc").join(lengths, on="doc", how="left", maintain_order="left")
    known = lengths["words"].to_numpy()
    return (joined["words"].fill_null(np.nan).to_numpy(), float(known.mean())), known


def _costs(run: Run, costs: Any) -> Column | None:
    """Costs by the kind of result in column 2 of the run; past the list, the largest."""
    if costs is None:
        return None
    kind = run.carrying("kind").frame["kind"]
    unknown = (~kind.is_in(list(costs))).arg_true()
    if len(unknown):
        raise InputError(
            f"{run.place(int(unknown[0]))}: the kind of result {kind[int(unknown[0])]!r} has no cost (there are "
            f"some for {', '.join(costs)}); add it to the file of costs"
        )
    return kind.replace_strict(dict(costs), return_dtype=pl.Float64).to_numpy(), max(costs.values())


def _topic_values(params: Any, topics: tuple[str, ...]) -> dict[str, Floats]:
    """[t] the value of each parameter for each topic."""
    values = {}
    for name, by_topic in params.items():
        absent = [topic for topic in topics if topic not in by_topic]
        if absent:
            raise InputError(
                f"the parameter {name} has no value for {count_phrase(len(absent), 'topic')} ({first_few(absent)}); add them"
            )
        values[name] = read_only(np.array([float(by_topic[topic]) for topic in topics]))
    return values


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
