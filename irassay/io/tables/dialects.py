"""The table formats of other tools, each read into one row per score."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from irassay.errors import InputError
from irassay.io.json_text import checked_json
from irassay.io.tables.cells import (
    MEASURE,
    ROLES,
    ScoreRows,
    TableText,
    cells,
    column_roles,
    is_number,
    is_score,
    score_rows,
    separator,
    split_line,
)
from irassay.io.tables.matrix import CORNER, matrix_rows
from irassay.scores import AGGREGATES

AMBIGUITY_NOTE = (
    "{name}: measures and topics look alike, so it was read as {columns}; "
    "set the format ir_measures if the topic comes first."
)


def dialect_of(source: TableText) -> tuple[str, bool]:
    """The detected format of a table, and whether it is certain."""
    first = source.first
    if first.startswith("{"):
        return "autojudge", True
    if first.startswith(CORNER):
        return "wide", True
    head = split_line(first, separator(first))
    places = column_roles(head)
    if head == ["run", "metric", "topic", "value"] and "\t" in first:
        return "irassay", True
    if {"topic", "run"} <= places.keys() or {"metric", "value"} <= places.keys():
        return "long", True
    line = split_line(first, _column_mark(first))
    names, value = line[-3:-1], line[-1]
    has_score = is_score(value) and not all(map(is_number, names))
    if len(line) not in (3, 4) or any(name[-1:] in ",;" for name in names) or not (has_score or "runid" in names):
        return "wide", True
    left, right = _sampled_cells(source, len(line), -3), _sampled_cells(source, len(line), -2)
    if right[0].isdigit() and value.isdigit() and len(right) > 1 and all("." in cell for cell in right[1:]):
        return "wide", True  # a header of topics above scores
    lead = _measures_lead(left, right)
    return ("ir_measures" if lead < 0 else "trec_eval" if len(line) == 3 else "tot"), lead != 0


FOR_PEOPLE = {  # matched as whole lines or at the start, because names may contain anything
    re.compile(r"^\s*\\begin\{\w+\*?\}[^,\t]*$", re.MULTILINE): "LaTeX",
    re.compile(r"^\| ?---", re.MULTILINE): "Markdown",
    re.compile(r"\A\s*<(!doctype\s+html|html)", re.IGNORECASE): "a page",
}


def checked_dialect(name: str) -> str:
    """The name of a format of score tables; InputError if there is no such format."""
    if name not in PARSERS:
        found, expected = f"unknown score table format '{name}'", f"one of {', '.join(PARSERS)}"
        raise InputError(found=found, expected=expected, argument="dialect")
    return name


def parsed_rows(source: TableText, dialect: str | None = None) -> ScoreRows:
    """The scores of a table in this format, or in the one detected."""
    if not source.text.strip():
        raise InputError(f"{source.name} is empty; expected a score table.")
    for sign, form in FOR_PEOPLE.items():
        if sign.search(source.text[:1000]):
            raise InputError(f"{source.name} is {form}, which is for people; expected TSV, CSV or JSON.")
    words = source.first.split()
    if not dialect and len(words) == 6 and words[1] == "Q0" and all(map(is_number, words[3:5])):
        raise InputError(f"{source.name} looks like a run; expected a score table.")
    name, certain = (dialect, True) if dialect else dialect_of(source)
    rows = PARSERS[checked_dialect(name)](source)
    if certain:
        return rows
    columns = "measure, topic, value" if name == "trec_eval" else "run, measure, topic, value"
    return replace(rows, notes=(*rows.notes, AMBIGUITY_NOTE.format(name=source.name, columns=columns)))


def _column_mark(line: str) -> str:
    return "\t" if line.count("\t") in (2, 3) else " "


def _sampled_cells(source: TableText, width: int, place: int) -> list[str]:
    """The cells at one place in the first and last thousand lines."""
    mark = _column_mark(source.first)
    lines = source.text.split("\n")
    rows = [split_line(line, mark) for line in (lines if len(lines) < 2000 else lines[:1000] + lines[-1000:])]
    return [row[place] for row in rows if len(row) == width]


def _measures_lead(left: list[str], right: list[str]) -> int:
    """1 if measures are on the left and topics on the right, -1 if the reverse, 0 if that is unclear."""
    signs = [  # that each column holds topics, the strongest first
        (
            any(name.lower() in AGGREGATES for name in names),
            any(map(is_number, names)),
            -sum(MEASURE.match(name) is not None for name in set(names)),
        )
        for names in (left, right)
    ]
    return (signs[0] < signs[1]) - (signs[0] > signs[1])


def _trec_eval_rows(source: TableText) -> ScoreRows:
    rows = _named_columns(source, "measure topic value")
    tags = rows.filter(pl.col("metric") == "runid")
    names = tags["value"].unique(maintain_order=True).to_list()
    if len(names) < 2:
        return score_rows(rows, names[0] if names else source.stem, tagged=bool(names))
    # Several outputs in one file: each has its topics first, then its means, among them the run's name.
    mean = pl.col("topic").str.to_lowercase().is_in(AGGREGATES)
    part = (~mean & mean.shift(1, fill_value=False)).cum_sum().alias("part")
    rows = rows.with_columns(part)
    named = rows.filter(pl.col("metric") == "runid").select("part", pl.col("value").alias("run"))
    if not (named["part"].is_unique().all() and len(named) == rows["part"].n_unique()):
        found, fix = "a second run begins, but its rows cannot be separated", "give one file for each run"
        raise InputError(file=source.name, line=tags["line"][1], found=found, fix=fix)
    return score_rows(rows.join(named, on="part", how="left", maintain_order="left"), source.stem, tagged=True)


def _tot_rows(source: TableText) -> ScoreRows:
    rows = _named_columns(source, "run measure topic value")
    other = rows.filter((pl.col("metric") == "runid") & (pl.col("value") != pl.col("run")))
    notes = []
    if len(other):
        line, run, name = other.select("line", "run", "value").row(0)
        named = f"{len(other)} runs have another name in their runid row (line {line}: {run}, {name})"
        notes.append(f"{source.name}: {named}; the first column was used.")
    return score_rows(rows, source.stem, notes)


def _ir_measures_rows(source: TableText) -> ScoreRows:
    if source.first.startswith("{") and "\t" not in source.first:
        return _json_rows(source)
    # with a run: from auto-judge-evaluate
    rows = _named_columns(source, "topic measure value", "run topic measure value")
    if "run" in rows.columns and rows["topic"].is_in(["0", "Q0"]).all():
        raise InputError(f"{source.name} looks like judgements; expected a score table.")
    return score_rows(rows, source.stem)


def _long_rows(source: TableText, quoted: bool = True) -> ScoreRows:
    mark = separator(source.first)
    grid = cells(source, mark, quoted)
    header = [str(cell) for cell in grid.row(0)[1:]]
    return rows_of_grid(grid.slice(1), header, source)


def rows_of_grid(grid: pl.DataFrame, header: list[str], source: TableText) -> ScoreRows:
    """The scores in the columns line, 0, 1, … of a table with this header."""
    places = column_roles(header)
    if "topic" not in places or ("metric" in places and "value" not in places):
        names = (source.first or ", ".join(header))[:80]
        found = f"the header '{names}' has no column of topics, or measures without values"
        expected = "run, metric, topic and value, or run, topic and one column per metric"
        raise InputError(file=source.name, line=1 if source.text else 0, found=found, expected=expected)
    is_long = {"metric", "value"} <= places.keys()
    if not is_long:
        places.pop("value", None)  # a column of scores like the others
    rest = [c for c in range(len(header)) if c not in places.values()]
    rows = grid.rename({str(c): role for role, c in places.items()})
    if is_long:
        unused = [header[c] for c in rest]
    else:
        scores = {str(c): header[c] for c in rest if header[c] not in ("", "Unnamed: 0") and _has_numbers(grid[str(c)])}
        unused = [header[c] or "(no name)" for c in rest if str(c) not in scores]
        rows = rows.unpivot([*scores], index=["line", *places], variable_name="metric", value_name="value")
        rows = rows.with_columns(pl.col("metric").replace_strict(scores))
    note = f"{source.name}: columns without scores were not read: {', '.join(unused)}."
    return score_rows(rows, source.stem, [note] if unused else [])


def _json_rows(source: TableText) -> ScoreRows:
    lines = [(number, line) for number, line in enumerate(source.text.split("\n"), 1) if line.strip()]
    first = _parsed_record(source, *lines[0])
    roles = [role for role in ("run", "metric", "topic", "value") if role != "run" or first.keys() & {*ROLES[role]}]
    keys = {role: next((name for name in ROLES[role] if name in first), role) for role in roles}
    columns: dict[str, list[Any]] = {"line": [number for number, _ in lines], **{role: [] for role in roles}}
    for number, line in lines:
        record = _parsed_record(source, number, line)
        for role, key in keys.items():
            if key not in record:
                raise InputError(file=source.name, line=number, found=f"no {role}", expected=f"the key '{key}'")
            columns[role].append(str(record[key]).strip())
    return score_rows(pl.DataFrame(columns), source.stem)


def _parsed_record(source: TableText, number: int, line: str) -> dict[str, Any]:
    checked_json(line.encode(), source.name, number)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(file=source.name, line=number, found="not a JSON object", expected="one object per line")
    return record


def _has_numbers(column: pl.Series) -> bool:
    return bool(column.cast(pl.Float64, strict=False).is_not_null().any())


def _named_columns(source: TableText, meaning: str, other: str = "") -> pl.DataFrame:
    """The columns of a table without a header, under these names; `other` are names for another number of columns."""
    grid = cells(source, _column_mark(source.first), quoted=False)
    width = grid.width - 1
    names = next((words for words in (meaning.split(), other.split()) if len(words) == width), [])
    if not names:
        expected = f"{len(meaning.split())}: {meaning}"
        raise InputError(file=source.name, line=grid["line"][0], found=f"found {width} columns", expected=expected)
    return grid.rename({str(c): "metric" if name == "measure" else name for c, name in enumerate(names)})


PARSERS: dict[str, Callable[[TableText], ScoreRows]] = {
    "irassay": partial(_long_rows, quoted=False),
    "trec_eval": _trec_eval_rows,
    "tot": _tot_rows,
    "ir_measures": _ir_measures_rows,
    "autojudge": _json_rows,
    "pyterrier": _long_rows,
    "long": _long_rows,
    "csv": _long_rows,
    "wide": matrix_rows,
}
