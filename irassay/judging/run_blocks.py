"""A run that the compiled scanner reads, judged some topics at a time."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Ints
from irassay.io.order_settings import TOP_RANKS
from irassay.io.records import decoded_fields, numbered_fields
from irassay.io.scan import ScannedLists
from irassay.io.streams import LONG_SIZE
from irassay.judging.judged_lists import rows_by_length
from irassay.judging.kinds import unmatched_note
from irassay.judging.run_facts import RunFacts, UncleanError
from irassay.notes import Note
from irassay.rankings.batch import Rankings
from irassay.rankings.pool import Pool

if TYPE_CHECKING:
    from irassay.judging.scanned_runs import ScannedRuns

BlockRows = Callable[[int, Pool], int]  # the number of lists scored together, given their depth and pool


class JudgedHits:
    """The judged results of a run, list by list: no more than there are judgements."""

    def __init__(self, topics: int, deepest: int) -> None:
        self.size: Ints = np.zeros(topics, np.int64)  # [topic] results used
        self.deepest, self.near_the_top = deepest, 0
        self.found: list[tuple[Ints, Ints, Ints]] = []  # topic, rank from 0, and place in the pool of each

    def add(self, part: ScannedLists, known: Ints, topic: Ints) -> None:
        """Adds the lists of a part about judged topics."""
        size = part.size[known].astype(np.int64)
        self.size[topic] = np.minimum(size, self.deepest)
        place = np.flatnonzero(part.entry >= 0)
        end = np.cumsum(size)
        one = np.searchsorted(end, place, side="right")
        rank = place - (end - size)[one]
        used = rank < self.deepest
        self.near_the_top += int((rank[used] < TOP_RANKS).sum())
        self.found.append((topic[one[used]], rank[used], part.entry[place[used]].astype(np.int64)))

    @property
    def any(self) -> bool:
        """Whether any result is judged."""
        return any(len(topic) for topic, _, _ in self.found)

    def sort(self) -> None:
        """Puts the results in order of topic, once all were added."""
        topic, rank, entry = (np.concatenate(each) for each in zip(*self.found, strict=True))
        order = np.argsort(topic, kind="stable")
        self.rank, self.entry = rank[order], entry[order]
        self.end = np.cumsum(np.bincount(topic, minlength=len(self.size)))

    def lists(self, topics: Ints) -> ScannedLists:
        """The lists about some topics, as the scanner returns them."""
        size = self.size[topics]
        count = np.diff(self.end, prepend=0)[topics]
        one = np.repeat(np.arange(len(topics)), count)
        hit = np.arange(len(one)) + np.repeat(self.end[topics] - np.cumsum(count), count)
        entry = np.full(int(size.sum()), -1, np.int32)
        entry[(np.cumsum(size) - size)[one] + self.rank[hit]] = self.entry[hit]
        flags = np.zeros(len(topics), np.uint8)
        return ScannedLists(topics.astype(np.int32), size.astype(np.int32), flags, entry, (), "")


class RunBlocks:
    """A run's lists as batches, each with its topics [n], so that memory follows the judgements and not the run.

    What is kept of the run are its judged results. The batches are the blocks in which a run that is judged as a whole
    is scored, so that its scores are the same to the last bit. Notes are complete after the last batch.
    """

    def __init__(self, runs: "ScannedRuns", number: int, block_rows: BlockRows) -> None:
        self.judgements, self.policy, self.runs, self.number = runs.judgements, runs.policy, runs, number
        self.topics, self.name, self.block_rows = self.judgements.topics, runs.names[number], block_rows
        self.notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[tuple[Rankings, Ints]]:
        facts = RunFacts(self.judgements, self.policy)
        hits = JudgedHits(len(self.topics), self.runs.deepest)
        for part in self.runs.parts(self.number):
            hits.add(part, *facts.add(part))
        facts.judged, facts.any_judged = hits.near_the_top, hits.any
        topics = facts.topics()
        self.runs.sources[self.number].tag, self.name = facts.tag, self.name or facts.tag
        self.notes = (*facts.notes(self.name), *self._document_notes(facts))
        hits.sort()
        sizes = self.judgements.scanned.size[topics]
        groups = rows_by_length(sizes) if self.runs.is_ragged else [np.arange(len(topics))]
        for group in groups:
            pool = self.judgements.pool_of(topics[group]) if self.runs.is_ragged else self.judgements.pool
            row_in_pool = np.arange(len(group)) if self.runs.is_ragged else topics
            size = hits.size[topics[group]]
            for rows in rows_by_length(size):
                depth = int(size[rows].max(initial=0))
                step = self.block_rows(depth, pool)
                for start in range(0, len(rows), step):
                    some = rows[start : start + step]
                    topic = topics[group[some]]
                    placed = [(hits.lists(topic), np.arange(len(topic)))]
                    yield self.judgements.rankings(pool, placed, row_in_pool[some], size[some], depth)[0], topic

    def _document_notes(self, facts: RunFacts) -> list[Note]:
        """A note if hardly any of the first ten results are judged; for shorter runs the general reader makes it."""
        if not facts.hardly_judged:
            return []
        source = self.runs.sources[self.number]
        if not source.is_pipe and source.size < LONG_SIZE << 3:
            raise UncleanError
        head = source.head()
        lines = islice(numbered_fields(head[: head.rfind(b"\n") + 1], 0), 3)
        samples = f"the run has {', '.join(decoded_fields(fields)[2] for _, fields in lines)}"
        return [unmatched_note(self.name, self.judgements.source, facts.any_judged, samples)]
