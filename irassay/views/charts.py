"""Parts that charts share: rows of data, names along an axis, tooltips, intervals, panels."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from irassay.views import altair as alt
from irassay.views.theme import data
from irassay.views.view import plain


def points(columns: Mapping[str, Any], known: Any = None) -> list[dict[str, Any]]:
    """Columns of numpy or plain values as rows of chart data; only those that are `known`, where that is said.

    >>> points({"metric": ("AP", "RR"), "tau": (0.5, float("nan"))}, known=(True, False))
    [{'metric': 'AP', 'tau': 0.5}]
    """
    rows = [dict(zip(columns, map(plain, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows if known is None else [row for row, kept in zip(rows, known, strict=True) if kept]


def finite(value: Any) -> float | None:
    """A number; None where it is NaN or infinite, which charts do not draw."""
    return float(value) if np.isfinite(value) else None


def down(field: str, names: Iterable[str]) -> Any:
    """Names from the top down, in this order."""
    return alt.Y(f"{field}:N", sort=list(names), title=None)


def across(field: str, title: str, **scale: Any) -> Any:
    """Numbers from left to right, not from 0 unless they are near it."""
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False, **scale))


def tips(*words: str, **formats: str) -> list[Any]:
    """What a tooltip says: words, and then numbers in their formats."""
    return [*(f"{word}:N" for word in words), *(alt.Tooltip(f"{key}:Q", format=f) for key, f in formats.items())]


def intervals(base: Any, x: Any = "low:Q") -> Any:
    """Lines from low to high; `x` says more of where they begin."""
    return base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")


def line_at(value: float, name: str) -> Any:
    """A dashed line across a chart."""
    return alt.Chart(data([{name: value}])).mark_rule(strokeDash=[4, 4], color="#888888").encode(x=f"{name}:Q")


def dots(columns: Mapping[str, Any], names: list[str], value: str, x: Any, known: Any = None, under: Any = ()) -> Any:
    """A value of each metric with its interval from low to high, metrics in this order; tooltips say all columns."""
    base = alt.Chart(data(points(columns, known))).encode(y=down("metric", names))
    tip = ["metric:N", *(f"{name}:Q" for name in columns if name != "metric")]
    circles = base.mark_circle(size=60, color="#D55E00").encode(x=f"{value}:Q", tooltip=tip)
    return alt.layer(*under, intervals(base, x), circles)


def panels(rows: list[dict[str, Any]], layers: Iterable[Any], by: str, names: Iterable[str], **size: int) -> Any:
    """The same picture for each name, side by side."""
    facet = alt.Facet(f"{by}:N", sort=list(names), title=None)
    return alt.layer(*layers, data=data(rows)).properties(**size).facet(facet=facet, columns=3)
