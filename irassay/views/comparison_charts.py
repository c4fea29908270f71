"""The chart of intervals of a comparison of systems."""

import numpy as np

from irassay.meta.comparison_by_metric import Comparison
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, interval_lines, name_axis, tooltips
from irassay.views.theme import row_chart
from irassay.views.verdict_matrix import VERDICTS, verdict_colours


def interval_chart(result: Comparison, metric: str) -> "alt.AnyChart":
    """Differences from the best system, or from the baseline, with their intervals."""
    anchor = int(result.order[0]) if result.baseline is None else result.systems.index(result.baseline)
    test = result.test
    p = np.flatnonzero((test.i == anchor) | (test.j == anchor))  # [pair] with the anchor
    first = test.i[p] == anchor
    flip = np.where(first, -1.0, 1.0)
    low, high = np.sort([flip * result.low[p], flip * result.high[p]], axis=0)
    ends = np.concatenate([[0.0], flip * test.difference[p], low[np.isfinite(low)], high[np.isfinite(high)]])
    beyond = 0.05 * np.ptp(ends)
    left, right = np.isinf(low), np.isinf(high)  # [pair] whether the interval is open on this side
    texts = [f"{a:.4f} to {b:.4f}".replace("inf", "∞") for a, b in zip(low, high, strict=True)]
    low, high = np.clip(low, ends.min() - beyond, None), np.clip(high, None, ends.max() + beyond)
    columns = {
        "system": [result.systems[other] for other in np.where(first, test.j[p], test.i[p])],
        "difference": flip * test.difference[p],
        "low": low,
        "high": high,
        "p": result.p[p],
        "verdict": np.where(result.significant[p], np.where(flip * test.difference[p] > 0, *VERDICTS[:2]), VERDICTS[2]),
    }
    has_open = bool((left | right).any())
    if has_open:
        columns |= {"interval": texts, "open": np.where(left & right, "both", np.where(left, "left", "right"))}
    lines = sorted(chart_rows(columns), key=lambda line: -line["difference"])
    base = row_chart(lines).encode(
        y=name_axis("system", [line["system"] for line in lines]),
        color=alt.Color("verdict:N", scale=verdict_colours(), title=None),
        tooltip=tooltips("system", "verdict", "interval", difference=".4f", p=".4f")
        if has_open
        else tooltips("system", "verdict", **dict.fromkeys(("difference", "low", "high", "p"), ".4f")),
    )
    zero = row_chart([{"x": 0}]).mark_rule(strokeDash=[4, 4]).encode(x="x:Q")
    kind = "simultaneous " if result.simultaneous else ""
    kind += "" if result.alternative == "two-sided" else "one-sided "
    title = f"{metric} minus that of {result.systems[anchor]}, {kind}{1 - result.alpha:.0%} intervals".strip()
    dots = base.mark_point(filled=True, size=45).encode(x="difference:Q")
    chart = zero + interval_lines(base, alt.X("low:Q", title=title)) + dots
    for end, side in (("low", "left"), ("high", "right")) if has_open else ():
        arrows = base.transform_filter(f"datum.open == '{side}' || datum.open == 'both'")
        chart += arrows.mark_point(filled=True, shape=f"triangle-{side}", size=60).encode(x=f"{end}:Q")
    return chart.properties(width=420, height=alt.Step(13))
