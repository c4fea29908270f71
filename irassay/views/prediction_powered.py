"""The view of comparisons by human and model judgements together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.prediction_powered import PoweredComparison, PoweredComparisons
from irassay.notes import Note
from irassay.prose import count_phrase, level_text
from irassay.stats.prediction_powered import PoweredEstimates
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, interval_lines, name_axis, tooltips
from irassay.views.comparison import joined_view
from irassay.views.comparison_charts import differences_from
from irassay.views.comparison_notes import skew_warnings
from irassay.views.phrases import NO_SPREAD, all_names, author_year
from irassay.views.table_columns import column_table, interval_ends
from irassay.views.theme import row_chart
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

ASSUMPTION = (
    "This holds only if the human-judged topics are a random subset of all topics, judged and pooled in the same way.",
    Detail("Only then does the model's error on them represent its error on the others."),
)
MIN_LABELLED = 5  # human-judged topics; in simulations of 4 equal systems, 3 gave false differences in 26 %, 4 in 12 %
BRIEF = ("system", "other", "difference", "low", "high", "corrected p", "significant")  # columns


def view(
    result: PoweredComparisons, *, methods: Annotated[bool, "Also print a methods paragraph for a paper."] = False
) -> View:
    """Which systems differ by human and model judgements together, and by human judgements alone."""
    views = [metric_view(one, human_only) for one, human_only in zip(result.powered, result.by_metric, strict=True)]
    shown = joined_view(views, [one.metric for one in result.powered], result.notes, result.powered[0].alpha)
    return replace(shown, methods=methods_paragraph(result) if methods else "")


def methods_paragraph(result: PoweredComparisons) -> str:
    """The methods paragraph for a paper, ready to be pasted."""
    trials = result.powered[0].trials
    several = "simultaneous over all pairs, " if len(result.powered[0].i) > 1 else ""
    return (
        f"Differences by {all_names(result.metrics)} are prediction-powered estimates "
        f"({author_year('angelopoulos2023')}) with one weight for the model, pooled over systems after subtracting "
        f"topic means and estimated without the topic that it corrects; intervals and p-values are {several}by "
        f"{trials:,} draws of random signs of centred residuals, separately for topics with and without human "
        "judgements."
    )


def metric_view(one: PoweredComparison, human_only: Comparison) -> View:
    """The comparison by one metric; `human_only` is by the human-judged topics alone, as without a model."""
    together, by_humans = int(one.significant.sum()), int((one.human.p < one.alpha).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.nanmedian(_widths(one.both, one.alpha) / _widths(one.human, one.alpha))
    start = f"{one.metric}: human and model judgements together find"
    level = f"at {one.alpha:g} ({'single-step max-T' if len(one.i) > 1 else 'sign flips'})"
    worth = min(max(one.gained_in_all, 0.0), one.further)  # an estimate, which may exceed the topics that there are
    yes = {True: "significantly different", False: "not significantly different"}
    answer = (
        (f"{together:,} of {len(one.i):,} pairs {yes[True]} {level}.", f"{by_humans:,}.")
        if len(one.i) > 1
        else (f"the two systems {yes[together > 0]} {level}.", f"them {yes[by_humans > 0]}.")
    )
    sentences = [
        f"{start} {answer[0]}",
        f"The human-judged topics alone find {answer[1]}",
        f"The model's judgements are worth about {count_phrase(round(worth), 'more human-judged topic')}.",
        Detail(f"There are {one.labelled:,} human-judged topics and {one.further:,} further ones."),
        Detail(
            f"The model has a weight of {one.weight:.3f}, and intervals are {width:.2f} times as wide as without it."
        ),
        *ASSUMPTION,
    ]
    in_all = " for all pairs together" if len(one.i) > 1 else ""
    notes = (
        "low, high: by both; human low, human high: the same method with a weight of 0 (human judgements alone); all "
        f"are {level_text(one.alpha)} intervals{in_all}. topics gained: human-judged topics that would reduce the "
        "standard error as much. lambda: the mean of the model's weights, each estimated without one human-judged "
        "topic and used for that topic.",
        "the human-judged topics alone are tested by max-T in one step with random signs of centred residuals, as both "
        "are; `compare` without a model steps down, and may find slightly more",
        *_few_topics_notes(one),
        *skew_warnings(
            human_only,
            one.metric,
            human_only.test.test,
            "the test of human and model judgements combined",
            "for the human-judged topics alone, ",
        ),
    )
    charts = (("intervals", lambda: interval_chart(one)),)
    cite = ("angelopoulos2023", "oosterhuis2024")
    title = f"Comparison by {one.metric}, human and model judgements together"
    return View(title, tuple(sentences), (systems_table(one), pairs_table(one)), notes, charts, cite)


def _few_topics_notes(one: PoweredComparison) -> list[str]:
    """Notes on tests of too few human-judged topics, and on pairs without an interval."""
    notes: list[str] = []
    if one.labelled < MIN_LABELLED:
        text = f"few topics: with {one.labelled} human-judged topics these tests find too many false differences"
        notes.append(Note(text, caveat=True))
    points = int(np.count_nonzero(np.isnan(interval_ends(one.both.difference, *one.both.interval(one.alpha))[0])))
    if points:
        pairs = count_phrase(points, "pair")
        notes.append(f"no interval for {pairs}: {NO_SPREAD}")
    return notes


def _widths(estimates: PoweredEstimates, alpha: float) -> Floats:
    low, high = estimates.interval(alpha)
    return high - low


def systems_table(one: PoweredComparison) -> Table:
    """[system] best estimate first."""
    order = np.argsort(-one.both.mean, kind="stable")
    columns = {"system": one.systems, "mean": one.both.mean, "human mean": one.human.mean}
    return column_table("systems", columns, "Systems: by both, and by human judgements alone", order)


def pairs_table(one: PoweredComparison) -> Table:
    """[pair] smallest p first."""
    both, human = one.both, one.human
    order = np.lexsort((-np.abs(both.difference), both.p))
    low, high = interval_ends(both.difference, *both.interval(one.alpha))
    human_low, human_high = interval_ends(human.difference, *human.interval(one.alpha))
    columns: dict[str, Any] = {
        "system": [one.systems[s] for s in one.i],
        "other": [one.systems[s] for s in one.j],
        "difference": both.difference,
        "low": low,
        "high": high,
        "corrected p": both.p,
        "human difference": human.difference,
        "human low": human_low,
        "human high": human_high,
        "lambda": np.full(len(order), one.weight),
        "topics gained": one.gained,
        "significant": np.where(one.significant, "yes", "no"),
    }
    return column_table(
        "pairs", columns, "Pairs", order, max_rows=PAIRS_SHOWN, main=True, p_columns=("corrected p",), brief=BRIEF
    )


def interval_chart(one: PoweredComparison) -> "alt.AnyChart":
    """Differences from the best system and their intervals, with and without the model."""
    estimates = {
        word: (found.difference, *found.interval(one.alpha))
        for word, found in (("human and model", one.both), ("human alone", one.human))
    }
    top = int(np.argmax(one.both.mean))
    title = f"{one.metric} minus that of {one.systems[top]}"
    chart = paired_intervals(one.systems, one.i, one.j, top, estimates, title)
    under = f"lines: simultaneous {level_text(one.alpha)} intervals"
    return chart.properties(title=chart_title(f"Differences from {one.systems[top]}", under))


def paired_intervals(
    systems: Sequence[str],
    i: Ints,
    j: Ints,
    top: int,
    estimates: Mapping[str, tuple[Floats, Floats, Floats]],
    title: str,
) -> "alt.AnyChart":
    """Differences from system `top` by several estimates: the difference, low and high of each pair (i, j)."""
    lines: list[dict[str, Any]] = []
    for word, estimate in estimates.items():
        lines += [line | {"by": word} for line in chart_rows(differences_from(top, systems, i, j, *estimate))]
    first = lines[: len(lines) // len(estimates)]
    order = [line["system"] for line in sorted(first, key=lambda line: -line["difference"])]
    base = row_chart(lines).encode(
        y=name_axis("system", order),
        yOffset="by:N",
        color=alt.Color("by:N", title=None),
        tooltip=tooltips("system", "by", **dict.fromkeys(("difference", "low", "high"), ".4f")),
    )
    marks = base.mark_point(filled=True, size=35).encode(x="difference:Q")
    return (interval_lines(base, alt.X("low:Q", title=title)) + marks).properties(width=420, height=alt.Step(9))
