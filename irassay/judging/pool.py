"""Judgements as a pool: the judged documents of each topic, and an index of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.lines import parsed_number
from irassay.io.passage_qrels import PassageQrels
from irassay.io.trec import Qrels
from irassay.judging.index import DocumentIndex, build_index
from irassay.judging.judged_lists import groups_by_area, positions_among
from irassay.judging.kinds import column_2_notes
from irassay.judging.nuggets import NuggetList, nugget_list
from irassay.judging.policy import JudgingPolicy
from irassay.judging.preferences import judged_groups
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.rankings.passages import Nuggets
from irassay.rankings.pool import Pool, aspect_dtype, uniform_weights

PassageGrade = Literal["largest", "sum"]
Weights = Mapping[str, Mapping[str, float]]  # topic -> subtopic -> weight


@dataclass(frozen=True, eq=False)
class TopicGroup:
    """Some topics, and a pool of their judgements only."""

    topics: Ints  # [g] their numbers
    pool: Pool
    nuggets: Nuggets | None = None  # where passages were judged


@dataclass(frozen=True, eq=False)
class JudgedPool:
    """Judgements as arrays: pools of topics, the names of rows and aspects, and an index of documents."""

    pool_for: Callable[[Ints], Pool]  # the pool of some topics
    size: Ints  # [t] judged documents
    index: DocumentIndex
    topics: dict[str, int]
    aspects: tuple[tuple[str, ...], ...]  # of each topic, in order; empty if judgements are ad hoc
    top: float  # the largest grade
    top_text: str  # a clause for messages: where the largest grade is
    source: str
    notes: tuple[Note, ...]  # from reading them
    remarks: tuple[Note, ...] = ()  # on column 2 and on weights
    nuggets: NuggetList | None = None  # if passages were judged

    @property
    def pool(self) -> Pool:
        """The judged documents of all topics, padded to the largest."""
        return self.all_topics.pool

    @cached_property
    def groups(self) -> tuple[TopicGroup, ...]:
        """All topics in one group, or groups of similar size if one pool would need far more memory than the data."""
        high = self.size if self.nuggets is None else np.maximum(self.size, self.nuggets.count(len(self.size)))
        groups = groups_by_area(high, np.array([max(len(names), 1) for names in self.aspects]))
        if len(groups) == 1:
            return (self.all_topics,)
        parts = tuple(map(self._topic_group, groups))
        for part in parts:
            part.pool.set_totals([other.pool for other in parts])
        return parts

    @cached_property
    def all_topics(self) -> TopicGroup:
        """All topics."""
        return self._topic_group(np.arange(len(self.size)))

    def _topic_group(self, topics: Ints) -> TopicGroup:
        pool = self.pool_for(topics)
        row = positions_among(topics, len(self.size))
        return TopicGroup(topics, pool, None if self.nuggets is None else self.nuggets.of(row, pool.aspects.shape))

    def row_in(self, group: TopicGroup) -> Ints:
        """[t] the row of each topic in a group; -1 if it is in another."""
        return positions_among(group.topics, len(self.size))

    @property
    def by_aspect(self) -> bool:
        """Whether grades are by aspect."""
        return self.nuggets is not None or any(self.aspects)

    def scale(self, max_grade: float | None) -> float:
        """The top of the judging scale: the largest grade, or `max_grade`, which must not be smaller."""
        if max_grade is not None and (max_grade < self.top or max_grade <= 0):
            found = f"{self.top_text}, above the top of the scale, {max_grade:g}; give a larger "
            raise InputError(found, argument("max_grade"), ".", argument="max_grade", code="grade-above-scale")
        return float(max_grade or self.top or 1.0)


def policy_pool(judgements: Qrels | PassageQrels, policy: JudgingPolicy) -> JudgedPool:
    """The judgements as a pool, as a judging policy reads them."""
    weights: Any = policy.weights
    by_subtopic = policy.qrels_format == "subtopic"
    return build_pool(judgements, by_subtopic, weights, policy.passage_grade, policy.preferences)


def build_pool(
    judgements: Qrels | PassageQrels,
    subtopics: bool = False,
    weights: Weights | None = None,
    passage_grade: PassageGrade = "largest",
    preferences: bool = False,
) -> JudgedPool:
    """The judgements as a pool, built once for all runs; `weights` replaces uniform weights of subtopics.

    With `preferences`, levels only compare the documents of a group, which column 2 names.
    """
    flat = None if weights is None else tuple((t, s, float(w)) for t, of in weights.items() for s, w in of.items())
    key = ("pool", subtopics, flat, passage_grade, preferences)
    pool: JudgedPool | None = judgements.once.get(key)
    if pool is None:
        if isinstance(judgements, PassageQrels):
            pool = passage_pool(judgements, passage_grade)
        else:
            pool = _document_pool(judgements, subtopics, weights, preferences)
        pool = judgements.once.setdefault(key, pool)  # threads that come here at once share one pool
    return pool


def _document_pool(qrels: Qrels, subtopics: bool, weights: Weights | None, preferences: bool) -> JudgedPool:
    topics = {name: row for row, name in enumerate(qrels.topics)}
    if not topics:
        raise InputError(f"{qrels.source} has no judgements, so nothing can be scored.")
    frame = qrels.frame.with_columns(t=pl.col("topic").replace_strict(topics, return_dtype=pl.Int64))
    best = frame.group_by("t", "doc").agg(pl.col("grade").max()) if qrels.varied_topics or preferences else frame
    best = best.select("t", "doc", "grade").sort("t", "doc", descending=[False, True])
    t, grades = best["t"].to_numpy(), best["grade"].to_numpy()
    size, slot = document_slots(t, len(topics))
    index = build_index(best["doc"], t, t * int(size.max()) + slot)
    top_text = f"{qrels.source} has a grade {qrels.max_grade:g}"
    whose = (qrels.max_grade, top_text, qrels.source, qrels.notes, _remarks(qrels, subtopics or preferences, weights))

    def padded_grades(some: Ints) -> Floats:
        """[g, p] the grades of the documents of some topics."""
        row, grade = positions_among(some, len(topics)), np.zeros((len(some), int(size[some].max())))
        chosen = slice(None) if len(some) == len(topics) else row[t] >= 0
        grade[row[t[chosen]], slot[chosen]] = grades[chosen]
        return grade

    def ad_hoc_pool(some: Ints) -> Pool:
        grade = padded_grades(some)
        return Pool(grade, size[some], grade[:, :, None], np.ones((len(some), 1)))

    if not subtopics and not preferences:
        return JudgedPool(ad_hoc_pool, size, index, topics, ((),) * len(topics), *whose)
    joined = frame.join(best.select("t", "doc", slot=pl.Series(slot)), on=["t", "doc"], how="left")
    if preferences:
        parts = joined.sort("t").partition_by("t", maintain_order=True)
        groups = [
            judged_groups(part, n, qrels.source, topic)
            for part, n, topic in zip(parts, size.tolist(), topics, strict=True)
        ]

        def preference_pool(some: Ints) -> Pool:
            return replace(ad_hoc_pool(some), preferences=tuple(groups[each] for each in some.tolist()))

        return JudgedPool(preference_pool, size, index, topics, ((),) * len(topics), *whose)
    aspects = _topic_aspects(qrels, weights or {})
    judged = _with_aspects(joined, aspects)
    topic_of, *cell_of, grade_of = (judged[name].to_numpy() for name in ("t", "slot", "aspect", "grade"))
    dtype = aspect_dtype(grade_of)

    def subtopic_pool(some: Ints) -> Pool:
        names = {qrels.topics[each]: aspects[each] for each in some.tolist()}
        by_aspect = np.zeros((len(some), int(size[some].max()), max(map(len, names.values()))), dtype=dtype)
        row = positions_among(some, len(topics))[topic_of]
        by_aspect[row[row >= 0], *(each[row >= 0] for each in cell_of)] = grade_of[row >= 0]
        parts = uniform_weights(by_aspect) if weights is None else _weight_table(weights, names)
        return Pool(padded_grades(some), size[some], by_aspect, parts)

    return JudgedPool(subtopic_pool, size, index, topics, aspects, *whose)


def _remarks(qrels: Qrels, subtopics: bool, weights: Weights | None) -> tuple[Note, ...]:
    """Notes on column 2 if it is not used, or on weights if it is."""
    if not subtopics:
        return column_2_notes(qrels.source, qrels.varied_topics)
    judged = set(qrels.frame.select("topic", "subtopic").unique().rows()) if weights else set()
    unjudged = sum((t, s) not in judged for t, of in (weights or {}).items() for s in of)
    text = f"weights name {count_phrase(unjudged, 'subtopic')} that no document was judged for"
    return (Note(text),) if unjudged else ()


def passage_pool(truth: PassageQrels, passage_grade: PassageGrade = "largest") -> JudgedPool:
    """The pool of judged passages; ratings of 0 count as 1, as in the track's scorers.

    By aspect a document has the sum of the ratings of its passages, as in the track's metrics; its grade is the largest
    of them, or their sum.
    """
    topics = {topic: t for t, topic in enumerate(truth.topics)}
    subtopics = tuple(truth.subtopics.values())
    frame = truth.frame.with_columns(
        rating=pl.when(pl.col("rating") == 0).then(1.0).otherwise(pl.col("rating")),
        t=pl.col("topic").replace_strict(topics, return_dtype=pl.Int64),
    )
    frame = _with_aspects(frame, subtopics)
    docs = frame.select("t", "doc").unique().sort("t", "doc", descending=[False, True])
    size, document = document_slots(docs["t"].to_numpy(), len(topics))
    docs = docs.with_columns(document=document)
    frame = frame.join(docs, on=["t", "doc"], maintain_order="left")
    t, *where = (frame[name].to_numpy() for name in ("t", "document", "aspect"))
    rating = frame["rating"].to_numpy()

    def pool_of_passages(some: Ints) -> Pool:
        names = [subtopics[each] for each in some.tolist()]
        shape = len(some), int(size[some].max(initial=1)), max([1, *map(len, names)])
        row = positions_among(some, len(topics))[t]
        at = (row[row >= 0], *(each[row >= 0] for each in where))
        ratings, weights = np.zeros(shape), np.zeros(shape[::2])
        np.add.at(ratings, at, rating[row >= 0])
        for n, of in enumerate(names):
            weights[n, : len(of)] = 1 / max(len(of), 1)
        grade = ratings.sum(axis=2)
        if passage_grade == "largest":
            grade = np.zeros(shape[:2])
            np.maximum.at(grade, at[:2], rating[row >= 0])
        return Pool(grade, size[some], ratings, weights)

    index = build_index(docs["doc"], docs["t"].to_numpy(), docs["t"].to_numpy() * int(size.max(initial=1)) + document)
    top, of_what = float(rating.max(initial=0)), "a rating"
    if passage_grade == "sum":
        alike = groups_by_area(size, np.array([max(len(names), 1) for names in subtopics]))
        top, of_what = max(float(pool_of_passages(some).grade.max(initial=0)) for some in alike), "ratings in all"
    top_text = f"a document of {truth.source} has {of_what} of {top:g}"
    whose = (subtopics, top, top_text, truth.source, truth.notes, (), nugget_list(frame))
    return JudgedPool(pool_of_passages, size, index, topics, *whose)


def document_slots(t: Ints, topics: int) -> tuple[Ints, Ints]:
    """The number of documents of each topic [topics], and the position of each document [m] within its topic."""
    size = np.bincount(t, minlength=topics).astype(np.int64)
    return size, np.arange(len(t)) - np.repeat(np.cumsum(size) - size, size)


def _topic_aspects(qrels: Qrels, weights: Weights) -> tuple[tuple[str, ...], ...]:
    """The subtopics of each topic, judged or weighted, in order; in numeric order if all are numbers."""
    named = qrels.frame.group_by("topic").agg(pl.col("subtopic").unique())
    judged = dict(zip(named["topic"], named["subtopic"].to_list(), strict=True))
    return tuple(tuple(_sorted_names({*judged[topic], *weights.get(topic, ())})) for topic in qrels.topics)


def _sorted_names(names: set[str]) -> list[str]:
    numeric = all(parsed_number(name.encode()) is not None for name in names)
    return sorted(names, key=(lambda name: (float(name), name)) if numeric else None)


def _with_aspects(judged: pl.DataFrame, aspects: tuple[tuple[str, ...], ...]) -> pl.DataFrame:
    """The judgements with the numbers of their aspects; those for others are left out."""
    rows = [(t, name, i) for t, names in enumerate(aspects) for i, name in enumerate(names)]
    columns = {"t": pl.Int64, "subtopic": pl.String, "aspect": pl.Int64}
    named = pl.DataFrame(rows, schema=columns, orient="row")
    return judged.join(named, on=["t", "subtopic"], maintain_order="left")


def _weight_table(weights: Weights, aspects: Mapping[str, tuple[str, ...]]) -> Floats:
    """[t, a] the weights of some topics' aspects as an array."""
    table = np.zeros((len(aspects), max(map(len, aspects.values()))))
    for t, (topic, names) in enumerate(aspects.items()):
        for a, name in enumerate(names):
            if name not in weights.get(topic, {}):
                raise InputError(f"The weights have none for subtopic {name} of topic {topic}. Add one, or 0.")
            table[t, a] = weights[topic][name]
    return table
