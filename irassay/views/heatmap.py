"""Heat maps of what every two metrics have to do with each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.views import altair as alt
from irassay.views.canonical import starred
from irassay.views.theme import data

MATRIX = 12  # metrics whose matrix has room for numbers


def heat_map(
    metrics: Sequence[str],
    values: Any,
    order: Sequence[int],
    what: str,
    title: str,
    ends: tuple[Any, Any] | None = None,
) -> Any:
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
        y=alt.Y("metric:N", sort=sort, title=None),
        tooltip=["metric:N", "other:N", *(alt.Tooltip(f"{key}:Q", format=".3f") for key in told)],
    )
    least = float(np.floor(10 * min((row[what] for row in cells), default=0.0)) / 10)
    scale = alt.Scale(scheme="viridis", domain=[min(least, 0.9), 1])
    chart = base.mark_rect().encode(color=alt.Color(f"{what}:Q", scale=scale))
    if len(metrics) <= MATRIX:
        ink = alt.condition(f"datum['{what}'] > {(least + 2) / 3}", alt.value("black"), alt.value("white"))
        chart = chart + base.mark_text(fontSize=9).encode(text=alt.Text(f"{what}:Q", format=".2f"), color=ink)
    return chart.properties(width=alt.Step(size), height=alt.Step(size))
