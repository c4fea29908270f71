"""A check: verdicts, their error rates, identical runs, costs, and the exit status."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.meta.check import Check
from irassay.views.check import verdict_table

TOLERANCE = 0.005


def checked(change: Any, **settings: Any) -> Check:
    """The check of a new system with these changes [metric, topic] against an old one."""
    change = np.atleast_2d(change)
    old = np.full_like(change, 0.5)
    cube = np.stack([old + change, old]).transpose(0, 2, 1)
    names = tuple(f"t{n}" for n in range(change.shape[1]))
    scores = ia.Scores(cube, ("new", "old"), names, tuple(f"m{n}" for n in range(len(change))))
    return ia.check(scores, **{"tolerance": TOLERANCE} | settings)


def simulated(change: Any) -> Check:
    """The check of changes [metric, topic], without the time that it takes to read scores."""
    metrics, topics = change.shape
    names = tuple(f"m{n}" for n in range(metrics)), "new", "old", tuple(f"t{n}" for n in range(topics))
    values, one = np.stack([0.5 + change, np.full_like(change, 0.5)]), np.ones(metrics)
    return Check(*names, values, (True,) * metrics, one, False, TOLERANCE, 0.05, "unproven")


def share_passed(change: Any) -> float:
    """The share of simulated studies [study, topic] that pass; each is a metric, because passing is not corrected."""
    return simulated(change).verdicts.count("no worse") / len(change)


def test_verdicts_by_the_limits() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, 100)
    result = checked([noise - noise.mean(), noise - noise.mean() - 0.02, noise - noise.mean() - 0.005])
    assert result.verdicts == ("no worse", "worse", "undecided")
    assert result.failing == ("m1", "m2") and result.status == 1
    low, high = result.limits
    assert low[0] > -TOLERANCE and high[1] < -TOLERANCE and low[2] < -TOLERANCE < high[2]
    assert checked(noise - noise.mean()).status == 0
    lenient = checked([noise - noise.mean(), noise - noise.mean() - 0.005], fail_on="worse")
    assert lenient.status == 0 and lenient.verdicts[1] == "undecided"


def test_the_topics_needed_are_shown_where_a_verdict_is_open() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, 100)
    noise -= noise.mean()
    passed, open_verdict = (verdict_table(checked(change)).brief for change in (noise, noise - 0.005))
    assert "topics needed" not in passed and "topics needed" in open_verdict


def test_worse_is_corrected_over_metrics_and_no_worse_is_not() -> None:
    d = np.random.default_rng(4).normal(0, 0.02, 50)
    d = (d - d.mean()) / d.std(ddof=1) * 0.02
    one = d - TOLERANCE - 1.9 * 0.02 / np.sqrt(50)  # p is about .03
    assert checked(one).verdicts == ("worse",)
    assert checked([one, d, d]).verdicts[0] == "undecided"
    nearly = d - TOLERANCE + 1.9 * 0.02 / np.sqrt(50)
    assert checked([nearly] * 5).verdicts == ("no worse",) * 5


STUDIES = 2000  # a share of 5 % has a standard error of .0049


@pytest.mark.parametrize("topics", [25, 200])
def test_false_passes_where_changes_are_symmetric(topics: int) -> None:
    rng = np.random.default_rng(topics)
    assert share_passed(rng.normal(-TOLERANCE, 0.02, (STUDIES, topics))) <= 0.05 + 2 * 0.0049


@pytest.mark.parametrize("topics", [50, 200, 600, 1000])
@pytest.mark.parametrize(("hit", "loss"), [(0.01, 0.5), (0.05, 0.1), (0.005, 1.0)])
def test_false_passes_where_few_topics_lose_much(topics: int, hit: float, loss: float) -> None:
    rng = np.random.default_rng(topics)
    assert share_passed(-loss * (rng.random((STUDIES, topics)) < hit)) <= 0.05 + 2 * 0.0049


def test_a_system_of_unchanged_quality_passes_as_often_as_students_limit_says() -> None:
    rng = np.random.default_rng(3)
    assert share_passed(rng.normal(0, 0.05, (STUDIES, 200))) == pytest.approx(0.42, abs=0.03)


def test_false_verdicts_of_worse_over_several_metrics() -> None:
    rng = np.random.default_rng(5)
    draws = (rng.normal(-TOLERANCE, 0.02, (4, 50)) for _ in range(STUDIES))
    assert np.mean(["worse" in simulated(draw).verdicts for draw in draws]) <= 0.05 + 2 * 0.0049


def test_unseen_losses_block_a_proof_until_there_are_enough_topics() -> None:
    for topics, verdict in ((50, "undecided"), (599, "undecided"), (600, "no worse")):
        few = checked(np.zeros(topics))
        assert few.verdicts == (verdict,)
        assert bool(few.may_hide_losses[0]) == (verdict == "undecided")
    assert few.topics_needed.tolist() == [2]
    assert checked(np.zeros(50)).topics_needed.tolist() == [600]
    assert "None of 50 topics changed" in str(checked(np.zeros(50)))


QRELS = {f"q{n}": {"a": 2, "b": 1, "c": 0} for n in range(6)}
RUN = {f"q{n}": {"a": 3.0, "c": 2.0, "b": 1.0} for n in range(6)}


def test_a_pass_says_what_it_assumes_where_losses_could_go_unseen() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, 700)
    for topics, assumes in ((100, True), (700, False)):
        result = checked(noise[:topics] - noise[:topics].mean())
        assert result.passed and ("losses on up to 3.00% of all topics could go unseen" in str(result)) is assumes
        assert ("assumes that no topic loses much more" in result.to_junit()) is assumes


def test_runs_with_the_same_rankings_pass_and_equal_scores_alone_do_not(tmp_path: Path) -> None:
    scaled = {topic: {doc: 2 * score for doc, score in of.items()} for topic, of in RUN.items()}
    same = ia.check([RUN, scaled], QRELS, ["AP"])
    assert same.identical and same.verdicts == ("no worse",) and same.status == 0
    row = json.loads(same.to_json())["results"]["metrics"][0]
    assert row["change"] == 0 and row["low"] is None and row["high"] is None
    assert any(note.startswith("no interval by AP") for note in same.view().notes)
    unjudged = {topic: of | {"d": 0.5} for topic, of in RUN.items()}
    other = ia.check([RUN, unjudged], QRELS, ["AP"])
    assert not other.identical and other.verdicts == ("undecided",)
    file = tmp_path / "run.txt"
    file.write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for t, of in RUN.items() for d, s in of.items()))
    assert ia.check([file, file], QRELS, ["AP"]).identical


def test_a_cost_is_worse_if_it_rises() -> None:
    rng = np.random.default_rng(1)
    cube = np.stack([rng.normal(5.0, 0.1, 30), rng.normal(4.0, 0.1, 30)])[:, :, None]
    scores = ia.Scores(cube, ("new", "old"), tuple(map(str, range(30))), ("time",)).costs("time")
    result = ia.check(scores, tolerance=0.1)
    assert result.verdicts == ("worse",) and result.mean_change[0] < 0
    assert ia.check(scores, tolerance=0.1, new="old", old="new").verdicts == ("no worse",)


def test_junit_has_a_case_for_each_metric() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, 100)
    result = checked([noise - noise.mean(), noise - 0.02, noise - noise.mean() - 0.005], fail_on="worse")
    suite = ElementTree.fromstring(result.to_junit()).find("testsuite")
    assert suite is not None and suite.get("tests") == "3" and suite.get("failures") == "1"
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["m0", "m1", "m2"]
    assert [case[0].tag for case in cases] == ["system-out", "failure", "skipped"]


def test_junit_escapes_names() -> None:
    change = np.random.default_rng(1).normal(-0.1, 0.01, (30, 1))
    cube = np.stack([0.5 + change, np.full_like(change, 0.5)])
    topics = tuple(f"<t&{n}\x01>" for n in range(30))
    result = ia.check(ia.Scores(cube, ("new", "old"), topics, ('m"<1>',)))
    suite = ElementTree.fromstring(result.to_junit()).find("testsuite")
    assert suite is not None and suite[0].get("name") == 'm"<1>'


def test_json_has_the_verdict_of_each_metric() -> None:
    document = json.loads(checked(np.zeros(50)).to_json())
    assert [(row["metric"], row["verdict"]) for row in document["results"]["metrics"]] == [("m0", "undecided")]
    assert document["results"]["losses"] == []


@pytest.mark.parametrize(
    ("systems", "settings", "words"),
    [
        (3, {}, "found 3"),
        (1, {}, "found 1"),
        (3, {"new": "s0", "old": "s9"}, "no system 's9'"),
        (2, {"alpha": 0.0}, "of at least 1e-15 and below 1"),
        (2, {"tolerance": -0.1}, "0 or more"),
    ],
)
def test_what_cannot_be_checked_is_refused(systems: int, settings: dict[str, Any], words: str) -> None:
    cube = np.random.default_rng(1).random((systems, 5, 1))
    scores = ia.Scores(cube, tuple(f"s{n}" for n in range(systems)), tuple("12345"), ("AP",))
    with pytest.raises(InputError, match=words):
        ia.check(scores, **settings)


def test_one_topic_is_not_enough() -> None:
    with pytest.raises(InputError, match="at least two topics"):
        checked(np.zeros(1))
