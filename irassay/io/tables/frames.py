"""Scores from data frames of any library, and from lists of results, as ir_measures returns them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from irassay.errors import InputError
from irassay.io.column_names import refuse_repeated
from irassay.io.frames import is_frame, named_frame
from irassay.io.tables.cells import ScoreRows, TableText
from irassay.io.tables.dialects import rows_of_grid

FRAME = "the frame"  # in messages, and as the source of the scores


def is_score_table(data: Any) -> bool:
    """Whether this may hold scores: a frame, or a list of records with fields, such as `Metric` of ir_measures."""
    return is_frame(data) or (isinstance(data, list | tuple) and bool(data) and hasattr(data[0], "_fields"))


def tables_of_frame(data: Any) -> list[tuple[TableText, ScoreRows]]:
    """The tables in a frame, one per collection: run, topic, metric and value, or run, topic and metrics as columns."""
    if is_frame(data):
        names, get = named_frame(data)
    else:
        names = list(data[0]._fields)
        get = lambda field: [getattr(record, field) for record in data]  # noqa: E731
    header = [str(name) for name in names]
    refuse_repeated(header, header, FRAME)
    columns = {str(place): _text_column(get(name)) for place, name in enumerate(names)}
    grid = pl.DataFrame(columns).with_row_index("line", offset=1)
    if not grid.height:
        raise InputError("The frame is empty; expected a score table.")
    if "collection" not in header:
        return [_parsed_table(grid, header)]
    place = header.index("collection")
    header[place] = ""
    parts = grid.partition_by(str(place), maintain_order=True)
    return [
        _parsed_table(part.with_columns(pl.lit("").alias(str(place))), header, part[str(place)][0]) for part in parts
    ]


def _parsed_table(grid: pl.DataFrame, header: list[str], collection: str = "") -> tuple[TableText, ScoreRows]:
    source = TableText(FRAME, "run", "", collection)
    rows = rows_of_grid(grid, header, source)
    return source, replace(rows, notes=()) if collection else rows  # the column of collections is no score


def _text_column(values: pl.Series | Sequence[Any]) -> pl.Series:
    """A column as text; floats have all their digits, and a missing value is empty."""
    if isinstance(values, pl.Series) and values.dtype.is_numeric():
        return values.cast(pl.String).fill_null("")
    return pl.Series(["" if value is None or value != value else str(value) for value in values], dtype=pl.String)
