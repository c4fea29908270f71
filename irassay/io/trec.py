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
from irassay.io.file_paths import alias_and_path, checked_path, file_paths
from irassay.io.frames import frame_from_memory
from irassay.io.lines import Layout, TextTable, parsed_number, read_table, valid_table
from irassay.io.reader import FileOrFolder, Reader, file_name
from irassay.io.records import first_tag
from irassay.io.run_names import Names, names_of_runs
from irassay.io.sources import Source, opened_source
from irassay.notes import Note
from irassay.parallel import prefetched
from irassay.prose import count_phrase

RUN_LAYOUT = Layout(
    ("topic", "kind", "doc", "rank", "score", "tag"), frozenset({"score"}), known_as="topic Q0 doc rank score tag"
)
QRELS_LAYOUT = Layout(("topic", "subtopic", "doc", "grade"), frozenset({"grade"}))
RUN_COLUMNS = ("topic", "doc", "score")
OPTIONAL_COLUMNS = ("rank", "kind")


@dataclass(frozen=True, eq=False)
class Run:
    """The documents that one system returned, by topic (and by query or iteration), in the order of the file."""

    name: str
    frame: pl.DataFrame  # topic, doc, score; if present: turn (query or iteration, from 1), rank, kind
    source: str = ""
    notes: tuple[Note, ...] = ()
    lines: Ints | None = field(default=None, repr=False)  # [row] line numbers; None: row i is line i + 1
    file: Source | None = field(default=None, repr=False)
    kind: str = "trec"  # how it is judged: trec, dd or session
    # topic -> number of turns, including empty ones; none in plain runs
    turns: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any, name: str = "run") -> "Run":
        """A run from a path, `{topic: {doc: score}}`, `{topic: [doc, …]}`, a data frame, or another tool's objects.

        >>> Run.of({"1": {"a": 0.5, "b": 0.25}}).frame.rows()
        [('1', 'a', 0.5), ('1', 'b', 0.25)]
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path):
            return read_run(data)
        return cls(name, frame_from_memory(data, name, RUN_COLUMNS, OPTIONAL_COLUMNS), name)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics answered, in order of first appearance."""
        return tuple(self.turns or self.frame["topic"].unique(maintain_order=True))

    def location_of(self, row: int) -> str:
        """The file and line of a row, for messages."""
        if self.lines is not None:
            return f"{self.source}, line {self.lines[row]}"
        return f"{self.name}, row {row}" if self.file is None else f"{self.source}, line {row + 1}"

    def with_column(self, column: str) -> "Run":
        """The run with column `rank` or `kind`, which is read from its file if it was left out before."""
        if column in self.frame.columns:
            return self
        if self.file is None:
            raise InputError(f"{self.name} has no column {column!r}; add one, or do not order by it.")
        return replace(read_trec_run(self.file, (column,)), name=self.name)


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgements of a collection: the grade of a document for a topic, and for a subtopic in column 2."""

    frame: pl.DataFrame  # topic, subtopic, doc, grade; of preferences also subgroup
    source: str = "judgements"
    notes: tuple[Note, ...] = ()
    once: dict[Any, Any] = field(default_factory=dict, repr=False)  # derived values, each computed once

    def __reduce__(self) -> tuple[Any, ...]:  # without derived values
        return Qrels, (self.frame, self.source, self.notes)

    @classmethod
    def of(cls, data: Any, name: str = "judgements") -> "Qrels":
        """Judgements from a path, `{topic: {doc: grade}}`, a data frame, or another tool's objects.

        >>> Qrels.of({"1": {"a": 2, "b": 0}}).max_grade
        2.0
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path | Source):
            return read_qrels(data)
        frame = frame_from_memory(data, name, ("topic", "doc", "grade"), ("subtopic", "subgroup"))
        return deduplicated_qrels(TextTable(frame), name)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in order of first appearance."""
        return tuple(self.frame["topic"].unique(maintain_order=True))

    @cached_property
    def max_grade(self) -> float:
        """The largest grade."""
        return float(self.frame["grade"].to_numpy().max(initial=0))

    @cached_property
    def varied_topics(self) -> int:
        """The number of topics with more than one value in column 2."""
        values = self.frame.group_by("topic").agg(pl.col("subtopic").n_unique())
        return int((values["subtopic"] > 1).sum())

    @cached_property
    def has_subtopics(self) -> bool:
        """Whether some document is judged for several values of column 2, as in judgements by subtopic."""
        return bool(self.frame.select(pl.struct("topic", "doc").hash().is_duplicated().any()).item())


@checks_arguments
def read_run(path: str | Path, columns: Collection[str] = (), names: Names = "file") -> Run:
    """The run in a file of any format that is judged topic by topic; `columns` adds `rank` and `kind`."""
    alias, path = alias_and_path(path)
    return _renamed_runs([_tagged_run(path, columns)], [path], names, {path: alias})[0]


def _tagged_run(path: str | Path, columns: Collection[str]) -> Run:
    """The run in a file, under its tag."""
    from irassay.io.detection import reader_of

    source = Source(path)
    run = reader_of(source, "run").read_run(source, columns)
    source.close()  # runs may be kept for long; `with_column` opens the file again
    return run


@checks_arguments
def read_runs(
    paths: str | Path | Iterable[str | Path], columns: Collection[str] = (), names: Names = "file"
) -> list[Run]:
    """The runs in files, folders and globs, named by file (without the usual extensions) or by tag."""
    several = [paths] if isinstance(paths, str | Path) else paths
    aliases_and_paths = [alias_and_path(checked_path(path)) for path in several]
    names_of_files = file_paths([path for _, path in aliases_and_paths])
    runs = list(prefetched(lambda path: _tagged_run(path, columns), names_of_files))
    return _renamed_runs(runs, names_of_files, names, {path: alias for alias, path in aliases_and_paths})


def _renamed_runs(runs: list[Run], paths: list[str], naming: Names, aliases: Mapping[str, str]) -> list[Run]:
    """The runs under distinct names, by file or tag, or under the names that a user gave, by path."""
    tags = {path: run.name for path, run in zip(paths, runs, strict=True)}
    names = names_of_runs(paths, naming, lambda path: tags[path], aliases)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


@checks_arguments
def read_qrels(path: str | Path | Source) -> Qrels:
    """The judgements in a file of any format; subtopics are kept, and used if a metric needs them."""
    from irassay.io.detection import reader_of

    source = opened_source(path)
    qrels = reader_of(source, "judgements").read_judgements(source)
    assert isinstance(qrels, Qrels)  # other kinds of readers are not considered
    return qrels


def read_trec_qrels(file: FileOrFolder) -> Qrels:
    """The judgements in a TREC file: `topic subtopic document grade`."""
    source = opened_source(file)
    table = read_table(source, QRELS_LAYOUT)
    _refuse_other_kinds(source, table)
    qrels = deduplicated_qrels(valid_table(table, source, QRELS_LAYOUT), source.name, in_file=True)
    return replace(qrels, notes=(*qrels.notes, *comment_notes(table.comments, source.name)))


def read_trec_run(file: FileOrFolder, columns: Collection[str] = ()) -> Run:
    """The run in a TREC file: `topic Q0 document rank score tag`."""
    source = opened_source(file)
    table = read_table(source, RUN_LAYOUT, (*RUN_COLUMNS, *columns))
    width = len(table.samples[0]) if table.samples else 0
    if table.faults and width == len(QRELS_LAYOUT.fields):
        found = f"{source.name} looks like qrels ({width} fields per line), not a run ({RUN_LAYOUT}); "
        raise InputError(found, order_of_files(), ".")
    valid_table(table, source, RUN_LAYOUT)
    seen = {fields[5] for fields in table.samples if len(fields) > 5}
    notes = [] if len(seen) == 1 else [Note(f"{source.name} has several tags ({', '.join(sorted(seen))})")]
    notes += comment_notes(table.comments, file_name(source))
    name = next(iter(seen)) if len(seen) == 1 else file_name(source)
    return Run(name, table.frame, source.name, tuple(notes), table.lines, source)


def comment_notes(comments: int, name: str) -> tuple[Note, ...]:
    """A note on comment lines, except those at the top that do not look like rows."""
    text = "beginning with #, skipped as comments"
    return (Note(text, name, comments, "line"),) if comments else ()


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


def _refuse_other_kinds(source: Source, table: TextTable) -> None:
    first = table.samples[0] if table.samples else ()
    if len(first) < 5 or any(parsed_number(text.encode()) is None for text in first[3:5]):
        return
    kind, end = ("passage judgements", ()) if len(first) == 5 else ("a run", ("; ", order_of_files()))
    found = f"{source.name} looks like {kind} ({len(first)} fields per line), not qrels ({QRELS_LAYOUT})"
    raise InputError(found, *end, ".")


def deduplicated_qrels(table: TextTable, name: str, in_file: bool = False) -> Qrels:
    """The judgements without repeated lines; two grades for the same document and subtopic are an error.

    Without a column of subtopics, all are for subtopic 0.
    """
    key = ["topic", "subtopic", *(["subgroup"] if "subgroup" in table.frame.columns else []), "doc"]
    frame = table.frame if "subtopic" in table.frame.columns else table.frame.with_columns(subtopic=pl.lit("0"))
    frame = frame.select(*key, "grade")
    first, grade = first_rows(frame, key), frame["grade"].to_numpy()
    clash = np.flatnonzero(grade != grade[first])
    if len(clash):
        row, before = int(clash[0]), int(first[clash[0]])
        other = f"line {table.line_number(before)}" if in_file else f"row {before}"
        found = f"found the grade {grade[row]:g} for document {frame['doc'][row]} of topic {frame['topic'][row]}"
        found, fix = f"{found}, but {grade[before]:g} on {other}", "keep one of the two"
        file, line = (name, table.line_number(row)) if in_file else (f"{name}, row {row}", 0)
        raise InputError(file=file, line=line, found=found, fix=fix)
    repeats = int(np.count_nonzero(first != np.arange(len(first))))
    if not repeats:
        return Qrels(frame, name)
    note = Note(f"{name} repeats {count_phrase(repeats, 'judgement')}; each counts once")
    return Qrels(frame.unique(key, keep="first", maintain_order=True), name, (note,))


READER = Reader("trec", "trec", read_trec_run, read_trec_qrels, name_run=first_tag)
