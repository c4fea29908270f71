"""Effort by grade, by time and by words, against jiang2016's program, an implementation of TBG, and figures by hand."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings
from tests.support.compared import agrees

EXACT = partial(pytest.approx, rel=0, abs=1e-9)

# The names of jiang2016's program in ours; {} is where the effort goes.
PUBLISHED = {
    "P": "P(end='list'{})@9",
    "RBP.6": "RBP(p=0.6,gain='binary',end='list'{})@9",
    "RBP.8": "RBP(p=0.8,gain='binary',end='list'{})@9",
    "GP": "GP(end='list'{})@9",
    "GRBP.6": "GRBP(p=0.6,end='list'{})@9",
    "GRBP.8": "GRBP(p=0.8,end='list'{})@9",
    "DCG": "DCG(gain='exp',end='list'{})@9",
    "nDCG": "nDCG(gain='exp',end='list'{})@9",
    "AP": "AP(rel=1{})@9",
    "GAP": "GAP(h=(0.4,0.6){})@9",
    "RR": "RR(rel=1{})@9",
    "ERR": "ERR(gain='exp'{})@9",
    "TBG": "TBG(dialect='jiang'{})@9",
    "U": "U(dialect='jiang'{})@9",
}
EFFORTS = {"": "", "static": "", "param": ",effort=(0.25,1,1)", "time": ",effort='time'"}


def ranked(docs: list[str]) -> dict[str, float]:
    return {doc: -float(rank) for rank, doc in enumerate(docs)}


@pytest.fixture(scope="module")
def queries(shared: Path) -> tuple[JudgedRun, dict[str, dict[str, list[float]]]]:
    """Every query of 80 sessions as a topic of its own, and what jiang2016's program scores it."""
    folder = shared / "oracles" / "ir_metrics"
    sessions = json.loads((folder / "sessions.json").read_text())
    lists = {(s, q): docs for s, session in sessions.items() for q, docs in enumerate(session["queries"])}
    run = Run.of({f"{s}-{q}": ranked(docs) for (s, q), docs in lists.items() if docs})
    qrels = Qrels.of({f"{s}-{q}": sessions[s]["qrels"] for s, q in lists})
    return judge(run, qrels), json.loads((folder / "scores.json").read_text())


OWN_TIMES = ("TBG", "U")
CASES = [f"{name}|{effort}" for name in PUBLISHED if name not in OWN_TIMES for effort in ("static", "param", "time")]


@pytest.mark.parametrize("key", [*CASES, *OWN_TIMES])
def test_388_queries_score_as_in_jiang2016(queries: Any, key: str) -> None:
    judged, sessions = queries
    name, _, effort = key.partition("|")
    published = {f"{s}-{q}": value for s in sessions for q, value in enumerate(sessions[s][key])}
    scores = parse(PUBLISHED[name].format(EFFORTS[effort])).score(judged.rankings)
    assert len(published) == 388
    assert dict(zip(judged.topics, scores, strict=True)) == EXACT(published)


def test_every_metric_of_the_program_is_compared(shared: Path) -> None:
    scores = json.loads((shared / "oracles" / "ir_metrics" / "scores.json").read_text())
    found = {key.split("|")[0] for key in scores["22"]}
    assert found - set(PUBLISHED) == {"sDCG", "sDCGq", "sDCG_noq", "nsDCG"}  # of whole sessions


def test_the_worked_example_of_jiang2016() -> None:
    r = Rankings.of([0, 0, 1, 2, 0], max_grade=2)
    assert parse("P(end='list',effort=(0.25,1,1))@5").score(r) == EXACT(2 / (2 + 3 / 4))
    assert parse("RR(effort=(0.25,1,1))@5").score(r) == EXACT(1 / 1.5)


def test_a_negative_grade_gains_nothing_and_costs_as_much_as_grade_0() -> None:
    negative, zero = Rankings.of([-1, 1], max_grade=2), Rankings.of([0, 1], max_grade=2)
    for name in PUBLISHED.values():
        metric = parse(name.format(""))
        timed = metric if metric.name in OWN_TIMES else metric(effort="time")
        assert timed.score(negative) == EXACT(timed.score(zero))


def test_the_ideal_of_adaptive_ndcg_is_filled_up_with_judged_documents_of_grade_0() -> None:
    r = Rankings.of([2, 1, 0], best=[2, 1, 0, 0, 0], max_grade=2)
    discount = 1 / np.log2(np.arange(2, 6))
    gain, effort = np.array([3, 1, 0, 0]), np.array([1, 1, 0.25, 0.25])
    rate = gain[:3] @ discount[:3] / (effort[:3] @ discount[:3])
    ideal = gain @ discount / (effort @ discount)
    assert parse("nDCG(gain='exp',end='list',effort=(0.25,1,1))@4").score(r) == EXACT(rate / ideal)


def test_the_time_of_other_scales_is_not_known() -> None:
    with pytest.raises(InputError, match="published for grades 0 to 2"):
        parse("RBP(effort='time')").score(Rankings.of([0, 3], max_grade=3))
    with pytest.raises(InputError, match="grades 0 to 2"):
        parse("TBG(dialect='jiang')").score(Rankings.of([0, 3], max_grade=3))


def with_words(pairs: list[list[int]]) -> Rankings:
    """A list of (relevant, words) for each result."""
    docs = [f"d{rank:02}" for rank in range(len(pairs))]
    qrels = Qrels.of({"1": {doc: relevant for doc, (relevant, _) in zip(docs, pairs, strict=True)}})
    lengths = {doc: float(words) for doc, (_, words) in zip(docs, pairs, strict=True)}
    return judge(Run.of({"1": ranked(docs)}), qrels, JudgingPolicy(lengths=lengths)).rankings


def test_time_biased_gain_is_that_of_another_program(oracles: Path) -> None:
    found = json.loads((oracles / "htbg" / "tbg.json").read_text())
    for query, by_halflife in found["tbg"].items():
        r = with_words(found["rankings_rel_len"][query])
        for halflife, score in by_halflife.items():
            assert agrees("htbg", parse(f"TBG(h={halflife})").score(r)[0], score, 1e-9)
        assert parse("TBG").score(r) == EXACT(by_halflife["224.0"])


def test_u_measure_discounts_by_the_text_read_so_far() -> None:
    r = with_words([[0, 5000], [1, 3000], [1, 1000]])
    read = np.array([200, 200 + 200 + 600, 1000 + 200 + 200])
    assert parse("U").score(r) == EXACT((np.array([0, 0.5, 0.5]) * (1 - read / 132000)).sum())
    assert parse("U(L=1200)").score(r) == EXACT(0.5 * (1 - 1000 / 1200))


def test_words_are_an_effort_too() -> None:
    r = with_words([[0, 100], [1, 300], [1, 600]])
    assert parse("P(effort='words',end='list')").score(r) == EXACT(2 / 1000)
    assert parse("AP(effort='words')").score(r) == EXACT((1 / 400 + 2 / 1000) / 2)


@pytest.mark.parametrize("name", ["TBG", "U", "RBP(effort='words')"])
def test_lengths_that_were_not_given_are_asked_for(name: str) -> None:
    with pytest.raises(InputError, match="document lengths"):
        parse(name).score(Rankings.of([0, 1]))


def test_gap_has_a_value_where_few_relevant_documents_are_expected() -> None:
    assert parse("GAP").score(Rankings.of([0, 1], best=[1, 0], max_grade=2)) == EXACT((0.4 / 2) / 0.4)
    assert parse("GAP").score(Rankings.of([2, 1], max_grade=2)) == EXACT((1 + 1.4 / 2) / 1.4)  # above 1


def test_gap_of_robertson_et_al_is_ap_over_thresholds() -> None:
    """Equation by equation: at a result, earlier ones count as far as the same users take them for relevant."""
    rng = np.random.default_rng(5)
    h = (0.2, 0.5, 0.3)
    metric = ia.parse("GAP(h=(0.2,0.5,0.3),dialect='original')")
    for _ in range(50):
        pool = np.append(rng.integers(0, 4, 7), 3).astype(float)
        grades = pool[rng.permutation(8)[:6]]
        best = [np.sort(pool)[::-1]]
        shared = [[sum(h[: int(min(a, b))]) for b in grades[: n + 1]] for n, a in enumerate(grades)]
        expected = sum(sum(row) / len(row) for row in shared) / sum(sum(h[: int(g)]) for g in pool)
        assert metric.score(Rankings.of([grades], best=best, max_grade=3))[0] == pytest.approx(expected, abs=1e-12)
        assert metric.score(Rankings.of(best, best=best, max_grade=3))[0] == pytest.approx(1, abs=1e-12)
    binary = Rankings.of([[1, 0, 1, 1, 0]], best=[[1, 1, 1, 1]], max_grade=1)
    assert ia.parse("GAP(h=(1,),dialect='original')").score(binary) == pytest.approx(ia.parse("AP").score(binary))
    assert ia.parse("GAP(dialect='original')").range == (0, 1)


def test_u_converts_words_to_characters_if_told() -> None:
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 1}}
    words, letters = {"a": 200.0, "b": 100.0}, {"a": 1200.0, "b": 600.0}
    converted = ia.score(run, qrels, ["U(chars=6)"], lengths=words)
    counted = ia.score(run, qrels, ["U"], lengths=letters)
    assert (converted.values == counted.values).all()
    assert any("U takes lengths in characters" in note for note in counted.notes)
    assert not any("characters" in note for note in converted.notes)


def test_a_file_that_no_metric_uses_is_said_to_be() -> None:
    run, qrels = {"1": {"a": 2.0}}, {"1": {"a": 1}}
    notes = ia.score(run, qrels, ["AP"], lengths={"a": 3.0}, weights={"1": {"0": 1.0}}).notes
    assert [note for note in notes if "changes nothing" in note] == [
        "lengths changes nothing: no metric here uses it",
        "weights changes nothing: no metric here uses it",
    ]
    assert not any("nothing" in note for note in ia.score(run, qrels, ["TBG"], lengths={"a": 3.0}).notes)
