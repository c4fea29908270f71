"""Files to judged lists by the compiled scanner: clean files are scanned, all others are left to the general reader.

The two are equal by law (tests/io/scanner): the same rankings, names and notes. Whatever needs a message or a policy
that the scanner does not know is left to the general reader, run by run.
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
from irassay.io.order_settings import RARE, TOP
from irassay.io.reader import ADDED
from irassay.io.records import fields_of, tag, texts
from irassay.io.run_names import Names, called_alone, distinct
from irassay.io.scan import TIED, UNSETTLED, Bytes, Keys, Part, Text, chunks, library, read_part
from irassay.io.sources import LONG, Source, ahead, unreadable
from irassay.judging.judged import JudgedLists, by_length
from irassay.judging.kinds import TREC, on_order
from irassay.judging.missing_topics import are_refused, scored_topics
from irassay.judging.policy import COLUMN_2, JudgingPolicy
from irassay.judging.scanned_qrels import ScannedQrels, qrels_from_file, qrels_from_pool
from irassay.notes import Note, NothingJudged
from irassay.parallel import progress_for
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

SCANNED = frozenset(  # settings that the scanner knows
    {"on_duplicate", "missing", "depth", "max_grade", "qrels_format", "run_format", "weights", "names", "ties"}
)
FAR = 1 << 40  # further than any list goes
SMALL = 1 << 20  # bytes of a run for which no threads are started
ROWS = 1 << 12  # topics without results that are scored together


class UncleanError(Exception):
    """A run that the general reader has to look at."""


@dataclass(frozen=True, eq=False)
class ScannedRuns:
    """Runs in files and their judgements, joined as one goes through them."""

    sources: tuple[Source, ...]
    names: tuple[str, ...]
    judgements: ScannedQrels
    policy: JudgingPolicy
    reach: int | None  # results of a list that count; None: all
    given: tuple[Any, Any, JudgingPolicy, frozenset[str]]  # for the general reader
    keyed: bool = False  # documents that are not judged can be told too

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
        """Results of a list that are looked at."""
        return min(self.policy.depth or FAR, max(self.reach or FAR, TOP))

    @property
    def in_blocks(self) -> bool:
        """Whether runs are judged some topics at a time: one long run, or judgements that one pool is no room for."""
        if len(self.sources) == 1 and self.sources[0].is_long:
            return True
        return self.ragged

    @property
    def ragged(self) -> bool:
        """Whether all judgements as one pool would take far more room than there are."""
        return len(by_length(self.judgements.pool_sizes)) > 1

    @cached_property
    def general(self) -> "RunByRun":
        """The same runs, for the general reader."""
        from irassay.judging.runs import judged_runs

        return judged_runs(*self.given)

    def _part(self, text: Text, spare: list[Bytes]) -> Part:
        """The lists of a text, whose buffer is spare from then on."""
        found = read_part(self.judgements.scanned, text, self.policy.ties == "docid-asc", self.keyed)
        spare.append(text[0])
        if found is None:
            raise UncleanError
        return found

    def parts(self, number: int) -> Iterator[Part]:
        """The lists of one run, some at a time; UncleanError where it is not clean."""
        source, spare = self.sources[number], list[Bytes]()
        try:
            pieces = chunks(source, spare, progress_for("reading the run"))
            yield from ahead(lambda text: self._part(text, spare), pieces)
        except unreadable():
            raise UncleanError from None

    def _parts_of_each(self) -> Iterator[list[Part]]:
        """The lists of each run; none where it is not clean."""
        spare: list[Bytes] = []

        def run(source: Source) -> list[Part]:
            try:
                return [self._part(text, spare) for text in chunks(source, spare)]
            except UncleanError:
                return []
            except unreadable():
                return []

        if len(self.sources) > 1:
            yield from ahead(run, self.sources)
        elif not self.sources[0].is_pipe and self.sources[0].size < SMALL:
            yield run(self.sources[0])
        else:
            try:
                yield list(self.parts(0))
            except UncleanError:
                yield []

    def _judged(self, number: int, parts: list[Part]) -> JudgedLists:
        """A run's lists with their grades, in one block."""
        of, facts = self.judgements, RunFacts(self.judgements, self.policy)
        retrieved = np.zeros(len(of.topics), dtype=np.int64)
        for part in parts:
            known, topic = facts.add(part)
            retrieved[topic] = part.size[known]
        retrieved = np.minimum(retrieved, self.deepest)
        topics = facts.topics()
        rows = tuple(by_length(retrieved[topics]))
        made = [self._rankings(parts, topics[each], retrieved[topics[each]]) for each in rows]
        batches = tuple(r for r, _ in made)
        facts.look(*batches)
        if facts.hardly_judged:
            raise UncleanError  # ids may be of two kinds, which the general reader says with samples
        keys = tuple(each for _, each in made if each is not None)
        self.sources[number].tag = facts.tag
        name = self.names[number] or facts.tag
        return JudgedLists(batches, rows, name, of.topics, facts.notes(name), None, scanned_keys=keys)

    def _rankings(self, parts: list[Part], topic: Ints, retrieved: Ints) -> tuple[Rankings, Keys | None]:
        of = self.judgements
        row = np.full(len(of.topics), -1)
        row[topic] = np.arange(len(topic))
        placed = [(part, np.where(part.topic >= 0, row[part.topic], -1)) for part in parts]
        return of.rankings(of.pool, placed, topic, retrieved)


@dataclass(eq=False)
class RunFacts:
    """What is known of a run from the lists seen so far: topics answered, ties, how much of their tops is judged."""

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

    def add(self, part: Part) -> tuple[Ints, Ints]:
        """Adds some lists: which are about judged topics, and about which ones; UncleanError where one comes again."""
        known = np.flatnonzero(part.topic >= 0)
        topic = part.topic[known].astype(np.int64)
        self.tags.add(part.tag)
        if len(self.tags) > 1 or self.answered[topic].any() or len(np.unique(topic)) < len(topic):
            raise UncleanError
        self.answered[topic] = True
        self.unknown.update(dict.fromkeys(part.unknown))
        self.tied += int(np.count_nonzero(part.flags & TIED))
        self.unsettled += int(np.count_nonzero(part.flags & UNSETTLED))
        self.first += int(np.minimum(part.size[known], TOP).sum())
        return known, topic

    def look(self, *batches: Rankings) -> None:
        """Counts the judged results of some lists."""
        for r in batches:
            self.judged += int(r.judged[:, :TOP].sum())
            self.any_judged = self.any_judged or bool(r.judged.any())

    @property
    def hardly_judged(self) -> bool:
        """Whether so few of the first results are judged that document ids may be of two kinds."""
        return self.judged < RARE * self.first

    def absent(self) -> Ints:
        """The judged topics without results, once all lists were seen; UncleanError where that is an error."""
        if not self.answered.any() or are_refused(self.answered, self.policy.missing):
            raise UncleanError
        return np.flatnonzero(~self.answered)

    def topics(self) -> Ints:
        """The topics that are scored, once all lists were seen."""
        self.absent()
        return scored_topics(self.answered, self.policy.missing)

    @property
    def tag(self) -> str:
        """The tag of all lines."""
        return next(iter(self.tags), "")

    def notes(self, name: str) -> tuple[Note, ...]:
        """What a reader of the scores should know."""
        of, policy = self.judgements, self.policy
        absent = [of.topics[t] for t in self.absent().tolist()]
        notes = [*of.notes, *TREC.topic_notes(name, tuple(self.unknown), absent, policy.missing)]
        return (*notes, *on_order(name, self.tied, self.unsettled, policy), *of.remarks)


class RunBlocks:
    """A run's lists as batches, each with the topics [n] it is about and a pool of these only; memory stays flat.

    UncleanError: what came so far does not count. Notes are known once all batches are.
    """

    def __init__(self, runs: ScannedRuns, number: int) -> None:
        self.of, self.policy, self.runs, self.number = runs.judgements, runs.policy, runs, number
        self.topics, self.name = self.of.topics, runs.names[number]
        self.notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[tuple[Rankings, Ints]]:
        facts = RunFacts(self.of, self.policy)
        for part in self.runs.parts(self.number):
            for r, topics in self._batches(part, *facts.add(part)):
                facts.look(r)
                yield r, topics
        rest = np.intersect1d(facts.topics(), facts.absent())
        for start in range(0, len(rest), ROWS):
            yield from self._batches(None, rest[:0], rest[start : start + ROWS])
        self.runs.sources[self.number].tag, self.name = facts.tag, self.name or facts.tag
        self.notes = (*facts.notes(self.name), *self._on_documents(facts))

    def _batches(self, part: Part | None, known: Ints, topic: Ints) -> Iterator[tuple[Rankings, Ints]]:
        """The lists of a part that are about judged topics, in batches of like length and with pools of like size."""
        size = np.zeros(len(topic), np.int64) if part is None else part.size[known].astype(np.int64)
        size = np.minimum(size, self.runs.deepest)
        for group in by_length(self.of.pool_sizes[topic]):
            pool = self.of.some(topic[group])
            for rows in by_length(size[group]):
                chosen, placed = group[rows], []
                if part is not None:
                    row = np.full(len(part.topic), -1)
                    row[known[chosen]] = np.arange(len(chosen))
                    placed = [(part, row)]
                yield self.of.rankings(pool, placed, rows, size[chosen])[0], topic[chosen]

    def _on_documents(self, facts: RunFacts) -> list[Note]:
        """A note where hardly any of the first ten results are judged; the general reader has it for shorter runs."""
        if not facts.hardly_judged:
            return []
        source = self.runs.sources[self.number]
        if not source.is_pipe and source.size < LONG << 3:
            raise UncleanError
        head = source.head()
        mine = ", ".join(texts(fields)[2] for _, fields in islice(fields_of(head[: head.rfind(b"\n") + 1], 0), 3))
        much = f"fewer than 1 % of the first {TOP} results are judged" if facts.any_judged else "no result is judged"
        kind = Note if facts.any_judged else NothingJudged
        return [kind(f"{much} in {self.of.source}; check that document ids agree: the run has {mine}", self.name)]


def judged_lists(
    runs: Any,
    qrels: Any,
    policy: JudgingPolicy,
    needs: frozenset[str] = frozenset(),
    reach: int | None = None,
    keyed: bool = False,
) -> "ScannedRuns | RunByRun":
    """The runs with their judgements, of whatever kind they are; `needs` is what metrics need of them.

    Lists may be cut after `reach` results, where metrics look no further. They have `keys` if these are asked for.
    """
    if isinstance(runs, Mapping) and isinstance(qrels, Mapping):
        from irassay.io.frames import swapped  # which needs polars

        if why := swapped(runs, qrels):
            raise InputError(why)
    runs, qrels = open_inputs(runs, qrels)
    scans = library() is not None and policy.given() <= SCANNED and policy.run_format in ("auto", "trec")
    scans = scans and policy.ties != "file" and not ADDED
    by_column_2 = policy.column_2 == "subtopic" or (policy.column_2 == "auto" and "aspects" in needs)
    scanned_kind = policy.qrels_format in COLUMN_2 and not (by_column_2 and "turns" in needs)
    if scans and policy.weights is None and scanned_kind and (sources := _scannable(runs)):
        judgements = qrels_from_file(qrels, policy, by_column_2)
        if judgements is not None:
            names = _names(sources, policy.names)
            return ScannedRuns(sources, names, judgements, policy, reach, (runs, qrels, policy, needs), keyed)
    from irassay.judging.runs import judged_runs

    general = judged_runs(runs, qrels, policy, needs)
    return (_from_general(general, reach, keyed) if scans else None) or general


def _scannable(runs: Any) -> tuple[Source, ...]:
    """The files that hold runs; none where some are no files, or of another kind. A pipe is scanned if it is alone."""
    if not are_files(runs) or any(run.is_session_folder for run in runs):
        return ()
    try:
        sources = run_files(runs)
    except InputError:
        return ()
    return tuple(sources) if len(sources) == 1 or not any(source.is_pipe for source in sources) else ()


def _names(sources: Sequence[Source], by: Names) -> tuple[str, ...]:
    """What runs in files are called; nothing where only the end of a long pipe will tell."""
    if len(sources) == 1 and sources[0].is_pipe and sources[0].is_long:
        return ("",)
    places = {source.given: source for source in sources}
    return tuple(distinct(called_alone([*places], by, lambda place: tag(places[place])), [*places]))


def _from_general(general: "RunByRun", reach: int | None, keyed: bool) -> ScannedRuns | None:
    """Files scanned against judgements that the general reader read; None where that cannot be."""
    from irassay.judging.runs import RunFile

    sources = [run.given for run in general.runs if isinstance(run, RunFile) and run.reader.name == "trec"]
    files = [given for given in sources if isinstance(given, Source) and not given.is_pipe]
    every = bool(files) and len(files) == len(general.runs)
    judgements = qrels_from_pool(general.pool, general.policy) if every else None
    if judgements is None:
        return None
    names, policy = tuple(run.name for run in general.runs), general.policy
    scanned = ScannedRuns(tuple(files), names, judgements, policy, reach, (None, None, policy, frozenset()), keyed)
    scanned.__dict__["general"] = general
    return scanned
