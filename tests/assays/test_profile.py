"""The profile of a metric: estimates, intervals, replication, controls, and what is resolved."""

from dataclasses import replace

import numpy as np
import pytest

from irassay.assays.assay import assay
from irassay.assays.axiom_results import axiom_rates
from irassay.assays.controls import CONSTANT, HASH, TRUTH, controls
from irassay.assays.findings import findings, metrics_on_front
from irassay.assays.profile import AGREES, AXIOMS, COMPLETE, DISCRIMINATES, REPEATS, pareto_front, replication
from irassay.assays.subsets import SignificanceRule, outer_bounds, resolved_shares, significance_rule
from irassay.meta.discrimination import discrimination
from irassay.reports.cards import significance_text
from irassay.reports.page import page
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.stats.jackknife import jackknife_error, kept_topics
from irassay.stats.paired_test import PairedTest
from tests.support.assays import METRICS, QUICK, nine_systems

made = pytest.fixture(scope="module")(nine_systems)
WORDS = ("sound", "with care", "not sound")


def table(systems: int = 8, topics: int = 30, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 0.5, systems)[:, None, None]
    values = quality * np.array([1.0, 0.7, 0.0]) + rng.normal(0, 0.2, (systems, topics, 3))
    return Scores(values, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(topics))), ("a", "b", "none"))


@pytest.mark.parametrize("how", [("tukey", "none"), ("max-t", "none"), ("max-t-stepdown", "none"), ("t", "holm")])
def test_on_all_topics_the_held_test_is_the_test(how):
    scores = table()
    found = discrimination(scores, test=PairedTest(*how), levels=(0.05,))
    rule = significance_rule(found, scores.values, 0.05)
    every = np.ones((1, len(scores.topics)), dtype=bool)
    np.testing.assert_array_equal(
        resolved_shares(scores.values, None, 0, np.zeros(3), every, rule)[0][0], found.power(0.05)
    )


def test_power_on_a_half_is_that_of_plain_t_tests():
    from scipy.stats import ttest_rel

    scores = table()
    half = np.arange(30) % 2 == 0
    rule = SignificanceRule(30, np.full(3, 0.05), "p")
    found = resolved_shares(scores.values, None, 0, np.zeros(3), half[None], rule)[0][0]
    for m in range(3):
        part = scores.values[:, half, m]
        p = [ttest_rel(part[i], part[j]).pvalue for i in range(8) for j in range(i)]
        assert found[m] == pytest.approx(np.mean(np.array(p) < 0.05))


def test_a_pair_is_resolved_where_worst_and_best_are_significant_too_and_fewer_topics_resolve_no_more():
    scores = table()
    low, high = scores.values - 0.05, scores.values + 0.05
    rule = SignificanceRule(30, np.full(3, 2.0), "t")
    every, noise = np.ones((1, 30), dtype=bool), np.zeros(3)
    cubes = (scores.values, low, high)
    ends = outer_bounds(low, high)
    power, found = resolved_shares(scores.values, ends, 3, noise, every, rule)[:, 0]
    count = np.zeros(3)
    for m in range(3):
        for i in range(8):
            for j in range(i + 1, 8):
                signs = set()
                for one, other in ((0, 0), (1, 2), (2, 1)):
                    d = cubes[one][i, :, m] - cubes[other][j, :, m]
                    t = d.mean() / (d.std(ddof=1) / 30**0.5)
                    signs.add(np.sign(t) * (abs(t) > 2.0))
                count[m] += signs in ({1.0}, {-1.0})
    np.testing.assert_allclose(found, count / 28)
    assert (found <= power).all()
    halves = np.array([np.isin(np.arange(30), np.random.default_rng(n).permutation(30)[:15]) for n in range(200)])
    assert (resolved_shares(scores.values, ends, 3, noise, halves, rule)[1].mean(axis=0) <= found + 0.02).all()


def test_intervals_are_the_delete_d_jackknife_of_power():
    scores = table().with_sorted_topics()  # left out by name
    found = assay(scores=scores, **QUICK)
    each = found.profile.by(DISCRIMINATES)
    rule = significance_rule(found.discrimination, scores.values, 0.05)
    without = resolved_shares(scores.values, None, 0, scores.noise(), kept_topics(30, 6, 100, 0), rule)[0]
    reach = 2.045229642132703 * jackknife_error(without, 30, 6)  # R: qt(.975, 29)
    np.testing.assert_allclose(each.low[:3], np.clip(each.estimate[:3] - reach, 0, 1))
    np.testing.assert_array_equal(each.estimate[:3], found.discrimination.power(0.05))


def test_replication_counts_halves_that_order_two_metrics_alike():
    halves = np.array([[0.9, 0.5, 0.5], [0.9, 0.4, 0.4], [0.8, 0.5, 0.6], [0.7, 0.8, 0.8]])
    np.testing.assert_allclose(replication(halves, 3), [2 / 4, 2 / 4, 2 / 4])


def test_controls_show_what_criteria_cannot_reject(made):
    profile = made.profile
    assert profile.halves >= 200
    assert all(name.startswith("control") for name in profile.controls)
    constant, chance = profile.names.index(CONSTANT), profile.names.index(HASH)
    assert profile.by(DISCRIMINATES).estimate[constant] == 1
    assert profile.by(REPEATS).estimate[constant] == pytest.approx(1)
    assert profile.by(DISCRIMINATES).estimate[chance] < 0.1
    assert abs(profile.by(REPEATS).estimate[chance]) < 0.2
    assert profile.by(AGREES).low[chance] < 0 < profile.by(AGREES).high[chance]
    tau = made.similarity.tau[0, 1:]
    assert profile.by(AGREES).estimate[0] == pytest.approx(tau.mean())  # the controls are not among the others
    again = controls(made.scores).values
    np.testing.assert_array_equal(again, controls(made.scores).values)


def test_the_truth_is_a_positive_control():
    collection = simulate(seed=3, topics=12, systems=6)
    quality = dict(zip(collection.truth["run"], collection.truth["quality"], strict=True))
    found = assay(list(collection.runs), collection.qrels, ["AP", "RR"], truth=quality, **QUICK)
    assert found.profile.controls[-1] == TRUTH
    assert found.profile.by(AGREES).estimate[-1] > found.profile.by(AGREES).estimate[2]
    complete = found.profile.by(COMPLETE)  # its differences have no spread, and nothing of it is unknown
    assert complete is not None and complete.estimate[-1] == found.profile.by(DISCRIMINATES).estimate[-1] == 1
    assert any(finding.text.startswith(f"The {TRUTH}") for finding in findings(found))


def test_nothing_is_called_sound_and_reliability_is_not_validity(made):
    text = " ".join(finding.text for finding in findings(made))
    html = page(made).split("<script")[0]
    assert not any(f" {word} " in text or f">{word}<" in html for word in WORDS)
    assert "None of these criteria shows that a metric measures what users want" in html
    assert "Start from" not in text


def test_a_metric_that_nobody_is_ahead_of_is_on_the_front_and_ties_are_ties(made):
    ahead = np.array([[False, True, False], [False, False, False], [False, False, False]])
    assert pareto_front([ahead]).tolist() == [True, False, True]
    assert pareto_front([ahead, ahead.T]).all()
    assert pareto_front([ahead], np.array([True, False, False])).all()
    best, criteria = metrics_on_front(made)
    assert criteria == (DISCRIMINATES, REPEATS, COMPLETE, AXIOMS)
    assert best.any()
    level = assay(scores=replace(table(), values=np.repeat(table().values[:, :, :1], 3, axis=2)), **QUICK)
    assert metrics_on_front(level)[0].all()
    assert any("do not decide between them." in finding.text for finding in findings(level))


def test_axioms_under_another_name_are_found_and_missing_ones_are_not_fine():
    scores = replace(table(), metrics=("RBP(rel=2)", "map", "mystery"))
    found = axiom_rates(assay(scores=scores, **QUICK))
    assert found["RBP(rel=2)"] is not None
    assert found["map"] is not None
    assert found["mystery"] is None
    said = [finding.text for finding in findings(assay(scores=scores, **QUICK))]
    assert "Axioms not tested: mystery." in said


def test_axioms_broken_are_told_with_their_rate(made):
    found = axiom_rates(made)
    assert "redundancy" in found["AP_IA"].words
    assert not found["nDCG@10"].broken
    assert list(found) == METRICS


def test_a_threshold_is_a_range_where_a_test_has_no_common_one(made):
    by_t = assay(scores=table(systems=20), test="t")
    assert significance_text(by_t, 0).startswith("none below ")
    assert "all above" in significance_text(by_t, 0)
    by_hsd = assay(scores=table(), test="tukey", **QUICK)
    assert significance_text(by_hsd, 0).startswith("all from ")


def test_few_topics_have_no_replication():
    found = assay(scores=table(topics=6), **QUICK)
    assert found.profile.halves == 0
    assert np.isnan(found.profile.by(REPEATS).replication).all()


def test_a_metric_that_gives_all_the_same_has_no_rank_to_repeat():
    rng = np.random.default_rng(0)
    values = np.stack([rng.random((6, 12)) + np.arange(6)[:, None], np.ones((6, 12))], axis=2)
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("mystery", "flat")), **QUICK)
    assert found.profile.by(DISCRIMINATES).estimate[1] == 0
    assert np.isnan(found.profile.by(REPEATS).estimate[1])
    assert found.bounds is None
    assert found.properties == ()
    assert any("Without a definition, only scores" in finding.text for finding in findings(found))
    assert "Only its scores are known." in page(found)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1e299, 5e-322])
def test_scores_at_the_ends_of_the_scale_come_to_an_end(size):
    scores = table(systems=5, topics=12)
    edge = replace(scores, values=np.abs(scores.values).clip(0, 1) * size)
    assert page(assay(scores=edge, splits=5, test=PairedTest("max-t-stepdown", trials=50)))


def test_a_metric_is_ahead_in_completeness_only_of_metrics_with_bounds_of_the_same_kind():
    """P@10 has exact bounds, nDCG@10 and AP a range of imputations, which may be wider or narrower for that alone."""
    collection = simulate(seed=0, topics=30, systems=8)
    found = assay(list(collection.runs), collection.qrels, ["nDCG@10", "AP", "P@10"], splits=50, test="t")
    nDCG, AP, P = range(3)
    kinds, complete = found.profile.bounds, found.profile.by(COMPLETE)
    assert kinds[nDCG] == kinds[AP] != kinds[P]
    assert complete.estimate[AP] < complete.estimate[nDCG] < complete.estimate[P]
    assert complete.ahead[nDCG, AP]
    assert not complete.ahead[P].any() and not complete.ahead[:, P].any()
