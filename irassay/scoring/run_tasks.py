"""Runs in files, scored where the work is done: a worker of a cluster opens the files itself.

A block has the paths of one run or a few. The judgements are shared, and each worker scans them once. A run that the
scanner cannot read is left to the general reader, which sees all runs, in the process that asked.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from irassay.cluster.worker import worker_address
from irassay.errors import InputError
from irassay.io.first_lines import first_line_notes
from irassay.io.input_files import NamedRuns, OpenFiles
from irassay.io.sources import Source
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.run_facts import UncleanError
from irassay.judging.scanned_runs import ScannedRuns, judged_lists
from irassay.notes import Note
from irassay.parallel import check_cancelled, each_block, works_elsewhere
from irassay.provenance import checksum_record, is_address, recording_checksums
from irassay.scoring.columns import Columns, ScoredRun

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

MAX_BLOCKS = 64  # of many runs, if they are short; more would only keep the scheduler busy
BLOCK_BYTES = 32 << 20  # of runs, after which a new block begins


def scored_runs(
    columns: Columns, runs: "ScannedRuns | RunByRun", watch: Callable[[JudgedLists], None] | None = None
) -> Iterator[ScoredRun]:
    """Runs with their scores, as `Columns.scored_runs`; if the work is done elsewhere, files are read there too."""
    if watch is not None or not isinstance(runs, ScannedRuns) or not _workers_read(runs):
        yield from columns.scored_runs(runs, watch)
        return
    blocks = run_blocks(runs)
    _, qrels, policy, needs = runs.given
    shared = RunScoring(columns, _file_place(qrels), policy, needs, checksum_record() is not None)
    answers = chain.from_iterable(each_block(score_runs, blocks, shared))
    for nth, answer in enumerate(answers):
        if answer is None:
            yield columns.generally_scored_run(runs, nth)
            continue
        runs.sources[nth].note_reading(answer.tag, answer.checksum)
        runs.sources[nth].sample_notes = answer.sample_notes
        yield answer.scored


def _workers_read(runs: ScannedRuns) -> bool:
    """Whether the runs are several files that workers can open."""
    qrels = runs.given[1]
    return works_elsewhere() and len(runs) > 1 and isinstance(qrels, Source) and not runs.with_keys


def _file_place(source: Source) -> tuple[str, str]:
    """What a user calls a file, and where every process finds it."""
    typed = source.path_text
    return typed, typed if is_address(typed) else str(Path(typed).absolute())


class RunPath(NamedTuple):
    """A run for a worker."""

    typed: str
    path: str
    name: str


class RunPaths(tuple[RunPath, ...]):
    """Runs that are scored one after another."""

    @property
    def label(self) -> str:
        """The name of the first run, for the name of the task."""
        return self[0].name if len(self) == 1 else f"{self[0].name} and {len(self) - 1} more"


def run_blocks(runs: ScannedRuns) -> list[RunPaths]:
    """The runs in blocks: one run each, or several if there are very many and they are short.

    The blocks depend on the files only, not on the number of workers.
    """
    most, size, blocks = max(1, len(runs) // MAX_BLOCKS), 0, list[list[RunPath]]()
    for source, name in zip(runs.sources, runs.names, strict=True):
        if not blocks or len(blocks[-1]) >= most or size >= BLOCK_BYTES:
            blocks.append([])
            size = 0
        blocks[-1].append(RunPath(*_file_place(source), name))
        size += source.size
    return [RunPaths(block) for block in blocks]


@dataclass(frozen=True)
class RunAnswer:
    """The scores of a run, and what was learnt as its file was read."""

    scored: ScoredRun
    tag: str | None
    checksum: str | None
    sample_notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class RunScoring:
    """How runs are judged and scored: the same for all of them."""

    columns: Columns
    qrels_place: tuple[str, str]
    policy: JudgingPolicy
    needs: frozenset[str]
    has_checksums: bool

    @cached_property
    def qrels(self) -> Source:
        """The opened judgements."""
        return _opened_source(*self.qrels_place)

    def judged(self, run: RunPath, source: Source) -> ScannedRuns:
        """The run with the judgements, which are scanned for the first one."""
        if "template" not in self.__dict__:
            runs = [NamedRuns(source.path, OpenFiles())]
            self.__dict__["template"] = judged_lists(runs, self.qrels, self.policy, self.needs, self.columns.reach)
        template = self.__dict__["template"]
        if not isinstance(template, ScannedRuns):
            raise UncleanError
        return template.with_source(source, run.name)


def score_runs(runs: RunPaths, shared: RunScoring) -> list[RunAnswer | None]:
    """The scores of each run; None if only the general reader can read it."""
    return [_scored_run(run, shared) for run in runs]


def _scored_run(run: RunPath, shared: RunScoring) -> RunAnswer | None:
    check_cancelled()
    with recording_checksums() if shared.has_checksums else nullcontext():
        source = _opened_source(run.typed, run.path)
        try:
            scored = shared.columns.scored_run(shared.judged(run, source))
        except UncleanError:
            return None
        notes = first_line_notes([source], [run.name], shared.qrels, by_score=True)
    return RunAnswer(scored, source.tag, source.checksum, tuple(notes))


def _opened_source(typed: str, path: str) -> Source:
    """A file, by the name that a user gave it; an error names the worker that cannot see it."""
    try:
        source = Source(path)
    except InputError as error:
        fix = "put it where every worker finds it, or give an address such as s3://bucket/file"
        raise InputError(f"The worker {worker_address()} cannot open {path}: {error} To fix it, {fix}.") from None
    source.path_text = source.name = typed
    return source
