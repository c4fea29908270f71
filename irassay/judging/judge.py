"""Judging: a run and judgements become rankings. One pipeline for every kind of run, and the only join of the two."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.order import Lists, lists
from irassay.io.passage_qrels import PassageQrels
from irassay.io.trec import Qrels, Run
from irassay.judging.cells import cell_maps
from irassay.judging.joined import Column, JoinedRun, by_turn
from irassay.judging.judged import Judged
from irassay.judging.kinds import KINDS
from irassay.judging.lookup import looked_up
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import build_pool
from irassay.judging.remarks import on_copies, on_order, on_topics
from irassay.notes import Note
from irassay.prose import counted, some


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
    have = JoinedRun(run, kind, policy, pool, results, found, graded, words, _costs(run, policy.costs), known)
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
    return Column(joined["words"].fill_null(np.nan).to_numpy(), float(known.mean())), known


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
    return Column(kind.replace_strict(dict(costs), return_dtype=pl.Float64).to_numpy(), max(costs.values()))


def _topic_values(params: Any, topics: tuple[str, ...]) -> dict[str, Floats]:
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
