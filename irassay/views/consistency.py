"""The view of how consistently a metric ranks systems on different topics."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from irassay.arrays import TIE, Floats
from irassay.meta.consistency import Consistency
from irassay.metrics.labels import model_name
from irassay.prose import count_phrase, level_text, name_list
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note, starred_names
from irassay.views.charts import chart_rows, chart_title, interval_lines, name_axis, number_axis, tooltips
from irassay.views.selection import MAX_TIED_METRICS, best_column, selection_columns, selection_note, selection_sentence
from irassay.views.table_columns import column_table, interval_ends
from irassay.views.theme import row_chart
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View


def view(result: Consistency) -> View:
    """How consistently every metric ranks the systems on different topics."""
    order = np.argsort(-np.nan_to_num(result.mean, nan=-np.inf), kind="stable")
    low, high = _ends(result)
    beats = result.beats()
    names = [result.metrics[m] for m in order]
    columns: dict[str, Any] = {"metric": names, "mean tau": result.mean[order], "low": low[order], "high": high[order]}
    columns |= {"sd": result.sd[order], "splits": result.valid[order]}
    if not np.isnan(result.drawn_error).all():
        columns["MC error"] = np.where(np.isnan(low), np.nan, result.monte_carlo_error())[order]
    if result.compared:
        columns["beats the worst"] = beats[order]
    if any(result.group):
        columns["compared within"] = [result.group[m] for m in order]
    if result.selection:
        found = selection_columns(result.metrics, result.selection)
        columns |= {name: [values[m] for m in order] for name, values in found.items()}
    hidden = {"splits", "may be best", "behind"} - {*best_column(result.metrics)}
    brief = tuple(name for name in columns if name not in hidden)
    tables = [column_table("consistency", columns, "Consistency", digits=3, marks=canonical_cells(names), brief=brief)]
    if result.compared:
        tables.append(_split_test_table(result))
    notes = (
        *result.notes,
        (f"Each of {len(result.tau):,} splits" if len(result.tau) > 1 else "The one split")
        + f" (seed {result.seed}) is the same for all metrics; tau is tau-b.",
        f"low and high: {level_text(result.alpha)} interval over topics, leaving out a fifth of them at a time; sd "
        "is over splits."
        + " MC error: standard deviation of low and high over seeds; more subsets and splits reduce it."
        * ("MC error" in columns),
        *(["no interval where tau was the same whichever topics were left out."] if _has_point(result) else []),
        *([selection_note("mean tau")] if result.selection and len(result.metrics) > 1 else []),
        *canonical_note(result.metrics),
    )
    charts = (("consistency", lambda: interval_dots(result, names)),)
    cite = ("carterette2012",) if result.compared else ()
    return View("Consistency of system rankings", _sentences(result, order), tuple(tables), notes, charts, cite)


def _split_test_table(result: Consistency) -> Table:
    """Each pair of metrics that was compared over the splits, with its p-value as in the papers."""
    rows = [
        (result.metrics[a], result.metrics[b], float(result.mean[a] - result.mean[b]), float(result.p[a, b]))
        for a, b in combinations(range(len(result.metrics)), 2)
        if not np.isnan(result.p[a, b])
    ]
    columns = ("metric", "other metric", "difference", "p (over splits)")
    title = "Randomised HSD over the splits, as in the papers"
    return Table("splits", columns, tuple(rows), title, max_rows=PAIRS_SHOWN, p_columns=columns[-1:])


def _sentences(result: Consistency, order: Iterable[Any]) -> tuple[str, ...]:
    usable = [int(m) for m in order if not np.isnan(result.mean[m])]
    about = f"{count_phrase(result.systems, 'system')} on halves of {count_phrase(result.topics, 'topic')}"
    if not usable:
        tie = f"the {count_phrase(result.systems, 'system')} tie on halves of the topics"
        return (f"There is no tau: by every metric, {tie}.",)
    low, high = _ends(result)
    best, worst = usable[0], usable[-1]
    first, rivals = result.metrics[best], len(usable) - 1
    differ = result.mean[best] - result.mean[worst] > TIE
    tied = [result.metrics[m] for m in usable if result.mean[best] - result.mean[m] <= TIE]
    rank = f"{name_list(tied, MAX_TIED_METRICS)} {'ranks' if len(tied) == 1 else 'rank'} the systems"
    tau = f"{result.mean[best]:.3f}"
    most = f"most consistently over halves of the topics: mean tau {tau}"
    alone = f"on two halves of the topics with a mean tau of {tau}"
    sentences: list[str] = [f"{rank} {most if rivals else alone}."]
    if rivals and not differ:
        sentences = [f"Every metric ranks the systems equally consistently: mean tau {tau}."]
    if differ:
        last = [result.metrics[m] for m in usable if result.mean[m] - result.mean[worst] <= TIE]
        are = "is" if len(last) == 1 else "are"
        sentences.append(f"{name_list(last, MAX_TIED_METRICS)} {are} the least consistent: {result.mean[worst]:.3f}.")
        if result.selection:
            less = "{are} significantly less consistent"
            sentences.append(selection_sentence(result.metrics, result.selection, less, "be the most consistent"))
    ends = f"{low[best]:.3f} to {high[best]:.3f} ({level_text(result.alpha)} interval over topics)"
    interval = [] if np.isnan(low[best]) else [Detail(f"The mean tau of {first} is {ends}.")]
    return (*sentences, *interval, Detail(f"The rankings are of {about}."))


def _ends(result: Consistency) -> tuple[Floats, Floats]:
    """[metric] the ends of the intervals of the mean taus; NaN if leaving out topics changes nothing."""
    return interval_ends(result.mean, *result.interval())


def _has_point(result: Consistency) -> bool:
    """Whether some metric has a mean tau without an interval."""
    return bool((np.isnan(_ends(result)[0]) & ~np.isnan(result.mean)).any())


def interval_dots(result: Consistency, names: Sequence[str]) -> "alt.AnyChart":
    """Mean tau of every metric with its interval."""
    low, high = _ends(result)
    star_names = starred_names(result.metrics)
    group = [model_name(metric) or "other" for metric in result.metrics]
    drawn = {"metric": star_names.values(), "model": group, "mean": result.mean, "low": low, "high": high}
    rows = chart_rows(drawn, ~np.isnan(result.mean))
    has_lines = not np.isnan(low).all()
    under = f"lines: {level_text(result.alpha)} intervals over topics" if has_lines else "no intervals"
    title = chart_title("Consistency over halves of the topics", under)
    base = row_chart(rows, title=title).encode(
        y=name_axis("metric", [star_names[name] for name in names]),
        tooltip=tooltips("metric", mean=".3f", low=".3f", high=".3f"),
    )
    if len(set(group)) <= min(8, len(group) // 2):
        base = base.encode(color=alt.Color("model:N", title="browsing model"))
    dots = base.mark_point(filled=True, size=60).encode(x=number_axis("mean", "mean tau"))
    return (interval_lines(base) + dots if has_lines else alt.layer(dots)).properties(width=420)
