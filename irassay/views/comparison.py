"""The view of a comparison of systems, and of several comparisons as one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.errors import argument
from irassay.meta.comparison import Comparisons
from irassay.meta.comparison_by_metric import Comparison
from irassay.notes import joined_over_metrics
from irassay.prose import agreeing_clause, count_phrase, first_few, name_list
from irassay.stats.pair_tests import seed_notes
from irassay.stats.paired_test import paired_test_label
from irassay.views import comparison_notes as notes
from irassay.views.comparison_charts import interval_chart
from irassay.views.comparison_tables import closest_first, first_systems, matrix_table, pairs_table, systems_table
from irassay.views.methods import methods_paragraph
from irassay.views.phrases import ORDER_NOT_TESTED, count_are, p_phrase
from irassay.views.verdict_matrix import matrix_chart
from irassay.views.view import BRIEF_ROWS, Detail, Table, View

MAX_DESCRIBED_METRICS = 6  # with a sentence each
MAX_LETTERED_SYSTEMS = 25  # with more, group letters are too many to read


def view(
    result: Comparisons,
    *,
    methods: Annotated[bool, "Also print a methods paragraph for a paper."] = False,
    effects: Annotated[bool, "Also show intervals of effect sizes."] = False,
    letters: Annotated[bool, "Show group letters even for more than 25 systems, instead of a matrix."] = False,
) -> View:
    """Which systems differ by each metric: the same tables, with a column for the metric."""
    listed = result.by_metric[0].order
    views = [metric_view(one, one.metric, letters, effects, listed) for one in result.by_metric]
    if _counted_together(result):  # the first sentence about each metric is enough on a terminal
        views = [replace(each, sentences=(each.sentences[0], *map(Detail, each.sentences[1:]))) for each in views]
    leaders = _leader_sentences(result)
    if leaders:  # instead of a sentence about each of many metrics
        views = [replace(each, sentences=(*map(Detail, each.sentences),)) for each in views]
    alpha = result.by_metric[0].alpha
    untested = (ORDER_NOT_TESTED,) if _counted_together(result) else ()
    joined = joined_view(views, result.metrics, (*result.notes, *_on_metrics(result), *untested), alpha)
    joined = replace(joined, sentences=(*leaders, *joined.sentences, *_over_metrics(result)))
    return replace(joined, methods=methods_paragraph(result) if methods else "")


def _counted_together(result: Comparisons) -> bool:
    """Whether sentences count the significant differences by several metrics together."""
    one = result.by_metric[0]
    return len(result.by_metric) > 1 and len(one.p) > 1 and one.margin is None and one.margin_d is None


def _over_metrics(result: Comparisons) -> list[str]:
    """Which metrics find the most and the fewest significant differences; empty for one metric or one pair."""
    if not _counted_together(result):
        return []
    one, found = result.by_metric[0], [int(each.significant.sum()) for each in result.by_metric]
    unsettled = sum(each.unsettled for each in result.by_metric)
    of = f"of {len(one.p):,} comparisons"
    level = f"at {one.alpha:g} ({_tested_by(one)})"
    if min(found) == max(found):
        sentences = [f"Each metric finds {found[0]:,} {of} significant {level}."]
    else:
        most, least = (
            [m for m, f in zip(result.metrics, found, strict=True) if f == end] for end in (max(found), min(found))
        )
        text = f"find{{s}} the most significant differences: {max(found):,} {of} {level}."
        sentences = [
            agreeing_clause(name_list(most, 3), len(most) == 1, text),
            agreeing_clause(name_list(least, 3), len(least) == 1, f"find{{s}} the fewest: {min(found):,}."),
        ]
    return [*sentences, *([notes.unsettled_sentence(unsettled, over_metrics=True)] if unsettled else [])]


def _leader_sentences(result: Comparisons) -> list[str]:
    """Which systems have the best mean by how many metrics; empty for few metrics, each of which has a sentence."""
    if (
        len(result.by_metric) <= MAX_DESCRIBED_METRICS
        or not _counted_together(result)
        or result.by_metric[0].baseline is not None
    ):
        return []
    first = Counter(result.systems[s] for one in result.by_metric for s in first_systems(one))
    led = [f"{system} by {count:,}" for system, count in first.most_common()]
    (top, count), metrics = first.most_common(1)[0], len(result.by_metric)
    led[0] = f"{top} has the best mean by {count:,} of {metrics} metrics"
    ties = "; ties count for each" if first.total() > metrics else ""
    return [f"{first_few(led, 3)}{ties}."]


def _on_metrics(result: Comparisons) -> list[str]:
    """The number of tests of several metrics, and what p-values are corrected for."""
    one, metrics = result.by_metric[0], len(result.by_metric)
    if metrics == 1:
        return []
    tests = f"{metrics * len(one.p):,} tests were made, {len(one.p):,} for each of {metrics} metrics"
    if one.family > len(one.p):
        return [f"{tests}; p-values are corrected for all of them together"]
    if not one.corrects:
        return [f"{tests}; p-values are not corrected for their number"]
    return [f"{tests}; p-values are corrected within each metric, not across the {metrics} metrics"]


def metric_view(
    result: Comparison, metric: str = "", letters: bool = False, effects: bool = False, listed: Ints | None = None
) -> View:
    """Which systems differ by one metric, by how much, and how certain that is.

    Systems are numbered in the order `listed`, that of the first of several metrics; by default, best mean first.
    """
    numbers = np.argsort(result.order if listed is None else listed) + 1
    sentences = _verdict_sentences(result, f"{metric}: " if metric else "")
    sentences += notes.against_means_sentences(result)
    sentences += notes.equivalence_sentences(result) + notes.unsettled_sentences(result)
    remarks = [
        *result.test.notes(result.alpha, result.correction != "none", metric),
        *notes.test_notes(result),
        *notes.skewness_notes(result, metric),
        *notes.detectable_notes(result, metric),
        *notes.alternative_notes(result),
        *notes.mean_notes(result),
        *notes.interval_notes(result),
        *notes.rank_notes(result),
        *seed_notes(result.p, result.alpha, result.drawn),
    ]
    charts = (("intervals", lambda: interval_chart(result, metric)), ("matrix", lambda: matrix_chart(result, metric)))
    has_matrix = result.baseline is None and len(result.systems) > 2  # else the intervals show every pair
    ordered = result.baseline is None and result.alternative == "two-sided"  # else no letters and ranks
    lettered = ordered and (letters or len(result.systems) <= MAX_LETTERED_SYSTEMS)
    cite = (notes.actual_test(result).cite, "wellek2010" if result.margin_d else "", "piepho2004" if lettered else "")
    title = f"Comparison{f' by {metric}' if metric else ''}"
    crowded = ordered and not lettered
    systems, pairs = systems_table(result, numbers, lettered), pairs_table(result, effects)
    tables = (systems, matrix_table(result, numbers), pairs) if crowded else (systems, pairs)
    if crowded:
        remarks.append(
            f"group letters are hard to read for more than {MAX_LETTERED_SYSTEMS} systems; {argument('letters')} shows "
            "them"
        )
    return View(title, tuple(sentences), tables, tuple(remarks), charts[: 1 + has_matrix], tuple(filter(None, cite)))


def _verdict_sentences(result: Comparison, of: str) -> list[str]:
    """Which system is best and how many pairs differ significantly; for one pair, whether it does."""
    pairs, topics = len(result.p), count_phrase(result.test.topics, "topic")
    if pairs == 1:
        best, worst = result.own_mean[result.order]
        means = (
            f"{result.systems[result.order[0]]} has the better mean, {best:.4f} against {worst:.4f}"
            if len(first_systems(result)) == 1
            else f"{result.systems[0]} and {result.systems[1]} have the same mean, {best:.4f}"
        )
        verdict = "significant" if result.significant[0] else "not significant"
        return [
            f"{of}{means}; the difference is {verdict} at {result.alpha:g}.",
            f"On {topics}, {p_phrase(result.p[0])} ({_tested_by(result)}).",
        ]
    against = f" with the baseline {result.baseline}" if result.baseline else ""
    significant = int(result.significant.sum())
    return [
        f"{of}{best_sentence(result)}",
        f"{significant:,} of {pairs:,} comparisons{against} {'is' if significant == 1 else 'are'} significant at "
        f"{result.alpha:g} ({_tested_by(result)}).",
        Detail(f"The comparisons are of {len(result.systems)} systems on {topics}."),
    ]


def _tested_by(result: Comparison) -> str:
    """The test with its correction and direction, in brackets after a verdict."""
    across = result.family > len(result.p)
    alone = len(result.p) == 1 and not across
    return ", ".join(
        [
            notes.actual_test(result).label if alone else paired_test_label(result.test.test.name, result.correction),
            *([] if result.alternative == "two-sided" else [f"one-sided: {result.alternative}"]),
            *(["across metrics"] if across else []),
        ]
    )


def best_sentence(result: Comparison) -> str:
    """Which systems have the best mean, and how many others are not significantly below it."""
    if result.baseline is not None:
        base = result.systems.index(result.baseline)
        verdicts = result.verdicts()[:, base]
        if result.alternative != "two-sided":
            word = "better" if result.alternative == "greater" else "worse"
            systems = _systems_are(result, verdicts != 0)
            return f"{systems} significantly {word} than the baseline; only that was tested."
        better_systems, worse_systems = (_systems_are(result, each) for each in (verdicts > 0, verdicts < 0))
        return f"{better_systems} significantly better than the baseline. {worse_systems} significantly worse."
    first, mean = first_systems(result), f"{result.own_mean[result.order[0]]:.4f}"
    if len(first) == len(result.systems):
        return f"All {len(first)} systems have the same mean, {mean}."
    rest, worse = len(result.systems) - len(first), int((result.verdicts()[first] > 0).all(axis=0).sum())
    below = "significantly below" if result.higher_is_better else "significantly worse than"
    if worse == rest:
        others = "every other system is significantly worse"
    elif len(first) == 1:
        others = f"{count_are(rest - worse, 'other')} not {below} it"
    else:
        others = (
            f"{worse or 'none'} of {count_phrase(rest, 'other')} {'is' if worse < 2 else 'are'} {below} each of them"
        )
    one_way = "" if result.alternative == "two-sided" else " (each pair was tested in one direction only)"
    best = f"{name_list([result.systems[s] for s in first])} {'has' if len(first) == 1 else 'share'}"
    return f"{best} the {'highest' if result.higher_is_better else 'lowest'} mean, {mean}; {others}{one_way}."


def _systems_are(result: Comparison, some: Bools) -> str:
    """The start of a sentence on some [system] of the systems, the best first; there may be none."""
    names = [result.systems[s] for s in result.order if some[s]]
    return agreeing_clause(name_list(names, 3), len(names) == 1, "{are}") if names else "No system is"


def joined_view(views: Sequence[View], metrics: Sequence[str], notes: tuple[str, ...], alpha: float) -> View:
    """Several comparisons as one view: the same tables, with a column for the metric."""
    tables = []
    for same in zip(*(view.tables for view in views), strict=True):
        joined = _joined_table(same, metrics)
        if joined.name == "systems" and len(joined.rows) > MAX_LETTERED_SYSTEMS:  # the best few by each metric
            shown = range(max(1, BRIEF_ROWS // len(same)))
            above = accumulate((len(table.rows) for table in same), initial=0)
            rows = tuple(at + r for at, table in zip(above, same, strict=False) for r in shown[: len(table.rows)])
            columns = tuple(name for name in joined.brief if name != "label")  # no superscripts refer to it there
            joined = replace(joined, brief_rows=rows, brief=columns)
        tables.append(closest_first(joined, alpha) if joined.name == "pairs" else joined)
    return View(
        views[0].title if len(views) == 1 else "Comparison",
        tuple(sentence for view in views for sentence in view.sentences),
        tuple(tables),
        (*notes, *joined_over_metrics(note for view in views for note in view.notes)),
        tuple(
            (f"{name}-{metric}" if len(views) > 1 else name, make)
            for metric, view in zip(metrics, views, strict=True)
            for name, make in view.charts
        ),
        tuple(dict.fromkeys(key for view in views for key in view.cite)),
    )


def _joined_table(tables: Sequence[Table], metrics: Sequence[str]) -> Table:
    """The same table by several metrics as one, with a column for the metric; its form for machines likewise."""
    lines = tuple((metric, *row) for metric, table in zip(metrics, tables, strict=True) for row in table.rows)
    above = accumulate((len(table.rows) for table in tables), initial=0)
    placed = list(zip(above, tables, strict=False))
    marks = frozenset((r + at, c + 1) for at, table in placed for r, c in table.marks)
    raised = {(r + at, c + 1): text for at, table in placed for (r, c), text in table.raised.items()}
    columns, brief = ("metric", *tables[0].columns), tables[0].brief
    brief = ("metric", *brief) if brief and len(tables) > 1 else brief
    forms = [table.machine for table in tables if table.machine]
    machine = _joined_table(forms, metrics) if forms else None
    return replace(tables[0], columns=columns, rows=lines, marks=marks, raised=raised, brief=brief, machine=machine)
