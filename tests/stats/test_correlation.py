"""Rank correlations against published values, scipy, and definitions spelled out."""

import csv
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.stats.correlation import fieller, kendall, rbo, spearman, tau_ap
from irassay.stats.jackknife import jackknife_error, kept_topics


def test_tau_ap_with_and_without_ties(oracles: Path) -> None:
    for case in json.loads((oracles / "meta/rankcorr/tau_ap.json").read_text())["cases"]:
        x, y, tied_x, tied_y = (np.array(case[key], dtype=float) for key in ("x", "y", "x_ties", "y_ties"))
        assert tau_ap(x, y, ties="none") == pytest.approx(case["tau_ap"], abs=1e-12)
        assert tau_ap(x, y) == pytest.approx(case["tau_ap"], abs=1e-12)
        assert tau_ap(x, tied_y, ties="a") == pytest.approx(case["tau_ap_a_ties_in_y"], abs=1e-12)
        assert tau_ap(x, y, ties="b") == pytest.approx(case["tau_ap_b_no_ties"], abs=1e-12)
        assert tau_ap(tied_x, tied_y, ties="b") == pytest.approx(case["tau_ap_b_ties"], abs=1e-12)
        assert kendall(tied_x, tied_y) == pytest.approx(case["tau_b_ties"], abs=1e-12)
        published = [tau_ap(x, y), tau_ap(x, tied_y), tau_ap(x, y, ties="b"), tau_ap(tied_x, tied_y, ties="b")]
        np.testing.assert_allclose(published, case["published_4dp"], atol=5.1e-5)


def test_tau_ap_with_ties_is_the_mean_over_their_orders() -> None:
    x, y = np.array([6, 4, 5, 1, 3, 2.0]), np.array([3, 3, 2, 1, 1, 1.0])
    orders = [
        tau_ap(x, y + 0.1 * np.array([*top, 0, *low]))
        for top in itertools.permutations(range(2))
        for low in itertools.permutations(range(3))
    ]
    assert tau_ap(x, y) == pytest.approx(np.mean(orders))


def rbo_lists(first: list[Any], second: list[Any], p: float) -> float:
    """RBO_ext of two lists of equal length (webber2010, equation 30), word for word."""
    k = len(first)
    overlap = [len(set(first[:d]) & set(second[:d])) for d in range(1, k + 1)]
    return overlap[-1] / k * p**k + (1 - p) / p * sum(x / d * p**d for d, x in enumerate(overlap, 1))


def test_rbo_of_lists(oracles: Path) -> None:
    for case in json.loads((oracles / "meta/rankcorr/rbo_equal_length.json").read_text()):
        assert rbo_lists(case["s"], case["l"], p=case["p"]) == pytest.approx(case["rbo_ext"], abs=1e-12)


def test_rbo_of_scores_is_that_of_the_lists_they_make() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 12))
    expected = rbo_lists(np.argsort(-x).tolist(), np.argsort(-y).tolist(), p=0.8)
    assert rbo(x, y, p=0.8) == pytest.approx(expected)


def test_rbo_with_ties_is_the_mean_over_their_orders() -> None:
    x, y = np.array([4, 3, 2, 1.0]), np.array([2, 2, 2, 1.0])
    orders = [rbo(x, y + 0.1 * np.array([*order, 0])) for order in itertools.permutations(range(3))]
    assert rbo(x, y) == pytest.approx(np.mean(orders))


RANKINGS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)])
)


@given(RANKINGS)
def test_tau_and_rho_are_scipys(rankings: tuple[list[int], list[int]]) -> None:
    x, y = (np.array(each, dtype=float) for each in rankings)
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    else:
        assert np.isnan(kendall(x, y))
        assert np.isnan(spearman(x, y))


def test_many_rankings_at_once_give_what_each_gives_alone() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 30, size=(2, 50, 9)).astype(float)
    for function in (kendall, spearman, rbo):
        np.testing.assert_allclose(function(x, y), [function(a, b) for a, b in zip(x, y, strict=True)])
        np.testing.assert_allclose(function(x[0], y), [function(x[0], b) for b in y])
    np.testing.assert_allclose(tau_ap(x, y, ties="b"), [tau_ap(a, b, ties="b") for a, b in zip(x, y, strict=True)])


def test_means_that_differ_by_float_noise_are_tied() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.1])
    assert kendall(x, np.array([0.3, 0.3, 0.1])) == 1


def test_intervals_of_chen2023(oracles: Path) -> None:
    with (oracles / "meta/tau_ci/fig1_triples.csv").open() as file:
        good = [row for row in csv.DictReader(file) if row["consistent"] == "1"]
    assert len(good) > 80
    for row in good:
        low, high = fieller(float(row["tau"]), int(row["n"]))
        assert (low, high) == pytest.approx((float(row["lo_fieller"]), float(row["hi_fieller"])), abs=5.1e-7)
        least, most = (np.array(fieller(float(row["tau"]) + off, int(row["n"]))) for off in (-5e-4, 5e-4))
        published = np.array([float(row["lo"]), float(row["hi"])])  # of a tau that was rounded, rounded again
        assert np.all((least - 5.1e-4 <= published) & (published <= most + 5.1e-4))


def test_intervals_at_the_ends() -> None:
    np.testing.assert_array_equal(fieller(1.0, 20), (1, 1))
    np.testing.assert_array_equal(fieller(-1.0, 20), (-1, -1))
    assert np.isnan(fieller(0.5, 4)).all()


def table(path: Path) -> Floats:
    """[topic, system] of a file with a system a line and a topic a column."""
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 52)).T


def test_split_half_taus_and_similarities_of_dynamic_domain_runs(shared: Path) -> None:
    folder = shared / "oracles" / "meta" / "consistency"
    first = np.loadtxt(folder / "splits_topic_in_first_half.csv", delimiter=",", skiprows=1)  # [split, topic]
    names = (folder / "tau_expected.csv").read_text().split("\n")[0].split(",")
    expected = np.loadtxt(folder / "tau_expected.csv", delimiter=",", skiprows=1)  # [split, metric]
    means = {}
    for column, name in enumerate(names):
        X = table(folder / f"scores_{name}.csv")
        halves = (first @ X / first.sum(axis=1, keepdims=True), (1 - first) @ X / (1 - first).sum(axis=1)[:, None])
        np.testing.assert_allclose(kendall(*halves), expected[:, column], atol=1e-9)
        means[name] = X.mean(axis=0)
    with (folder / "similarity_expected.csv").open() as file:
        for row in csv.DictReader(file):
            tau = kendall(means[row["m1"]], means[row["m2"]])
            assert tau == pytest.approx(float(row["tau"]), abs=1e-9)
            assert fieller(tau, 21) == pytest.approx((float(row["lo95"]), float(row["hi95"])), abs=1e-6)


def test_the_jackknife_of_a_mean_gives_its_standard_error() -> None:
    x = np.random.default_rng(0).normal(size=12)
    for left_out in (1, 3):
        kept = kept_topics(12, left_out, 1000, seed=0)
        error = jackknife_error(kept @ x / kept.sum(axis=1), 12, left_out)
        assert error == pytest.approx(x.std(ddof=1) / np.sqrt(12))


def test_random_subsets_leave_out_as_many_as_asked() -> None:
    kept = kept_topics(50, 17, 200, seed=1)
    assert kept.shape == (200, 50)
    assert np.all(kept.sum(axis=1) == 33)
    np.testing.assert_array_equal(kept, kept_topics(50, 17, 200, seed=1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kendall(np.ones(1), np.ones(1)), "at least two items"),
        (lambda: kendall(np.array([1, np.nan]), np.ones(2)), "without a score"),
        (lambda: tau_ap(np.arange(3.0), np.ones(3), ties="none"), "Some items are tied"),
        (lambda: tau_ap(np.ones(3), np.arange(3.0)), "allows them in the estimate only"),
        (lambda: rbo(np.arange(3.0), np.arange(3.0), p=1), "between 0 and 1"),
        (lambda: kept_topics(5, 5, 10, seed=0), "leaves out 1 to 4 of 5 topics"),
    ],
)
def test_bad_rankings_are_refused_in_a_sentence(call: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()  # type: ignore[operator]
