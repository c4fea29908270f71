"""User models against cwl_eval: scores, expected depths, residuals, and the curves C, W and L."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from tests.support.compared import agrees

STRINGS = {
    "P": "P(gain='linear')@{0}",
    "SDCG": "SDCG@{0}",
    "RBP": "RBP(p={0})",
    "INSQ": "INSQ(T={0})",
    "INST": "INST(T={0})",
    "NERR8": "NERR8@{0}",
    "NERR9": "NERR9@{0}",
    "NERR10": "NERR10(p={0})",
    "NERR11": "NERR11(T={0})",
    "AP": "AP(A='ERG')",
    "RR": "RR(A='ERG',gain='linear',rel=.01,end='list')",
    "BPM": "BPM(T={0},K={1})",
    "BPMD": "BPM(T={0},K={1},dynamic=True,hc=0)",  # cwl_eval's K never moves
    "IFTG": "IFT(part='gain',T={0},b1={1},R1={2})",
    "IFTR": "IFT(part='rate',A2={0},b2={1},R2={2})",
    "IFTGR": "IFT(T={0},b1={1},R1={2},A2={3},b2={4},R2={5})",
    "TBG": "TBG(h={0},dialect='cwl')",
    "U": "U(L={0},dialect='cwl',gain='linear')",
    "NPV": "NPV(rate={0})",
    "SET": "SET(b={0})@{1}",
    "TrAP": "TrAP",
}


def metric_of(measure: str) -> Metric:
    name, _, values = measure.partition("@")
    return ia.parse(STRINGS[name].format(*values.split(",")))


@pytest.fixture(scope="module")
def rankings(oracles: Path) -> dict[str, Rankings]:
    inputs = oracles / "inputs" / "cwl"
    run, qrels = Run.of(inputs / "run.txt"), Qrels.of(inputs / "gains.txt")
    costs = dict(line.split() for line in (inputs / "costs.txt").read_text().splitlines())
    unit = judge(run, qrels, JudgingPolicy(order="file", max_grade=1)).rankings
    priced = judge(
        run, qrels, JudgingPolicy(order="file", max_grade=1, costs={k: float(v) for k, v in costs.items()})
    ).rankings
    return {"unit": unit, "costs": priced}


@pytest.fixture(scope="module")
def expected(oracles: Path) -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for key, values in json.loads((oracles / "cwl" / "scores.json").read_text()).items():
        setting, _, topic = key.rpartition("|")
        found.setdefault(setting, {})[topic] = values
    return found


def test_every_setting_of_cwl_eval(
    rankings: dict[str, Rankings], expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    compared = 0
    for setting, by_topic in expected.items():
        price, depth, measure = setting.split("|")
        metric = metric_of(measure)(horizon=int(depth.removeprefix("n=")))
        mine = metric.score(rankings[price])
        for topic, values in by_topic.items():
            rate = values["EU"] if price == "unit" or measure == "TrAP" else values["EU"] / values["EC"]
            assert agrees("cwl", mine[int(topic) - 1], rate, 1e-11), setting
            compared += 1
    assert compared == 4 * 2 * 2 * 30


def test_residuals_are_the_best_less_the_worst(
    rankings: dict[str, Rankings], expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    for setting, by_topic in expected.items():
        price, depth, measure = setting.split("|")
        metric = metric_of(measure)
        if measure == "TrAP" or price == "costs":  # its best case does not add to the relevant documents as ours does
            continue
        worst, best = metric(horizon=int(depth.removeprefix("n="))).bounds(rankings["unit"])
        for topic, values in by_topic.items():
            assert agrees("cwl", best[int(topic) - 1] - worst[int(topic) - 1], values["ResEU"], 1e-11), setting


def test_totals_depths_and_curves(
    rankings: dict[str, Rankings], expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    curves = 0
    for setting, by_topic in expected.items():
        price, depth, measure = setting.split("|")
        metric = metric_of(measure)
        if not metric.is_model or price == "costs":
            continue
        metric = metric(horizon=int(depth.removeprefix("n=")))
        browsing = metric.browse(metric.seen(rankings["unit"]))
        # cwl_eval leaves L open: who is still there at the horizon takes nothing away.
        open_end = np.broadcast_to(browsing.C.prod(axis=1), 4) * browsing.r.gain.sum(axis=1)
        totals = metric(A="ETG").score(rankings["unit"]) - open_end
        for topic, values in by_topic.items():
            i = int(topic) - 1
            assert agrees("cwl", totals[i], values["ETU"], 1e-11), setting
            if measure == "AP" and values["EU"] == 0:
                continue  # nothing found: cwl_eval stops at once, ours never; both earn nothing
            assert agrees("cwl", browsing.expected_depth()[i], values["ED"], 1e-9), setting
            if "C" in values:
                shown = len(values["C"])
                C = np.broadcast_to(browsing.C, (4, browsing.C.shape[1]))[i, :shown]
                W = np.broadcast_to(browsing.weights(), (4, browsing.C.shape[1]))[i, :shown]
                assert np.allclose(W, values["W"], rtol=0, atol=1e-12), setting
                seen = np.asarray(values["W"]) > 0
                assert np.allclose(C[seen], np.asarray(values["C"])[seen], rtol=0, atol=1e-12), setting
                curves += 1
    assert curves > 50


def test_the_exact_tail_differs_from_a_horizon_as_it_should(rankings: dict[str, Rankings]) -> None:
    """cwl_eval's W(1) for INSQ(T=1) is larger by 1/(1 - residual(1000)), about 0.1 %."""
    r = rankings["unit"]
    exact, cut = ia.parse("INSQ(T=1)"), ia.parse("INSQ(T=1,horizon=1000)")
    assert (cut.score(r) >= exact.score(r)).all()
    ratio = cut.score(r)[0] / exact.score(r)[0]
    assert 1.0005 < ratio < 1.002


def test_dynamic_bpm_moves_its_budget_where_cwl_eval_does_not() -> None:
    """A difference on purpose: with hc > 0 a find of more than gain_med buys patience, so the user stops later."""
    r = Rankings.of([[1, 1, 1, 0, 0, 0]], max_grade=1)
    stuck, moving = ia.parse("BPM(T=9,K=4,dynamic=True,hc=0)"), ia.parse("BPM(T=9,K=4,dynamic=True)")
    assert stuck.browse(stuck.seen(r)).expected_depth()[0] == 4
    assert moving.browse(moving.seen(r)).expected_depth()[0] == 5


def test_unjudged_rows_are_not_taken_for_topics(rankings: dict[str, Rankings]) -> None:
    assert len(replace(rankings["unit"])) == 4
