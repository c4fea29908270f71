"""The view of ties: how far the order of tied results could move scores, and which pairs could change places."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from irassay.meta.ties import Ties
from irassay.prose import count_phrase
from irassay.scoring.columns import TIE_ENDS
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, interval_lines, name_axis, tooltips
from irassay.views.table_columns import column_table, grid_columns
from irassay.views.theme import row_chart
from irassay.views.view import BRIEF_ROWS, PAIRS_SHOWN, Detail, Table, View

MAX_SYSTEMS = 30  # in a picture


def view(result: Ties, *, by_topic: Annotated[bool, "Also show every topic."] = False) -> View:
    """How far the order of tied results could move scores."""
    tables = (_runs_table(result), *((_pairs_table(result),) if len(result.systems) > 1 else ()))
    charts = tuple(
        (f"ties-{metric}", partial(range_chart, result, m))
        for m, metric in enumerate(result.metrics)
        if result.movable[:, m].any()
    )
    return View(
        "Ties",
        _sentences(result),
        (*tables, _topics_table(result)) if by_topic else tables,
        (*result.notes, *_notes(result)),
        charts,
    )


def _sentences(result: Ties) -> tuple[str, ...]:
    """For each metric, the runs and pairs that the order of tied results could change."""
    if not result.tied.any():
        who = f"{result.systems[0]} has no" if len(result.systems) == 1 else f"None of {len(result.systems)} runs has"
        return (f"{who} tied results.",)
    wide, movable = result.means[..., 2] - result.means[..., 0], result.movable
    own, common = result.could_change(*result.ends), result.could_change(result.common_least, result.common_largest)
    sentences: list[str] = []
    for m, metric in enumerate(result.metrics):
        runs = int((movable[:, m] > 0).sum())
        if not runs:
            sentences.append(f"The order of tied results changes no run's mean {metric}.")
            continue
        name = result.systems[int(np.argmax(movable[:, m]))]
        of = name if runs == 1 else f"{runs} of {count_phrase(len(result.systems), 'run')}"
        sentences.append(f"The order of tied results could move the mean {metric} of {of}.")
        widest = int(np.nanargmax(wide[:, m]))
        sentences.append(Detail(f"The widest range is that of {result.systems[widest]}: {wide[widest, m]:.4f}."))
        if own.shape[1]:
            pairs, shown = int(own[m].sum()), int(common[m].sum())
            tried = " in the orders that were tried" if result.sampled[m] and not pairs else ""
            changed = f"{pairs or 'No'} {'pair' if pairs == 1 else 'pairs'} of systems could change places{tried}"
            seen = f"; in the random orders tried for all runs together, {shown or 'none'} did" if pairs else ""
            sentences.append(f"{changed}{seen}.")
    return tuple(sentences)


def _runs_table(result: Ties) -> Table:
    """One row for each run: its tied lists, and the range of its means."""
    columns: dict[str, Any] = {"run": result.systems, "tied lists": result.tied}
    for m, metric in enumerate(result.metrics):
        columns |= {metric: result.given[:, m]}
        columns |= {f"{metric}{end}": result.means[:, m, n] for n, end in enumerate(TIE_ENDS)}
    order = np.argsort(result.given[:, 0] * (-1 if result.higher_is_better[0] else 1), kind="stable")
    table = column_table("ties", columns, "Means, best run first", order, main=True, detail=not result.movable.any())
    if len(result.metrics) > 1:
        table = replace(table, brief=tuple(name for name in columns if not name.endswith(TIE_ENDS[1])))
    if len(order) <= 2 * BRIEF_ROWS:
        return table
    wide = (result.means[..., 2] - result.means[..., 0])[order]
    moved = np.argsort(-np.nanmax(wide, axis=1), kind="stable")[: (result.movable[order] > 0).any(axis=1).sum()]
    title = "Means, widest range first"
    return replace(table, brief_rows=tuple(moved[:BRIEF_ROWS].tolist()), plain_title=title)


def _pairs_table(result: Ties) -> Table:
    """One row for each metric and pair of systems: the range of the difference."""
    first, second = result.pairs
    names = np.array(result.systems, dtype=object)
    least, largest = result.ends
    values = {
        "difference": result.difference,
        "least": least,
        "largest": largest,
        "could change": np.where(result.could_change(least, largest), "yes", "no"),
        "least in one order": result.common_least,
        "largest in one order": result.common_largest,
        "changed in one order": np.where(result.could_change(result.common_least, result.common_largest), "yes", "no"),
    }
    number = np.arange(len(first))
    columns = grid_columns({"metric": result.metrics, "pair": number}, values)
    pair = np.array(columns.pop("pair"))
    shown = {"metric": columns.pop("metric"), "system": names[first[pair]], "other": names[second[pair]], **columns}
    order = np.lexsort(
        (np.abs(shown["difference"]), shown["could change"] != "yes", shown["changed in one order"] != "yes")
    )
    title = "Pairs of systems, those that could change places first"
    brief = tuple(name for name in shown if not name.endswith("in one order"))
    brief = brief[1:] if len(result.metrics) == 1 else brief  # without the metric
    table = column_table(
        "pairs", shown, title, order, max_rows=PAIRS_SHOWN, brief=brief, detail=not result.movable.any()
    )
    could = int(np.count_nonzero(shown["could change"] == "yes"))
    return replace(table, brief_rows=tuple(range(min(could, BRIEF_ROWS)))) if could else table


def _topics_table(result: Ties) -> Table:
    """One row for each run and topic."""
    values = {
        f"{metric}{end}": result.values[:, :, m, n]
        for m, metric in enumerate(result.metrics)
        for n, end in enumerate(TIE_ENDS)
    }
    return column_table("topics", grid_columns({"run": result.systems, "topic": result.topics}, values), "Every topic")


def _notes(result: Ties) -> list[str]:
    return [
        f"{TIE_ENDS[0]}, {TIE_ENDS[1]} and {TIE_ENDS[2]} are over all orders of results with equal scores, one chosen "
        "for every list; a metric's own column has the order that was used.",
        "least and largest difference: if each run may have its own order of ties; in one order: in "
        f"{count_phrase(result.trials, 'random order')} of documents that all runs share (seed {result.seed}), which "
        "may miss the ends.",
    ]


def range_chart(result: Ties, m: int) -> "alt.AnyChart":
    """How far the order of tied results moves each run's mean from that in the order used, the widest range first."""
    metric, used = result.metrics[m], result.given[:, m]
    wide = result.means[:, m, 2] - result.means[:, m, 0]
    ranged = int((result.movable[:, m] > 0).sum())
    chosen = np.argsort(-wide, kind="stable")[: min(ranged, MAX_SYSTEMS)]
    names = [f"{result.systems[s]} ({used[s]:.4f})" for s in chosen]
    columns = {"run": names, "used": used[chosen]}
    columns |= dict(zip(("low", "expected", "high"), (result.means[chosen, m] - used[chosen, None]).T, strict=True))
    base = row_chart(chart_rows(columns)).encode(
        y=name_axis("run", names),
        tooltip=tooltips("run", used=".4f", **dict.fromkeys(("low", "expected", "high"), "+.4f")),
    )
    x = alt.X("low:Q", title=f"change of the mean {metric}", axis=alt.Axis(tickCount=7))
    expected = base.mark_point(filled=True, size=45, opacity=1).encode(x="expected:Q")
    zero = row_chart([{"zero": 0}]).mark_rule(color="#D55E00").encode(x="zero:Q")
    under = [
        "line: least to largest mean over all orders; dot: expected",
        "0 and in brackets: the mean in the order used",
    ]
    if len(chosen) < ranged:
        narrower = count_phrase(ranged - len(chosen), "run")
        under.append(f"left out: {narrower} with narrower ranges (at most {np.sort(wide)[::-1][len(chosen)]:.4f})")
    if ranged < len(result.systems):
        under.append(f"left out: {count_phrase(len(result.systems) - ranged, 'run')} that no order moves")
    return alt.layer(zero, interval_lines(base, x), expected).properties(
        title=chart_title(f"How far tied results could move the mean {metric}", under),
        width=420,
        height=alt.Step(16),
    )
