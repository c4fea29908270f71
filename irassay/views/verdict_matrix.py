"""The chart of which systems beat which: systems by systems, best first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.meta.comparison_by_metric import Comparison
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_rows, chart_title, class_scale, tooltips
from irassay.views.theme import AHEAD, BEHIND, NEITHER, row_chart

VERDICTS = ("better", "worse", "not significant")
NOT_TESTED = 2  # besides 1, -1 and 0
VERDICT_WORDS = np.array([VERDICTS[2], VERDICTS[0], "not tested", VERDICTS[1]])  # by verdict: 0, 1, NOT_TESTED, -1
VERDICT_COLOURS = dict(zip(VERDICTS, (AHEAD, BEHIND, NEITHER), strict=True))
Words = Any  # an array of words
MAX_CELL_SYSTEMS = 60  # systems up to which each pair has a cell


def verdict_colours(lines: Iterable[Mapping[str, Any]]) -> "alt.Scale":
    """The colour of each verdict in the rows of a chart, the same in every chart."""
    return class_scale(VERDICT_COLOURS, (line["verdict"] for line in lines))


def ordered_verdicts(result: Comparison) -> Ints:
    """[system, system] the verdict of each pair, best systems first; NOT_TESTED if there is none."""
    order, (i, j) = result.order, (result.test.i, result.test.j)
    verdicts = np.full((len(order), len(order)), NOT_TESTED)
    verdicts[i, j], verdicts[j, i] = result.verdicts()[i, j], result.verdicts()[j, i]
    return verdicts[np.ix_(order, order)]


def matrix_chart(result: Comparison, metric: str) -> "alt.AnyChart":
    """The verdict of each tested pair, best systems first; for many systems, equal neighbours share a bar."""
    title = f"Row against column{f', by {metric}' if metric else ''}"
    names = [result.systems[i] for i in result.order]
    return word_matrix(names, VERDICT_WORDS[ordered_verdicts(result)], title, VERDICT_COLOURS)


def word_matrix(names: Sequence[str], verdicts: Words, title: str, colours: Mapping[str, str]) -> "alt.AnyChart":
    """Verdicts [row, column] of systems on each other as colours; a verdict without a colour is left empty."""
    known = np.isin(verdicts, list(colours))
    if len(names) > MAX_CELL_SYSTEMS:
        return stretches_chart(names, verdicts, known, title, colours)
    lines = cell_rows({"system": names, "other": names}, {"verdict": verdicts}, known)
    step = alt.Step(13)
    chart = row_chart(lines, title=title, width=step, height=step).mark_rect()
    return chart.encode(
        x=alt.X("other:N", sort=list(names), title=None, axis=alt.Axis(ticks=False, orient="top", labelAngle=-90)),
        y=alt.Y("system:N", sort=list(names), title=None, axis=alt.Axis(ticks=False)),
        color=alt.Color("verdict:N", scale=class_scale(colours, (line["verdict"] for line in lines)), title=None),
        tooltip=tooltips("system", "other", "verdict"),
    )


def stretches_chart(
    names: Sequence[str], verdicts: Words, is_known: Bools, title: str, colours: Mapping[str, str]
) -> "alt.AnyChart":
    """The same for many systems, by rank: neighbours in a row with equal verdicts share a bar."""
    begins = np.ones(verdicts.shape, dtype=np.bool_)
    begins[:, 1:] = verdicts[:, 1:] != verdicts[:, :-1]
    row, start = np.nonzero(begins)
    end = np.append(start[1:], 0)
    end[np.append(row[1:] != row[:-1], True)] = len(names)
    labels = np.array(names, dtype=object)
    columns = {
        "system": labels[row],
        "from": labels[start],
        "to": labels[end - 1],
        "verdict": verdicts[row, start],
        "left": start + 0.5,
        "right": end + 0.5,
        "top": row + 0.5,
        "bottom": row + 1.5,
    }
    size = len(names) * max(1, 600 // len(names))  # an integral number of pixels per system
    side = alt.Scale(domain=[0.5, len(names) + 0.5], nice=False)
    full_title = chart_title(title, "systems by rank, best first")
    lines = chart_rows(columns, is_known[row, start])
    chart = row_chart(lines, title=full_title, width=size, height=size)
    return chart.mark_rect().encode(
        x=alt.X("left:Q", title="rank", scale=side, axis=alt.Axis(grid=False, orient="top")),
        x2=alt.X2("right:Q"),
        y=alt.Y("top:Q", title="rank", scale=alt.Scale(domain=side.domain, nice=False, reverse=True)),
        y2=alt.Y2("bottom:Q"),
        color=alt.Color("verdict:N", scale=class_scale(colours, (line["verdict"] for line in lines)), title=None),
        tooltip=tooltips("system", "from", "to", "verdict"),
    )
