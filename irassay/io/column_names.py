"""Runs and judgements from columns that are told apart by their names."""

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError, order_of_files
from irassay.io.frames import NAMES, NUMERIC, plain
from irassay.io.lines import Table
from irassay.io.reader import Input, Reader, file_name
from irassay.io.sources import Source
from irassay.io.trec import MORE, Qrels, Run, settled
from irassay.notes import Note
from irassay.prose import location, first_few

Columns = tuple[pl.DataFrame, Ints | None, str]  # under our names, the line of each row, what the file calls the grade
ReadColumns = Callable[[Source, bool], Columns]
LARGEST = 10  # grade that is likely
RANKED, JUDGED = ("topic", "doc", "score", *MORE), ("topic", "doc", "grade", "subtopic")


def source_of(given: Input) -> Source:
    """The file, opened if it was not yet."""
    return given if isinstance(given, Source) else Source(given)


def by_head(looks_so: Callable[[bytes], bool]) -> Callable[[Input], bool]:
    """A test of how a file begins as one of inputs; a folder is none of these."""
    return lambda given: not isinstance(given, Path) and looks_so(given.head())


def named_reader(name: str, begins_so: Callable[[bytes], bool], columns_of_file: ReadColumns) -> Reader:
    """The reader of a format, given a test of how its files begin, and the columns of a run (False) or judgements.

    Where runs and judgements look alike, what the file calls the grade is "score", so that a run is not taken for them.
    """

    def read_run(given: Input, columns: Collection[str] = ()) -> Run:
        source = source_of(given)
        frame, lines, _ = columns_of_file(source, False)
        return run_of(frame, source, lines)

    def read_judgements(given: Input) -> Qrels:
        source = source_of(given)
        frame, lines, grade = columns_of_file(source, True)
        refuse_run(frame, grade, source)
        return qrels_of(frame, source, lines)

    looks_so = by_head(begins_so)
    return Reader(name, "trec", read_run, read_judgements, looks_so, looks_so)


def is_header(names: Sequence[str]) -> bool:
    """Whether these names hold one for topics and one for documents."""
    known = {plain(name) for name in names}
    return all(known.intersection(NAMES[column]) for column in ("topic", "doc"))


def columns_of(names: Sequence[str], judgements: bool, source: str) -> dict[str, str]:
    """Our names of the columns that runs or judgements need -> the names in the file.

    BEIR and ranx call a grade score; that is understood where nothing speaks for a run.

    >>> columns_of(["query-id", "corpus-id", "score"], True, "qrels")
    {'topic': 'query-id', 'doc': 'corpus-id', 'grade': 'score'}
    """
    theirs = {plain(name): name for name in reversed(names)}
    wanted = JUDGED if judgements else RANKED
    found = {ours: theirs[next(n for n in NAMES[ours] if n in theirs)] for ours in wanted if _has(theirs, ours)}
    if judgements and "grade" not in found and "score" in theirs and "rank" not in theirs:
        found["grade"] = theirs["score"]
    value = ("grade",) if judgements else ("score", "rank")
    if "topic" in found and "doc" in found and any(column in found for column in value):
        return found
    has = ", ".join(names) or "none"
    if not judgements and _has(theirs, "grade"):
        raise InputError(f"{source} looks like judgements (it has the columns {has}), not a run; {order_of_files()}")
    if judgements and _has(theirs, "score"):
        raise InputError(f"{source} looks like a run (it has the columns {has}), not judgements; {order_of_files()}")
    wants = [" or ".join(NAMES[column][:3]) for column in ("topic", "doc")] + [" or ".join(value)]
    raise InputError(f"{source} has the columns {has}; expected {', '.join(wants)}; rename them")


def type_of(column: str) -> type[pl.DataType]:
    """How a column of ours is stored."""
    return pl.Float64 if column in NUMERIC else pl.String


def fault_in(frame: pl.DataFrame) -> tuple[int, str] | None:
    """The first row with an empty field or a value that is no finite number, and what it is; None where all is well."""
    for column in frame:
        wrong = column.is_null()
        if column.dtype == pl.Float64:
            wrong |= ~column.is_finite().fill_null(True)
        else:
            wrong |= column == ""
        if wrong.any():
            row = int(wrong.arg_true()[0])
            expected = "a finite number" if column.name in NUMERIC else "an id"
            return row, f"the {column.name} is {column[row] if column[row] not in (None, '') else 'empty'}, " + (
                f"expected {expected}"
            )
    return None


def run_of(frame: pl.DataFrame, source: Source, lines: Ints | None = None, notes: tuple[Note, ...] = ()) -> Run:
    """A run from columns of our names; ranks alone make scores that fall with them."""
    _refuse_faults(frame, source, lines)
    if "score" not in frame.columns:
        frame = frame.with_columns(score=-pl.col("rank"))
    return Run(file_name(source), frame, source.name, (*notes, *_on_grades(frame, source)), lines)


def _on_grades(frame: pl.DataFrame, source: Source) -> list[Note]:
    """A note on a run that may be judgements: scores as grades are, most topics with more results than scores."""
    if not are_grades(frame):
        return []
    seen = frame.group_by("topic").agg(pl.len(), pl.n_unique("score").alias("scores"))
    tied = seen.filter(pl.col("len") > pl.col("scores")).height
    if 2 * tied <= seen.height:
        return []
    values = first_few(tuple(f"{value:g}" for value in frame["score"].unique().sort()))
    return [Note(f"the scores in {source.name} are {values}, as grades are; if it holds judgements, it is no run")]


def whole(frame: pl.DataFrame) -> bool:
    """Whether all scores are whole numbers."""
    score = frame["score"].to_numpy()
    return bool((score == np.floor(score)).all())


def are_grades(frame: pl.DataFrame) -> bool:
    """Whether scores are few, small and whole numbers, as grades are."""
    return "rank" not in frame.columns and whole(frame) and bool((frame["score"].abs() <= LARGEST).all())


def qrels_of(frame: pl.DataFrame, source: Source, lines: Ints | None = None) -> Qrels:
    """Judgements from columns of our names."""
    _refuse_faults(frame, source, lines)
    if "subtopic" not in frame.columns:
        frame = frame.with_columns(subtopic=pl.lit("0"))
    return settled(Table(frame.select("topic", "subtopic", "doc", "grade"), lines), source.name, lines is not None)


def refuse_run(frame: pl.DataFrame, theirs: str, source: Source) -> None:
    """Says that judgements whose grades are called score, and are no whole numbers, look like a run."""
    grade = frame["grade"].drop_nulls().to_numpy()
    if plain(theirs) == "score" and (grade != np.floor(grade)).any():
        row = int(np.flatnonzero(grade != np.floor(grade))[0])
        raise InputError(
            f"{source.name} looks like a run (it has the score {grade[row]:g}), not judgements; where scores are "
            "grades, give them in a column or field called relevance"
        )


def as_json(value: object) -> str:
    """A value as JSON, cut off where it is long.

    >>> as_json(None), as_json(10**60)
    ('null', '1000000000000000000000000000000000000000…')
    """
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:40]}…"


def _refuse_faults(frame: pl.DataFrame, source: Source, lines: Ints | None) -> None:
    if not frame.height:
        raise InputError(f"{source.name} has no rows; expected some of: {', '.join(frame.columns)}")
    if fault := fault_in(frame):
        row, what = fault
        where = f"{source.name}, row {row}" if lines is None else location(source.name, int(lines[row]))
        raise InputError(f"{where}: {what}; mend or delete it")


def _has(theirs: dict[str, str], ours: str) -> bool:
    return any(name in theirs for name in NAMES[ours])
