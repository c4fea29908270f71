"""Sections of the page: each is a question, declared on the function that answers it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from irassay.assays.assay import ASPECTS, DEPTH, GRADES, Assay
from irassay.assays.criterion_sentences import MAX_LISTED_METRICS
from irassay.assays.dominance import dominated_by
from irassay.assays.metric_kinds import MAX_NAMED_METRICS
from irassay.meta.topics import topics_of
from irassay.prose import first_few, level_text
from irassay.views.assay import comparison_view, means_view, metrics_view
from irassay.views.assay.judgements import missing_judgements
from irassay.views.assay.other import other_view
from irassay.views.dominance import WIN_COLUMNS
from irassay.views.phrases import p_phrase
from irassay.views.view import Table, View, column, table_with_columns, view_of

Views = tuple[View, ...]


@dataclass(frozen=True)
class Section:
    """A question with its answers."""

    id: str  # its anchor
    question: str
    short: str  # for the table of contents
    views: Views  # empty if the question does not apply
    command: str = ""  # prints its tables in full


SECTION_MAKERS: list[Callable[[Assay], Section]] = []  # in reading order


def section(
    question: str, short: str, command: Callable[[Assay], str] | str = "", of_one: str = ""
) -> Callable[..., None]:
    """Declare a section by a function that returns its views; its name is the anchor, and sections keep this order.

    If there is only one metric, {} in the question `of_one` is its name.
    """

    def declare(views: Callable[[Assay], Views]) -> None:
        def make_section(assay: Assay) -> Section:
            text = command if isinstance(command, str) else command(assay)
            asked = of_one.format(assay.metrics[0]) if of_one and len(assay.metrics) == 1 else question
            return Section(views.__name__, asked, short, views(assay), text)

        SECTION_MAKERS.append(make_section)

    return declare


def sections(assay: Assay) -> tuple[Section, ...]:
    """Every section that applies to this collection and these metrics, in reading order."""
    every = [make_section(assay) for make_section in SECTION_MAKERS]
    for n, result in enumerate(assay.also, 1):
        shown = view_of(result)
        every.append(Section(f"also-{n}", shown.title, shown.title, (shown,)))
    return tuple(_without_input_notes(each, assay) for each in every if each.views)


def _without_input_notes(each: Section, assay: Assay) -> Section:
    """The section without notes on the input, which only the section on systems has."""
    if each.id == "systems":
        return each
    input_notes = {str(note) for note in assay.scores.notes}
    views = (replace(view, notes=tuple(n for n in view.notes if str(n) not in input_notes)) for view in each.views)
    return replace(each, views=tuple(views))


def _with_few_rivals(table: Table, assay: Assay) -> Table:
    """The table of metrics with the first names of those that dominate each; other formats have them all."""
    rivals = [[assay.metrics[m] for m in np.flatnonzero(row)] for row in dominated_by(assay)]
    few = [first_few(names, MAX_NAMED_METRICS) if names else "" for names in rivals]
    cells = [*few, *(row[-1] for row in table.rows[len(few) :])]
    return replace(table, rows=tuple((*row[:-1], cell) for row, cell in zip(table.rows, cells, strict=True)))


@section("How do the metrics do on each criterion?", "Metrics", of_one="How does {} do on each criterion?")
def metrics(assay: Assay) -> Views:
    """The profile with a row per metric, without the table of a row per criterion, which is for machines."""
    shown = metrics_view(assay)
    bold, again = (" (bold: may be best)", ", and replication rate") if len(assay.metrics) > 1 else ("", "")
    title = f"Profile: estimate{bold}, {level_text(assay.alpha)} interval over topics{again}"
    tables = [
        _with_few_rivals(replace(t, title=title), assay) if t.name == "metrics" else t
        for t in shown.tables
        if t.name != "profile"
    ]
    return (replace(shown, tables=tuple(tables)),)


def _baseline_option(assay: Assay) -> str:
    return f' --baseline "{assay.comparison.baseline}"' if assay.comparison.baseline else ""


def _compare_command(assay: Assay) -> str:
    power = assay.discrimination
    correct = "" if power.correction == "none" else f" --correct {power.correction}"
    return f'irassay compare … -m "{assay.main!s}" --test {power.test}{correct}{_baseline_option(assay)}'


@section("Which systems are best?", "Systems", _compare_command)
def systems(assay: Assay) -> Views:
    """Mean scores, and the systems that differ by the main metric."""
    return means_view(assay), comparison_view(assay)


@section(
    "Which topics make the difference?",
    "Topics",
    lambda assay: f'irassay topics … -m "{assay.main!s}"{_baseline_option(assay)}',
)
def topics(assay: Assay) -> Views:
    """The topics that the best two systems, or the best and the baseline, differ on."""
    if len(assay.scores.systems) < 2 or len(assay.comparison.systems) < 2:
        return ()
    scores = replace(assay.scores, notes=())  # only the section on systems has them
    found = topics_of(scores, assay.main, baseline=assay.comparison.baseline, alpha=assay.alpha)
    shown, compared = view_of(found), assay.comparison
    pair = next((n for n, names in enumerate(compared.pairs) if {*names} == {*found.pair}), None)
    if pair is None or len(compared.p) < 2:
        return (shown,)
    verdict = "significant" if compared.significant[pair] else "not significant"
    every = "all comparisons with the baseline" if compared.baseline else f"all {len(compared.p):,} pairs"
    among = f"Among {every} it is {verdict} ({p_phrase(float(compared.p[pair]))}, {assay.test})."
    return (replace(shown, sentences=(shown.sentences[0], among, *shown.sentences[1:])),)


def _fragility_command(assay: Assay) -> str:
    return f'irassay meta fragility … -m "{assay.fragility.metric!s}"' if assay.fragility else ""


@section("What do claims about the best systems depend on?", "Claims", _fragility_command)
def claims(assay: Assay) -> Views:
    """How few judgements the differences of the best systems depend on, and on which of them all users agree."""
    if assay.fragility is None or assay.dominance is None:
        return ()
    fragile, dominant = (
        replace(shown, notes=tuple(note for note in shown.notes if note not in found.notes))  # notes on the input
        for found in (assay.fragility, assay.dominance)
        for shown in (view_of(found),)
    )
    pairs = dominant.tables[0]
    leads = [n for n, cell in enumerate(column(pairs, "dominates")) if cell == "yes"]
    title = "Systems that beat others for every user"
    wins = replace(pairs, rows=tuple(pairs.rows[n] for n in leads), title=title, plain_title="", brief_rows=())
    wins = table_with_columns(wins, [pairs.columns.index(name) for name in WIN_COLUMNS])
    charts = tuple(chart for chart in dominant.charts if chart[0] == "order" and leads)
    if len(assay.dominance.systems) < len(assay.scores.systems):
        among = f"Only the best {len(assay.dominance.systems)} systems by {assay.main} are compared here."
        fragile = replace(fragile, sentences=(*fragile.sentences, among))
    return fragile, replace(dominant, tables=(wins,), charts=charts)


@section(
    "Which metrics separate the most systems?",
    "Discrimination",
    "irassay meta discrimination …",
    of_one="How many pairs of systems does {} separate?",
)
def discrimination(assay: Assay) -> Views:
    """Discriminative power."""
    return (without_rivals(view_of(assay.discrimination)),)


@section("Would other topics rank the systems the same?", "Other topics", "irassay meta consistency …")
def consistency(assay: Assay) -> Views:
    """How consistently disjoint sets of topics rank the systems."""
    return (without_rivals(view_of(assay.consistency)),)


def without_rivals(view: View) -> View:
    """The view without the column of rivals that each metric is behind, which the profile has."""
    tables = (
        table_with_columns(table, [c for c, name in enumerate(table.columns) if name != "behind"])
        for table in view.tables
    )
    return replace(view, tables=tuple(tables))


@section("Which metrics rank the systems similarly?", "Similarity", "irassay meta similarity …")
def similarity(assay: Assay) -> Views:
    """How similarly metrics rank the systems, if there are several."""
    return (view_of(assay.similarity),) if len(assay.metrics) > 1 else ()


@section("Do metrics agree on which differences are significant?", "Agreement", "irassay meta agreement …")
def agreement(assay: Assay) -> Views:
    """The agreement of several metrics, without the table of power, which has its own section."""
    if len(assay.metrics) < 2:
        return ()
    shown = view_of(assay.agreement)
    return (replace(shown, tables=tuple(table for table in shown.tables if table.name != "power")),)


@section("What could missing judgements change?", "Judgements")
def judgements(assay: Assay) -> Views:
    """The possible effect of missing judgements, if there are judgements."""
    shown = missing_judgements(assay)
    return () if shown is None else (shown,)


@section("What would other judgements change?", "Other judges", "irassay judges …")
def judges(assay: Assay) -> Views:
    """The same systems by other judgements, if some were given."""
    return () if assay.other is None else (other_view(assay.other),)


@section(
    "Which metrics agree with users?",
    "Users",
    "irassay meta satisfaction …",
    of_one="How far does {} agree with users?",
)
def ratings(assay: Assay) -> Views:
    """Agreement with users' ratings, if some were given."""
    return () if assay.ratings is None else (view_of(assay.ratings),)


@section("Which metrics break axioms?", "Axioms", "irassay axioms …", of_one="Which axioms does {} break?")
def axioms(assay: Assay) -> Views:
    """Axioms broken, without trees and the long table of cases, which would be too long for many metrics."""
    shown = []
    for result in assay.axioms:
        each = view_of(result)
        kind = f"by grade, 0 to {GRADES}" if result.space.aspects == 1 else f"by aspect, {ASPECTS} of them"
        title = f"Rankings of up to {DEPTH} results {kind}"
        charts = tuple(chart for chart in each.charts if chart[0] == "violations" and result.violations.any())
        tables = tuple(table for table in each.tables if table.name != "properties")
        # For many metrics only the first sentence; the cards have every counterexample.
        sentences = each.sentences if len(result.metrics) <= MAX_LISTED_METRICS else each.sentences[:1]
        notes = each.notes if result is not assay.axioms[-1] else (*each.notes, *assay.refused.values())
        shown.append(replace(each, title=title, sentences=sentences, charts=charts, tables=tables, notes=notes))
    return tuple(shown)


@section(
    "Which metrics measure both relevance and diversity?",
    "Diversity",
    of_one="Does {} measure both relevance and diversity?",
)
def diversity(assay: Assay) -> Views:
    """Diversity metrics compared with simple ones, if there are some."""
    return tuple(view_of(result) for result in (assay.intuitiveness, assay.unanimity) if result is not None)
