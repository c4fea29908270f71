"""Problems of a single file of judgements or run, line by line."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import argument
from irassay.io.lines import TextTable
from irassay.io.order_settings import Ordering
from irassay.io.roles import Content
from irassay.io.tie_order import OrderedLists, ordered_lists
from irassay.io.trec import Run, first_rows
from irassay.notes import Note
from irassay.prose import count_phrase, first_few, location
from irassay.saving import Saved

MAX_PER_KIND = 20  # problems listed per kind and file

SCORES_DECIDE = "by default results are ordered by score, not by rank"


@dataclass(frozen=True)
class Problem(Saved):
    """A problem of a file, or something worth knowing about it; line 0 means the whole file."""

    saved_as: ClassVar[str] = "problem"

    file: str
    line: int
    severity: Literal["error", "warning", "info"]
    what: str
    fix: str
    stands_for: int = 1  # number of problems; more than 1 if this says "and … more"

    def __str__(self) -> str:
        return f"{location(self.file, self.line)}: {self.severity}: {self.what}; {self.fix}"


def file_problems(content: Content) -> Iterator[Problem]:
    """The problems of one file."""
    name, table = content.name, content.table
    if content.is_ambiguous:
        what = f"read as {'judgements' if content.role == 'judgements' else 'a run'} ({content.reader})"
        yield Problem(name, 0, "info", what, "nothing to do if that is right; the format does not say")
    for note in content.notes:
        what = str(Note(note.pieces, "", note.number, note.noun, note.metrics))
        yield Problem(name, 0, "info", what, "nothing to do if that is right")
    faults = [Problem(name, fault.line, "error", fault.what, fault.fix) for fault in table.faults]
    if content.run is None:
        yield from _capped_problems([*faults, *_judgement_problems(name, table)])
    elif content.run.kind == "trec":
        yield from _capped_problems([*faults, *_run_problems(name, table, content.run, content.topics)])


def _capped_problems(problems: list[Problem]) -> Iterator[Problem]:
    """At most MAX_PER_KIND problems with the same fix, and how many more there are."""
    count = Counter((problem.severity, problem.fix) for problem in problems)
    shown: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        kind = (problem.severity, problem.fix)
        shown[kind] += 1
        if shown[kind] <= MAX_PER_KIND:
            yield problem
        elif shown[kind] == count[kind]:
            more = count[kind] - MAX_PER_KIND
            yield replace(problem, line=0, what=f"and {more:,} more like the {MAX_PER_KIND} before", stands_for=more)


def _judgement_problems(name: str, table: TextTable) -> Iterator[Problem]:
    frame, grade = table.frame, table.frame["grade"].to_numpy()
    first = first_rows(frame, ["topic", "subtopic", "doc"])
    for row in np.flatnonzero(first != np.arange(len(first))).tolist():
        before = f"line {table.line_number(int(first[row]))}"
        judgement = f"document {frame['doc'][row]} of topic {frame['topic'][row]}"
        if grade[row] != grade[first[row]]:
            what = f"found the grade {grade[row]:g} for {judgement}, but {grade[first[row]]:g} on {before}"
            yield Problem(name, table.line_number(row), "error", what, "keep one of the two grades")
        else:
            what = f"found the grade of {judgement} again, after {before}"
            yield Problem(name, table.line_number(row), "warning", what, "delete the repeated line")
    best = frame.group_by("topic", maintain_order=True).agg(pl.col("grade").max())
    empty = best.filter(pl.col("grade") <= 0)["topic"].to_list()
    if empty:
        what = f"{count_phrase(len(empty), 'topic')} without a relevant document ({first_few(empty)})"
        yield Problem(name, 0, "warning", what, "expect scores of 0 for these topics, or leave them out")


def _run_problems(name: str, table: TextTable, run: Run, topics: tuple[str, ...]) -> Iterator[Problem]:
    frame = table.frame
    first = first_rows(frame, ["topic", "doc"])
    for row in np.flatnonzero(first != np.arange(len(first))).tolist():
        before = f"line {table.line_number(int(first[row]))}"
        what = f"found document {frame['doc'][row]} for topic {frame['topic'][row]} again, after {before}"
        yield Problem(name, table.line_number(row), "error", what, "delete one of the two lines")
    tags = frame["tag"].unique(maintain_order=True).to_list() if "tag" in frame.columns else []
    if len(tags) > 1:
        row = int((frame["tag"] != tags[0]).arg_true()[0])
        what = f"found {len(tags)} tags ({first_few(tags)})"
        yield Problem(name, table.line_number(row), "warning", what, "give all lines of a run the same tag")
    yield from _score_problems(run, table, topics)
    if "rank" in frame.columns:
        yield from _rank_problems(run, table, topics)


def _score_problems(run: Run, table: TextTable, topics: tuple[str, ...]) -> Iterator[Problem]:
    by_score = ordered_lists(run, {topic: i for i, topic in enumerate(topics)}, Ordering())
    score = run.frame["score"].to_numpy()[by_score.rows]
    tied = _places_inside_lists(by_score, score[1:] == score[:-1])
    if len(tied):
        names = _topic_names(by_score, tied, topics)
        results = f"{len(np.union1d(tied, tied + 1)):,} results"
        what = f"{results} in {count_phrase(len(names), 'topic')} ({first_few(names)}) have tied scores"
        line = table.line_number(int(by_score.row(tied[:1])[0]))
        yield Problem(run.source, line, "warning", what, "by default they are ordered by document id, descending")
    if by_score.precision_sensitive:
        names = [topics[i] for i in by_score.precision_sensitive]
        what = f"{count_phrase(len(names), 'topic')} ({first_few(names)}) ordered differently in single precision"
        single = argument("score_precision", "single")
        fix = Note(("trec_eval 9 and pytrec_eval order them as with ", single))
        yield Problem(run.source, 0, "warning", what, fix)


def _rank_problems(run: Run, table: TextTable, topics: tuple[str, ...]) -> Iterator[Problem]:
    column = run.frame["rank"]
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    strange = np.flatnonzero(~np.isfinite(rank))
    if len(strange):
        what = f"found the rank {column[int(strange[0])]!r} instead of a number on {count_phrase(len(strange), 'line')}"
        yield Problem(run.source, table.line_number(int(strange[0])), "warning", what, "write ranks as 1, 2, 3, …")
        return
    if len(rank) > 1 and not rank.any():
        yield Problem(run.source, 0, "info", "all ranks are 0", f"nothing to do: {SCORES_DECIDE}")
        return
    by_rank = ordered_lists(run, {topic: i for i, topic in enumerate(topics)}, Ordering("rank"))
    score, rank = run.frame["score"].to_numpy()[by_rank.rows], rank[by_rank.rows]
    rises, same = score[1:] > score[:-1], rank[1:] == rank[:-1]
    for wrong, what, fix in (
        (rises & ~same, "with ranks that contradict their scores", SCORES_DECIDE),
        (same, "with a duplicate rank", "number the results of a topic 1, 2, 3, …"),
    ):
        where = _places_inside_lists(by_rank, wrong)
        if len(where):
            names = _topic_names(by_rank, where, topics)
            topics_with = f"{count_phrase(len(names), 'topic')} ({first_few(names)}) {what}"
            line = table.line_number(int(by_rank.row(where[0] + np.arange(2)).max()))
            yield Problem(run.source, line, "warning", topics_with, fix)


def _places_inside_lists(results: OrderedLists, holds: np.ndarray) -> Ints:
    """The places where a condition holds between a result and the next one in the same list."""
    holds[results.start[1:] - 1] = False
    return np.flatnonzero(holds)


def _topic_names(results: OrderedLists, place: Ints, topics: tuple[str, ...]) -> list[str]:
    return [topics[i] for i in results.topic[np.unique(results.list_of(place))]]
