"""The view of metrics that could replace a reference metric."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irassay.meta.alternatives import CHOSEN_HALF, REPORTED_HALF, Alternatives
from irassay.prose import name_list, percent_text
from irassay.stats.paired_test import paired_test_label
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note, starred_names
from irassay.views.charts import chart_rows, chart_title, class_scale, tooltips
from irassay.views.labels import label_offsets
from irassay.views.table_columns import column_table, interval_ends
from irassay.views.theme import AHEAD, COLOURS, NEITHER, row_chart
from irassay.views.view import BRIEF_ROWS, Detail, View

SIZE = (480.0, 360.0)  # width and height of the chart
FONT = 10
MAX_NAMED_POINTS = 20  # metrics up to which all points have names, not only those that play a role


def view(result: Alternatives) -> View:
    """Metrics that could replace the reference, chosen on one half of the topics and reported on the other."""
    r = result.metrics.index(result.reference)
    chosen, confirmed = result.chosen(), result.confirmed()
    role = {name: 1 if name in confirmed else 2 if name in chosen else 3 for name in result.metrics}
    role[result.reference] = 0
    by_tau = np.argsort(-np.nan_to_num(result.tau[CHOSEN_HALF], nan=-2), kind="stable").tolist()
    order = [r, *(m for m in by_tau if m != r)]
    names = [result.metrics[m] for m in order]
    seen = {"tau": result.tau, "power": result.powers, "consistency": result.consistency}
    halves = ((CHOSEN_HALF, "choosing"), (REPORTED_HALF, "reporting"))
    gain = result.consistency[REPORTED_HALF] - result.consistency[REPORTED_HALF, r]
    low, high = interval_ends(gain, result.gain_low[REPORTED_HALF], result.gain_high[REPORTED_HALF])
    columns: dict[str, Any] = {
        "metric": names,
        **{f"{what} ({part})": array[half, order] for half, part in halves for what, array in seen.items()},
        "gain low": low[order],
        "gain high": high[order],
        "alternative": [("reference", "yes", "chosen only", "")[role[name]] for name in names],
    }
    test = paired_test_label(result.test, result.correction)
    notes = (
        *result.notes,
        f"Metrics were chosen on {result.topics[0]} topics (seed {result.seed}) if they have a tau of at least "
        f"{result.similar:g} with {result.reference} and are better in power (pairs discriminated at {result.alpha:g} "
        f"by {test}) or in consistency (mean tau between halves), as in chen2023. They are reported on the other "
        f"{result.topics[1]} topics, and are alternatives if they are similar, and better in the same, there too.",
        "Unlike in chen2023, a metric that is better in one must not be worse in the other: if it has more power, the "
        "interval of its gain in consistency must not lie below 0; if it is more consistent, it must have no less "
        "power.",
        f"gain: how much more consistent than {result.reference} on the reporting half; low and high are the ends of "
        f"its interval over topics; no interval for {result.reference} itself, and where every subset of the topics "
        "gives the same gain.",
        *canonical_note(result.metrics),
    )
    brief = tuple(name for name in columns if not name.endswith("(choosing)"))
    title = f"Alternatives; power: {test}"
    first = sorted(range(len(names)), key=lambda n: role[names[n]])[:BRIEF_ROWS]  # those with a role, then by tau
    rows = tuple(first) if len(names) > 2 * BRIEF_ROWS else ()
    marks = canonical_cells(names)
    table = column_table("alternatives", columns, title, marks=marks, brief=brief, brief_rows=rows)
    charts = (("alternatives", lambda: alternatives_map(result, role, test)),)
    sentences = _replacement_sentences(result, chosen, confirmed, test)
    return View(f"Alternatives to {result.reference}", sentences, (table,), notes, charts)


def _criteria_sentence(result: Alternatives) -> str:
    """What makes a metric a replacement."""
    return (
        f"A replacement ranks the systems alike (tau of {result.similar:g} or more), and is better in power or "
        "consistency and not clearly worse in the other."
    )


def _replacement_sentences(result: Alternatives, chosen: list[str], confirmed: list[str], test: str) -> tuple[str, ...]:
    if not chosen:
        return (
            f"No metric could replace {result.reference} on the {result.topics[0]} topics used to choose one.",
            _criteria_sentence(result),
        )
    halves = f"on the {result.topics[0]} topics used to choose"
    if not confirmed:
        return (
            f"No metric is confirmed as a replacement for {result.reference}.",
            f"{name_list(chosen, 8)} could replace it {halves}, but not on the other {result.topics[1]}.",
        )
    failed = [name for name in chosen if name not in confirmed]
    r = result.metrics.index(result.reference)
    powers = {name: float(result.powers[REPORTED_HALF, result.metrics.index(name)]) for name in confirmed}
    strongest = [name for name, power in powers.items() if power == max(powers.values())]
    best = result.metrics.index(strongest[0])
    most = "" if len(confirmed) == 1 else ", the most of these" if len(strongest) == 1 else ", and none of these more"
    return (
        f"{name_list(confirmed, 8)} could replace {result.reference}: {halves}, and on the other {result.topics[1]}.",
        Detail(_criteria_sentence(result)),
        *([f"{name_list(failed)} could too, but only on the topics used to choose."] if failed else []),
        f"{result.metrics[best]} separates {percent_text(result.powers[REPORTED_HALF, best])} of the pairs on the "
        f"other topics{most}; {result.reference} separates "
        f"{percent_text(result.powers[REPORTED_HALF, r])} ({test}).",
        f"Their tau is {result.tau[REPORTED_HALF, best]:.3f}.",
    )


def alternatives_map(result: Alternatives, role: Mapping[str, int], test: str) -> "alt.AnyChart":
    """Power against consistency of every metric on the reporting half; better metrics are further up and right."""
    roles = ("reference", "alternative", "chosen only", "other")
    star_names = starred_names(result.metrics)
    r = result.metrics.index(result.reference)
    power, consistency = result.powers[REPORTED_HALF], result.consistency[REPORTED_HALF]
    tau = result.tau[REPORTED_HALF]
    drawn = {"metric": star_names.values(), "role": [roles[role[name]] for name in result.metrics]}
    numbers = {"power": power, "consistency": consistency, "tau": tau}
    rows = chart_rows(drawn | numbers, np.isfinite([power, consistency, tau]).all(axis=0))
    colours = class_scale(
        dict(zip(roles, (COLOURS[3], AHEAD, COLOURS[4], NEITHER), strict=True)), (row["role"] for row in rows)
    )
    shapes = class_scale(
        dict(zip(roles, ("circle", "square", "triangle-up", "cross"), strict=True)), (row["role"] for row in rows)
    )
    x, y = (_axis([row[what] for row in rows]) for what in ("power", "consistency"))
    labelled = _labelled(rows, x, y, star_names[result.reference])
    base = row_chart(labelled).encode(
        x=alt.X("power:Q", title=f"pairs separated ({test})", axis=alt.Axis(format="%"), scale=x),
        y=alt.Y("consistency:Q", title="mean tau between halves", scale=y),
    )
    below = alt.Legend(orient="bottom")  # on the right it would hide names
    dots = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        color=alt.Color("role:N", scale=colours, title=None, legend=below),
        shape=alt.Shape("role:N", scale=shapes, title=None, legend=below),
        tooltip=tooltips("metric", "role", **dict.fromkeys(numbers, ".3f")),
    )
    off: dict[str, Any] = {axis: alt.ExprRef(f"datum.{axis}") for axis in ("dx", "dy")}
    text = base.transform_filter("datum.named").mark_text(fontSize=FONT, baseline="middle", align="center", **off)
    names = text.encode(text="metric:N")
    here = row_chart([{"power": float(power[r]), "consistency": float(consistency[r])}])
    dashed = here.mark_rule(strokeDash=[4, 4], color="#888888")
    lines = [dashed.encode(x=alt.X("power:Q", scale=x)), dashed.encode(y=alt.Y("consistency:Q", scale=y))]
    under = ["on the reporting half; further up and right is better; dashed: the reference"]
    under += [] if all(row["named"] for row in labelled) else ["points without a name have no room for it"]
    title = chart_title(f"Alternatives to {result.reference}", under)
    return alt.layer(*lines, dots, names).properties(width=SIZE[0], height=SIZE[1], title=title)


def _axis(values: list[float]) -> "alt.Scale":
    """An axis with some room on both sides of the values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.08 * (high - low) or 0.01
    start = max(0.0, low - room) if low >= 0 else low - room  # no share is negative
    return alt.Scale(domain=[start, high + room], nice=False)


def _labelled(rows: list[dict[str, Any]], x: Any, y: Any, reference: str) -> list[dict[str, Any]]:
    """The points with the places of their names; metrics without room, or without a role if many, have no name."""
    (left, right), (low, high) = x.domain, y.domain
    x_y = [[(row["power"] - left) / (right - left), (high - row["consistency"]) / (high - low)] for row in rows]
    plays = np.array([row["role"] != "other" or len(rows) <= MAX_NAMED_POINTS for row in rows], dtype=np.bool_)
    pixels = np.array(x_y).reshape(-1, 2) * SIZE
    names = [row["metric"] for row, plays_role in zip(rows, plays, strict=True) if plays_role]
    at = next((place for row, place in zip(rows, pixels, strict=True) if row["metric"] == reference), (0.0, 0.0))
    dashed = np.array([(at[0] - 1, 0, at[0] + 1, SIZE[1]), (0, at[1] - 1, SIZE[0], at[1] + 1)])
    offset, has_room = label_offsets(pixels[plays], names, SIZE, pixels[~plays], FONT, dashed)
    labelled = [dict(row, named=False) for row in rows]
    for i, (dx, dy), room in zip(np.flatnonzero(plays).tolist(), offset.tolist(), has_room.tolist(), strict=True):
        labelled[i] |= {"named": room, "dx": dx, "dy": dy}
    return labelled
