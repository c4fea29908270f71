"""Logs of what users saw, clicked and read: tables with a header, JSON lines, Parquet, or data frames."""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from irassay.arrays import Bools, Floats, freeze
from irassay.errors import InputError, as_found
from irassay.io.column_names import NAMES, normalized_name, refuse_repeated
from irassay.io.json_files import is_lines
from irassay.io.json_text import checked_json
from irassay.io.parquet import MAGIC, whole_frame
from irassay.io.sources import Source
from irassay.io.typed_columns import finite_number, is_plain

COLUMNS = {  # names of each column, in any case
    "user": ("user", "user_id", "userid", "session"),
    "query": ("query", *NAMES["topic"]),
    "rank": NAMES["rank"],
    "grade": NAMES["grade"],
    "clicked": ("clicked", "click"),
    "dwell": ("dwell", "dwell_time"),
    "examined": ("examined", "seen"),
}
OPTIONAL = {"examined"}
TRUTH = {**dict.fromkeys(("1", "true", "yes"), True), **dict.fromkeys(("0", "false", "no"), False)}
Rows = Iterator[tuple[int, Sequence[Any]]]


@dataclass(frozen=True, eq=False)
class ClickLog:
    """The results that users saw in lists, one row each; `dwell` are seconds on the page, NaN if unknown."""

    user: tuple[str, ...]
    query: tuple[str, ...]
    rank: Floats
    grade: Floats
    clicked: Bools
    dwell: Floats
    examined: Bools | None = None  # None if the log does not say
    source: str = "log"

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def of(cls, data: Any) -> Self:
        """A log from a path or a data frame."""
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path):
            source = Source(data)
            return cls._from_rows(*_header_and_rows(source), source.name, in_lines=not _is_parquet(source))
        if not hasattr(data, "columns"):
            raise InputError(f"A log is a file or a data frame; found {as_found(data)}.")
        columns = [list(data[name]) for name in data.columns]
        return cls._from_rows([*data.columns], enumerate(zip(*columns, strict=True)), "log", in_lines=False)

    @classmethod
    def _from_rows(cls, header: Sequence[Any], rows: Rows, source: str, in_lines: bool) -> Self:
        place = _column_places(header, source)
        values: dict[str, list[Any]] = {name: [] for name in place}
        for number, row in rows:
            file, line = (source, number) if in_lines else (f"{source}, row {number}", 0)
            if len(row) != len(header):
                expected = f"{len(header)}, as in the header"
                raise InputError(file=file, line=line, found=f"found {len(row)} fields", expected=expected)
            for name, i in place.items():
                values[name].append(_cell_value(name, row[i], file, line))
            if values["clicked"][-1] is False:
                values["dwell"][-1] = np.nan
        if not values["user"]:
            raise InputError(file=source, found="no rows", expected="one for each result that a user saw")
        return cls(
            tuple(values["user"]),
            tuple(values["query"]),
            np.array(values["rank"], dtype=np.float64),
            np.array(values["grade"], dtype=np.float64),
            np.array(values["clicked"], dtype=bool),
            np.array(values["dwell"], dtype=np.float64),
            np.array(values["examined"], dtype=bool) if "examined" in values else None,
            source,
        )


def _is_parquet(source: Source) -> bool:
    return source.head().startswith(MAGIC)


def _header_and_rows(source: Source) -> tuple[list[str], Rows]:
    """The names of the columns, and each row with its line number; rows of Parquet count from 0."""
    if _is_parquet(source):
        frame = whole_frame(source)
        return frame.columns, enumerate(frame.iter_rows())
    if is_lines(source.head()):
        return _json_rows(source)
    lines = source.text().splitlines()
    first = lines[0] if lines else ""
    separator = next((mark for mark in "\t,;" if mark in first), " ")
    header = [name.strip() for name in next(csv.reader([first], delimiter=separator), [])]
    return header, _text_rows(lines[1:], separator, source.name)


def _text_rows(lines: list[str], separator: str, file: str) -> Rows:
    """Each row below the header, with the number of its last line."""
    fields = csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ")
    try:
        for row in fields:
            if any(row):
                yield fields.line_num + 1, [cell.strip() for cell in row]
    except csv.Error as error:
        line = fields.line_num + 1
        raise InputError(file=file, line=line, found=str(error), fix="check the quotation marks") from None


def _json_rows(source: Source) -> tuple[list[str], Rows]:
    texts = checked_json(b"".join(source.blocks()), source.name).split(b"\n")
    records = []
    for line, text in enumerate(texts, 1):
        if text.strip():
            try:
                records.append((line, dict(json.loads(text))))
            except (ValueError, TypeError, RecursionError):
                expected = "an object with a field for each column"
                raise InputError(file=source.name, line=line, found="found no JSON object", expected=expected) from None
    names = list(dict.fromkeys(name for _, record in records for name in record))
    return names, ((line, [record.get(name) for name in names]) for line, record in records)


def _column_places(header: Sequence[Any], source: str) -> dict[str, int]:
    """Our columns and their places in the header."""
    names = [normalized_name(name) for name in header]
    place = {ours: names.index(name) for ours, all_ in COLUMNS.items() for name in reversed(all_) if name in names}
    if missing := [name for name in COLUMNS if name not in place and name not in OPTIONAL]:
        expected = f"a header with {', '.join(COLUMNS)} (examined may be absent); {', '.join(missing)} missing"
        raise InputError(
            file=source,
            found=f"found the columns {', '.join(map(str, header))}" if header else "found no columns",
            expected=expected,
        )
    refuse_repeated(names, [names[i] for i in place.values()], source)
    return place


def _cell_value(column: str, value: Any, file: str, line: int) -> Any:
    """A cell as text, a truth value or a number; NaN for a dwell time that is missing."""
    if column in ("user", "query"):
        if is_plain(value) and str(value):
            return str(value)
        expected = "an id"
    elif column in ("clicked", "examined"):
        truth = TRUTH.get(f"{value:g}" if isinstance(value, float) else str(value).lower())
        if truth is not None:
            return truth
        expected = "true or false, or 1 or 0"
    elif column == "dwell" and (value is None or value == "" or value != value):
        return np.nan
    else:
        number = finite_number(value)
        if number is not None and (number >= 0 or column == "grade"):
            return number
        expected = "a number" if column == "grade" else "a number of 0 or more"
    raise InputError(file=file, line=line, found=f"the {column} is {as_found(value)}", expected=expected)
