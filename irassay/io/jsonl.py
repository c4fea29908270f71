"""Runs and judgements as one JSON object per line, with fields recognized by their names."""

import io
import json

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.column_names import (
    NamedColumns,
    columns_of,
    frame_of_rows,
    named_reader,
    short_json,
    type_of,
    value_error,
)
from irassay.io.frames import NUMERIC
from irassay.io.json_files import is_lines
from irassay.io.json_text import checked_json
from irassay.io.lines import parsed_number
from irassay.io.sources import Source


def _columns(source: Source, judgements: bool) -> NamedColumns:
    data = checked_json(b"".join(source.blocks()), source.name)
    columns = columns_of(_keys(data, source), judgements, source.name)
    grade, schema = columns.get("grade", ""), {theirs: type_of(ours) for ours, theirs in columns.items()}
    try:
        frame = pl.read_ndjson(io.BytesIO(data), schema=schema)
    except pl.exceptions.PolarsError:
        frame = pl.DataFrame()
    if frame.height != data.count(b"\n") or any(column.null_count() for column in frame):
        numbered = ((line, text) for line, text in enumerate(data.split(b"\n"), 1) if text.strip())
        rows = ((line, _values(text, columns, source.name, line)) for line, text in numbered)
        return *frame_of_rows(rows, columns), grade  # the first invalid line is an error
    return frame.rename({theirs: ours for ours, theirs in columns.items()}), np.arange(1, frame.height + 1), grade


def _keys(data: bytes, source: Source) -> list[str]:
    first = data.lstrip().partition(b"\n")[0]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is not JSON with one object per line ({error}).") from None
    if not isinstance(record, dict):
        raise InputError(f"{source.name} is not JSON with one object per line.")
    return list(record)


def _values(text: bytes, columns: dict[str, str], file: str, line: int) -> list[str | float]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(file=file, line=line, found=f"not valid JSON ({error})", fix="fix the line") from None
    if not isinstance(record, dict):
        raise InputError(file=file, line=line, expected=f"a JSON object with {', '.join(columns.values())}")
    values: list[str | float] = []
    for ours, theirs in columns.items():
        field = record.get(theirs)
        is_plain = isinstance(field, str | int | float) and not isinstance(field, bool) and field != ""
        value = parsed_number(str(field).encode()) if is_plain and ours in NUMERIC else str(field)
        if not is_plain or value is None:
            raise value_error(ours, f"{theirs} is {short_json(field)}", file, line)
        values.append(value)
    return values


READER = named_reader("jsonl", is_lines, _columns)
