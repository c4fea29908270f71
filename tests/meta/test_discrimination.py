"""Discriminative power: published counts on TREC-8, exact small cases, curves, teams, the worst runs."""

import json
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.alternatives import alternatives
from irassay.meta.comparison import compare
from irassay.meta.discrimination import discrimination
from irassay.meta.shared_options import ALL_PAIRS
from irassay.parallel import context
from irassay.results import Result
from irassay.scores import Scores
from irassay.views.discrimination import asl_curves
from irassay.views.view import view_of
from tests.support.collections import simulated, trec8
from tests.support.paired import paired_test


@pytest.mark.parametrize(
    ("test", "recorded"),
    [
        ("t", "paired t two-sided"),
        ("sign", "exact two-sided sign test, zeros dropped"),
    ],
)
def test_pairs_of_trec_8_told_apart(shared: Path, test: str, recorded: str) -> None:
    expected = json.loads((shared / "oracles" / "meta" / "trec8" / "expected.json").read_text())
    found = discrimination(trec8(shared), test=test)
    assert len(found.p) == expected["pairs"]
    significant = expected["tests"][recorded]["significant"]
    assert (found.p < 0.05).sum(axis=0).tolist() == [significant[metric] for metric in found.metrics]


def test_pairs_of_trec_8_told_apart_by_the_exact_wilcoxon(shared: Path, oracles: Path) -> None:
    """R's own convolution, checked there against coin (tests/oracles/r/wilcoxon.R)."""
    lines = [line.split("\t") for line in (oracles / "r/wilcoxon.tsv").read_text().splitlines()]
    found = discrimination(trec8(shared), test="wilcoxon")
    place = {pair: n for n, pair in enumerate(zip(found.first.tolist(), found.second.tolist(), strict=True))}
    stored = [(found.metrics.index(w[1]), place[int(w[2]), int(w[3])], float(w[4])) for w in lines if w[0] == "p"]
    assert len(stored) == 63
    for m, pair, p in stored:
        assert found.p[pair, m] == pytest.approx(p, abs=1e-9)
    significant = {w[1]: int(w[2]) for w in lines if w[0] == "significant"}
    assert (found.p < 0.05).sum(axis=0).tolist() == [significant[metric] for metric in found.metrics]


@pytest.mark.parametrize(
    ("test", "percent"),
    [("tukey", (21.7, 31.0, 32.4)), ("permutation", (55.5, 63.5, 72.6)), ("bootstrap", (55.8, 64.4, 71.7))],
)
def test_power_on_trec_8_by_resampling(shared: Path, test: str, percent: tuple[float, ...]) -> None:
    found = discrimination(trec8(shared), test=test, trials=1000, compat=True)
    assert 100 * found.power() == pytest.approx(percent, abs=1.0)  # of other resamples: 1,000 give p within .007


def test_every_shuffle_of_small_tables(oracles: Path) -> None:
    for case in json.loads((oracles / "meta" / "tukey" / "exact_small.json").read_text()):
        X = np.array(case["scores_topics_by_systems"])
        scores = Scores(X.T[:, :, None], *(tuple(map(str, range(n))) for n in X.T.shape), ("AP",))
        found = discrimination(scores, test="tukey", trials=case["n_permutations"])
        assert found.p[:, 0] == pytest.approx(case["p"], abs=1e-12)
        assert [[i, j] for i, j in zip(found.first.tolist(), found.second.tolist(), strict=True)] == case["pairs"]


def test_curves_areas_and_ranks_follow_from_the_p_values() -> None:
    found = discrimination(simulated(12, 20, 3), test="t", levels=(0.01, 0.05))
    curve = found.asl()
    assert (np.diff(curve, axis=0) <= 0).all() and curve.mean(axis=0) == pytest.approx(found.asl_area())
    for alpha in found.levels:
        assert (curve < alpha).mean(axis=0) == pytest.approx(found.power(alpha))
    powers = [power for _, power in found.ranked()]
    assert powers == sorted(powers, reverse=True) and (found.power(0.01) <= found.power(0.05)).all()


def test_the_difference_needed_under_hsd_is_one_threshold() -> None:
    found = discrimination(simulated(10, 25, 2), test="tukey", trials=999)
    for level, threshold in zip(found.levels, found.threshold, strict=True):
        assert (found.smallest_significant(level) > threshold - 1e-12).all() and (
            found.largest_nonsignificant(level) <= threshold + 1e-12
        ).all()
        apart = np.abs(found.difference) > threshold
        assert ((found.p < level) == apart).all()
    assert any("depends on the runs included" in note for note in found.notes)


def test_a_studentised_test_has_a_range_of_thresholds_and_no_smallest_significant_difference() -> None:
    scores = simulated(10, 25, 2).with_sorted_topics()
    found, by_papers = discrimination(scores, trials=999), discrimination(scores, trials=999, compat=True)
    tests = ALL_PAIRS.with_values({"trials": 999}).run(scores.values, names=scores.systems)[0]
    for level, *row in zip(found.levels, found.threshold, *found.threshold_ends, strict=True):
        needed = tests.threshold(level)
        assert np.array(row) == pytest.approx(
            np.array([np.median(needed, axis=0), needed.min(axis=0), needed.max(axis=0)])
        )
    (table,), (papers_table,) = (view_of(each).tables for each in (found, by_papers))
    assert "threshold low" in table.columns and "smallest significant" not in table.columns
    assert "threshold low" not in papers_table.columns and "smallest significant" in papers_table.columns


def test_the_default_is_the_test_of_compare_and_compat_selects_that_of_the_papers() -> None:
    scores = simulated(8, 20, 2)
    found = discrimination(scores, trials=200)
    assert found.test == "max-t-stepdown"
    assert found.power() == pytest.approx(compare(scores, trials=200).power())
    by_papers = discrimination(scores, trials=200, compat=True)
    assert by_papers.test == "tukey" == alternatives(scores, reference="m0", trials=20, splits=5, compat=True).test
    assert (by_papers.p == discrimination(scores, test="tukey", trials=200, compat=True).p).all()
    assert discrimination(scores, test="max-t-stepdown", trials=200, compat=True).test == "max-t-stepdown"


def test_the_axis_of_a_curve_names_its_p() -> None:
    for test, correction, name in (
        ("max-t-stepdown", "none", "adjusted p (step-down max-T)"),
        ("t", "none", "p (paired t, uncorrected)"),
        ("t", "holm", "adjusted p (paired t, holm)"),
    ):
        found = discrimination(simulated(5, 10, 1), test=test, correction=correction)
        assert name in asl_curves(found).to_json()


def test_other_tests_have_no_single_threshold() -> None:
    found = discrimination(simulated(10, 25, 2), test="wilcoxon", correction="holm")
    assert np.isnan(found.threshold).all()
    assert (found.smallest_significant() <= np.abs(found.difference).max(axis=0)).all() and (
        found.largest_nonsignificant() >= 0
    ).all()
    assert (found.p >= discrimination(simulated(10, 25, 2), test="wilcoxon").p).all()


def test_affine_metrics_get_the_same_p_values() -> None:
    values = simulated(8, 15, 1).values
    cube = np.concatenate([values, 3 * values + 2, -values], axis=2)
    scores = Scores(cube, tuple("abcdefgh"), tuple(map(str, range(15))), ("AP", "stretched", "cost")).costs("cost")
    for test in ("tukey", "max-t", "t"):
        p = discrimination(scores, test=paired_test(test, trials=200, seed=7)).p
        np.testing.assert_allclose(p[:, 0], p[:, 1], atol=1e-9)
        np.testing.assert_allclose(p[:, 0], p[:, 2], atol=1e-9)


def test_pairs_across_teams_are_counted_apart() -> None:
    values = simulated(6, 20, 1).values.copy()
    values[1] = values[0] + 1e-3 * np.random.default_rng(0).standard_normal((20, 1))  # a near-duplicate
    scores = Scores(values, tuple("abcdef"), tuple(map(str, range(20))), ("AP",))
    teams = dict(zip("abcdef", ["one", "one", "two", "two", "three", "four"], strict=True))
    found = discrimination(scores, test="t", groups=teams)
    assert found.grouped and found.across.sum() == 13
    whole = 13 * found.power(among="across") + 2 * found.power(among="within")
    assert whole == pytest.approx(15 * found.power())
    alone = discrimination(scores, test="t", groups={name: name for name in "abcdef"})
    assert np.isnan(alone.power(among="within")).all() and any("no pairs within a team" in note for note in alone.notes)
    assert not discrimination(scores, test="t").grouped
    with pytest.raises(InputError, match="2 systems without a team in groups, such as e"):
        discrimination(scores, test="t", groups=dict.fromkeys("abcd", "x"))


@pytest.mark.parametrize(("test", "correction"), [("tukey", "none"), ("t", "none"), ("t", "holm"), ("t", "max-t")])
def test_the_worst_tenth_is_dropped_and_the_rest_tested_again(test: str, correction: str) -> None:
    scores = simulated(20, 25, 2)
    found = discrimination(scores, test=paired_test(test, correction, trials=300))
    assert found.dropped == ("s0", "s1")
    rest = scores.select(systems=[name for name in scores.systems if name not in found.dropped])
    np.testing.assert_allclose(
        found.p_without, discrimination(rest, test=paired_test(test, correction, trials=300)).p, rtol=1e-9
    )


def test_a_poor_run_lowers_power_under_hsd_and_the_notes_say_so() -> None:
    values = simulated(12, 30, 1).values.copy()
    values[0] = 0
    found = discrimination(Scores(values, tuple("abcdefghijkl"), tuple(map(str, range(30))), ("AP",)), trials=500)
    assert found.dropped == ("a",)
    among_rest = (found.p[(found.first != 0) & (found.second != 0)] < 0.05).mean()
    assert found.power_without()[0] >= among_rest


def test_a_constant_metric_tells_nothing_apart() -> None:
    values = simulated(5, 10, 2).values.copy()
    values[:, :, 1] = 0.3
    found = discrimination(Scores(values, tuple("abcde"), tuple("0123456789"), ("AP", "flat")), trials=100)
    assert found.constant.tolist() == [False, True] and (found.p[:, 1] == 1).all() and found.power()[1] == 0
    assert np.isnan(found.smallest_significant()[1]) and found.largest_nonsignificant()[1] == 0
    assert any("flat" in note for note in found.notes)
    assert "flat separates the fewest: 0%." in found.view().sentences


def test_metrics_with_the_same_power_share_what_is_said() -> None:
    values = np.random.default_rng(0).random((5, 20, 2)) + 0.2 * np.arange(5)[:, None, None]
    cube = np.concatenate([values, 2 * values], axis=2)
    scores = Scores(cube, tuple("abcde"), tuple(map(str, range(20))), ("AP", "RR", "AP2", "RR2"))
    text = " ".join(discrimination(scores, test="tukey").view().sentences)
    assert "AP and AP2 separate the most systems: 50.0% of 10 pairs" in text and "RR and RR2 separate the few" in text
    same = " ".join(discrimination(scores.select(metrics=["AP", "AP2"]), test="tukey").view().sentences)
    assert "Every metric separates 50.0% of 10 pairs" in same and "and is the same for all" in same


@pytest.mark.parametrize("test", [{}, {"test": "t", "correction": "max-t"}])
def test_verdicts_that_another_seed_may_change_are_counted_as_in_compare(test: dict[str, str]) -> None:
    values = np.random.default_rng(4).normal(size=(12, 30, 2)) + np.linspace(0, 1.2, 12)[:, None, None]
    scores = Scores(values, tuple(f"s{n}" for n in range(12)), tuple(map(str, range(30))), ("AP", "RR"))

    def seed_notes(result: Result) -> list[str]:
        return [note for note in view_of(result).notes if "another seed" in note]

    one, settings = scores.select(metrics=["AP"]), paired_test(**{"test": "max-t-stepdown", "trials": 200} | test)
    by_power = seed_notes(discrimination(one, test=settings))
    assert by_power and by_power == seed_notes(compare(one, test=settings))
    found = discrimination(scores, test=settings)
    near = (np.abs(found.p - 0.05) < 2 * np.sqrt(0.05 * 0.95 / 200)).sum(axis=0).max()
    assert seed_notes(found)[0].startswith(f"up to {near} pairs by a metric have")


def test_there_is_no_threshold_where_no_p_can_fall_below_the_level() -> None:
    """The signs of 5 topics have 16 choices, so that p is at least 1/16."""
    found = discrimination(simulated(4, 5, 1), test=paired_test("max-t"), levels=(0.05, 0.1))
    assert np.isnan(found.threshold[0]).all() and np.isfinite(found.threshold[1]).all()


def test_a_constant_difference_is_flagged() -> None:
    values = simulated(3, 10, 1).values.copy()
    values[1] = values[0] + 0.1
    found = discrimination(Scores(values, tuple("abc"), tuple("0123456789"), ("AP",)), test="t")
    assert found.p[0, 0] == 2**-9 and any("same amount on every topic" in note for note in found.notes)


def test_the_same_answer_for_any_number_of_jobs() -> None:
    scores = simulated(10, 12, 2)
    for test in ("tukey", "max-t", "bootstrap"):
        one = discrimination(scores, test=test, trials=600).p
        with context(jobs=2):
            two = discrimination(scores, test=test, trials=600).p
        assert (one == two).all()


def test_bad_requests_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="covers all pairs together and needs no correction; found 'holm'"):
        discrimination(simulated(4, 6, 1), test="tukey", correction="holm")
    with pytest.raises(InputError, match=r"test must be one of .*found 'welch'"):
        discrimination(simulated(4, 6, 1), test="welch")
    with pytest.raises(InputError, match=r"levels must be a number above 0 and below 1; found 5"):
        discrimination(simulated(4, 6, 1), test="t", levels=(5,))
    with pytest.raises(InputError, match="at least 2 topics"):
        discrimination(simulated(4, 1, 1), test="t")


@pytest.mark.parametrize(("topics", "least"), [(3, "0.25"), (5, "0.062"), (8, "")])
def test_few_topics_are_said_to_allow_no_small_p(topics: int, least: str) -> None:
    values = np.random.default_rng(0).random((4, topics, 1))
    found = discrimination(Scores(values, tuple("abcd"), tuple(map(str, range(topics))), ("x",)))
    notes = [note for note in found.notes if "no p-value can fall below" in note]
    assert notes == ([f"With {topics} topics no p-value can fall below {least}."] if least else [])
