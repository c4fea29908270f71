"""The view of how a metric scores one ranking."""

from typing import Any

import numpy as np

from irassay.metrics.declaration import Declaration
from irassay.metrics.explanation import Explanation
from irassay.notes import Note
from irassay.views.charts import cell_rows, chart_rows, distinct_lines
from irassay.views.table_columns import column_table
from irassay.views.theme import DASHES, LINE_COLOURS
from irassay.views.view import View

CURVE_NOTE = (
    "C: the probability that a user at the rank goes on; H: that they stop there, 1 - C; L: the share of all users who "
    "stop at the rank; W: the rank's share of attention; residual: the share of the ranks below"
)
CURVES = {"C continues": "C", "W attention": "W", "L stops": "L", "residual": "residual", "earned": "earned"}


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
        notes.append(CURVE_NOTE)
        notes.append("discount: what one unit of gain at the rank adds to the score [jiang2016, eq. 8]")
    notes += [unchecked_note(meaning)] if meaning.unchecked else []
    notes += [meaning.empty_list] if meaning.empty_list else []
    brief = tuple(name for name in columns if name != "H") if result.is_model else ()
    table, charts = column_table("ranks", columns, brief=brief), (("curves", lambda: curves(result)),)
    return View(f"{result.name}", tuple(sentences), (table,), tuple(notes), charts, meaning.cite)


def unchecked_note(declaration: Declaration) -> Note:
    """What of a metric was checked against no independent source."""
    return Note(f"no independent source confirms {declaration.name}: {declaration.unchecked}", caveat=True)


def curves(result: Explanation, title: str = "") -> dict[str, Any]:
    """C, W, L, the residual and what is earned by rank; for a metric without a user model, bars of what is earned.

    A Vega-Lite specification written by hand, because altair is slow and a report has one for every metric.
    """
    spec = _curve_lines(result) if result.is_model else _earned_bars(result)
    default = f"{result.name} on {','.join(item for item in result.items if item != '·')}"
    return {"title": title or default, "width": 480, "height": 280} | spec


def _curve_lines(result: Explanation) -> dict[str, Any]:
    """Lines by rank; a curve has the same colour and dashes for every metric."""
    known = {name: getattr(result, field) for name, field in CURVES.items()}
    lines = distinct_lines({name: line for name, line in known.items() if np.isfinite(line).any()})
    values = np.stack([*lines.values()])  # [line, rank]
    points = cell_rows({"curve": lines, "rank": range(1, values.shape[1] + 1)}, {"value": values}, np.isfinite(values))
    looks = [[*CURVES].index(name.split(" = ")[0]) for name in lines]  # those of the line's first curve
    legend = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 300}
    curve = {"field": "curve", "type": "nominal", "title": None, "legend": legend}
    encoding = {
        "x": {
            "field": "rank",
            "type": "quantitative",
            "axis": {"tickMinStep": 1, "format": "d"},
            "scale": {"domain": [1, values.shape[1]], "nice": False},
        },
        "y": {"field": "value", "type": "quantitative", "title": "probability or score"},
        "color": curve | {"scale": {"domain": [*lines], "range": [LINE_COLOURS[n] for n in looks]}},
        "strokeDash": curve | {"scale": {"domain": [*lines], "range": [DASHES[n] for n in looks]}},
        "tooltip": [
            {"field": "rank", "type": "quantitative"},
            {"field": "curve", "type": "nominal"},
            {"field": "value", "type": "quantitative", "format": ".4f"},
        ],
    }
    mark = {"type": "line", "point": {"size": 28}, "strokeWidth": 2}
    return {"data": {"values": points}, "mark": mark, "encoding": encoding}


def _earned_bars(result: Explanation) -> dict[str, Any]:
    """What each rank adds to the score."""
    bars = chart_rows({"rank": range(1, len(result.earned) + 1), "result": result.items, "earned": result.earned})
    encoding = {
        "x": {"field": "rank", "type": "ordinal", "axis": {"labelAngle": 0}},
        "y": {"field": "earned", "type": "quantitative", "title": "added to the score"},
        "tooltip": [
            {"field": "rank", "type": "ordinal"},
            {"field": "result", "type": "nominal"},
            {"field": "earned", "type": "quantitative", "format": ".4f"},
        ],
    }
    return {"data": {"values": bars}, "mark": {"type": "bar", "width": {"band": 0.7}}, "encoding": encoding}
