"""Charts of how metrics rank systems: matrices, intervals, curves and bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.meta.agreement import Agreement
from irassay.meta.alternatives import REPORTED, Alternatives
from irassay.meta.consistency import Consistency
from irassay.meta.discrimination import Discrimination
from irassay.meta.robustness.method import Robustness
from irassay.meta.similarity import Similarity
from irassay.metrics.grids import aggregation, browsing, canonical
from irassay.views.theme import data

MATRIX = 12  # metrics whose matrix has room for numbers
POINTS = 200  # of a curve
ZOOMED = 0.1  # p-values below this have a panel of their own
AXES = (("x", "power"), ("y", "consistency"))
USUAL_TAU = 0.9  # where the axis of tau begins at the latest


def starred(metrics: Sequence[str]) -> dict[str, str]:
    """What each metric is called in a chart."""
    found = set(canonical(metrics))
    return {metric: metric + " *" if metric in found else metric for metric in metrics}


def heat_map(
    metrics: Sequence[str],
    values: Any,
    order: Sequence[int],
    what: str,
    title: str,
    ends: tuple[Any, Any] | None = None,
) -> Any:
    """[metric, metric] as colours, metrics in the order given; `ends` are those of intervals, for the tooltips."""
    import altair as alt

    name = starred(metrics)
    sort = [name[metrics[m]] for m in order]
    cells: list[dict[str, Any]] = [
        {"metric": name[metrics[a]], "other": name[metrics[b]], what: float(values[a, b])}
        | ({"low": float(ends[0][a, b]), "high": float(ends[1][a, b])} if ends else {})
        for a in order
        for b in order
        if np.isfinite(values[a, b])
    ]
    size = 26 if len(metrics) <= 20 else 15
    told = [what, "low", "high"] if ends else [what]
    base = alt.Chart(data(cells), title=title).encode(
        x=alt.X("other:N", sort=sort, title=None, axis=alt.Axis(labelAngle=-90)),
        y=alt.Y("metric:N", sort=sort, title=None),
        tooltip=["metric:N", "other:N", *(alt.Tooltip(f"{key}:Q", format=".3f") for key in told)],
    )
    least = float(np.floor(10 * min((row[what] for row in cells), default=0.0)) / 10)
    scale = alt.Scale(scheme="viridis", domain=[min(least, 0.9), 1])
    chart = base.mark_rect().encode(color=alt.Color(f"{what}:Q", scale=scale))
    if len(metrics) <= MATRIX:
        ink = alt.condition(f"datum['{what}'] > {(least + 2) / 3}", alt.value("black"), alt.value("white"))
        chart = chart + base.mark_text(fontSize=9).encode(text=alt.Text(f"{what}:Q", format=".2f"), color=ink)
    return chart.properties(width=alt.Step(size), height=alt.Step(size))


def similarity_map(result: Similarity) -> Any:
    """tau between every two metrics, with Fieller's interval in the tooltip."""
    ends = result.low, result.high
    return heat_map(result.metrics, result.tau, result.order, "tau", "Similarity of rankings", ends)


def interval_dots(result: Consistency, names: Sequence[str]) -> Any:
    """Mean tau of every metric with its interval."""
    import altair as alt

    low, high = result.interval()
    called = starred(result.metrics)
    group = [browsing(metric) or "other" for metric in result.metrics]
    points = [
        {
            "metric": called[name],
            "model": group[m],
            "mean": float(result.mean[m]),
            "low": float(low[m]),
            "high": float(high[m]),
        }
        for m, name in enumerate(result.metrics)
        if not np.isnan(result.mean[m])
    ]
    few = len(set(group)) <= min(8, len(group) // 2)
    base = alt.Chart(data(points), title="Consistency over halves of the topics").encode(
        y=alt.Y("metric:N", sort=[called[name] for name in names], title=None),
        tooltip=["metric:N", *(alt.Tooltip(f"{what}:Q", format=".3f") for what in ("mean", "low", "high"))],
    )
    if few:
        base = base.encode(color=alt.Color("model:N", title="browsing model"))
    x = alt.X("mean:Q", title="mean tau", scale=alt.Scale(zero=False))
    return (
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q") + base.mark_point(filled=True, size=60).encode(x=x)
    ).properties(width=420)


def asl_curves(result: Discrimination) -> Any:
    """p-values from the largest to the smallest, a line for each metric; a panel for each browsing model of several."""
    import altair as alt

    curves = result.asl()
    pairs = len(curves)
    at = np.unique(np.linspace(0, pairs - 1, min(pairs, POINTS)).round().astype(int))
    called = starred(result.metrics)
    models = [browsing(metric) for metric in result.metrics]
    panels = len(result.metrics) > 8 and 1 < len(set(models)) <= len(models) // 2
    points = [
        {
            "metric": called[metric],
            "model": models[m] or "other",
            "line": (aggregation(metric) or metric) if panels else called[metric],
            "kind": "canonical" if called[metric] != metric else "variant",
            "pairs": float((i + 1) / pairs),
            "p": float(curves[i, m]),
        }
        for m, metric in enumerate(result.metrics)
        for i in at
    ]
    chart = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("pairs:Q", title="share of pairs", axis=alt.Axis(format="%")),
            y=alt.Y("p:Q", title="p"),
            color=alt.Color("line:N", title=None),
            detail="metric:N",
            tooltip=["metric:N", alt.Tooltip("pairs:Q", format=".1%"), alt.Tooltip("p:Q", format=".4f")],
        )
    )
    if any(point["kind"] == "canonical" for point in points):
        width = alt.Scale(domain=["canonical", "variant"], range=[3, 1.2])
        chart = chart.encode(strokeWidth=alt.StrokeWidth("kind:N", scale=width, title=None))
    below = (curves[at] < ZOOMED).any(axis=1)
    low = float((at[below].min() + 1) / pairs) if below.any() else 0.0
    near = chart.mark_line(clip=True).encode(
        x=alt.X("pairs:Q", title="share of pairs", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[low, 1])),
        y=alt.Y("p:Q", title=f"p below {ZOOMED:g}", scale=alt.Scale(domain=[0, ZOOMED])),
    )
    title = "Achieved significance levels"
    if panels:
        facet = alt.Facet("model:N", title=None)
        parts = [part.properties(width=240, height=180).facet(facet=facet, columns=3) for part in (chart, near)]
        return alt.vconcat(*parts).properties(title=title)
    parts = [part.properties(width=400, height=320) for part in (chart, near)]
    return alt.hconcat(*parts).properties(title=title)


def outcome_bars(result: Agreement, pairs: Sequence[tuple[int, int]]) -> Any:
    """The five outcomes of pairs of metrics, as shares of the pairs of systems."""
    import altair as alt

    every = len(result.metrics) * (len(result.metrics) - 1) // 2
    which = f": {len(pairs)} of {every:,} pairs of metrics, least agreement first" if len(pairs) < every else ""
    kinds = ("SSA", "NN", "SN", "NS", "SSD")
    names = [f"{result.metrics[a]} / {result.metrics[b]}" for a, b in pairs]
    percent = alt.Axis(format="%")
    bars = [
        {
            "pair": name,
            "outcome": kind,
            "order": kinds.index(kind),
            "share": float(getattr(result, kind)[a, b] / result.pairs),
        }
        for name, (a, b) in zip(names, pairs, strict=True)
        for kind in kinds
    ]
    colours = alt.Scale(domain=list(kinds), range=["#0072B2", "#56B4E9", "#E69F00", "#F0E442", "#D55E00"])
    return (
        alt.Chart(data(bars), title=f"Agreement of significant differences{which}")
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of the pairs of systems", axis=percent, scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("pair:N", sort=names, title=None, axis=alt.Axis(labelLimit=600)),
            color=alt.Color("outcome:N", scale=colours, title=None),
            order="order:Q",
            tooltip=["pair:N", "outcome:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=420)
    )


def robustness_curves(result: Robustness, kind: str) -> Any:
    """tau with the reference ranking by how much is left of the judgements, a line for each metric."""
    import altair as alt

    levels = [level for each, level in result.cases() if each == kind]
    called = starred(result.metrics)
    points: list[dict[str, Any]] = []
    for level in levels:
        mean, sd = result.mean("tau", kind, level), result.sd("tau", kind, level)
        points += [
            {"metric": called[name], "level": float(level), "tau": float(t), "low": float(t - s), "high": float(t + s)}
            for name, t, s in zip(result.metrics, mean, sd, strict=True)
            if not np.isnan(t)
        ]
    title = {"thin": "share of judgements kept", "pool": "pool depth"}[kind]
    x = alt.X("level:Q", title=title, axis=alt.Axis(format="%" if kind == "thin" else "d"))
    # The legend shows the lines, whatever the bands look like.
    legend = alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3)
    ink = alt.Color("metric:N", title=None, legend=legend)
    base = alt.Chart(data(points), title="Robustness of the ranking of systems").encode(x=x, color=ink)
    scale = _tau_scale([point["low"] for point in points], [point["high"] for point in points])
    tip = ["metric:N", "level:Q", alt.Tooltip("tau:Q", format=".3f")]
    band = base.mark_area(opacity=0.15).encode(
        y=alt.Y("low:Q", title="tau with the reference", scale=scale), y2="high:Q"
    )
    y = alt.Y("tau:Q", title="tau with the reference", scale=scale)
    line = base.mark_line(point=alt.OverlayMarkDef(size=40)).encode(y=y, tooltip=tip)
    return (band + line).properties(width=480, height=320)


def _tau_scale(low: Sequence[float], high: Sequence[float]) -> Any:
    """An axis of tau on which nearly perfect agreement looks so: up to 1, and from .9 or a round number below."""
    import altair as alt

    least = float(np.floor(10 * min(low, default=0.0) + 1e-9) / 10)
    return alt.Scale(domain=[min(least, USUAL_TAU), max(1.0, *high) if len(high) else 1.0], nice=False)


def robustness_dots(result: Robustness, kind: str) -> Any:
    """tau with the reference ranking of every metric, a dot for each case."""
    import altair as alt

    called = starred(result.metrics)
    points: list[dict[str, Any]] = [
        {"metric": called[name], "case": level, "tau": float(t)}
        for case, (each, level) in enumerate(zip(result.kind, result.level, strict=True))
        if each == kind
        for name, t in zip(result.metrics, result.tau[case], strict=True)
        if not np.isnan(t)
    ]
    taus = [point["tau"] for point in points]
    title = {"other": "other judgements", "noise": "noise", "team": "without what one team found"}[kind]
    return (
        alt.Chart(data(points), title=f"Robustness of the ranking of systems: {title}")
        .mark_point(filled=True, opacity=0.6, size=50)
        .encode(
            x=alt.X("tau:Q", title="tau with the reference", scale=_tau_scale(taus, taus)),
            y=alt.Y("metric:N", sort=[called[name] for name in result.metrics], title=None),
            tooltip=["metric:N", "case:N", alt.Tooltip("tau:Q", format=".3f")],
        )
        .properties(width=420)
    )


def alternatives_map(result: Alternatives, chosen: Sequence[str], confirmed: Sequence[str]) -> Any:
    """Power against consistency of every metric on the reporting half; who is above and to the right gains."""
    import altair as alt

    roles = ("reference", "alternative", "chosen only", "other")
    called = starred(result.metrics)
    r = result.metrics.index(result.reference)
    power, steady = result.powers[REPORTED], result.consistency[REPORTED]
    points = [
        {
            "metric": called[name],
            "role": roles[0 if m == r else 1 if name in confirmed else 2 if name in chosen else 3],
            "power": float(power[m]),
            "consistency": float(steady[m]),
            "tau": float(result.tau[REPORTED, m]),
        }
        for m, name in enumerate(result.metrics)
        if np.isfinite([power[m], steady[m], result.tau[REPORTED, m]]).all()
    ]
    colours = alt.Scale(domain=list(roles), range=["#D55E00", "#009E73", "#E69F00", "#999999"])
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "power:Q", title="pairs told apart", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False, padding=16)
        ),
        y=alt.Y("consistency:Q", title="mean tau between halves", scale=alt.Scale(zero=False, padding=16)),
    )
    below = alt.Legend(orient="bottom")  # on the right it would hide names
    tips = [alt.Tooltip(f"{what}:Q", format=".3f") for what in ("power", "consistency", "tau")]
    dots = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        color=alt.Color("role:N", scale=colours, title=None, legend=below),
        shape=alt.Shape("role:N", scale=alt.Scale(domain=list(roles)), title=None, legend=below),
        tooltip=["metric:N", "role:N", *tips],
    )
    names = base.transform_filter("datum.role != 'other'").mark_text(align="left", dx=7, dy=-9, fontSize=10)
    here = alt.Chart(data([{"power": float(power[r]), "consistency": float(steady[r])}]))
    lines = [here.mark_rule(strokeDash=[4, 4], color="#888888").encode(**{axis: f"{what}:Q"}) for axis, what in AXES]
    title = alt.Title(f"Alternatives to {result.reference}", subtitle="on the half of the topics that is reported")
    return alt.layer(*lines, dots, names.encode(text="metric:N")).properties(width=480, height=360, title=title)
