"""Runs and judgements as one JSON object per line, with fields recognised by their names."""

import io
import json
import re

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.json_files import is_lines
from irassay.io.json_text import checked_json, repeated_name
from irassay.io.named_columns import (
    NamedColumns,
    columns_of,
    frame_of_rows,
    named_reader,
    short_json,
    type_of,
    value_error,
)
from irassay.io.sources import Source
from irassay.io.typed_columns import NUMERIC, finite_number, is_plain

ODD_VALUE = re.compile(rb":\s*[\[{tf]")  # a list, an object or a truth value, which polars would turn into text


def _read_columns(source: Source, judgements: bool) -> NamedColumns:
    data = checked_json(b"".join(source.blocks()), source.name)
    columns = columns_of(_field_names(data, source), judgements, source.name)
    grade, schema = columns.get("grade", ""), {theirs: type_of(ours) for ours, theirs in columns.items()}
    lines = data.count(b"\n")
    is_odd = ODD_VALUE.search(data) or any(data.count(json.dumps(name).encode()) > lines for name in schema)
    try:
        frame = pl.DataFrame() if is_odd else pl.read_ndjson(io.BytesIO(data), schema=schema)
    except pl.exceptions.PolarsError:
        frame = pl.DataFrame()
    if frame.height != lines or any(column.null_count() for column in frame):
        numbered = ((line, text) for line, text in enumerate(data.split(b"\n"), 1) if text.strip())
        rows = ((line, _row_values(text, columns, source.name, line)) for line, text in numbered)
        return NamedColumns(*frame_of_rows(rows, columns), grade)  # the first invalid line is an error
    frame = frame.rename({theirs: ours for ours, theirs in columns.items()})
    return NamedColumns(frame, np.arange(1, frame.height + 1), grade)


def _field_names(data: bytes, source: Source) -> list[str]:
    first = data.lstrip().partition(b"\n")[0]
    try:
        record = json.loads(first, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is not JSON with one object per line ({error}).") from None
    if not isinstance(record, tuple):
        raise InputError(f"{source.name} is not JSON with one object per line.")
    return [name for name, _ in record]


def _row_values(text: bytes, columns: dict[str, str], file: str, line: int) -> list[str | float]:
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise InputError(file=file, line=line, found=f"not valid JSON ({error})", fix="fix the line") from None
    if not isinstance(pairs, tuple):
        raise InputError(file=file, line=line, expected=f"a JSON object with {', '.join(columns.values())}")
    if (twice := repeated_name(pairs, columns.values())) is not None:
        raise InputError(file=file, line=line, found=f"the field {twice} comes twice", fix="keep one of them")
    record, values = dict(pairs), list[str | float]()
    for ours, theirs in columns.items():
        field = record.get(theirs)
        value = finite_number(field) if ours in NUMERIC else str(field) if is_plain(field) else None
        if value is None or value == "":
            raise value_error(ours, f"{theirs} is {short_json(field)}", file, line)
        values.append(value)
    return values


READER = named_reader("jsonl", is_lines, _read_columns)
