"""The view of the time that users spend on results of each grade."""

from functools import partial
from typing import Any

from irassay.meta.effort import Effort
from irassay.prose import count_phrase, level_text
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, interval_lines, tooltips
from irassay.views.table_columns import column_table, interval_columns
from irassay.views.theme import COLOURS, row_chart
from irassay.views.view import View

BRIEF = ("grade", "examined", "clicked", "P(click)", "time on page", "seconds", "effort", "effort low", "effort high")
PARTS = ("summary", "page: P(click) × time on it")


def view(result: Effort) -> View:
    """The effort of each grade, and the metric string that uses it."""
    top, least = int(result.grades[-1]), int(result.effort.argmin())
    lowest = (
        f"and one of grade {least} takes {result.seconds[least]:.1f} s" if least != top else "no more than any other"
    )
    sentences = (
        f"A result of grade {top} takes {result.seconds[-1]:.1f} s, {lowest}.",
        f"To use these efforts in a metric, add effort=, as in {result.metric_string()}.",
    )
    columns: dict[str, Any] = {
        "grade": result.grades,
        "examined": result.examined,
        "clicked": result.clicks,
        **_with_ends(result, "p_click", "P(click)"),
        **_with_ends(result, "t_click", "time on page"),
        **_with_ends(result, "seconds", "seconds"),
        **_with_ends(result, "effort", "effort"),
    }
    which = "that the log marks as examined" if result.examined_by == "recorded" else "down to the last click"
    notes = (
        *result.notes,
        f"Seconds are {result.summary:g} for the summary, plus the probability of a click times the mean time on the "
        f"page (jiang2016, equation 6), from results {which} ({count_phrase(result.users, 'user')}); effort is seconds "
        f"divided by those of grade {top}, so that it is 1 there, with no interval. "
        f"{level_text(result.alpha)} intervals are over users.",
    )
    charts = (("effort", partial(effort_bars, result)),)
    table = column_table("effort", columns, "Effort by grade", brief=BRIEF)
    return View("Effort", sentences, (table,), notes, charts)


def _with_ends(result: Effort, field: str, name: str) -> dict[str, Any]:
    return interval_columns(name, *(getattr(result, f"{field}{end}") for end in ("", "_low", "_high")))


def effort_bars(result: Effort) -> "alt.AnyChart":
    """Seconds by grade: the summary, then the page, with the interval of their sum."""
    names = [f"grade {grade}" for grade in result.grades[::-1]]
    rows = []
    for g, grade in enumerate(result.grades):
        about = {"grade": f"grade {grade}", "effort": float(result.effort[g])}
        rest = float(result.seconds[g]) - result.summary
        rows += [
            about | {"part": part, "order": n, "seconds": s}
            for n, (part, s) in enumerate(zip(PARTS, (result.summary, rest), strict=True))
        ]
    y = alt.Y("grade:N", sort=names, title=None)
    colours = alt.Scale(domain=list(PARTS), range=[COLOURS[5], COLOURS[0]])
    bars = row_chart(rows).mark_bar().encode(
        x=alt.X("seconds:Q", title="seconds for a result", stack="zero"),
        y=y,
        color=alt.Color("part:N", scale=colours, title=None, legend=alt.Legend(orient="bottom")),
        order=alt.Order("order:Q"),
        tooltip=tooltips("grade", "part", seconds=".1f", effort=".2f"),
    )  # fmt: skip
    ends = {
        "grade": [f"grade {grade}" for grade in result.grades],
        "low": result.seconds_low,
        "high": result.seconds_high,
    }
    known = ~(result.seconds_low != result.seconds_low)
    rules = interval_lines(row_chart(chart_rows(ends, known)).encode(y=y), alt.X("low:Q"))
    title = chart_title("Time for a result of each grade", f"lines: {level_text(result.alpha)} intervals over users")
    return (bars + rules).properties(width=360, title=title)
