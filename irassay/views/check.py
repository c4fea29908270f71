"""The view of a check: passed or failed, each metric's verdict with its interval, and the topics that lost most."""

from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from irassay.arrays import Floats
from irassay.meta.check import Check
from irassay.prose import count_phrase, name_list, percent_text, visible_text
from irassay.stats.noninferiority import POWER
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, class_scale, dashed_line, interval_lines, tooltips
from irassay.views.table_columns import column_table, interval_ends
from irassay.views.theme import AHEAD, BEHIND, NEITHER, row_chart
from irassay.views.view import BRIEF_ROWS, Detail, Table, View

MAX_LOSSES = 5  # topics shown to people for each metric
INKS = {"no worse": AHEAD, "undecided": NEITHER, "worse": BEHIND}


def view(result: Check) -> View:
    """Whether the check passed, why, and which topics lost most."""
    by_metric = [text for m in range(len(result.metrics)) for text in metric_sentences(result, m)]
    if len(result.metrics) > 1 and not result.may_hide_losses.any():
        by_metric = [*map(Detail, by_metric)]  # the table has these numbers
    assumes = any(assumes_no_hidden_losses(result, m) for m in range(len(result.metrics)))
    sentences = (answer(result), *by_metric, *(assumption(result) if assumes else ()))
    charts = (("changes", lambda: change_chart(result)),)
    tables = (verdict_table(result), losses_table(result))
    return View(
        f"Check: {result.new} against {result.old}", sentences, tables, (*result.notes, *_notes(result)), charts
    )


def answer(result: Check) -> str:
    """Whether the check passed, and because of which metrics it did not."""
    new, old, tolerance = result.new, result.old, f"{result.tolerance:g}"
    if result.identical:
        return f"Passed: {new} and {old} rank the same documents in the same order."
    metrics_by: dict[str, list[str]] = {word: [] for word in INKS}
    for metric, verdict in zip(result.metrics, result.verdicts, strict=True):
        metrics_by[verdict].append(metric)
    if worse := metrics_by["worse"]:
        return f"Failed: {new} loses significantly more than {tolerance} against {old} by {name_list(worse)}."
    if unproven := metrics_by["undecided"]:
        loss = f"a loss of {tolerance} by {name_list(unproven)} cannot be ruled out"
        passed = f"Passed: {new} does not lose significantly more than {tolerance} by any metric. But {loss}."
        return passed if result.passed else f"Failed: {loss}."
    return f"Passed: {new} is no worse than {old} by {name_list(result.metrics)} (tolerance {tolerance})."


def assumes_no_hidden_losses(result: Check, m: int) -> bool:
    """Whether a metric is no worse only if no topics lose much more than those seen."""
    return bool(result.verdicts[m] == "no worse" and result.losses_could_matter[m])


def assumption(result: Check) -> tuple[str, str]:
    """What a pass assumes where losses could have gone unseen."""
    share = min(1.0, result.unseen_share)
    return (
        "'No worse' assumes that no topic loses much more than those seen.",
        f"By the rule of three, losses on up to {percent_text(share, 2)} of all topics could go unseen.",
    )


def metric_sentences(result: Check, m: int) -> Iterator[str]:
    """The change by one metric with its limit, what could go unseen, and the topics that are needed."""
    if result.identical:
        return
    metric, verdict, (low, high) = result.metrics[m], result.verdicts[m], shown_limits(result)
    name, limit = ("upper", high[m]) if verdict == "worse" else ("lower", low[m])
    limits = f"{name} limit {limit:+.4f} at {1 - result.alpha:.4g}" if not np.isnan(limit) else "no interval"
    change = float(result.mean_change[m])
    verb = f"changed by {change:+.4f}"
    if change and not result.higher_is_better[m]:  # a cost that falls has a positive change
        verb = f"{'improved' if change > 0 else 'got worse'} by {abs(change):.4f}"
    yield f"By {metric} the mean {verb} ({limits}): {verdict}."
    if verdict != "undecided":
        return
    topics, changed, needed = len(result.topics), int(result.changed[m]), int(result.topics_needed[m])
    if result.may_hide_losses[m]:
        yield f"{f'Only {changed:,}' if changed else 'None'} of {count_phrase(topics, 'topic')} changed by {metric}."
        lost, share = result.unseen_share * result.span[m], min(1.0, result.unseen_share)
        hit = f"losses on {percent_text(share, 2)} of all topics could go unseen"
        yield f"By the rule of three, {hit}: a mean loss of up to {lost:.4f}."
    elif result.limits[0][m] > -result.tolerance:
        limit = f"the limit that allows for a few large losses is {result.loss_limit[m]:+.4f}"
        yield f"By {metric}, {limit}, which is not above -{result.tolerance:g}."
    if needed > topics:
        unchanged = f"a system of unchanged quality would pass by {metric}"
        yield f"With about {count_phrase(needed, 'topic')}, {unchanged} in {POWER:.0%} of cases."
    elif needed < 0:
        yield f"No number of topics proves a tolerance of {result.tolerance:g} by {metric}."


def shown_limits(result: Check) -> tuple[Floats, Floats]:
    """[metric], [metric] the limits of the mean change; NaN if every topic changed by the same amount, or by none."""
    return interval_ends(result.mean_change, *result.limits)


def _notes(result: Check) -> list[str]:
    level = f"{1 - result.alpha:.4g}"
    points = [metric for metric, low in zip(result.metrics, shown_limits(result)[0], strict=True) if np.isnan(low)]
    return [
        *([f"no interval by {name_list(points)}: the change is the same on every topic"] if points else []),
        f"no worse: the one-sided limits of the mean change at {level} are above -tolerance (Student's, and one that "
        "allows for a few large losses); to pass, every metric must be no worse, without correction",
        f"worse: the change is below -tolerance, p < {result.alpha:g} (one-sided t-test, Holm over metrics)",
        f"topics needed: about as many as let a system of unchanged quality pass in {POWER:.0%} of cases, if changes "
        "vary as they do here",
    ]


def verdict_table(result: Check) -> Table:
    """A row for each metric: its verdict, means, change and limits, and the topics needed."""
    new, old = result.values.mean(axis=2)
    low, high = shown_limits(result)
    columns = {
        "metric": result.metrics,
        "verdict": result.verdicts,
        "old": old,
        "new": new,
        "change": result.mean_change,
        "low": low,
        "high": high,
        "loss limit": result.loss_limit,
        "p worse": result.p_worse,
        "topics": [len(result.topics)] * len(result.metrics),
        "changed": result.changed,
        "topics needed": [int(n) if n > 0 and not result.identical else None for n in result.topics_needed],
    }
    needed = ("topics needed",) if "undecided" in result.verdicts else ()
    brief = ("metric", "verdict", "old", "new", "change", "low", "high", *needed)
    title = f"Tolerance {result.tolerance:g}, one-sided limits at {1 - result.alpha:.4g}"
    marks = frozenset((r, 1) for r, metric in enumerate(result.metrics) if metric in result.failing)
    return column_table("metrics", columns, title, main=True, brief=brief, p_columns=("p worse",), marks=marks)


def losses_table(result: Check) -> Table:
    """The topics that lost most by each metric; machines get all that lost."""

    def table(limit: int | None) -> Table:
        cells = [(m, t) for m in range(len(result.metrics)) for t in result.lost_most(m)[:limit]]
        columns = {
            "metric": [result.metrics[m] for m, _ in cells],
            "topic": [result.topics[t] for _, t in cells],
            "old": [result.values[1, m, t] for m, t in cells],
            "new": [result.values[0, m, t] for m, t in cells],
            "change": [result.change[m, t] for m, t in cells],
        }
        shown = max(1, BRIEF_ROWS // len(result.metrics))
        places = [m for m, _ in cells]
        brief = [row for row, m in enumerate(places) if row - places.index(m) < shown]
        rows = tuple(brief) if len(brief) < len(cells) else ()
        return replace(column_table("losses", columns, "Topics that lost most", detail=not cells), brief_rows=rows)

    return replace(table(MAX_LOSSES), machine=table(None))


def change_chart(result: Check) -> "alt.AnyChart":
    """The mean change by each metric between its limits, beside the tolerance."""
    low, high = shown_limits(result)
    columns = {"metric": result.metrics, "change": result.mean_change, "low": low, "high": high}
    rows = chart_rows({**columns, "verdict": result.verdicts})
    under = f"lines: one-sided limits at {1 - result.alpha:.4g} (Student's); dashed: the tolerance"
    change = f"from {result.old} to {result.new}, gains positive"  # of scores and costs together
    if len(set(result.higher_is_better)) == 1:
        of_scores = result.higher_is_better[0]
        change = " minus ".join((result.new, result.old) if of_scores else (result.old, result.new))
    title = chart_title(f"Mean change: {change}", under)
    base = row_chart(rows).encode(
        y=alt.Y("metric:N", sort=list(result.metrics), title=None),
        color=alt.Color("verdict:N", scale=class_scale(INKS, result.verdicts), title=None),
        tooltip=tooltips("metric", "verdict", **dict.fromkeys(("change", "low", "high"), "+.4f")),
    )
    circles = base.mark_point(filled=True, size=60, opacity=1).encode(x="change:Q")
    lines = interval_lines(base, alt.X("low:Q", title="mean change over topics"))
    chart = dashed_line(-result.tolerance, "tolerance") + lines + circles
    return chart.properties(title=title, width=420, height=alt.Step(28))


def junit_report(result: Check) -> str:
    """The check as JUnit XML: a test case for each metric, which fails if the check fails because of it."""
    labels = result.view().names.labels
    suite = f'name="irassay check" tests="{len(result.metrics)}" failures="{len(result.failing)}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {suite}>", f"<testsuite {suite}>"]
    for m, metric in enumerate(result.metrics):
        name = quoteattr(visible_text(labels.get(metric, metric)))
        lines.append(f'<testcase classname="irassay.check" name={name}>')
        sentences = (*metric_sentences(result, m), *(assumption(result) if assumes_no_hidden_losses(result, m) else ()))
        text = visible_text(" ".join(sentences) or answer(result), "\n")
        if metric in result.failing:
            verdict = result.verdicts[m]
            lines.append(
                f'<failure type="{verdict}" message={quoteattr(text)}>{escape(_lost_topics(result, m))}</failure>'
            )
        elif result.verdicts[m] == "undecided":
            lines.append(f"<skipped message={quoteattr(text)}/>")
        else:
            lines.append(f"<system-out>{escape(text)}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def _lost_topics(result: Check, m: int) -> str:
    lost = [f"{result.topics[t]} {result.change[m, t]:+.4f}" for t in result.lost_most(m)[:MAX_LOSSES]]
    return visible_text(f"Topics that lost most: {', '.join(lost)}" if lost else "No topic lost.")
