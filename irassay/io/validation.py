"""Validate: everything that is wrong, or worth knowing, about runs and judgements, line by line."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError, argument, as_found
from irassay.io import detection
from irassay.io.folders import passed_over
from irassay.io.lines import Table
from irassay.io.order import Lists, lists
from irassay.io.ordering import RARE, TOP, Ordering
from irassay.io.reader import Input, Reader
from irassay.io.roles import Content, content_of
from irassay.io.sources import Source, files
from irassay.io.trec import Run, first_rows
from irassay.method import method
from irassay.prose import at, counted, some
from irassay.results import Result, Saved
from irassay.settings import Option, Settings

MOST = 20  # problems of one kind that are listed for one file


@dataclass(frozen=True)
class Problem(Saved):
    """Something about a file that its owner should know; line 0 is the whole file."""

    saved_as: ClassVar[str] = "problem"

    file: str
    line: int
    severity: Literal["error", "warning", "info"]
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{at(self.file, self.line)}: {self.severity}: {self.what}; {self.fix}"


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
    without="jobs plot",
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
    found = tuple(problems_of(given))
    inputs = {"paths": tuple(map(Path, files(given)))}
    return Problems(found, len(given), strict, settings=Settings(inputs=inputs))


def problems_of(given: Sequence[str | Path]) -> tuple[Problem, ...]:
    """What is wrong with each file, in one pass; runs are held against the judgements among the files."""
    folders = {path: _about_folder(Path(path)) for path in given if Path(path).is_dir()}
    found = [problem for problems in folders.values() for problem in problems or ()]
    plain = [path for path in given if folders.get(path) is None]
    others = [path for path in passed_over(plain) if "qrel" not in Path(path).name.lower()]
    found += [Problem(path, 0, "info", "passed over: it is no run", "nothing to do") for path in others]
    rest = {path: _opened(path) for path in files(plain) if path not in others}
    judgements = {
        path: reader for path, source in rest.items() for reader in detection.READERS if _surely(source, reader)
    }
    if judgements:
        reader = next(iter(judgements.values()))
        for path, source in rest.items():
            found += _about_reading(path, reader.read_judgements if path in judgements else reader.read_run, source)
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
        found += _about(content)
    return (*found, *_about_both([c for c in held if c.role == "judgements"], [c for c in held if c.role == "run"]))


def _about(content: Content) -> Iterator[Problem]:
    """What is wrong with one file by itself."""
    name, table = content.name, content.table
    if content.unsure:
        what = f"read as {'judgements' if content.role == 'judgements' else 'a run'} ({content.reader})"
        yield Problem(name, 0, "info", what, "nothing to do, if it is that: the format does not say")
    faults = [Problem(name, fault.line, "error", fault.what, fault.fix) for fault in table.faults]
    if content.run is None:
        yield from _capped([*faults, *_about_judgements(name, table)])
    elif content.run.kind == "trec":
        yield from _capped([*faults, *_about_run(name, table, content.run, content.topics)])


def _about_both(judgements: list[Content], runs: list[Content]) -> Iterator[Problem]:
    """What is wrong with runs when they are held against judgements: topics, and document ids."""
    if not judgements:
        return
    judged = {content.name: set(content.topics) for content in judgements}
    pairs = pl.concat([content.table.frame.select("topic", "doc") for content in judgements])
    known = pairs["topic"].unique().implode()
    for content in runs:
        problems = list(_about_topics(content.name, content.topics, judged))
        yield from problems
        if not any(problem.severity == "error" for problem in problems) and content.run is not None:
            frame = content.run.frame.filter(pl.col("topic").is_in(known))
            shared = frame.select("topic", "doc").join(pairs, on=["topic", "doc"], how="semi").height
            yield from _about_documents(content, pairs, shared, ", ".join(judged))


def _about_documents(content: Content, pairs: pl.DataFrame, shared: int, against: str) -> Iterator[Problem]:
    """Where hardly any of the first ten results are judged, or none at all: ids may be of two kinds."""
    assert content.run is not None
    topics = {topic: i for i, topic in enumerate(pairs["topic"].unique(maintain_order=True))}
    found = lists(content.run, topics, Ordering("file" if content.run.kind == "session" else "score"))
    first = np.repeat(found.start, np.minimum(found.size, TOP)) + _counted(np.minimum(found.size, TOP))
    top = content.run.frame[found.row(first)].select("topic", "doc")
    if not len(first) or top.join(pairs, on=["topic", "doc"], how="semi").height >= RARE * len(first):
        return
    much = f"fewer than 1 % of its first {TOP} results are judged" if shared else "none of its results is judged"
    mine, theirs = (", ".join(docs.head(3)) for docs in (top["doc"], pairs["doc"]))
    samples = f"the run has {mine}, the judgements have {theirs}"
    severity: Literal["warning", "error"] = "warning" if shared else "error"
    yield Problem(content.name, 0, severity, f"{much} in {against}", f"check that document ids agree: {samples}")


def _counted(sizes: Ints) -> Ints:
    """0, 1, … up to each size, one after another."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _opened(path: str) -> Source | InputError:
    """The file, or what is wrong with it."""
    try:
        return Source(path)
    except InputError as problem:
        return problem


def _surely(source: Source | InputError, reader: Reader) -> bool:
    try:
        return isinstance(source, Source) and reader.surely_judgements(source)
    except InputError:
        return False


def _about_folder(folder: Path) -> list[Problem] | None:
    """What is wrong with a folder that some reader takes as a whole; None where none does."""
    for reader in detection.READERS:
        if reader.inside and reader.run_looks_so(folder):
            parts = reader.inside.items()
            return [p for name, read in parts for p in _about_reading(str(folder / name), read, folder)]
    return None


def _about_reading(name: str, read: Callable[..., object], given: Input | InputError) -> Iterator[Problem]:
    """The first thing wrong with a file of a format of which no more is known."""
    try:
        if isinstance(given, InputError):
            raise given
        read(given)
    except InputError as problem:
        yield Problem(name, 0, "error", str(problem), "mend that, and check again")


def _capped(problems: list[Problem]) -> Iterator[Problem]:
    """At most MOST problems of one kind, which are those with one remedy, and how many more there are."""
    count = Counter((problem.severity, problem.fix) for problem in problems)
    shown: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        kind = (problem.severity, problem.fix)
        shown[kind] += 1
        if shown[kind] <= MOST:
            yield problem
        elif shown[kind] == count[kind]:
            yield replace(problem, line=0, what=f"and {count[kind] - MOST:,} more like the {MOST} before")


def _about_judgements(name: str, table: Table) -> Iterator[Problem]:
    frame, grade = table.frame, table.frame["grade"].to_numpy()
    first = first_rows(frame, ["topic", "subtopic", "doc"])
    for row in np.flatnonzero(first != np.arange(len(first))).tolist():
        before = f"line {table.line(int(first[row]))}"
        judgement = f"document {frame['doc'][row]} of topic {frame['topic'][row]}"
        if grade[row] != grade[first[row]]:
            what = f"found the grade {grade[row]:g} for {judgement}, but {grade[first[row]]:g} on {before}"
            yield Problem(name, table.line(row), "error", what, "keep one of the two grades")
        else:
            what = f"found the grade of {judgement} again, as on {before}"
            yield Problem(name, table.line(row), "warning", what, "delete the repeated line")
    best = frame.group_by("topic", maintain_order=True).agg(pl.col("grade").max())
    empty = best.filter(pl.col("grade") <= 0)["topic"].to_list()
    if empty:
        what = f"{counted(len(empty), 'topic')} without a relevant document ({some(empty)})"
        yield Problem(name, 0, "warning", what, "expect scores of 0 there, or leave these topics out")


def _about_run(name: str, table: Table, run: Run, topics: tuple[str, ...]) -> Iterator[Problem]:
    frame = table.frame
    first = first_rows(frame, ["topic", "doc"])
    for row in np.flatnonzero(first != np.arange(len(first))).tolist():
        what = (
            f"found document {frame['doc'][row]} for topic {frame['topic'][row]} again, as on line "
            f"{table.line(int(first[row]))}"
        )
        yield Problem(name, table.line(row), "error", what, "delete one of the two lines")
    tags = frame["tag"].unique(maintain_order=True).to_list() if "tag" in frame.columns else []
    if len(tags) > 1:
        row = int((frame["tag"] != tags[0]).arg_true()[0])
        what = f"found {len(tags)} tags ({some(tags)})"
        yield Problem(name, table.line(row), "warning", what, "give all lines of a run the same tag")
    yield from _about_scores(run, table, topics)
    if "rank" in frame.columns:
        yield from _about_ranks(run, table, topics)


def _about_scores(run: Run, table: Table, topics: tuple[str, ...]) -> Iterator[Problem]:
    by_score = lists(run, {topic: i for i, topic in enumerate(topics)}, Ordering())
    score = run.frame["score"].to_numpy()[by_score.rows]
    tied = _inside(by_score, score[1:] == score[:-1])
    if len(tied):
        touched = _names(by_score, tied, topics)
        results = f"{len(np.union1d(tied, tied + 1)):,} results"
        what = f"{results} in {counted(len(touched), 'topic')} ({some(touched)}) have tied scores"
        line = table.line(int(by_score.row(tied[:1])[0]))
        yield Problem(
            run.source, line, "warning", what, "they are ordered by document id, descending, unless told otherwise"
        )
    if by_score.unsettled:
        touched = [topics[i] for i in by_score.unsettled]
        what = (
            f"{counted(len(touched), 'topic')} ({some(touched)}) with scores that differ only beyond single precision, "
            "so that tools order them differently"
        )
        fix = f"expect trec_eval 9 and pytrec_eval to agree with {argument('score_precision', 'single')} only"
        yield Problem(run.source, 0, "warning", what, fix)


def _about_ranks(run: Run, table: Table, topics: tuple[str, ...]) -> Iterator[Problem]:
    column = run.frame["rank"]
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    strange = np.flatnonzero(~np.isfinite(rank))
    if len(strange):
        what = f"found the rank {column[int(strange[0])]!r}, expected a number, on {counted(len(strange), 'line')}"
        yield Problem(run.source, table.line(int(strange[0])), "warning", what, "write ranks as 1, 2, 3, …")
        return
    if len(rank) > 1 and not rank.any():
        what = "all ranks are 0"
        yield Problem(run.source, 0, "info", what, "nothing to do: scores decide, unless ranks are asked for")
        return
    by_rank = lists(run, {topic: i for i, topic in enumerate(topics)}, Ordering("rank"))
    score, rank = run.frame["score"].to_numpy()[by_rank.rows], rank[by_rank.rows]
    rises, same = score[1:] > score[:-1], rank[1:] == rank[:-1]
    for wrong, what, fix in (
        (rises & ~same, "with ranks that contradict their scores", "scores decide, unless ranks are asked for"),
        (same, "with a rank more than once", "number the results of a topic 1, 2, 3, …"),
    ):
        where = _inside(by_rank, wrong)
        if len(where):
            touched = _names(by_rank, where, topics)
            line = table.line(int(by_rank.row(where[0] + np.arange(2)).max()))
            yield Problem(
                run.source, line, "warning", f"{counted(len(touched), 'topic')} ({some(touched)}) {what}", fix
            )


def _about_topics(name: str, topics: tuple[str, ...], judged: Mapping[str, set[str]]) -> Iterator[Problem]:
    known = set().union(*judged.values())
    against = ", ".join(judged)
    unjudged = [topic for topic in topics if topic not in known]
    absent = sorted(known.difference(topics))
    if len(unjudged) == len(topics):
        what = f"none of its topics ({some(topics, 3)}) is judged in {against} ({some(absent, 3)})"
        yield Problem(name, 0, "error", what, "check that the two belong together")
        return
    if unjudged:
        what = f"{counted(len(unjudged), 'topic')} not judged in {against} ({some(unjudged)})"
        yield Problem(name, 0, "warning", what, "they are left out of all scores")
    if absent:
        what = f"{counted(len(absent), 'topic')} judged in {against} but without results ({some(absent)})"
        yield Problem(name, 0, "warning", what, f"they count as 0, unless {argument('missing')} says otherwise")


def _inside(results: Lists, holds: np.ndarray) -> Ints:
    """The places where something holds between a result and the next one of the same list."""
    holds[results.start[1:] - 1] = False
    return np.flatnonzero(holds)


def _names(results: Lists, place: Ints, topics: tuple[str, ...]) -> list[str]:
    return [topics[i] for i in results.topic[np.unique(results.list_of(place))]]
