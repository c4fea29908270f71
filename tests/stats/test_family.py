"""Tests of all pairs together, against enumeration, other implementations, and simulated truths."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from irassay.arrays import Floats
from irassay.stats.draws import Block, repeats
from irassay.stats.studentized_range import range_critical, range_tail
from tests.support.paired import pvalues


def test_randomised_hsd_of_small_tables_is_exact(oracles: Path) -> None:
    for case in json.loads((oracles / "meta/tukey/exact_small.json").read_text()):
        X = np.array(case["scores_topics_by_systems"])
        found = pvalues(X, "tukey", trials=20_000)
        assert found.exact
        np.testing.assert_array_equal(np.stack([found.i, found.j], axis=1), case["pairs"])
        np.testing.assert_allclose(found.p, case["p"], atol=1e-12)


def test_drawn_shuffles_come_near_all_shuffles(oracles: Path) -> None:
    for case in json.loads((oracles / "meta/tukey/exact_small.json").read_text())[1:]:
        X = np.array(case["scores_topics_by_systems"])
        trials = 1200
        drawn = pvalues(X, "tukey", trials=trials, seed=7, compat=True)
        assert not drawn.exact
        np.testing.assert_allclose(drawn.p, case["p"], atol=4 * 0.5 / np.sqrt(trials))


def test_sakais_table_needs_the_tolerance(oracles: Path) -> None:
    case = json.loads((oracles / "meta/tukey/sakai_20x3.json").read_text())
    X = np.array(case["scores_topics_by_systems"])
    trials = 100_000
    found = pvalues(X, "tukey", trials=trials, seed=1, compat=True)
    error = np.hypot(case["mc_sd"], np.array(case["mc_sd"]) * np.sqrt(case["trials"] / trials))
    assert np.all(np.abs(found.p - case["p_randomised"]) < 4 * error)
    assert abs(found.p[0] - case["p_randomised_no_tolerance_WRONG"][0]) > 20 * error[0]
    np.testing.assert_allclose(pvalues(X, "anova-tukey").p, case["p_parametric_twoway_tukey"], atol=1e-9)


def test_hsd_of_two_systems_is_the_sign_flip_test() -> None:
    X = np.random.default_rng(3).random((10, 2)).round(1)
    np.testing.assert_allclose(pvalues(X, "tukey").p, pvalues(X, "permutation").p, rtol=1e-12)


def test_parametric_tukey_of_two_systems_is_the_paired_t() -> None:
    X = np.random.default_rng(3).random((30, 2))
    np.testing.assert_allclose(pvalues(X, "anova-tukey").p, pvalues(X, "t").p, rtol=1e-9)


@pytest.mark.parametrize(("groups", "freedom"), [(3, 2), (4, 9), (20, 171), (129, 6272)])
def test_studentised_range_is_scipys(groups: int, freedom: int) -> None:
    q = np.array([0.5, 3.0, 5.0, 9.0])
    expected = stats.studentized_range.sf(q, groups, freedom)
    np.testing.assert_allclose(range_tail(q, groups, freedom), expected, atol=1e-10)
    assert range_tail(np.array([range_critical(0.01, groups, freedom)]), groups, freedom) == pytest.approx(0.01)


def test_studentised_range_keeps_small_probabilities() -> None:
    q = np.array([8.0, 10.0, 12.0])  # down to 1e-16
    np.testing.assert_allclose(range_tail(q, 2, 500), 2 * stats.t.sf(q / np.sqrt(2), 500), rtol=1e-9)


def largest_t(X: Floats, pairs: list[tuple[int, int]]) -> tuple[Floats, Floats]:
    """[pair] |t|, and [signs, pair] |t| under every choice of one sign a topic, the plain way."""
    gap = np.array([X[:, i] - X[:, j] for i, j in pairs]).round(9)
    flipped = np.array([gap * signs for signs in itertools.product((1, -1), repeat=len(X))])
    with np.errstate(divide="ignore"):
        t = np.abs(flipped.mean(axis=2)) / (flipped.std(axis=2, ddof=1) / np.sqrt(len(X)))
    return t[0], t


def test_max_t_is_what_trying_every_sign_gives() -> None:
    X = np.random.default_rng(5).random((9, 4)).round(1)
    pairs = list(itertools.combinations(range(4), 2))
    t, flipped = largest_t(X, pairs)
    found = pvalues(X, "max-t")
    assert found.exact
    np.testing.assert_allclose(np.abs(found.statistic), t)
    np.testing.assert_allclose(found.p, [np.mean(flipped.max(axis=1) >= each - 1e-9) for each in t])


def test_step_down_max_t_is_what_trying_every_sign_gives() -> None:
    X = np.random.default_rng(6).random((9, 4)).round(1) + 0.1 * np.arange(4)
    pairs = list(itertools.combinations(range(4), 2))
    t, flipped = largest_t(X, pairs)
    expected, so_far = np.empty(len(pairs)), 0.0
    left = list(np.argsort(-t))
    while left:
        so_far = max(so_far, float(np.mean(flipped[:, left].max(axis=1) >= t[left[0]] - 1e-9)))
        expected[left.pop(0)] = so_far
    found = pvalues(X, "max-t-stepdown")
    np.testing.assert_allclose(found.p, expected)
    assert np.all(found.p <= pvalues(X, "max-t").p)


def test_max_t_against_a_baseline_has_a_smaller_family() -> None:
    X = np.random.default_rng(7).random((30, 6))
    every, some = (pvalues(X, "max-t", trials=500, baseline=base) for base in (None, 0))
    with_0 = every.i == 0
    assert np.all(some.p <= every.p[with_0])
    assert some.critical() < every.critical()


@pytest.mark.parametrize("test", ["tukey", "anova-tukey"])
@pytest.mark.parametrize("compat", [False, True])
def test_intervals_of_all_pairs_exclude_0_where_p_is_small(test: str, compat: bool) -> None:
    X = np.random.default_rng(8).random((30, 8)) + 0.05 * np.arange(8)
    found = pvalues(X, test, trials=999, compat=compat)
    low, high = found.interval(0.95)
    assert found.simultaneous
    assert 0 < np.count_nonzero(found.p < 0.05) < len(found.p)
    np.testing.assert_array_equal((low > 0) | (high < 0), found.p < 0.05)


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown"])
@pytest.mark.parametrize("spacing", [0.0, 0.05, 2.0])
def test_an_interval_of_max_t_without_0_implies_a_small_p(test: str, spacing: float) -> None:
    X = np.random.default_rng(8).random((30, 8)) + spacing * np.arange(8)
    found = pvalues(X, test, trials=999)
    low, high = found.interval(0.95)
    assert np.all(found.p[(low > 0) | (high < 0)] < 0.05)


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown"])
def test_intervals_of_max_t_come_from_centred_differences(test: str) -> None:
    X = np.random.default_rng(5).random((9, 4)) + 3.0 * np.arange(4)
    pairs = list(itertools.combinations(range(4), 2))
    largest = []
    for w in itertools.product((1, -1), repeat=len(X)):
        gap = np.array([X[:, i] - X[:, j] for i, j in pairs])
        gap = (gap - gap.mean(axis=1, keepdims=True)) * w
        largest.append(np.abs(gap.mean(axis=1) / gap.std(axis=1, ddof=1)).max() * 3)  # which is the root of 9
    largest = sorted(largest)[1::2]  # signs all turned round are the same
    critical = largest[math.ceil(0.95 * (len(largest) + 1)) - 1]
    found = pvalues(X, test)
    assert critical > found.critical()
    low, high = found.interval(0.95)
    np.testing.assert_allclose(high - low, 2 * critical * found.error)


def test_intervals_of_max_t_cover_all_true_differences_far_apart_too() -> None:
    missed, means = 0, 5.0 * np.arange(10)
    for seed in range(200):
        X = np.random.default_rng(seed).normal(size=(25, 10)) + means
        found = pvalues(X, "max-t", trials=199, seed=seed)
        low, high = found.interval(0.95)
        true = means[found.i] - means[found.j]
        missed += bool(np.any((true < low) | (true > high)))
    assert missed / 200 <= HIGHEST


def test_bootstrap_max_t_is_a_plain_loop_and_leaves_near_duplicates_out() -> None:
    X = np.random.default_rng(5).exponential(size=(40, 4))
    X[:, 3] = X[:, 2]
    X[:3, 3] += 1e-3  # differs on three topics of forty
    found = pvalues(X, "bootstrap-max-t", trials=100, seed=2)
    weight = repeats(40, 100, 2).draw(Block(0, 0, 100)).astype(int)
    largest = []
    for trial in range(100):
        drawn = np.repeat(np.arange(40), weight[:, trial])
        gaps = [X[:, i] - X[:, j] for i, j in itertools.combinations(range(4), 2) if (i, j) != (2, 3)]
        largest.append(max(abs(stats.ttest_1samp((gap - gap.mean())[drawn], 0).statistic) for gap in gaps))
    np.testing.assert_allclose(found.null, sorted(largest))
    assert found.p[5] == min(1, 6 * pvalues(X, "wilcoxon").p[5])


def test_p_of_tukeys_range_never_passes_1() -> None:
    X = np.random.default_rng(1).random((50, 1)) + 1e-9 * np.random.default_rng(2).random((50, 40))
    assert pvalues(X, "anova-tukey").p.max() <= 1


def test_hsd_says_its_threshold_and_what_it_depends_on() -> None:
    X = np.random.default_rng(8).random((30, 8))
    found = pvalues(X, "tukey", trials=999)
    np.testing.assert_allclose(found.threshold(), found.critical())
    assert f"more than {found.critical():.4f}" in found.notes()[-1]
    assert "depends on the runs included" in found.notes()[-1]


def false_alarms(test: str, spreads: Floats, means: Floats, repetitions: int = 200) -> float:
    """The share of simulated collections in which two systems of equal mean are called different."""
    alarms = 0
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(25, 1)) + means + spreads * rng.normal(size=(25, len(means)))
        found = pvalues(X, test, trials=199, seed=seed)
        alarms += bool(np.any(found.p[means[found.i] == means[found.j]] < 0.05))
    return alarms / repetitions


HIGHEST = 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)  # what chance allows a test that holds its level
EQUAL, HALF = np.zeros(10), np.repeat([0.0, 0.0, 0.0, 1.0, 2.0], 2)
NOISY = np.array([5.0, 5.0, 1, 1, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown"])
@pytest.mark.parametrize("spreads", [np.ones(10), NOISY], ids=["alike", "noisy"])
@pytest.mark.parametrize("means", [EQUAL, HALF], ids=["equal", "some equal"])
def test_max_t_holds_its_level(test: str, spreads: Floats, means: Floats) -> None:
    assert false_alarms(test, spreads, means) <= HIGHEST


@pytest.mark.parametrize("test", ["tukey", "anova-tukey"])
def test_hsd_holds_its_level_for_systems_alike_only(test: str) -> None:
    assert false_alarms(test, np.ones(10), EQUAL) <= HIGHEST
    assert false_alarms(test, NOISY, EQUAL) > 0.15


@pytest.mark.parametrize("test", ["t", "wilcoxon", "permutation", "bootstrap"])
def test_a_single_pair_is_told_apart_by_chance_as_often_as_it_should(test: str) -> None:
    assert false_alarms(test, np.ones(2), np.zeros(2), 300) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
