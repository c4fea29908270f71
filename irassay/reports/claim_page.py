"""The page of a claim: one sentence, four tiles and one picture; the four analyses below."""

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from irassay.bibliography import cited_works
from irassay.meta.claim import Claim
from irassay.reports.page import filled_template
from irassay.reports.provenance import input_files, parameter_rows
from irassay.views.claim import claim_tiles, claim_title, headline
from irassay.views.metric_labels import chart_specs, result_labels
from irassay.views.view import view_of
from irassay.writing import make_folder, write_file

HEADINGS = {
    "dominance": "Which users agree",
    "fragility": "Which judgements it depends on",
    "multiverse": "Other analyses",
    "ties": "Tied results",
}


def write_claim_page(claim: Claim, path: str | Path) -> Path:
    """Write the page of a claim to a file, and return its path."""
    path = Path(path)
    make_folder(path.parent)
    write_file(path, claim_page(claim))
    return path


def claim_page(claim: Claim) -> str:
    """The page as HTML."""
    labels = result_labels(claim)
    view = claim.view()
    shown = labels.with_labels(claim)
    parts = []
    for name, heading in HEADINGS.items():
        part = view_of(getattr(claim, name))
        parts.append((name, heading, replace(part, charts=tuple(chart_specs(part)))))
    works, unknown = cited_works(set(view.cite))
    origin = claim.provenance()
    parameters = {"irassay": version("irassay")} | dict(origin.get("parameters", {}))
    return filled_template(
        "claim.html.jinja",
        {},
        view.names,
        title=claim_title(shown),
        size=f"{claim.dominance.topics} topics",
        headline=headline(shown),
        holds=claim.holds,
        tiles=claim_tiles(shown),
        picture=next(chart_specs(view)),
        parts=parts,
        works=works,
        unknown=unknown,
        origin=parameter_rows(parameters),
        inputs=input_files(origin.get("inputs", ())),
    )
