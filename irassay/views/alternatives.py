"""The view of metrics that could stand in for a reference."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irassay.meta.alternatives import CHOSEN_HALF, REPORTED_HALF, Alternatives
from irassay.prose import count_phrase, first_few
from irassay.stats.paired_test import test_label
from irassay.views import altair as alt
from irassay.views.canonical import marked, on_canonical, starred
from irassay.views.charts import points, tips, titled
from irassay.views.labels import placed
from irassay.views.theme import AHEAD, COLOURS, NEITHER, data
from irassay.views.view import View, by_column

SIZE = (480.0, 360.0)  # of the picture
FONT = 10


def view(result: Alternatives) -> View:
    """Metrics that could stand in for the reference, as chosen on one half of the topics and seen on the other."""
    r = result.metrics.index(result.reference)
    chosen, confirmed = result.chosen(), result.confirmed()
    role = {name: 1 if name in confirmed else 2 if name in chosen else 3 for name in result.metrics}
    role[result.reference] = 0
    order = [r] + [m for m in np.argsort(-np.nan_to_num(result.tau[CHOSEN_HALF], nan=-2), kind="stable").tolist() if m != r]
    names = [result.metrics[m] for m in order]
    seen = {"tau": result.tau, "power": result.powers, "consistency": result.consistency}
    halves = ((CHOSEN_HALF, "choosing"), (REPORTED_HALF, "reporting"))
    columns: dict[str, Any] = {
        "metric": names,
        **{f"{what} ({part})": array[half, order] for half, part in halves for what, array in seen.items()},
        "gain low": result.gain_low[REPORTED_HALF, order],
        "gain high": result.gain_high[REPORTED_HALF, order],
        "alternative": [("reference", "yes", "chosen only", "")[role[name]] for name in names],
    }
    how = test_label(result.test, result.correction)
    notes = (
        *result.notes,
        f"Chosen on {result.topics[0]} topics (seed {result.seed}): tau with {result.reference} of at least "
        f"{result.similar:g}, and better in power (pairs discriminated at {result.alpha:g} by {how}) or in consistency "
        f"(mean tau between halves), as chen2023 asks. Reported on the other {result.topics[1]}; there it must be "
        "similar, and better in the same again.",
        "Unlike chen2023, what is better in one must not be worse in the other: with more power, the interval of its "
        "gain in consistency must not lie below 0; with more consistency, it must have no less power.",
        f"gain: how much more consistent than {result.reference} on the reporting half; low and high are the ends of "
        "its interval over topics.",
        *on_canonical(result.metrics),
    )
    title, said = f"Alternatives to {result.reference}", _stand_ins(result, chosen, confirmed, how)
    table = by_column("alternatives", columns, f"Alternatives; power: {how}", marks=marked(names))
    charts = (("alternatives", lambda: alternatives_map(result, role, how)),)
    return View(title, said, (table,), notes, charts)


def _stand_ins(result: Alternatives, chosen: list[str], confirmed: list[str], how: str) -> tuple[str, ...]:
    if not chosen:
        return (
            f"No metric ranks the systems as {result.reference} does (tau of {result.similar:g} or more) and is better "
            f"in something without being worse in another, on the {result.topics[0]} topics that were chosen on.",
        )
    said = [
        f"By these criteria {count_phrase(len(chosen), 'metric')} could stand in for {result.reference} on the topics "
        f"chosen on, and on the other topics still {len(confirmed)}: {first_few(confirmed, 8)}."
        if confirmed
        else f"By these criteria {count_phrase(len(chosen), 'metric')} could stand in for {result.reference} on the topics "
        "chosen on, but none on the other topics."
    ]
    if confirmed:
        r = result.metrics.index(result.reference)
        best = max((result.metrics.index(name) for name in confirmed), key=lambda m: result.powers[REPORTED_HALF, m])
        said.append(
            f"{result.metrics[best]} has the most power of them on the topics reported ({how}): it discriminates "
            f"{result.powers[REPORTED_HALF, best]:.1%} of the pairs, {result.reference} {result.powers[REPORTED_HALF, r]:.1%}; "
            f"their tau is {result.tau[REPORTED_HALF, best]:.3f}."
        )
    return tuple(said)


def alternatives_map(result: Alternatives, role: Mapping[str, int], how: str) -> "alt.AnyChart":
    """Power against consistency of every metric on the reporting half; who is above and to the right gains."""
    roles = ("reference", "alternative", "chosen only", "other")
    test_label = starred(result.metrics)
    r = result.metrics.index(result.reference)
    power, steady = result.powers[REPORTED_HALF], result.consistency[REPORTED_HALF]
    tau = result.tau[REPORTED_HALF]
    drawn = {"metric": test_label.values(), "role": [roles[role[name]] for name in result.metrics]}
    numbers = {"power": power, "consistency": steady, "tau": tau}
    rows = points(drawn | numbers, np.isfinite([power, steady, tau]).all(axis=0))
    colours = alt.Scale(domain=list(roles), range=[COLOURS[3], AHEAD, COLOURS[4], NEITHER])
    x, y = (_axis([row[what] for row in rows]) for what in ("power", "consistency"))
    base = alt.Chart(data(_named(rows, x, y))).encode(
        x=alt.X("power:Q", title=f"pairs discriminated ({how})", axis=alt.Axis(format="%"), scale=x),
        y=alt.Y("consistency:Q", title="mean tau between halves", scale=y),
    )
    below = alt.Legend(orient="bottom")  # on the right it would hide names
    dots = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        color=alt.Color("role:N", scale=colours, title=None, legend=below),
        shape=alt.Shape("role:N", scale=alt.Scale(domain=list(roles)), title=None, legend=below),
        tooltip=tips("metric", "role", **dict.fromkeys(numbers, ".3f")),
    )
    off: dict[str, Any] = {axis: alt.ExprRef(f"datum.{axis}") for axis in ("dx", "dy")}
    text = base.transform_filter("datum.named").mark_text(fontSize=FONT, baseline="middle", align="center", **off)
    names = text.encode(text="metric:N")
    here = alt.Chart(data([{"power": float(power[r]), "consistency": float(steady[r])}]))
    dashed = here.mark_rule(strokeDash=[4, 4], color="#888888")
    lines = [dashed.encode(x=alt.X("power:Q", scale=x)), dashed.encode(y=alt.Y("consistency:Q", scale=y))]
    title = titled(
        f"Alternatives to {result.reference}",
        ["on the half of the topics that is reported", "names where there is room"],
    )
    return alt.layer(*lines, dots, names).properties(width=SIZE[0], height=SIZE[1], title=title)


def _axis(values: list[float]) -> "alt.Scale":
    """An axis with some room on both sides of the values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.08 * (high - low) or 0.01
    return alt.Scale(domain=[low - room, high + room], nice=False)


def _named(rows: list[dict[str, Any]], x: Any, y: Any) -> list[dict[str, Any]]:
    """The points with where their names stand; metrics that play no role have none, nor those without room."""
    (left, right), (low, high) = x.domain, y.domain
    at = np.array(
        [[(row["power"] - left) / (right - left), (high - row["consistency"]) / (high - low)] for row in rows]
    )
    plays = np.array([row["role"] != "other" for row in rows], dtype=np.bool_)
    pixels = at.reshape(-1, 2) * SIZE
    names = [row["metric"] for row in rows if row["role"] != "other"]
    offset, shown = placed(pixels[plays], names, SIZE, pixels[~plays], FONT)
    found, where = [dict(row, named=False) for row in rows], np.flatnonzero(plays)
    for i, (dx, dy), room in zip(where.tolist(), offset.tolist(), shown.tolist(), strict=True):
        found[i] |= {"named": room, "dx": dx, "dy": dy}
    return found
