"""Small tables beside runs and judgements: document lengths, costs, weights, teams, parameters by topic."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from irassay.errors import InputError, as_found
from irassay.io.json_text import checked_json
from irassay.io.lines import Layout, parsed_number, read_table, valid_table
from irassay.io.records import numbered_records
from irassay.io.sources import Source
from irassay.io.trec import first_rows
from irassay.io.typed_columns import finite_number, is_plain, typed_column

LENGTHS = Layout(("doc", "words"), frozenset({"words"}), validated=False)
COSTS = Layout(("kind", "cost"), frozenset({"cost"}), validated=False)
WEIGHTS = Layout(("topic", "subtopic", "weight"), frozenset({"weight"}), validated=False)
LARGEST_VALUE = 1e100  # sums of larger ones might be infinite
GROUPS = Layout(("run", "team"), frozenset(), validated=False)


def read_lengths(path: str | Path) -> pl.DataFrame:
    """The columns `doc` and `words`, from lines with a document and its length, or from a JSON object."""
    source = Source(path)
    return _lengths_from_json(source) if source.head().lstrip().startswith(b"{") else _keyed_rows(source, LENGTHS)


def read_costs(path: str | Path) -> dict[str, float]:
    """The cost of each kind of result; the kind is column 2 of a run."""
    return dict(_keyed_rows(Source(path), COSTS).iter_rows())


def read_weights(path: str | Path) -> dict[str, dict[str, float]]:
    """The weight of each subtopic of each topic."""
    weights: dict[str, dict[str, float]] = {}
    for topic, subtopic, weight in _keyed_rows(Source(path), WEIGHTS).iter_rows():
        weights.setdefault(topic, {})[subtopic] = weight
    return weights


def read_groups(path: str | Path) -> dict[str, str]:
    """The team of each run."""
    return dict(_keyed_rows(Source(path), GROUPS).iter_rows())


def read_topic_params(path: str | Path) -> dict[str, dict[str, float]]:
    """Parameters by topic: the value of each column for each topic, under a header such as `topic T`."""
    source = Source(path)
    lines = numbered_records(source)
    _, header = next(lines, (0, ()))
    if len(header) < 2 or header[0] != "topic":
        raise InputError(f"{source.name} begins with {' '.join(header)!r}; expected a header such as: topic T.")
    values: dict[str, dict[str, float]] = {name: {} for name in header[1:]}
    for line, (topic, *row) in lines:
        place: dict[str, Any] = {"file": source.name, "line": line}
        if len(row) != len(header) - 1:
            expected = f"{len(header)} ({' '.join(header)})"
            raise InputError(found=f"found {len(row) + 1} fields", expected=expected, **place)
        for name, text in zip(header[1:], row, strict=True):
            value = parsed_number(text.encode())
            if value is None:
                raise InputError(found=f"found the {name} {text!r}", expected="a finite number", **place)
            if values[name].setdefault(topic, value) != value:
                raise InputError(found=f"found a second {name} for topic {topic}", fix="keep one of the two", **place)
    return values


def _keyed_rows(source: Source, layout: Layout) -> pl.DataFrame:
    """The rows of a table in which the columns before the last are a unique key."""
    table = valid_table(read_table(source, layout), source, layout)
    *key, value = layout.fields
    frame = table.frame
    clash = (frame[value] != frame[value].gather(first_rows(frame, key))).arg_true()
    if len(clash):
        row = int(clash[0])
        found, fix = f"found a second {value} for {' '.join(frame.row(row)[:-1])}", "keep one of the two"
        raise InputError(file=source.name, line=table.line_number(row), found=found, fix=fix)
    wrong = ~frame[value].is_between(0, LARGEST_VALUE) if value in layout.numbers else pl.Series([False])
    if wrong.any():
        row = int(wrong.arg_true()[0])
        found, expected = f"found the {value} {frame[value][row]:g}", _expected_range(frame[value][row])
        raise InputError(file=source.name, line=table.line_number(row), found=found, expected=expected)
    return frame.unique(keep="first", maintain_order=True)


def _lengths_from_json(source: Source) -> pl.DataFrame:
    try:
        lengths = json.loads(checked_json(source.content(), source.name), object_pairs_hook=_unique_pairs)
        words = [_as_float(each) for each in lengths.values()]
        frame = pl.DataFrame({"doc": list(lengths), "words": words}, schema={"doc": pl.String, "words": pl.Float64})
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f'{source.name} is not a JSON object of lengths, such as {{"d1": 250}} ({error}).') from None
    return checked_lengths(frame, source.name)


def checked_lengths(lengths: pl.DataFrame, name: str = "lengths") -> pl.DataFrame:
    """The columns `doc` and `words`; the first that is not a length is an error."""
    frame = pl.DataFrame([typed_column(lengths[column], column, name) for column in ("doc", "words")])
    wrong = frame.filter(~pl.col("words").is_between(0, LARGEST_VALUE))
    if wrong.height:
        doc, words = wrong.row(0)
        raise InputError(file=name, found=f"document {doc} has the length {words:g}", expected=_expected_range(words))
    return frame


def _expected_range(value: float) -> str:
    return "0 or more" if value < 0 else f"at most {LARGEST_VALUE:g}"


def checked_numbers(name: str, values: Mapping[Any, Any], any_sign: bool = False) -> dict[str, float]:
    """Numbers by name, such as the costs of result types; the first that is not such a number is an error.

    >>> checked_numbers("lengths", {1: 2})
    {'1': 2.0}
    """
    numbers = {}
    for key, value in values.items():
        number = finite_number(value)
        if not is_plain(key) or number is None or not (any_sign or 0 <= number <= LARGEST_VALUE):
            expected = "names with finite numbers" if any_sign else f"names with numbers from 0 to {LARGEST_VALUE:g}"
            raise InputError(argument=name, found=f"{as_found(key)} has {as_found(value)}", expected=expected)
        numbers[str(key)] = number
    return numbers


def _unique_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The pairs as a dict; two values for one name are an error."""
    values: dict[str, object] = {}
    for name, value in pairs:
        if values.setdefault(name, value) != value:
            raise ValueError(f"{name!r} has two values; keep one of the two")
    return values


def _as_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{json.dumps(value)} is not a number")
    return float(value)
