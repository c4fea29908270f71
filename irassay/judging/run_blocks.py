"""A run that the compiled scanner reads, judged some topics at a time."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Ints
from irassay.io.records import decoded_fields, numbered_fields
from irassay.io.scan import ScannedLists
from irassay.io.streams import LONG_SIZE
from irassay.judging.judged import positions_among, rows_by_length
from irassay.judging.kinds import unmatched_note
from irassay.judging.run_facts import RunFacts, UncleanError
from irassay.notes import Note
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.judging.scanned import ScannedRuns

TOPICS_AT_A_TIME = 1 << 12  # topics without results scored together


class RunBlocks:
    """A run's lists as batches, each with its topics [n] and a pool of these only, so that memory stays flat.

    After an UncleanError the batches so far do not count. Notes are complete after the last batch.
    """

    def __init__(self, runs: "ScannedRuns", number: int) -> None:
        self.of, self.policy, self.runs, self.number = runs.judgements, runs.policy, runs, number
        self.topics, self.name = self.of.topics, runs.names[number]
        self.notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[tuple[Rankings, Ints]]:
        facts = RunFacts(self.of, self.policy)
        for part in self.runs.parts(self.number):
            for r, topics in self._batches(part, *facts.add(part)):
                facts.count_judged(r)
                yield r, topics
        rest = np.intersect1d(facts.topics(), facts.absent())
        for start in range(0, len(rest), TOPICS_AT_A_TIME):
            yield from self._batches(None, rest[:0], rest[start : start + TOPICS_AT_A_TIME])
        self.runs.sources[self.number].tag, self.name = facts.tag, self.name or facts.tag
        self.notes = (*facts.notes(self.name), *self._document_notes(facts))

    def _batches(self, part: ScannedLists | None, known: Ints, topic: Ints) -> Iterator[tuple[Rankings, Ints]]:
        """The lists of a part about judged topics, in batches of similar length with pools of similar size."""
        size = np.zeros(len(topic), np.int64) if part is None else part.size[known].astype(np.int64)
        size = np.minimum(size, self.runs.deepest)
        for group in rows_by_length(self.of.scanned.size[topic]):
            pool = self.of.pool_of(topic[group])
            for rows in rows_by_length(size[group]):
                chosen = group[rows]
                placed = [] if part is None else [(part, positions_among(known[chosen], len(part.topic)))]
                yield self.of.rankings(pool, placed, rows, size[chosen])[0], topic[chosen]

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
        return [unmatched_note(self.name, self.of.source, facts.any_judged, samples)]
