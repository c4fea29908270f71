"""The page: one self-contained file that opens anywhere without a network."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import broken_sets
from irassay.assays.criteria import AXIOMS
from irassay.assays.dominance import MERITS, available_criteria, behind_on
from irassay.assays.findings import ANSWER, CAVEAT, EVIDENCE, Finding, findings
from irassay.errors import InputError
from irassay.metrics.labels import MetricLabels, MetricName
from irassay.notes import Note, caveats
from irassay.prose import count_phrase, level_text, visible_text
from irassay.reports.cards import cards
from irassay.reports.glossary import GLOSSARY, explained_html, term_of, with_explanations
from irassay.reports.grid import grid
from irassay.reports.headings import PLAIN_HEADINGS
from irassay.reports.packed_charts import stored_chart
from irassay.reports.profile_picture import difference_picture, profile_picture
from irassay.reports.provenance import input_files, parameter_rows, provenance_rows
from irassay.reports.sections import Section, sections
from irassay.views.metric_labels import chart_specs, result_labels
from irassay.views.theme import DARK_COLOURS, config, runtime, script_json
from irassay.views.view import Detail, Table, View
from irassay.writing import make_folder, write_file

if TYPE_CHECKING:
    from jinja2 import Environment


@checks_arguments
def report(
    assay: Assay,
    path: str | Path,
    *,
    title: str = "",
    command: str = "",
    dated: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page of an assay to a file, with the date unless `dated` is false, and return its path."""
    if not isinstance(assay, Assay):
        kind = type(assay).__name__
        raise InputError(f"A report needs an assay, not {kind}; write ia.report(ia.assay(runs, qrels), path).")
    path = Path(path)
    make_folder(path.parent)
    provenance = provenance or assay.provenance()
    date = today() if dated else ""
    write_file(path, page(assay, title=title, provenance=provenance, command=command, date=date))
    return path


def today() -> str:
    """The date and time now, or that of SOURCE_DATE_EPOCH, so that a page can be reproduced."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return when.strftime("%Y-%m-%d %H:%M UTC")


def page(
    assay: Assay, *, title: str = "", provenance: Mapping[str, Any] | None = None, command: str = "", date: str = ""
) -> str:
    """The page as HTML: the answer, a section per question, a card per metric, references and provenance."""
    from irassay.bibliography import cited_works

    labels = result_labels(assay)
    assay = labels.with_labels(assay)
    every_section = sections(assay)
    by_role = {role: [each for each in findings(assay) if each.role == role] for role in (ANSWER, CAVEAT, EVIDENCE)}
    every_card = cards(assay)
    cited = {key for section in every_section for view in section.views for key in view.cite}
    works, unknown = cited_works(cited | {key for card in every_card for key in card.cite})
    anchors = {card.metric: card.id for card in every_card}
    size = f"{count_phrase(len(assay.scores.systems), 'system')}, {count_phrase(len(assay.scores.topics), 'topic')}, "
    return filled_template(
        "page.html.jinja",
        anchors,
        labels,
        title=title or "Assay of metrics",
        size=size + count_phrase(len(assay.metrics), "metric"),
        answers=[*by_role[ANSWER], *_other_answer(every_section)],
        caveats=by_role[CAVEAT],
        findings=by_role[EVIDENCE],
        picture=profile_picture(assay),
        differences=difference_picture(assay),
        level=level_text(assay.alpha),
        names=labels.legend,
        picker=picker(assay),
        sections=every_section,
        cards=every_card,
        few=len(every_card) <= 6,
        longest_name=max((len(f"{card.metric}") for card in every_card), default=0),
        works=works,
        unknown=unknown,
        origin=provenance_rows(assay, provenance or {}, command, date),
        inputs=input_files((provenance or {}).get("inputs", ())),
    )


def _other_answer(every_section: Sequence[Section]) -> list[Finding]:
    """Whether the other judgements rank the systems alike: the first two sentences of their section, if it is there."""
    of_judges = [sentence for each in every_section if each.id == "judges" for sentence in each.views[0].sentences]
    shown = [sentence for sentence in of_judges if not isinstance(sentence, Detail)][:2]
    return [Finding(" ".join(shown), "judges", ANSWER)] if shown else []


def picker(assay: Assay) -> dict[str, Any]:
    """Which metrics are behind which on each criterion, for those that may be best by all criteria the reader ticks.

    A metric without an estimate on a criterion, while others have one, cannot be said to be among the best by it.
    """
    if assay.profile is None or len(assay.metrics) < 2:
        return {}
    names = available_criteria(assay)
    behind = {name: [np.flatnonzero(row).tolist() for row in behind_on(assay, name)] for name in names}
    missing = {name: list[int]() for name in names}
    for each in assay.profile.criteria:
        unknown = np.isnan(each.selection.estimate) if each.selection else np.array([])
        missing[each.name] = [] if unknown.all() else np.flatnonzero(unknown).tolist()
    if AXIOMS in names:
        missing[AXIOMS] = [m for m, broken in enumerate(broken_sets(assay)) if broken is None]
    ticked = [name for name in names if name in MERITS]
    metrics = [f"{metric}" for metric in assay.metrics]
    return {"metrics": metrics, "behind": behind, "missing": missing, "names": names, "ticked": ticked}


def single_page(view: View, *, provenance: Mapping[str, Any] | None = None) -> str:
    """A self-contained page of one view."""
    from irassay.bibliography import cited_works

    methods = [view.methods] if view.methods else []
    view = replace(view, sentences=(*view.sentences, *methods), charts=tuple(chart_specs(view)))
    works, unknown = cited_works(set(view.cite))
    given = provenance or {}
    parameters = {"irassay": version("irassay")} | dict(given.get("parameters", {}))
    return filled_template(
        "single_page.html.jinja",
        {},
        view.names,
        title=view.title,
        size="",
        view=view,
        works=works,
        unknown=unknown,
        origin=parameter_rows(parameters),
        inputs=input_files(given.get("inputs", ())),
    )


def filled_template(template: str, anchors: Mapping[str, str], labels: MetricLabels, **values: Any) -> str:
    """A template filled with values, tables, charts and scripts; `anchors` are the ids of the metrics' cards."""
    latex: dict[str, str] = {}
    charts: dict[str, Any] = {}
    environment = template_environment(anchors, labels, latex, charts)
    html = environment.get_template(template).render(
        **values, anchors=anchors, css=_asset("page.css"), version=version("irassay")
    )
    islands = ({"picker": values["picker"]} if "picker" in values else {}) | {
        "charts": charts,
        "latex": latex,
        "config": {"light": config(), "dark": config(dark=True)},
        "dark": DARK_COLOURS,
    }
    # Scripts are inserted last and unchanged, without the template engine.
    return (
        html.replace("<!--data-->", f'<script type="application/json" id="data">{script_json(islands)}</script>')
        .replace("<!--vega-->", f"<script>{runtime()}</script>")
        .replace("<!--page-->", f"<script>{_asset('shared.js')}{_asset('page.js')}</script>")
    )


def template_environment(
    anchors: Mapping[str, str], labels: MetricLabels, latex: dict[str, str], charts: dict[str, Any]
) -> "Environment":
    """The template engine; templates add the LaTeX of their tables and the specifications of their charts."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    terms: set[str] = set()
    # Everything inserted into the text is escaped; the templates mark the few trusted parts as safe.
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "grid": lambda table: grid(table, latex, anchors, labels),
        "draw": lambda name, make, label: stored_chart(name, make(), charts, label),
        "glossary": lambda: [(term, GLOSSARY[term]) for term in sorted(terms - PLAIN_HEADINGS, key=str.lower)],
    }
    environment.filters |= {
        "breakable": breakable,
        "caveats": caveats,
        "explained": partial(explained_sentence, terms=terms),
        "term": partial(explained_term, terms=terms),
        "soft_hyphens": name_with_soft_hyphens,
        "folded_titles": folded_titles,
    }
    environment.tests["detail"] = lambda sentence: isinstance(sentence, Detail)
    return environment


def _escaped(value: Any) -> Any:
    """A value for the text with control characters escaped; trusted markup is unchanged."""
    return visible_text(value, keep="\n\t") if type(value) in (str, MetricName, Note) else value


def breakable(name: str) -> Any:
    """A name as HTML that may break after a comma, a hyphen or an underscore, and before a cutoff.

    >>> breakable("P(a=1,b=2)@10")
    Markup('P(a=1,<wbr>b=2)<wbr>@10')
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([,_-](?=.)|(?=@))", r"\1<wbr>", str(escape(_escaped(name)))))


def name_with_soft_hyphens(name: str) -> Any:
    """The name of a criterion as HTML with soft hyphens, for narrow columns.

    >>> name_with_soft_hyphens("agreement")
    Markup('agree&shy;ment')
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(\w{4})(inative|ency|ness|ments?)\b", r"\1&shy;\2", str(escape(_escaped(name)))))


def folded_titles(tables: Sequence[Table], charts: int) -> str:
    """What is folded below the first picture of a section, on one line.

    >>> folded_titles([Table("a", (), (), "Pairs, closest to the decision first"), Table("b", (), (), "Cost")], 1)
    'Tables: Pairs, Cost; 1 more picture'
    """
    titles = dict.fromkeys(re.split(r"[,;:(]", table.title or table.name)[0].strip() for table in tables)
    named = f"{'Table' if len(tables) == 1 else 'Tables'}: {', '.join(titles)}" if tables else ""
    return "; ".join(filter(None, (named, count_phrase(charts, "more picture") if charts else "")))


def explained_sentence(sentence: str, terms: set[str]) -> Any:
    """A sentence as HTML whose terms are explained on hover, and whose options do not break after their hyphens.

    >>> explained_sentence("chosen with --main.", set())
    Markup('chosen with <span class="option">--main</span>.')
    """
    from markupsafe import Markup, escape

    html = with_explanations(str(escape(_escaped(sentence))), terms)
    return Markup(re.sub(r"(--[a-z][a-z-]*)", r'<span class="option">\1</span>', html))


def explained_term(name: str, terms: set[str]) -> Any:
    """A heading as HTML, explained on hover if it is a term, which is then added to these terms."""
    from markupsafe import Markup, escape

    html, term = str(escape(_escaped(name))), term_of(name)
    terms |= {term} - {""}
    return Markup(explained_html(html, term) if term else html)


@cache
def _asset(name: str) -> str:
    return (files("irassay.reports") / name).read_text(encoding="utf-8")
