"""Figure 1 of Jiang and Allan (2016), and charts of the scans that tuned its parameters."""

from functools import partial
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.meta.satisfaction.sensitivity import Sensitivity
from irassay.papers.jiang2016.scans import HALF_LIVES, LIMITS, PROBABILITIES, Scans
from irassay.papers.jiang2016.tables import TUNED
from irassay.papers.reproduction import NamedChart
from irassay.views import altair as alt
from irassay.views.sensitivity import sensitivity_curves
from irassay.views.theme import inline_data


def named_charts(scans: Scans) -> list[NamedChart]:
    """Every chart by name: Figure 1, r of TBG over h (at the best P_save for each h), of U over T, and of esNDCG."""
    tbg = partial(_curve, HALF_LIVES, scans.tbg.max(axis=0), "h (seconds)", TUNED["TBG h"], "TBG")
    u = partial(_curve, LIMITS, scans.u, "T (seconds)", TUNED["U T"], "U-measure")
    return [
        ("figure-1", partial(figure_1, scans.ratio)),
        ("scan-h", tbg),
        ("scan-T", u),
        ("scan-paths", partial(paths, scans)),
    ]


def figure_1(ratio: Sensitivity) -> "alt.AnyChart":
    """r and rho over e, one line per metric."""
    return sensitivity_curves(ratio).properties(title="jiang2016, Figure 1: correlation with the ratings over e")


def paths(scans: Scans) -> "alt.AnyChart":
    """r of esNDCG over P_down and P_reform."""
    squares = [
        {"P_reform": reform, "P_down": down, "r": float(scans.es[i, j])}
        for i, reform in enumerate(PROBABILITIES)
        for j, down in enumerate(PROBABILITIES)
    ]
    base = alt.Chart(inline_data(squares), title="jiang2016, Section 5.1: r of esNDCG with the ratings").encode(
        x="P_down:O", y="P_reform:O"
    )
    colours = base.mark_rect().encode(color=alt.Color("r:Q", scale=alt.Scale(scheme="viridis")))
    ink = alt.condition("datum.r > 0.2", alt.value("black"), alt.value("white"))
    return (colours + base.mark_text().encode(text=alt.Text("r:Q", format=".3f"), color=ink)).properties(
        width=alt.Step(48), height=alt.Step(32)
    )


def _curve(values: Any, r: Floats, parameter: str, paper_value: float, title: str) -> "alt.AnyChart":
    """A curve, and a line at the value chosen in the paper."""
    points = [{"value": float(v), "r": float(y)} for v, y in zip(values, r, strict=True) if np.isfinite(y)]
    line = (
        alt.Chart(inline_data(points), title=f"jiang2016, Section 5.1: r of {title} with the ratings")
        .mark_line()
        .encode(
            x=alt.X("value:Q", title=parameter), y=alt.Y("r:Q", scale=alt.Scale(zero=False)), tooltip=["value:Q", "r:Q"]
        )
    )
    rule = alt.Chart(inline_data([{"value": float(paper_value)}])).mark_rule(strokeDash=[4, 4]).encode(x="value:Q")
    return (line + rule).properties(width=420, height=240)
