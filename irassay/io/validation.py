"""Validate: everything that is wrong, or worth knowing, about runs and judgements, line by line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError, argument, as_found
from irassay.io import detection
from irassay.io.input_files import NamedRuns, OpenFiles
from irassay.io.order_settings import RARE_SHARE, TOP_RANKS, Ordering
from irassay.io.problems import Problem, file_problems
from irassay.io.reader import Input, Reader
from irassay.io.roles import Content, content_of
from irassay.io.sources import Source, file_paths
from irassay.io.tie_order import ordered_lists
from irassay.method import method
from irassay.notes import Note
from irassay.prose import count_phrase, first_few
from irassay.results import Result
from irassay.settings import Option, Settings


@dataclass(frozen=True, eq=False, repr=False)
class Problems(Result):
    """What is wrong with files, or worth knowing about them."""

    saved_as: ClassVar[str] = "problems"

    problems: tuple[Problem, ...]
    paths: int  # that were checked
    strict: bool  # warnings count as errors

    @property
    def status(self) -> int:
        """1 where there are errors."""
        wrong = ("error", "warning") if self.strict else ("error",)
        return int(any(problem.severity in wrong for problem in self.problems))


@method(
    "What is wrong with these files?",
    path="validate",
    without_options="jobs plot",
    examples=("irassay validate qrels.txt runs/",),
)
def validate(
    paths: Annotated[
        tuple[str, ...] | str | Path, Option("Qrels and runs: files, folders, globs, or -.", metavar="FILE")
    ],
    *,
    strict: Annotated[bool, "Take warnings for errors."] = False,
) -> Problems:
    """List everything that is wrong with qrels and runs, line by line, and how to mend it.

    Given qrels and runs together, also topics that one has and the other lacks, and document ids that do not agree.
    Exit status 1 where there are errors.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given or not all(isinstance(path, str | Path) for path in given):
        raise InputError(f"validate is about files; found {as_found(paths)}")
    found = tuple(problems_in_files(given))
    inputs = {"paths": tuple(map(Path, file_paths(given)))}
    return Problems(found, len(given), strict, settings=Settings(inputs=inputs))


def problems_in_files(given: Sequence[str | Path]) -> tuple[Problem, ...]:
    """What is wrong with each file, in one pass; runs are compared with the judgements among the files."""
    opened = OpenFiles()
    folders = {path: _folder_problems(Path(path)) for path in given if Path(path).is_dir()}
    found = [problem for problems in folders.values() for problem in problems or ()]
    plain = [NamedRuns(path, opened) for path in given if folders.get(path) is None]
    others = {source.path_text: source for named in plain for source in _skipped_sources(named)}
    found += [Problem(path, 0, "info", "passed over: it is no run", "nothing to do") for path in others]
    rest = {
        path: _source_or_error(path, opened) for named in plain for path in file_paths(named.name) if path not in others
    }
    judgements = {
        path: reader
        for path, source in rest.items()
        for reader in detection.READERS
        if _is_surely_judgements(source, reader)
    }
    if judgements:
        reader = next(iter(judgements.values()))
        for path, source in rest.items():
            found += _reading_problems(path, reader.read_judgements if path in judgements else reader.read_run, source)
        return tuple(found)
    held: list[Content] = []
    for path, source in rest.items():
        try:
            if isinstance(source, InputError):
                raise source
            content = content_of(source)
        except InputError as error:
            found.append(Problem(path, 0, "error", str(error), "give a file of judgements or a run"))
            continue
        held.append(content)
        found += file_problems(content)
    return (
        *found,
        *_mismatch_problems([c for c in held if c.role == "judgements"], [c for c in held if c.role == "run"]),
    )


def _mismatch_problems(judgements: list[Content], runs: list[Content]) -> Iterator[Problem]:
    """What is wrong with runs when they are held against judgements: topics, and document ids."""
    if not judgements:
        return
    judged = {content.name: set(content.topics) for content in judgements}
    pairs = pl.concat([content.table.frame.select("topic", "doc") for content in judgements])
    known = pairs["topic"].unique().implode()
    for content in runs:
        problems = list(_topic_problems(content.name, content.topics, judged))
        yield from problems
        if not any(problem.severity == "error" for problem in problems) and content.run is not None:
            frame = content.run.frame.filter(pl.col("topic").is_in(known))
            shared = frame.select("topic", "doc").join(pairs, on=["topic", "doc"], how="semi").height
            yield from _document_problems(content, pairs, shared, ", ".join(judged))


def _document_problems(content: Content, pairs: pl.DataFrame, shared: int, against: str) -> Iterator[Problem]:
    """Where hardly any of the first ten results are judged, or none at all: ids may be of two kinds."""
    assert content.run is not None
    topics = {topic: i for i, topic in enumerate(pairs["topic"].unique(maintain_order=True))}
    found = ordered_lists(content.run, topics, Ordering("file" if content.run.kind == "session" else "score"))
    first = np.repeat(found.start, np.minimum(found.size, TOP_RANKS)) + _ranges(np.minimum(found.size, TOP_RANKS))
    top = content.run.frame[found.row(first)].select("topic", "doc")
    if not len(first) or top.join(pairs, on=["topic", "doc"], how="semi").height >= RARE_SHARE * len(first):
        return
    much = f"fewer than 1 % of its first {TOP_RANKS} results are judged" if shared else "none of its results is judged"
    mine, theirs = (", ".join(docs.head(3)) for docs in (top["doc"], pairs["doc"]))
    samples = f"the run has {mine}, the judgements have {theirs}"
    severity: Literal["warning", "error"] = "warning" if shared else "error"
    yield Problem(content.name, 0, severity, f"{much} in {against}", f"check that document ids agree: {samples}")


def _ranges(sizes: Ints) -> Ints:
    """0, 1, … up to each size, one after another."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _skipped_sources(named: NamedRuns) -> list[Source]:
    """The files of a folder or glob that are neither runs nor, by their names, judgements."""
    return [source for source in named.skipped_sources if "qrel" not in source.path.name.lower()]


def _source_or_error(path: str, opened: OpenFiles) -> Source | InputError:
    """The file, or what is wrong with it."""
    try:
        return opened.source(path)
    except InputError as problem:
        return problem


def _is_surely_judgements(source: Source | InputError, reader: Reader) -> bool:
    try:
        return isinstance(source, Source) and reader.surely_judgements(source)
    except InputError:
        return False


def _folder_problems(folder: Path) -> list[Problem] | None:
    """What is wrong with a folder that some reader takes as a whole; None where none does."""
    for reader in detection.READERS:
        if reader.inside and reader.run_looks_so(folder):
            parts = reader.inside.items()
            return [p for name, read in parts for p in _reading_problems(str(folder / name), read, folder)]
    return None


def _reading_problems(name: str, read: Callable[..., object], given: Input | InputError) -> Iterator[Problem]:
    """The first thing wrong with a file of a format of which no more is known."""
    try:
        if isinstance(given, InputError):
            raise given
        read(given)
    except InputError as problem:
        yield Problem(name, 0, "error", str(problem), "mend that, and check again")


def _topic_problems(name: str, topics: tuple[str, ...], judged: Mapping[str, set[str]]) -> Iterator[Problem]:
    known = set().union(*judged.values())
    against = ", ".join(judged)
    unjudged = [topic for topic in topics if topic not in known]
    absent = sorted(known.difference(topics))
    if len(unjudged) == len(topics):
        what = f"none of its topics ({first_few(topics, 3)}) is judged in {against} ({first_few(absent, 3)})"
        yield Problem(name, 0, "error", what, "check that the two belong together")
        return
    if unjudged:
        what = f"{count_phrase(len(unjudged), 'topic')} not judged in {against} ({first_few(unjudged)})"
        yield Problem(name, 0, "warning", what, "they are left out of all scores")
    if absent:
        what = f"{count_phrase(len(absent), 'topic')} judged in {against} but without results ({first_few(absent)})"
        fix = Note(("they count as 0, unless ", argument("missing"), " says otherwise"))
        yield Problem(name, 0, "warning", what, fix)
