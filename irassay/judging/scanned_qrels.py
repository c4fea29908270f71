"""Judgements that runs can be scanned against: of a clean file, or as the general reader read them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.records import fields_of
from irassay.io.scan import Keys, Part, ScannedPool, joined_bytes, layout, made_pool, read_pool, text_of
from irassay.io.sources import Source
from irassay.judging.judged import by_area
from irassay.judging.kinds import on_column_2
from irassay.judging.policy import JudgingPolicy
from irassay.notes import Note
from irassay.rankings.batch import Pool, Rankings, neutral, uniform

if TYPE_CHECKING:
    from irassay.judging.pool import JudgedPool


@dataclass(frozen=True, eq=False)
class ScannedQrels:
    """Judgements that runs can be scanned against, and what is said of them."""

    scanned: ScannedPool
    source: str
    max_grade: float
    notes: tuple[Note, ...] = ()
    remarks: tuple[Note, ...] = ()
    carries: frozenset[str] = frozenset()
    read: Pool | None = None  # where the general reader read them

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self.scanned.topics

    @property
    def pool_sizes(self) -> Ints:
        """[topic] how many documents are judged."""
        return self.scanned.size

    @cached_property
    def pool(self) -> Pool:
        """The judged documents of every topic."""
        return self.read or self.some(np.arange(len(self.scanned.topics)))

    def some(self, topics: Ints) -> Pool:
        """The judged documents of some topics, no wider than these need; what holds of all judgements is kept."""
        size = self.scanned.size[topics]
        if self.read is None:
            grade = self.scanned.grade(topics)
            pool = Pool(grade, size, grade[:, :, None], np.ones((len(topics), 1)))
        else:
            wide, read = int(size.max(initial=0)), self.read
            pool = Pool(read.grade[topics, :wide], size, read.aspects[topics, :wide], read.weights[topics])
        flat = self.scanned.flat
        pool.once("whole", lambda: bool((flat == np.floor(flat)).all()))
        pool.once("top", lambda: float(flat.max(initial=0)))
        return pool

    def rankings(
        self, pool: Pool, parts: list[tuple[Part, Ints]], topic: Ints, retrieved: Ints
    ) -> tuple[Rankings, Keys | None]:
        """The batch of lists [n], given the row of each list of the parts, or -1, and of each row its row in the pool.

        Also the keys [n, depth] of the documents, if they were read.
        """
        shape = len(topic), int(retrieved.max(initial=0))
        grade, judged, place, keys = layout(self.scanned, parts, shape, places="aspects" in self.carries)
        aspects: Any = grade[:, :, None]
        if place is not None:
            aspects = np.zeros((*shape, pool.aspects.shape[2]), dtype=pool.aspects.dtype)
            one, column = np.nonzero(judged)
            aspects[one, column] = pool.aspects[topic[one], place[one, column]]
        made = Rankings(
            grade=grade,
            judged=judged,
            retrieved=retrieved,
            topic=topic,
            pool=pool,
            max_grade=self.max_grade,
            aspects=aspects,
            **neutral(*shape),
            carries=self.carries,
        )
        return made, keys


def qrels_from_file(qrels: Any, policy: JudgingPolicy, by_column_2: bool) -> ScannedQrels | None:
    """Clean judgements in a file, ad hoc ones or, where column 2 is the subtopic, by subtopic."""
    if not isinstance(qrels, Source) or qrels.is_pipe:
        return None
    try:
        blocks = list(qrels.blocks())
    except InputError:
        return None
    begins = blocks[0] if blocks else b""
    _, first = next(fields_of(begins[: begins.find(b"\n", 1 << 16) + 1 or None], 0), (0, []))
    if len(first) != 4 or first[0].startswith(b"<"):
        return None
    text = text_of(*blocks)
    scanned = (None if by_column_2 else read_pool(text)) or read_pool(text, by_subtopic=True)
    if scanned is None or scanned.not_ascii:
        return None
    read = _aspects(scanned) if scanned.rows else None
    if scanned.rows and read is None:
        return None
    if by_column_2 and policy.qrels_format == "auto" and (not scanned.varied or scanned.rows == len(scanned.flat)):
        return None  # hardly the subtopic
    top = float(scanned.flat.max(initial=0))
    if policy.max_grade is not None and policy.max_grade < max(top, 1e-300):
        return None
    scale = float(policy.max_grade or top or 1.0)
    if by_column_2:
        return ScannedQrels(scanned, qrels.name, scale, carries=frozenset({"aspects"}), read=read)
    return ScannedQrels(scanned, qrels.name, scale, remarks=on_column_2(qrels.name, scanned.varied))


def _aspects(scanned: ScannedPool) -> Pool | None:
    """The judged documents with their grades by subtopic; None where one is judged twice for a subtopic."""
    topic, place, subtopic, each = scanned.by_subtopic()
    named, code = np.unique(topic << 32 | subtopic, return_inverse=True)
    aspects = np.bincount(named >> 32, minlength=len(scanned.size))  # [t]
    if len(by_area(scanned.size.astype(np.int64), aspects)) > 1:
        return None  # the general reader has pools of their own for topics with very many
    aspect = code - (np.cumsum(aspects) - aspects)[topic]
    grade = scanned.grade(np.arange(len(scanned.size)))
    small = bool((each == np.floor(each)).all()) and each.min() >= -128 and each.max() <= 127
    by_aspect = np.zeros((*grade.shape, int(aspects.max())), dtype=np.int8 if small else np.float64)
    judged = np.zeros(by_aspect.shape, bool)
    judged[topic, place, aspect] = True
    if np.count_nonzero(judged) < len(each):
        return None
    by_aspect[topic, place, aspect] = each
    return Pool(grade, scanned.size, by_aspect, uniform(by_aspect))


def qrels_from_pool(have: "JudgedPool", policy: JudgingPolicy) -> ScannedQrels | None:
    """Judgements that the general reader read; None where runs cannot be scanned against them."""
    top = policy.max_grade
    if len(have.groups) > 1 or have.nuggets is not None or (top is not None and top < max(have.top, 1e-300)):
        return None
    place, width = have.index.place, have.pool.grade.shape[1]
    documents, end = joined_bytes(have.index.docs)
    scanned = made_pool(tuple(have.topics), documents, end, place // width, have.pool.grade.ravel()[place])
    if scanned is None or scanned.topics != tuple(have.topics):
        return None
    brought = {"aspects": have.by_aspect, "weights": policy.weights is not None}
    carries = frozenset(name for name, given in brought.items() if given)
    scale = have.scale(policy.max_grade)
    return ScannedQrels(scanned, have.source, scale, have.notes, have.remarks, carries, have.pool)
