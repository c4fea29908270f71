"""Validate: everything that is wrong with runs and judgements, or worth knowing, line by line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import polars as pl

from irassay.errors import InputError, argument, as_found
from irassay.io import detection
from irassay.io.file_paths import file_paths
from irassay.io.first_lines import CHECK_IDS, SampledIds
from irassay.io.input_files import NamedRuns, OpenFiles
from irassay.io.order_settings import RARE_SHARE, TOP_RANKS, Ordering
from irassay.io.problems import Problem, file_problems
from irassay.io.reader import FileOrFolder, Reader
from irassay.io.roles import Content, content_of
from irassay.io.sources import Source
from irassay.io.tie_order import ordered_lists
from irassay.method import method
from irassay.notes import Note
from irassay.prose import count_phrase, first_few
from irassay.provenance import is_address, path_or_address, shown_name
from irassay.results import Result
from irassay.settings import Option, Settings

GIVE_FILE, NOT_RUN = "give a file of judgements or a run", ("skipped: it is not a run", "nothing to do")


@dataclass(frozen=True, eq=False, repr=False)
class Problems(Result):
    """The problems of files."""

    saved_as: ClassVar[str] = "problems"

    problems: tuple[Problem, ...]
    paths: int  # number of paths checked
    strict: bool  # warnings count as errors

    @property
    def status(self) -> int:
        """1 if there are errors, otherwise 0."""
        wrong = ("error", "warning") if self.strict else ("error",)
        return int(any(problem.severity in wrong for problem in self.problems))


def check_paths(paths: tuple[str, ...] | str | Path) -> None:
    """Refuses no paths, and what are none."""
    given = [paths] if isinstance(paths, str | Path) else paths
    if not given or not all(isinstance(path, str | Path) for path in given):
        raise InputError(argument="paths", found=f"found {as_found(paths)}", expected="paths of files")


@method(
    "What is wrong with these files?",
    path="validate",
    check=check_paths,
    without_options="jobs plot",
    examples=("irassay validate qrels.txt runs/",),
)
def validate(
    paths: Annotated[
        tuple[str, ...] | str | Path, Option("Qrels and runs: files, folders, globs, or -.", metavar="FILE", files=True)
    ],
    *,
    strict: Annotated[bool, "Treat warnings as errors."] = False,
) -> Problems:
    """List everything that is wrong with qrels and runs, line by line, and how to fix it.

    With qrels and runs together, also report topics that are in only one of them, and document ids that do not match.
    The exit status is 1 if there are errors.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    problems = problems_in_files(given)
    inputs = {"paths": tuple(map(path_or_address, file_paths(given)))}
    return Problems(problems, len(given), strict, settings=Settings(inputs=inputs))


def problems_in_files(paths: Sequence[str | Path]) -> tuple[Problem, ...]:
    """The problems of each file; runs are also compared with the judgements among the files."""
    opened = OpenFiles()
    folders = {path: _folder_problems(Path(path)) for path in paths if not is_address(path) and Path(path).is_dir()}
    problems = [problem for found in folders.values() for problem in found or ()]
    inputs = [NamedRuns(path, opened) for path in paths if folders.get(path) is None]
    skipped = [source for runs in inputs for source in runs.skipped_sources if "qrel" not in source.path.name.lower()]
    others = {source.path_text: Problem(source.name, 0, "info", *NOT_RUN) for source in skipped}
    problems += others.values()
    files = dict.fromkeys(path for runs in inputs for path in file_paths(runs.name) if path not in others)
    certain = {path: reader for path in files for reader in _readers_of_certain_judgements(path, opened)}
    contents: dict[Source, Content] = {}
    for path in files:
        try:
            source = opened.source(path)
            if certain:
                reader = next(iter(certain.values()))
                _ = reader.read_judgements(source) if path in certain else reader.read_run(source)
                continue
            contents[source] = content_of(source)
            problems += file_problems(contents[source])
        except InputError as error:
            problems.append(Problem(shown_name(path), 0, "error", str(error).rstrip("."), GIVE_FILE))
    qrels, runs = (
        {source: content for source, content in contents.items() if content.role == role}
        for role in ("judgements", "run")
    )
    return (*problems, *_mismatch_problems(qrels, runs))


def _mismatch_problems(judgements: Mapping[Source, Content], runs: Mapping[Source, Content]) -> Iterator[Problem]:
    """Topics and document ids of runs that do not match the judgements."""
    if not judgements:
        return
    judged = {content.name: set(content.topics) for content in judgements.values()}
    pairs = pl.concat([content.table.frame.select("topic", "doc") for content in judgements.values()])
    known = pairs["topic"].unique().implode()
    sampled = SampledIds.of_judgements(*judgements)
    for source, content in runs.items():
        problems = list(_topic_problems(content.name, content.topics, judged))
        yield from problems
        if not any(problem.severity == "error" for problem in problems) and content.run is not None:
            frame = content.run.frame.filter(pl.col("topic").is_in(known))
            shared = frame.select("topic", "doc").join(pairs, on=["topic", "doc"], how="semi").height
            yield from _document_problems(content, pairs, shared, ", ".join(judged))
            for text in sampled.foreign_ids_of(source):
                yield Problem(content.name, 0, "warning", text, CHECK_IDS)


def _document_problems(content: Content, pairs: pl.DataFrame, shared: int, against: str) -> Iterator[Problem]:
    """A problem if hardly any of the first results are judged, so document ids may not match."""
    assert content.run is not None
    topics = {topic: i for i, topic in enumerate(pairs["topic"].unique(maintain_order=True))}
    results = ordered_lists(content.run, topics, Ordering("file" if content.run.kind == "session" else "score"))
    first = np.flatnonzero(results.rank < TOP_RANKS)
    top = content.run.frame[results.row(first)].select("topic", "doc")
    if not len(first) or top.join(pairs, on=["topic", "doc"], how="semi").height >= RARE_SHARE * len(first):
        return
    few = f"fewer than 1% of its first {TOP_RANKS} results are judged"
    share = few if shared else "none of its results are judged"
    mine, theirs = (", ".join(docs.head(3)) for docs in (top["doc"], pairs["doc"]))
    samples = f"the run has {mine}, the judgements have {theirs}"
    severity: Literal["warning", "error"] = "warning" if shared else "error"
    yield Problem(content.name, 0, severity, f"{share} in {against}", f"check that document ids match: {samples}")


def _readers_of_certain_judgements(path: str, opened: OpenFiles) -> list[Reader]:
    """The readers that recognise a file as judgements beyond doubt."""
    try:
        source = opened.source(path)
        return [reader for reader in detection.READERS if reader.surely_judgements(source)]
    except InputError:
        return []


def _folder_problems(folder: Path) -> list[Problem] | None:
    """The problems of a folder that a reader reads as a whole; None if there is no such reader."""
    for reader in detection.READERS:
        if reader.inside and reader.run_looks_so(folder):
            parts = reader.inside.items()
            return [p for name, read in parts for p in _reading_problems(str(folder / name), read, folder)]
    return None


def _reading_problems(name: str, read: Callable[..., object], file: FileOrFolder) -> Iterator[Problem]:
    """The error raised by reading a file, for formats without further checks."""
    try:
        read(file)
    except InputError as error:
        yield Problem(name, 0, "error", str(error).rstrip("."), "fix it, and check again")


def _topic_problems(name: str, topics: tuple[str, ...], judged: Mapping[str, set[str]]) -> Iterator[Problem]:
    known = set().union(*judged.values())
    against = ", ".join(judged)
    unjudged = [topic for topic in topics if topic not in known]
    absent = sorted(known.difference(topics))
    if not topics:
        return  # no line could be read, which is a problem of its own
    if len(unjudged) == len(topics):
        what = f"none of its topics ({first_few(topics, 3)}) are judged in {against} ({first_few(absent, 3)})"
        yield Problem(name, 0, "error", what, "check that the two belong together")
        return
    if unjudged:
        what = f"{count_phrase(len(unjudged), 'topic')} not judged in {against} ({first_few(unjudged)})"
        yield Problem(name, 0, "warning", what, "they are not scored")
    if absent:
        what = f"{count_phrase(len(absent), 'topic')} judged in {against} but without results ({first_few(absent)})"
        fix = Note(("they count as 0 by default (see ", argument("missing"), ")"))
        yield Problem(name, 0, "warning", what, fix)
