"""Maps over the values of two parameters that vary together, one for each metric."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irassay.arrays import Ints
from irassay.meta.satisfaction.fitting import Fitting
from irassay.meta.satisfaction.sensitivity import Sensitivity
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, panels

MOST_NUMBERS = 64  # cells of a map that have room for their numbers


def pair_maps(result: Sensitivity | Fitting, shown: Mapping[str, Any], best: Ints, numbers: str) -> "alt.AnyChart":
    """The first of some arrays [value, metric] as colours, with the best pair of each metric [metric] framed.

    A second array, of truth values, adds a dot where it is true. `numbers` is the format of numbers in the cells.
    """
    value, *marked = shown
    x, y = result.value_columns().values()
    cells = cell_rows({"place": range(len(x)), "metric": result.metrics}, shown)
    for cell in cells:
        place = cell.pop("place")
        cell |= {"x": float(x[place]), "y": float(y[place])}
        cell["is best"] = bool(place == best[result.metrics.index(cell["metric"])])
    places = [alt.Tooltip(f"{field}:Q", title=name) for field, name in zip("xy", result.parameters, strict=True)]
    axis = alt.Axis(labelAngle=0, format="~g")
    base = alt.Chart().encode(
        x=alt.X("x:O", title=result.parameter, axis=axis),
        y=alt.Y("y:O", title=result.second, sort="descending", axis=axis),
        tooltip=["metric:N", *places, alt.Tooltip(f"{value}:Q", format=numbers)],
    )
    known = [cell[value] for cell in cells if cell[value] is not None]
    colour = alt.Color(f"{value}:Q", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(format=numbers))
    layers = [base.mark_rect().encode(color=colour)]
    middle = float(np.mean([min(known, default=0.0), max(known, default=1.0)]))
    ink = alt.condition(f"datum['{value}'] > {middle}", alt.value("black"), alt.value("white"))
    few = len(x) <= MOST_NUMBERS
    if few:
        layers.append(base.mark_text(fontSize=10).encode(text=alt.Text(f"{value}:Q", format=numbers), color=ink))
    for mark in marked:
        dots = base.transform_filter(f"datum['{mark}']").mark_circle(size=14, opacity=1, yOffset=11 if few else 0)
        layers.append(dots.encode(color=ink))
    frame = base.transform_filter("datum['is best']").mark_rect(filled=False, stroke="#d55e00", strokeWidth=3)
    size = {"width": alt.Step(38), "height": alt.Step(34)} if few else {"width": alt.Step(18), "height": alt.Step(18)}
    return panels(cells, (*layers, frame), "metric", result.metrics, **size)
