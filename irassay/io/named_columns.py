"""Runs and judgements from columns that are recognised by their names."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError, order_of_files
from irassay.forks import check_polars_works
from irassay.io.column_names import NAMES, matching_columns, normalized_name, refuse_repeated
from irassay.io.lines import TextTable
from irassay.io.reader import FileOrFolder, Reader, by_head, file_name
from irassay.io.sources import Source, opened_source
from irassay.io.trec import OPTIONAL_COLUMNS, Qrels, Run, comment_notes, deduplicated_qrels
from irassay.io.typed_columns import NUMERIC
from irassay.notes import Note
from irassay.prose import first_few


class NamedColumns(NamedTuple):
    """Columns under our names, as they were read from a file."""

    frame: pl.DataFrame
    lines: Ints | None  # [row] numbers of the lines; None: the format has no lines
    grade: str  # the name of the grade in the file
    comments: int = 0  # comment lines after the first line


ReadColumns = Callable[[Source, bool], NamedColumns]
LARGEST_GRADE = 10  # that is plausible
RUN_FIELDS, QRELS_FIELDS = ("topic", "doc", "score", *OPTIONAL_COLUMNS), ("topic", "doc", "grade", "subtopic")


def named_reader(name: str, matches: Callable[[bytes], bool], read_columns: ReadColumns) -> Reader:
    """The reader of a format, given a test of the first bytes and a function that reads a run's or qrels' columns.

    If runs and judgements look alike, the name of the grade is "score", so that a run is not read as judgements.
    """

    def read_run(file: FileOrFolder, columns: Collection[str] = ()) -> Run:
        check_polars_works()
        source = opened_source(file)
        table = read_columns(source, False)
        return run_from_columns(table.frame, source, table.lines, comment_notes(table.comments, file_name(source)))

    def read_judgements(file: FileOrFolder) -> Qrels:
        check_polars_works()
        source = opened_source(file)
        table = read_columns(source, True)
        refuse_run(table.frame, table.grade, source)
        return qrels_from_columns(table.frame, source, table.lines, comment_notes(table.comments, source.name))

    looks_so = by_head(matches)
    return Reader(name, "trec", read_run, read_judgements, looks_so, looks_so)


def is_header(names: Sequence[str]) -> bool:
    """Whether these names include one for topics and one for documents."""
    return len(matching_columns(names, ("topic", "doc"))) == 2


def columns_of(names: Sequence[str], judgements: bool, source: str) -> dict[str, str]:
    """Our names of the columns that a run or judgements need -> their names in the file.

    BEIR and ranx call the grade "score"; that is accepted if there is no rank.

    >>> columns_of(["query-id", "corpus-id", "score"], True, "qrels")
    {'topic': 'query-id', 'doc': 'corpus-id', 'grade': 'score'}
    """
    known = matching_columns(names, NAMES)
    columns = {ours: known[ours] for ours in (QRELS_FIELDS if judgements else RUN_FIELDS) if ours in known}
    if judgements and "grade" not in known and "score" in known and "rank" not in known:
        columns["grade"] = known["score"]
    values = ("grade",) if judgements else ("score", "rank")
    if "topic" in columns and "doc" in columns and any(column in columns for column in values):
        refuse_repeated(names, columns.values(), source)
        _refuse_synonyms(names, columns, source)
        return columns
    all_names = ", ".join(names) or "none"
    if ("score" if judgements else "grade") in known:
        likely, expected = ("a run", "judgements") if judgements else ("judgements", "a run")
        message = f"{source} looks like {likely} (it has the columns {all_names}), not {expected}; "
        raise InputError(message, order_of_files(), ".")
    expected = ", ".join([*(" or ".join(NAMES[column][:3]) for column in ("topic", "doc")), " or ".join(values)])
    raise InputError(
        file=source, found=f"found the columns {all_names}", expected=expected, fix="rename or add columns"
    )


def _refuse_synonyms(names: Sequence[str], columns: dict[str, str], source: str) -> None:
    """Raises an error if two columns may be the topic or the grade; PyTerrier's docid and docno do no harm."""
    for ours in {"topic", "grade"} & columns.keys():
        if other := next(
            (each for each in names if each != columns[ours] and normalized_name(each) in NAMES[ours]), ""
        ):
            found = f"the columns {columns[ours]} and {other} both name the {ours}"
            raise InputError(file=source, found=found, expected="one of them", fix="delete or rename the other")


def type_of(column: str) -> type[pl.DataType]:
    """The type in which one of our columns is stored."""
    return pl.Float64 if column in NUMERIC else pl.String


def frame_of_rows(rows: Iterable[tuple[int, list[str | float]]], columns: Iterable[str]) -> tuple[pl.DataFrame, Ints]:
    """The columns of rows that were parsed one by one, and the line of each row."""
    lines, values = [], []
    for line, row in rows:
        lines.append(line)
        values.append(row)
    frame = pl.DataFrame(values, schema={ours: type_of(ours) for ours in columns}, orient="row")
    return frame, np.array(lines, dtype=np.int64)


def value_error(column: str, found: str, file: str, line: int = 0) -> InputError:
    """The error for a value that does not fit its column."""
    expected, fix = "a finite number" if column in NUMERIC else "an id", "fix or delete the line"
    return InputError(file=file, line=line, found=found, expected=expected, fix=fix if line else "fix or delete it")


def _refuse_faults(frame: pl.DataFrame, source: Source, lines: Ints | None) -> None:
    """Raises an error for an empty field or a value that is not a finite number."""
    if not frame.height:
        raise InputError(f"{source.name} has no rows; expected rows of: {', '.join(frame.columns)}.")
    for column in frame:
        wrong = column.is_null() | (~column.is_finite() if column.dtype == pl.Float64 else column == "")
        if wrong.any():
            row = int(wrong.arg_true()[0])
            found = f"the {column.name} is {column[row] if column[row] not in (None, '') else 'empty'}"
            file, line = (f"{source.name}, row {row}", 0) if lines is None else (source.name, int(lines[row]))
            raise value_error(column.name, found, file, line)


def run_from_columns(
    frame: pl.DataFrame, source: Source, lines: Ints | None = None, notes: tuple[Note, ...] = ()
) -> Run:
    """A run from columns under our names; without scores, they are the negated ranks."""
    _refuse_faults(frame, source, lines)
    if "score" not in frame.columns:
        frame = frame.with_columns(score=-pl.col("rank"))
    return Run(file_name(source), frame, source.name, (*notes, *_grade_notes(frame, source)), lines)


def _grade_notes(frame: pl.DataFrame, source: Source) -> list[Note]:
    """A note on a run that may be judgements: scores that look like grades, and ties in most topics."""
    if not are_grades(frame):
        return []
    seen = frame.group_by("topic").agg(pl.len(), pl.n_unique("score").alias("scores"))
    tied = seen.filter(pl.col("len") > pl.col("scores")).height
    if 2 * tied <= seen.height:
        return []
    values = first_few(tuple(f"{value:g}" for value in frame["score"].unique().sort()))
    return [Note(f"the scores in {source.name} are {values}, like grades; check that it is a run, not judgements")]


def scores_are_integers(frame: pl.DataFrame) -> bool:
    """Whether all scores are whole numbers."""
    score = frame["score"].to_numpy()
    return bool((score == np.floor(score)).all())


def are_grades(frame: pl.DataFrame) -> bool:
    """Whether the scores look like grades: small whole numbers, without ranks."""
    return (
        "rank" not in frame.columns
        and scores_are_integers(frame)
        and bool((frame["score"].abs() <= LARGEST_GRADE).all())
    )


def qrels_from_columns(
    frame: pl.DataFrame, source: Source, lines: Ints | None = None, notes: tuple[Note, ...] = ()
) -> Qrels:
    """Judgements from columns under our names."""
    _refuse_faults(frame, source, lines)
    qrels = deduplicated_qrels(TextTable(frame, lines), source.name, lines is not None)
    return replace(qrels, notes=(*qrels.notes, *notes))


def refuse_run(frame: pl.DataFrame, theirs: str, source: Source) -> None:
    """Raises an error if grades are called "score" and are not whole numbers, as in a run."""
    grade = frame["grade"].drop_nulls().to_numpy()
    if normalized_name(theirs) == "score" and (grade != np.floor(grade)).any():
        row = int(np.flatnonzero(grade != np.floor(grade))[0])
        found = f"looks like a run (it has the score {grade[row]:g}), not judgements"
        raise InputError(f"{source.name} {found}; if scores are grades, call the column or field relevance.")


def short_json(value: object) -> str:
    """A value as JSON, shortened if it is long.

    >>> short_json(None), short_json(10**60)
    ('null', '1000000000000000000000000000000000000000…')
    """
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:40]}…"
