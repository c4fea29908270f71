"""Validate: everything that is wrong, or worth knowing, about runs and judgements, line by line."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.lines import Layout, Table, read_table, records
from irassay.io.sources import Source, files
from irassay.io.trec import QRELS, RUN, Run, first_rows
from irassay.judging.order import Lists, Ordering, lists
from irassay.prose import at, counted, some

MOST = 20  # problems of one kind that are listed for one file


@dataclass(frozen=True)
class Problem:
    """Something about a file that its owner should know; line 0 is the whole file."""

    file: str
    line: int
    severity: Literal["error", "warning", "info"]
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{at(self.file, self.line)}: {self.severity}: {self.what}; {self.fix}"


def is_sessions(path: str | Path) -> bool:
    """Whether this is a folder of sessions, as published with jiang2016."""
    return Path(path).is_dir() and all((Path(path) / name).is_file() for name in ("session", "results", "qrels"))


def _is_truth(path: str) -> bool:
    from irassay.io.passage_qrels import is_passage_qrels

    try:
        source = Source(path)
        head = next(source.blocks(), b"").split(b"\n", 1)[0].lstrip()
        return is_passage_qrels(source) and (head.startswith(b"<") or b"\t" in head)  # passage tables have tabs
    except InputError:
        return False


def _about_dynamic(path: str, truth: bool) -> Iterator[Problem]:
    """The first thing wrong with passage judgements, or with a Dynamic Domain run beside them."""
    from irassay.io.dynamic import read_dynamic_run
    from irassay.io.passage_qrels import read_passage_qrels

    try:
        _ = read_passage_qrels(path) if truth else read_dynamic_run(path)
    except InputError as problem:
        yield Problem(path, 0, "error", str(problem), "mend that, and check again")


def _about_sessions(folder: Path) -> Iterator[Problem]:
    """The first thing wrong with each file of a folder of sessions."""
    from irassay.io.sessions import read_session_qrels, read_sessions

    for read, name in ((read_sessions, "results"), (read_session_qrels, "qrels")):
        try:
            read(folder)
        except InputError as problem:
            yield Problem(str(folder / name), 0, "error", str(problem), "mend that, and check again")


def validate(paths: str | Path | Iterable[str | Path]) -> tuple[Problem, ...]:
    """What is wrong with each file, in one pass; runs are held against the judgements among the files."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = [problem for path in given if is_sessions(path) for problem in _about_sessions(Path(path))]
    rest = [path for path in given if not is_sessions(path)]
    truths = [path for path in files(rest) if _is_truth(path)] if rest else []
    if truths:
        return (*found, *(problem for path in files(rest) for problem in _about_dynamic(path, path in truths)))
    judged: dict[str, set[str]] = {}
    answered: dict[str, tuple[str, ...]] = {}
    for path in files(rest) if rest else []:
        try:
            source = Source(path)
            layout = _layout(source)
        except InputError as error:
            found.append(Problem(path, 0, "error", str(error), "give a file of judgements or a run"))
            continue
        table = read_table(source, layout)
        name = source.name
        faults = [Problem(name, fault.line, "error", fault.what, fault.fix) for fault in table.faults]
        topics = tuple(table.frame["topic"].unique(maintain_order=True))
        if layout is QRELS:
            judged[name] = set(topics)
            found += _capped([*faults, *_about_judgements(name, table)])
        else:
            answered[name] = topics
            found += _capped([*faults, *_about_run(name, table, source, topics)])
    return (*found, *(p for name, topics in answered.items() if judged for p in _about_topics(name, topics, judged)))


def _layout(source: Source) -> Layout:
    """What kind of file it is, by the number of fields that most of its first lines have."""
    widths = Counter(min(len(fields), 6) for _, fields in islice(records(source), 100))
    if not widths:
        raise InputError(f"{source.name} has no lines but blank ones and comments")
    width = widths.most_common(1)[0][0]
    if width not in (4, 6):
        raise InputError(f"{source.name} has {width} fields a line, expected 4 ({QRELS}) or 6 ({RUN})")
    return QRELS if width == 4 else RUN


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


def _about_run(name: str, table: Table, source: Source, topics: tuple[str, ...]) -> Iterator[Problem]:
    frame = table.frame
    first = first_rows(frame, ["topic", "doc"])
    for row in np.flatnonzero(first != np.arange(len(first))).tolist():
        what = (
            f"found document {frame['doc'][row]} for topic {frame['topic'][row]} again, as on line "
            f"{table.line(int(first[row]))}"
        )
        yield Problem(name, table.line(row), "error", what, "delete one of the two lines")
    tags = frame["tag"].unique(maintain_order=True).to_list()
    if len(tags) > 1:
        row = int((frame["tag"] != tags[0]).arg_true()[0])
        what = f"found {len(tags)} tags ({some(tags)})"
        yield Problem(name, table.line(row), "warning", what, "give all lines of a run the same tag")
    run = Run(name, frame, name, lines=table.lines, file=source)
    yield from _about_scores(run, table, topics)
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
            run.name, line, "warning", what, "they are ordered by document id, descending, unless told otherwise"
        )
    if by_score.unsettled:
        touched = [topics[i] for i in by_score.unsettled]
        what = (
            f"{counted(len(touched), 'topic')} ({some(touched)}) with scores that differ only beyond single precision, "
            "so that tools order them differently"
        )
        fix = "expect trec_eval 9 and pytrec_eval to agree with --score-precision single only"
        yield Problem(run.name, 0, "warning", what, fix)


def _about_ranks(run: Run, table: Table, topics: tuple[str, ...]) -> Iterator[Problem]:
    column = run.frame["rank"]
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    strange = np.flatnonzero(~np.isfinite(rank))
    if len(strange):
        what = f"found the rank {column[int(strange[0])]!r}, expected a number, on {counted(len(strange), 'line')}"
        yield Problem(run.name, table.line(int(strange[0])), "warning", what, "write ranks as 1, 2, 3, …")
        return
    if len(rank) > 1 and not rank.any():
        what = "all ranks are 0"
        yield Problem(run.name, 0, "info", what, "nothing to do: scores decide, unless ranks are asked for")
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
            yield Problem(run.name, line, "warning", f"{counted(len(touched), 'topic')} ({some(touched)}) {what}", fix)


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
        yield Problem(name, 0, "warning", what, "they count as 0, unless --missing says otherwise")


def _inside(results: Lists, holds: np.ndarray) -> Ints:
    """The places where something holds between a result and the next one of the same list."""
    holds[results.start[1:] - 1] = False
    return np.flatnonzero(holds)


def _names(results: Lists, place: Ints, topics: tuple[str, ...]) -> list[str]:
    return [topics[i] for i in results.topic[np.unique(results.list_of(place))]]
