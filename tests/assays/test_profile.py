"""The profile of a metric: estimates, intervals, replication, controls, and what is resolved."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import irassay as ia
from irassay.assays.assay import assay
from irassay.assays.axiom_results import axiom_rates
from irassay.assays.controls import CONSTANT, HASH, TRUTH, controls
from irassay.assays.criteria import AGREEMENT, CONSISTENCY, POWER, ROBUSTNESS, replication
from irassay.assays.dominance import dominated_by
from irassay.assays.findings import findings
from irassay.assays.profile import Profile, ScoreBounds, profile
from irassay.assays.subsets import agreement_on, twin_groups
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.split_taus import fixed_split_taus
from irassay.reports.cards import significance_text
from irassay.reports.page import page
from irassay.scores import Scores
from irassay.simulation import simulate
from irassay.stats.jackknife import jackknife_error, kept_topics
from irassay.stats.paired_test import PairedTest
from irassay.stats.resolved_pairs import SignificanceRule, outer_bounds, resolved_shares
from irassay.stats.selection import selection, without_each
from irassay.views.assay import head_to_head
from irassay.views.view import column, view_of
from tests.support.assays import METRICS, QUICK, nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)
WORDS = ("sound", "with care", "not sound")
FOUR = {"higher_is_better": (True,) * 4, "over_topics": ("mean",) * 4}


def table(systems: int = 8, topics: int = 30, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 0.5, systems)[:, None, None]
    values = quality * np.array([1.0, 0.7, 0.0]) + rng.normal(0, 0.2, (systems, topics, 3))
    return Scores(values, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(topics))), ("a", "b", "none"))


@pytest.mark.parametrize("how", [("tukey", "none"), ("max-t", "none"), ("max-t-stepdown", "none"), ("t", "holm")])
def test_on_all_topics_the_held_test_is_the_test(how):
    scores = table()
    found = discrimination(scores, test=PairedTest(*how), levels=(0.05,))
    rule = found.significance_rule(scores.values, 0.05)
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
    each = found.profile.by(POWER)
    rule = found.discrimination.significance_rule(scores.values, 0.05)
    without = resolved_shares(scores.values, None, 0, scores.noise(), kept_topics(30, 6, 100, 0), rule)[0]
    reach = 2.045229642132703 * jackknife_error(without, 30, 6)  # R: qt(.975, 29)
    np.testing.assert_allclose(each.low[:3], np.clip(each.estimate[:3] - reach, 0, 1))
    np.testing.assert_array_equal(each.estimate[:3], found.discrimination.power(0.05))


def test_replication_counts_halves_that_order_two_metrics_alike():
    halves = np.array([[0.9, 0.5, 0.5], [0.9, 0.4, 0.4], [0.8, 0.5, 0.6], [0.7, 0.8, 0.8]])
    np.testing.assert_allclose(replication(halves, 3), [2 / 4, 2 / 4, 2 / 4])


def test_controls_show_what_criteria_cannot_reject(assay_of_nine):
    profile = assay_of_nine.profile
    assert profile.halves >= 200
    assert all(name.startswith("control") for name in profile.controls)
    constant, chance = profile.names.index(CONSTANT), profile.names.index(HASH)
    assert profile.by(POWER).estimate[constant] == 1
    assert profile.by(CONSISTENCY).estimate[constant] == pytest.approx(1)
    assert profile.by(POWER).estimate[chance] < 0.1
    assert abs(profile.by(CONSISTENCY).estimate[chance]) < 0.2
    assert profile.by(AGREEMENT).low[chance] < 0 < profile.by(AGREEMENT).high[chance]
    tau = assay_of_nine.similarity.tau[0, 1:]
    assert profile.by(AGREEMENT).estimate[0] == pytest.approx(tau.mean())  # the controls are not among the others
    again = controls(assay_of_nine.scores).values
    np.testing.assert_array_equal(again, controls(assay_of_nine.scores).values)


def test_the_truth_is_a_positive_control():
    collection = simulate(seed=3, topics=12, systems=6)
    quality = dict(zip(collection.truth["run"], collection.truth["quality"], strict=True))
    found = assay(list(collection.runs), collection.qrels, ["AP", "RR"], truth=quality, **QUICK)
    assert found.profile.controls[-1] == TRUTH
    assert found.profile.by(AGREEMENT).estimate[-1] > found.profile.by(AGREEMENT).estimate[2]
    complete = found.profile.by(ROBUSTNESS)  # its differences have no spread, and nothing of it is unknown
    assert complete is not None and complete.estimate[-1] == found.profile.by(POWER).estimate[-1] == 1
    assert any(finding.text.startswith(f"The {TRUTH}") for finding in findings(found))


def test_nothing_is_called_sound_and_reliability_is_not_validity(assay_of_nine):
    text = " ".join(finding.text for finding in findings(assay_of_nine))
    html = re.sub("</?abbr[^>]*>", "", page(assay_of_nine).split("<script")[0])  # which explain terms
    assert not any(f" {word} " in text or f">{word}<" in html for word in WORDS)
    assert "None of these criteria shows that a metric measures what users want" in html
    assert "Start from" not in text


def profile_of(scores: Scores, seed: int = 0) -> Profile:
    test = PairedTest("max-t-stepdown", trials=300, seed=seed)
    power, steady = discrimination(scores, test=test, levels=(0.05,)), consistency(scores, splits=50, seed=seed)
    bounds = ScoreBounds(("outer bounds",) * len(scores.metrics))
    return profile(scores, bounds, power, steady, test=test)


def test_of_equal_metrics_hardly_any_is_found_to_be_behind():
    rng, false = np.random.default_rng(0), 0
    names = tuple(f"s{n}" for n in range(8)), tuple(map(str, range(12))), ("a", "b", "c")
    for seed in range(25):
        quality = rng.normal(0, 0.5, (8, 1, 1))
        values = quality + rng.normal(0, 0.7, (8, 12, 1)) + rng.normal(0, 0.7, (8, 12, 3))
        criteria = profile_of(Scores(values, *names), seed).criteria
        false += any(each.selection.behind.any() for each in criteria)
        assert all((each.share_of_halves > 0.5).all() for each in criteria)
    assert false <= 2


def test_a_metric_that_finds_less_is_behind_and_the_best_may_be_best():
    profile = profile_of(table())
    for name in (POWER, CONSISTENCY):
        each = profile.by(name)
        assert each.selection.may_be_best[0] and each.selection.behind[2, 0]
        assert each.share_of_halves[0] == 1 > each.share_of_halves[2]


def test_selections_come_from_the_power_without_each_topic():
    scores = table().with_sorted_topics()
    found = assay(scores=scores, **QUICK)
    rule = found.discrimination.significance_rule(scores.values, 0.05)
    critical = [rule.critical_value(m, 29) for m in range(3)]
    without = np.zeros((30, 3))
    for t in range(30):
        rest = np.delete(scores.values, t, axis=1)
        for m in range(3):
            gaps = [rest[i, :, m] - rest[j, :, m] for i in range(8) for j in range(i)]
            without[t, m] = np.mean([abs(d.mean() / (d.std(ddof=1) / 29**0.5)) > critical[m] for d in gaps])
    expected = selection(found.discrimination.power(0.05), without, 0.05, 0, scores.metrics, excess=30 / 32)
    each = found.profile.by(POWER).selection
    np.testing.assert_array_equal(each.p, expected.p)
    np.testing.assert_allclose(each.low, expected.low)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_the_report_and_the_methods_alone_name_the_same_metrics(alpha: float) -> None:
    scores = table(systems=12, topics=24, seed=2)
    found = assay(scores=scores, alpha=alpha, seed=4, **QUICK)
    alone = {
        POWER: discrimination(scores, test=PairedTest("max-t-stepdown", trials=200, seed=4), levels=(alpha,)),
        CONSISTENCY: consistency(scores, splits=50, alpha=alpha, seed=4),
    }
    verdicts = []
    for name, result in alone.items():
        rows = view_of(result).tables[0]
        cells = dict(
            zip(
                column(rows, "metric"),
                zip(column(rows, "may be best"), column(rows, "behind"), strict=True),
                strict=True,
            )
        )
        chosen = found.profile.by(name).selection
        for m, metric in enumerate(scores.metrics):
            behind = [other for other, is_behind in zip(scores.metrics, chosen.behind[m], strict=True) if is_behind]
            assert cells[metric] == ("no" if behind else "yes", ", ".join(behind))
            verdicts.append(bool(behind))
    assert any(verdicts)


def test_all_splits_stay_fixed_when_a_topic_is_left_out():
    complete = complete_scores(table(topics=10), "A test")
    sets = without_each(np.ones((1, 10), dtype=bool))
    tau = fixed_split_taus(complete, sets, 4, seed=1)
    assert tau.shape == (1, 11, 3)
    doubled = replace(complete, scores=replace(complete.scores, values=complete.values * [1, 1, 2]))
    np.testing.assert_array_equal(fixed_split_taus(doubled, sets, 4, seed=1), tau)
    same = replace(complete, scores=replace(complete.scores, values=np.repeat(complete.values[:, :1], 10, axis=1)))
    np.testing.assert_array_equal(fixed_split_taus(same, sets, 4, seed=1), 1.0)  # all topics rank alike


def test_twins_count_once_in_the_agreement():
    scores = table()
    values = np.concatenate([scores.values, 2 * scores.values[:, :, :1]], axis=2)
    complete = complete_scores(
        replace(scores, values=values, metrics=("a", "b", "none", "twin of a"), **FOUR), "A test"
    )
    groups = twin_groups(complete)
    assert groups.tolist() == [0, 1, 2, 0]
    every = np.ones((1, 30), dtype=bool)
    apart = agreement_on(complete_scores(scores, "A test"), every, np.arange(3))[0]
    np.testing.assert_allclose(agreement_on(complete, every, groups)[0], [*apart, apart[0]])


def test_a_dominated_metric_is_behind_and_its_rival_is_no_worse_on_anything(assay_of_nine):
    equal = assay(scores=replace(table(), values=np.repeat(table().values[:, :, :1], 3, axis=2)), **QUICK)
    assert not dominated_by(equal).any()
    assert any("every metric separates 57%" in finding.text for finding in findings(equal))
    dominated = dominated_by(assay(scores=table(), margin=1, **QUICK))
    assert dominated[2, 0] and not dominated[0].any()
    assert not dominated_by(assay(scores=table(), margin=0, **QUICK))[2, 0]  # nothing shows that it is no worse at all
    for each in assay_of_nine.profile.criteria:
        if each.name != AGREEMENT:
            assert not (dominated_by(assay_of_nine) & each.selection.behind.T).any()


def test_axioms_under_another_name_are_found_and_missing_ones_are_not_fine():
    scores = replace(table(), metrics=("RBP(rel=2)", "map", "mystery"))
    found = axiom_rates(assay(scores=scores, **QUICK))
    assert found["RBP(rel=2)"] is not None
    assert found["map"] is not None
    assert found["mystery"] is None
    texts = [finding.text for finding in findings(assay(scores=scores, **QUICK))]
    assert "Axioms not tested: mystery." in texts


def test_axioms_broken_are_told_with_their_rate(assay_of_nine):
    found = axiom_rates(assay_of_nine)
    assert "redundancy" in found["AP_IA"].words
    assert not found["nDCG@10"].broken
    assert list(found) == METRICS


def test_a_threshold_is_a_range_where_a_test_has_no_common_one(assay_of_nine):
    by_max_t = assay(scores=table(systems=20), **QUICK)
    low, high = by_max_t.discrimination.threshold_ends[:, by_max_t.discrimination.levels.index(0.05), 0]
    assert significance_text(by_max_t, 0).startswith("The median pair of systems needs a difference of means of ")
    assert significance_text(by_max_t, 0).endswith(f"; single pairs need {low:.4f} to {high:.4f}") and low < high
    by_t = assay(scores=table(systems=20), test="t")  # with Holm's correction the threshold depends on the other pairs
    assert significance_text(by_t, 0).startswith("The largest difference of means that is not significant is ")
    by_hsd = assay(scores=table(), test="tukey", **QUICK)
    assert significance_text(by_hsd, 0).startswith("Differences of means from ")


def test_few_topics_have_no_replication():
    found = assay(scores=table(topics=6), **QUICK)
    assert found.profile.halves == 0
    assert np.isnan(found.profile.by(CONSISTENCY).replication).all()


def test_a_metric_that_gives_all_the_same_has_no_rank_to_repeat():
    rng = np.random.default_rng(0)
    values = np.stack([rng.random((6, 12)) + np.arange(6)[:, None], np.ones((6, 12))], axis=2)
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("mystery", "flat")), **QUICK)
    assert found.profile.by(POWER).estimate[1] == 0
    assert np.isnan(found.profile.by(CONSISTENCY).estimate[1])
    assert found.bounds is None
    assert found.properties == ()
    assert any(finding.text.startswith("Axioms were not tested on ") for finding in findings(found))
    assert "Only its scores are known." in page(found)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1e299, 5e-322])
def test_scores_at_the_ends_of_the_scale_come_to_an_end(size):
    scores = table(systems=5, topics=12)
    edge = replace(scores, values=np.abs(scores.values).clip(0, 1) * size)
    assert page(assay(scores=edge, splits=5, test=PairedTest("max-t-stepdown", trials=50)))


def test_robustness_is_compared_by_outer_bounds_and_exact_ones_are_shown_too():
    collection = simulate(seed=0, topics=30, systems=8)
    found = assay(list(collection.runs), collection.qrels, ["nDCG@10", "AP", "P@10"], splits=50, test="t")
    nDCG, AP, P = range(3)
    robust = found.profile.by(ROBUSTNESS)
    assert "exact bounds" not in found.profile.bounds
    assert np.isnan(robust.exact[[nDCG, AP]]).all()
    assert robust.estimate[P] <= robust.exact[P] <= found.profile.by(POWER).estimate[P]
    assert not np.isnan(robust.selection.estimate).any()
    assert robust.selection.behind[AP, nDCG] and robust.selection.behind[AP, P]


def test_a_metric_that_leaves_out_unjudged_results_is_not_compared_in_robustness():
    collection = simulate(seed=0, topics=20, systems=6)
    found = assay(list(collection.runs), collection.qrels, ["nDCG@10", "nDCG(judged_only=True)@10"], **QUICK)
    assert np.isnan(found.profile.by(ROBUSTNESS).selection.estimate).tolist() == [False, True]
    assert not dominated_by(found).any()  # a comparison that is not possible excludes it
    rows = {row[0]: row for row in head_to_head(found, found.profile).rows}
    assert rows[ROBUSTNESS][2:4] == pytest.approx((np.nan, np.nan), nan_ok=True)
    assert "judged results only" in rows[ROBUSTNESS][4]
    assert "no interval" in rows[POWER][4] or rows[POWER][2] <= rows[POWER][1] <= rows[POWER][3]


def test_a_profile_saved_before_is_read_and_shown(tmp_path):
    found = assay(scores=table(), **QUICK)
    found.save(tmp_path / "now.json")
    document = json.loads((tmp_path / "now.json").read_text())
    for each in document["saved"]["profile"]["criteria"]:
        for name in ("selection", "share_of_halves", "exact"):
            del each[name]
        each["ahead"] = {"array": [[False] * 3] * 3, "kind": "|b1", "shape": [3, 3]}
        each["name"] = {POWER: "discriminates", CONSISTENCY: "repeats", AGREEMENT: "agrees"}[each["name"]]
    del document["saved"]["profile"]["margin"]
    (tmp_path / "before.json").write_text(json.dumps(document))
    before, now = (ia.load(tmp_path / name) for name in ("before.json", "now.json"))
    assert [each.name for each in before.profile.criteria] == [POWER, CONSISTENCY, AGREEMENT]
    np.testing.assert_array_equal(now.profile.by(POWER).selection.p, found.profile.by(POWER).selection.p)
    assert "discriminative power" in str(before)
    assert page(before)
