"""Charts of Figures 1 and 2 and Table 3 of Chen and Sakai (2023), for any collection."""

import itertools

import numpy as np

from irassay.meta.consistency import Consistency
from irassay.meta.discrimination import Discrimination
from irassay.meta.similarity import Similarity
from irassay.metrics.grids import aggregation, browsing_model
from irassay.views import altair as alt
from irassay.views.consistency import interval_dots
from irassay.views.discrimination import asl_curves
from irassay.views.theme import inline_data

PANELS_PER_ROW = 3


def on_collection(name: str) -> str:
    """The name of a collection in a title; nothing for a user's own."""
    return f" on {name}" if name else ""


def heat_maps(result: Similarity, name: str = "") -> "alt.AnyChart":
    """Heat maps of tau between aggregations, with intervals, one panel per browsing model."""
    models: dict[str, list[int]] = {}
    for m, metric in enumerate(result.metrics):
        models.setdefault(browsing_model(metric), []).append(m)
    lowest_tau = float(np.nanmin([result.tau[np.ix_(of, of)].min() for of in models.values()]))
    panels = []
    for model, of in models.items():
        names = [aggregation(result.metrics[m]) for m in of]
        cells = [
            {
                "aggregation": name,
                "other": other,
                "tau": float(result.tau[a, b]),
                "shown": f"{result.tau[a, b]:.3f}",
                "interval": f"({result.low[a, b]:.3f}, {result.high[a, b]:.3f})",
            }
            for (name, a), (other, b) in itertools.permutations(zip(names, of, strict=True), 2)
        ]
        base = alt.Chart(inline_data(cells), title=model).encode(
            x=alt.X("other:N", sort=names, title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("aggregation:N", sort=names, title=None),
            tooltip=["aggregation:N", "other:N", "shown:N", "interval:N"],
        )
        scale = alt.Scale(scheme="viridis", domain=[min(lowest_tau, 0.5), 1])
        colour = base.mark_rect().encode(color=alt.Color("tau:Q", scale=scale))
        ink = alt.condition("datum.tau > 0.75", alt.value("black"), alt.value("white"))
        above = base.mark_text(fontSize=10, dy=-5).encode(text="shown:N", color=ink)
        below = base.mark_text(fontSize=7, dy=7).encode(text="interval:N", color=ink)
        panels.append((colour + above + below).properties(width=alt.Step(62), height=alt.Step(34)))
    title = f"chen2023, Figure 1{on_collection(name)}: Kendall's tau of system rankings and its 95 % interval"
    return alt.concat(*panels, columns=PANELS_PER_ROW).properties(title=title)


def consistencies(result: Consistency, name: str = "") -> "alt.AnyChart":
    """Mean tau of every metric, with its interval over topics."""
    chart = interval_dots(result, [name for name, _ in result.ranked()])
    return chart.properties(title=f"chen2023, Table 3{on_collection(name)}: consistency over halves of the topics")


def curves(result: Discrimination, name: str = "") -> "alt.AnyChart":
    """ASL curves, one panel per browsing model."""
    return asl_curves(result).properties(title=f"chen2023, Figure 2{on_collection(name)}: ASL curves")
