"""Names that terminals, pictures and pages would obey are seen as escapes by people, and come back whole from JSON."""

import json
import re
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest

import irassay as ia
from irassay.meta.comparison_by_metric import Comparison
from irassay.prose import UNPRINTABLE
from irassay.reports.page import single_page
from irassay.scores import Scores
from irassay.views.formats import view_text
from irassay.views.markup import as_html
from irassay.views.render import as_text, print_view
from irassay.views.theme import draw_charts

NAMES = (
    "</script><script>alert(1)</script>",
    "\x1b[31mred",
    "bell\x07\x9b\x7f",
    "not\ufffe\uffff a letter",
    "right\u202eto left",
    "half\udc80",
    '[quote" + alert(1) + "',
    "back\\x07\\\"+x+\\'\\n",
    "& | < > # % _ $ ~ ^ { }",
    "[a](javascript:alert(1))\\|b",
)


@pytest.fixture(scope="module", params=range(len(NAMES)))
def comparison(request: pytest.FixtureRequest) -> Comparison:
    """A comparison that each of the names leads once, so that it is in every title."""
    rng = np.random.default_rng(0)
    values = rng.random((len(NAMES), 8, 1))
    values[request.param] += 1
    scores = Scores(values, NAMES, tuple(f"t\x1b{t}" for t in range(8)), ("AP",))
    return ia.compare(scores, "AP")


def test_people_see_escapes(comparison: Comparison, capsys: pytest.CaptureFixture[str]) -> None:
    view = comparison.view()
    print_view(view)
    printed = capsys.readouterr()
    texts = [
        printed.out,
        printed.err,
        as_text(view),
        view_text(view, "latex"),
        view_text(view, "markdown"),
        as_html(view),
    ]
    for text in texts:
        assert not UNPRINTABLE.search(text.replace("\n", ""))
    assert "\\x1b[31mred" in printed.out
    assert "<script>alert" not in as_html(view) + view_text(view, "markdown")
    assert not re.search(r"(^|\\\\\n)\s*[\[*]", view_text(view, "latex"), re.MULTILINE)


def test_frames_have_every_name(comparison: Comparison) -> None:
    column = set(comparison.to_frame()["system"]) | set(comparison.to_pandas()["system"])
    assert "half\\udc80" in column and NAMES[0] in column


def test_json_keeps_names_whole(comparison: Comparison) -> None:
    text = view_text(comparison.view(), "json", {})
    assert not UNPRINTABLE.search(text.replace("\n", ""))
    rows = json.loads(text)["results"]["systems"]
    assert {row["system"] for row in rows} == set(NAMES)


def test_a_saved_result_comes_back(comparison: Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path / "saved.json")
    assert set(ia.load(tmp_path / "saved.json").systems) == set(NAMES)


def test_pictures_are_drawn(comparison: Comparison, tmp_path: Path) -> None:
    for ending in ("svg", "png", "pdf", "html"):
        for path in draw_charts(comparison.view(), tmp_path / f"x.{ending}"):
            assert path.stat().st_size > 1000
            if ending == "svg":
                minidom.parse(str(path))
            if ending == "html":
                assert "<script>alert" not in path.read_text(encoding="utf-8")


def test_a_page_shows_names_as_text(comparison: Comparison) -> None:
    page = single_page(comparison.view())
    assert "<script>alert" not in page
    body = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not UNPRINTABLE.search(re.sub(r"[\n\t]", "", body))
