"""axe-core finds nothing serious on ten pages of the built site, on a desktop and on a phone.

`npm install axe-core` and AXE_CORE=node_modules/axe-core/axe.min.js let it run.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="needs Chromium, and there is none on this machine"),
    pytest.mark.skipif(not AXE.exists(), reason="needs axe-core; AXE_CORE is the path of axe.min.js"),
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="needs the site; `make docs` builds it"),
]
PAGES = """
index get-started search tutorials/paper-table concepts/user-models generated/metrics/index generated/metrics/nDCG
generated/commands/compare generated/atlas/trec-covid-1 generated/reference/columns
""".split()
SERIOUS = """() => axe.run().then(found => found.violations
  .filter(each => ["serious", "critical"].includes(each.impact))
  .map(each => `${each.id}: ${each.nodes.length} times, first ${each.nodes[0].html}`))"""


@pytest.fixture(scope="module")
def browser() -> Any:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_serious(browser: Any, name: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((SITE / f"{name}.html").as_uri())
    page.add_script_tag(path=AXE)
    assert page.evaluate(SERIOUS) == []
    page.close()
