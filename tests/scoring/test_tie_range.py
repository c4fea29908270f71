"""Ranges over tied results: equal to the least, mean and largest score over all permutations of small lists."""

import itertools
from math import comb
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.metrics.grammar import catalogue
from irassay.scoring.tie_range import MAX_ORDERS

SINGLE_LISTS = [
    metric
    for metric in catalogue().values()
    if not metric.needs & {"aspects", "turns", "lengths", "passages", "preferences", "costs"}
]
SCORES = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0, "f": 1.0, "g": 0.5}
QRELS = {  # unjudged documents, a grade below 0, documents that are not returned
    "1": {"a": 0, "b": 2, "c": 0, "e": 1, "g": 1, "x": 2},
    "2": {"a": 1, "b": 0, "c": 1, "d": 2, "e": 0, "f": 2},
    "3": {"a": 2, "b": -1, "c": 1, "f": 1, "y": 1, "z": 0},
    "4": {"c": 1, "e": 0, "f": 0},
}
SUBTOPICS = [(t, s, d, (len(d + s) + ord(d) + int(s) * int(t)) % 3) for t in "12" for s in "123" for d in "abcdefx"]


def permuted_runs(topics: Any) -> dict[str, dict[str, dict[str, float]]]:
    """The run with its tied results in every order, as scores that are not tied."""
    orders = ("a" + "".join(p) + "".join(q) + "g" for p in itertools.permutations("bcd") for q in ("ef", "fe"))
    return {order: {t: {doc: 10.0 - n for n, doc in enumerate(order)} for t in topics} for order in orders}


def check(metrics: list[Any], qrels: Any, topics: Any, **policy: Any) -> ia.Scores:
    """Compares the ranges with all permutations, and returns them."""
    every = ia.score(permuted_runs(topics), qrels, metrics, **policy)
    found = ia.score(dict.fromkeys(topics, SCORES), qrels, metrics, tie_range=True, **policy)
    ends = ("least", "expected", "largest")
    assert found.metrics == tuple(f"{metric}[{end}]" for metric in every.metrics for end in ends)
    expected = np.stack([f(every.values, axis=0) for f in (np.min, np.mean, np.max)], axis=2)  # [topic, metric, end]
    np.testing.assert_allclose(found.values[0].reshape(expected.shape), expected, rtol=0, atol=1e-12)
    assert not any("random orders" in note for note in found.notes)
    return found


@pytest.mark.parametrize("cutoff", [None, 2, 5])
def test_ranges_are_those_of_all_permutations_for_every_metric_of_single_lists(cutoff: int | None) -> None:
    assert len(SINGLE_LISTS) > 40
    check([m if cutoff is None or m.meaning.cutoff_is else m @ cutoff for m in SINGLE_LISTS], QRELS, QRELS)


def test_ranges_with_other_parameters() -> None:
    named = ["RBP(A='FIN')", "P(rel=2)@3", "AP(norm='min')@4", "nDCG(gain='exp')@3", "DCG(gain=(0,3,1))@4", "AP(rel=2)"]
    others = [
        "RBP(effort=(1,2,3))",
        "AP(judged_only=True)",
        "RR(judged_only=True)@2",
        "RBP(gain=(0.5,0.7,1))",
        "INST(T=3)",
    ]
    check([*named, *others], QRELS, QRELS)


def test_a_depth_cuts_lists_after_tied_results_are_put_in_order() -> None:
    metrics = ["AP", "RR@5", "P@5", "P", "nDCG@4", "DCG", "ERR", "R", "AP(norm='min')@4", "RBP"]
    found = check(metrics, QRELS, QRELS, depth=3)
    assert (found["P[largest]"].values > found["P[least]"].values).any()


def test_metrics_of_documents_are_scored_in_every_order(tmp_path: Any) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{t} {s} {d} {grade}\n" for t, s, d, grade in SUBTOPICS))
    found = check(["alpha_nDCG@4", "ERR_IA@3", "StRecall@2", "AP_IA"], qrels, ("1", "2"), qrels_format="subtopic")
    assert (found["alpha_nDCG@4[largest]"].values > found["alpha_nDCG@4[least]"].values).any()


def closed_forms(before: int, group: int, relevant: int, known: int, k: int) -> dict[str, float]:
    """The expected scores of McSherry and Najork (2008) for one tied group after results that are not relevant."""
    ranks = [(j, before + j) for j in range(1, group + 1)]
    p, r = relevant / group, relevant
    ideal = sum(1 / np.log2(i + 1) for i in range(1, min(known, k) + 1))
    return {
        f"P@{k}": sum(p for _, i in ranks if i <= k) / k,
        f"R@{k}": sum(p for _, i in ranks if i <= k) / known,
        "RR": sum(comb(group - j, r - 1) / comb(group, r) / i for j, i in ranks if group - j >= r - 1),
        "AP": sum(p * (1 + (j - 1) * (r - 1) / (group - 1)) / i for j, i in ranks) / known,
        f"nDCG@{k}": sum(p / np.log2(i + 1) for _, i in ranks if i <= k) / ideal,
    }


@pytest.mark.parametrize(("before", "group", "relevant", "k"), [(3, 40, 7, 10), (0, 200, 1, 10), (5, 60, 30, 20)])
def test_expected_scores_of_large_groups_are_those_of_the_closed_forms(
    before: int, group: int, relevant: int, k: int
) -> None:
    run = {f"n{i}": 9.0 - i for i in range(before)} | {f"d{i}": 1.0 for i in range(group)}
    qrels = {f"d{i}": int(i < relevant) for i in range(group)} | {"x": 1, "y": 1}
    expected = closed_forms(before, group, relevant, relevant + 2, k)
    found = ia.score({"1": run}, {"1": qrels}, list(expected), tie_range=True)
    for name, value in expected.items():
        assert found[f"{name}[expected]"].values.item() == pytest.approx(value, abs=1e-12), name


def test_too_many_orders_are_sampled_and_the_note_says_which_metric() -> None:
    run, qrels = {f"d{i}": 1.0 for i in range(30)}, {f"d{i}": i % 3 for i in range(30)}
    found = ia.score({"1": run}, {"1": qrels}, ["ERR", "nDCG@10", "BPM"], tie_range=True)
    means = [note for note in found.notes if "mean of" in note]
    ranges = [note for note in found.notes if "whose range" in note]
    assert [("ERR" in note, "BPM" in note, "nDCG" in note) for note in (*means, *ranges)] == [
        (True, False, False), (False, True, False), (False, True, False),
    ]  # fmt: skip
    assert str(MAX_ORDERS) in means[0]
    assert (found["ERR[least]"].values < found["ERR[expected]"].values).all()
    assert (found["ERR[expected]"].values < found["ERR[largest]"].values).all()
    again = ia.score({"1": run}, {"1": qrels}, ["ERR"], tie_range=True)
    assert (again["ERR[expected]"].values == found["ERR[expected]"].values).all()


def test_without_ties_all_three_are_the_score() -> None:
    run = {"1": {"a": 2.0, "b": 1.0}}
    found = ia.score(run, {"1": {"b": 1}}, ["AP", "ERR"], tie_range=True)
    plain = ia.score(run, {"1": {"b": 1}}, ["AP", "ERR"])
    assert (found.values.reshape(2, 3) == plain.values.reshape(2, 1)).all()


def test_ranges_of_ties_and_bounds_cannot_be_had_together() -> None:
    with pytest.raises(InputError, match="not both"):
        ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"], tie_range=True, bounds=True)


def test_the_expected_geometric_mean_is_said_to_be_of_expected_scores() -> None:
    """By Jensen's inequality it is above the mean over all orders, if each topic's order is drawn by itself."""
    found = check(["GMAP", "AP"], QRELS, QRELS)
    every = np.maximum(ia.score(permuted_runs(QRELS), QRELS, ["AP"]).values[:, :, 0], 1e-5)  # [order, topic]
    over_orders = np.prod((every ** (1 / len(QRELS))).mean(axis=0))
    of_expected = float(found.means()[0, 1])
    assert of_expected == pytest.approx(float(np.exp(np.log(every.mean(axis=0)).mean())), abs=1e-12)
    assert of_expected > over_orders
    assert [note for note in found.notes if "geometric mean of the topics' expected scores" in note] == [
        "[expected] of all topics by GMAP is the geometric mean of the topics' expected scores; "
        "the mean over all orders may be lower"
    ]
