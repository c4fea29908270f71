"""The view of how well a metric's ranking of systems repeats on other topics."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from irassay.meta.consistency import Consistency
from irassay.metrics.labels import model_name
from irassay.prose import count_phrase
from irassay.views import altair as alt
from irassay.views.canonical import marked, on_canonical, starred
from irassay.views.charts import across, down, intervals, points, tips
from irassay.views.theme import data
from irassay.views.view import PAIRS_SHOWN, Table, View, by_column


def view(result: Consistency) -> View:
    """How well the ranking of the systems repeats on other topics."""
    order = np.argsort(-np.nan_to_num(result.mean, nan=-np.inf), kind="stable")
    low, high = result.interval()
    beats = result.beats()
    names = [result.metrics[m] for m in order]
    columns: dict[str, Any] = {"metric": names, "mean tau": result.mean[order], "low": low[order], "high": high[order]}
    columns |= {"sd": result.sd[order], "splits": result.valid[order]}
    if not np.isnan(result.drawn_error).all():
        columns["MC error"] = result.monte_carlo_error()[order]
    if result.compared:
        columns["beats the worst"] = beats[order]
    if any(result.group):
        columns["compared within"] = [result.group[m] for m in order]
    tables = [by_column("consistency", columns, "Consistency", digits=3, marks=marked(names))]
    if result.compared:
        tables.append(_split_tests(result))
    notes = (
        *result.notes,
        (f"Each of {len(result.tau):,} splits" if len(result.tau) > 1 else "The one split")
        + f" (seed {result.seed}) is the same for all metrics; tau is tau-b.",
        f"low and high: {1 - result.alpha:.0%} interval over topics, by leaving out a fifth of them at a time; "
        "sd is over splits."
        + (
            " MC error is how much low and high vary with the seed (a standard deviation); more subsets "
            "and splits lessen it."
            if "MC error" in columns
            else ""
        ),
        *on_canonical(result.metrics),
    )
    charts = (("consistency", lambda: interval_dots(result, names)),)
    cite = ("carterette2012",) if result.compared else ()
    return View("Consistency of system rankings", _steady(result, order), tuple(tables), notes, charts, cite)


def _split_tests(result: Consistency) -> Table:
    """Every two metrics that were compared over the splits, with the papers' p-value."""
    rows = [
        (result.metrics[a], result.metrics[b], float(result.mean[a] - result.mean[b]), float(result.p[a, b]))
        for a, b in combinations(range(len(result.metrics)), 2)
        if not np.isnan(result.p[a, b])
    ]
    columns = ("metric", "other metric", "difference", "p (over splits)")
    title = "Randomised HSD over the splits, as the papers have it"
    return Table("splits", columns, tuple(rows), title, most=PAIRS_SHOWN, p_columns=columns[-1:])


def _steady(result: Consistency, order: Iterable[Any]) -> tuple[str, ...]:
    usable = [int(m) for m in order if not np.isnan(result.mean[m])]
    about = f"{count_phrase(result.systems, 'system')} on halves of {count_phrase(result.topics, 'topic')}"
    if not usable:
        return (f"No metric ranks {about}.",)
    low, high = result.interval()
    best, worst = usable[0], usable[-1]
    said = [
        f"{result.metrics[best]} ranks {about} the most consistently: mean tau {result.mean[best]:.3f} "
        f"({1 - result.alpha:.0%} interval over topics {low[best]:.3f} to {high[best]:.3f})."
    ]
    if worst != best:
        beaten = [m for m in usable if m != best and result.difference(result.metrics[best], result.metrics[m])[1] > 0]
        first, rivals = result.metrics[best], len(usable) - 1
        if rivals == 1:
            ahead = "The interval of their difference " + ("lies above 0" if beaten else "contains 0")
        elif beaten:
            ahead = f"{first} is ahead of {len(beaten)} of {rivals} others: the interval of the difference, "
            ahead += f"{1 - result.alpha:.0%} for one pair of metrics at a time, lies above 0"
        else:
            ahead = f"The intervals of the differences between {first} and {rivals} others all contain 0"
        said.append(f"{result.metrics[worst]} is the least consistent ({result.mean[worst]:.3f}). {ahead}.")
    return tuple(said)


def interval_dots(result: Consistency, names: Sequence[str]) -> "alt.AnyChart":
    """Mean tau of every metric with its interval."""
    low, high = result.interval()
    called = starred(result.metrics)
    group = [model_name(metric) or "other" for metric in result.metrics]
    drawn = {"metric": called.values(), "model": group, "mean": result.mean, "low": low, "high": high}
    rows = points(drawn, ~np.isnan(result.mean))
    base = alt.Chart(data(rows), title="Consistency over halves of the topics").encode(
        y=down("metric", [called[name] for name in names]), tooltip=tips("metric", mean=".3f", low=".3f", high=".3f")
    )
    if len(set(group)) <= min(8, len(group) // 2):
        base = base.encode(color=alt.Color("model:N", title="browsing model"))
    dots = base.mark_point(filled=True, size=60).encode(x=across("mean", "mean tau"))
    return (intervals(base) + dots).properties(width=420)
