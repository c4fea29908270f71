"""The page, which stands by itself."""

import json
import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from irassay.assays.assay import Assay, assay
from irassay.assays.findings import ANSWER, findings
from irassay.notes import Note
from irassay.prose import percent_text
from irassay.reports.glossary import GLOSSARY
from irassay.reports.headings import HEADINGS, PLAIN_HEADINGS
from irassay.reports.packed_charts import packed_spec
from irassay.reports.page import page, picker, report, script_json, single_page
from irassay.reports.profile_picture import difference_picture, profile_picture
from irassay.reports.sections import sections
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.views.assay import metrics_view
from irassay.views.view import Detail, View
from tests.support.assays import QUICK, nine_systems

EVIL = "</script><img src=x onerror=alert(1)>&_%"
TAG = re.compile("<[^>]*>")
assay_of_nine = pytest.fixture(scope="module")(nine_systems)


@pytest.fixture(scope="module")
def html(assay_of_nine: Assay) -> str:
    return page(assay_of_nine, title="Nine systems", command="irassay report qrels.txt runs")


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.links: list[str] = []
        self.outside: list[tuple[str, str]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        if "id" in given:
            assert given["id"] not in self.targets, f"two elements are called {given['id']}"
            self.targets.add(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        self.outside += [(tag, v) for k, v in attrs if k in ("src", "href") and not v.startswith(("#", "data:"))]


def data_of(html: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_the_first_screen_has_the_answer_then_the_picture_then_caveats_and_folds_the_rest(assay_of_nine, html):
    first = html[html.index('<section id="answer">') : html.index('<section id="metrics">')]
    all_findings = findings(assay_of_nine)
    answers = [each for each in all_findings if each.role == ANSWER]
    assert 2 <= len(answers) <= 4
    places = [
        first.index(part) for part in ('class="answers"', 'class="profile', 'class="caveats"', 'class="evidence"')
    ]
    assert places == sorted(places)
    shown = TAG.sub("", first)
    assert all(escape(each.text, quote=False) in shown.replace("&#39;", "'") for each in all_findings)


def test_a_section_shows_one_exhibit_of_each_view_and_folds_the_others(assay_of_nine, html):
    for section in sections(assay_of_nine):
        text = html.partition(f'<section id="{section.id}">')[2].partition("</section>")[0]
        shown = re.sub(r'<details class="more-exhibits">.*?</details>', "", text, flags=re.S)
        assert shown.count("<figure") + shown.count("<table") <= len(section.views)
        tables = sum(bool(table.rows) for view in section.views for table in view.tables)
        assert text.count("<table") == tables and text.count("<figure") == sum(len(v.charts) for v in section.views)


def test_a_section_shows_its_caveats_and_folds_its_other_notes(assay_of_nine):
    notes = (Note("the test errs here", caveat=True), Note("a fact"), "a method")
    html = page(replace(assay_of_nine, scores=replace(assay_of_nine.scores, notes=notes)))
    systems = html.partition('<section id="systems">')[2].partition("</section>")[0]
    shown = re.sub(r"<details.*?</details>", "", systems, flags=re.S)
    assert "the test errs here" in shown and systems.count("the test errs here") == 1
    assert "a fact" in systems and "a fact" not in shown and "a method" not in shown


def test_the_picture_has_every_metric_and_is_filled_where_it_may_be_best(assay_of_nine):
    picture = profile_picture(assay_of_nine)
    assert picture is not None and assay_of_nine.profile is not None
    assert [column.name for column in picture.columns] == [
        *(each.name for each in assay_of_nine.profile.criteria),
        "axioms",
    ]
    order = [assay_of_nine.metrics.index(name) for name, _ in picture.rows]
    assert sorted(order) == list(range(len(assay_of_nine.metrics)))
    powers = assay_of_nine.profile.criteria[0].estimate[order]
    assert (np.diff(powers) <= 0).all()
    for c, each in enumerate(assay_of_nine.profile.criteria):
        filled = [cells[c].filled for _, cells in picture.rows]
        assert filled == each.selection.may_be_best[order].tolist()
        for m, (_, cells) in zip(order, picture.rows, strict=True):
            drawn = cells[c].drawn
            assert drawn is not None and 0 <= drawn.low <= drawn.at <= drawn.high <= 100
            assert percent_text(each.estimate[m]) == cells[c].text or f"{each.estimate[m]:.3f}" == cells[c].text
    assert difference_picture(assay_of_nine) is None


def test_an_estimate_that_was_not_compared_is_neither_best_nor_behind(assay_of_nine):
    power, *rest = assay_of_nine.profile.criteria
    estimate = power.selection.estimate.copy()
    estimate[0] = np.nan
    without = replace(power, selection=replace(power.selection, estimate=estimate))
    found = replace(assay_of_nine, profile=replace(assay_of_nine.profile, criteria=(without, *rest)))
    picture = profile_picture(found)
    [cell] = [cells[0] for name, cells in picture.rows if name == assay_of_nine.metrics[0]]
    assert not cell.filled and not cell.is_compared and cell.drawn is not None
    assert "not compared with other metrics</span>" in page(found)
    assert "not compared with other metrics</span>" not in page(assay_of_nine)


def test_two_metrics_are_shown_head_to_head():
    rng = np.random.default_rng(1)
    quality, noise = np.arange(8)[:, None, None] / 8, rng.normal(size=(8, 24, 2))
    values = quality + noise * np.array([0.2, 1.5])
    scores = Scores(values, tuple("abcdefgh"), tuple(map(str, range(24))), ("steady", "noisy"))
    found = assay(scores=scores, **QUICK)
    picture = difference_picture(found)
    assert picture is not None and found.profile is not None
    name, (number, interval, conclusion) = picture.rows[0]
    power = found.profile.criteria[0]
    assert name == "discriminative power"
    assert number.text == f"{100 * (power.estimate[0] - power.estimate[1]):+.1f} points"
    assert number.filled and conclusion.text == "steady is significantly higher"
    assert interval.text.startswith("+")
    assert "steady minus noisy" in page(found)


def test_one_metric_has_no_scatter_plot_of_one_point(assay_of_nine):
    assert [name for name, _ in metrics_view(assay_of_nine).charts] == ["landscape"]
    collection = simulate(seed=3, topics=20, systems=4)
    assert metrics_view(assay(list(collection.runs), collection.qrels, ["AP"], **QUICK)).charts == ()


def test_the_key_of_the_picture_names_only_what_is_drawn(assay_of_nine, html):
    picture = profile_picture(assay_of_nine)
    assert picture is not None
    assert not picture.any_behind
    assert "○ significantly behind another" not in html
    (name, (first, *rest)), *others = picture.rows
    behind = replace(picture, rows=((name, (replace(first, filled=False), *rest)), *others))
    assert behind.any_behind


def test_every_term_on_the_page_is_explained_on_hover_and_listed(html):
    explained = {unescape(title) for title in re.findall(r'<abbr title="([^"]*)">', html)}
    listed = {unescape(text) for text in re.findall(r"<div><dt>[^<]*</dt><dd>([^<]*)</dd></div>", html)}
    assert listed == explained - {GLOSSARY[heading] for heading in PLAIN_HEADINGS}
    assert {*HEADINGS} >= PLAIN_HEADINGS
    assert {GLOSSARY[term] for term in ("may be best", "discriminative power", "tau", "SSA")} <= listed
    assert all(meaning.endswith(".") and ". " not in meaning for meaning in GLOSSARY.values())


def test_a_matrix_of_many_systems_is_drawn_in_blocks(html):
    rng = np.random.default_rng(0)
    names = tuple(f"s{n}" for n in range(61))
    found = assay(scores=Scores(rng.random((61, 6, 1)), names, tuple("abcdef"), ("AP",)), **QUICK)
    charts = data_of(page(found))["charts"]
    [matrix] = [spec for key, spec in charts.items() if key.startswith("matrix")]
    assert matrix["encoding"]["x"]["title"] == "rank"


def test_the_page_needs_nothing_from_outside(html):
    found = Links()
    found.feed(html)
    assert found.outside == []
    assert {link[1:] for link in found.links} <= found.targets
    assert "<!--data-->" not in html
    assert len(html) < 5_000_000


def test_every_table_has_latex_and_every_chart_a_specification(html):
    held = data_of(html)
    assert set(held["latex"]) == set(re.findall(r'data-latex="([^"]+)"', html)) != set()
    assert set(held["charts"]) == set(re.findall(r'data-chart="([^"]+)"', html)) != set()
    ends = r"\end{tabular}", r"\end{table}"  # those with a caption float
    assert all(r"\begin{tabular}" in text and text.strip().endswith(ends) for text in held["latex"].values())
    assert all("config" not in spec for spec in held["charts"].values())


def test_the_page_says_what_was_used_and_where_it_came_from(html):
    for text in (
        "irassay report qrels.txt runs",
        "<dt>seed</dt><dd>3</dd>",
        "@inproceedings{albahem2018,",
        "jarvelin2002",
    ):
        assert text in html


def test_the_same_assay_makes_the_same_page(assay_of_nine, html):
    assert page(assay_of_nine, title="Nine systems", command="irassay report qrels.txt runs") == html


def test_a_report_has_its_date_and_a_page_made_again_has_not(assay_of_nine, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    monkeypatch.chdir(tmp_path)
    origin = {
        "inputs": [{"path": str(tmp_path / "runs" / "a.txt"), "sha256": "0"}] * 2,
        "parameters": {"seed": "3", "alpha": "0.05", "test": "tukey"},
    }
    text = report(assay_of_nine, tmp_path / "r.html", provenance=origin).read_text(encoding="utf-8")
    assert "<dt>date</dt><dd>1970-01-02 00:00 UTC</dd>" in text
    assert "1 input file and its SHA-256" in text
    assert "<span>runs/a.txt</span>" in text
    assert "<dt>alpha</dt>" not in text
    assert "1970-01-02" not in report(assay_of_nine, tmp_path / "r.html", dated=False).read_text(encoding="utf-8")


def test_names_from_outside_are_text_and_nothing_else(tmp_path):
    rng = np.random.default_rng(2)
    systems = (EVIL, "b", "c", "d", "e")
    scores = Scores(rng.random((5, 8, 2)), systems, tuple(map(str, range(8))), ("AP", EVIL))
    found = assay(scores=scores, **QUICK)
    path = report(
        found, tmp_path / "deep" / "r.html", title=EVIL, provenance={"parameters": {EVIL: EVIL}}, command=EVIL
    )
    text = path.read_text(encoding="utf-8")
    seen = Links()
    seen.feed(text)
    assert "img" not in seen.tags
    assert seen.tags.count("script") == 3
    assert "onerror=alert(1)>" not in text
    latex = "".join(data_of(text)["latex"].values())
    assert r"\textless{}/script\textgreater{}" in latex
    assert r"\&\_\%" in latex


def test_packed_data_keep_every_value():
    rows = [{"a": "x", "b": 1.23456789}, {"a": "y", "c": None}, {"a": "x", "b": 2}]
    assert packed_spec({"layer": [{"data": {"values": rows}}]}) == {
        "layer": [
            {
                "data": {
                    "packed": {"a": {"words": ["x", "y"], "at": [0, 1, 0]}, "b": [1.23457, None, 2], "c": [None] * 3}
                }
            }
        ]
    }
    assert json.loads(script_json({"x": [float("inf"), "\u2028<"]})) == {"x": [None, "\u2028<"]}


def test_the_profile_is_a_row_per_metric_with_its_interval_and_replication(assay_of_nine, html):
    start = html.index('<section id="metrics">')
    table = html[html.index("<tbody>", start) : html.index("</tbody>", start)]
    rows = table.split("<tr>")[1:]
    assert assay_of_nine.profile is not None
    assert len(rows) == len(assay_of_nine.profile.names)
    each = assay_of_nine.profile.criteria[0]
    assert each.selection is not None and each.selection.may_be_best[0]  # so it is bold
    shown = f"<b>{each.estimate[0]:.3f}</b> <small>({each.low[0]:.3f}–{each.high[0]:.3f})</small>"
    assert shown in rows[0]
    assert f'<small class="under">replication {each.replication[0]:.2f}</small>' in rows[0]
    assert (
        "criterion</button>" not in html[start : html.index('<section id="systems">')]
    )  # the long form is for machines


def test_notes_on_the_input_are_said_once(assay_of_nine):
    notes = {str(note) for note in assay_of_nine.scores.notes}
    shown_notes = [str(note) for section in sections(assay_of_nine) for view in section.views for note in view.notes]
    assert notes
    assert all(shown_notes.count(note) == 1 for note in notes)


def test_the_sections_of_one_metric_ask_about_it():
    values = np.arange(6)[:, None, None] / 6 + np.random.default_rng(0).normal(size=(6, 12, 1)) * 0.3
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("AP",)), **QUICK)
    asked = [each.question for each in sections(found)]
    assert "How does AP do on each criterion?" in asked and "Which axioms does AP break?" in asked
    assert not [question for question in asked if "metrics" in question]


def test_the_topics_of_two_systems_come_with_the_verdict_among_all_pairs(assay_of_nine):
    [shown] = next(each for each in sections(assay_of_nine) if each.id == "topics").views
    assert shown.sentences[1].startswith("Among all 36 pairs it is ")
    assert assay_of_nine.test in shown.sentences[1]


def test_a_metric_that_was_not_compared_is_not_picked(assay_of_nine):
    power, *rest = assay_of_nine.profile.criteria
    estimate = power.selection.estimate.copy()
    estimate[0] = np.nan
    without = replace(power, selection=replace(power.selection, estimate=estimate))
    found = replace(assay_of_nine, profile=replace(assay_of_nine.profile, criteria=(without, *rest)))
    assert picker(found)["missing"][power.name] == [0]
    assert picker(assay_of_nine)["missing"][power.name] == []


def test_a_page_of_one_result_folds_its_details_and_says_each_once():
    size = Detail("The means are of 4 systems.")
    html = single_page(View("Means", ("AP is the best.", size, "RR is the worst.", size), ()))
    answer, folded = html.split('<details class="more-exhibits">')
    assert "AP is the best." in answer and "RR is the worst." in answer and size not in answer
    assert "1 more sentence<" in folded and folded.count(size) == 1
    assert size in single_page(View("Means", (size,), ())).split("<details")[0]


def test_a_page_without_works_or_values_has_no_empty_headings():
    html = single_page(View("Means", ("AP is the best.",), ()), provenance={"parameters": {"alpha": 0.05, "pair": ()}})
    assert 'id="references"' not in html and "<dt>pair</dt>" not in html
    assert "<dt>alpha</dt><dd>0.05</dd>" in html


def test_criteria_without_differences_have_the_whole_axis():
    scores = np.random.default_rng(1).random((2, 20, 3)) * [[[0.1]], [[1.0]]]  # always in the same order
    found = assay(Scores(scores, ("a", "b"), tuple(map(str, range(20))), ("AP", "RR", "P@5")), **QUICK)
    drawn = profile_picture(found)
    ends = {column.name: column.ends for column in drawn.columns}
    assert ends["discriminative power"] == ("0%", "100%")
    assert ends["agreement with other metrics"] == ("0", "1")
    key = page(found).split('<p class="key">')[1].split("</p>")[0]
    assert "may be best" in key and "interval" not in key
