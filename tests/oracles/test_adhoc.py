"""Ad hoc metrics against trec_eval, pytrec_eval, gdeval, ir_measures, pyNTCIREVAL and ranx."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.scores import Scores
from tests.support.compared import agrees

RUNS = ("runA", "runB", "runC")
# What trec_eval prints and is no metric, or reads uninitialised memory.
NO_METRIC = {"runid", "relstring", "rbp"}


def ours(measure: str) -> str | None:
    """Our metric for one of trec_eval's, by the name it prints."""
    return None if measure in NO_METRIC else str(ia.parse(measure))


def scored(folder: Path, run: str, metrics: list[str], qrels: str = "qrels.txt", **options: Any) -> Scores:
    inputs = folder / "inputs" / "adhoc"
    return ia.score(str(inputs / f"{run}.txt"), str(inputs / qrels), metrics, **options)


def values(scores: Scores, metric: str) -> dict[str, float]:
    """The score of every topic, and over all of them, which trec_eval adds up in the order of their names."""
    scores = scores.select(topics=sorted(scores.topics))
    by_topic = dict(zip(scores.topics, scores.of(metric)[0].tolist(), strict=True))
    return by_topic | {"all": float(scores.means()[0, scores.metrics.index(metric)])}


def trec_eval(path: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in path.read_text().splitlines():
        measure, topic, value = line.split()
        found.setdefault(measure, {})[topic] = value
    return found


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("variant", "qrels", "options"),
    [
        ("all_trec", "qrels_no7.txt", {"missing": "skip"}),
        ("c.all_trec", "qrels.txt", {"missing": "zero"}),
        ("l2", "qrels_no7.txt", {"missing": "skip", "rel": 2}),
        ("J", "qrels_no7.txt", {"missing": "skip", "judged_only": True}),
        ("M5", "qrels_no7.txt", {"missing": "skip", "depth": 5}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_trec_eval_to_its_last_digit(
    oracles: Path, run: str, variant: str, qrels: str, options: dict[str, Any]
) -> None:
    expected = trec_eval(oracles / "trec_eval" / f"{run}.{variant}.txt")
    asked = {measure: str(ia.parse(name)) for measure in expected if (name := ours(measure))}
    assert asked.keys() >= expected.keys() - NO_METRIC
    scores = scored(oracles, run, list(asked.values()), qrels, **options)
    for measure, name in asked.items():
        mine = values(scores, next(m for m in scores.metrics if _same(m, name)))
        for topic, value in expected[measure].items():
            assert agrees("trec_eval", mine[topic], value), (measure, topic)


def _same(metric: str, asked: str) -> bool:
    """Whether a metric is the one asked for, apart from options set for all metrics."""
    a, b = ia.parse(metric), ia.parse(asked)
    apart = {"rel", "judged_only"}
    same = [(key, value) for key, value in a.given if key not in apart] == list(b.given)
    return a.name == b.name and a.cutoff == b.cutoff and same


@pytest.mark.parametrize("run", RUNS)
def test_trec_eval_with_other_gains(oracles: Path, run: str) -> None:
    expected = trec_eval(oracles / "trec_eval" / f"{run}.gains137.txt")
    scores = scored(oracles, run, ["nDCG(gain=(0,1,3,7))", "DCG"], "qrels_no7.txt", missing="skip")
    for measure, name in (("ndcg_1=1,2=3,3=7", "nDCG(gain=(0,1,3,7))"), ("dcg", "DCG")):
        mine = values(scores, name)
        assert agrees("trec_eval", {t: mine[t] for t in expected[measure]}, expected[measure])


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("suffix", "rel"), [("", 1), (".l2", 2)])
def test_pytrec_eval_in_doubles(oracles: Path, run: str, suffix: str, rel: int) -> None:
    expected = json.loads((oracles / "pytrec_eval" / f"{run}{suffix}.json").read_text())
    # It is trec_eval 9, which rounds the documents for a level of recall in its own way; trec_eval 10 takes the nearest.
    measures = {m: name.replace("nearest", "trec_eval9") for m in next(iter(expected.values())) if (name := ours(m))}
    measures = {m: str(ia.parse(name)) for m, name in measures.items()}
    scores = scored(oracles, run, list(measures.values()), rel=rel, missing="skip")
    for measure, name in measures.items():
        mine = values(scores, next(m for m in scores.metrics if _same(m, name)))
        for topic, by_measure in expected.items():
            assert agrees("pytrec_eval", mine[topic], by_measure[measure], 1e-12), (measure, topic)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("k", [5, 10, 20])
@pytest.mark.parametrize("suffix", ["", ".c"])
def test_gdeval_to_its_last_digit(oracles: Path, run: str, k: int, suffix: str) -> None:
    options = {"no_relevant": "skip", "missing": "zero" if suffix else "skip"}
    scores = scored(oracles, run, [f"nDCG(gain='exp')@{k}", f"ERR(max_grade=4)@{k}"], **options)
    with (oracles / "gdeval" / f"{run}.k{k}{suffix}.csv").open() as file:
        for row in csv.DictReader(file):
            topic = {"amean": "all"}.get(row["topic"], row["topic"])
            for metric, column in zip(scores.metrics, (f"ndcg@{k}", f"err@{k}"), strict=True):
                assert agrees("gdeval", values(scores, metric)[topic], row[column])


def from_ir_measures(measure: str) -> tuple[str, dict[str, str]]:
    """Our string for one of ir_measures, and the tie order of the tool behind it."""
    metric = ia.parse(measure)
    if metric.name == "ERR":
        return str(metric(max_grade=4)), {}
    if metric.name == "Judged" or (metric.name == "RR" and metric.cutoff):  # RR@k comes from its msmarco provider
        return str(metric), {"ties": "docid-asc"}
    if metric.is_model and metric.name not in ("P", "RR"):
        return str(metric if "max_grade" not in metric.params or metric.declaration.sized else metric(horizon=1000)), {
            "ties": "file"
        }
    return str(metric), {}


@pytest.mark.parametrize("run", RUNS)
def test_ir_measures(oracles: Path, run: str) -> None:
    expected = json.loads((oracles / "ir_measures" / f"{run}.json").read_text())
    for measure in next(iter(expected.values())):
        name, options = from_ir_measures(measure)
        mine = values(scored(oracles, run, [name], **options), name)
        printed = measure.startswith(("ERR", "nDCG(dcg"))
        for topic, by_measure in expected.items():
            theirs = f"{by_measure[measure]:.5f}" if printed else by_measure[measure]
            assert agrees("ir_measures", mine[topic], theirs, 1e-12), (measure, topic)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("ties", ["docid", "docid-asc"])
def test_the_program_of_the_authors_of_compat(oracles: Path, run: str, ties: str) -> None:
    mine = values(scored(oracles, run, ["AP", "Compat"], ties=ties), "Compat")
    with (oracles / "compatibility" / f"{run}.csv").open() as file:
        expected = {row["topic"]: float(row["compatibility"]) for row in csv.DictReader(file)}
    del expected["average"]  # of the topics that the run answers and that have a relevant document
    for topic, value in expected.items():
        assert agrees("compatibility", mine[topic], value, 1e-12)


NTCIR = {
    "AP": "AP", "RR": "RR", "Q": "Q", "P@": "P@", "Hit@": "Success@", "AP@": "AP(norm='min')@", "Q@": "Q@",
    "MSnDCG@": "nDCG@", "nDCG@": "nDCG(discount='jk')@", "ERR": "ERR(gain=(0,.25,.5,.75))",
    "nERR@": "nERR(gain=(0,.25,.5,.75))@", "RBP.95": "RBP(p=.95)",
    "O": "O", "P": "P_measure", "Pplus": "P_plus", "NCUguP": "NCUguP", "NCUguBR": "NCUguBR", "NCUrbP": "NCUrbP",
    "NCUrbBR": "NCUrbBR",
}  # fmt: skip
NTCIR_EXP = NTCIR | {
    "Q": "Q(gain='exp')", "Q@": "Q(gain='exp')@", "MSnDCG@": "nDCG(gain='exp')@",
    "nDCG@": "nDCG(gain='exp',discount='jk')@", "ERR": "ERR(max_grade=3)", "nERR@": "nERR(max_grade=3)@",
    "RBP.95": f"RBP(p=.95,gain=(0,{1 / 7!r},{3 / 7!r},1))", "O": "O(gain='exp')", "P": "P_measure(gain='exp')",
    "Pplus": "P_plus(gain='exp')", "NCUguP": "NCU(beta=0,gain='exp')", "NCUguBR": "NCU(gain='exp')",
    "NCUrbP": "NCU(stop='rb',beta=0,gain='exp')", "NCUrbBR": "NCU(stop='rb',gain='exp')",
}  # fmt: skip


@pytest.mark.parametrize("run", ["runA", "runC"])
@pytest.mark.parametrize("condensed", [False, True])
@pytest.mark.parametrize("table", ["lin", "exp"])
def test_pyntcireval_in_doubles(oracles: Path, run: str, condensed: bool, table: str) -> None:
    expected = json.loads((oracles / "pyntcireval" / "scores.json").read_text())
    kind = "condensed" if condensed else "raw"
    mine: dict[str, dict[str, float]] = {}
    compared = 0
    for key, by_measure in expected.items():
        name, topic, *rest = key.split("|")
        if (name, rest) != (run, [kind, table]):
            continue
        for measure, value in by_measure.items():
            stem, at, k = measure.partition("@")
            string = (NTCIR if table == "lin" else NTCIR_EXP)[stem + at]
            if measure not in mine:
                metric = str(ia.parse(string + k))
                scores = scored(oracles, run, [metric], "qrels_nonneg.txt", judged_only=condensed, max_grade=3)
                mine[measure] = values(scores, scores.metrics[0])
            assert agrees("pyntcireval", mine[measure][topic], value, 1e-12), (measure, topic)
            compared += 1
    assert compared > 100


RANX = {
    "precision@": "P@", "recall@": "R@", "map": "AP", "map@": "AP@", "mrr": "RR", "ndcg": "nDCG", "ndcg@": "nDCG@",
    "r-precision": "Rprec", "dcg@": "DCG@", "dcg_burges@": "DCG(gain='exp')@", "ndcg_burges": "nDCG(gain='exp')",
    "ndcg_burges@": "nDCG(gain='exp')@", "rbp.80": "RBP(p=.8,gain=(0,1,2,3))", "rbp.95": "RBP(p=.95,gain=(0,1,2,3))",
}  # fmt: skip


@pytest.mark.parametrize("run", ["runA", "runC"])
def test_ranx_but_for_its_bpref(oracles: Path, run: str) -> None:
    """ranx's bpref is left out: it disagrees with trec_eval, which ours follows."""
    expected = json.loads((oracles / "ranx" / f"{run}.json").read_text())
    for measure in next(iter(expected.values())):
        stem, at, k = measure.partition("@")
        if stem + at not in RANX:
            assert stem == "bpref"
            continue
        name = str(ia.parse(RANX[stem + at] + k))
        mine = values(scored(oracles, run, [name], missing="zero"), name)
        for topic, by_measure in expected.items():
            assert agrees("ranx", mine[topic], by_measure[measure], 1e-12), (measure, topic)
