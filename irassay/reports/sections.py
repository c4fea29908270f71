"""Sections of the page: a question each, and the views that answer it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from irassay.assays.assay import ASPECTS, DEPTH, GRADES, Assay, called
from irassay.assays.findings import LISTED
from irassay.meta.comparison import Comparisons
from irassay.views.assay import overview, standing
from irassay.views.assay.judgements import missing_judgements
from irassay.views.comparison import by_one
from irassay.views.methods import methods_paragraph
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
    compared = by_one(found.comparison, found.main)
    methods = methods_paragraph(Comparisons((found.comparison,)))
    compared = replace(compared, sentences=(*compared.sentences, methods))
    diversity = [view_of(result) for result in (found.intuitiveness, found.unanimity) if result is not None]
    asked = [
        Section("metrics", "Which metrics meet which criteria?", "Metrics", (overview(found),)),
        Section("systems", "Which systems are best?", "Systems", (standing(found), compared), _compare(found)),
        _simple("discrimination", "Which metrics discriminate systems?", "Discrimination", _powerful(found)),
        _simple(
            "consistency", "Would other topics rank the systems the same?", "Other topics", view_of(found.consistency)
        ),
        _simple("similarity", "Which metrics rank the systems alike?", "Alike", view_of(found.similarity), several),
        _simple("agreement", "Do metrics agree on what is significant?", "Agreement", _without_power(found), several),
        _simple("judgements", "What could missing judgements change?", "Judgements", missing_judgements(found)),
        Section("properties", "Which metrics break axioms?", "Axioms", _properties(found), "irassay axioms …"),
        Section("diversity", "Which metrics see relevance and diversity both?", "Diversity", tuple(diversity)),
        *(
            Section(f"also-{n}", shown.title, shown.title, (shown,))
            for n, shown in enumerate((view_of(result) for result in found.also), 1)
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
    shown = view_of(found.discrimination)
    tables = tuple(replace(table, title=f"{table.title} ({found.test})") for table in shown.tables)
    charts = tuple((name, _distinct(make) if name == "asl" else make) for name, make in shown.charts)
    return replace(shown, tables=tables, charts=charts)


def _distinct(make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: dashed(make())


def _without_power(found: Assay) -> View:
    """Agreement; power has a section of its own."""
    shown = view_of(found.agreement)
    how = called(found.agreement.test, found.agreement.correction)
    tables = (replace(table, title=f"{table.title} ({how})") for table in shown.tables if table.name != "power")
    return replace(shown, tables=tuple(tables))


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
