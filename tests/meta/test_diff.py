"""Two score tables: what differs is counted, explained by the right conventions, or listed."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.meta.diff.method import Diff
from irassay.meta.diff.tables import metric_decimals

ORACLES = Path(__file__).parents[1] / "oracles"
ADHOC = ORACLES / "inputs" / "adhoc"
DIVERSITY = ORACLES / "inputs" / "diversity"
QRELS = ADHOC / "qrels.txt"
RUNS = [ADHOC / f"run{x}.txt" for x in "ABC"]


def table(metrics: list[str], names: list[str] | None = None, **settings: Any) -> ia.Scores:
    """The scores of the runs by these metrics, under other names if some are given."""
    scores = ia.score(RUNS, QRELS, metrics, **settings)
    return ia.Scores(scores.values, scores.systems, scores.topics, tuple(names or scores.metrics))


def explained_by(result: Diff) -> set[tuple[str, str, str]]:
    return {(each.name, each.first, each.second) for each in result.conventions}


@pytest.mark.parametrize(
    ("metric", "other", "settings", "convention"),
    [
        ("AP", "AP", {"ties": "docid-asc"}, "order of equal scores"),
        ("AP", "AP", {"ties": "file"}, "order of equal scores"),
        ("AP", "AP(rel=2)", {}, "lowest relevant grade"),
        ("nDCG@10", "nDCG(gain='exp')@10", {}, "gain"),
        ("nDCG@10", "nDCG(discount='jk',b=2)@10", {}, "discount"),
        ("nDCG@10", "nDCG(discount='jk',b=10)@10", {}, "discount"),
        ("nDCG", "nDCG(judged_only=True)", {}, "unjudged results"),
        ("RR", "RR@3", {}, "cutoff"),
        ("AP", "AP", {"depth": 10}, "depth of lists"),
        ("AP@10", "AP(norm='min')@10", {}, "recall base at the cutoff"),
        ("ERR@10", "ERR(max_grade=4)@10", {}, "top of the scale"),
        ("P@10", "P@10", {"order": "rank"}, "order of results"),
    ],
)
def test_a_convention_is_found_by_the_values_alone(
    metric: str, other: str, settings: dict[str, Any], convention: str
) -> None:
    one, two = table([metric]), table([other], list(table([metric]).metrics), **settings)
    result = ia.diff(one, two, qrels=QRELS, runs=RUNS)
    if not result.differs.any():
        pytest.skip("these runs do not show the difference")
    assert [each.name for each in result.conventions] == [convention], result.conventions
    assert result.status == 0 and not result.unexplained


def test_two_conventions_at_once_and_the_same_for_all_metrics() -> None:
    one = table(["AP", "nDCG@10"])
    two = table(["AP", "nDCG(gain='exp')@10"], list(one.metrics), ties="docid-asc")
    result = ia.diff(one, two, qrels=QRELS, runs=RUNS)
    ties = ("order of equal scores", "by document id, descending", "by document id, ascending")
    assert explained_by(result) == {ties, ("gain", "the grade", "2^grade - 1")}
    assert result.status == 0


def test_an_ideal_of_retrieved_documents_only() -> None:
    one = table(["nDCG@10"])
    values = one.values.copy()
    grades = {(r[0], r[2]): max(0, int(r[3])) for r in (line.split() for line in QRELS.read_text().splitlines())}
    for s, path in enumerate(RUNS):
        lists: dict[str, list[tuple[float, str]]] = {}
        for topic, _, doc, _, score, *_ in (line.split() for line in path.read_text().splitlines()):
            lists.setdefault(topic, []).append((float(score), doc))
        for t, topic in enumerate(one.topics):
            gains = [grades.get((topic, doc), 0) for _, doc in sorted(lists.get(topic, ()), reverse=True)]
            dcg, best = (
                sum(g / math.log2(i + 2) for i, g in enumerate(order[:10]))
                for order in (gains, sorted(gains, reverse=True))
            )
            values[s, t, 0] = dcg / best if best else 0.0
    two = ia.Scores(values, one.systems, one.topics, one.metrics)
    result = ia.diff(one, two, qrels=QRELS, runs=RUNS)
    assert explained_by(result) == {("ideal list", "all judged documents", "retrieved documents only")}
    assert result.status == 0


def test_what_no_convention_explains_is_listed() -> None:
    one = table(["AP", "nDCG@10"])
    values = one.values.copy()
    values[1, 2, 0] += 0.0123
    result = ia.diff(one, ia.Scores(values, one.systems, one.topics, one.metrics), qrels=QRELS, runs=RUNS)
    (left,) = result.unexplained
    assert left[:3] == (one.systems[1], "AP", one.topics[2]) and left[4] - left[3] == pytest.approx(0.0123)
    assert result.status == 1 and not result.conventions
    document = json.loads(result.to_json())["results"]
    assert document["conventions"] == []
    assert [(row["run"], row["metric"], row["topic"]) for row in document["unexplained"]] == [left[:3]]


def test_rounding_and_left_out_topics_need_no_runs() -> None:
    one = table(["AP", "P@5"])
    answered = [topic for topic in one.topics if topic != "7"]  # which no run answers
    two = ia.Scores(one.values.round(4), one.systems, one.topics, one.metrics).select(topics=answered)
    result = ia.diff(one, two)
    assert explained_by(result) == {
        ("precision of the table", "full", "4 decimals"),
        ("topic without a score", "scored 0", "left out"),
    }
    assert result.status == 0
    other = ia.diff(one, table(["AP", "P@5"], ties="docid-asc"))
    assert other.status == 1 and "give the judgements and runs" in str(other)


def test_tables_that_agree() -> None:
    result = ia.diff(table(["AP"]), table(["AP"]))
    assert result.status == 0 and "agree on all 27 values" in str(result)


@pytest.mark.parametrize(
    ("what", "conventions"),
    [
        ("l2", {("lowest relevant grade", "1", "2")}),
        ("J", {("unjudged results", "count as not relevant", "removed")}),
        ("M5", {("depth of lists", "whole", "first 5")}),
        ("c.all_trec", {("topic without a score", "left out", "scored 0")}),
    ],
)
def test_options_of_trec_eval_are_found_from_its_output(what: str, conventions: set[tuple[str, str, str]]) -> None:
    tables = [ORACLES / "trec_eval" / f"runA.{each}.txt" for each in ("all_trec", what)]
    result = ia.diff(*tables, qrels=QRELS, runs=[RUNS[0]])
    assert explained_by(result) == conventions and result.status == 0


@pytest.mark.parametrize(
    ("what", "conventions"),
    [
        ("M5", {("depth of lists", "whole", "first 5")}),
        ("alpha1", {("alpha", "0.5", "1")}),
        ("alpha0.2.beta0.8", {("alpha", "0.5", "0.2"), ("beta", "0.5", "0.8")}),
    ],
)
@pytest.mark.parametrize("run", ["divA", "divB"])
def test_options_of_ndeval_are_found_from_its_output(run: str, what: str, conventions: set[tuple[str, ...]]) -> None:
    tables = [ORACLES / "ndeval" / f"{run}{each}.csv" for each in ("", f".{what}")]
    result = ia.diff(*tables, qrels=DIVERSITY / "qrels.txt", runs=DIVERSITY / f"{run}.txt")
    assert explained_by(result) == conventions and result.status == 0


def test_diversity_and_ad_hoc_metrics_in_one_table() -> None:
    runs, qrels = [DIVERSITY / "divA.txt", DIVERSITY / "divB.txt"], DIVERSITY / "qrels.txt"
    tables = []
    for level in (1, 2):
        parts = [ia.score(runs, qrels, [metric]) for metric in (f"alpha_nDCG(rel={level})@10", f"P(rel={level})@10")]
        values = np.concatenate([part.values for part in parts], axis=2)
        tables.append(ia.Scores(values, parts[0].systems, parts[0].topics, ("alpha_nDCG@10", "P@10")))
    result = ia.diff(*tables, qrels=qrels, runs=runs)
    (only,) = result.conventions
    assert (only.name, only.first, only.second) == ("lowest relevant grade", "1", "2")
    assert only.metrics == ("alpha_nDCG@10", "P@10") and result.status == 0


def test_metrics_that_are_not_scored_again_are_named() -> None:
    one = table(["AP", "P@5"], ["sDCG", "P@5"])
    two = ia.Scores(one.values * np.array([0.9, 1]), one.systems, one.topics, one.metrics)
    result = ia.diff(one, two, qrels=QRELS, runs=RUNS)
    assert result.status == 1 and result.systems == one.systems
    assert [note for note in result.notes if note.startswith("not scored again, so not explained: sDCG (")]


def test_pyntcireval_on_condensed_lists(tmp_path: Path) -> None:
    scores = json.loads((ORACLES / "pyntcireval" / "scores.json").read_text())
    lines = [
        f"{run}\t{metric}\t{topic}\t{value!r}\n"
        for (run, topic, *how), of in ((key.split("|"), of) for key, of in scores.items())
        if how == ["condensed", "lin"]
        for metric, value in of.items()
        if metric in ("AP", "nDCG@10", "AP@10") and value is not None
    ]
    (tmp_path / "pyntcireval.tsv").write_text("".join(lines))
    result = ia.diff(table(["AP", "nDCG@10", "AP@10"]), tmp_path / "pyntcireval.tsv", qrels=QRELS, runs=RUNS)
    assert result.status == 0
    assert {each.name for each in result.conventions} == {
        "unjudged results", "topic without a score", "discount", "recall base at the cutoff"
    }  # fmt: skip


def test_bpref_of_ranx_is_no_convention(tmp_path: Path) -> None:
    for tool in ("pytrec_eval", "ranx"):
        scores = json.loads((ORACLES / tool / "runA.json").read_text())
        lines = (f"{m}\t{topic}\t{value!r}\n" for topic, of in scores.items() for m, value in of.items())
        (tmp_path / f"{tool}.tsv").write_text("".join(lines))
    result = ia.diff(tmp_path / "pytrec_eval.tsv", tmp_path / "ranx.tsv", qrels=QRELS, runs=RUNS[:1])
    assert {row[1] for row in result.unexplained} == {"bpref"} and result.status == 1


def test_decimals_of_a_metric_with_few_values_are_those_of_the_table() -> None:
    exact, rounded = np.array([1 / 3, 1 / 7, 1 / 9, 1 / 11]), np.array([0.3333, 0.1429, 0.1111, 0.0909])
    fifths = np.array([0.2, 0.4, 0.6, 0.8])
    assert metric_decimals(np.stack([exact, fifths], axis=1)[None]) == (None, None)
    assert metric_decimals(np.stack([rounded, fifths], axis=1)[None]) == (4, 4)
    assert metric_decimals(np.stack([exact, rounded], axis=1)[None]) == (None, 4)
    single = exact.astype(np.float32).astype(np.float64)
    assert metric_decimals(single[None, :, None]) == ("single",)


@pytest.mark.parametrize(
    ("two", "more", "words"),
    [
        (["RR"], {}, "no metrics in common"),
        (["AP"], {"qrels": QRELS}, "both qrels and runs"),
    ],
)
def test_what_cannot_be_compared_is_refused(two: list[str], more: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ia.diff(table(["AP"]), table(two), **more)


def test_runs_must_belong_to_the_tables() -> None:
    one = table(["AP"])
    other = ia.Scores(one.values, ("x", "y", "z"), one.topics, one.metrics)
    with pytest.raises(InputError, match="No run belongs to the tables"):
        ia.diff(other, other, qrels=QRELS, runs=RUNS)


def test_what_explains_one_metric_is_not_blamed_for_another(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    qrels, run, shuffled = tmp_path / "qrels", tmp_path / "run.txt", tmp_path / "shuffled.txt"
    rows = [(t, f"d{d:02}", int(rng.integers(4))) for t in range(12) for d in range(30)]
    qrels.write_text("".join(f"{t} 0 {doc} {grade}\n" for t, doc, grade in rows if rng.random() < 0.4))
    scores = rng.integers(8, size=len(rows)).tolist()
    lines = [f"{t} Q0 {doc} 0 {score} run\n" for (t, doc, _), score in zip(rows, scores, strict=True)]
    run.write_text("".join(lines))
    shuffled.write_text("".join(rng.permutation(lines).tolist()))
    plain = ia.score(run, qrels, ["nDCG@10", "RR"])
    exp = ia.score(shuffled, qrels, ["nDCG(gain='exp')@10"], ties="file").values
    ascending = ia.score(run, qrels, ["RR"], ties="docid-asc").values
    one, two = (
        ia.Scores(np.concatenate(parts, axis=2), plain.systems, plain.topics, plain.metrics)
        for parts in ((plain["nDCG@10"].values, ascending), (exp, plain["RR"].values))
    )
    found = ia.diff(one, two, qrels=qrels, runs=run).conventions
    assert {(each.metrics, each.name, each.first, each.second) for each in found} == {
        (("nDCG@10",), "gain", "the grade", "2^grade - 1"),
        (("nDCG@10",), "order of equal scores", "by document id, descending", "some other order"),
        (("RR",), "order of equal scores", "by document id, ascending", "by document id, descending"),
    }
