"""Runs and judgements, and the TREC files they come from."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from irassay.argument_types import checks_arguments
from irassay.arrays import Ints
from irassay.errors import InputError, order_of_files
from irassay.io.frames import in_memory
from irassay.io.lines import Layout, Table, number, read_table, sound
from irassay.io.reader import Input, Reader, file_name
from irassay.io.records import tag
from irassay.io.run_names import Names, called_alone, distinct
from irassay.io.sources import Source, ahead, files
from irassay.notes import Note
from irassay.prose import location, count_phrase

RUN = Layout(("topic", "kind", "doc", "rank", "score", "tag"), frozenset({"score"}))
QRELS = Layout(("topic", "subtopic", "doc", "grade"), frozenset({"grade"}))
PLAIN = ("topic", "doc", "score")
MORE = ("rank", "kind")


@dataclass(frozen=True, eq=False)
class Run:
    """What one system returned: documents topic by topic, and query by query where it has several, as written."""

    name: str
    frame: pl.DataFrame  # topic, doc, score; turn (query or iteration, from 1), rank and kind where there are any
    source: str = ""
    notes: tuple[Note, ...] = ()
    lines: Ints | None = field(default=None, repr=False)  # [row] of the file; None where row i is line i + 1
    file: Source | None = field(default=None, repr=False)
    kind: str = "trec"  # how it is judged: trec, dd or session
    turns: Mapping[str, int] = field(default_factory=dict)  # topic -> its turns, empty ones too; none in plain runs

    @classmethod
    def of(cls, data: Any, name: str = "run") -> "Run":
        """A run from a path, `{topic: {doc: score}}`, a polars or pandas frame, or another tool's objects.

        >>> Run.of({"1": {"a": 0.5, "b": 0.25}}).frame.rows()
        [('1', 'a', 0.5), ('1', 'b', 0.25)]
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path):
            return read_run(data)
        return cls(name, in_memory(data, name, PLAIN, MORE), name)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics answered, in order of first appearance."""
        return tuple(self.turns or self.frame["topic"].unique(maintain_order=True))

    def place(self, row: int) -> str:
        """Where a row was read, for messages."""
        if self.lines is not None:
            return location(self.source, int(self.lines[row]))
        return f"{self.name}, row {row}" if self.file is None else location(self.source, row + 1)

    def carrying(self, column: str) -> "Run":
        """The run with column `rank` or `kind`, read again from its file where it was left out before."""
        if column in self.frame.columns:
            return self
        if self.file is None:
            raise InputError(f"{self.name} has no column {column!r}; give it one, or order the run otherwise")
        return replace(run_from(self.file, (column,)), name=self.name)


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgements of a collection: the grade of a document for a topic, and for a subtopic in column 2."""

    frame: pl.DataFrame  # topic, subtopic, doc, grade
    source: str = "judgements"
    notes: tuple[Note, ...] = ()
    once: dict[Any, Any] = field(default_factory=dict, repr=False)  # what is derived from them, computed once

    def __reduce__(self) -> tuple[Any, ...]:  # without what can be derived again
        return Qrels, (self.frame, self.source, self.notes)

    @classmethod
    def of(cls, data: Any, name: str = "judgements") -> "Qrels":
        """Judgements from a path, `{topic: {doc: grade}}`, a polars or pandas frame, or another tool's objects.

        >>> Qrels.of({"1": {"a": 2, "b": 0}}).max_grade
        2.0
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path | Source):
            return read_qrels(data)
        frame = in_memory(data, name, ("topic", "doc", "grade"), ("subtopic",))
        if "subtopic" not in frame.columns:
            frame = frame.with_columns(subtopic=pl.lit("0"))
        return settled(Table(frame.select(QRELS.fields)), name)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in order of first appearance."""
        return tuple(self.frame["topic"].unique(maintain_order=True))

    @cached_property
    def whole(self) -> bool:
        """All grades are whole numbers."""
        grade = self.frame["grade"].to_numpy()
        return bool((grade == np.floor(grade)).all())

    @cached_property
    def max_grade(self) -> float:
        """The largest grade given."""
        return float(self.frame["grade"].to_numpy().max(initial=0))

    @cached_property
    def varied(self) -> int:
        """How many topics have more than one value in column 2."""
        values = self.frame.group_by("topic").agg(pl.col("subtopic").n_unique())
        return int((values["subtopic"] > 1).sum())

    @cached_property
    def subtopical(self) -> bool:
        """Some document is judged for several values of column 2, as in judgements by subtopic."""
        return bool(self.frame.select(pl.struct("topic", "doc").hash().is_duplicated().any()).item())


@checks_arguments
def read_run(path: str | Path, columns: Collection[str] = (), names: Names = "file") -> Run:
    """The run in a file of any format that is judged topic by topic; `columns` asks for `rank` and `kind` too."""
    return _named([_tagged(path, columns)], [str(path)], names)[0]


def _tagged(path: str | Path, columns: Collection[str]) -> Run:
    """The run in a file, under its tag."""
    from irassay.io.detection import reader_of

    source = Source(path)
    found = reader_of(source, "run").read_run(source, columns)
    source.close()  # the run may be kept for long; a column that was left out opens it again
    return found


@checks_arguments
def read_runs(
    paths: str | Path | Iterable[str | Path], columns: Collection[str] = (), names: Names = "file"
) -> list[Run]:
    """The runs in files, folders and globs, named by their files, without the usual endings, or by their tags."""
    found = files(paths)
    return _named(list(ahead(lambda path: _tagged(path, columns), found)), found, names)


def _named(runs: list[Run], paths: list[str], by: Names) -> list[Run]:
    """The runs in files under the names that they are to have."""
    tags = {path: run.name for path, run in zip(paths, runs, strict=True)}
    names = distinct(called_alone(paths, by, lambda path: tags[path]), paths)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


@checks_arguments
def read_qrels(path: str | Path | Source) -> Qrels:
    """The judgements in a file of any format; a subtopic is kept, and used where a metric needs it."""
    from irassay.io.detection import reader_of

    source = path if isinstance(path, Source) else Source(path)
    found = reader_of(source, "judgements").read_judgements(source)
    assert isinstance(found, Qrels)  # of this kind of readers
    return found


def qrels_from(given: Input) -> Qrels:
    """Judgements in a TREC file (`topic subtopic document grade`) that was found already."""
    source = _file(given)
    table = read_table(source, QRELS)
    _refuse_other_kinds(source, table)
    found = settled(sound(table, source, QRELS), source.name, in_file=True)
    return replace(found, notes=(*found.notes, *on_comments(table, source.name)))


def run_from(given: Input, columns: Collection[str] = ()) -> Run:
    """The run in a TREC file (`topic Q0 document rank score tag`) that was found already."""
    source = _file(given)
    table = read_table(source, RUN, (*PLAIN, *columns))
    first = table.samples[0] if table.samples else ()
    if table.faults and len(first) == len(QRELS.fields):
        raise InputError(
            f"{source.name} looks like qrels ({len(first)} fields a line), not a run ({RUN}); {order_of_files()}"
        )
    sound(table, source, RUN)
    seen = {fields[5] for fields in table.samples if len(fields) > 5}
    notes = () if len(seen) == 1 else (Note(f"{source.name} has several tags ({', '.join(sorted(seen))})"),)
    name = next(iter(seen)) if len(seen) == 1 else file_name(source)
    return Run(name, table.frame, source.name, (*notes, *on_comments(table, name)), table.lines, source)


def on_comments(table: Table, name: str) -> tuple[Note, ...]:
    """A note on lines that were taken for comments though they come after the first result."""
    said = "beginning with # after the first one, passed over"
    return (Note(said, name, table.comments, "line"),) if table.comments else ()


def _file(given: Input) -> Source:
    return given if isinstance(given, Source) else Source(given)


def first_rows(frame: pl.DataFrame, key: list[str]) -> Ints:
    """[row] the first row that has the same key.

    >>> first_rows(pl.DataFrame({"doc": ["a", "b", "a"]}), ["doc"])
    array([0, 1, 0])
    """
    rows = np.arange(frame.height)
    if frame.select(pl.struct(key).hash().n_unique()).item() == frame.height:
        return rows
    numbered = frame.select(key).with_columns(row=rows)
    return numbered.select(pl.col("row").first().over(key)).to_series().to_numpy()


def _refuse_other_kinds(source: Source, table: Table) -> None:
    first = table.samples[0] if table.samples else ()
    numeric = [number(text.encode()) is not None for text in first]
    if len(first) >= len(RUN.fields) and numeric[3] and numeric[4]:
        raise InputError(
            f"{source.name} looks like a run ({len(first)} fields a line), not qrels ({QRELS}); {order_of_files()}"
        )
    if len(first) == 5 and numeric[3] and numeric[4]:
        raise InputError(f"{source.name} looks like passage judgements (5 fields a line), not qrels ({QRELS})")


def settled(table: Table, name: str, in_file: bool = False) -> Qrels:
    """The judgements with repeated lines left out; two grades for one document and subtopic are an error."""
    key = ["topic", "subtopic", "doc"]
    frame = table.frame
    first, grade = first_rows(frame, key), frame["grade"].to_numpy()
    clash = np.flatnonzero(grade != grade[first])
    if len(clash):
        row, before = int(clash[0]), int(first[clash[0]])
        where = location(name, table.line(row)) if in_file else f"{name}, row {row}"
        other = f"line {table.line(before)}" if in_file else f"row {before}"
        raise InputError(
            f"{where}: found the grade {grade[row]:g} for document {frame['doc'][row]} of topic "
            f"{frame['topic'][row]}, but {grade[before]:g} on {other}; keep one of the two"
        )
    again = int(np.count_nonzero(first != np.arange(len(first))))
    if not again:
        return Qrels(frame, name)
    note = Note(f"{name} repeats {count_phrase(again, 'judgement')}; each counts once")
    return Qrels(frame.unique(key, keep="first", maintain_order=True), name, (note,))


READER = Reader("trec", "trec", run_from, qrels_from, name_run=tag)
