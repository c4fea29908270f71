"""Sections of the page: a question each, and the views that answer it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.assay.assay import ASPECTS, DEPTH, GRADES, Assay, called
from irassay.assay.findings import LISTED, findings
from irassay.assay.verdicts import (
    BOUNDS_BEYOND,
    RANGE_BEYOND,
    STEADY,
    WEAK,
    WORDS,
    Verdict,
    doubts,
    verdicts,
)
from irassay.prose import counted
from irassay.views.assay_charts import dashed, judged_intervals, landscape
from irassay.views.scores_views import means_table
from irassay.views.view import Cell, Table, View, rows, view


@dataclass(frozen=True)
class Section:
    """A question with its answers."""

    id: str
    question: str
    short: str  # for the list of contents
    views: tuple[View, ...]
    command: str = ""  # what prints its tables in full


def sections(found: Assay, judged: Mapping[str, Verdict]) -> tuple[Section, ...]:
    """Every question that can be asked of this collection and these metrics, in reading order."""
    from irassay.views.registry import registered

    registered()
    several = len(found.metrics) > 1
    diversity = [view(result) for result in (found.intuitiveness, found.unanimity) if result is not None]
    asked = [
        Section("metrics", "Which metrics are sound here?", "Metrics", (overview(found, judged),)),
        Section("systems", "Which systems are best?", "Systems", (standing(found), compared(found)), _compare(found)),
        _simple("discrimination", "Which metrics tell systems apart?", "Telling apart", _powerful(found)),
        _simple(
            "consistency", "Would other topics rank the systems the same?", "Other topics", view(found.consistency)
        ),
        _simple("similarity", "Which metrics rank the systems alike?", "Alike", view(found.similarity), several),
        _simple("agreement", "Do metrics agree on what is significant?", "Agreement", _without_power(found), several),
        _simple("judgements", "What could missing judgements change?", "Judgements", *_doubt(found)),
        Section(
            "properties", "Which metrics break common sense?", "Properties", _properties(found), "irassay axioms …"
        ),
        Section("diversity", "Which metrics see relevance and diversity both?", "Diversity", tuple(diversity)),
        *(
            Section(f"also-{n}", shown.title, shown.title, (shown,))
            for n, shown in enumerate((view(result) for result in found.also), 1)
        ),
    ]
    return tuple(section for section in asked if section.views)


def _simple(name: str, question: str, short: str, shown: View | None = None, wanted: bool = True) -> Section:
    shown_here = (shown,) if shown is not None and wanted else ()
    return Section(name, question, short, shown_here, "" if name == "judgements" else f"irassay meta {name} …")


def _compare(found: Assay) -> str:
    """The command that prints the comparison in full."""
    return f'irassay compare … -m "{found.main}" --test {found.discrimination.test}'


def _powerful(found: Assay) -> View:
    """Power, with the test in words, and with lines that can be told apart."""
    shown = view(found.discrimination)
    tables = tuple(replace(table, title=f"{table.title} ({found.test})") for table in shown.tables)
    charts = tuple((name, _distinct(make) if name == "asl" else make) for name, make in shown.charts)
    return replace(shown, tables=tables, charts=charts)


def _distinct(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: dashed(make())


@view.register
def assay_view(result: Assay, **_: Any) -> View:
    """The answer in sentences, and a row for every metric."""
    judged = verdicts(result)
    shown = overview(result, judged)
    return replace(shown, title="Assay", sentences=tuple(finding.text for finding in findings(result, judged)))


def overview(found: Assay, judged: Mapping[str, Verdict]) -> View:
    """Every metric in a row: what is said of it, and the numbers behind that."""
    low, high = found.consistency.interval()
    moved, significant = doubts(found)
    power, steady = found.discrimination.power(found.alpha), found.consistency.mean
    order = sorted(
        range(len(found.metrics)),
        key=lambda m: (WORDS.index(judged[found.metrics[m]].word), -power[m]),
    )
    lines: list[tuple[Cell, ...]] = []
    for m in order:
        metric = found.metrics[m]
        near = found.similarity.nearest(metric)
        tested = found.axioms_of(metric, found.properties)
        broken = None if tested is None else int((tested.violations[tested.metrics.index(metric), :, 0] > 0).sum())
        lines.append(
            (
                *(metric, judged[metric].word, float(power[m])),
                *(float(steady[m]), float(low[m]), float(high[m])),
                broken,
                None if np.isnan(moved[m]) else float(moved[m] / significant[m]),
                *((near[0][0], float(near[0][1])) if near else (None, None)),
                judged[metric].against,
            )
        )
    columns = (
        "metric",
        "verdict",
        f"power ({found.test})",
        "consistency",
        "low",
        "high",
        "broken",
        "doubt",
        "most like",
        "tau",
        "against it",
    )
    notes = (
        "Not sound: ranks nothing where others do, or breaks a property of common sense. With care: less than "
        f"{WEAK:.0%} of the best metric's power; significantly less consistent than the best, by more than {STEADY:g}; "
        f"or missing judgements could move a mean by more than {BOUNDS_BEYOND:g} significant differences ("
        f"{RANGE_BEYOND:g} where there is only an imputation range; not asked of metrics for incomplete judgements). "
        "Cannot be told: systems so few or so much alike that no metric tells them apart.",
        f"power: pairs of systems told apart at {found.alpha:g} by {found.test}. consistency: mean tau between halves "
        "of the topics, with its interval over topics. broken: properties broken, of those tested. doubt: what missing "
        "judgements could move a system's mean by (the median over systems), in differences that are significant by "
        "that test.",
    )
    shown = Table("metrics", columns, tuple(lines), digits=3)
    return View("Metrics", (), (shown,), notes, (("landscape", lambda: landscape(found, judged)),))


def standing(found: Assay) -> View:
    """Mean scores, and which system each metric puts first."""
    m = found.metrics.index(found.main)
    means = found.scores.means()
    key = means[:, m] if found.scores.higher_is_better[m] else -means[:, m]
    order = np.argsort(-np.nan_to_num(key, nan=-np.inf), kind="stable")
    ranked = found.scores.select(systems=[found.scores.systems[s] for s in order])
    firsts: list[tuple[Cell, ...]] = []
    power = found.discrimination
    for n, metric in enumerate(found.metrics):
        top = int(np.argmax(found.similarity.means()[:, n]))
        against = (power.first == top) | (power.second == top)
        open_ = int(np.sum(power.p[against, n] >= found.alpha))
        firsts.append(
            (
                metric,
                found.similarity.systems[top],
                float(means[found.scores.systems.index(found.similarity.systems[top]), n]),
                open_,
            )
        )
    columns = ("metric", "first", "mean", f"not told from it ({found.test})")
    leaders = Table("leaders", columns, tuple(firsts), "Who is put first")
    table = replace(means_table(ranked, 4), title="Mean scores")
    return View("Scores", (), (table, leaders), found.scores.notes)


def compared(found: Assay) -> View:
    """The comparison by the main metric."""
    return view(found.comparison, metric=found.main, methods=True)


def _without_power(found: Assay) -> View:
    """Agreement; power has a section of its own."""
    shown = view(found.agreement)
    how = called(found.agreement.test, found.agreement.correction)
    tables = (replace(table, title=f"{table.title} ({how})") for table in shown.tables if table.name != "power")
    return replace(shown, tables=tuple(tables))


def _doubt(found: Assay) -> tuple[View] | tuple[()]:
    """What missing judgements leave open, by metric."""
    width = found.width()
    if width is None or found.bounds is None:
        return ()
    moved, significant = doubts(found)
    low, high = found.bounds.min(axis=2), found.bounds.max(axis=2)  # [system, metric]
    first, second = np.triu_indices(len(low), k=1)
    undecided = ((low[first] <= high[second]) & (low[second] <= high[first])).mean(axis=0)
    kinds = ["bounds" if (m := found.known.get(name)) and m.bounded else "imputation range" for name in found.metrics]
    columns = {
        "metric": found.metrics,
        "median width": moved,
        "largest width": width.max(axis=0),
        f"significant from ({found.test})": significant,
        "undecided pairs": undecided,
        "kind": kinds,
    }
    worst, best = int(np.nanargmax(undecided)), int(np.nanargmin(undecided))
    said = [
        f"Missing judgements leave the order of {undecided[best]:.0%} of the pairs of systems undecided by "
        f"{found.metrics[best]}"
        + (
            f", the fewest, and of {undecided[worst]:.0%} by {found.metrics[worst]}, the most."
            if worst != best
            else "."
        )
    ]
    doubtful = int(np.sum(moved > significant))
    said.append(
        f"By {counted(doubtful, 'metric')} they could move the mean of half of the systems by more than a significant "
        f"difference ({found.test})."
    )
    notes = (
        "width: the mean score if all that was not judged, and places beyond a list, had the top grade, less that if "
        "it had none. Of metrics that can only grow with a better grade these are bounds; of the others a range.",
        "undecided pairs: pairs of systems whose ranges overlap.",
    )
    table = Table("judgements", tuple(columns), rows(*columns.values()), "Missing judgements", digits=3)
    return (
        View("Missing judgements", tuple(said), (table,), notes, (("judgements", lambda: judged_intervals(found)),)),
    )


def _properties(found: Assay) -> tuple[View, ...]:
    """Properties broken, without what a page of many metrics has no room for: trees, and cases one by one."""
    shown = []
    for result in found.properties:
        each = view(result)
        kind = f"by grade, 0 to {GRADES}" if result.space.aspects == 1 else f"by aspect, {ASPECTS} of them"
        title = f"Rankings of up to {DEPTH} results {kind}"
        charts = tuple(chart for chart in each.charts if chart[0] == "violations" and result.violations.any())
        tables = tuple(table for table in each.tables if table.name != "properties")
        # Of many metrics only the first sentence; the cards have every counterexample.
        said = each.sentences if len(result.metrics) <= LISTED else each.sentences[:1]
        notes = each.notes if result is not found.properties[-1] else (*each.notes, *found.refused.values())
        shown.append(replace(each, title=title, sentences=said, charts=charts, tables=tables, notes=notes))
    return tuple(shown)
