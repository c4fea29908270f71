"""The view of other judgements of a collection: the answer, confusion, rank shifts, intervals with and without them."""

from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.assays.other_judgements import OtherJudgements
from irassay.prose import count_phrase, level_text
from irassay.stats.compare_correlations import mean_ranks
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, name_axis, tooltips
from irassay.views.prediction_powered import interval_chart as powered_chart
from irassay.views.prediction_powered import paired_intervals
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import Table, View, view_of

JUDGES_TABLES = ("judges", "conclusions", "confusion")  # tables of `irassay judges` shown here


def other_view(other: OtherJudgements) -> View:
    """What is safe with these labels, in a paragraph, and the tables and charts that support it."""
    shown = view_of(other.judges)
    name, metric = other.judges.judges[0], other.human.metric
    sentences = list(shown.sentences)
    if other.both is not None:
        sentences.append(
            f"{name} judges {count_phrase(other.both.further, 'further topic')}: with them, intervals of differences "
            f"are as narrow as with {other.both.gained_in_all:.1f} more human-judged topics (prediction-powered, "
            f"lambda {other.both.weight:.2f}). This holds only if the human-judged topics are a random subset of all "
            "topics, judged and pooled in the same way."
        )
    tables = [table for table in shown.tables if table.name in JUDGES_TABLES]
    charts: list[tuple[str, Any]] = [("shifts", lambda: shift_chart(other))]
    charts += [("with-and-without", lambda: interval_chart(other))]
    charts += [chart for chart in shown.charts if chart[0] == "confusion"]
    notes = (
        *shown.notes,
        f"rank shifts and intervals are by {metric}, on {count_phrase(other.human.test.topics, 'topic')}.",
    )
    return View(
        f"Judgements by {name}", tuple(sentences), (*tables, shift_table(other)), notes, tuple(charts), shown.cite
    )


def _integers(values: Floats) -> Floats | Ints:
    """The values as integers if all are integral."""
    return values.astype(np.int64) if not np.any(values % 1) else values


def shift_table(other: OtherJudgements) -> Table:
    """[system] its rank and mean by both sets of judgements."""
    human, model = mean_ranks(other.human.mean), mean_ranks(other.model.mean)
    ranks = {"rank": human, "rank by the others": model, "moves up by": human - model}
    columns: dict[str, Any] = {"system": other.human.systems}
    columns |= {name: _integers(values) for name, values in ranks.items()}
    columns |= {"mean": other.human.mean, "mean by the others": other.model.mean}
    order = np.argsort(human, kind="stable")
    return column_table("shifts", columns, f"Rank shifts by {other.human.metric}", order)


def shift_chart(other: OtherJudgements) -> "alt.AnyChart":
    """The rank of each system by the collection's judgements and by the other ones, joined by a line."""
    human, model = mean_ranks(other.human.mean), mean_ranks(other.model.mean)
    order = np.argsort(human, kind="stable")
    systems = [other.human.systems[s] for s in order]
    columns = {"system": systems, "from": human[order], "to": model[order], "up": (human - model)[order]}
    base = row_chart(chart_rows(columns)).encode(
        y=name_axis("system", systems), tooltip=tooltips("system", **{"from": ".1f", "to": ".1f", "up": "+.1f"})
    )
    ends = alt.Scale(domain=[0.5, len(systems) + 0.5], nice=False)
    title = f"rank by {other.human.metric}"
    rank = alt.X("from:Q", title=title, scale=ends, axis=alt.Axis(tickMinStep=1, format="~g"))
    lines = base.mark_rule().encode(x=rank, x2="to:Q")
    marks = base.mark_tick(thickness=2).encode(x="from:Q") + base.mark_point(filled=True, size=40).encode(x="to:Q")
    under = f"bar: by {other.judges.reference}; dot: by {other.judges.judges[0]}"
    return (lines + marks).properties(width=420, height=alt.Step(12), title=chart_title("Rank shifts", under))


def interval_chart(other: OtherJudgements) -> "alt.AnyChart":
    """Differences from the baseline, or the best system, and their intervals, with and without the other judgements."""
    if other.both is not None:
        return powered_chart(other.both)
    human = other.human
    top = human.systems.index(human.baseline) if human.baseline else int(np.argmax(human.mean))
    named = ((other.judges.reference, human), (other.judges.judges[0], other.model))
    estimates = {word: (one.test.difference, *one.interval()) for word, one in named}
    kind = "simultaneous " if human.simultaneous else ""
    x_title = f"{human.metric} minus that of {human.systems[top]}"
    chart = paired_intervals(human.systems, human.test.i, human.test.j, top, estimates, x_title)
    title = chart_title(f"Differences from {human.systems[top]}", f"lines: {kind}{level_text(human.alpha)} intervals")
    return chart.properties(title=title)
