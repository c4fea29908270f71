"""The view of how far metrics share people's choices between two result lists."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.preference import Preference
from irassay.prose import counted
from irassay.views import altair as alt
from irassay.views.phrases import beside
from irassay.views.theme import data
from irassay.views.view import Cell, Table, View, rows


def view(result: Preference, alpha: float = 0.05) -> View:
    """Which metric shares most choices, and which are no better than a coin."""
    order = np.argsort(-result.agreement, kind="stable")
    best = int(order[0])
    close = [m for m in order[1:] if not result.pair_p[best, m] < alpha]
    sentences = [
        f"{result.metrics[best]} shares {'the most' if len(order) > 1 else 'so many'} of "
        f"{counted(result.choices(), 'choice')}: {result.agreement[best]:.1%} "
        f"[{result.low[best]:.1%}, {result.high[best]:.1%}]{beside(len(close), len(order) - 1)}."
    ]
    coins = [result.metrics[m] for m in order if not result.p[m] < alpha]
    if coins:
        sentences.append(f"No better than a coin, as far as these choices show: {', '.join(coins)}.")
    columns: dict[str, Any] = {
        "metric": [result.metrics[m] for m in order],
        "agreement": result.agreement[order],
        "low": result.low[order],
        "high": result.high[order],
        "p": result.p[order],
        "gamma": result.gamma()[order],
        "shared": result.agree[order],
        "reversed": result.differ[order],
        "tied": result.tied[order],
    }
    lines: list[tuple[Cell, ...]] = [
        (
            *(result.metrics[a], result.metrics[b]),
            *(float(result.agreement[a] - result.agreement[b]), float(result.pair_p[a, b])),
        )
        for a in range(len(result.metrics))
        for b in range(a + 1, len(result.metrics))
    ]
    notes = [
        *result.notes,
        f"Intervals redraw {result.clusters}s, and p lets {result.clusters}s change sides ({result.trials:,} trials, "
        f"seed {result.seed}). Ties of a metric count half.",
    ]
    if result.undecided or result.unscored:
        notes.append(
            f"Left out: {counted(result.undecided, 'choice')} of neither list, {result.unscored} without a score for "
            "both lists."
        )
    return View(
        "Preference",
        tuple(sentences),
        (
            Table("metrics", tuple(columns), rows(*columns.values()), "Agreement with choices"),
            Table("pairs", ("metric", "other", "difference", "p"), tuple(lines), "Every two metrics", most=40),
        ),
        tuple(notes),
        (("preference", partial(_bars, result)),),
        ("sanderson2010",),
    )


def _bars(result: Preference) -> Any:
    """Agreement with its interval, best first, and the coin's one half."""
    ranked = [name for name, _ in result.ranked()]
    drawn = {"agreement": result.agreement, "low": result.low, "high": result.high}
    points = [
        {"metric": metric, **{name: float(values[m]) for name, values in drawn.items()}}
        for m, metric in enumerate(result.metrics)
    ]
    base = alt.Chart(data(points)).encode(y=alt.Y("metric:N", sort=ranked, title=None))
    rules = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="share of choices, 95 % interval", scale=alt.Scale(zero=False)), x2="high:Q"
    )
    dots = base.mark_circle(size=60, color="#D55E00").encode(
        x="agreement:Q", tooltip=["metric:N", "agreement:Q", "low:Q", "high:Q"]
    )
    coin = alt.Chart(data([{"half": 0.5}])).mark_rule(strokeDash=[4, 4], color="#888888").encode(x="half:Q")
    return (coin + rules + dots).properties(title="Agreement with people's choices", width=360)
