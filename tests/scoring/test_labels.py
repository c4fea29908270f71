"""What metrics are called: people see what they typed, machines the canonical string."""

import io
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay import INST, RBP
from irassay.errors import InputError
from irassay.metrics.grammar import catalogue, parse
from irassay.rankings.batch import Rankings
from irassay.scoring.levels import level_matters, metric_at_level
from irassay.views.formats import view_text
from irassay.views.markup import as_latex
from irassay.views.render import as_text

RUN = {"one": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}, "two": {"1": {"b": 2.0}, "2": {"a": 1.0}}}
QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 0, "b": 3}}


def test_a_parameter_that_was_typed_is_shown_and_machines_get_the_canonical_string() -> None:
    scores = ia.score(RUN, QRELS, ["RBP(p=0.8)", "AP"])
    assert scores.metrics == ("RBP", "AP")
    assert "RBP(p=0.8)" in as_text(scores.view()) and "RBP(p=0.8)" in as_latex(scores.view())
    assert "RBP(p=0.8)" not in view_text(scores.view(long=True), "tsv")
    assert "RBP(p=0.8)" not in as_text(ia.score(RUN, QRELS, [RBP, "AP"]).view())
    assert "RBP(p=0.8)" in as_text(ia.score(RUN, QRELS, [RBP(p=0.8)]).view())
    assert parse("RBP(p=0.8)") == RBP and hash(parse("RBP(p=0.8)")) == hash(RBP)


@pytest.mark.parametrize(
    "metrics", [["user=INST(T=2.25,A='MAX')", "AP"], {"user": INST(T=2.25, A="MAX"), "AP": "AP"}], ids=["text", "dict"]
)
def test_an_alias_is_shown_everywhere_and_finds_its_metric(metrics: list[str]) -> None:
    scores = ia.score(RUN, QRELS, metrics)
    assert scores.metrics == ("INST(T=2.25,A='MAX')", "AP")
    assert scores["user"].metrics == ("INST(T=2.25,A='MAX')",)
    found = ia.compare(scores, ["user", "AP"], test="t")
    assert found.metrics == scores.metrics
    text = as_text(found.view())
    assert "user: " in text and text.count("INST(") == 1 == text.count("user is INST(T=2.25,A='MAX')")
    assert "Names of metrics: user is INST(T=2.25,A='MAX')." in found.to_latex() and found.to_latex().count("INST") == 1
    assert "INST(T=2.25,A='MAX')" in view_text(found.view(), "csv")
    assert "user" in as_text(ia.meta.similarity(scores).view())
    assert scores.provenance()["parameters"]["labels"] == {"INST(T=2.25,A='MAX')": "user"}


@pytest.mark.parametrize("by", ["saved", "printed"])
def test_an_alias_is_kept_by_scores_that_are_read_back(by: str, tmp_path: Path) -> None:
    scores = ia.score(RUN, QRELS, ["user=INST(T=2.25)", "AP"])
    path = tmp_path / "scores.json"
    scores.save(path) if by == "saved" else path.write_text(
        view_text(scores.view(long=True, by_topic=True), "json", scores.provenance())
    )
    again = ia.read_scores(path)
    assert again.metrics == scores.metrics and again.labels == scores.labels
    assert "user" in as_text(ia.compare(again, ["user"], test="t").view())


def test_an_explanation_shows_the_alias_and_what_it_stands_for() -> None:
    text = as_text(ia.explain("user=INST(T=2.25)", "1,0,1").view())
    assert text.startswith("user: ") and text.count("user is INST(T=2.25)") == 1


def test_one_name_for_two_metrics_is_refused() -> None:
    with pytest.raises(InputError, match="Two metrics are called x"):
        ia.score(RUN, QRELS, ["x=AP", "x=RR"])
    with pytest.raises(InputError, match=r"AP is called both one and other\. Give it one name"):
        ia.score(RUN, QRELS, ["one=AP", "other=AP"])


@pytest.mark.parametrize(
    ("alias", "known"), [("AP", "AP"), ("map", "AP"), ("P_10", "P@10"), ("ndcg_cut_10", "nDCG@10")]
)
def test_a_known_name_is_no_alias_of_another_metric(alias: str, known: str) -> None:
    with pytest.raises(InputError, match=f"'{alias}' means {known}; give RR another name"):
        ia.score(RUN, QRELS, [f"{alias}=RR"])
    assert ia.score(RUN, QRELS, [f"{alias}={known}"]).metrics == (known,)


def test_a_level_of_relevance_is_shown_only_where_it_can_change_a_score() -> None:
    scores = ia.score(RUN, QRELS, ["AP", "RBP", "nDCG@10", "ERR", "RBP(gain='binary')"], rel=2)
    assert scores.metrics == ("AP(rel=2)", "RBP", "nDCG@10", "ERR", "RBP(gain='binary',rel=2)")
    skipped = ia.score(RUN, QRELS, ["RBP"], rel=3, no_relevant="skip")
    assert (
        skipped.topics == ("1", "2") and np.isnan(skipped.of("RBP(gain='linear',rel=3)")[:, 0]).all()
    )  # it leaves a topic out


def test_metrics_that_keep_their_name_keep_their_score_on_longer_lists() -> None:
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 4, size=(200, 8)).astype(float)
    r = Rankings.of(grades, best=np.array(list(product(range(4), repeat=2))).max(axis=1)[None].repeat(200, 0))
    free = [m for m in catalogue().values() if "rel" in m.params and not level_matters(m)]
    assert {"RBP", "nDCG", "ERR", "INST"} <= {m.name for m in free}
    for metric in free:
        for level in (2, 3):
            assert (metric_at_level(metric, level, always=True).score(r) == metric.score(r)).all(), metric


def test_a_level_that_no_grade_reaches_is_remarked_upon() -> None:
    notes = [str(note) for note in ia.score(RUN, QRELS, ["AP", "nDCG@10"], rel=99).notes]
    assert any("nothing is relevant for AP(rel=99): the largest grade given is 3" in note for note in notes)
    assert not any("nothing is relevant" in str(note) for note in ia.score(RUN, QRELS, ["AP"], rel=3).notes)


def test_trec_eval_output_has_the_names_of_trec_eval() -> None:
    out = io.StringIO(ia.score(RUN["one"], QRELS, ["AP", "nDCG@10", "P@5", "RR", "RBP", "NumRelRet"]).to_trec_eval())
    names = [line.split()[0] for line in out]
    assert names == ["runid", "map", "ndcg_cut_10", "P_5", "recip_rank", "RBP", "num_rel_ret"]


def test_counts_are_shown_as_whole_numbers_and_their_means_are_not() -> None:
    runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d1": 1.0}}, "b": {"1": {"d1": 1.0}, "2": {"d2": 1.0}}}
    scores = ia.score(runs, {"1": {"d1": 1, "d2": 1}, "2": {"d1": 1}}, ["NumRelRet", "Hits@10", "P@2"])
    means, topics = (as_text(scores.view(by_topic=which)).splitlines() for which in (False, True))
    assert [line.split() for line in means[2:4]] == [["a", "3", "1.5000", "0.7500"], ["b", "1", "0.5000", "0.2500"]]
    assert topics[2].split() == ["a", "1", "2", "2", "1.0000"] and topics[4].split() == [
        "a",
        "all",
        "3",
        "1.5000",
        "0.7500",
    ]


def test_a_level_that_is_written_counts_even_if_it_is_the_default() -> None:
    asked = [str(metric_at_level(parse(text), 3).label) for text in ("P(rel=1)@2", "P@2", "P(rel=2)@2")]
    assert asked == ["P(rel=1)@2", "P(rel=3)@2", "P(rel=2)@2"]
