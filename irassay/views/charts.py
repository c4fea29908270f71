"""Parts that charts share: rows of data, names along an axis, tooltips, intervals, panels, heat maps of metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irassay.views import altair as alt
from irassay.views.canonical import starred
from irassay.views.theme import data
from irassay.views.view import plain

MATRIX = 12  # metrics whose matrix has room for numbers


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


def down(field: str, names: Iterable[str]) -> "alt.Y":
    """Names from the top down, in this order."""
    return alt.Y(f"{field}:N", sort=list(names), title=None)


def across(field: str, title: str, **scale: Any) -> "alt.X":
    """Numbers from left to right, not from 0 unless they are near it."""
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False, **scale))


def tips(*words: str, **formats: str) -> list[Any]:
    """What a tooltip says: words, and then numbers in their formats."""
    said = [alt.Tooltip(f"{word}:N") for word in words]  # altair takes ten times as long to make one of a string
    return [*said, *(alt.Tooltip(f"{key}:Q", format=f) for key, f in formats.items())]


def intervals(base: "alt.Chart", x: Any = None) -> "alt.Chart":
    """Lines from low to high; `x` says more of where they begin."""
    return base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q") if x is None else x, x2=alt.X2("high:Q"))


def titled(text: str, under: str | list[str]) -> "alt.TitleParams":
    """A title with a line below it, or several."""
    return alt.TitleParams(text=text, subtitle=under)


def line_at(value: float, name: str) -> "alt.Chart":
    """A dashed line across a chart."""
    return alt.Chart(data([{name: value}])).mark_rule(strokeDash=[4, 4], color="#888888").encode(x=alt.X(f"{name}:Q"))


def dots(
    columns: Mapping[str, Any], names: list[str], value: str, x: Any, known: Any = None, under: Any = ()
) -> "alt.AnyChart":
    """A value of each metric with its interval from low to high, metrics in this order; tooltips say all columns."""
    base = alt.Chart(data(points(columns, known))).encode(y=down("metric", names))
    tip = [alt.Tooltip("metric:N"), *(alt.Tooltip(f"{name}:Q") for name in columns if name != "metric")]
    circles = base.mark_circle(size=60, opacity=1).encode(x=alt.X(f"{value}:Q"), tooltip=tip)
    return alt.layer(*under, intervals(base, x), circles)


def panels(
    rows: list[dict[str, Any]], layers: Iterable[Any], by: str, names: Iterable[str], **size: int
) -> "alt.AnyChart":
    """The same picture for each name, side by side."""
    facet = alt.Facet(f"{by}:N", sort=list(names), title=None)
    return alt.layer(*layers, data=data(rows)).properties(**size).facet(facet=facet, columns=3)


def heat_map(
    metrics: Sequence[str],
    values: Any,
    order: Sequence[int],
    what: str,
    title: str,
    ends: tuple[Any, Any] | None = None,
) -> "alt.AnyChart":
    """[metric, metric] as colours, metrics in the order given; `ends` are those of intervals, for the tooltips."""
    name = starred(metrics)
    sort = [name[metrics[m]] for m in order]
    cells: list[dict[str, Any]] = [
        {"metric": name[metrics[a]], "other": name[metrics[b]], what: float(values[a, b])}
        | ({"low": float(ends[0][a, b]), "high": float(ends[1][a, b])} if ends else {})
        for a in order
        for b in order
        if np.isfinite(values[a, b])
    ]
    size = 26 if len(metrics) <= 20 else 15
    told = [what, "low", "high"] if ends else [what]
    base = alt.Chart(data(cells), title=title).encode(
        x=alt.X("other:N", sort=sort, title=None, axis=alt.Axis(labelAngle=-90)),
        y=down("metric", sort),
        tooltip=tips("metric", "other", **dict.fromkeys(told, ".3f")),
    )
    least = float(np.floor(10 * min((row[what] for row in cells), default=0.0)) / 10)
    scale = alt.Scale(scheme="viridis", domain=[min(least, 0.9), 1])
    chart = base.mark_rect().encode(color=alt.Color(f"{what}:Q", scale=scale))
    if len(metrics) <= MATRIX:
        ink = alt.condition(f"datum['{what}'] > {(least + 2) / 3}", alt.value("black"), alt.value("white"))
        chart = chart + base.mark_text(fontSize=9).encode(text=alt.Text(f"{what}:Q", format=".2f"), color=ink)
    return chart.properties(width=alt.Step(size), height=alt.Step(size))
