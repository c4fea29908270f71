"""A run judged some lists at a time: what is scored is let go of, so that memory stays flat."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from irassay.arrays import Ints
from irassay.io.ordering import RARE, TOP
from irassay.io.records import fields_of, texts
from irassay.io.scan import TIED, UNSETTLED, Bytes, Part, Text, chunks
from irassay.io.sources import LONG, ahead, unreadable
from irassay.judging.direct import ScannedRuns
from irassay.judging.judged import by_length
from irassay.judging.kinds import TREC, on_order
from irassay.notes import Note, NothingJudged
from irassay.parallel import progress_for
from irassay.rankings.batch import Rankings

HEAD = 1 << 16  # bytes kept of the beginning, to show some documents of
ROWS = 1 << 12  # topics without results that are scored together


class UncleanError(Exception):
    """Something for which all of the run has to be looked at the careful way."""


class Stream:
    """A run's lists as batches, each with the topics [n] it is about and a pool of these only.

    UncleanError: what came so far does not count. Name and notes are known once all batches are.
    """

    def __init__(self, runs: ScannedRuns, number: int) -> None:
        self.of, self.policy, self.path, self.runs = runs.judgements, runs.policy, runs.paths[number], runs
        self.topics = self.of.offer.topics
        self.name, self.notes = runs.names[number], tuple[Note, ...]()
        self.head = b""

    def __iter__(self) -> Iterator[tuple[Rankings, Ints]]:
        answered = np.zeros(len(self.topics), bool)
        tags, unknown = set[str](), dict[str, None]()
        first = judged = tied = unsettled = 0
        at_all = False
        for part in self._parts():
            tags.add(part.tag)
            known = np.flatnonzero(part.topic >= 0)
            topic = part.topic[known].astype(np.int64)
            again = answered[topic].any() or len(np.unique(topic)) < len(topic)
            if again or len(tags) > 1:
                raise UncleanError
            answered[topic] = True
            unknown.update(dict.fromkeys(part.unknown))
            tied += int(np.count_nonzero(part.flags & TIED))
            unsettled += int(np.count_nonzero(part.flags & UNSETTLED))
            first += int(np.minimum(part.size[known], TOP).sum())
            for r, topics in self._batches(part, known, topic):
                judged, at_all = judged + int(r.judged[:, :TOP].sum()), at_all or bool(r.judged.any())
                yield r, topics
        absent = np.flatnonzero(~answered)
        if not answered.any() or (len(absent) and self.policy.missing == "error"):
            raise UncleanError
        for start in range(0, len(absent) if self.policy.missing == "zero" else 0, ROWS):
            yield from self._batches(None, absent[:0], absent[start : start + ROWS])
        self.name = self.name or tags.pop()
        left = [self.topics[t] for t in absent.tolist()]
        notes = [*self.of.notes, *TREC.topic_notes(self.name, tuple(unknown), left, self.policy.missing)]
        notes += [*on_order(self.name, tied, unsettled, self.policy), *self.of.remarks]
        self.notes = (*notes, *self._on_documents(judged, first, at_all))

    def _parts(self) -> Iterator[Part]:
        spare: list[Bytes] = []

        def texts() -> Iterator[Text]:
            for text in chunks(self.path, spare, progress_for("reading the run")):
                self.head = self.head or text[0][: min(text[1], HEAD)].tobytes()
                yield text

        none = True
        try:
            for part in ahead(lambda text: self.runs.part(text, spare), texts()):
                if part is None:
                    raise UncleanError
                none = False
                yield part
        except unreadable():
            raise UncleanError from None
        if none:
            raise UncleanError

    def _batches(self, part: Part | None, known: Ints, topic: Ints) -> Iterator[tuple[Rankings, Ints]]:
        """The lists of a part that are about judged topics, in batches of like length and with pools of like size."""
        size = np.zeros(len(topic), np.int64) if part is None else part.size[known].astype(np.int64)
        size = np.minimum(size, self.runs.deepest)
        for group in by_length(self.of.offer.size[topic]):
            pool = self.of.some(topic[group])
            for rows in by_length(size[group]):
                chosen, placed = group[rows], []
                if part is not None:
                    row = np.full(len(part.topic), -1)
                    row[known[chosen]] = np.arange(len(chosen))
                    placed = [(part, row)]
                yield self.of.rankings(pool, placed, rows, size[chosen])[0], topic[chosen]

    def _on_documents(self, judged: int, first: int, at_all: bool) -> list[Note]:
        """A note where hardly any of the first ten results are judged; the careful way has it for shorter runs."""
        if judged >= RARE * first:
            return []
        if isinstance(self.path, Path) and self.path.stat().st_size < LONG << 3:
            raise UncleanError
        lines = fields_of(self.head[: self.head.rfind(b"\n") + 1], 0)
        mine = ", ".join(texts(fields)[2] for _, fields in islice(lines, 3))
        much = f"fewer than 1 % of the first {TOP} results are judged" if at_all else "no result is judged"
        kind = Note if at_all else NothingJudged
        return [kind(f"{much} in {self.of.source}; check that document ids agree: the run has {mine}", self.name)]
