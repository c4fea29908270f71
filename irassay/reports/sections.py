"""Sections of the page: a question each, declared on the function that answers it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from irassay.assays.assay import ASPECTS, DEPTH, GRADES, Assay
from irassay.assays.findings import MAX_LISTED
from irassay.meta.topics import topics_of
from irassay.views.assay import compared, overview, standing
from irassay.views.assay.judgements import missing_judgements
from irassay.views.assay.other import other_view
from irassay.views.theme import dashed
from irassay.views.view import View, view_of

Views = tuple[View, ...]


@dataclass(frozen=True)
class Section:
    """A question with its answers."""

    id: str  # its anchor
    question: str
    short: str  # for the list of contents
    views: Views  # none where the question cannot be asked
    command: str = ""  # what prints its tables in full


DECLARED: list[Callable[[Assay], Section]] = []  # in reading order


def section(question: str, short: str, command: Callable[[Assay], str] | str = "") -> Callable[..., None]:
    """Makes a section of a function that gives its views; the page has them in this order, each under its name."""

    def enter(views: Callable[[Assay], Views]) -> None:
        def made(found: Assay) -> Section:
            printed = command if isinstance(command, str) else command(found)
            return Section(views.__name__, question, short, views(found), printed)

        DECLARED.append(made)

    return enter


def sections(found: Assay) -> tuple[Section, ...]:
    """Every question that can be asked of this collection and these metrics, in reading order."""
    asked = [made(found) for made in DECLARED]
    for n, result in enumerate(found.also, 1):
        shown = view_of(result)
        asked.append(Section(f"also-{n}", shown.title, shown.title, (shown,)))
    return tuple(_once(each, found) for each in asked if each.views)


def _once(each: Section, found: Assay) -> Section:
    """The section without notes on the input, which are said of the systems."""
    if each.id == "systems":
        return each
    said = {str(note) for note in found.scores.notes}
    views = (replace(view, notes=tuple(n for n in view.notes if str(n) not in said)) for view in each.views)
    return replace(each, views=tuple(views))


@section("Which metrics meet which criteria?", "Metrics")
def metrics(found: Assay) -> Views:
    """The profile with a row a metric; a row for each criterion of it is for machines."""
    shown = overview(found)
    title = f"Profile: estimate, {1 - found.alpha:.0%} interval over topics, and below them the replication rate"
    tables = tuple(
        replace(table, title=title) if table.name == "metrics" else table
        for table in shown.tables
        if table.name != "profile"
    )
    return (replace(shown, tables=tables),)


def _compare(found: Assay) -> str:
    against = f' --baseline "{found.comparison.baseline}"' if found.comparison.baseline else ""
    return f'irassay compare … -m "{found.main!s}" --test {found.discrimination.test}{against}'


@section("Which systems are best?", "Systems", _compare)
def systems(found: Assay) -> Views:
    """Mean scores, and which systems differ by the main metric."""
    return standing(found), compared(found)


@section("Which topics make the difference?", "Topics", lambda found: f'irassay topics … -m "{found.main!s}"')
def topics(found: Assay) -> Views:
    """The topics that the best two systems, or the best and the baseline, differ on."""
    if len(found.scores.systems) < 2 or len(found.comparison.systems) < 2:
        return ()
    scores = replace(found.scores, notes=())  # which are said of the systems
    return (view_of(topics_of(scores, found.main, baseline=found.comparison.baseline, alpha=found.alpha)),)


@section("Which metrics discriminate systems?", "Discrimination", "irassay meta discrimination …")
def discrimination(found: Assay) -> Views:
    """Power, with lines that can be told apart."""
    shown = view_of(found.discrimination)
    charts = tuple((name, partial(_distinct, make) if name == "asl" else make) for name, make in shown.charts)
    return (replace(shown, charts=charts),)


def _distinct(make: Callable[[], Any]) -> Any:
    return dashed(make())


@section("Would other topics rank the systems the same?", "Other topics", "irassay meta consistency …")
def consistency(found: Assay) -> Views:
    """How alike disjoint sets of topics rank the systems."""
    return (view_of(found.consistency),)


@section("Which metrics rank the systems alike?", "Alike", "irassay meta similarity …")
def similarity(found: Assay) -> Views:
    """How alike metrics rank the systems, where there are several."""
    return (view_of(found.similarity),) if len(found.metrics) > 1 else ()


@section("Do metrics agree on what is significant?", "Agreement", "irassay meta agreement …")
def agreement(found: Assay) -> Views:
    """Agreement of several metrics; power has a section of its own."""
    if len(found.metrics) < 2:
        return ()
    shown = view_of(found.agreement)
    return (replace(shown, tables=tuple(table for table in shown.tables if table.name != "power")),)


@section("What could missing judgements change?", "Judgements")
def judgements(found: Assay) -> Views:
    """What missing judgements leave open, where there are judgements."""
    shown = missing_judgements(found)
    return () if shown is None else (shown,)


@section("What would other judgements change?", "Other judges", "irassay judges …")
def judges(found: Assay) -> Views:
    """The same systems by other judgements, where some were given."""
    return () if found.other is None else (other_view(found.other),)


@section("Which metrics agree with users?", "Users", "irassay meta satisfaction …")
def ratings(found: Assay) -> Views:
    """Agreement with users' ratings, where some were given."""
    return () if found.ratings is None else (view_of(found.ratings),)


@section("Which metrics break axioms?", "Axioms", "irassay axioms …")
def axioms(found: Assay) -> Views:
    """Axioms broken, without what a page of many metrics has no room for: trees, and cases one by one."""
    shown = []
    for result in found.axioms:
        each = view_of(result)
        kind = f"by grade, 0 to {GRADES}" if result.space.aspects == 1 else f"by aspect, {ASPECTS} of them"
        title = f"Rankings of up to {DEPTH} results {kind}"
        charts = tuple(chart for chart in each.charts if chart[0] == "violations" and result.violations.any())
        tables = tuple(table for table in each.tables if table.name != "properties")
        # Of many metrics only the first sentence; the cards have every counterexample.
        said = each.sentences if len(result.metrics) <= MAX_LISTED else each.sentences[:1]
        notes = each.notes if result is not found.axioms[-1] else (*each.notes, *found.refused.values())
        shown.append(replace(each, title=title, sentences=said, charts=charts, tables=tables, notes=notes))
    return tuple(shown)


@section("Which metrics see relevance and diversity both?", "Diversity")
def diversity(found: Assay) -> Views:
    """Diversity metrics held against simple ones, where there are some."""
    return tuple(view_of(result) for result in (found.intuitiveness, found.unanimity) if result is not None)
