"""The chart of which systems beat which: systems by systems, best first."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from irassay.arrays import Ints
from irassay.meta.comparison_by_metric import Comparison
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_rows, chart_title, class_scale, tooltips
from irassay.views.theme import AHEAD, BEHIND, NEITHER, row_chart

VERDICTS = ("better", "worse", "not significant")
NOT_TESTED = 2  # besides 1, -1 and 0
VERDICT_WORDS = np.array([VERDICTS[2], VERDICTS[0], "not tested", VERDICTS[1]])  # by verdict: 0, 1, NOT_TESTED, -1
MAX_CELL_SYSTEMS = 60  # systems up to which each pair has a cell


def verdict_colours(lines: Iterable[Mapping[str, Any]]) -> "alt.Scale":
    """The colour of each verdict in the rows of a chart, the same in every chart."""
    colours = dict(zip(VERDICTS, (AHEAD, BEHIND, NEITHER), strict=True))
    return class_scale(colours, (line["verdict"] for line in lines))


def ordered_verdicts(result: Comparison) -> Ints:
    """[system, system] the verdict of each pair, best systems first; NOT_TESTED if there is none."""
    order, (i, j) = result.order, (result.test.i, result.test.j)
    verdicts = np.full((len(order), len(order)), NOT_TESTED)
    verdicts[i, j], verdicts[j, i] = result.verdicts()[i, j], result.verdicts()[j, i]
    return verdicts[np.ix_(order, order)]


def matrix_chart(result: Comparison, metric: str) -> "alt.AnyChart":
    """The verdict of each tested pair, best systems first; for many systems, equal neighbours share a bar."""
    untested = "; empty: not tested" if result.baseline else ""
    title = f"Row against column{f', by {metric}' if metric else ''}{untested}"
    if len(result.systems) > MAX_CELL_SYSTEMS:
        return stretches_chart(result, title)
    verdicts, names = ordered_verdicts(result), [result.systems[i] for i in result.order]
    words = {"verdict": VERDICT_WORDS[verdicts]}
    lines = cell_rows({"system": names, "other": names}, words, verdicts != NOT_TESTED)
    step = alt.Step(13)
    chart = row_chart(lines, title=title, width=step, height=step).mark_rect()
    return chart.encode(
        x=alt.X("other:N", sort=names, title=None, axis=alt.Axis(ticks=False, orient="top", labelAngle=-90)),
        y=alt.Y("system:N", sort=names, title=None, axis=alt.Axis(ticks=False)),
        color=alt.Color("verdict:N", scale=verdict_colours(lines), title=None),
        tooltip=tooltips("system", "other", "verdict"),
    )


def stretches_chart(result: Comparison, title: str) -> "alt.AnyChart":
    """The same for many systems, by rank: neighbours in a row with equal verdicts share a bar."""
    order = result.order
    verdicts = ordered_verdicts(result)
    begins = np.diff(verdicts, axis=1, prepend=3) != 0
    row, start = np.nonzero(begins)
    end = np.append(start[1:], 0)
    end[np.append(row[1:] != row[:-1], True)] = len(order)
    kind = verdicts[row, start]
    names = np.array(result.systems, dtype=object)[order]
    columns = {
        "system": names[row],
        "from": names[start],
        "to": names[end - 1],
        "verdict": VERDICT_WORDS[kind],
        "left": start + 0.5,
        "right": end + 0.5,
        "top": row + 0.5,
        "bottom": row + 1.5,
    }
    size = len(order) * max(1, 600 // len(order))  # an integral number of pixels per system
    side = alt.Scale(domain=[0.5, len(order) + 0.5], nice=False)
    full_title = chart_title(title, "by rank, best first; neighbours with equal verdicts share a bar")
    lines = chart_rows(columns, kind != NOT_TESTED)
    chart = row_chart(lines, title=full_title, width=size, height=size)
    return chart.mark_rect().encode(
        x=alt.X("left:Q", title="rank", scale=side, axis=alt.Axis(grid=False, orient="top")),
        x2=alt.X2("right:Q"),
        y=alt.Y("top:Q", title="rank", scale=alt.Scale(domain=side.domain, nice=False, reverse=True)),
        y2=alt.Y2("bottom:Q"),
        color=alt.Color("verdict:N", scale=verdict_colours(lines), title=None),
        tooltip=tooltips("system", "from", "to", "verdict"),
    )
