"""Runs and judgements as tables with a header: CSV, TSV (as in BEIR), or separated by semicolons or spaces."""

import csv
from collections.abc import Iterator

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.lines import normalized_lines, parsed_number
from irassay.io.named_columns import (
    NamedColumns,
    columns_of,
    frame_of_rows,
    is_header,
    named_reader,
    type_of,
    value_error,
)
from irassay.io.sources import NOT_UTF8, SAVE_AS_UTF8, Source
from irassay.io.typed_columns import NUMERIC
from irassay.prose import count_phrase

SEPARATORS = ("\t", ",", ";", " ")


def is_table(head: bytes) -> bool:
    """Whether a file begins with the names of its columns."""
    return is_header(_header_names(_first_line(head)))


def _read_columns(source: Source, judgements: bool) -> NamedColumns:
    data = b"".join(source.blocks())
    begins = data.find(_first_line(data)) if b"#" in data else 0
    comments = data.count(b"\n#", begins) if b"#" in data else 0
    data, lines = _without_blanks(data.replace(b"\r\n", b"\n") if b"\r" in data else data)
    header, _, rows = data.partition(b"\n")
    names = _header_names(header)
    columns = columns_of(names, judgements, source.name)
    place = {ours: names.index(theirs) for ours, theirs in columns.items()}
    separator, grade = _separator(header), columns.get("grade", "")
    at_place = {i: ours for ours, i in place.items()}
    try:
        frame = pl.read_csv(
            rows,
            has_header=False,
            separator=separator,
            quote_char='"' if b'"' in rows else None,
            columns=sorted(at_place),
            schema={str(i): type_of(at_place.get(i, "")) for i in range(len(names))},
        )
        frame = frame.rename({str(i): ours for i, ours in at_place.items()})
    except pl.exceptions.PolarsError:
        frame = None
    lines = lines if lines is not None else np.arange(1, data.count(b"\n") + 1)
    if frame is None or frame.height != len(lines) - 1 or any(column.null_count() for column in frame):
        numbered = _numbered_values(rows, separator, place, len(names), source, lines)
        return NamedColumns(*frame_of_rows(numbered, place), grade, comments)
    return NamedColumns(frame.with_columns(pl.col(pl.String).str.strip_chars()), lines[1:], grade, comments)


def _numbered_values(
    rows: bytes, separator: str, place: dict[str, int], width: int, source: Source, lines: Ints
) -> Iterator[tuple[int, list[str | float]]]:
    """The line and the values of each row, parsed by itself; the first invalid row is an error."""
    try:
        text = rows.decode()
    except UnicodeDecodeError:
        raise InputError(file=source.name, found=NOT_UTF8, fix=SAVE_AS_UTF8) from None
    reader = csv.reader(text.rstrip("\n").split("\n"), delimiter=separator, strict=True)
    begins, line = 1, int(lines[0])
    try:
        for fields in reader:
            line, begins = int(lines[min(begins, len(lines) - 1)]), reader.line_num + 1
            yield line, _row_values([field.strip() for field in fields], place, width, source.name, line)
    except csv.Error as error:
        raise InputError(file=source.name, line=line, found=str(error), fix="check the quotation marks") from None


def _row_values(fields: list[str], place: dict[str, int], width: int, file: str, line: int) -> list[str | float]:
    if len(fields) != width:
        found, fix = f"found {count_phrase(len(fields), 'field')}", "complete or delete the line"
        raise InputError(file=file, line=line, found=found, expected=f"{width}", fix=fix)
    values: list[str | float] = []
    for ours, i in place.items():
        value = parsed_number(fields[i].encode()) if ours in NUMERIC else fields[i]
        if value is None or value == "":
            raise value_error(ours, f"found the {ours} {fields[i]!r}", file, line)
        values.append(value)
    return values


def _without_blanks(data: bytes) -> tuple[bytes, Ints | None]:
    """The text without blank lines and comments, and the numbers of its lines; None: all."""
    if _separator(_first_line(data)) == " ":
        return normalized_lines(data)[:2]
    if not data.startswith((b"\n", b"#", b" ")) and b"\n\n" not in data and b"\n#" not in data:
        return data, None
    lines = data.split(b"\n")
    keep = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(b"#")]
    return b"".join(lines[i] + b"\n" for i in keep), np.array(keep) + 1


def _first_line(head: bytes) -> bytes:
    """The first line that is neither blank nor a comment."""
    return next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")


def _separator(header: bytes) -> str:
    return next((each for each in SEPARATORS if each.encode() in header.strip()), ",")


def _header_names(header: bytes) -> list[str]:
    text = header.decode(errors="replace").strip()
    return [name.strip() for name in next(csv.reader([text], delimiter=_separator(header)), [])]


READER = named_reader("csv", is_table, _read_columns)
