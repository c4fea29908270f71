"""A run and judgements to rankings: one pipeline for every kind of run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints, read_only
from irassay.errors import InputError
from irassay.forks import check_polars_works
from irassay.io.order_settings import RARE_SHARE, TOP_RANKS
from irassay.io.passage_qrels import PassageQrels
from irassay.io.tie_order import OrderedLists, ordered_lists, sort_key
from irassay.io.trec import Qrels, Run
from irassay.judging.judged_lists import CellMap, JudgedQueries, JudgedRun, cell_maps, positions_among
from irassay.judging.kinds import KINDS, Kind, order_notes, unmatched_note
from irassay.judging.lookup import JudgedResults, joined_results
from irassay.judging.missing_topics import scored_topics
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import JudgedPool, TopicGroup, policy_pool
from irassay.notes import Note
from irassay.prose import count_phrase, first_few
from irassay.rankings.batch import Rankings, plain_arrays
from irassay.rankings.passages import NO_PASSAGES, Passages

AFTER_ALL = np.iinfo(np.int64).max

Column = tuple[Floats, float]  # [row] a number for each row of a run's frame, and the number past the end of a list


def judge(
    run: Run, judgements: Qrels | PassageQrels, policy: JudgingPolicy | None = None, separate_pools: bool = False
) -> JudgedRun:
    """The run's lists with their grades: one for each judged topic, in the order of the judgements.

    With `separate_pools` batches may have their own pools, so that a topic with very many judgements widens no other.

    >>> judged = judge(Run.of({"1": {"a": 0.5, "b": 0.9}}), Qrels.of({"1": {"a": 2, "c": 1}}))
    >>> judged.rankings.grade, judged.rankings.judged, judged.places()[0]
    (array([[0., 2.]]), array([[False,  True]]), array([[-1,  1]], dtype=int32))
    """
    check_polars_works()
    kind = KINDS[run.kind]
    policy = kind.full_policy(policy or JudgingPolicy())
    pool = policy_pool(judgements, policy)
    names = tuple(pool.topics)
    ordering = kind.ordering(policy)
    results = ordered_lists(run, pool.topics, ordering)
    answered = [pool.topics[name] for name in run.turns if name in pool.topics] if kind.turns else results.topic
    is_answered = np.zeros(len(names), dtype=np.bool_)
    is_answered[answered] = True
    notes = [*run.notes, *pool.notes]
    notes += kind.notes_on_topics(run, pool, is_answered, results.unknown_topics, policy.missing)
    notes += order_notes(run.name, results.tied_lists, results.all_tied, len(results.precision_sensitive), policy)
    notes += () if kind.turns else pool.remarks
    judged = joined_results(run, results, pool.index, kind.copies)
    notes += document_notes(run, results, judged, pool)
    notes += kind.copy_notes(run, results, judged.copies, policy, names)
    if policy.on_duplicate == "first" and len(judged.copies):
        results, judged = results.without(judged.copies), judged.after_removal(judged.copies)
    if kind.depth_by_turn and policy.depth is not None:
        beyond = _places_beyond(run, results, policy.depth)
        results, judged = results.without(beyond), judged.after_removal(beyond)
    words, lengths = _length_column(run, policy.lengths)
    graded = judged.without(judged.copies) if len(judged.copies) else judged
    costs = _cost_column(run, policy.costs)
    joined = JoinedRun(run, kind, policy, pool, results, judged, graded, words, costs, lengths)
    topic = scored_topics(is_answered, policy.missing)
    row = positions_among(topic, len(names))
    depth = None if kind.depth_by_turn else policy.depth
    groups = pool.groups if separate_pools else (pool.all_topics,)
    mapped = _group_maps(pool, groups, topic, results, row[results.topic], depth)
    maps = tuple(cells for _, cells in mapped)
    turns = _turn_counts(run, results, topic, names, depth) if kind.turns else None
    values = _topic_values(policy.topic_params or {}, names)
    batches = tuple(
        joined.rankings(cells, group, topic[cells.rows], None if turns is None else turns[cells.rows], values)
        for group, cells in mapped
    )
    unknown = 0 if words is None else sum(int(np.isnan(r.words).sum()) for r in batches)
    if unknown:
        notes.append(Note("without a length in the file of lengths", run.name, unknown, "result"))
    queries = joined.queries(groups, topic, turns) if kind.copies == "turn" and turns is not None else None
    rows = tuple(cells.rows for cells in maps)
    about = tuple(topic[each] for each in rows) if len(groups) > 1 else ()
    positions = (maps, graded, pool.index.place, run.frame["doc"])
    key = partial(sort_key, run, ordering) if ordering.order != "file" else None
    return JudgedRun(batches, rows, run.name, names, tuple(notes), queries, *positions, key, about=about)


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """A run's results in order, the judged ones, and the lengths and costs of the rows of the run's frame."""

    run: Run
    kind: Kind
    policy: JudgingPolicy
    pool: JudgedPool
    results: OrderedLists
    judged: JudgedResults  # copies included
    graded: JudgedResults  # without copies
    words: Column | None  # NaN where unknown
    costs: Column | None
    lengths: Floats  # words of every document with a length

    def rankings(
        self, cells: CellMap, group: TopicGroup, topic: Ints, turns: Ints | None, topic_values: Mapping[str, Floats]
    ) -> Rankings:
        """One batch of topics of one group; without turns each row is one turn."""
        pool, inputs = group.pool, {"aspects": self.pool.by_aspect, "turns": turns is not None}
        inputs |= {name: getattr(self.policy, name) is not None for name in ("weights", "lengths", "costs")}
        inputs |= {"passages": self.pool.nuggets is not None, "preferences": bool(pool.preferences)}
        cell, within = cells.cell(self.graded.place)
        source = self.pool.index.place[self.graded.entry[within]]
        if len(group.topics) < len(self.pool.size):
            row = self.pool.row_in(group)
            whose, slot = np.divmod(source, int(self.pool.size.max(initial=1)))
            source, topic = row[whose] * pool.grade.shape[1] + slot, row[topic]
            topic_values = {name: value[group.topics] for name, value in topic_values.items()}
        grade, judged = np.zeros(cells.shape), np.zeros(cells.shape, dtype=bool)
        grade.ravel()[cell] = pool.grade.ravel()[source]
        judged.ravel()[cell] = True
        if self.kind.copies_judged:
            judged.ravel()[cells.cell(self.judged.copies)[0]] = True
        aspects: Any = grade[:, :, None]
        if self.pool.by_aspect:
            flat = pool.aspects.reshape(-1, pool.aspects.shape[2])
            aspects = np.zeros((*cells.shape, flat.shape[1]), dtype=flat.dtype)
            aspects.reshape(-1, flat.shape[1])[cell] = flat[source]
        more = plain_arrays(*cells.shape)
        for name, column in (("words", self.words), ("cost", self.costs)):
            if column is not None:
                more |= {name: cells.layout(*column), f"past_{name}": column[1]}
        if turns is not None:
            turn = cells.layout(self.run.frame["turn"].to_numpy(), 0)
            more |= {"turn": np.where(turn > 0, turn, np.maximum(turns, 1)[:, None]), "turns": turns}
        max_grade = self.pool.scale(self.policy.max_grade)
        more |= {"aspects": aspects, "topic_values": topic_values, "passages": self.passages(cells, group, topic)}
        carries = frozenset(name for name, is_given in inputs.items() if is_given)
        return Rankings(grade, judged, cells.retrieved, topic, pool, max_grade, **more, carries=carries)

    def passages(self, cells: CellMap, group: TopicGroup, topic: Ints) -> Passages:
        """The judged documents of a batch, whose rows are about these topics of a group, if metrics tell them apart."""
        if group.nuggets is None and not group.pool.preferences:
            return NO_PASSAGES
        document = self.pool.index.place[self.judged.entry] % int(self.pool.size.max(initial=1))
        copies = self.judged.copies
        return Passages(
            topic,
            cells.scatter(self.judged.place, document, -1),
            cells.scatter(copies, np.ones(len(copies), dtype=bool), False),
            cells.layout(np.arange(self.run.frame.height), AFTER_ALL),
            group.nuggets or NO_PASSAGES.nuggets,
            np.sort(self.lengths),
        )

    def queries(self, groups: tuple[TopicGroup, ...], topic: Ints, turns: Ints) -> JudgedQueries:
        """One ranking for each turn of the rows, whose topics and numbers of turns are given."""
        parts, query = lists_by_turn(self.run, self.results)
        session = positions_among(topic, len(self.pool.topics))[parts.topic]
        order, of, times = _queries_and_gaps(session, query, turns)
        place = positions_among(order, len(order))
        mapped = _group_maps(self.pool, groups, topic[of], parts, place[: len(query)])
        batches = tuple(self.rankings(cells, group, topic[of[cells.rows]], None, {}) for group, cells in mapped)
        rows = tuple(cells.rows for _, cells in mapped)
        return JudgedQueries(batches, rows, topic[of], times, tuple(self.pool.topics))


def document_notes(run: Run, results: OrderedLists, judged: JudgedResults, pool: JudgedPool) -> list[Note]:
    """A note if hardly any of the first ten results are judged: the document ids may not match."""
    place = judged.place
    first = int((place - results.start[results.list_of(place)] < TOP_RANKS).sum())
    if not len(pool.index.docs) or first >= RARE_SHARE * np.minimum(results.size, TOP_RANKS).sum():
        return []
    docs = run.frame["doc"].gather(results.row(np.arange(min(3, int(results.size.sum()))))).to_list()
    judged_docs = pool.index.docs.head(3).to_list()
    samples = f"the run has {first_few(docs, 3)}, the judgements have {first_few(judged_docs, 3)}"
    return [unmatched_note(run.name, pool.source, bool(len(place)), samples)]


def _group_maps(
    pool: JudgedPool,
    groups: tuple[TopicGroup, ...],
    topic: Ints,
    results: OrderedLists,
    row: Ints,
    depth: int | None = None,
) -> list[tuple[TopicGroup, CellMap]]:
    """The batches of rows with these topics, each with the group of its topics; `row` [list] as in `cell_maps`."""
    chosen = [np.flatnonzero(pool.row_in(group)[topic] >= 0) for group in groups]
    maps = (cell_maps(results, row, len(topic), depth, rows) for rows in chosen)
    return [(group, cells) for group, batches in zip(groups, maps, strict=True) for cells in batches]


def _turn_counts(run: Run, results: OrderedLists, topic: Ints, names: tuple[str, ...], depth: int | None) -> Ints:
    """[n] the number of turns of each topic; a list that is cut ends with the turn it is cut in."""
    turns = np.array([run.turns.get(name, 0) for name in names], dtype=np.int64)
    if depth is not None:
        cut = results.size > depth
        turns[results.topic[cut]] = run.frame["turn"].to_numpy()[results.row(results.start[cut] + depth - 1)]
    return turns[topic]


def _places_beyond(run: Run, results: OrderedLists, depth: int) -> Ints:
    """The places of results past the first `depth` of their turn."""
    parts, _ = lists_by_turn(run, results)
    return np.flatnonzero(parts.rank >= depth)


def _length_column(run: Run, lengths: Any) -> tuple[Column | None, Floats]:
    """The length of each result, NaN if unknown, the mean past the list; and the lengths of all documents."""
    if lengths is None or not len(lengths):
        return None, np.zeros(0)
    if isinstance(lengths, Mapping):
        lengths = pl.DataFrame({"doc": list(lengths), "words": list(lengths.values())})
    joined = run.frame.select("doc").join(lengths, on="doc", how="left", maintain_order="left")
    known = lengths["words"].to_numpy()
    return (joined["words"].fill_null(np.nan).to_numpy(), float(known.mean())), known


def _cost_column(run: Run, costs: Any) -> Column | None:
    """Costs by result type (column 2 of the run); past the list, the largest."""
    if costs is None:
        return None
    kind = run.with_column("kind").frame["kind"]
    unknown = (~kind.is_in(list(costs))).arg_true()
    if len(unknown):
        row = int(unknown[0])
        found = f"{run.location_of(row)}: result type {kind[row]!r} has no cost (known: {', '.join(costs)})"
        raise InputError(f"{found}. Add it to the file of costs.")
    return kind.replace_strict(dict(costs), return_dtype=pl.Float64).to_numpy(), max(costs.values())


def _topic_values(params: Any, topics: tuple[str, ...]) -> dict[str, Floats]:
    """[t] the value of each parameter for each topic."""
    values = {}
    for name, by_topic in params.items():
        absent = [topic for topic in topics if topic not in by_topic]
        if absent:
            topics_text = f"{count_phrase(len(absent), 'topic')} ({first_few(absent)})"
            raise InputError(f"The parameter {name} has no value for {topics_text}. Add them.")
        values[name] = read_only(np.array([float(by_topic[topic]) for topic in topics]))
    return values


def lists_by_turn(run: Run, results: OrderedLists) -> tuple[OrderedLists, Ints]:
    """One list for each turn, with its results in order, and the turns' numbers."""
    turn = run.frame["turn"].to_numpy()[results.row_indices()]
    one = np.repeat(np.arange(len(results.size)), results.size)
    begins = np.flatnonzero(np.diff(one, prepend=-1) | np.diff(turn, prepend=0))
    parts = OrderedLists(results.rows, results.topic[one[begins]], np.diff(begins, append=len(turn)))
    return parts, turn[begins]


def _queries_and_gaps(session: Ints, query: Ints, turns: Ints) -> tuple[Ints, Ints, Ints]:
    """The order of the queries, the gaps before them and the gaps at the end of sessions; in order, sessions and sizes.

    A gap is a number of queries without results: before each query, or after the last of a session. A query has size 1.
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
    times = np.concatenate([np.ones_like(query), gap[gap > 0], rest[rest > 0]])
    order = np.lexsort((when, of))
    return order, of[order], times[order]
