"""Runs and judgements as JSON: {topic: {document: score or grade}}, as in ranx and pytrec_eval, or records."""

import gc
import json
from typing import Any

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.json_text import Pairs, checked_json, repeated_name
from irassay.io.named_columns import NamedColumns, columns_of, is_header, named_reader, short_json, value_error
from irassay.io.sources import Source
from irassay.io.typed_columns import column_of_values, finite_number


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


def _read_columns(source: Source, judgements: bool) -> NamedColumns:
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
        return _record_columns(data, source, judgements)
    value = "grade" if judgements else "score"
    expected = f"{{topic: {{document: {value}}}}}"
    if not isinstance(data, tuple):
        raise InputError(file=source.name, found=f"found a {type(data).__name__}", expected=expected)
    if not judgements and data and all(isinstance(docs, list) for _, docs in data):
        data, value = tuple((topic, tuple((doc, n) for n, doc in enumerate(docs, 1))) for topic, docs in data), "rank"
    odd = next((topic for topic, docs in data if not isinstance(docs, tuple)), None)
    if odd is not None:
        raise InputError(file=source.name, found=f"topic {odd!r} does not hold an object", expected=expected)
    if (twice := repeated_name(data)) is not None:
        raise InputError(file=source.name, found=f"topic {twice!r} comes twice", fix="keep one, with all its documents")
    topics = np.repeat(np.arange(len(data)), [len(docs) for _, docs in data])
    frame = pl.DataFrame(
        {
            "topic": pl.Series([topic for topic, _ in data], dtype=pl.String).gather(topics),
            "doc": column_of_values("doc", [doc for _, docs in data for doc, _ in docs], source.name),
            value: _number_column(value, data, source.name),
        }
    )
    return NamedColumns(frame, None, "score")  # the numbers may be scores or grades


def _number_column(value: str, data: Pairs, name: str) -> pl.Series:
    """[result] the scores, ranks or grades of documents by topic."""
    numbers = [number for _, docs in data for _, number in docs]
    try:
        return column_of_values(value, numbers, name)
    except InputError:
        topic, doc, number = next((t, d, x) for t, docs in data for d, x in docs if finite_number(x) is None)
        found = f"the {value} of document {doc} of topic {topic} is {short_json(number)}"
        raise value_error(value, found, name) from None


def _record_columns(data: list[Any], source: Source, judgements: bool) -> NamedColumns:
    """The columns of records with named fields, under our names."""
    odd = next((i for i, record in enumerate(data) if not isinstance(record, tuple)), None)
    if odd is not None:
        raise InputError(f"{source.name}, record {odd}: expected an object with named fields.")
    columns = columns_of([name for name, _ in data[0]] if data else [], judgements, source.name)
    records = [dict(record) for record in data]
    for i, record in enumerate(records):
        if len(record) < len(data[i]) and (twice := repeated_name(data[i], columns.values())) is not None:
            found = f"the field {twice} comes twice"
            raise InputError(file=f"{source.name}, record {i}", found=found, fix="keep one of them")
    values = ((ours, [record.get(theirs) for record in records]) for ours, theirs in columns.items())
    frame = pl.DataFrame([column_of_values(ours, given, source.name) for ours, given in values])
    return NamedColumns(frame, None, columns.get("grade", ""))


READER = named_reader("json", is_json, _read_columns)
