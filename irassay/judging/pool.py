"""Judgements as a pool: the judged documents of each topic, and a way to find documents among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints, NDArray
from irassay.errors import InputError
from irassay.io.lines import number
from irassay.io.passage_qrels import PassageQrels
from irassay.io.trec import Qrels
from irassay.judging.index import Index, build_index
from irassay.judging.judged import by_area
from irassay.judging.kinds import on_column_2
from irassay.judging.nuggets import NuggetList, nugget_list
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.rankings.batch import Pool, uniform
from irassay.rankings.passages import Nuggets

PassageGrade = Literal["largest", "sum"]
Weights = Mapping[str, Mapping[str, float]]  # topic -> subtopic -> weight


@dataclass(frozen=True, eq=False)
class TopicGroup:
    """Some topics, and a pool of their judgements only."""

    topics: Ints  # [g] which of all
    pool: Pool
    nuggets: Nuggets | None = None  # where passages were judged


@dataclass(frozen=True, eq=False)
class JudgedPool:
    """Judgements as arrays: pools of topics, what their rows and aspects are called, and where documents lie."""

    made: Callable[[Ints], Pool]  # from some topics
    size: Ints  # [t] judged documents
    index: Index
    topics: dict[str, int]
    aspects: tuple[tuple[str, ...], ...]  # of each topic, in order; none where judgements are ad hoc
    top: float  # the largest grade
    has_top: str  # who has that grade, for messages
    source: str
    notes: tuple[Note, ...]  # from reading them
    remarks: tuple[Note, ...] = ()  # on column 2 and on weights
    nuggets: NuggetList | None = None  # where passages were judged

    @property
    def pool(self) -> Pool:
        """The judged documents of all topics, as wide as the largest needs."""
        return self.whole.pool

    @cached_property
    def groups(self) -> tuple[TopicGroup, ...]:
        """All topics in one group, or in several of like size where one pool would take far more room than the data."""
        high = self.size if self.nuggets is None else np.maximum(self.size, self.nuggets.count(len(self.size)))
        groups = by_area(high, np.array([max(len(names), 1) for names in self.aspects]))
        if len(groups) == 1:
            return (self.whole,)
        parts = tuple(map(self._group, groups))
        for part in parts:
            part.pool.keep([other.pool for other in parts])
        return parts

    @cached_property
    def whole(self) -> TopicGroup:
        """All topics."""
        return self._group(np.arange(len(self.size)))

    def _group(self, topics: Ints) -> TopicGroup:
        pool = self.made(topics)
        row = _rows(topics, len(self.size))
        return TopicGroup(topics, pool, None if self.nuggets is None else self.nuggets.of(row, pool.aspects.shape))

    def within(self, group: TopicGroup, place: Ints) -> tuple[Ints, Ints]:
        """The rows, in the pool of a group, and the columns of documents at some places in the pool of all topics."""
        topic, column = np.divmod(place, int(self.size.max(initial=1)))
        return self.row_in(group)[topic], column

    def row_in(self, group: TopicGroup) -> Ints:
        """[t] the row of each topic in a group; -1 where it is in another."""
        return _rows(group.topics, len(self.size))

    @property
    def by_aspect(self) -> bool:
        """Whether grades are by aspect."""
        return self.nuggets is not None or any(self.aspects)

    def scale(self, max_grade: float | None) -> float:
        """The top of the judging scale: the largest grade, or a given one that is no smaller."""
        if max_grade is not None and (max_grade < self.top or max_grade <= 0):
            raise InputError(f"max_grade={max_grade:g}, but {self.has_top}; raise it")
        return float(max_grade or self.top or 1.0)


def build_pool(
    judgements: Qrels | PassageQrels,
    subtopics: bool = False,
    weights: Weights | None = None,
    passage_grade: PassageGrade = "largest",
) -> JudgedPool:
    """The judgements as a pool, built once for all runs; `weights` replaces uniform weights of subtopics."""
    flat = None if weights is None else tuple((t, s, float(w)) for t, of in weights.items() for s, w in of.items())
    key = ("pool", subtopics, flat, passage_grade)
    if key not in judgements.once:
        judgements.once[key] = (
            passage_pool(judgements, passage_grade)
            if isinstance(judgements, PassageQrels)
            else _of_documents(judgements, subtopics, weights)
        )
    pool: JudgedPool = judgements.once[key]
    return pool


def _of_documents(qrels: Qrels, subtopics: bool, weights: Weights | None) -> JudgedPool:
    topics = {name: row for row, name in enumerate(qrels.topics)}
    if not topics:
        raise InputError(f"{qrels.source} holds no judgements, so nothing can be scored")
    frame = qrels.frame.with_columns(t=pl.col("topic").replace_strict(topics, return_dtype=pl.Int64))
    best = frame.group_by("t", "doc").agg(pl.col("grade").max()) if qrels.varied else frame
    best = best.select("t", "doc", "grade").sort("t", "doc", descending=[False, True])
    t, grades = best["t"].to_numpy(), best["grade"].to_numpy()
    size, slot = slots(t, len(topics))
    index = build_index(best["doc"], t, t * int(size.max()) + slot)
    has_top = f"{qrels.source} has a grade {qrels.max_grade:g}"
    whose = (qrels.max_grade, has_top, qrels.source, qrels.notes, _remarks(qrels, subtopics, weights))

    def padded(some: Ints) -> Floats:
        """[g, p] the grades of the documents of some topics."""
        row, grade = _rows(some, len(topics)), np.zeros((len(some), int(size[some].max())))
        chosen = slice(None) if len(some) == len(topics) else row[t] >= 0
        grade[row[t[chosen]], slot[chosen]] = grades[chosen]
        return grade

    def ad_hoc(some: Ints) -> Pool:
        grade = padded(some)
        return Pool(grade, size[some], grade[:, :, None], np.ones((len(some), 1)))

    if not subtopics:
        return JudgedPool(ad_hoc, size, index, topics, ((),) * len(topics), *whose)
    aspects = _aspects(qrels, weights or {})
    joined = frame.join(best.select("t", "doc", slot=pl.Series(slot)), on=["t", "doc"], how="left")
    judged = _with_aspects(joined, aspects)
    small = bool(qrels.whole and grades.max(initial=0) <= 127 and frame["grade"].to_numpy().min(initial=0) >= -128)

    def by_subtopic(some: Ints) -> Pool:
        names = [aspects[each] for each in some.tolist()]
        by_aspect = _by_aspect(judged, some, size, names, small)
        parts = uniform(by_aspect) if weights is None else _given(weights, [qrels.topics[i] for i in some], names)
        return Pool(padded(some), size[some], by_aspect, parts)

    return JudgedPool(by_subtopic, size, index, topics, aspects, *whose)


def _remarks(qrels: Qrels, subtopics: bool, weights: Weights | None) -> tuple[Note, ...]:
    """What is to be said of column 2 where it is not used, or of weights where it is."""
    if not subtopics:
        return on_column_2(qrels.source, qrels.varied)
    judged = set(qrels.frame.select("topic", "subtopic").unique().rows()) if weights else set()
    unjudged = sum((t, s) not in judged for t, of in (weights or {}).items() for s in of)
    return (Note(f"weights name {count_phrase(unjudged, 'subtopic')} that no document was judged for"),) if unjudged else ()


def passage_pool(truth: PassageQrels, passage_grade: PassageGrade = "largest") -> JudgedPool:
    """The pool of judged passages: ratings of 0 count as 1, as the scorers of the track have it.

    By aspect a document has the sum of the ratings of its passages, as the metrics of the track have it; its grade is
    the largest of them, or their sum where that is asked for.
    """
    topics = {topic: t for t, topic in enumerate(truth.topics)}
    subtopics = tuple(truth.subtopics.values())
    aspects = [(topic, s, i) for topic, of in truth.subtopics.items() for i, s in enumerate(of)]
    columns = {"topic": pl.String, "subtopic": pl.String, "aspect": pl.Int64}
    frame = truth.frame.with_columns(
        rating=pl.when(pl.col("rating") == 0).then(1.0).otherwise(pl.col("rating")),
        t=pl.col("topic").replace_strict(topics, return_dtype=pl.Int64),
    ).join(pl.DataFrame(aspects, schema=columns, orient="row"), on=["topic", "subtopic"], maintain_order="left")
    docs = frame.select("t", "doc").unique().sort("t", "doc", descending=[False, True])
    size, document = slots(docs["t"].to_numpy(), len(topics))
    docs = docs.with_columns(document=document)
    frame = frame.join(docs, on=["t", "doc"], maintain_order="left")
    t, *where = (frame[name].to_numpy() for name in ("t", "document", "aspect"))
    rating = frame["rating"].to_numpy()

    def by_passage(some: Ints) -> Pool:
        names = [subtopics[each] for each in some.tolist()]
        shape = len(some), int(size[some].max(initial=1)), max([1, *map(len, names)])
        row = _rows(some, len(topics))[t]
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
        alike = by_area(size, np.array([max(len(names), 1) for names in subtopics]))
        top, of_what = max(float(by_passage(some).grade.max(initial=0)) for some in alike), "ratings in all"
    has_top = f"a document of {truth.source} has {of_what} of {top:g}"
    whose = (subtopics, top, has_top, truth.source, truth.notes, (), nugget_list(frame))
    return JudgedPool(by_passage, size, index, topics, *whose)


def slots(t: Ints, topics: int) -> tuple[Ints, Ints]:
    """How many documents each topic has [topics], and where each of those [m], by topic, stands in its own [m]."""
    size = np.bincount(t, minlength=topics).astype(np.int64)
    return size, np.arange(len(t)) - np.repeat(np.cumsum(size) - size, size)


def _aspects(qrels: Qrels, weights: Weights) -> tuple[tuple[str, ...], ...]:
    """The subtopics of each topic, judged or weighted, in order: of numbers if all are numbers."""
    named = qrels.frame.group_by("topic").agg(pl.col("subtopic").unique())
    judged = dict(zip(named["topic"], named["subtopic"].to_list(), strict=True))
    return tuple(tuple(_in_order({*judged[topic], *weights.get(topic, ())})) for topic in qrels.topics)


def _in_order(names: set[str]) -> list[str]:
    numeric = all(number(name.encode()) is not None for name in names)
    return sorted(names, key=(lambda name: (float(name), name)) if numeric else None)


def _rows(some: Ints, topics: int) -> Ints:
    """[t] which of some topics each is; -1 where it is none of them."""
    row = np.full(topics, -1)
    row[some] = np.arange(len(some))
    return row


def _with_aspects(judged: pl.DataFrame, aspects: tuple[tuple[str, ...], ...]) -> pl.DataFrame:
    """The judgements with the number of the aspect that each is about."""
    named = pl.DataFrame(
        {
            "t": np.repeat(np.arange(len(aspects)), [len(names) for names in aspects]),
            "subtopic": [name for names in aspects for name in names],
            "aspect": [i for names in aspects for i in range(len(names))],
        }
    )
    return judged.join(named, on=["t", "subtopic"], how="left")


def _by_aspect(
    judged: pl.DataFrame, some: Ints, size: Ints, names: Sequence[tuple[str, ...]], small: bool
) -> NDArray[np.int8 | np.float64]:
    """[g, p, a] the grade of each document of some topics for each aspect; 0 where it was not judged for it."""
    shape = len(some), int(size[some].max()), max(map(len, names))
    grades = np.zeros(shape, dtype=np.int8 if small else np.float64)
    row = _rows(some, len(size))[judged["t"].to_numpy()]
    slot, aspect, grade = (judged[column].to_numpy()[row >= 0] for column in ("slot", "aspect", "grade"))
    grades[row[row >= 0], slot, aspect] = grade
    return grades


def _given(weights: Weights, topics: Sequence[str], aspects: Sequence[tuple[str, ...]]) -> Floats:
    """[t, a] the weights as given."""
    table = np.zeros((len(topics), max(map(len, aspects))))
    for t, (topic, names) in enumerate(zip(topics, aspects, strict=True)):
        for a, name in enumerate(names):
            if name not in weights.get(topic, {}):
                raise InputError(f"the weights have none for subtopic {name} of topic {topic}; add one, or 0")
            table[t, a] = weights[topic][name]
    return table
