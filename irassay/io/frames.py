"""Runs and judgements that are already in memory: dicts, data frames, objects of other tools."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl

from irassay.errors import InputError, as_found
from irassay.forks import check_polars_works
from irassay.io.column_names import NAMES, matching_columns, normalized_name, refuse_repeated
from irassay.io.typed_columns import NUMERIC, column_of_values, typed_column

SAMPLE_SIZE = 10_000  # numbers that are inspected


def frame_from_memory(data: Any, name: str, needed: Collection[str], optional: Collection[str] = ()) -> pl.DataFrame:
    """The columns of `{topic: {doc: value}}`, a data frame, namedtuples, or an object with `to_dict()`.

    A run may also be `{topic: [doc, …]}`, best first.

    >>> frame_from_memory({"1": {"a": 2}}, "judgements", ("topic", "doc", "grade")).rows()
    [('1', 'a', 2.0)]
    >>> frame_from_memory({"1": ["b", "a"]}, "run", ("topic", "doc", "score")).rows()
    [('1', 'b', -1.0), ('1', 'a', -2.0)]
    """
    check_polars_works()
    value = next(column for column in needed if column in NUMERIC)
    if isinstance(data, Mapping):
        ranked = value == "score" and is_ranked_lists(data)
        columns = _nested_columns(_scored_lists(data) if ranked else data, name, value)
    elif is_frame(data):
        names, get = named_frame(data)
        columns = _named_columns(names, get, name, needed, optional)
    elif callable(getattr(data, "to_dict", None)):
        columns = _nested_columns(data.to_dict(), name, value)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes) and getattr(data, "ndim", 1) != 0:
        columns = _record_columns(list(data), name, needed, optional)
    else:
        raise InputError(file=name, found=f"found {as_found(data)}", expected=_expected_objects(value))
    return pl.DataFrame(columns)


def is_frame(data: Any) -> bool:
    """Whether this is a data frame: of polars or pandas, an Arrow table, or a relation of DuckDB."""
    is_frame_like = isinstance(data, pl.LazyFrame) or hasattr(data, "__arrow_c_stream__")
    return not isinstance(data, pl.Series) and (is_frame_like or hasattr(data, "iloc"))


def named_frame(data: Any) -> tuple[list[str], Callable[[str], pl.Series | list[Any]]]:
    """The names of a frame's columns, and a function that returns the values of one."""
    if hasattr(data, "iloc"):  # of pandas
        return list(data.columns), lambda column: _pandas_values(data[column])
    frame = data.collect() if isinstance(data, pl.LazyFrame) else pl.DataFrame(data)
    return frame.columns, frame.get_column


def is_ranked_lists(data: Any) -> bool:
    """Whether this is `{topic: [doc, …]}`.

    >>> is_ranked_lists({"1": ["a", 7]}), is_ranked_lists({"1": {"a": 0.5}}), is_ranked_lists({"run": [("1", "a")]})
    (True, False, False)
    """
    return (
        isinstance(data, Mapping)
        and all(isinstance(docs, list | tuple) for docs in data.values())
        and any(data.values())
        and all(isinstance(docs[0], str | Integral) for docs in data.values() if docs)
    )


def _scored_lists(data: Mapping[Any, Sequence[Any]]) -> dict[Any, dict[Any, float]]:
    """`{topic: {doc: score}}` of `{topic: [doc, …]}`; the scores are the negated ranks, as in files without scores."""
    for topic, docs in data.items():
        if len(set(docs)) < len(docs):
            twice = next(doc for doc, count in Counter(docs).items() if count > 1)
            raise InputError(found=f"topic {topic!r} has document {twice!r} twice", fix="keep the first of them")
    return {topic: {doc: -float(rank) for rank, doc in enumerate(docs, 1)} for topic, docs in data.items()}


def _pandas_values(column: Any) -> pl.Series | list[Any]:
    """The values of a column of pandas: plain numbers as they are stored, anything else as objects."""
    is_number = getattr(column.dtype, "kind", "O") in "iuf" and hasattr(column.dtype, "itemsize")
    return pl.Series(column.to_numpy()) if is_number else column.tolist()


def swap_message(runs: Any, qrels: Any) -> str:
    """A message if runs and judgements in memory seem to be swapped, going by their numbers; otherwise empty.

    >>> swap_message({"1": {"a": 2, "b": 0}}, {"1": {"a": 0.31, "b": 0.77, "c": 0.12}})[:52]
    'the run has grades (0, 2) instead of scores, and the'
    >>> swap_message({"1": {"a": 0.31, "b": 0.77}}, {"1": {"a": 2, "b": 0}})
    ''
    """
    scores, grades = (list(islice(_leaves(data), SAMPLE_SIZE)) for data in (runs, qrels))
    graded = bool(scores) and all(isinstance(x, Integral) and -2 <= int(x) <= 10 for x in scores)
    if not graded or not grades or not all(isinstance(x, Real) for x in grades):
        return ""
    fractions = sum(float(x) % 1 != 0 for x in grades)  # NaN and infinity count too
    if 2 * fractions <= len(grades) or 2 * len(set(grades)) <= len(grades):
        return ""
    values = ", ".join(map(str, sorted(set(scores))))
    return (
        f"the run has grades ({values}) instead of scores, and the judgements have scores, such as {grades[0]:g}; "
        "runs come first, then judgements (if they are in that order, give the run's scores as floats)"
    )


def _leaves(data: Any) -> Iterator[Any]:
    """The values of nested dicts."""
    if isinstance(data, Mapping):
        for inner in data.values():
            yield from _leaves(inner) if isinstance(inner, Mapping) else (inner,)


def _expected_objects(value: str) -> str:
    lists = ", {topic: [doc, …]}" if value == "score" else ""
    return f"a path, {{topic: {{doc: {value}}}}}{lists}, a data frame, or objects of ir_measures or ranx"


def _nested_columns(data: Mapping[Any, Any], name: str, value: str) -> list[pl.Series]:
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            found = f"topic {topic!r} has a {type(docs).__name__}"
            raise InputError(file=name, found=found, expected=f"{{topic: {{doc: {value}}}}}")
        if any(issubclass(kind, Mapping) for kind in set(map(type, docs.values()))):
            found = f"{topic!r} holds dicts of dicts, one level too many"
            raise InputError(file=name, found=found, expected=_expected_objects(value))
    topics = column_of_values("topic", [topic for topic, docs in data.items() if docs], name)
    lengths = [len(docs) for docs in data.values() if docs]
    return [
        topics.gather(np.repeat(np.arange(len(topics)), lengths)),
        column_of_values("doc", list(chain.from_iterable(data.values())), name),
        column_of_values(value, list(chain.from_iterable(docs.values() for docs in data.values())), name),
    ]


def _record_columns(data: list[Any], name: str, needed: Collection[str], optional: Collection[str]) -> list[pl.Series]:
    if not data:
        return [column_of_values(column, [], name) for column in needed]
    fields = list(getattr(data[0], "_fields", ())) or list(getattr(data[0], "__dict__", ()))
    if not fields:
        value = next(column for column in needed if column in NUMERIC)
        found = f"found a list with a {type(data[0]).__name__} in it"
        raise InputError(file=name, found=found, expected=_expected_objects(value))
    return _named_columns(fields, lambda field: [getattr(item, field) for item in data], name, needed, optional)


def _named_columns(
    columns: Collection[str],
    get: Callable[[str], pl.Series | list[Any]],
    name: str,
    needed: Collection[str],
    optional: Collection[str],
) -> list[pl.Series]:
    series = []
    theirs = matching_columns(columns, (*needed, *optional))
    others = matching_columns(columns, ("score", "rank"))
    if "grade" in needed and "grade" not in theirs and list(others) == ["score"]:
        theirs["grade"] = others["score"]  # as BEIR and MTEB call it
    for ours in (*needed, *optional):
        if ours in theirs:
            refuse_repeated(columns, (theirs[ours],), name)
            values = get(theirs[ours])
            if isinstance(values, pl.Series):
                series.append(typed_column(values, ours, name))
            else:
                series.append(column_of_values(ours, values, name))
            grade_name = normalized_name(theirs[ours]) if ours == "grade" else ""
            if grade_name == "score" and (fractions := series[-1].filter(series[-1] % 1 != 0)).len():
                found = f"looks like a run (it has the score {fractions[0]:g}), not judgements"
                raise InputError(f"{name} {found}; if scores are grades, call the column relevance.")
        elif ours in needed:
            found = f"found the columns {', '.join(map(str, columns))}" if columns else "found no columns"
            expected = ", ".join(" or ".join(NAMES[column][:3]) for column in needed)
            raise InputError(file=name, found=found, expected=expected, fix="rename the columns")
    return series
