"""Judgements that runs can be scanned against: from a clean file, or from the general reader."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.records import numbered_fields
from irassay.io.scan import (
    DocumentKeys,
    ScannedLists,
    ScannedPool,
    joined_bytes,
    layout,
    padded_bytes,
    pool_from_arrays,
    read_pool,
)
from irassay.io.sources import Source
from irassay.judging.judged_lists import groups_by_area
from irassay.judging.kinds import column_2_notes
from irassay.judging.policy import JudgingPolicy
from irassay.notes import Note
from irassay.rankings.batch import Rankings, plain_arrays
from irassay.rankings.pool import Pool, aspect_dtype, uniform_weights

if TYPE_CHECKING:
    from irassay.judging.pool import JudgedPool


@dataclass(frozen=True, eq=False)
class ScannedQrels:
    """Judgements that runs can be scanned against, and their notes."""

    scanned: ScannedPool
    source: str
    max_grade: float
    notes: tuple[Note, ...] = ()
    remarks: tuple[Note, ...] = ()
    carries: frozenset[str] = frozenset()
    full_pool: Pool | None = None  # if the general reader read them, or they are by subtopic

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self.scanned.topics

    @cached_property
    def pool(self) -> Pool:
        """The judged documents of every topic."""
        return self.full_pool or self.pool_of(np.arange(len(self.scanned.topics)))

    def pool_of(self, topics: Ints) -> Pool:
        """The judged documents of some topics, no wider than they need, with the properties of all judgements."""
        size = self.scanned.size[topics]
        if self.full_pool is None:
            grade = self.scanned.grade(topics)
            pool = Pool(grade, size, grade[:, :, None], np.ones((len(topics), 1)))
        else:
            width, full = int(size.max(initial=0)), self.full_pool
            pool = Pool(full.grade[topics, :width], size, full.aspects[topics, :width], full.weights[topics])
        flat = self.scanned.flat
        pool.once("has_whole_grades", lambda: bool((flat == np.floor(flat)).all()))
        pool.once("top", lambda: float(flat.max(initial=0)))
        return pool

    def rankings(
        self,
        pool: Pool,
        parts: list[tuple[ScannedLists, Ints]],
        topic: Ints,
        retrieved: Ints,
        depth: int | None = None,
    ) -> tuple[Rankings, DocumentKeys | None]:
        """The batch of lists [n], and the keys [n, depth] of their documents if they were read.

        Given are the row of each list of the parts, or -1, the row in the pool of each row, and the depth of the batch,
        by default that of the longest list.
        """
        shape = len(topic), int(retrieved.max(initial=0)) if depth is None else depth
        grade, judged, place, keys = layout(self.scanned, parts, shape, places="aspects" in self.carries)
        aspects: Any = grade[:, :, None]
        if place is not None:
            aspects = np.zeros((*shape, pool.aspects.shape[2]), dtype=pool.aspects.dtype)
            one, column = np.nonzero(judged)
            aspects[one, column] = pool.aspects[topic[one], place[one, column]]
        more = {**plain_arrays(*shape), "aspects": aspects, "carries": self.carries}
        return Rankings(grade, judged, retrieved, topic, pool, self.max_grade, **more), keys


def qrels_from_file(qrels: Any, policy: JudgingPolicy, by_column_2: bool) -> ScannedQrels | None:
    """The judgements in a clean file, ad hoc or by subtopic; None if it is not clean."""
    if not isinstance(qrels, Source) or qrels.is_pipe:
        return None
    try:
        blocks = list(qrels.blocks())
    except InputError:
        return None
    begins = blocks[0] if blocks else b""
    _, first = next(numbered_fields(begins[: begins.find(b"\n", 1 << 16) + 1 or None], 0), (0, []))
    if len(first) != 4 or first[0].startswith(b"<"):
        return None
    text = padded_bytes(*blocks)
    scanned = (None if by_column_2 else read_pool(text)) or read_pool(text, by_subtopic=True)
    if scanned is None or scanned.not_ascii:
        return None
    pool = _pool_by_subtopic(scanned) if scanned.rows else None
    if scanned.rows and pool is None:
        return None
    are_subtopics = scanned.varied_topics and scanned.rows != len(scanned.flat)
    if by_column_2 and policy.qrels_format == "auto" and not are_subtopics:
        return None
    top = float(scanned.flat.max(initial=0))
    if policy.max_grade is not None and policy.max_grade < max(top, 1e-300):
        return None
    scale = float(policy.max_grade or top or 1.0)
    if by_column_2:
        return ScannedQrels(scanned, qrels.name, scale, carries=frozenset({"aspects"}), full_pool=pool)
    return ScannedQrels(scanned, qrels.name, scale, remarks=column_2_notes(qrels.name, scanned.varied_topics))


def _pool_by_subtopic(scanned: ScannedPool) -> Pool | None:
    """The judged documents with their grades by subtopic; None if one is judged twice for a subtopic."""
    topic, place, subtopic, each = scanned.by_subtopic()
    named, code = np.unique(topic << 32 | subtopic, return_inverse=True)
    aspects = np.bincount(named >> 32, minlength=len(scanned.size))  # [t]
    if len(groups_by_area(scanned.size.astype(np.int64), aspects)) > 1:
        return None  # the general reader makes separate pools for topics with very many
    aspect = code - (np.cumsum(aspects) - aspects)[topic]
    grade = scanned.grade(np.arange(len(scanned.size)))
    by_aspect = np.zeros((*grade.shape, int(aspects.max())), dtype=aspect_dtype(each))
    judged = np.zeros(by_aspect.shape, bool)
    judged[topic, place, aspect] = True
    if np.count_nonzero(judged) < len(each):
        return None
    by_aspect[topic, place, aspect] = each
    return Pool(grade, scanned.size, by_aspect, uniform_weights(by_aspect))


def qrels_from_pool(pool: "JudgedPool", policy: JudgingPolicy) -> ScannedQrels | None:
    """Judgements read by the general reader; None if runs cannot be scanned against them."""
    top = policy.max_grade
    if len(pool.groups) > 1 or pool.nuggets is not None or (top is not None and top < max(pool.top, 1e-300)):
        return None
    place, width = pool.index.place, pool.pool.grade.shape[1]
    documents, end = joined_bytes(pool.index.docs)
    scanned = pool_from_arrays(tuple(pool.topics), documents, end, place // width, pool.pool.grade.ravel()[place])
    if scanned is None or scanned.topics != tuple(pool.topics):
        return None
    inputs = {"aspects": pool.by_aspect, "weights": policy.weights is not None}
    carries = frozenset(name for name, is_given in inputs.items() if is_given)
    scale = pool.scale(policy.max_grade)
    return ScannedQrels(scanned, pool.source, scale, pool.notes, pool.remarks, carries, pool.pool)
