"""Parts shared by charts: rows of data, axes, tooltips, intervals, panels, heat maps of metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irassay.views import altair as alt
from irassay.views.canonical import starred_names
from irassay.views.table_columns import grid_columns, plain_value
from irassay.views.theme import DASHES, LINE_COLOURS, inline_data, row_chart, without_nan

SHARE_TIP = ".2~%"  # of shares in tooltips: 99.99% is not 100%
DARK_SHARE = 0.45  # of viridis, from its start, on which white is easier to read than black
MATRIX_METRICS = 12  # metrics up to which a matrix has room for numbers


def chart_rows(columns: Mapping[str, Any], known: Any = None) -> list[dict[str, Any]]:
    """Columns of numpy or plain values as rows of chart data; with `known`, only the rows where it is true.

    >>> chart_rows({"metric": ("AP", "RR"), "tau": (0.5, float("nan"))}, known=(True, False))
    [{'metric': 'AP', 'tau': 0.5}]
    """
    rows = [dict(zip(columns, map(plain_value, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows if known is None else [row for row, kept in zip(rows, known, strict=True) if kept]


def cell_rows(axes: Mapping[str, Iterable[Any]], values: Mapping[str, Any], known: Any = None) -> list[dict[str, Any]]:
    """The cells of a grid as rows of chart data, with None for numbers that charts do not draw: NaN and infinity.

    With `known`, only the cells where it is true.

    >>> cell_rows({"metric": ("AP", "RR"), "half": (1, 2)}, {"tau": np.eye(2)}, known=np.eye(2) > 0)
    [{'metric': 'AP', 'half': 1, 'tau': 1.0}, {'metric': 'RR', 'half': 2, 'tau': 1.0}]
    """
    rows: list[dict[str, Any]] = without_nan(
        chart_rows(grid_columns(axes, values), None if known is None else known.ravel())
    )
    return rows


def name_axis(field: str, names: Iterable[str]) -> "alt.Y":
    """A vertical axis of names, in this order from the top."""
    return alt.Y(f"{field}:N", sort=list(names), title=None)


def number_axis(field: str, title: str, **scale: Any) -> "alt.X":
    """A horizontal axis of numbers, which need not start at 0."""
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False, **scale))


def tooltips(*words: str, **formats: str) -> list[Any]:
    """A tooltip of fields of words, then of numbers with their formats."""
    names = [alt.Tooltip(f"{word}:N") for word in words]  # from plain strings altair takes ten times as long
    return [*names, *(alt.Tooltip(f"{key}:Q", format=f) for key, f in formats.items())]


def interval_lines(base: "alt.Chart", x: Any = None) -> "alt.Chart":
    """Lines from low to high; `x` is the axis of `low`, if it is not the default."""
    return base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q") if x is None else x, x2=alt.X2("high:Q"))


def class_scale(colours: Mapping[str, str], present: Iterable[str]) -> "alt.Scale":
    """The colours of the classes that a chart has, in their order; a class without data would be empty in the legend.

    >>> class_scale({"better": "blue", "equal": "grey", "worse": "red"}, iter(["worse", "better"])).to_dict()
    {'domain': ['better', 'worse'], 'range': ['blue', 'red']}
    """
    classes = set(present)
    shown = [name for name in colours if name in classes]
    return alt.Scale(domain=shown, range=[colours[name] for name in shown])


def line_legend() -> "alt.Legend":
    """A legend that shows lines, even if the chart has bands too."""
    return alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3, symbolSize=300)


def line_channels(field: str, names: Iterable[str]) -> dict[str, Any]:
    """The channels by which lines differ: their colours and, if there are more lines than colours, dashes.

    >>> list(line_channels("metric", "abc")), list(line_channels("metric", "abcdefgh"))
    (['color'], ['color', 'strokeDash'])
    """
    domain, legend = [*names], line_legend()
    channels = {"color": alt.Color(f"{field}:N", title=None, scale=alt.Scale(domain=domain), legend=legend)}
    if len(domain) <= len(LINE_COLOURS):
        return channels
    dashes = [DASHES[n // len(LINE_COLOURS) % len(DASHES)] for n in range(len(domain))]
    scale = alt.Scale(domain=domain, range=dashes)
    return channels | {"strokeDash": alt.StrokeDash(f"{field}:N", title=None, scale=scale, legend=legend)}


def distinct_lines(lines: Mapping[str, Any]) -> dict[str, Any]:
    """The lines of a chart; those that coincide are one line with all their names, since one would hide the others.

    >>> distinct_lines({"C": [0.5, 1.0], "W": [0.5, 0.5], "L": [0.5, 0.5]})
    {'C': [0.5, 1.0], 'W = L': [0.5, 0.5]}
    """
    groups: list[list[str]] = []
    for name, line in lines.items():
        same = (group for group in groups if np.allclose(lines[group[0]], line, equal_nan=True))
        if group := next(same, None):
            group.append(name)
        else:
            groups.append([name])
    return {" = ".join(f"{name}" for name in group): lines[group[0]] for group in groups}


def chart_title(text: str, under: str | list[str]) -> "alt.TitleParams":
    """A chart title with one or more lines below it."""
    return alt.TitleParams(text=text, subtitle=under)


def dashed_line(value: float, name: str) -> "alt.Chart":
    """A dashed vertical line across a chart."""
    return row_chart([{name: value}]).mark_rule(strokeDash=[4, 4], color="#888888").encode(x=alt.X(f"{name}:Q"))


def dot_chart(
    columns: Mapping[str, Any], names: list[str], value: str, x: Any, known: Any = None, under: Any = ()
) -> "alt.AnyChart":
    """A dot with an interval for each metric, in the order of names; tooltips have all columns."""
    base = row_chart(chart_rows(columns, known)).encode(y=name_axis("metric", names))
    tip = [alt.Tooltip("metric:N"), *(alt.Tooltip(f"{name}:Q") for name in columns if name != "metric")]
    circles = base.mark_circle(size=60, opacity=1).encode(x=alt.X(f"{value}:Q"), tooltip=tip)
    return alt.layer(*under, interval_lines(base, x), circles)


def panels(
    rows: list[dict[str, Any]], layers: Iterable[Any], by: str, names: Iterable[str], **size: Any
) -> "alt.AnyChart":
    """The same chart for each name, side by side."""
    facet = alt.Facet(f"{by}:N", sort=list(names), title=None)
    return alt.layer(*layers, data=inline_data(rows)).properties(**size).facet(facet=facet, columns=3)


def heat_map(
    metrics: Sequence[str],
    values: Any,
    order: Sequence[int],
    label: str,
    title: "str | alt.TitleParams",
    ends: tuple[Any, Any] | None = None,
) -> "alt.AnyChart":
    """[metric, metric] values as colours, metrics in this order; `ends` are the ends of intervals, for tooltips."""
    name = starred_names(metrics)
    sort = [name[metrics[m]] for m in order]
    numbers = {label: values} | (dict(zip(("low", "high"), ends, strict=True)) if ends else {})
    numbers = {key: array[np.ix_(order, order)] for key, array in numbers.items()}
    cells = chart_rows(grid_columns({"metric": sort, "other": sort}, numbers), np.isfinite(numbers[label]).ravel())
    size = 26 if len(metrics) <= 20 else 15
    base = row_chart(cells, title=title).encode(
        x=alt.X("other:N", sort=sort, title=None, axis=alt.Axis(labelAngle=-90, orient="top")),
        y=name_axis("metric", sort),
        tooltip=tooltips("metric", "other", **dict.fromkeys(numbers, ".3f")),
    )
    lowest = float(np.floor(10 * min((row[label] for row in cells), default=0.0)) / 10)
    start = min(lowest, 0.9)
    scale = alt.Scale(scheme="viridis", domain=[start, 1])
    chart = base.mark_rect().encode(color=alt.Color(f"{label}:Q", scale=scale))
    if len(metrics) <= MATRIX_METRICS:
        ink = alt.condition(
            f"datum['{label}'] > {start + DARK_SHARE * (1 - start)}", alt.value("black"), alt.value("white")
        )
        text = alt.Text(f"{label}:Q", format=".2f")
        near_one = alt.condition(f"datum['{label}'] > 0.995 && datum['{label}'] < 0.9999999", alt.value(">.99"), text)
        chart = chart + base.mark_text(fontSize=9).encode(text=near_one, color=ink)
    return chart.properties(width=alt.Step(size), height=alt.Step(size))
