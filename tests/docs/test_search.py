"""The search of the built site finds every metric and command by each of its names."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from irassay.declarations import index
from irassay.metrics.grammar import catalogue

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="needs Chromium, and there is none on this machine"),
    pytest.mark.skipif(not (SITE / "searchindex.js").exists(), reason="needs the site; `make docs` builds it"),
]
FIRST = 8  # results that a reader looks at
SEARCH = """names => Object.fromEntries(names.map(name =>
  [name, Search._performSearch(...Search._parseQuery(name)).reverse().map(result => result[0])]))"""


def pages() -> Iterator[tuple[str, str]]:
    """Every name, and the page that it should find."""
    for metric in catalogue().values():
        for name in (metric.name, *metric.declaration.all_aliases):
            yield name, f"generated/metrics/{metric.name}"
    for command in index()["commands"]:
        yield command, f"generated/commands/{command.replace(' ', '-')}"


def test_each_name_finds_its_page_among_the_first() -> None:
    wanted = dict(pages())
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page()
        page.goto((SITE / "search.html").as_uri())
        page.wait_for_function("typeof Search !== 'undefined' && Search._index !== null")
        found = page.evaluate(SEARCH, list(wanted))
        chromium.close()
    assert len(wanted) > 200
    assert [name for name, target in wanted.items() if target not in found[name][:FIRST]] == []
