"""The chart of intervals of a comparison of systems."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.comparison_by_metric import Comparison
from irassay.prose import level_text
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, interval_lines, name_axis, tooltips
from irassay.views.theme import row_chart
from irassay.views.verdict_matrix import VERDICTS, verdict_colours


def differences_from(
    anchor: int, systems: Sequence[str], i: Ints, j: Ints, difference: Floats, low: Floats, high: Floats
) -> dict[str, Any]:
    """The columns of differences from system `anchor`, with their intervals, of the pairs (i, j) that contain it."""
    pairs = np.flatnonzero((i == anchor) | (j == anchor))
    first = i[pairs] == anchor
    flip = np.where(first, -1.0, 1.0)
    ends = np.sort([flip * low[pairs], flip * high[pairs]], axis=0)
    others = [systems[other] for other in np.where(first, j[pairs], i[pairs])]
    return {"system": others, "difference": flip * difference[pairs], "low": ends[0], "high": ends[1]}


def interval_chart(result: Comparison, metric: str) -> "alt.AnyChart":
    """Differences from the best system, or from the baseline, with their intervals."""
    anchor = int(result.order[0]) if result.baseline is None else result.systems.index(result.baseline)
    test = result.test
    p = np.flatnonzero((test.i == anchor) | (test.j == anchor))  # [pair] with the anchor
    columns = differences_from(anchor, result.systems, test.i, test.j, test.difference, result.low, result.high)
    difference, low, high = columns["difference"], columns["low"], columns["high"]
    ends = np.concatenate([[0.0], difference, low[np.isfinite(low)], high[np.isfinite(high)]])
    beyond = 0.05 * np.ptp(ends)
    left, right = np.isinf(low), np.isinf(high)  # [pair] whether the interval is open on this side
    texts = [f"{a:.4f} to {b:.4f}".replace("inf", "∞") for a, b in zip(low, high, strict=True)]
    low, high = np.clip(low, ends.min() - beyond, None), np.clip(high, None, ends.max() + beyond)
    verdict = np.where(result.significant[p], np.where(difference > 0, *VERDICTS[:2]), VERDICTS[2])
    columns |= {"low": low, "high": high, "p": result.p[p], "verdict": verdict}
    has_open = bool((left | right).any())
    if has_open:
        columns |= {"interval": texts, "open": np.where(left & right, "both", np.where(left, "left", "right"))}
    lines = sorted(chart_rows(columns), key=lambda line: -line["difference"])
    base = row_chart(lines).encode(
        y=name_axis("system", [line["system"] for line in lines]),
        color=alt.Color("verdict:N", scale=verdict_colours(lines), title=None),
        tooltip=tooltips("system", "verdict", "interval", difference=".4f", p=".4f")
        if has_open
        else tooltips("system", "verdict", **dict.fromkeys(("difference", "low", "high", "p"), ".4f")),
    )
    zero = row_chart([{"x": 0}]).mark_rule(strokeDash=[4, 4]).encode(x="x:Q")
    kind = "simultaneous " if result.simultaneous and len(lines) > 1 else ""
    kind += "" if result.alternative == "two-sided" else "one-sided "
    of = f"{metric} " if metric else ""
    x_title = f"{of}minus that of {result.systems[anchor]}"
    under = [f"lines: {kind}{level_text(result.alpha)} intervals"]
    if any(line["verdict"] != VERDICTS[2] and line["low"] <= 0 <= line["high"] for line in lines):
        under.append("some significant differences have an interval that includes 0; there, p decides")
    title = chart_title(f"Differences from {result.systems[anchor]}", under)
    dots = base.mark_point(filled=True, size=45).encode(x="difference:Q")
    chart = zero + interval_lines(base, alt.X("low:Q", title=x_title)) + dots
    for end, side in (("low", "left"), ("high", "right")) if has_open else ():
        arrows = base.transform_filter(f"datum.open == '{side}' || datum.open == 'both'")
        chart += arrows.mark_point(filled=True, shape=f"triangle-{side}", size=60).encode(x=f"{end}:Q")
    return chart.properties(width=420, height=alt.Step(13), title=title)
