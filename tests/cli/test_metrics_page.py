"""The page on metrics: current, complete, and without dead links."""

import re
from pathlib import Path

import irassay as ia
from irassay.cli.metrics_page import metrics_page

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == metrics_page(), "run: make index"


def test_the_page_has_every_metric_with_every_name_parameter_and_sentence() -> None:
    sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {section.split("\n")[0].removesuffix("@k"): section for section in sections}
    for name, metric in ia.catalogue().items():
        declaration, section = metric.declaration, found[name]
        assert declaration.summary in section
        for alias in declaration.all_aliases:
            assert f"`{alias}`" in section
        for key, parameter in declaration.parameters.items():
            assert f"`{key}=" in section or (f"`{key}`" in section and parameter.sentence in section)


def test_links_within_the_page_lead_somewhere() -> None:
    text = PAGE.read_text(encoding="utf-8")
    headings = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in text.split("\n")}
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert len(links) == len(ia.catalogue()) and {*links} <= headings
