"""Sections of the page: a question each, and the views that answer it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from irassay.assays.assay import ASPECTS, DEPTH, GRADES, Assay
from irassay.assays.findings import LISTED
from irassay.meta.topics import topics_of
from irassay.views.assay import compared, overview, standing
from irassay.views.assay.judgements import missing_judgements
from irassay.views.assay.other import other_view
from irassay.views.theme import dashed
from irassay.views.view import View, view_of


@dataclass(frozen=True)
class Section:
    """A question with its answers."""

    id: str
    question: str
    short: str  # for the list of contents
    views: tuple[View, ...]
    command: str = ""  # what prints its tables in full


def sections(found: Assay) -> tuple[Section, ...]:
    """Every question that can be asked of this collection and these metrics, in reading order."""
    several = len(found.metrics) > 1
    diversity = [view_of(result) for result in (found.intuitiveness, found.unanimity) if result is not None]
    other = () if found.other is None else (other_view(found.other),)
    asked = [
        Section("metrics", "Which metrics meet which criteria?", "Metrics", (_profile(found),)),
        Section("systems", "Which systems are best?", "Systems", (standing(found), compared(found)), _compare(found)),
        Section("topics", "Which topics make the difference?", "Topics", _topics(found), _by_topic(found)),
        _simple("discrimination", "Which metrics discriminate systems?", "Discrimination", _powerful(found)),
        _simple(
            "consistency", "Would other topics rank the systems the same?", "Other topics", view_of(found.consistency)
        ),
        _simple("similarity", "Which metrics rank the systems alike?", "Alike", view_of(found.similarity), several),
        _simple("agreement", "Do metrics agree on what is significant?", "Agreement", _without_power(found), several),
        _simple("judgements", "What could missing judgements change?", "Judgements", missing_judgements(found)),
        Section("judges", "What would other judgements change?", "Other judges", other, "irassay judges …"),
        Section("properties", "Which metrics break axioms?", "Axioms", _properties(found), "irassay axioms …"),
        Section("diversity", "Which metrics see relevance and diversity both?", "Diversity", tuple(diversity)),
        *(
            Section(f"also-{n}", shown.title, shown.title, (shown,))
            for n, shown in enumerate((view_of(result) for result in found.also), 1)
        ),
    ]
    return tuple(_once(section, found) for section in asked if section.views)


def _once(section: Section, found: Assay) -> Section:
    """The section without notes on the input, which are said of the systems."""
    if section.id == "systems":
        return section
    said = {str(note) for note in found.scores.notes}
    views = (replace(each, notes=tuple(n for n in each.notes if str(n) not in said)) for each in section.views)
    return replace(section, views=tuple(views))


def _simple(name: str, question: str, short: str, shown: View | None = None, wanted: bool = True) -> Section:
    shown_here = (shown,) if shown is not None and wanted else ()
    return Section(name, question, short, shown_here, "" if name == "judgements" else f"irassay meta {name} …")


def _profile(found: Assay) -> View:
    """The profile with a row a metric; a row for each criterion of it is for machines."""
    shown = overview(found)
    title = f"Profile: estimate, {1 - found.alpha:.0%} interval over topics, and below them the replication rate"
    tables = tuple(
        replace(table, title=title) if table.name == "metrics" else table
        for table in shown.tables
        if table.name != "profile"
    )
    return replace(shown, tables=tables)


def _compare(found: Assay) -> str:
    """The command that prints the comparison in full."""
    against = f' --baseline "{found.comparison.baseline}"' if found.comparison.baseline else ""
    return f'irassay compare … -m "{found.main}" --test {found.discrimination.test}{against}'


def _topics(found: Assay) -> tuple[View, ...]:
    """The topics that the best two systems, or the best and the baseline, differ on."""
    if len(found.scores.systems) < 2 or len(found.comparison.systems) < 2:
        return ()
    scores = replace(found.scores, notes=())  # which are said of the systems
    return (view_of(topics_of(scores, found.main, baseline=found.comparison.baseline, alpha=found.alpha)),)


def _by_topic(found: Assay) -> str:
    """The command that prints every topic."""
    return f'irassay topics … -m "{found.main}"'


def _powerful(found: Assay) -> View:
    """Power, with lines that can be told apart."""
    shown = view_of(found.discrimination)
    charts = tuple((name, _distinct(make) if name == "asl" else make) for name, make in shown.charts)
    return replace(shown, charts=charts)


def _distinct(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: dashed(make())


def _without_power(found: Assay) -> View:
    """Agreement; power has a section of its own."""
    shown = view_of(found.agreement)
    return replace(shown, tables=tuple(table for table in shown.tables if table.name != "power"))


def _properties(found: Assay) -> tuple[View, ...]:
    """Properties broken, without what a page of many metrics has no room for: trees, and cases one by one."""
    shown = []
    for result in found.properties:
        each = view_of(result)
        kind = f"by grade, 0 to {GRADES}" if result.space.aspects == 1 else f"by aspect, {ASPECTS} of them"
        title = f"Rankings of up to {DEPTH} results {kind}"
        charts = tuple(chart for chart in each.charts if chart[0] == "violations" and result.violations.any())
        tables = tuple(table for table in each.tables if table.name != "properties")
        # Of many metrics only the first sentence; the cards have every counterexample.
        said = each.sentences if len(result.metrics) <= LISTED else each.sentences[:1]
        notes = each.notes if result is not found.properties[-1] else (*each.notes, *found.refused.values())
        shown.append(replace(each, title=title, sentences=said, charts=charts, tables=tables, notes=notes))
    return tuple(shown)
