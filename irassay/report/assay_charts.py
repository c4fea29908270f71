"""Charts of a whole assay: every metric by what it is good for, and systems between their bounds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irassay.report.assay import Assay
from irassay.report.charts import data
from irassay.report.verdicts import CARE, SOUND, UNSOUND, Verdict

LABELLED = 14  # metrics whose names find room in the picture
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
    colour = alt.Color("verdict:N", title=None, scale=alt.Scale(domain=words, range=[look[0] for look in looks]))
    shape = alt.Shape("verdict:N", title=None, scale=alt.Scale(domain=words, range=[look[1] for look in looks]))
    chart = base.mark_point(filled=True, size=110, opacity=0.85).encode(color=colour, shape=shape)
    for place, side in zip(*labels([(point["consistency"], point["power"], point["metric"]) for point in points])):
        named = alt.Chart(data([points[place]])).mark_text(fontSize=11, **SIDES[side])
        chart = chart + named.encode(x="consistency:Q", y="power:Q", text="metric:N")
    return chart.properties(width=WIDTH, height=HEIGHT)


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
