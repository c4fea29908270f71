"""Charts of a whole assay: every metric by what it is good for, and systems between their bounds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irassay.report.assay import Assay
from irassay.report.charts import data
from irassay.report.verdicts import CARE, SOUND, UNSOUND, Verdict

WIDTH, HEIGHT = 560, 320  # of the picture of all metrics, in pixels
LETTER, LINE = 6.2, 13  # of a name in it
LABELLED = 14  # metrics that are named in it
SIDES: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "dx": 9},
    "left": {"align": "right", "dx": -9},
    "above": {"align": "center", "dy": -13},
    "below": {"align": "center", "dy": 14},
}
LOOKS = {SOUND: ("#0072B2", "circle"), CARE: ("#E69F00", "diamond"), UNSOUND: ("#D55E00", "triangle-up")}


def landscape(found: Assay, judged: Mapping[str, Verdict]) -> Any:
    """Every metric by how consistent and how powerful it is."""
    import altair as alt

    power, steady = found.discrimination.power(found.alpha), found.consistency.mean
    points = [
        {"metric": metric, "verdict": judged[metric].word, "consistency": float(steady[m]), "power": float(power[m])}
        for m, metric in enumerate(found.metrics)
        if not np.isnan(steady[m])
    ]
    below = alt.Legend(orient="bottom")
    words, looks = list(LOOKS), list(LOOKS.values())
    base = alt.Chart(data(points)).encode(
        x=alt.X("consistency:Q", title="consistency: tau between halves of the topics", scale=alt.Scale(zero=False)),
        y=alt.Y("power:Q", title="power: pairs of systems told apart", axis=alt.Axis(format="%")),
        tooltip=[
            *("metric:N", "verdict:N"),
            alt.Tooltip("power:Q", format=".1%"),
            alt.Tooltip("consistency:Q", format=".3f"),
        ],
    )
    colour = alt.Color(
        "verdict:N", title=None, legend=below, scale=alt.Scale(domain=words, range=[look[0] for look in looks])
    )
    shape = alt.Shape(
        "verdict:N", title=None, legend=below, scale=alt.Scale(domain=words, range=[look[1] for look in looks])
    )
    chart = base.mark_point(filled=True, size=110, opacity=0.85).encode(color=colour, shape=shape)
    named = [points[n] | {"side": side} for n, side in labels(points).items()]
    for side, look in SIDES.items():
        here = [point for point in named if point["side"] == side]
        if here:
            text = alt.Chart(data(here)).mark_text(fontSize=11, **look)
            chart = chart + text.encode(x="consistency:Q", y="power:Q", text="metric:N")
    return chart.properties(width=WIDTH, height=HEIGHT)


def labels(points: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """On which side of its point each name stands, by the number of the point; names without room are left out.

    >>> near = {"consistency": 0.9, "power": 0.5, "metric": "AP"}
    >>> labels([near, near | {"consistency": 0.5, "metric": "RR"}])
    {0: 'left', 1: 'right'}
    """
    if len(points) > LABELLED:
        return {}
    spread = [np.array([point[key] for point in points]) for key in ("consistency", "power")]
    low, high = spread[0].min(initial=1.0), spread[0].max(initial=0.0)
    x = WIDTH * (spread[0] - low) / max(high - low, 1e-9)
    y = HEIGHT * (1 - spread[1] / max(spread[1].max(initial=0.0), 1e-9))
    taken = [(cx - 6, cy - 6, cx + 6, cy + 6) for cx, cy in zip(x.tolist(), y.tolist(), strict=True)]
    found: dict[int, str] = {}
    for n, point in enumerate(points):
        long = LETTER * len(point["metric"])
        starts = {
            "right": (x[n] + 9, y[n] - LINE / 2),
            "left": (x[n] - 9 - long, y[n] - LINE / 2),
            "above": (x[n] - long / 2, y[n] - 13 - LINE / 2),
            "below": (x[n] - long / 2, y[n] + 14 - LINE / 2),
        }
        for side, (left, top) in starts.items():
            box = (float(left), float(top), float(left + long), float(top + LINE))
            others = taken[:n] + taken[n + 1 :]
            if left > -40 and left + long < WIDTH + 20 and not any(_overlap(box, other) for other in others):
                found[n] = side
                taken.append(box)
                break
    return found


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def judged_intervals(found: Assay) -> Any:
    """Every system's mean by the main metric, between what missing judgements could make of it."""
    import altair as alt

    assert found.bounds is not None
    m = found.metrics.index(found.main)
    mean = found.scores.means()[:, m]
    order = np.argsort(-mean if found.scores.higher_is_better[m] else mean, kind="stable")
    lines = [
        {
            "system": found.scores.systems[s],
            "mean": float(mean[s]),
            "worst": float(found.bounds[s, m, 0]),
            "best": float(found.bounds[s, m, 1]),
        }
        for s in order
    ]
    base = alt.Chart(data(lines)).encode(
        y=alt.Y("system:N", sort=[line["system"] for line in lines], title=None),
        tooltip=["system:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "worst", "best"))],
    )
    x = alt.X("worst:Q", title=f"{found.main}: mean, and what missing judgements could make of it")
    return (
        base.mark_rule(strokeWidth=4, opacity=0.45, color=LOOKS[CARE][0]).encode(x=x, x2="best:Q")
        + base.mark_point(filled=True, size=40, opacity=1, color=LOOKS[SOUND][0]).encode(x="mean:Q")
    ).properties(width=420, height=alt.Step(13))
