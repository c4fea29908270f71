"""Runs and judgements as one JSON object a line, its fields told apart by their names."""

import io
import json

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.column_names import Columns, as_json, columns_of, named_reader, type_of
from irassay.io.frames import NUMERIC
from irassay.io.json_files import is_lines
from irassay.io.lines import number
from irassay.io.sources import Source, sound_json
from irassay.prose import location


def _columns(source: Source, judgements: bool) -> Columns:
    data = sound_json(b"".join(source.blocks()), source.name)
    found = columns_of(_keys(data, source), judgements, source.name)
    grade = found.get("grade", "")
    try:
        frame = pl.read_ndjson(io.BytesIO(data), schema={theirs: type_of(ours) for ours, theirs in found.items()})
    except pl.exceptions.PolarsError:
        return *_line_by_line(data, source, found), grade
    if any(column.null_count() for column in frame) or frame.height != data.count(b"\n"):
        return *_line_by_line(data, source, found), grade
    return frame.rename({theirs: ours for ours, theirs in found.items()}), np.arange(1, frame.height + 1), grade


def _keys(data: bytes, source: Source) -> list[str]:
    first = data.lstrip().partition(b"\n")[0]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is not JSON, one object a line ({error})") from None
    if not isinstance(record, dict):
        raise InputError(f"{source.name} is not JSON, one object a line")
    return list(record)


def _line_by_line(data: bytes, source: Source, found: dict[str, str]) -> tuple[pl.DataFrame, Ints]:
    """The same, every line looked at by itself: the first that is not as it should be is refused."""
    rows: list[list[str | float]] = []
    lines: list[int] = []
    for line, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            rows.append(_values(text, found, location(source.name, line)))
            lines.append(line)
    schema = {ours: type_of(ours) for ours in found}
    return pl.DataFrame(rows, schema=schema, orient="row"), np.array(lines, dtype=np.int64)


def _values(text: bytes, found: dict[str, str], where: str) -> list[str | float]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: no sound JSON ({error}); write the line again") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: expected a JSON object with {', '.join(found.values())}")
    values: list[str | float] = []
    for ours, theirs in found.items():
        given = record.get(theirs)
        plain = isinstance(given, str | int | float) and not isinstance(given, bool) and given != ""
        value = number(str(given).encode()) if plain and ours in NUMERIC else str(given)
        if not plain or value is None:
            expected = "a finite number" if ours in NUMERIC else "an id"
            raise InputError(f"{where}: {theirs} is {as_json(given)}, expected {expected}; mend or delete the line")
        values.append(value)
    return values


READER = named_reader("jsonl", is_lines, _columns)
