"""The view of unanimity: which metric's verdicts tell most of those that simple metrics share."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.pair_verdicts import label
from irassay.meta.standings import dense_ranks
from irassay.meta.unanimity import Unanimity
from irassay.prose import counted, some
from irassay.views import altair as alt
from irassay.views.theme import data
from irassay.views.view import Cell, Table, View


def view(result: Unanimity, alpha: float = 0.05) -> View:
    """Which metric's verdicts tell most of those that the simple metrics share."""
    return View(
        "Unanimity",
        tuple(_leader(result, s, alpha) for s in range(len(result.sets))),
        (_metrics(result, alpha),),
        (*result.notes, *_notes(result)),
        tuple(
            ("-".join(filter(None, ("unanimity", collection))), partial(_bars, result, c))
            for c, collection in enumerate(result.collections)
        ),
        ("albahem2019", "amigo2018"),
    )


def _leader(result: Unanimity, s: int, alpha: float) -> str:
    """The most unanimous metric by one set of simple metrics, and whom it surely beats; constant metrics apart."""
    told = result.beats()[:, s] & ~result.constant[:, None, :]  # [collection, metric, other]
    won = np.where(result.constant, -1, told.sum(axis=2)).sum(axis=0)
    best = int(np.argmax(won))
    sure = int((told & result.beats(True, alpha)[:, s])[:, best].sum())
    others = int((~np.delete(result.constant, best, axis=1)).sum())
    where = f" over {len(result.collections)} collections" if len(result.collections) > 1 else ""
    bits = some([f"{value:.3f}" for value in result.bits[:, s, best]])
    if not others:
        rest = "" if len(result.metrics) == 1 else ", and no other metric ever prefers a system"
        return f"By {label(result.sets[s])}, {result.metrics[best]} has {bits} bits{rest}."
    if won[best] <= 0:
        return f"By {label(result.sets[s])}, no metric is more unanimous than another{where} ({bits} bits)."
    than = (
        f"it has more than {won[best]} of {others} others, significantly more than {sure or 'none'}"
        if others > 1
        else f"it has {'significantly ' if sure else ''}more than the other{'' if sure else ', but not significantly'}"
    )
    return f"By {label(result.sets[s])}, {result.metrics[best]} is the most unanimous{where} ({bits} bits): {than}."


def _notes(result: Unanimity) -> list[str]:
    dropped = int(result.dropped().max(initial=0))
    said = [f"Left out: up to {counted(dropped, 'case')} for want of a score."] if dropped else []
    how = {
        "bootstrap": f"redraw topics ({result.trials:,} times, seed {result.seed}) and take the systems as given",
        "jackknife": "leave out systems and topics, taking both as samples",
    }
    said.append(f"Intervals and p-values {how[result.interval_by]}.")
    if result.variant == "printed":
        said.append("As printed in the paper: ties of a metric raise its bits; the authors' programs count otherwise.")
    return said


def _metrics(result: Unanimity, alpha: float) -> Table:
    """[collection, set and metric] bits with interval, the conditional probability, gamma, wins and rank."""
    many = result.collections != ("",)
    more, sure, conditional = result.wins(), result.wins(True, alpha), result.conditional()
    rows: list[tuple[Cell, ...]] = []
    for c, collection in enumerate(result.collections):
        for s, chosen in enumerate(result.sets):
            rank = dense_ranks(more[c, s])
            for m in np.argsort(rank, kind="stable"):
                at = (c, s, m)
                rows.append(
                    (
                        *((collection,) if many else ()),
                        *(label(chosen), result.metrics[m], int(rank[m])),
                        *(float(a[at]) for a in (result.bits, result.bits_low, result.bits_high, conditional)),
                        *(float(a[at]) for a in (result.gamma, result.gamma_low, result.gamma_high)),
                        *(int(more[at]), int(sure[at]), bool(result.constant[c, m])),
                    )
                )
    columns = (
        *("simple", "metric", "rank", "bits", "low", "high", "P(joins | unanimous)"),
        *("gamma", "gamma low", "gamma high", "wins", "significant wins", "constant"),
    )
    return Table("unanimity", (("collection", *columns) if many else columns), tuple(rows), "Unanimity")


def _bars(result: Unanimity, c: int) -> Any:
    """Bits of every metric with their intervals, a panel for each set of simple metrics."""
    rows = [
        {
            "simple": label(chosen),
            "metric": name,
            **{
                key: float(array[c, s, m]) if np.isfinite(array[c, s, m]) else None
                for key, array in (("bits", result.bits), ("low", result.bits_low), ("high", result.bits_high))
            },
            "gamma": float(np.nan_to_num(result.gamma[c, s, m])),
        }
        for s, chosen in enumerate(result.sets)
        for m, name in enumerate(result.metrics)
    ]
    y = alt.Y("metric:N", sort=list(result.metrics), title=None)
    tip = ["metric:N", "bits:Q", "low:Q", "high:Q", "gamma:Q"]
    base = alt.Chart().encode(y=y, tooltip=tip)
    bars = base.mark_bar(color="#56B4E9").encode(x=alt.X("bits:Q", title="bits"))
    rules = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    panel = alt.layer(bars, rules, data=data(rows)).properties(width=220)
    title = "Unanimity" + (f", {result.collections[c]}" if result.collections[c] else "")
    return panel.facet(
        facet=alt.Facet("simple:N", sort=list(map(label, result.sets)), title=None), columns=3
    ).properties(title=title)
