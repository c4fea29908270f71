"""The report: verdicts written from results, cards, and one page that stands by itself."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from irassay.assay.assay import DIVERSE, Assay, assay
from irassay.assay.findings import findings, own
from irassay.assay.verdicts import Verdict, in_doubt, lacking, margin, verdicts
from irassay.bibliography import entries, works
from irassay.cli.demo import demo
from irassay.errors import InputError
from irassay.metrics.grammar import parse
from irassay.report.cards import cards
from irassay.report.page import drawable, in_script, packed, page, report
from irassay.report.sections import sections
from irassay.scores import Scores
from irassay.scoring.userfile import define_metrics
from irassay.simulation import simulate
from irassay.stats.paired_test import PairedTest
from irassay.views.assay_charts import dashed, labels
from irassay.views.render import render
from irassay.views.view import view

METRICS = ["nDCG@10", "AP", "RR", "INST(T=2.25,A='MAX')", "alpha_nDCG@10", "AP_IA"]
QUICK = {"test": PairedTest("tukey", trials=200), "splits": 50}
EVIL = "</script><img src=x onerror=alert(1)>&_%"


@pytest.fixture(scope="module")
def made() -> Assay:
    collection = simulate(seed=3, topics=20, systems=9)
    return assay(
        list(collection.runs),
        collection.diversity_qrels,
        METRICS,
        groups=collection.groups,
        splits=50,
        test=PairedTest("tukey", trials=200, seed=3),
    )


@pytest.fixture(scope="module")
def html(made: Assay) -> str:
    return page(made, title="Nine systems", command="irassay report qrels.txt runs")


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


def test_metrics_that_break_common_sense_are_not_sound(made):
    judged = verdicts(made)
    assert judged["AP_IA"].word == "not sound"
    assert judged["INST(T=2.25,A='MAX')"].word == "not sound"
    assert any("redundancy" in fault.evidence for fault in judged["AP_IA"].faults)
    assert judged["nDCG@10"].word != "not sound"


def test_the_first_finding_counts_the_verdicts(made):
    words = [verdict.word for verdict in verdicts(made).values()]
    first = findings(made)[0].text
    assert first.startswith(
        f"{words.count('sound')} of {len(METRICS)} metrics are sound for these 9 systems on 20 topics"
    )
    assert f"{words.count('not sound')} are not sound (INST(T=2.25,A='MAX'), AP_IA)" in first


def test_findings_point_to_sections_that_exist(made):
    known = {section.id for section in sections(made, verdicts(made))}
    assert {finding.section for finding in findings(made)} - {""} <= known


def test_few_topics_are_said_to_be_few(made):
    assert any("20 topics are few" in finding.text for finding in findings(made))


def test_a_metric_that_gives_all_the_same_ranks_nothing():
    rng = np.random.default_rng(0)
    values = np.stack([rng.random((6, 12)) + np.arange(6)[:, None], np.ones((6, 12))], axis=2)
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("mystery", "flat")), **QUICK)
    judged = verdicts(found)
    assert judged["flat"].word == "not sound"
    assert judged["flat"].faults[0].kind == "constant"
    assert found.bounds is None
    assert found.properties == ()
    assert any("Known by their scores only" in finding.text for finding in findings(found))
    assert "Known by its scores only." in page(found)


def test_a_metric_that_tells_nothing_apart_where_another_does_is_used_with_care():
    rng = np.random.default_rng(0)
    good = rng.random((6, 20)) / 10 + np.arange(6)[:, None]
    noise = rng.random((6, 20))
    scores = Scores(np.stack([good, noise], axis=2), tuple("abcdef"), tuple(map(str, range(20))), ("good", "noise"))
    judged = verdicts(assay(scores=scores, **QUICK))
    assert judged["good"].word == "sound"
    assert [fault.kind for fault in judged["noise"].faults] == ["blind", "unsteady"]
    assert judged["noise"].word == "with care"


def test_metrics_are_not_blamed_for_systems_that_are_alike():
    rng = np.random.default_rng(0)
    names = tuple(map(str, range(20)))
    for systems in ("ab", "abcdef"):
        scores = Scores(rng.random((len(systems), 20, 2)), tuple(systems), names, ("one", "other"))
        found = assay(scores=scores, **QUICK)
        judged = verdicts(found)
        assert {verdict.word for verdict in judged.values()} == {"cannot be told"}
        assert findings(found)[0].text.startswith("Whether 2 metrics are sound cannot be told from these")
        text = page(found)
        assert '<span class="badge cannot-be-told">' in text
        assert "1 pairs of systems" not in text


def test_counts_are_no_metrics():
    rng = np.random.default_rng(0)
    metrics = ("num_q", "map", "num_ret", "num_rel", "num_rel_ret")
    scores = Scores(rng.random((4, 8, 5)), tuple("abcd"), tuple(map(str, range(8))), metrics)
    found = assay(scores=scores, **QUICK)
    assert found.metrics == ("map",)
    left = "Left out, counts being no measures of how good a system is: num_q, num_ret, num_rel, num_rel_ret."
    assert findings(found)[-1].text == left
    assert assay(scores=scores.select(metrics=["num_ret"]), **QUICK).metrics == ("num_ret",)


def test_missing_judgements_count_by_what_the_metric_promises(made):
    margins = {name: margin(made.known.get(name) or parse(name)) for name in (*METRICS, "bpref", "P@10")}
    assert margins["P@10"] < margins["AP"] < margins["bpref"] == np.inf
    assert margin(parse("AP(judged_only=True)")) == np.inf
    every = replace(made, bounds=made.bounds + np.array([0.0, 9.0]))
    assert in_doubt(every).all()
    assert lacking(every)
    said = [finding.text for finding in findings(every) if "lacks judgements" in finding.text]
    assert len(said) == 1
    assert all(fault.kind != "doubt" for verdict in verdicts(every).values() for fault in verdict.faults)


def test_a_metric_that_is_only_harmless_is_not_called_good(made):
    power, steady = made.discrimination.power(made.alpha), made.consistency.mean
    last = [name for m, name in enumerate(METRICS) if power[m] == power.min() and steady[m] == steady.min()]
    best = METRICS[int(np.argmax(power))]
    assert own(made, best, Verdict(best, ())).startswith(f"Is {best} any good? Yes: it breaks none")
    assert last
    said = own(made, last[0], Verdict(last[0], ()))
    assert said.startswith(f"Is {last[0]} any good? It does no harm, but adds little: it breaks none of the properties")
    assert "of 6 in power" in said
    assert "place 6 of 6 in consistency" in said


def test_a_matrix_too_large_to_draw_is_said_to_be_left_out(made):
    asked = sections(made, verdicts(made))
    shown = next(section for section in drawable(asked, 61) if section.id == "systems").views[1]
    assert [name for name, _ in shown.charts] == ["intervals"]
    assert shown.sentences[-1].endswith("it has room for 60 systems, and there are 61.")
    assert drawable(asked, 60) == asked


def test_subtopical_judgements_bring_diversity_metrics():
    collection = simulate(seed=3, topics=6, systems=4)
    found = assay(list(collection.runs), collection.diversity_qrels, **QUICK)
    assert set(DIVERSE) < set(found.metrics)
    assert "as the judgements are by subtopic" in findings(found)[-1].text
    assert not set(DIVERSE) & set(assay(list(collection.runs), collection.qrels, **QUICK).metrics)


def test_the_comparison_and_the_leaders_go_by_one_test(made):
    from irassay.report.sections import standing

    leaders = standing(made).tables[1]
    assert leaders.columns[-1] == "not told from it (randomised Tukey HSD)"
    row = next(row for row in leaders.rows if row[0] == made.main)
    top = int(made.comparison.order[0])
    assert row[1] == made.comparison.systems[top]
    assert row[-1] == int((made.comparison.verdicts()[top] == 0).sum()) - 1


def test_more_lines_than_colours_differ_by_dashes():
    rows = [{"line": f"m{n}", "p": 1.0} for n in range(12)]
    spec = dashed({"data": {"values": rows}, "encoding": {"color": {"field": "line", "type": "nominal"}}})
    dash = spec["encoding"]["strokeDash"]["scale"]
    assert spec["encoding"]["color"]["scale"]["domain"] == dash["domain"]
    looks = {(n % 8, tuple(dash["range"][n])) for n in range(12)}
    assert len(looks) == 12


def test_every_point_has_its_name_unless_there_are_many():
    rng = np.random.default_rng(4)
    points = [
        {"metric": f"metric {n}", "consistency": 0.8 + 0.1 * a, "power": 0.3 + 0.2 * b}
        for n, (a, b) in enumerate(rng.random((40, 2)))
    ]
    assert sorted(labels(points[:14])) == list(range(14))
    assert labels(points) == {}


def test_a_report_needs_systems_and_topics():
    scores = Scores(np.zeros((2, 3, 1)), ("a", "b"), ("1", "2", "3"), ("AP",))
    with pytest.raises(InputError, match="at least 4 topics"):
        assay(scores=scores)
    with pytest.raises(InputError, match="runs and judgements, or a table of scores"):
        assay()


def test_one_metric_is_enough():
    rng = np.random.default_rng(1)
    found = assay(scores=Scores(rng.random((5, 8, 1)), tuple("abcde"), tuple(map(str, range(8))), ("AP",)), **QUICK)
    assert findings(found)[0].text.startswith("Whether AP is sound cannot be told")
    assert 'id="similarity"' not in page(found)


def test_cards_tell_what_breaks_with_the_counterexample(made):
    found = {card.metric: card for card in cards(made, verdicts(made))}
    assert list(found) == METRICS
    assert "AP_IA scores aa at" in found["AP_IA"].broken[0]
    assert "priority" in found["nDCG@10"].kept
    assert found["RR"].near[0][1] >= found["RR"].near[-1][1]
    assert found["AP"].numbers.columns[-1] == "place of 6"
    assert found["INST(T=2.25,A='MAX')"].parameters == "T = 2.25, A = 'MAX'"
    assert found["AP"].cite


def test_a_card_draws_curves_of_user_models_and_bars_of_others(made):
    found = {card.metric: card for card in cards(made, verdicts(made))}
    lines = found["INST(T=2.25,A='MAX')"].curves()
    assert lines["mark"]["type"] == "line"
    assert {row["curve"] for row in lines["data"]["values"]} == {
        "C goes on",
        "W attention",
        "L stops",
        "residual",
        "earned",
    }
    assert found["nDCG@10"].curves()["mark"]["type"] == "bar"


def test_a_user_metric_is_marked_and_answered(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import irassay as ia\n\n@ia.user_model('Mine', cite='me2026')\ndef Mine(r, p=0.7):\n"
        '    """Goes on with probability p."""\n    import numpy as np\n    return np.full(r.gain.shape, p)\n'
    )
    define_metrics(file)
    collection = simulate(seed=3, topics=8, systems=6)
    found = assay(list(collection.runs), collection.qrels, ["AP", "RBP(p=0.7)", "Mine"], **QUICK)
    assert found.new == ("Mine",)
    first = findings(found)[0].text
    assert first.startswith("Is Mine any good?")
    assert "it ranks the systems most as RBP(p=0.7) does (tau 1.000)" in first
    text = page(found)
    alone = assay(list(collection.runs), collection.qrels, ["Mine"], **QUICK)
    assert alone.metrics[0] == "Mine"
    assert "nDCG@10" in alone.metrics
    assert '<i class="new">new</i>' in text
    assert "<code>me2026</code>, which is not in the bibliography" in text


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
    assert all(text.startswith(r"\begin{tabular}") for text in held["latex"].values())
    assert all("config" not in spec for spec in held["charts"].values())


def test_the_page_says_what_was_used_and_where_it_came_from(html):
    for text in (
        "irassay report qrels.txt runs",
        "<dt>seed</dt><dd>3</dd>",
        "@inproceedings{albahem2018,",
        "jarvelin2002",
    ):
        assert text in html


def test_the_same_assay_makes_the_same_page(made, html):
    assert page(made, title="Nine systems", command="irassay report qrels.txt runs") == html


def test_a_report_has_its_date_and_a_page_made_again_has_not(made, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    monkeypatch.chdir(tmp_path)
    origin = {
        "inputs": [{"path": str(tmp_path / "runs" / "a.txt"), "sha256": "0"}] * 2,
        "parameters": {"seed": "3", "alpha": "0.05", "test": "tukey"},
    }
    text = report(made, tmp_path / "r.html", provenance=origin).read_text(encoding="utf-8")
    assert "<dt>date</dt><dd>1970-01-02 00:00 UTC</dd>" in text
    assert "1 input file and its SHA-256" in text
    assert "<span>runs/a.txt</span>" in text
    assert "<dt>alpha</dt>" not in text
    assert "1970-01-02" not in report(made, tmp_path / "r.html", dated=False).read_text(encoding="utf-8")


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
    assert packed({"layer": [{"data": {"values": rows}}]}) == {
        "layer": [
            {
                "data": {
                    "packed": {"a": {"words": ["x", "y"], "at": [0, 1, 0]}, "b": [1.23457, None, 2], "c": [None] * 3}
                }
            }
        ]
    }
    assert json.loads(in_script({"x": [float("inf"), "\u2028<"]})) == {"x": [None, "\u2028<"]}


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "latex", "markdown"])
def test_an_assay_has_the_same_view_in_every_format(made, form):
    text = render(view(made), form)
    assert "AP_IA" in text or r"AP\_IA" in text
    if form == "csv":
        assert text.splitlines()[0].startswith("metric,verdict,power (randomised Tukey HSD),consistency")
        assert len(text.splitlines()) == 1 + len(METRICS)


def test_demo_writes_the_report_and_a_summary(tmp_path):
    said = demo(tmp_path / "out", topics=8, systems=6, trials=100, splits=20, keep=tmp_path / "kept")
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "kept" / "qrels.txt").is_file()
    assert said[0] == "Simulated 6 systems on 8 topics, seed 1: what is true of them is known."
    assert said[-1].startswith("The report is ")
    assert any("true quality" in line for line in said)


def test_every_reference_can_be_read():
    for entry in entries().values():
        assert entry.field("title") and entry.field("year")
        assert not re.search(r"[\\{}]", entry.reference)
    found, unknown = works(["chen2023", "nobody1999", "chen2023"])
    assert [entry.key for entry in found] == ["chen2023"]
    assert unknown == ["nobody1999"]
