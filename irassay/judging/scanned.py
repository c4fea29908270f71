"""Files to judged lists by the compiled scanner; files that are not clean are left to the general reader.

Both give the same rankings, names and notes (tests/io/scanner). Runs that need a message, or a setting that the scanner
does not have, are left to the general reader, one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.errors import InputError
from irassay.io.input_files import are_files, open_inputs, run_files
from irassay.io.order_settings import RARE_SHARE, TOP_RANKS
from irassay.io.reader import USER_READERS
from irassay.io.records import decoded_fields, first_tag, numbered_fields
from irassay.io.run_names import Names, distinct_names, own_names
from irassay.io.scan import (
    PRECISION_SENSITIVE,
    TIED,
    Bytes,
    DocumentKeys,
    PaddedText,
    ScannedLists,
    library,
    list_chunks,
    read_lists,
)
from irassay.io.sources import LONG_SIZE, Source, read_errors
from irassay.judging.judged import JudgedLists, rows_by_length
from irassay.judging.kinds import TREC, order_notes, unmatched_note
from irassay.judging.missing_topics import refuses_unanswered, scored_topics
from irassay.judging.policy import COLUMN_2, JudgingPolicy
from irassay.judging.scanned_qrels import ScannedQrels, qrels_from_file, qrels_from_pool
from irassay.notes import Note
from irassay.parallel import prefetched, progress_for
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

SCANNER_SETTINGS = frozenset(  # settings that the scanner has
    {"on_duplicate", "missing", "depth", "max_grade", "qrels_format", "run_format", "weights", "names", "ties"}
)
UNLIMITED = 1 << 40  # longer than any list
SMALL_RUN = 1 << 20  # bytes, below which no threads are started
TOPICS_AT_A_TIME = 1 << 12  # topics without results scored together


class UncleanError(Exception):
    """A run that only the general reader can read."""


@dataclass(frozen=True, eq=False)
class ScannedRuns:
    """Runs in files and their judgements, joined during iteration."""

    sources: tuple[Source, ...]
    names: tuple[str, ...]
    judgements: ScannedQrels
    policy: JudgingPolicy
    reach: int | None  # results of a list that metrics use; None: all
    given: tuple[Any, Any, JudgingPolicy, frozenset[str]]  # for the general reader
    with_keys: bool = False  # also identify documents that are not judged

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[JudgedLists]:
        for i, parts in enumerate(self._parts_of_each()):
            try:
                yield self._judged(i, parts)
            except UncleanError:
                yield self.general.judged(self.general.runs[i])

    @property
    def deepest(self) -> int:
        """The number of results used of each list."""
        return min(self.policy.depth or UNLIMITED, max(self.reach or UNLIMITED, TOP_RANKS))

    @property
    def in_blocks(self) -> bool:
        """Whether runs are judged some topics at a time: one long run, or judgements too ragged for one pool."""
        return (len(self.sources) == 1 and self.sources[0].is_long) or self.ragged

    @property
    def ragged(self) -> bool:
        """Whether one pool of all judgements would need far more memory than the judgements."""
        return len(rows_by_length(self.judgements.pool_sizes)) > 1

    @cached_property
    def general(self) -> "RunByRun":
        """The same runs, read by the general reader."""
        from irassay.judging.runs import judged_runs

        return judged_runs(*self.given)

    def _part(self, text: PaddedText, spare: list[Bytes]) -> ScannedLists:
        """The lists of a text, whose buffer may then be reused."""
        part = read_lists(self.judgements.scanned, text, self.policy.ties == "docid-asc", self.with_keys)
        spare.append(text[0])
        if part is None:
            raise UncleanError
        return part

    def parts(self, number: int) -> Iterator[ScannedLists]:
        """The lists of one run, some at a time; UncleanError if it is not clean."""
        source, spare = self.sources[number], list[Bytes]()
        try:
            pieces = list_chunks(source, spare, progress_for("reading the run"))
            yield from prefetched(lambda text: self._part(text, spare), pieces)
        except read_errors():
            raise UncleanError from None

    def _parts_of_each(self) -> Iterator[list[ScannedLists]]:
        """The lists of each run; none if it is not clean."""
        spare: list[Bytes] = []

        def run(source: Source) -> list[ScannedLists]:
            try:
                return [self._part(text, spare) for text in list_chunks(source, spare)]
            except UncleanError:
                return []
            except read_errors():
                return []

        if len(self.sources) > 1:
            yield from prefetched(run, self.sources)
        elif not self.sources[0].is_pipe and self.sources[0].size < SMALL_RUN:
            yield run(self.sources[0])
        else:
            try:
                yield list(self.parts(0))
            except UncleanError:
                yield []

    def _judged(self, number: int, parts: list[ScannedLists]) -> JudgedLists:
        """A run's lists with their grades, in one block."""
        of, facts = self.judgements, RunFacts(self.judgements, self.policy)
        retrieved = np.zeros(len(of.topics), dtype=np.int64)
        for part in parts:
            known, topic = facts.add(part)
            retrieved[topic] = part.size[known]
        retrieved = np.minimum(retrieved, self.deepest)
        topics = facts.topics()
        rows = tuple(rows_by_length(retrieved[topics]))
        made = [self._rankings(parts, topics[each], retrieved[topics[each]]) for each in rows]
        batches = tuple(r for r, _ in made)
        facts.count_judged(*batches)
        if facts.hardly_judged:
            raise UncleanError  # ids may not match; the general reader gives samples
        keys = tuple(each for _, each in made if each is not None)
        self.sources[number].tag = facts.tag
        name = self.names[number] or facts.tag
        return JudgedLists(batches, rows, name, of.topics, facts.notes(name), None, scanned_keys=keys)

    def _rankings(
        self, parts: list[ScannedLists], topic: Ints, retrieved: Ints
    ) -> tuple[Rankings, DocumentKeys | None]:
        of = self.judgements
        row = np.full(len(of.topics), -1)
        row[topic] = np.arange(len(topic))
        placed = [(part, np.where(part.topic >= 0, row[part.topic], -1)) for part in parts]
        return of.rankings(of.pool, placed, topic, retrieved)


@dataclass(eq=False)
class RunFacts:
    """Facts about a run from the lists read so far: topics answered, ties, judged results among the first ten."""

    judgements: ScannedQrels
    policy: JudgingPolicy
    tags: set[str] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)  # topics that are not judged
    first: int = 0  # results within the first ten
    judged: int = 0  # of these, judged ones
    any_judged: bool = False
    tied: int = 0
    unsettled: int = 0

    def __post_init__(self) -> None:
        self.answered: Bools = np.zeros(len(self.judgements.topics), bool)

    def add(self, part: ScannedLists) -> tuple[Ints, Ints]:
        """Adds some lists; returns those about judged topics, and the topics. UncleanError if a topic comes again."""
        known = np.flatnonzero(part.topic >= 0)
        topic = part.topic[known].astype(np.int64)
        self.tags.add(part.tag)
        ordered = np.sort(topic)  # np.unique would import masked arrays
        if len(self.tags) > 1 or self.answered[topic].any() or (ordered[1:] == ordered[:-1]).any():
            raise UncleanError
        self.answered[topic] = True
        self.unknown.update(dict.fromkeys(part.unknown))
        self.tied += int(np.count_nonzero(part.flags & TIED))
        self.unsettled += int(np.count_nonzero(part.flags & PRECISION_SENSITIVE))
        self.first += int(np.minimum(part.size[known], TOP_RANKS).sum())
        return known, topic

    def count_judged(self, *batches: Rankings) -> None:
        """Counts the judged results of some lists."""
        for r in batches:
            self.judged += int(r.judged[:, :TOP_RANKS].sum())
            self.any_judged = self.any_judged or bool(r.judged.any())

    @property
    def hardly_judged(self) -> bool:
        """Whether so few of the first results are judged that document ids may not match."""
        return self.judged < RARE_SHARE * self.first

    def absent(self) -> Ints:
        """The judged topics without results, once all lists were read; UncleanError if they are an error."""
        if not self.answered.any() or refuses_unanswered(self.answered, self.policy.missing):
            raise UncleanError
        return np.flatnonzero(~self.answered)

    def topics(self) -> Ints:
        """The scored topics, once all lists were read."""
        self.absent()
        return scored_topics(self.answered, self.policy.missing)

    @property
    def tag(self) -> str:
        """The tag of all lines."""
        return next(iter(self.tags), "")

    def notes(self, name: str) -> tuple[Note, ...]:
        """Notes for readers of the scores."""
        of, policy = self.judgements, self.policy
        absent = [of.topics[t] for t in self.absent().tolist()]
        notes = [*of.notes, *TREC.topic_notes(name, tuple(self.unknown), absent, policy.missing)]
        return (*notes, *order_notes(name, self.tied, self.unsettled, policy), *of.remarks)


class RunBlocks:
    """A run's lists as batches, each with its topics [n] and a pool of these only, so that memory stays flat.

    After an UncleanError the batches so far do not count. Notes are complete after the last batch.
    """

    def __init__(self, runs: ScannedRuns, number: int) -> None:
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
        for group in rows_by_length(self.of.pool_sizes[topic]):
            pool = self.of.pool_of(topic[group])
            for rows in rows_by_length(size[group]):
                chosen, placed = group[rows], []
                if part is not None:
                    row = np.full(len(part.topic), -1)
                    row[known[chosen]] = np.arange(len(chosen))
                    placed = [(part, row)]
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


def judged_lists(
    runs: Any,
    qrels: Any,
    policy: JudgingPolicy,
    needs: frozenset[str] = frozenset(),
    reach: int | None = None,
    with_keys: bool = False,
) -> "ScannedRuns | RunByRun":
    """The runs with their judgements, of any kind; `needs` is what the metrics need.

    Lists may be cut after `reach` results, if metrics use no more. `with_keys` also identifies unjudged documents.
    """
    if isinstance(runs, Mapping) and isinstance(qrels, Mapping):
        from irassay.io.frames import swap_message  # which needs polars

        if why := swap_message(runs, qrels):
            raise InputError(why)
    runs, qrels = open_inputs(runs, qrels)
    scans = library() is not None and policy.run_format in ("auto", "trec") and policy.ties != "file"
    scans = scans and policy.changed_settings() <= SCANNER_SETTINGS and not USER_READERS
    by_column_2 = policy.column_2 == "subtopic" or (policy.column_2 == "auto" and "aspects" in needs)
    scanned_kind = policy.qrels_format in COLUMN_2 and not (by_column_2 and "turns" in needs)
    if scans and policy.weights is None and scanned_kind and (sources := _scannable(runs)):
        judgements = qrels_from_file(qrels, policy, by_column_2)
        if judgements is not None:
            names = _run_names(sources, policy.names)
            return ScannedRuns(sources, names, judgements, policy, reach, (runs, qrels, policy, needs), with_keys)
    from irassay.judging.runs import judged_runs

    general = judged_runs(runs, qrels, policy, needs)
    return (_from_general(general, reach, with_keys) if scans else None) or general


def _scannable(runs: Any) -> tuple[Source, ...]:
    """The files of the runs; none if some are not files, or of another kind. A pipe is scanned only on its own."""
    if not are_files(runs) or any(run.is_session_folder for run in runs):
        return ()
    try:
        sources = run_files(runs)
    except InputError:
        return ()
    return tuple(sources) if len(sources) == 1 or not any(source.is_pipe for source in sources) else ()


def _run_names(sources: Sequence[Source], by: Names) -> tuple[str, ...]:
    """The names of runs in files; empty if only the end of a long pipe has it."""
    if len(sources) == 1 and sources[0].is_pipe and sources[0].is_long:
        return ("",)
    places = {source.path_text: source for source in sources}
    return tuple(distinct_names(own_names([*places], by, lambda place: first_tag(places[place])), [*places]))


def _from_general(general: "RunByRun", reach: int | None, with_keys: bool) -> ScannedRuns | None:
    """Files scanned against judgements read by the general reader; None if that is not possible."""
    from irassay.judging.runs import RunFile

    sources = [run.given for run in general.runs if isinstance(run, RunFile) and run.reader.name == "trec"]
    files = [given for given in sources if isinstance(given, Source) and not given.is_pipe]
    every = bool(files) and len(files) == len(general.runs)
    judgements = qrels_from_pool(general.pool, general.policy) if every else None
    if judgements is None:
        return None
    names, policy = tuple(run.name for run in general.runs), general.policy
    scanned = ScannedRuns(tuple(files), names, judgements, policy, reach, (None, None, policy, frozenset()), with_keys)
    scanned.__dict__["general"] = general
    return scanned
