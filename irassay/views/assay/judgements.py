"""The view of the possible effect of missing judgements, by metric and by system."""

from collections.abc import Mapping

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.assays.answers import WORST_CASE
from irassay.assays.assay import Assay
from irassay.assays.criteria import ROBUSTNESS
from irassay.assays.criterion_sentences import estimate_text
from irassay.assays.metric_kinds import MAX_NAMED_METRICS
from irassay.assays.profile import JUDGED_ONLY, NOT_A_BOUND, OUTER_BOUNDS
from irassay.prose import level_text, name_list, percent_text
from irassay.stats.paired_test import find_test
from irassay.views import altair as alt
from irassay.views.assay.landscape import LOOKS, METRIC, NEW
from irassay.views.charts import chart_rows, chart_title, name_axis, tooltips
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import Detail, View


def missing_judgements(assay: Assay) -> View | None:
    """The possible effect of missing judgements; None for scores without judgements."""
    width = assay.width()
    if width is None or assay.bounds is None:
        return None
    low, high = assay.bounds.min(axis=2), assay.bounds.max(axis=2)  # [system, metric]
    first, second = np.triu_indices(len(low), k=1)
    undecided = ((low[first] <= high[second]) & (low[second] <= high[first])).mean(axis=0)
    bounded = [name for name, metric in assay.known.items() if metric.bounded(assay.scores.has_costs)]
    only_judged = {name for name, metric in assay.known.items() if metric.params.get("judged_only")}
    kinds = [
        JUDGED_ONLY if name in only_judged else "bounds" if name in bounded else "not bounds" for name in assay.metrics
    ]
    power = assay.discrimination
    studentized = find_test(power.test).studentized  # then each pair needs another difference
    needed = (
        {"threshold": power.threshold[power.levels.index(assay.alpha)]}
        if studentized
        else {f"smallest significant ({assay.test})": power.smallest_significant(assay.alpha)}
    )
    columns = {
        "metric": assay.metrics,
        "median width": np.median(width, axis=0),
        "largest width": width.max(axis=0),
        **needed,
        "largest non-significant": power.largest_nonsignificant(assay.alpha),
        "undecided pairs": undecided,
        "kind": kinds,
    }
    imputed = np.array([kind != JUDGED_ONLY for kind in kinds])
    sentences = [*_undecided_sentences(assay, undecided, imputed), *_robustness_sentences(assay)]
    notes = (
        "width: the mean score if all unjudged documents, and ranks past the end of a list, had the top grade, minus "
        "that if none were relevant. For metrics that cannot fall with a better grade these are bounds; for others, "
        "other judgements could go beyond them.",
        "undecided pairs: pairs of systems whose ranges overlap.",
        *(
            [f"{JUDGED_ONLY}: unjudged documents are left out, so the range does not say what they could change."]
            if not imputed.all()
            else []
        ),
        "threshold: difference that the median pair needs to be significant; it depends on the variance of each pair."
        if studentized
        else "smallest significant, largest non-significant: between these two differences of means the verdict "
        "depends on the variance of each pair; if they meet, there is one threshold.",
    )
    table = column_table("judgements", columns, "Missing judgements", digits=3)
    charts = (("judgements", lambda: judged_intervals(assay)),)
    return View("Missing judgements", tuple(sentences), (table,), notes, charts)


def _undecided_sentences(assay: Assay, undecided: Floats, imputed: Bools) -> list[str]:
    """The metrics by which the ranges of the fewest and of the most pairs of systems overlap; `imputed` ones only."""
    rows = np.flatnonzero(imputed & ~np.isnan(undecided))
    if not len(rows):
        return []
    ends = [rows[undecided[rows] == end] for end in (undecided[rows].min(), undecided[rows].max())]
    few, most = (name_list([assay.metrics[m] for m in end], MAX_NAMED_METRICS) for end in ends)
    low, high = (percent_text(undecided[end[0]], 0) for end in ends)
    why = "Missing judgements give the mean of each system a range."
    overlap = f"the ranges overlap in {low} of all pairs of systems"
    if len(ends[0]) < len(rows):
        return [why, f"By {few}, {overlap}, the fewest.", f"By {most}, they overlap in {high}, the most."]
    return [why, f"By {'every metric' if len(rows) == len(assay.metrics) > 1 else few}, {overlap}."]


def _robustness_sentences(assay: Assay) -> list[str]:
    """How many pairs stay significant at both ends of what missing judgements allow, with intervals."""
    profile = assay.profile
    each = profile.by(ROBUSTNESS) if profile else None
    if profile is None or each is None:
        return []
    compared = each.estimate[: len(assay.metrics)] if each.selection is None else each.selection.estimate
    if np.isnan(compared).all():
        return []
    ends = [np.flatnonzero(compared == end) for end in (np.nanmax(compared), np.nanmin(compared))]
    names = [name_list([assay.metrics[m] for m in end], MAX_NAMED_METRICS) for end in ends]
    keeps = [
        f"{name} {'keeps' if len(end) == 1 else 'keep'} {estimate_text(each, *end.tolist())}"
        for name, end in zip(names, ends, strict=True)
    ]
    first = f"{keeps[0]} of all pairs {WORST_CASE}."
    rest = [f"{keeps[1]}."] if compared[ends[0][0]] > compared[ends[1][0]] else []
    bounds = {assay.metrics[m]: profile.bounds[m] for m in np.unique(np.concatenate(ends))}
    level = level_text(assay.alpha)
    procedure = Detail(f"Pairs are tested by {assay.test} at {assay.alpha:g}; intervals are at {level}.")
    return [first, *rest, *_bounds_sentences(bounds), procedure]


def _bounds_sentences(bounds: Mapping[str, str]) -> list[str]:
    """For which metrics other judgements could move a difference beyond its range, and for which they could not.

    >>> for sentence in _bounds_sentences({"AP": NOT_A_BOUND, "P": OUTER_BOUNDS}):
    ...     print(sentence)
    The range of AP is not a bound: other judgements could move a difference further.
    The range of P is an outer bound: no judgements can move a difference further.
    """
    sentences = []
    for kind, one, several, effect in (
        (NOT_A_BOUND, "not a bound", "not bounds", "other judgements could"),
        (OUTER_BOUNDS, "an outer bound", "outer bounds", "no judgements can"),
    ):
        names = [name for name in bounds if bounds[name] == kind]
        if names:
            ranges, are = ("range", f"is {one}") if len(names) == 1 else ("ranges", f"are {several}")
            of = name_list(names, MAX_NAMED_METRICS)
            sentences.append(f"The {ranges} of {of} {are}: {effect} move a difference further.")
    return sentences


def judged_intervals(assay: Assay) -> "alt.AnyChart":
    """Every system's mean by the main metric, and its range under missing judgements."""
    assert assay.bounds is not None
    m = assay.metrics.index(assay.main)
    mean = assay.scores.means()[:, m]
    order = np.argsort(-mean if assay.scores.higher_is_better[m] else mean, kind="stable")
    systems = [assay.scores.systems[s] for s in order]
    worst, best = assay.bounds[order, m].T
    lines = chart_rows({"system": systems, "mean": mean[order], "worst": worst, "best": best})
    tip = tooltips("system", mean=".4f", worst=".4f", best=".4f")
    base = row_chart(lines).encode(y=name_axis("system", systems), tooltip=tip)
    x = alt.X("worst:Q", title=f"mean {assay.main}")
    under = "dot: mean as judged; bar: from no unjudged document relevant to all of the top grade"
    title = chart_title("What missing judgements could change", under)
    return (
        base.mark_rule(strokeWidth=4, opacity=0.45, color=LOOKS[NEW][0]).encode(x=x, x2="best:Q")
        + base.mark_point(filled=True, size=40, opacity=1, color=LOOKS[METRIC][0]).encode(x="mean:Q")
    ).properties(title=title, width=420, height=alt.Step(13))
