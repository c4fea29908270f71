"""A view as a piece of a page: the report's sentences, tables and charts, for the lab's scripts to insert."""

from dataclasses import replace
from typing import Any

from irassay.prose import level_text
from irassay.reports.page import template_environment
from irassay.views.metric_labels import chart_specs
from irassay.views.view import Table, View

MAX_PAIRS = 12  # counterexamples shown as rankings

PANEL = """{% from "parts.html.jinja" import shown %}
{% if pairs %}<div class="counterexamples">{% for pair in pairs %}
<div class="counterexample"><h3>{{ pair.heading }}</h3><dl>
{% for side in pair.sides %}<dt>{{ side.name }}</dt><dd><ol aria-label="{{ side.name }} ranking">
{% for item in side.results %}<li{% if item in ("x", "0") %} class="none"{% endif %}>{{ item }}</li>
{% endfor %}</ol></dd><dd class="score">{{ side.score }}</dd>{% endfor %}</dl></div>
{% endfor %}</div>{% endif %}{{ shown(view) }}"""


def panel_of(view: View) -> dict[str, Any]:
    """The title, the HTML, the charts and the methods paragraph of a view."""
    methods = [view.methods] if view.methods else []
    view = replace(view, sentences=(*view.sentences, *methods), charts=tuple(chart_specs(view)))
    latex: dict[str, str] = {}
    charts: dict[str, Any] = {}
    template = template_environment({}, view.names, latex, charts).from_string(PANEL)
    html = template.render(view=view, pairs=[pair for table in view.tables for pair in ranking_pairs(table)])
    return {"title": view.title, "html": html, "charts": charts}


def ranking_pairs(table: Table) -> list[dict[str, Any]]:
    """The counterexamples of a table, each as two rankings: the one that should be worse, and the better one."""
    columns = table.columns
    if not {"worse", "better", "score of worse", "score of better"} <= set(columns):
        return []
    pairs = []
    for r, row in enumerate(table.rows[:MAX_PAIRS]):
        cells = dict(zip(columns, row, strict=True))
        sides = [
            {
                "name": side,
                "results": str(cells[side]).split(",") if "," in str(cells[side]) else list(str(cells[side] or "")),
                "score": table.shown(r, columns.index(f"score of {side}")),
            }
            for side in ("better", "worse")
        ]
        pairs.append({"heading": f"{cells.get('metric', '')} breaks {cells.get('axiom', '')}", "sides": sides})
    return pairs


def assay_panel(assay: Any) -> dict[str, Any]:
    """The answer of a report: the profile of the metrics as a picture, then the findings."""
    from irassay.assays.findings import ANSWER, CAVEAT, findings
    from irassay.reports.profile_picture import profile_picture
    from irassay.views.metric_labels import result_labels

    labels = result_labels(assay)
    assay = labels.with_labels(assay)
    found = findings(assay)
    template = (
        '{% from "parts.html.jinja" import profile, profile_key %}<div class="first{{ "" if picture else " alone" }}">'
        '<div class="answers">{% for each in answers %}<p>{{ each.text|explained }}</p>{% endfor %}</div>'
        '{% if picture %}<div class="drawn-profile">{{ profile(picture, {}) }}{{ profile_key(picture, level) }}</div>'
        '{% endif %}<ul class="caveats" aria-label="caveats">'
        "{% for each in caveats %}<li>{{ each.text|explained }}</li>{% endfor %}</ul></div>"
    )
    answers, caveats = ([each for each in found if each.role == role] for role in (ANSWER, CAVEAT))
    environment = template_environment({}, labels, {}, {})
    picture, level = profile_picture(assay), level_text(assay.alpha)
    html = environment.from_string(template).render(answers=answers, caveats=caveats, picture=picture, level=level)
    return {"title": "What is each metric good for?", "html": html, "charts": {}}
