"""Charts for Albahem et al. (2019): how often metrics disagree as sessions go on, and how metrics rank."""

import numpy as np

from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import ALL_DIMENSIONS, RANKED_SETS, ROUNDS, Counts
from irassay.views import altair as alt
from irassay.views.theme import inline_data


def disagreement(counts: Counts) -> "alt.AnyChart":
    """The share of cases in which two metrics disagree, by iteration: the mean over pairs and its range."""
    pair = np.triu_indices(len(printed.METRICS), k=1)
    points = []
    for iteration in ROUNDS:
        for year, matrix in counts.disagreement(iteration).items():
            values = matrix[pair]
            spread = {"mean": float(values.mean()), "low": float(values.min()), "high": float(values.max())}
            points.append({"iteration": int(iteration), "year": year, **spread})
    base = alt.Chart(inline_data(points), title="albahem2019: disagreement between two metrics, by year").encode(
        x=alt.X("iteration:O"), color=alt.Color("year:N")
    )
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q", axis=alt.Axis(format="%")), y2="high:Q")
    line = base.mark_line(point=True).encode(y=alt.Y("mean:Q", title="share of cases"), tooltip=["year:N", "mean:Q"])
    return (band + line).properties(width=420, height=280)


def ranks(counts: Counts) -> "alt.AnyChart":
    """Tables 2 and 3 side by side, over all iterations: a metric's ranks by the two tests, one panel per set."""
    points = []
    for set_name, by_unanimity in zip(printed.SETS, counts.unanimity_ranks("All").tolist(), strict=True):
        by_test = counts.table_2_ranks(set_name, "All").tolist()
        for name, first, second in zip(printed.METRICS, by_test, by_unanimity, strict=True):
            points.append({"set": set_name, "metric": name, "intuitiveness": first, "unanimity": second})
    base = alt.Chart().encode(
        x=alt.X("intuitiveness:O", title="rank by intuitiveness"), y=alt.Y("unanimity:O", title="rank by unanimity")
    )
    dots = base.mark_point(filled=True, size=60)
    text = base.mark_text(dy=-9, fontSize=9).encode(text="metric:N")
    panel = alt.layer(dots, text, data=inline_data(points)).properties(width=200, height=180)
    source = "Tables 2 and 3 (recomputed)" if counts.has_2015 else "Tables 2 (as printed) and 3 (recomputed)"
    return panel.facet(facet=alt.Facet("set:N", sort=list(printed.SETS), title=None), columns=3).properties(
        title=f"albahem2019, {source}: ranks over all iterations"
    )


def ranks_by_iteration(counts: Counts) -> "alt.AnyChart":
    """Footnote 5: the rank of every metric by intuitiveness at every iteration, one panel per set of dimensions."""
    points = [
        {"set": set_name, "iteration": int(iteration), "metric": metric, "rank": rank}
        for set_name in RANKED_SETS
        for iteration in ROUNDS
        for metric, rank in zip(printed.METRICS, counts.three_year_ranks(set_name, iteration).tolist(), strict=True)
    ]
    lines = (
        alt.Chart(inline_data(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("iteration:O", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("rank:Q", scale=alt.Scale(reverse=True), axis=alt.Axis(values=list(range(1, 8)))),
            color=alt.Color("metric:N", sort=list(printed.METRICS)),
            tooltip=["set:N", "iteration:O", "metric:N", "rank:Q"],
        )
        .properties(width=200, height=150)
    )
    years = counts.years_phrase if counts.has_2015 else f"2016 and 2017; {ALL_DIMENSIONS} with 2015"
    return lines.facet(facet=alt.Facet("set:N", sort=list(RANKED_SETS), title=None), columns=3).properties(
        title=f"albahem2019, footnote 5: ranks by intuitiveness at every iteration ({years})"
    )
