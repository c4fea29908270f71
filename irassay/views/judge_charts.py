"""Charts of judges: agreement with intervals, confusion of grades, rankings under their labels, and a map."""

from typing import Any

import numpy as np

from irassay.meta.judges.method import Judges
from irassay.prose import level_text
from irassay.views import altair as alt
from irassay.views.charts import SHARE_TIP, cell_rows, chart_rows, chart_title, interval_lines, name_axis, tooltips
from irassay.views.labels import label_offsets
from irassay.views.theme import row_chart

MAP_SIZE, MAP_FONT = 560, 10  # pixels of the map's longer side, and of its letters


def best_judges(result: Judges) -> list[int]:
    """The judges by agreement with the reference, best first."""
    return [result.judges.index(name) for name, _ in result.ranked()]


def agreement_chart(result: Judges) -> "alt.AnyChart":
    """The agreement of every judge with the reference, with its interval, best first."""
    order, s = best_judges(result), result.statistics.index(result.by)
    columns = {"judge": [result.judges[j] for j in order], result.by: result.value[order, s]}
    columns |= {"low": result.low[order, s], "high": result.high[order, s]}
    title = chart_title(
        f"Agreement of judges with {result.reference}", f"lines: {level_text(result.alpha)} intervals over topics"
    )
    return _interval_chart(columns, result.by, result.by, title)


def ranking_chart(result: Judges) -> "alt.AnyChart":
    """tau with the reference's ranking under every judge, with its interval, by the first metric."""
    conclusions = result.conclusions
    assert conclusions is not None
    low, high = conclusions.interval("tau")
    order = np.argsort(-conclusions.tau[:, 0], kind="stable")
    columns = {"judge": [conclusions.judges[j] for j in order], "tau": conclusions.tau[order, 0]}
    columns |= {"low": low[order, 0], "high": high[order, 0]}
    under = f"by {conclusions.metrics[0]}; lines: {level_text(result.alpha)} intervals over topics"
    title = chart_title("Rankings of systems by the labels of each judge", under)
    return _interval_chart(columns, "tau", f"tau with the ranking by {result.reference}", title)


def _interval_chart(columns: dict[str, Any], value: str, x_title: str, title: "alt.TitleParams") -> "alt.AnyChart":
    """A dot and its interval for each judge."""
    base = row_chart(chart_rows(columns, np.isfinite(columns[value]))).encode(
        y=name_axis("judge", columns["judge"]),
        tooltip=tooltips("judge", **dict.fromkeys((value, "low", "high"), ".4f")),
    )
    dots = base.mark_point(filled=True, size=45).encode(x=f"{value}:Q")
    chart = interval_lines(base, alt.X("low:Q", title=x_title)) + dots
    return chart.properties(title=title, width=420, height=alt.Step(13))


def confusion_chart(result: Judges) -> "alt.AnyChart":
    """The confusion of grades by each judge, as shares of the documents with the reference's grade."""
    order, grades = best_judges(result), [f"{grade:g}" for grade in result.grades]
    names = [result.judges[j] for j in order]
    documents = result.confusion[order]  # [judge, reference's grade, judge's grade]
    total = documents.sum(axis=2, keepdims=True)
    counts = {"share": documents / np.maximum(total, 1), "documents": documents}
    known = np.broadcast_to(total > 0, documents.shape)
    cells = cell_rows({"judge": names, "reference": grades, "given": grades}, counts, known)
    chart = row_chart(cells).mark_rect()
    chart = chart.encode(
        x=alt.X("given:N", sort=grades, title="judge's grade", axis=alt.Axis(labelAngle=0, labelOverlap=False)),
        y=alt.Y("reference:N", sort=grades, title=f"grade by {result.reference}"),
        color=alt.Color("share:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1])),
        tooltip=tooltips("judge", "reference", "given", share=SHARE_TIP, documents=",d"),
    ).properties(width=90, height=90)
    under = f"share of the documents with each grade by {result.reference}"
    shown = chart.facet(facet=alt.Facet("judge:N", sort=names, title=None), columns=5)
    return shown.properties(title=chart_title("Confusion of grades", under))


def map_chart(result: Judges) -> "alt.AnyChart":
    """A map of judges: the closer two are, the more similar are their labels."""
    low, high = result.map.min(axis=0), result.map.max(axis=0)
    room = 0.1 * max(float((high - low).max()), 1e-9)
    start, extent = low - room, high - low + 2 * room
    width, height = extent / extent.max() * MAP_SIZE  # the same scale on both axes
    place = (result.map - start) / extent * [width, -height] + [0, height]  # [judge, 2] pixels, y downwards
    offset, has_room = label_offsets(place, result.names, (width, height), font=MAP_FONT)
    columns: dict[str, Any] = {"judge": result.names, "kind": ["reference", *("judge" for _ in result.judges)]}
    columns |= {"x": result.map[:, 0], "y": result.map[:, 1], "named": has_room, "dx": offset[:, 0], "dy": offset[:, 1]}
    bare = alt.Axis(labels=False, ticks=False, grid=False)
    scales = [alt.Scale(domain=[low, high], nice=False) for low, high in np.stack([start, start + extent], 1).tolist()]
    under = ["near: similar labels (classical scaling of 1 − ordinal alpha)"]
    under += [] if has_room.all() else ["points without a name have no room for it"]
    base = row_chart(chart_rows(columns), title=chart_title("Similarity of judges", under)).encode(
        x=alt.X("x:Q", title="first coordinate", axis=bare, scale=scales[0]),
        y=alt.Y("y:Q", title="second coordinate", axis=bare, scale=scales[1]),
        tooltip=tooltips("judge"),
    )
    below = alt.Legend(orient="bottom")  # on the right it would hide names
    dots = base.mark_point(filled=True, size=60).encode(color=alt.Color("kind:N", title=None, legend=below))
    off: dict[str, Any] = {axis: alt.ExprRef(f"datum.{axis}") for axis in ("dx", "dy")}
    text = base.transform_filter("datum.named").mark_text(fontSize=MAP_FONT, baseline="middle", align="center", **off)
    return alt.layer(dots, text.encode(text="judge:N")).properties(width=width, height=height)
