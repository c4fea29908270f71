"""Runs and judgements as JSON: {topic: {document: score or grade}}, as in ranx and pytrec_eval, or records."""

import gc
import json
import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.column_names import NamedColumns, columns_of, is_header, named_reader, short_json, type_of, value_error
from irassay.io.json_text import checked_json
from irassay.io.sources import Source


def is_json(head: bytes) -> bool:
    """Whether a file begins like one JSON object or array, rather than one object per line."""
    return head.lstrip()[:1] in (b"{", b"[") and not is_lines(head)


def is_lines(head: bytes) -> bool:
    """Whether the first line of a file is an object with known names, or the first of several objects."""
    first, _, rest = head.lstrip().partition(b"\n")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (is_header(list(record)) or rest.lstrip().startswith(b"{"))


def _columns(source: Source, judgements: bool) -> NamedColumns:
    """The columns of {topic: {document: score or grade}}, {topic: [document, …]} (a run, best first), or records."""
    text = checked_json(source.content(), source.name)
    collecting = gc.isenabled()
    gc.disable()  # which would visit millions of pairs again and again
    try:
        data = json.loads(text, object_pairs_hook=tuple)  # pairs, because a document may be listed twice
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is not valid JSON ({error}); write it again.") from None
    finally:
        if collecting:
            gc.enable()
    if isinstance(data, list):
        records = [dict(record) if isinstance(record, tuple) else record for record in data]
        return _record_columns(records, source, judgements)
    value = "grade" if judgements else "score"
    expected = f"{{topic: {{document: {value}}}}}"
    if not isinstance(data, tuple):
        raise InputError(file=source.name, found=f"found a {type(data).__name__}", expected=expected)
    if not judgements and data and all(isinstance(docs, list) for _, docs in data):
        data, value = tuple((topic, tuple((doc, n) for n, doc in enumerate(docs, 1))) for topic, docs in data), "rank"
    odd = next((topic for topic, docs in data if not isinstance(docs, tuple)), None)
    if odd is not None:
        raise InputError(file=source.name, found=f"topic {odd!r} does not hold an object", expected=expected)
    topics = np.repeat(np.arange(len(data)), [len(docs) for _, docs in data])
    frame = pl.DataFrame(
        {
            "topic": pl.Series([topic for topic, _ in data], dtype=pl.String).gather(topics),
            "doc": _column("doc", [doc for _, docs in data for doc, _ in docs]),
            value: _column(value, [number for _, docs in data for _, number in docs]),
        }
    )
    wrong = frame.select(pl.col(value).is_null() | ~pl.col(value).is_finite()).to_series()
    if wrong.any():
        row = int(wrong.arg_true()[0])
        number = list(chain.from_iterable(docs for _, docs in data))[row][1]
        found = f"the {value} of document {frame['doc'][row]} of topic {frame['topic'][row]} is {short_json(number)}"
        raise value_error(value, found, source.name)
    return frame, None, "score"  # the numbers may be scores or grades


def _record_columns(records: list[Any], source: Source, judgements: bool) -> NamedColumns:
    """The columns of records with named fields, under our names."""
    odd = next((i for i, record in enumerate(records) if not isinstance(record, Mapping)), None)
    if odd is not None:
        raise InputError(f"{source.name}, record {odd}: expected an object with named fields.")
    columns = columns_of(list(records[0]) if records else [], judgements, source.name)
    frame = pl.DataFrame(
        [_column(ours, [record.get(theirs) for record in records]) for ours, theirs in columns.items()]
    )
    return frame, None, columns.get("grade", "")


def _column(ours: str, values: list[Any]) -> pl.Series:
    """A column of our type; values that do not fit are null."""
    if type_of(ours) == pl.String:
        return pl.Series(ours, [None if v is None or isinstance(v, bool | list | tuple) else str(v) for v in values])
    if set(map(type, values)) <= {int, float}:
        try:
            return pl.Series(ours, np.array(values, dtype=float))
        except OverflowError:
            pass
    return pl.Series(ours, [_float(v) if type(v) in (int, float) else None for v in values], dtype=pl.Float64)


def _float(value: float) -> float:
    """A number as a double; infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


READER = named_reader("json", is_json, _columns)
