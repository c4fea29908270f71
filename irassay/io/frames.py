"""Runs and judgements that are already in memory: dicts, data frames, objects of other tools."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl

from irassay.errors import InputError, as_found

NAMES = {  # our columns, as TREC, ir_measures, PyTerrier, ranx, BEIR and MS MARCO call them; the first found is taken
    "topic": ("topic", "query_id", "qid", "q_id", "topic_id", "topicid", "queryid"),
    "doc": ("doc", "doc_id", "docno", "document", "document_id", "docid", "did", "pid", "passage_id", "corpus_id"),
    "subtopic": ("subtopic", "iteration", "subtopic_id"),
    "grade": ("grade", "relevance", "label", "rel", "judgement", "judgment"),
    "score": ("score",),
    "rank": ("rank",),
    "kind": ("kind",),
}
SAMPLE_SIZE = 10_000  # numbers that are looked at
NUMERIC = frozenset({"grade", "score", "rank"})


def normalized_name(name: object) -> str:
    """A column's name, however it is written.

    >>> normalized_name("Query-ID")
    'query_id'
    """
    return str(name).strip().lower().replace("-", "_")


def frame_from_memory(data: Any, name: str, needed: Collection[str], optional: Collection[str] = ()) -> pl.DataFrame:
    """The columns of `{topic: {doc: value}}`, of a data frame, of namedtuples, or of what has a `to_dict()`.

    >>> frame_from_memory({"1": {"a": 2}}, "judgements", ("topic", "doc", "grade")).rows()
    [('1', 'a', 2.0)]
    """
    value = next(column for column in needed if column in NUMERIC)
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, Mapping):
        found = _nested_columns(data, name, value)
    elif isinstance(data, pl.DataFrame):
        found = _named_columns(data.columns, data.get_column, name, needed, optional)
    elif hasattr(data, "columns") and hasattr(data, "iloc"):
        found = _named_columns(list(data.columns), lambda column: data[column].tolist(), name, needed, optional)
    elif callable(getattr(data, "to_dict", None)):
        found = _nested_columns(data.to_dict(), name, value)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes) and getattr(data, "ndim", 1) != 0:
        found = _record_columns(list(data), name, needed, optional)
    else:
        raise InputError(f"{name}: {as_found(data)} is not understood; {_expected_objects(value)}")
    return pl.DataFrame([_checked_column(column, name) for column in found])


def swap_message(runs: Any, qrels: Any) -> str:
    """That runs and judgements in memory were given for each other, where their numbers say so; otherwise nothing.

    >>> swap_message({"1": {"a": 2, "b": 0}}, {"1": {"a": 0.31, "b": 0.77, "c": 0.12}})[:52]
    'the run has grades (0, 2) for scores, and the judgem'
    >>> swap_message({"1": {"a": 0.31, "b": 0.77}}, {"1": {"a": 2, "b": 0}})
    ''
    """
    scores, grades = (list(islice(_leaves(data), SAMPLE_SIZE)) for data in (runs, qrels))
    graded = bool(scores) and all(isinstance(x, Integral) and -2 <= int(x) <= 10 for x in scores)
    if not graded or not grades or not all(isinstance(x, Real) for x in grades):
        return ""
    fractions = sum(float(x) % 1 != 0 for x in grades)  # of a NaN and an infinity, too
    if 2 * fractions <= len(grades) or 2 * len(set(grades)) <= len(grades):
        return ""
    found = ", ".join(map(str, sorted(set(scores))))
    return (
        f"the run has grades ({found}) for scores, and the judgements have scores, such as {grades[0]:g}; "
        "runs come first, then judgements (if that is how they are, give the run's scores as floats)"
    )


def _leaves(data: Any) -> Iterator[Any]:
    """The values of nested dicts."""
    if isinstance(data, Mapping):
        for inner in data.values():
            yield from _leaves(inner) if isinstance(inner, Mapping) else (inner,)


def _expected_objects(value: str) -> str:
    return f"give a path, {{topic: {{doc: {value}}}}}, a polars or pandas frame, or objects of ir_measures or ranx"


def _nested_columns(data: Mapping[Any, Any], name: str, value: str) -> list[pl.Series]:
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            raise InputError(
                f"{name}: topic {topic!r} has a {type(docs).__name__}, expected {{doc: {value}}}; "
                f"give {{topic: {{doc: {value}}}}}"
            )
        if any(isinstance(number, Mapping) for number in docs.values()):
            raise InputError(f"{name}: {topic!r} holds dicts of dicts, one level too many; {_expected_objects(value)}")
    return [
        _series("topic", [topic for topic, docs in data.items() for _ in docs]),
        _series("doc", [doc for docs in data.values() for doc in docs]),
        _series(value, [number for docs in data.values() for number in docs.values()]),
    ]


def _record_columns(data: list[Any], name: str, needed: Collection[str], optional: Collection[str]) -> list[pl.Series]:
    if not data:
        return [_series(column, []) for column in needed]
    fields = list(getattr(data[0], "_fields", ())) or list(getattr(data[0], "__dict__", ()))
    if not fields:
        value = next(column for column in needed if column in NUMERIC)
        raise InputError(
            f"{name}: a list with a {type(data[0]).__name__} in it is not understood; {_expected_objects(value)}"
        )
    return _named_columns(fields, lambda field: [getattr(item, field) for item in data], name, needed, optional)


def _named_columns(
    columns: Collection[str],
    get: Callable[[str], pl.Series | list[Any]],
    name: str,
    needed: Collection[str],
    optional: Collection[str],
) -> list[pl.Series]:
    found = []
    known = {normalized_name(column): column for column in reversed(list(columns))}
    for ours in (*needed, *optional):
        theirs = next((known[other] for other in NAMES[ours] if other in known), None)
        if theirs is not None:
            if list(columns).count(theirs) > 1:
                raise InputError(f"{name}: two columns are called {theirs}; keep one of them")
            values = get(theirs)
            found.append(values.alias(ours) if isinstance(values, pl.Series) else _series(ours, values))
        elif ours in needed:
            has = ", ".join(map(str, columns)) or "none"
            wants = "; ".join(" or ".join(NAMES[column][:3]) for column in needed)
            raise InputError(f"{name}: found the columns {has}; expected {wants}; rename the columns")
    return found


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column from Python objects; nulls and NaN of any make are empty, and one odd value makes all of them text."""
    plain = [None if _is_missing(value) else value for value in values]
    if name in NUMERIC:
        try:
            return pl.Series(name, [None if v is None else float(v) for v in plain], dtype=pl.Float64)
        except (TypeError, ValueError, OverflowError):
            pass
    try:
        return pl.Series(name, [None if v is None else str(v) for v in plain], dtype=pl.String)
    except UnicodeEncodeError as error:
        raise InputError(
            f"the {name} {error.object!r} has half of a character; write the whole, or delete it"
        ) from None


def _is_missing(value: Any) -> bool:
    """Whether a value is none: None, NaN, or the like of it that pandas has."""
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value
    return isinstance(differs, bool | np.bool_) and bool(differs)


def _checked_column(column: pl.Series, name: str) -> pl.Series:
    """Ids as text, values as finite numbers."""
    if column.null_count():
        row = int(column.is_null().arg_true()[0])
        raise InputError(f"{name}: column {column.name!r} is empty in row {row}; fill it in or leave the row out")
    if column.dtype.is_nested():
        raise InputError(f"{name}: column {column.name!r} holds {column.dtype}, expected one value a row")
    if column.name not in NUMERIC:
        return column.cast(pl.String)
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() | ~numbers.is_finite().fill_null(False)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise InputError(f"{name}: the {column.name} in row {row} is {column[row]!r}, expected a finite number")
    return numbers
