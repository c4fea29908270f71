"""The landscape of an assay: every metric by its consistency and its discriminative power."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.criteria import CONSISTENCY, POWER
from irassay.views import altair as alt
from irassay.views.charts import SHARE_TIP, chart_rows, chart_title, tooltips
from irassay.views.theme import row_chart

WIDTH, HEIGHT = 560, 320  # of the chart, in pixels
LETTER_WIDTH, LINE_HEIGHT = 6.2, 13  # of a label, in pixels
PHONE_WIDTH, PHONE_LETTER_WIDTH = 270, 5.0  # on a phone
MAX_LABELLED_POINTS = 16  # with more, only those that may be best and the extremes have labels
# Places of a label by its point, the best first: alignment, and pixels to the right and down.
PLACES: tuple[tuple[str, int, int], ...] = (
    *(("left", 7, -9), ("right", -7, -9), ("left", 7, 10), ("right", -7, 10)),  # beside both lines of the interval
    *(("left", 9, 0), ("right", -9, 0), ("center", 0, -13), ("center", 0, 14)),
)
METRIC, NEW = "metric", "defined by you"
LOOKS = {METRIC: ("#0072B2", "circle"), NEW: ("#E69F00", "diamond")}
Place = tuple[str, int, int]
Box = tuple[float, float, float, float]


def landscape(assay: Assay) -> "alt.AnyChart":
    """Every metric by consistency and discriminative power with their intervals.

    The controls, which would be far away from the metrics, are in the subtitle.
    """
    assert assay.profile is not None
    power, steady = assay.profile.by(POWER), assay.profile.by(CONSISTENCY)
    assert power is not None
    assert steady is not None
    names = assay.profile.metrics
    own = slice(0, len(names))
    kinds = [NEW if name in assay.new else METRIC for name in names]
    columns: dict[str, Any] = {"metric": [f"{name}" for name in names], "kind": kinds}
    columns |= {"consistency": steady.estimate[own], "from": steady.low[own], "to": steady.high[own]}
    columns |= {"power": power.estimate[own], "low": power.low[own], "high": power.high[own]}
    points = chart_rows(columns, ~np.isnan(steady.estimate[own]))
    words = [word for word in LOOKS if any(point["kind"] == word for point in points)]
    below = alt.Legend(orient="bottom") if len(words) > 1 else None
    across, up = domains(points)
    x = alt.X(
        "consistency:Q",
        title="consistency over topics: tau between halves",
        scale=alt.Scale(domain=across, nice=False, zero=False),
        axis=alt.Axis(format=".2f", tickCount=6),
    )
    y = alt.Y(
        "power:Q",
        title=["discriminative power: share of pairs", f"({assay.test})"],
        scale=alt.Scale(domain=up, nice=False),
        axis=alt.Axis(format=".0%" if up[1] > 0.2 else ".1%", tickCount=6),
    )
    base = row_chart(points).encode(x=x, y=y, tooltip=tooltips("metric", "kind", power=SHARE_TIP, consistency=".3f"))
    colours, shapes = (alt.Scale(domain=words, range=[LOOKS[word][look] for word in words]) for look in (0, 1))
    colour = alt.Color("kind:N", title=None, legend=below, scale=colours)
    shape = alt.Shape("kind:N", title=None, legend=below, scale=shapes)
    lines = base.mark_rule(opacity=0.5)
    chart = lines.encode(x=alt.X("from:Q"), x2=alt.X2("to:Q"), color=colour)
    chart += lines.encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour)
    chart += base.mark_point(filled=True, size=110, opacity=0.85).encode(color=colour, shape=shape)
    selections = [each.selection for each in (power, steady) if each.selection]
    best = {f"{assay.metrics[m]}" for each in selections for m in np.flatnonzero(each.may_be_best)}
    where = label_places(points, labelled_points(points, best))
    for n in phone_labels(points, where):
        points[n]["phone"] = True
    for align, dx, dy in dict.fromkeys(where.values()):
        here = [points[n] for n, place in where.items() if place == (align, dx, dy)]
        text = row_chart(here).mark_text(fontSize=11, align=align, dx=dx, dy=dy)  # type: ignore[arg-type]
        chart = chart + text.encode(x=alt.X("consistency:Q"), y=alt.Y("power:Q"), text=alt.Text("metric:N"))
    controls = [
        f"{name} (tau {steady.estimate[row]:.2f}, {power.estimate[row]:.0%} of pairs)"
        for row, name in enumerate(assay.profile.controls, len(names))
    ]
    under = [f"not shown: {', '.join(controls)}"] if controls else []
    if len(where) < len(points):
        under.append(
            "labels if there is room: metrics that may be best and the extremes of both axes; tooltips name all"
        )
    title = chart_title("Discriminative power and consistency, with intervals over topics", under)
    return chart.properties(width=WIDTH, height=HEIGHT, title=title)


def domains(points: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[float]]:
    """The ends of the axes of consistency and of power, with room around the points, even around a single one.

    >>> domains([{"consistency": 0.5, "power": 0.0}])
    ([0.45, 0.55], [0.0, 0.1])
    >>> domains([{"consistency": 1.0, "power": 1.0}])
    ([0.95, 1.002], [0.0, 1.08])
    """
    x = [float(point[key]) for point in points for key in ("consistency", "from", "to") if key in point] or [0.5]
    y = [float(point[key]) for point in points for key in ("power", "high") if key in point] or [0.5]
    spread = max(x) - min(x)
    room = max(0.08 * spread, 0.05 if spread < 0.02 else 0.01)
    beyond = 0.04 * max(spread, 0.05)  # 1, for whole dots, but less than a step of the axis
    return (
        [round(max(-1.0, min(x) - room), 4), round(min(1.0 + beyond, max(x) + room), 4)],
        [0.0, round(max(0.1, 1.08 * max(y)), 4)],
    )


def labelled_points(points: Sequence[Mapping[str, Any]], best: Set[str]) -> list[int]:
    """The indices of the points with labels: all if few, otherwise the extremes of both axes, the user's, and the best.

    >>> few = [{"consistency": n, "power": n, "metric": str(n), "kind": METRIC} for n in range(20)]
    >>> labelled_points(few, {"7"})
    [0, 19, 7]
    """
    metrics = [n for n, point in enumerate(points) if point["kind"] == METRIC]
    if len(points) <= MAX_LABELLED_POINTS or not metrics:
        return list(range(len(points)))
    ends = {pick(metrics, key=lambda n: points[n][key]) for pick in (min, max) for key in ("consistency", "power")}
    chosen = [n for n in reversed(metrics) if points[n]["metric"] in best]
    first = {(points[n]["consistency"], points[n]["power"]): n for n in chosen}  # one label for each place
    required = ends | (set(range(len(points))) - set(metrics))
    return [*sorted(required), *sorted(set(first.values()) - required)]


def label_places(points: Sequence[Mapping[str, Any]], labelled: Sequence[int] | None = None) -> dict[int, Place]:
    """Indices of points to the places of their labels; a label that would cover a point or another label is left out.

    >>> near = {"consistency": 0.9, "power": 0.5, "metric": "AP"}
    >>> label_places([near, near | {"metric": "RR"}])
    {0: ('left', 7, -9), 1: ('right', -7, -9)}
    """
    across, up = domains(points)
    x = [WIDTH * (point["consistency"] - across[0]) / (across[1] - across[0]) for point in points]
    y = [HEIGHT * (1 - point["power"] / up[1]) for point in points]
    occupied = [(cx - 6, cy - 6, cx + 6, cy + 6) for cx, cy in zip(x, y, strict=True)]
    places: dict[int, Place] = {}
    for n in range(len(points)) if labelled is None else labelled:
        long = LETTER_WIDTH * len(points[n]["metric"])
        others = [box for m, box in enumerate(occupied) if m != n]
        boxes = {place: _box(x[n], y[n], long, place) for place in PLACES}
        free = (
            place
            for place, box in boxes.items()
            if box[0] >= 0 and box[2] <= WIDTH + 20 and box[1] >= -10 and box[3] <= HEIGHT
            if not any(_overlap(box, other) for other in others)
        )
        if place := next(free, None):
            places[n] = place
            occupied.append(boxes[place])
    return places


def phone_labels(points: Sequence[Mapping[str, Any]], where: Mapping[int, Place]) -> list[int]:
    """The indices of the points whose labels do not cover each other if the chart is as narrow as a phone."""
    across, up = domains(points)
    names: dict[int, Box] = {}
    for n, (_, _, dy) in where.items():
        x = (points[n]["consistency"] - across[0]) / (across[1] - across[0])
        side: Place = ("right", -8, dy) if x > 0.5 else ("left", 8, dy)  # as page.js does
        long = PHONE_LETTER_WIDTH * len(points[n]["metric"])
        box = _box(PHONE_WIDTH * x, HEIGHT * (1 - points[n]["power"] / up[1]), long, side)
        if box[0] >= -PHONE_LETTER_WIDTH and not any(_overlap(box, other) for other in names.values()):
            names[n] = box
    return list(names)


def _box(x: float, y: float, long: float, place: Place) -> Box:
    """The box of a label: left, top, right, bottom."""
    align, dx, dy = place
    left = x + dx - {"left": 0.0, "right": long, "center": long / 2}[align]
    return left, y + dy - LINE_HEIGHT / 2, left + long, y + dy + LINE_HEIGHT / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
