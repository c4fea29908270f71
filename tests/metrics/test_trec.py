"""Metrics of trec_eval, ir_measures and Clarke's program at their edges; `formulas/trec.py` has their loops."""

import json
from pathlib import Path

import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.metrics.grammar import parse
from tests.metrics.formulas.trec import overlap


def test_compat_orders_equal_scores_by_ascending_id_and_says_that_its_numbers_changed() -> None:
    run, judged = {"1": {"a": 1.0, "b": 1.0}}, {"1": {"a": 1}}
    scores = ia.score(run, judged, ["Compat", "RR"])
    assert scores.values[0, 0].tolist() == pytest.approx([1.0, 0.5])  # RR has b first, as trec_eval does
    assert ia.score(run, judged, ["Compat"], ties="docid-asc").values.item() == 1.0
    file = ia.score({"1": {"b": 1.0, "a": 1.0}}, judged, ["Compat"], ties="file")
    assert file.values.item() < 1.0
    assert any("1,000 ranks" in note for note in scores.notes)
    assert not any("1,000 ranks" in note for note in ia.score(run, judged, ["Compat(dialect='ir_measures')"]).notes)


def test_compat_of_lists_longer_than_a_thousand() -> None:
    docs = [f"d{i:04}" for i in range(1200)]
    run, judged = {"1": {doc: float(-i) for i, doc in enumerate(docs)}}, {"1": dict.fromkeys(docs[5:], 1)}
    expected = overlap(docs, docs[5:], 0.95, 1000) / overlap(docs[5:], docs[5:], 0.95, 1000)
    assert ia.score(run, judged, ["Compat"]).values.item() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("metric", "noted"), [("SetF", False), ("SetF(beta=2)", True), ("set_F_2", False), ("set_F", False)]
)
def test_f_says_that_its_numbers_changed_where_they_did(metric: str, noted: bool) -> None:
    scores = ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, [metric])
    assert any("beta squared" in note for note in scores.notes) == noted


def test_a_base_that_has_no_effect_is_refused() -> None:
    run, judged = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    for metric in ("DCG(discount='log2',b=3)", "nDCG(b=3)@5"):
        with pytest.raises(InputError, match="b=3 has no effect"):
            ia.score(run, judged, [metric])
    assert ia.score(run, judged, ["DCG(discount='jk',b=3)"]).values.item() == 1.0


@pytest.mark.parametrize("number", [10**400, int("9" * 400), 10**101])
def test_a_number_too_large_for_a_double_is_refused_with_the_reason(number: int) -> None:
    for metric in (lambda: ia.RBP(gain=(0, number)), lambda: parse(f"RBP(gain=(0,{number}))")):
        with pytest.raises(InputError, match=r"RBP: gain must be at most 1e\+100 in magnitude"):
            metric()


def test_ranx_says_rbp_and_means_raw_grades(oracles: Path) -> None:
    inputs = oracles / "inputs" / "adhoc"
    expected = json.loads((oracles / "ranx" / "runA.json").read_text())
    asked = ["rbp.95", "RBP(p=0.95,gain='raw')"]
    scores = ia.score(inputs / "runA.txt", inputs / "qrels.txt", asked)
    assert "gains of rbp.95 are divided by the top grade, 3; ranx's number is RBP(p=0.95,gain='raw')" in scores.notes
    mine = dict(zip(scores.topics, scores.of(asked[1])[0].tolist(), strict=True))
    assert {topic: mine[topic] for topic in expected} == pytest.approx({t: v["rbp.95"] for t, v in expected.items()})
    assert not any("ranx" in note for note in ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["rbp.95"]).notes)


def test_stop_values_without_effect_or_of_another_scale_are_refused() -> None:
    run, judged = {"1": {"a": 1.0}}, {"1": {"a": 2}}
    for metric, message in (("NCU(stop='u',stops=(1,2))", "stops has no effect"), ("NCU(stops=(1,))", "has 2 entries")):
        with pytest.raises(InputError, match=message):
            ia.score(run, judged, [metric])


@pytest.mark.parametrize("metric", ["bpref", "GMbpref"])
def test_results_listed_again_and_again_do_not_push_bpref_below_0(tmp_path: Path, metric: str) -> None:
    """One nonrelevant document is judged, and its copies come three times before the two relevant ones: 1 - 1/1 each."""
    (tmp_path / "run").write_text("".join(f"1 Q0 {doc} 0 {9 - i} r\n" for i, doc in enumerate("nnnab")))
    scores = ia.score(tmp_path / "run", {"1": {"n": 0, "a": 1, "b": 1}}, [metric], on_duplicate="nonrelevant")
    assert scores.values.item() == 0
