"""A view as a piece of a page: the report's sentences, tables and charts, for the lab's scripts to insert."""

from dataclasses import replace
from typing import Any

from irassay.reports.page import template_environment
from irassay.views.view import View, chart_specs

PANEL = '{% from "parts.html.jinja" import shown %}{{ shown(view) }}'


def panel_of(view: View) -> dict[str, Any]:
    """The title, the HTML, the charts and the methods paragraph of a view."""
    methods = [view.methods] if view.methods else []
    view = replace(view, sentences=(*view.sentences, *methods), charts=tuple(chart_specs(view)))
    latex: dict[str, str] = {}
    charts: dict[str, Any] = {}
    html = template_environment({}, view.names, latex, charts).from_string(PANEL).render(view=view)
    return {"title": view.title, "html": html, "charts": charts}


def assay_panel(assay: Any) -> dict[str, Any]:
    """The answer of a report: the profile of the metrics as a picture, then the findings."""
    from irassay.assays.findings import ANSWER, CAVEAT, findings
    from irassay.reports.profile_picture import profile_picture
    from irassay.views.view import result_labels

    labels = result_labels(assay)
    assay = labels.with_labels(assay)
    said = findings(assay)
    template = (
        '{% from "parts.html.jinja" import profile %}'
        '<div class="said">{% for each in answers %}<p>{{ each.text|explained }}</p>{% endfor %}</div>'
        "{% if picture %}{{ profile(picture, {}) }}{% endif %}"
        '<ul class="caveats" aria-label="caveats">'
        "{% for each in caveats %}<li>{{ each.text|explained }}</li>{% endfor %}</ul>"
    )
    answers, caveats = ([each for each in said if each.role == role] for role in (ANSWER, CAVEAT))
    environment = template_environment({}, labels, {}, {})
    html = environment.from_string(template).render(answers=answers, caveats=caveats, picture=profile_picture(assay))
    return {"title": "What is each metric good for?", "html": html, "charts": {}}
