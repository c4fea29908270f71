"""Tables made of columns of values, and what is done to their columns and cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.views.view import Cell, Table

ROUNDING = 1e-12  # relative, by which the ends of an interval may differ from its value
FORMULA_MARKS = ("=", "+", "-", "@")  # with which spreadsheets let a formula begin


def plain_value(value: Any) -> Cell:
    """A numpy scalar or a plain value as a plain value."""
    return value.item() if hasattr(value, "item") else value


def column_table(name: str, columns: Mapping[str, Any], title: str = "", order: Any = None, **more: Any) -> Table:
    """A table made of columns of numpy or plain values; `order` are the indices of its rows, first to last."""
    lines = rows(*columns.values())
    return Table(name, tuple(columns), lines if order is None else tuple(lines[i] for i in order), title, **more)


def grid_columns(axes: Mapping[str, Iterable[Any]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with a row for each cell of a grid: the names along its axes, then the arrays [axis, …] of values.

    >>> grid_columns({"metric": ("AP", "RR"), "topic": ("1", "2")}, {"score": np.eye(2)})["topic"]
    ['1', '2', '1', '2']
    """
    cells = list(product(*axes.values()))
    names = {axis: [cell[n] for cell in cells] for n, axis in enumerate(axes)}
    return names | {name: np.asarray(array).ravel() for name, array in values.items()}


def interval_columns(name: str, value: Any, low: Any, high: Any) -> dict[str, Any]:
    """The columns of a value and of the ends of its interval, named after it."""
    return {name: value, f"{name} low": low, f"{name} high": high}


def interval_ends(value: Any, low: Any, high: Any) -> tuple[Floats, Floats]:
    """The ends of intervals; NaN where both are the value itself, because a point is no interval, or without value.

    >>> interval_ends(np.array([1.0, 0.5]), np.array([1.0, 0.4]), np.array([1.0, 0.6]))
    (array([nan, 0.4]), array([nan, 0.6]))
    """
    is_point = np.isclose(low, value, rtol=ROUNDING, atol=0) & np.isclose(high, value, rtol=ROUNDING, atol=0)
    is_none = is_point | np.isnan(value)
    return np.where(is_none, np.nan, low), np.where(is_none, np.nan, high)


def with_headings(table: Table, headings: Mapping[str, str]) -> Table:
    """The table with other headings for people; machines keep its columns."""
    return replace(table, columns=tuple(headings.get(column, column) for column in table.columns), machine=table)


def with_last_row(table: Table, cells: Mapping[str, Cell]) -> Table:
    """The table with another row, which has these cells by column."""
    machine = with_last_row(table.machine, cells) if table.machine else None
    return replace(table, rows=(*table.rows, tuple(cells.get(name) for name in table.columns)), machine=machine)


def rows(*columns: Iterable[Any]) -> tuple[tuple[Cell, ...], ...]:
    """Rows from columns of numpy or plain values."""
    return tuple(zip(*map(_plain_column, columns), strict=True))


def whole_counts(values: Floats, metric: str) -> Sequence[float] | Floats:
    """Scores of topics, as integers where the metric counts something and the score is integral.

    >>> whole_counts(np.array([2.0, 3.0]), "NumRel"), whole_counts(np.array([0.5]), "NumRel")
    ([2, 3], [0.5])
    """
    from irassay.metrics.grammar import is_count  # imports all metrics, which few views need

    if not is_count(metric):
        return values
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _plain_column(values: Iterable[Any]) -> list[Cell]:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return list(values.tolist())
    return list(map(plain_value, values))


def formula_as_text(cell: Cell) -> Cell:
    """A cell; text that a spreadsheet would run as a formula has an apostrophe before it.

    >>> formula_as_text("=1+1"), formula_as_text("bm25"), formula_as_text(-0.5)
    ("'=1+1", 'bm25', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_MARKS) else cell
