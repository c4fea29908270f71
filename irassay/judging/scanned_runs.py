"""Files to judged lists by the compiled scanner; files that are not clean are left to the general reader.

Both give the same rankings, names and notes (tests/io/scanner). Runs that need a message, or a setting that the scanner
does not have, are left to the general reader, one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.compression import read_errors
from irassay.io.input_files import are_files, open_inputs, run_files
from irassay.io.order_settings import TOP_RANKS, Ties
from irassay.io.reader import USER_READERS
from irassay.io.records import first_tag
from irassay.io.run_names import Names, names_of_runs
from irassay.io.scan import (
    Bytes,
    DocumentKeys,
    PaddedText,
    ScannedLists,
    library,
    list_chunks,
    read_lists,
)
from irassay.io.sources import Source
from irassay.judging.judged_lists import JudgedLists, positions_among, rows_by_length
from irassay.judging.policy import COLUMN_2, JudgingPolicy
from irassay.judging.run_facts import RunFacts, UncleanError
from irassay.judging.scanned_qrels import ScannedQrels, qrels_from_file, qrels_from_pool
from irassay.parallel import prefetched, progress_for
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

SCANNER_SETTINGS = frozenset(  # settings that the scanner has
    {"on_duplicate", "missing", "depth", "max_grade", "qrels_format", "run_format", "weights", "names", "ties"}
)
UNLIMITED = 1 << 40  # longer than any list
SMALL_RUN = 1 << 20  # bytes, below which no threads are started


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
                yield self._judged_lists(i, parts)
            except UncleanError:
                yield self.general.judged_run(self.general.runs[i])

    @property
    def deepest(self) -> int:
        """The number of results used of each list."""
        return min(self.policy.depth or UNLIMITED, max(self.reach or UNLIMITED, TOP_RANKS))

    @property
    def in_blocks(self) -> bool:
        """Whether runs are judged some topics at a time: one long run, or judgements too ragged for one pool."""
        return (len(self.sources) == 1 and self.sources[0].is_long) or self.is_ragged

    @property
    def is_ragged(self) -> bool:
        """Whether one pool of all judgements would need far more memory than the judgements."""
        return len(rows_by_length(self.judgements.scanned.size)) > 1

    @cached_property
    def general(self) -> "RunByRun":
        """The same runs, read by the general reader."""
        from irassay.judging.runs import judged_runs

        return judged_runs(*self.given)

    def with_ties(self, ties: Ties) -> "ScannedRuns":
        """The same runs with equal scores in another order."""
        policy = replace(self.policy, ties=ties)
        other = replace(self, policy=policy, given=(*self.given[:2], policy, self.given[3]))
        if "general" in self.__dict__:
            other.__dict__["general"] = self.general.with_ties(ties)
        return other

    def with_source(self, source: Source, name: str) -> "ScannedRuns":
        """Another run with the same judgements."""
        return replace(self, sources=(source,), names=(name,))

    def lists(self, number: int) -> JudgedLists:
        """The lists of one run with their grades; UncleanError if it is not clean."""
        spare = list[Bytes]()
        try:
            parts = [self._scanned_lists(text, spare) for text in list_chunks(self.sources[number], spare)]
        except read_errors():
            raise UncleanError from None
        return self._judged_lists(number, parts)

    def _scanned_lists(self, text: PaddedText, spare: list[Bytes]) -> ScannedLists:
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
            yield from prefetched(lambda text: self._scanned_lists(text, spare), pieces)
        except read_errors():
            raise UncleanError from None

    def _parts_of_each(self) -> Iterator[list[ScannedLists]]:
        """The lists of each run; none if it is not clean."""
        first, runs, spare = self.sources[0], range(len(self.sources)), list[Bytes]()
        in_threads = len(runs) == 1 and (first.is_pipe or first.size >= SMALL_RUN)  # several have a thread each

        def parts(number: int) -> list[ScannedLists]:
            try:
                if in_threads:
                    return list(self.parts(number))
                return [self._scanned_lists(text, spare) for text in list_chunks(self.sources[number], spare)]
            except UncleanError:
                return []
            except read_errors():
                return []

        return map(parts, runs) if len(runs) == 1 else prefetched(parts, runs)

    def _judged_lists(self, number: int, parts: list[ScannedLists]) -> JudgedLists:
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
        row = positions_among(topic, len(of.topics))
        placed = [(part, np.where(part.topic >= 0, row[part.topic], -1)) for part in parts]
        return of.rankings(of.pool, placed, topic, retrieved)


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
    scans = scans and policy.changed_settings() <= SCANNER_SETTINGS and not (USER_READERS or policy.preferences)
    by_column_2 = policy.column_2 == "subtopic" or (policy.column_2 == "auto" and "aspects" in needs)
    scanned_kind = policy.qrels_format in COLUMN_2 and not (by_column_2 and "turns" in needs)
    if scans and policy.weights is None and scanned_kind and (sources := _scannable_files(runs)):
        judgements = qrels_from_file(qrels, policy, by_column_2)
        if judgements is not None:
            names = _run_names(sources, policy.names)
            return ScannedRuns(sources, names, judgements, policy, reach, (runs, qrels, policy, needs), with_keys)
    from irassay.judging.runs import judged_runs

    general = judged_runs(runs, qrels, policy, needs)
    return (_from_general(general, reach, with_keys) if scans else None) or general


def _scannable_files(runs: Any) -> tuple[Source, ...]:
    """The files of the runs; none if some are not files, or of another kind. A pipe is scanned only on its own."""
    if not are_files(runs) or any(run.is_session_folder for run in runs):
        return ()
    try:
        sources = run_files(runs)
    except InputError:
        return ()
    return tuple(sources) if len(sources) == 1 or not any(source.is_pipe for source in sources) else ()


def _run_names(sources: Sequence[Source], naming: Names) -> tuple[str, ...]:
    """The names of runs in files; empty if only the end of a long pipe has it."""
    if len(sources) == 1 and sources[0].is_pipe and sources[0].is_long:
        return (sources[0].alias,)
    places = {source.path_text: source for source in sources}
    aliases = {place: source.alias for place, source in places.items()}
    return tuple(names_of_runs([*places], naming, lambda place: first_tag(places[place]), aliases))


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
