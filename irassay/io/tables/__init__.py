"""Score tables of any tool, read into Scores."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import polars as pl

from irassay.argument_types import checked_argument, checks_arguments
from irassay.errors import InputError, as_found
from irassay.forks import check_polars_works
from irassay.io.addresses import located_path
from irassay.io.file_paths import file_paths
from irassay.io.input_files import OpenFiles
from irassay.io.run_names import run_name
from irassay.io.sources import LONE_RETURN_FOUND, Source
from irassay.io.tables.cells import MISSING_SCORES, ScoreRows, TableText
from irassay.io.tables.dialects import parsed_rows
from irassay.io.tables.frames import FRAME, is_score_table, tables_of_frame
from irassay.io.tables.layouts import write_scores
from irassay.io.tables.packed import saved_labels, saved_scores, text_version
from irassay.metrics.grammar import parse as metric_of
from irassay.notes import MeansNote, as_notes
from irassay.prose import count_phrase
from irassay.provenance import is_address, path_or_address
from irassay.score_names import quoted_name
from irassay.scores import AGGREGATES, Scores
from irassay.settings import Settings

__all__ = ["read_iterations", "read_scores", "write_scores"]

Paths = str | Path | Iterable[str | Path]


@overload
def read_scores(paths: Any, dialect: str | None = None, *, by: None = None) -> Scores: ...


@overload
def read_scores(paths: Any, dialect: str | None = None, *, by: Literal["iteration"]) -> dict[str, Scores]: ...


@checks_arguments
def read_scores(
    paths: Any, dialect: str | None = None, *, by: Literal["iteration"] | None = None
) -> Scores | dict[str, Scores]:
    """The scores in these tables, each of which may have other runs, metrics or topics.

    A table may be a data frame (polars, pandas, Arrow) with the columns run, topic, metric and value, or run, topic and
    one column per metric, also under the names of ir_measures and PyTerrier. Otherwise it is a path: a file (compressed
    or not), a folder, a glob, '-' for standard input, or NAME=PATH, which keeps the topics of collection NAME separate
    from others. Systems, topics and metrics are in order of first appearance. If a table has several iterations, each
    has its own metrics, called METRIC@ITERATION; with `by="iteration"` the result is the scores of each iteration, by
    name.
    """
    if by == "iteration":
        return read_iterations(paths, dialect)
    check_polars_works()
    opened = OpenFiles()
    if not is_score_table(paths):
        paths = _path_list(paths)
        if len(paths) == 1 and dialect is None and located_path(paths[0]).is_file():
            # Saved scores hold more than a table.
            cube = saved_scores(opened.source(str(path_or_address(paths[0]))))
            if cube is not None:
                inputs = {"scores": (path_or_address(paths[0]),), "metrics": cube.metrics}
                inputs |= {name: value for name, value in cube.settings.inputs.items() if name == "labels"}
                return replace(cube, settings=Settings("read_scores", {}, inputs))
    return _scores_by_iteration(*_read_rows(paths, dialect, opened), dialect)


def _path_list(paths: Any) -> list[str | Path]:
    """The paths of score tables as a list; anything else is an error."""
    paths = checked_argument("paths", Paths, paths)
    path_list = [paths] if isinstance(paths, str | Path) else list(paths)
    if wrong := [path for path in path_list if not isinstance(path, str | Path)]:
        raise InputError(found=f"found {as_found(wrong[0])}", expected="the path of a score table, or a data frame")
    return path_list


def _scores_by_iteration(rows: pl.DataFrame, sources: list[TableText], notes: list[str], dialect: str | None) -> Scores:
    """The scores of these rows; if there are several iterations, each has its own metrics."""
    iterations = rows["iteration"].unique()
    if len(iterations) > 1:
        rows = rows.with_columns(metric=pl.col("metric") + "@" + pl.col("iteration"))
        notes.append(f"{len(iterations)} iterations were found; metrics are called METRIC@ITERATION.")
    return _scores_of_rows(rows, sources, notes, dialect)


def read_iterations(paths: Any, dialect: str | None = None) -> dict[str, Scores]:
    """The scores of each iteration, for tables with a column `iteration`."""
    rows, sources, notes = _read_rows(paths, dialect, OpenFiles())
    if (rows["iteration"] == "").any():
        source = sources[rows.filter(pl.col("iteration") == "")["source"][0]]
        raise InputError(f"{source.name} has no column 'iteration'; add one, or do not analyse by iteration.")
    parts = rows.partition_by("iteration", maintain_order=True)
    names = [str(part["iteration"][0]) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (0, int(names[i])) if names[i].isdigit() else (1, i))
    return {names[i]: _scores_of_rows(parts[i], sources, notes, dialect) for i in order}


def _read_rows(paths: Any, dialect: str | None, opened: OpenFiles) -> tuple[pl.DataFrame, list[TableText], list[str]]:
    """The rows of the tables in a frame or in files, the tables, and notes on what was left out."""
    if is_score_table(paths):
        return _rows_of_tables(tables_of_frame(paths))
    sources = [source for path in _path_list(paths) for source in _table_texts(str(path), opened)]
    if not sources:
        raise InputError("No score table was given; give at least one file.")
    return _rows_of_tables([(source, parsed_rows(source, dialect)) for source in sources])


def _rows_of_tables(parsed: list[tuple[TableText, ScoreRows]]) -> tuple[pl.DataFrame, list[TableText], list[str]]:
    """The rows of several tables as one frame, the tables, and notes on what was left out."""
    sources = [source for source, _ in parsed]
    tables, notes = _named_by_file(sources, [rows for _, rows in parsed])
    rows = pl.concat(
        [
            table.frame.with_columns(source=pl.lit(i, pl.UInt32), collection=pl.lit(source.collection))
            for i, (source, table) in enumerate(zip(sources, tables, strict=True))
        ]
    )
    notes.extend(note for table in tables for note in table.notes)
    return _numeric_rows(_topic_rows(rows, notes), sources), sources, notes


def _table_texts(path: str, opened: OpenFiles) -> list[TableText]:
    """The tables of a path, a folder, a glob or NAME=PATH."""
    collection, equals, rest = path.partition("=")
    if not equals or is_address(path) or Path(path).exists():
        collection, rest = "", path
    return [_table_text(opened.source(file), collection) for file in file_paths(rest)]


def _table_text(source: Source, collection: str) -> TableText:
    converted = text_version(source)
    text = (source.text() if converted is None else converted).replace("\r\n", "\n")
    if (lone := re.search(r"\r[^\r\n]", text)) is not None:
        line = text.count("\n", 0, lone.start()) + 1
        raise InputError(file=source.name, line=line, found=LONE_RETURN_FOUND, fix="end lines with LF or CRLF")
    labels = {} if converted is None else saved_labels(source)
    stem = "stdin" if source.path_text == "-" else run_name(source.path)
    return TableText(source.name, stem, text, collection, labels)


def _named_by_file(sources: list[TableText], tables: list[ScoreRows]) -> tuple[list[ScoreRows], list[str]]:
    """The tables, with runs named by file if files with the same tag score the same metric; and notes on that."""
    seen: dict[tuple[str, str, str], set[int]] = {}
    for i, (source, table) in enumerate(zip(sources, tables, strict=True)):
        if table.tagged:
            for run, metric in table.frame.select("run", "metric").unique().rows():
                if metric != "runid":
                    seen.setdefault((source.collection, run, metric), set()).add(i)
    clashing = {i: key[1] for key, files in seen.items() if len(files) > 1 for i in files}
    renamed = [
        replace(table, frame=table.frame.with_columns(run=pl.lit(sources[i].stem))) if i in clashing else table
        for i, table in enumerate(tables)
    ]
    tags = ", ".join(sorted(set(clashing.values())))
    note = f"{len(clashing)} tables share the run names {tags}; these runs are named by file."
    return renamed, [note] if clashing else []


def _left_out_note(count: int, what: str) -> str:
    return f"{count_phrase(count, 'row')} of {what} {'was' if count == 1 else 'were'} left out."


def _topic_rows(rows: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """The rows of topics; rows of means or text are left out and counted."""
    text = pl.col("metric").str.contains(r"^(runid|relstring.*)$")
    mean = pl.col("topic").str.to_lowercase().is_in(AGGREGATES)
    kept = rows.filter(~text & ~mean)
    if count := rows.select(text.sum()).item():
        notes.append(_left_out_note(count, "text (runid, relstring)"))
    if count := rows.select((mean & ~text).sum()).item():
        notes.append(MeansNote(_left_out_note(count, "means (topic all, amean or gmean)")))
        scored = set(kept["metric"])
        only = [m for m in rows.filter(mean & ~text)["metric"].unique(maintain_order=True) if m not in scored]
        if only and scored:
            notes.append(f"Metrics that have only means were left out: {', '.join(only)}.")
    if not len(kept):
        raise InputError(
            "The tables hold only means; print scores by topic too (irassay: --by-topic; trec_eval and others: -q)."
        )
    return kept


def _numeric_rows(rows: pl.DataFrame, sources: list[TableText]) -> pl.DataFrame:
    """The rows with values as numbers, NaN for missing scores."""
    is_missing = pl.col("value").str.to_lowercase().is_in(MISSING_SCORES)
    number = pl.when(is_missing).then(float("nan")).otherwise(pl.col("value").cast(pl.Float64, strict=False))
    rows = rows.with_columns(text=pl.col("value"), value=number)
    wrong = rows.filter(pl.col("value").is_null() | pl.col("value").is_infinite())
    if len(wrong):
        raise _row_error(wrong, 0, sources, f"found the score '{wrong['text'][0]}'", expected="a number")
    for name in ("run", "metric", "topic"):
        nameless = rows.filter(pl.col(name) == "")
        if len(nameless):
            raise _row_error(nameless, 0, sources, f"the {name} has no name", fix="give it one")
    return rows.drop("text")


def _scores_of_rows(
    rows: pl.DataFrame, sources: Sequence[TableText], notes: Sequence[str], dialect: str | None = None
) -> Scores:
    """The cube of these rows. Repeated scores are counted; two different scores in one cell are an error."""
    keys = rows.select("collection", "topic").unique(maintain_order=True)
    systems, metrics = (rows[name].unique(maintain_order=True) for name in ("run", "metric"))
    topic = rows.select("collection", "topic").join(
        keys.with_row_index("key"), on=["collection", "topic"], how="left", maintain_order="left"
    )["key"]
    place = (_name_codes(rows["run"], systems), topic.to_numpy().astype(np.intp), _name_codes(rows["metric"], metrics))
    shape = (len(systems), len(keys), len(metrics))
    cell = np.ravel_multi_index(place, shape)  # [row]
    value = rows["value"].to_numpy()  # [row]
    order = np.argsort(cell, kind="stable")
    repeats = np.flatnonzero(np.diff(cell[order]) == 0)
    before, after = order[repeats], order[repeats + 1]
    differ = (value[before] != value[after]) & ~(np.isnan(value[before]) & np.isnan(value[after]))
    if differ.any():
        i, j = int(before[differ][0]), int(after[differ][0])
        row = rows.row(j, named=True)
        score = f"{row['metric']} of {row['run']} on topic {quoted_name((row['collection'], row['topic']))}"
        found = f"{score} is {value[j]}, but {value[i]} in {sources[rows['source'][i]].name}, line {rows['line'][i]}"
        raise _row_error(rows, j, sources, found, fix="keep one, or give the runs or collections different names")
    values = np.full(shape, np.nan)
    values[place] = value
    meanings = [_direction_and_mean(str(metric)) for metric in metrics]
    extra = [f"{len(repeats)} scores are repeated; each counts once."] if len(repeats) else []
    labels = {name: label for source in reversed(sources) for name, label in source.labels.items() if name in metrics}
    paths = tuple(path_or_address(source.name) for source in sources if source.name != FRAME)
    inputs: dict[str, Any] = {**({"scores": paths} if paths else {}), "metrics": tuple(metrics)}
    inputs |= {name: value for name, value in (("from", dialect), ("labels", labels)) if value}
    return Scores(
        values,
        tuple(systems),
        tuple(keys["topic"]),
        tuple(metrics),
        higher_is_better=tuple(better for better, _ in meanings),
        collection=tuple(keys["collection"]),
        over_topics=tuple(over for _, over in meanings),
        notes=as_notes((*notes, *extra)),
        settings=Settings("read_scores", {}, inputs),
    )


def _direction_and_mean(name: str) -> tuple[bool, str]:
    """Whether higher is better for the metric with this name, and how its scores are summarised over topics."""
    try:
        metric = metric_of(name.removesuffix("[worst]").removesuffix("[best]"))
    except InputError:
        return True, "mean"
    ours = str(metric) == name.partition("[")[0]
    return (metric.meaning.higher_is_better, metric.meaning.over_topics) if ours else (True, "mean")


def _name_codes(column: pl.Series, names: pl.Series) -> np.typing.NDArray[np.intp]:
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.intp)


def _row_error(rows: pl.DataFrame, row: int, sources: Sequence[TableText], found: str, **advice: str) -> InputError:
    file, line = sources[rows["source"][row]].name, rows["line"][row]
    return InputError(file=file, line=line, found=found, **advice)
