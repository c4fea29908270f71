"""The page: one file with everything in it, that opens anywhere without a network."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import broken_sets
from irassay.assays.findings import DEFAULT_CRITERIA, findings
from irassay.assays.profile import AXIOMS, dominated_by
from irassay.errors import InputError
from irassay.metrics.labels import MetricName, MetricLabels
from irassay.notes import Note
from irassay.prose import count_phrase, visible_text
from irassay.reports.cards import cards
from irassay.reports.chart_heights import height
from irassay.reports.grid import grid
from irassay.reports.sections import Section, sections
from irassay.views.long_charts import with_axis_above
from irassay.views.theme import DIMMED, config, in_script, readable, runtime
from irassay.views.view import View, chart_specs, names_of
from irassay.writing import make_folder, write_file

MATRIX = 60  # systems whose matrix of verdicts is drawn
SAID = ("seed", "alpha", "test", "trials", "splits", "labels")  # parameters that the page gives elsewhere


@checks_arguments
def report(
    found: Assay,
    path: str | Path,
    *,
    title: str = "",
    command: str = "",
    dated: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> Path:
    """Writes the page of an assay to a file, with the date unless told otherwise, and returns where it is."""
    if not isinstance(found, Assay):
        kind = type(found).__name__
        raise InputError(f"A report is of an assay, and this is {kind}; write ia.report(ia.assay(runs, qrels), path).")
    path = Path(path)
    make_folder(path.parent)
    provenance = provenance or found.provenance()
    text = page(found, title=title, provenance=provenance, command=command, date=today() if dated else "")
    write_file(path, text)
    return path


def today() -> str:
    """The date and time now, or that of SOURCE_DATE_EPOCH, so that a page can be made twice alike."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(told), UTC) if told.isdigit() else datetime.now(UTC)
    return when.strftime("%Y-%m-%d %H:%M UTC")


def page(
    found: Assay, *, title: str = "", provenance: Mapping[str, Any] | None = None, command: str = "", date: str = ""
) -> str:
    """The page as HTML: the answer, a section a question, a card a metric, what was used, and where it came from."""
    from irassay.bibliography import cited_works

    called = names_of(found)
    found = called.with_labels(found)
    asked = drawable(sections(found), len(found.scores.systems))
    made = cards(found)
    cited = {key for section in asked for view in section.views for key in view.cite}
    known, unknown = cited_works(cited | {key for card in made for key in card.cite})
    anchors = {card.metric: card.id for card in made}
    size = f"{count_phrase(len(found.scores.systems), 'system')}, {count_phrase(len(found.scores.topics), 'topic')}, "
    return filled(
        "page.html.jinja",
        anchors,
        called,
        title=title or "Assay of metrics",
        size=size + count_phrase(len(found.metrics), "metric"),
        findings=findings(found),
        names=called.legend,
        picker=picker(found),
        sections=asked,
        cards=made,
        few=len(made) <= 6,
        works=known,
        unknown=unknown,
        origin=origin(found, provenance or {}, command, date),
        inputs=nearby((provenance or {}).get("inputs", ())),
    )


def picker(found: Assay) -> dict[str, Any]:
    """What the page needs to find the front over the criteria that its reader ticks: who is ahead of whom."""
    if found.profile is None or len(found.metrics) < 2:
        return {}
    broken = broken_sets(found)
    names = [each.name for each in found.profile.criteria] + ([AXIOMS] if found.axioms else [])
    ahead = {
        name: [np.flatnonzero(row).tolist() for row in dominated_by(found.profile, broken, [name])[0]] for name in names
    }
    untested = [m for m, each in enumerate(broken) if each is None]
    ticked = [name for name in names if name in DEFAULT_CRITERIA]
    return {"metrics": list(found.metrics), "ahead": ahead, "untested": untested, "names": names, "ticked": ticked}


def nearby(inputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Input files, each once, those below the working directory by their path from there."""
    here = Path.cwd()
    listed = [dict(file) for file in inputs]
    for file in listed:
        if Path(file["path"]).is_relative_to(here):
            file["path"] = Path(file["path"]).relative_to(here).as_posix()
    return list({file["path"]: file for file in listed}.values())


def single_page(view: View, *, provenance: Mapping[str, Any] | None = None) -> str:
    """A page of one view, as self-contained as that of an assay."""
    from irassay.bibliography import cited_works

    methods = [view.methods] if view.methods else []
    view = replace(view, sentences=(*view.sentences, *methods), charts=tuple(chart_specs(view)))
    known, unknown = cited_works(set(view.cite))
    given = provenance or {}
    told = {"irassay": version("irassay")} | dict(given.get("parameters", {}))
    return filled(
        "single_page.html.jinja",
        {},
        view.names,
        title=view.title,
        size="",
        view=view,
        works=known,
        unknown=unknown,
        origin=[(str(name), str(value)) for name, value in told.items()],
        inputs=nearby(given.get("inputs", ())),
    )


def filled(template: str, anchors: Mapping[str, str], labels: MetricLabels, **values: Any) -> str:
    """A template with its values, its tables, its charts and the scripts that bring them to life.

    `anchors` are the places of the cards of metrics.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    latex: dict[str, str] = {}
    charts: dict[str, Any] = {}
    # Everything that is put into the text is escaped; the templates mark the few parts that are ours as safe.
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        finalize=_seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "grid": lambda table: grid(table, latex, anchors, labels),
        "draw": lambda name, make, label: drawn(name, make(), charts, label),
    }
    environment.filters |= {"breakable": breakable, "unbroken": unbroken}
    html = environment.get_template(template).render(**values, css=_asset("page.css"), version=version("irassay"))
    islands = ({"front": values["picker"]} if "picker" in values else {}) | {
        "charts": charts,
        "latex": latex,
        "config": {"light": config(), "dark": config(dark=True)},
        "dimmed": DIMMED,
    }
    # The scripts come last and are put in as they are: a template engine has no business in them.
    return (
        html.replace("<!--data-->", f'<script type="application/json" id="data">{in_script(islands)}</script>')
        .replace("<!--vega-->", f"<script>{runtime()}</script>")
        .replace("<!--page-->", f"<script>{_asset('page.js')}</script>")
    )


def _seen(value: Any) -> Any:
    """What is put into the text, as people can read it; what is marked as ours is left alone."""
    return visible_text(value, keep="\n\t") if type(value) in (str, MetricName, Note) else value


def breakable(name: str) -> Any:
    """A name as HTML, that a narrow column may break after a comma, a hyphen or an underscore.

    >>> breakable("P(a=1,b=2)")
    Markup('P(a=1,<wbr>b=2)')
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([,_-]|\)(?=@))(?=.)", r"\1<wbr>", str(escape(_seen(name)))))


def unbroken(sentence: str) -> Any:
    """A sentence as HTML, whose options do not break after their hyphens.

    >>> unbroken("chosen with --main.")
    Markup('chosen with <span class="option">--main</span>.')
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(--[a-z][a-z-]*)", r'<span class="option">\1</span>', str(escape(_seen(sentence)))))


@cache
def _asset(name: str) -> str:
    return (files("irassay.reports") / name).read_text(encoding="utf-8")


def drawable(asked: Sequence[Section], systems: int) -> tuple[Section, ...]:
    """The sections without pictures that would be too large."""
    if systems <= MATRIX:
        return tuple(asked)

    def smaller(section: Section) -> Section:
        return replace(section, views=tuple(map(without, section.views)))

    def without(view: View) -> View:
        kept = tuple(chart for chart in view.charts if chart[0] != "matrix")
        if len(kept) == len(view.charts):
            return view
        said = f"The matrix of who beats whom is left out: it has room for {MATRIX} systems, and there are {systems:,}."
        return replace(view, charts=kept, sentences=(*view.sentences, said))

    return tuple(map(smaller, asked))


def drawn(name: str, chart: Any, charts: dict[str, Any], label: str) -> dict[str, Any]:
    """Keeps a chart for the page's script under a new name; what the page needs to leave room for it."""
    spec = with_axis_above(readable(chart if isinstance(chart, dict) else chart.to_dict(validate=False)))
    spec.pop("config", None)
    spec.pop("$schema", None)
    title = spec.get("title") or spec.get("layer", [{}])[0].get("title") or label
    spec.setdefault("description", title if isinstance(title, str) else title["text"])  # what screen readers say
    key = f"{name}-{len(charts) + 1}"
    charts[key] = packed(spec)
    return {"id": key, "name": name, "height": height(spec)}


def packed(spec: Any) -> Any:
    """A specification with its data by column and strings by number; the page's script unpacks it.

    >>> packed({"data": {"values": [{"a": "x", "b": 1}, {"a": "x", "b": 2}]}})
    {'data': {'packed': {'a': {'words': ['x'], 'at': [0, 0]}, 'b': [1, 2]}}}
    """
    if isinstance(spec, list):
        return [packed(each) for each in spec]
    if not isinstance(spec, dict):
        return spec
    if isinstance(rows := spec.get("values"), list) and rows and isinstance(rows[0], dict):
        return {key: value for key, value in spec.items() if key != "values"} | {"packed": columns(rows)}
    return {key: packed(value) for key, value in spec.items()}


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows by column; null where a row lacks a value, six digits of numbers."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(key for row in rows for key in row):
        values = [row.get(name) for row in rows]
        if all(isinstance(value, str) for value in values):
            words = {word: n for n, word in enumerate(dict.fromkeys(values))}
            found[name] = {"words": list(words), "at": [words[value] for value in values]}
        else:
            found[name] = [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]
    return found


def origin(found: Assay, provenance: Mapping[str, Any], command: str, date: str = "") -> list[tuple[str, str]]:
    """Versions, seeds, parameters and the command, as a list of what and which."""
    lines = [("date", date)] if date else []
    lines.append(("irassay", version("irassay")))
    lines += [(str(name), str(value)) for name, value in dict(provenance.get("versions", {})).items()]
    lines += [(name, version(name)) for name in ("polars", "altair", "vl-convert-python")]
    if command:
        lines.append(("command", command))
    lines += [("seed", str(found.seed)), ("level of significance", f"{found.alpha:g}")]
    power, steady = found.discrimination, found.consistency
    lines += [
        ("test of pairs of systems", f"{power.test}, {power.trials:,} resamples" if power.trials else power.test),
        ("splits of the topics", f"{len(steady.tau):,}"),
    ]
    for name, value in dict(provenance.get("parameters", {})).items():
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if text and name not in SAID:
            lines.append((str(name).replace("_", " "), text))
    return list(dict(lines).items())
