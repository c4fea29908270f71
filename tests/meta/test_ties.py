"""Ties: means over all orders of tied results, and pairs of systems whose order depends on them."""

import itertools

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.meta.ties import random_priority

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "d": 1}}
RUNS = {
    "tied": {"1": {"a": 1.0, "b": 1.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0, "d": 1.0, "e": 1.0}},
    "also": {"1": {"c": 1.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0, "e": 1.0}},
    "plain": {"1": {"a": 3.0, "b": 2.0}, "2": {"d": 2.0, "a": 1.0}},
}
METRICS = ["nDCG@2", "AP", "ERR"]


def in_order(run: dict[str, dict[str, float]], order: dict[str, int]) -> dict[str, dict[str, float]]:
    """The run with tied documents in this order."""
    return {topic: {doc: score - 1e-3 * order[doc] for doc, score in docs.items()} for topic, docs in run.items()}


def means_of_orders(name: str) -> np.ndarray:
    """[order, metric] means of a run in every order of all documents."""
    orders = (dict(zip(docs, range(5), strict=True)) for docs in itertools.permutations("abcde"))
    return np.array([ia.score(in_order(RUNS[name], order), QRELS, METRICS).means()[0] for order in orders])


def test_ranges_of_means_and_of_differences() -> None:
    found = ia.meta.ties(RUNS, QRELS, METRICS, trials=300)
    by_run = [means_of_orders(name) for name in RUNS]  # each topic has ties of its own, so that topics are independent
    assert found.systems == tuple(RUNS)
    assert found.tied.tolist() == [2, 2, 0]
    values = found.values
    np.testing.assert_allclose(found.means, values.mean(axis=1), atol=1e-12)
    for s, means in enumerate(by_run):
        assert (found.means[s, :, 0] <= means.min(axis=0) + 1e-12).all()
        assert (found.means[s, :, 2] >= means.max(axis=0) - 1e-12).all()
        np.testing.assert_allclose(found.means[s, :, 1], means.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.given, ia.score(RUNS, QRELS, METRICS).means(), atol=1e-12)
    least, largest = found.ends
    first, second = found.pairs
    for pair, (one, two) in enumerate(zip(first, second, strict=True)):
        np.testing.assert_allclose(least[:, pair], found.means[one, :, 0] - found.means[two, :, 2], atol=1e-12)
        common = by_run[one] - by_run[two]  # one order of documents for both
        np.testing.assert_allclose(found.common_least[:, pair], common.min(axis=0), atol=1e-12)
        np.testing.assert_allclose(found.common_largest[:, pair], common.max(axis=0), atol=1e-12)
    assert (found.common_least >= least - 1e-12).all() and (found.common_largest <= largest + 1e-12).all()
    assert (found.common_least > least + 1e-3).any()


def test_pairs_that_could_change_places() -> None:
    found = ia.meta.ties(RUNS, QRELS, ["nDCG@2"])
    least, largest = found.ends
    changes = found.could_change(least, largest)[0]
    sign = np.sign(found.difference[0])
    assert changes.tolist() == ((sign * least[0] < 0) | (sign * largest[0] < 0)).tolist()
    assert changes.any()
    plain = ia.meta.ties(dict.fromkeys(("x", "y"), RUNS["plain"]), QRELS, ["AP"])
    assert not plain.could_change(*plain.ends).any()
    assert "None of 2 runs has tied results." in str(plain)


def test_an_order_of_documents_is_the_same_for_every_run_and_list() -> None:
    keys = np.array([[5, 9, 77], [77, 5, 9]], dtype=np.uint64)
    one = random_priority(keys, 3, 0)
    assert one[0, 0] == one[1, 1] and one[0, 2] == one[1, 0]
    assert (random_priority(keys, 3, 1) != one).all()


def test_the_table_has_a_column_for_each_end() -> None:
    found = ia.meta.ties(RUNS, QRELS, ["AP"])
    frame = found.to_frame()
    assert frame.columns == ["run", "tied lists", "AP", "AP[least]", "AP[expected]", "AP[largest]"]
    topics = next(table for table in found.view(by_topic=True).tables if table.name == "topics")
    assert topics.columns == ("run", "topic", "AP[least]", "AP[expected]", "AP[largest]")
    assert len(topics.rows) == 6


def test_the_best_run_by_a_cost_has_the_smallest_mean() -> None:
    means = ia.meta.ties(RUNS, QRELS, ["Unj"]).to_frame()["Unj"].to_list()
    assert means == sorted(means) and means[0] < means[-1]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="from 1 to"):
        ia.meta.ties(RUNS, QRELS, ["AP"], trials=0)
