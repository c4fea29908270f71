"""The view of how a metric scores one ranking."""

from typing import Any

import numpy as np

from irassay.metrics.declaration import Declaration
from irassay.metrics.explanation import Explanation
from irassay.notes import Note
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_rows, line_legend
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import View

CURVES = (
    "C: the probability that a user at the rank goes on; H: that they stop there, 1 - C; L: the share of all users who "
    "stop at the rank; W: the rank's share of attention; residual: the share of the ranks below"
)
LINE_WIDTH, WIDER = 2, 4  # of a line, and how much wider it is for each line above that coincides with it


def view(result: Explanation) -> View:
    """The curves of the user model, and what each rank earns."""
    ranks = np.arange(1, len(result.items) + 1)
    columns: dict[str, Any] = {"rank": ranks, "result": result.items}
    if not np.isnan(result.gain).all():
        columns["gain"] = result.gain
    if not np.all(result.cost == 1):
        columns["cost"] = result.cost
    if result.is_model:
        columns |= {"C": result.C, "W": result.W, "L": result.L, "H": 1 - result.C, "residual": result.residual}
        columns["discount"] = result.discount
    columns["earned"] = result.earned
    columns["so far"] = result.earned.cumsum()
    meaning = result.metric.meaning
    sentences = [f"{result.name}: {meaning.summary}", f"Score {result.score:.6f}."]
    if np.isfinite(result.expected_depth):
        sentences.append(f"The user is expected to examine {result.expected_depth:.4f} results.")
    elif not np.isnan(result.expected_depth):
        sentences.append("The user may never stop, so the share of attention W is undefined.")
    notes = ["aspects without a relevant document carry no weight, unless weights are given"] * meaning.weighted
    if abs(result.past) > 1e-12:
        notes.append(f"{result.past:.6f} of the score is earned past the ranks shown")
    if result.still_there > 1e-9:
        notes.append(f"the user is still reading at the last rank computed with probability {result.still_there:.2g}")
    if meaning.kind == "stop_model":
        notes.append("this metric is defined by L, the probability of stopping at a rank; C, W and H follow from it")
    if result.is_model:
        notes.append(CURVES)
        notes.append("discount: what one unit of gain at the rank adds to the score [jiang2016, eq. 8]")
    notes += [unchecked_note(meaning)] if meaning.unchecked else []
    notes += [meaning.empty_list] if meaning.empty_list else []
    brief = tuple(name for name in columns if name != "H") if result.is_model else ()
    table, charts = column_table("ranks", columns, brief=brief), (("curves", lambda: curves(result)),)
    return View(f"{result.name}", tuple(sentences), (table,), tuple(notes), charts, meaning.cite)


def unchecked_note(declaration: Declaration) -> Note:
    """What of a metric was checked against no independent source."""
    return Note(f"no independent source confirms {declaration.name}: {declaration.unchecked}", caveat=True)


def curves(result: Explanation) -> "alt.AnyChart":
    """C, W, L and the residual by rank; for a metric without a user model, bars of what each rank earns."""
    if not result.is_model:
        return _earned_bars(result)
    shown = {"C continues": result.C, "W attention": result.W, "L stops": result.L, "residual": result.residual}
    shown |= {"earned": result.earned}
    names, values = [*shown], np.stack([*shown.values()])  # [curve, rank]
    above = [sum(np.allclose(row, other) for other in values[n + 1 :]) for n, row in enumerate(values)]
    ranks = range(1, values.shape[1] + 1)
    lines = cell_rows({"curve": names, "rank": ranks}, {"value": values}, np.isfinite(values))
    base = row_chart(lines, title=_title(result), width=480, height=280).encode(
        x=alt.X("rank:Q", title="rank", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("value:Q", title="probability or score"),
        color=alt.Color("curve:N", title=None, scale=alt.Scale(domain=names), legend=line_legend()),
        tooltip=["rank:Q", "curve:N", alt.Tooltip("value:Q", format=".4f")],
    )
    return alt.layer(
        *(
            base.transform_filter(alt.datum.curve == name).mark_line(
                strokeWidth=LINE_WIDTH + WIDER * covering, point=True
            )
            for name, covering in zip(names, above, strict=True)
        )
    )


def _title(result: Explanation) -> str:
    """The metric and the ranking."""
    return f"{result.name} on {','.join(item for item in result.items if item != '·')}"


def _earned_bars(result: Explanation) -> "alt.AnyChart":
    """What each rank adds to the score."""
    bars = chart_rows({"rank": range(1, len(result.earned) + 1), "earned": result.earned})
    return (
        row_chart(bars, title=_title(result), width=480, height=280)
        .mark_bar()
        .encode(
            x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("earned:Q", title="added to the score"),
            tooltip=["rank:O", alt.Tooltip("earned:Q", format=".4f")],
        )
    )
