"""Names of metrics wherever people read, and canonical strings wherever machines do."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.reports.page import page, single_page
from irassay.scores import Scores
from irassay.views.formats import view_text
from irassay.views.markup import as_html, as_latex, as_markdown
from irassay.views.render import as_text
from irassay.views.theme import draw_charts, first_chart
from irassay.views.view import escaped_view, view_of
from tests.support.assays import QUICK

METRICS = ("INST(T=2.0,A='MAX')@10", "INST(T=2.25,A='MAX')@10", "RBP(p=0.5)@10", "RBP(p=0.95)@10", "ERR@10", "AP")
SHOWN = ("INST*@10 T=2", "INST*@10 T=2.25", "RBP@10 p=0.5", "RBP@10 p=0.95", "user", "AP")
BEHIND = "user is ERR@10"  # said once
LEGEND = "INST* has A='MAX'"
CANONICAL = re.compile(r"INST\(|RBP\(|ERR@10")


def some_scores() -> Scores:
    rng = np.random.default_rng(2)
    quality = rng.normal(0.5, 0.1, (6, 1, 1))
    values = np.clip(quality + rng.normal(0, 0.1, (6, 20, 1)) + rng.normal(0, 0.03, (6, 20, len(METRICS))), 0, 1)
    made = Scores(values, tuple("abcdef"), tuple(map(str, range(20))), METRICS)
    return made.with_metrics([*METRICS[:4], "user=ERR@10", "AP"])


RESULTS = {
    "scores": some_scores(),
    "similarity": ia.meta.similarity(some_scores()),
    "consistency": ia.meta.consistency(some_scores(), splits=20),
    "discrimination": ia.meta.discrimination(some_scores(), test="t"),
    "agreement": ia.meta.agreement(some_scores()),
    "comparison": ia.compare(some_scores(), test="t"),
    "alternatives": ia.meta.alternatives(some_scores(), reference="AP", splits=20),
    "generalizability": ia.meta.generalizability(some_scores()),
    "unanimity": ia.meta.unanimity(some_scores(), simple=["AP", "ERR@10"], trials=20),
}


@pytest.mark.parametrize("name", RESULTS)
def test_people_see_short_names_and_once_what_they_share(name: str) -> None:
    view = RESULTS[name].view()
    for form in (as_text, as_latex, as_markdown, as_html):
        text = form(view).replace(r"\*", "*")  # as Markdown has it
        assert text.count(BEHIND) == 1
        assert not CANONICAL.search(text.replace(BEHIND, "")), text
        assert "INST*@10 T=2.25" in text and "user" in text
        assert text.replace("&#x27;", "'").count(LEGEND) == 1
    page_of_it = single_page(view).split('<script type="application/json"')[0]
    assert not CANONICAL.search(page_of_it.replace(BEHIND, "")) and page_of_it.replace("&#39;", "'").count(LEGEND) == 1


@pytest.mark.parametrize("name", RESULTS)
def test_machines_get_canonical_strings_and_the_alias_beside_them(name: str) -> None:
    result = RESULTS[name]
    document = json.loads(result.to_json())
    assert document["parameters"]["labels"] == {"ERR@10": "user"}
    for text in (
        json.dumps(document["results"]),
        json.dumps(document["sentences"]),
        view_text(result.view(labels=False), "csv"),
    ):
        assert not any(f'"{label}"' in text or f"{label}," in text for label in SHOWN[:4])
    assert "INST(T=2.25,A='MAX')@10" in view_text(result.view(labels=False), "csv")


@pytest.mark.parametrize("name", RESULTS)
def test_charts_have_the_same_names_and_say_what_they_share(name: str, tmp_path: Path) -> None:
    view = RESULTS[name].view()
    spec = first_chart(view).to_dict()
    text = json.dumps(spec)
    assert not re.search(r"(INST|RBP)\([^\"]*@10", text) and "INST*@10 T=2" in text
    assert any(LEGEND in line for line in title_lines(spec["title"]))
    for path in draw_charts(view, tmp_path / "picture.svg"):
        assert not re.search(r"[(*]", path.name) and not re.search("[-=]-", path.name)


def title_lines(title: object) -> list[str]:
    """The lines of a chart's title and of what stands below it."""
    assert isinstance(title, dict)
    lines = [title.get("text", []), title.get("subtitle", [])]
    return [line for part in lines for line in ([part] if isinstance(part, str) else part)]


def test_the_page_of_an_assay_says_once_what_names_leave_out() -> None:
    found = ia.assay(scores=some_scores(), main="user", **QUICK)
    assert found.main == "ERR@10"
    text = page(found).replace("&#39;", "'")
    body = text[: text.index('<section id="provenance">')]
    legend = f"Names of metrics: {LEGEND}; user is ERR@10."
    assert body.count(legend) == 1
    rest = re.sub(r'<p class="names"><code>.*?</code></p>', "", body.replace(legend, ""))  # cards have the whole name
    rest = re.sub(r"<code>irassay .*?</code>", "", rest)  # as commands do
    assert not CANONICAL.search(rest), CANONICAL.search(rest)
    assert all(f"<summary><b>{label}</b>" in body for label in SHOWN)
    data = json.loads(text[text.index('id="data">') + 10 :].split("</script>")[0])
    assert not re.search(r"(INST|RBP)\([^\"]*@10", json.dumps(data["charts"]))
    assert all(LEGEND in latex for latex in data["latex"].values() if "INST*@10" in latex)


def test_a_system_or_a_topic_that_is_called_as_a_metric_keeps_its_name() -> None:
    values = np.random.default_rng(1).uniform(size=(3, 6, 2))
    scores = Scores(values, ("ERR@10", "b", "c"), tuple("123456"), ("ERR@10", "AP")).with_metrics(["user=ERR@10", "AP"])
    text = as_text(ia.compare(scores, test="t").view())
    assert re.search(r"\bERR@10\b", text.replace(BEHIND, "")) and "user" in text


def test_a_metric_is_found_by_what_it_is_called_in_tables() -> None:
    scores = some_scores()
    assert scores["INST*@10 T=2.25"].metrics == ("INST(T=2.25,A='MAX')@10",) and scores["user"].metrics == ("ERR@10",)
    assert ia.compare(scores, "RBP@10 p=0.5", test="t").metrics == ("RBP(p=0.5)@10",)


def test_a_paragraph_for_a_paper_says_what_names_stand_for() -> None:
    text = escaped_view(view_of(ia.compare(some_scores(), test="t"), methods=True)).methods
    assert "INST*@10 T=2.25" in text and text.endswith(f"Names of metrics: {LEGEND}; user is ERR@10.")


def test_a_chart_in_which_no_name_leaves_anything_out_has_no_legend() -> None:
    found = ia.compare(some_scores(), ["user", "INST*@10 T=2", "INST*@10 T=2.25"], test="t")
    assert "user minus that of" in str(first_chart(found.view()).to_dict()) and LEGEND in as_text(found.view())
    assert LEGEND not in str(first_chart(found.view()).to_dict())
