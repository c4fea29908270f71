"""Score tables of any tool, read into Scores."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Literal, overload

import numpy as np
import polars as pl

from irassay.argument_types import checks_arguments
from irassay.errors import InputError, as_found
from irassay.io.input_files import OpenFiles
from irassay.io.run_names import run_name
from irassay.io.sources import Source
from irassay.io.tables.cells import MISSING_SCORES, ScoreRows, TableText
from irassay.io.tables.dialects import parsed_rows
from irassay.io.tables.layouts import write_scores
from irassay.io.tables.packed import metric_labels, saved_scores, text_version
from irassay.metrics.grammar import parse as metric_of
from irassay.notes import MeansNote, as_notes
from irassay.scores import AGGREGATES, Scores, quoted_name
from irassay.settings import Settings

__all__ = ["read_iterations", "read_scores", "write_scores"]

Paths = str | Path | Iterable[str | Path]


@overload
def read_scores(paths: Paths, dialect: str | None = None, *, by: None = None) -> Scores: ...


@overload
def read_scores(paths: Paths, dialect: str | None = None, *, by: Literal["iteration"]) -> dict[str, Scores]: ...


@checks_arguments
def read_scores(
    paths: Paths, dialect: str | None = None, *, by: Literal["iteration"] | None = None
) -> Scores | dict[str, Scores]:
    """The scores in these tables, which may have other runs, metrics or topics each.

    A path may be a file (packed or not), a folder, a pattern, '-' for standard input, or NAME=PATH, which keeps
    the topics of collection NAME apart from others. Systems, topics and metrics come in the order in which
    they first appear. Where a table has several iterations, each makes metrics of its own, called
    METRIC@ITERATION; with `by="iteration"` the answer is the scores of each iteration, by its name.
    """
    if by == "iteration":
        return read_iterations(paths, dialect)
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    if odd := [path for path in listed if not isinstance(path, str | Path)]:
        raise InputError(f"a score table is named by its path; found {as_found(odd[0])}")
    opened = OpenFiles()
    if len(listed) == 1 and dialect is None and Path(listed[0]).is_file():  # saved scores know more than a table has
        cube = saved_scores(opened.source(str(Path(listed[0]))))
        if cube is not None:
            said = {"scores": (Path(listed[0]),), "metrics": cube.metrics}
            labels = {name: each for name, each in cube.settings.inputs.items() if name == "labels"}
            return replace(cube, settings=Settings("read_scores", {}, said | labels))
    rows, sources, notes = _read_rows(listed, dialect, opened)
    iterations = rows["iteration"].unique()
    if len(iterations) > 1:
        rows = rows.with_columns(metric=pl.col("metric") + "@" + pl.col("iteration"))
        notes.append(f"{len(iterations)} iterations were found; metrics are called METRIC@ITERATION.")
    return _scores(rows, sources, notes, dialect)


def read_iterations(paths: Paths, dialect: str | None = None) -> dict[str, Scores]:
    """The scores at each iteration, for tables with a column of that name."""
    rows, sources, notes = _read_rows(paths, dialect, OpenFiles())
    if (rows["iteration"] == "").any():
        source = sources[rows.filter(pl.col("iteration") == "")["source"][0]]
        raise InputError(f"{source.name} has no column 'iteration'; add one, or analyse the table as a whole.")
    parts = rows.partition_by("iteration", maintain_order=True)
    names = [str(part["iteration"][0]) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (0, int(names[i])) if names[i].isdigit() else (1, i))
    return {names[i]: _scores(parts[i], sources, notes, dialect) for i in order}


def _read_rows(paths: Paths, dialect: str | None, opened: OpenFiles) -> tuple[pl.DataFrame, list[TableText], list[str]]:
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    sources = [source for path in listed for source in _table_texts(str(path), opened)]
    if not sources:
        raise InputError("No score table was given; name at least one file.")
    tables, notes = _named_by_file(sources, [parsed_rows(source, dialect) for source in sources])
    rows = pl.concat(
        [
            table.frame.with_columns(source=pl.lit(i, pl.UInt32), collection=pl.lit(source.collection))
            for i, (source, table) in enumerate(zip(sources, tables, strict=True))
        ]
    )
    notes.extend(note for table in tables for note in table.notes)
    return _numeric_rows(_topic_rows(rows, notes), sources), sources, notes


def _table_texts(path: str, opened: OpenFiles) -> list[TableText]:
    """The tables that a path, a folder, a glob or NAME=PATH names."""
    collection, named, rest = path.partition("=")
    if not named or Path(path).exists():
        collection, rest = "", path
    return [_table_text(opened.source(file), collection) for file in _table_paths(rest)]


def _table_paths(rest: str) -> list[str]:
    """The files that a path, a folder or a glob names."""
    try:
        if rest == "-" or (Path(rest).exists() and not Path(rest).is_dir()):
            found = [str(Path(rest))]
        elif Path(rest).is_dir():
            found = sorted(str(file) for file in Path(rest).iterdir() if file.is_file() and file.name[0] != ".")
        else:
            found = sorted(str(Path(file)) for file in glob(rest))
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(f"{rest} cannot be read: {why}; expected a score table.") from None
    if not found:
        raise InputError(f"There is no file {rest}; expected a score table.")
    return found


def _table_text(source: Source, collection: str) -> TableText:
    packed = text_version(source)
    name, text = source.name, source.text() if packed is None else packed
    text = text.replace("\r\n", "\n")
    if (lone := re.search(r"\r[^\r\n]", text)) is not None:
        line = text.count("\n", 0, lone.start()) + 1
        what = "a carriage return without a line feed, which would make two lines one"
        raise InputError(f"{name}, line {line}: found {what}; end lines with LF or CRLF.")
    labels = {} if packed is None else metric_labels(source)
    return TableText(name, "stdin" if source.path_text == "-" else run_name(source.path), text, collection, labels)


def _named_by_file(sources: list[TableText], tables: list[ScoreRows]) -> tuple[list[ScoreRows], list[str]]:
    """Calls runs by their file where two files with the same tag score the same metric."""
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
    note = f"{len(clashing)} tables share the run names {tags}; these runs are called after their files."
    return renamed, [note] if clashing else []


def _topic_rows(rows: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Leaves out, and counts, rows of means and rows that hold text."""
    text = pl.col("metric").str.contains(r"^(runid|relstring.*)$")
    mean = pl.col("topic").str.to_lowercase().is_in(AGGREGATES)
    kept = rows.filter(~text & ~mean)
    if count := rows.select(text.sum()).item():
        notes.append(f"{count} rows of text (runid, relstring) were left out.")
    if count := rows.select((mean & ~text).sum()).item():
        notes.append(MeansNote(f"{count} rows of means (topic all, amean or gmean) were left out."))
        scored = set(kept["metric"])
        only = [m for m in rows.filter(mean & ~text)["metric"].unique(maintain_order=True) if m not in scored]
        if only and scored:
            notes.append(f"Metrics with nothing but means were left out: {', '.join(only)}.")
    if not len(kept):
        raise InputError(
            "The tables hold means only; print scores by topic too (irassay: --by-topic; trec_eval and others: -q)."
        )
    return kept


def _numeric_rows(rows: pl.DataFrame, sources: list[TableText]) -> pl.DataFrame:
    """The values as numbers, NaN for a hole."""
    hole = pl.col("value").str.to_lowercase().is_in(MISSING_SCORES)
    number = pl.when(hole).then(float("nan")).otherwise(pl.col("value").cast(pl.Float64, strict=False))
    rows = rows.with_columns(text=pl.col("value"), value=number)
    wrong = rows.filter(pl.col("value").is_null() | pl.col("value").is_infinite())
    if len(wrong):
        raise InputError(f"{_place(wrong, 0, sources)}: '{wrong['text'][0]}' is no score; expected a number.")
    for name in ("run", "metric", "topic"):
        nameless = rows.filter(pl.col(name) == "")
        if len(nameless):
            raise InputError(f"{_place(nameless, 0, sources)}: the {name} has no name; give it one.")
    return rows.drop("text")


def _scores(
    rows: pl.DataFrame, sources: Sequence[TableText], notes: Sequence[str], dialect: str | None = None
) -> Scores:
    """The cube of these rows; the same score twice is counted, two different ones for one place refused."""
    keys = rows.select("collection", "topic").unique(maintain_order=True)
    systems, metrics = (rows[name].unique(maintain_order=True) for name in ("run", "metric"))
    topic = rows.select("collection", "topic").join(
        keys.with_row_index("key"), on=["collection", "topic"], how="left", maintain_order="left"
    )["key"]
    place = (_codes(rows["run"], systems), topic.to_numpy().astype(np.intp), _codes(rows["metric"], metrics))
    shape = (len(systems), len(keys), len(metrics))
    cell = np.ravel_multi_index(place, shape)  # [row]
    value = rows["value"].to_numpy()  # [row]
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    before, after = order[again], order[again + 1]
    differ = (value[before] != value[after]) & ~(np.isnan(value[before]) & np.isnan(value[after]))
    if differ.any():
        i, j = int(before[differ][0]), int(after[differ][0])
        row = rows.row(j, named=True)
        raise InputError(
            f"{_place(rows, j, sources)}: {row['metric']} of {row['run']} on topic "
            f"{quoted_name((row['collection'], row['topic']))} is {value[j]}, but {value[i]} in "
            f"{_place(rows, i, sources)}; keep one, or name the runs or collections apart."
        )
    values = np.full(shape, np.nan)
    values[place] = value
    meant = [_direction_and_mean(str(metric)) for metric in metrics]
    extra = [f"{len(again)} scores were there twice and counted once."] if len(again) else []
    labels = {name: label for source in reversed(sources) for name, label in source.labels.items() if name in metrics}
    said = {
        "scores": tuple(Path(source.name) for source in sources),
        "metrics": tuple(metrics),
        **({"from": dialect} if dialect else {}),
        **({"labels": labels} if labels else {}),
    }
    return Scores(
        values,
        tuple(systems),
        tuple(keys["topic"]),
        tuple(metrics),
        higher_is_better=tuple(better for better, _ in meant),
        collection=tuple(keys["collection"]),
        over_topics=tuple(over for _, over in meant),
        notes=as_notes((*notes, *extra)),
        settings=Settings("read_scores", {}, said),
    )


def _direction_and_mean(name: str) -> tuple[bool, str]:
    """Whether more is better of a metric that we print under this name, and what is said of it over topics."""
    try:
        metric = metric_of(name.removesuffix("[worst]").removesuffix("[best]"))
    except InputError:
        return True, "mean"
    ours = str(metric) == name.partition("[")[0]
    return (metric.meaning.higher_is_better, metric.meaning.over_topics) if ours else (True, "mean")


def _codes(column: pl.Series, names: pl.Series) -> np.typing.NDArray[np.intp]:
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.intp)


def _place(rows: pl.DataFrame, row: int, sources: Sequence[TableText]) -> str:
    return f"{sources[rows['source'][row]].name}, line {rows['line'][row]}"
