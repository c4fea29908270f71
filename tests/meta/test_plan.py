"""Variance components and the size of topic sets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from irassay.errors import InputError
from irassay.meta.comparison import compare
from irassay.meta.plan import plan
from irassay.meta.variance_components import variance_components
from irassay.notes import Note
from irassay.scores import Scores
from irassay.stats.power import power_of_equivalence, power_of_t, topics_for_anova, topics_for_t, topics_for_width
from irassay.views.view import column


def test_topics_for_a_paired_t_test(oracles: Path) -> None:
    for case in json.loads((oracles / "meta/rankcorr/topic_set_size_paired_t.json").read_text()):
        residual, alpha, power = case["var_diff"] / 2, case["alpha"], 1 - case["beta"]
        topics = topics_for_t(case["minD"], residual, alpha=alpha, power=power)
        assert topics == case["n_exact"]
        assert power_of_t(topics, case["minD"], residual, alpha=alpha) == pytest.approx(case["power"], abs=1e-9)
        assert power_of_t(topics - 1, case["minD"], residual, alpha=alpha) < power


def test_power_is_the_share_of_simulations_that_find_the_difference() -> None:
    gap = np.random.default_rng(0).normal(loc=0.1, scale=np.sqrt(0.1), size=(20_000, 81))
    found = np.mean(stats.ttest_1samp(gap, 0, axis=1).pvalue < 0.05)
    assert power_of_t(81, 0.1, 0.05) == pytest.approx(found, abs=4 * 0.5 / np.sqrt(20_000))


def test_topics_for_an_analysis_of_variance_have_the_power() -> None:
    topics, residual, systems = topics_for_anova(0.1, 0.05, 10), 0.05, 10

    def power(n: int) -> float:
        critical = stats.f.isf(0.05, systems - 1, systems * (n - 1))
        return float(stats.ncf.sf(critical, systems - 1, systems * (n - 1), n * 0.1**2 / (2 * residual)))

    assert power(topics - 1) < 0.8 <= power(topics)


def test_topics_for_an_interval_make_it_narrow_enough_and_no_narrower() -> None:
    topics = topics_for_width(0.1, 0.05)
    rng = np.random.default_rng(1)

    def width(n: int) -> float:
        sd = rng.normal(scale=np.sqrt(0.1), size=(20_000, n)).std(axis=1, ddof=1).mean()
        return float(2 * stats.t.isf(0.025, n - 1) * sd / np.sqrt(n))

    assert width(topics) == pytest.approx(0.1, abs=5e-4)
    assert width(topics - 5) > 0.1


def test_components_are_those_the_scores_were_made_with() -> None:
    rng = np.random.default_rng(2)
    X = 2 * rng.normal(size=(400, 1)) + 0.5 * rng.normal(size=(1, 400)) + rng.normal(size=(400, 400))
    found = variance_components(X)
    assert (found.topic, found.system, found.residual) == pytest.approx((4, 0.25, 1), rel=0.15)
    assert found.relative() == pytest.approx(0.25 / (0.25 + 1 / 400), rel=0.01)
    assert found.absolute(20) == pytest.approx(found.system / (found.system + (found.topic + found.residual) / 20))
    assert found.absolute(20) < found.relative(20)


def test_topics_for_a_reliability_reach_it_and_one_fewer_does_not() -> None:
    rng = np.random.default_rng(3)
    found = variance_components(rng.normal(size=(50, 1)) + 0.3 * rng.normal(size=(1, 20)) + rng.normal(size=(50, 20)))
    for wanted in (0.8, 0.95):
        n, m = found.topics_for_relative(wanted), found.topics_for_absolute(wanted)
        assert found.relative(n) >= wanted > found.relative(n - 1)
        assert found.absolute(m) >= wanted > found.absolute(m - 1)


def test_residual_variance_is_half_the_mean_variance_of_differences() -> None:
    X = np.random.default_rng(4).random((12, 5))
    i, j = np.triu_indices(5, k=1)
    variance = (X[:, i] - X[:, j]).var(axis=0, ddof=1)
    assert variance_components(X).residual == pytest.approx(variance.mean() / 2)
    across = np.array([(a < 2) != (b < 2) for a, b in zip(i, j, strict=True)])
    assert variance_components(X, ["x", "x", "y", "y", "y"]).residual == pytest.approx(variance[across].mean() / 2)


def test_negative_components_are_nothing() -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = variance_components(X)
    assert found.system == 0 and found.topic == 0 and found.relative() == 0
    with pytest.raises(InputError, match="do not differ more than by chance"):
        found.topics_for_relative(0.9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: topics_for_t(0, 0.1), "must be above 0; found 0"),
        (lambda: topics_for_t(0.1, 0), "residual variance must be positive"),
        (lambda: topics_for_t(0.1, 0.1, alpha=5), "between 0 and 1"),
        (lambda: topics_for_anova(0.1, 0.1, 1), "at least two systems"),
        (lambda: variance_components(np.ones((1, 3))), "at least two systems on at least two topics"),
        (lambda: variance_components(np.array([[1, np.nan], [1, 1]])), "some scores are missing"),
        (lambda: variance_components(np.ones((3, 2)), ["a"]), "2 systems, but 1 groups"),
        (lambda: variance_components(np.eye(2), ["a", "a"]), "All systems are of the group 'a'"),
        (lambda: variance_components(np.eye(3)).topics_for_relative(1.5), "reliability must lie between"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(call: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()  # type: ignore[operator]


def test_a_plan_is_of_every_metric() -> None:
    X = np.random.default_rng(5).random((12, 5))
    values = np.stack([X.T, np.ones_like(X.T)], axis=2)
    scores = Scores(values, tuple("abcde"), tuple(map(str, range(12))), ("AP", "flat"))
    found = plan(scores, difference=0.1, power=0.9)
    residual = variance_components(X).residual
    assert found.topics().tolist() == [topics_for_t(0.1, residual, power=0.9), 6]  # 2^-5 < .05: no spread to test by
    assert found.power()[0] == power_of_t(12, 0.1, residual) and found.power()[1] == 1
    assert found.standardised()[0] == pytest.approx(0.1 / np.sqrt(2 * residual))
    teams = dict(zip("abcde", "xxyyy", strict=True))
    assert plan(scores, groups=teams).components[0] == variance_components(X, list("xxyyy"))
    for wrong in ({"difference": 0}, {"power": 1}, {"alpha": 0}):
        with pytest.raises(InputError, match=r"above 0|of at least 1e-15 and below 1"):
            plan(scores, **wrong)


def simulated(topics: int, systems: int, seed: int, difference: float = 0.0, scale: float = 1.0) -> Scores:
    """Scores of systems that are equal but for the first, residuals having a variance of 1/2."""
    values = np.random.default_rng(seed).normal(size=(systems, topics, 1)) * np.sqrt(0.5)
    values[0] += difference
    return Scores(values * scale, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(topics))), ("AP",))


def test_the_planned_topics_find_the_difference_among_all_pairs_as_often_as_asked() -> None:
    found = []
    for seed in range(150):
        made = plan(simulated(25, 5, seed), difference=0.5, test="max-t", trials=199, seed=seed)
        need = int(made.family_topics()[0][0])
        found.append(compare(simulated(need, 5, 1000 + seed, 0.5), test="max-t", trials=199).by().significant[0])
    assert np.mean(found) == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / 150))


@pytest.mark.parametrize(
    ("given", "fewest"),
    [
        ({}, 6),  # p of sign flips is 1/2^(T-1) at least
        ({"alternative": "greater"}, 5),
        ({"alpha": 0.01}, 8),
        ({"test": "wilcoxon", "correction": "holm"}, 7),  # 3 pairs: 2^-6 < .05/3
        ({"test": "t", "correction": "max-t"}, 6),
        ({"systems": 10}, 6),
        ({"test": "t"}, 2),
    ],
)
def test_no_plan_has_fewer_topics_than_its_test_can_decide_with(given: dict[str, Any], fewest: int) -> None:
    made = plan(simulated(30, 3, 1), difference=100.0, **given)
    assert made.family_topics()[0] == fewest
    if fewest > 2:
        assert made.curve([fewest - 1])[0, 0].tolist() == [0, 0, 0]
        asked = {key: value for key, value in given.items() if key != "systems"}
        assert not compare(simulated(fewest - 1, 3, 2, difference=100.0), **asked).by().significant.any()
        assert compare(simulated(fewest, 3, 2, difference=100.0), **asked).by().p[:2].max() < made.alpha


def test_planned_topics_have_the_power_where_they_are_few() -> None:
    for systems, difference in ((2, 1.6), (5, 2.2)):
        found, planned = [], []
        for seed in range(150):
            if seed % 10 == 0:
                need = int(plan(simulated(40, systems, seed), difference=difference, trials=199).family_topics()[0][0])
                planned.append(need)
            made = compare(simulated(need, systems, 1000 + seed, difference), trials=199)
            found.append(made.by().significant[0])
        assert max(planned) < 15
        assert np.mean(found) > 0.8 - 3 * np.sqrt(0.16 / 150)


def test_a_difference_that_a_metric_cannot_have_is_refused() -> None:
    values = np.random.default_rng(1).random((3, 10, 1))
    scores = Scores(values, tuple("abc"), tuple(map(str, range(10))), ("nDCG@10",))
    with pytest.raises(InputError, match=r"No two systems can differ by 2 in nDCG@10, which ranges from 0 to 1"):
        plan(scores, difference=2.0)
    assert plan(scores, difference=1.0).topics() > 0
    percent = Scores(100 * values, scores.systems, scores.topics, scores.metrics)  # on another scale than the metric's
    assert plan(percent, difference=20.0).topics() > 0
    with pytest.raises(InputError, match=r"no p-value of permutation is below 0.1.*give trials=400 or more"):
        plan(scores, test="permutation", correction="holm", trials=9, alpha=0.0075)


def test_one_pair_has_an_interval_of_topics_too() -> None:
    made = plan(simulated(30, 2, 1), difference=0.5)
    (need,), (low,), (high,) = made.topics_of_one()
    assert low < need < high and f"needs {need} topics by AP.\nThere are 30 now." in str(made)
    assert f"the interval of the topics needed is {low} to {high}, because the variance is estimated" in str(
        made.view()
    )
    assert "Tested by" not in str(made) and "1 pair" not in str(made)  # the same number would be said twice


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({"test": "t"}, 0.05),
        ({"test": "t", "correction": "holm"}, 0.005),
        ({"test": "t", "correction": "bonferroni", "baseline": "s0"}, 0.0125),
        ({"systems": 20}, 0.05 / 190),
    ],
)
def test_pairs_are_planned_for_at_the_level_that_the_correction_leaves_them(
    given: dict[str, Any], level: float
) -> None:
    made = plan(simulated(30, 5, 1), difference=0.4, **given)
    assert made.level == pytest.approx(level)
    residual = made.components[0].residual
    assert made.family_topics()[0] == topics_for_t(0.4, residual, alpha=level)
    need = made.family_topics()[0].item()
    assert made.curve([need - 1, need])[0, :, 0] == pytest.approx(
        [power_of_t(n, 0.4, residual, alpha=level) for n in (need - 1, need)]
    )


def test_max_t_leaves_pairs_a_level_between_bonferronis_and_that_of_one() -> None:
    scores = simulated(40, 6, 2)
    (level,) = plan(scores, trials=9999).level
    critical = compare(scores, trials=9999).by().test.critical(0.05)
    assert level == pytest.approx(2 * stats.t.sf(critical, 39)) and 0.05 / 15 < level < 0.05
    assert plan(simulated(4, 6, 2), difference=1.0).level == pytest.approx(0.05 / 15)  # no p of 4 topics is so small


def test_the_interval_of_topics_is_that_of_the_variance_without_one_topic_at_a_time() -> None:
    scores = simulated(12, 4, 3)
    made = plan(scores, difference=0.4, test="t", correction="holm")
    X = scores.values[:, :, 0].T
    logs = np.log([variance_components(np.delete(X, t, axis=0)).residual for t in range(12)])
    reach = stats.t.ppf(0.975, 11) * np.sqrt(11 / 12 * np.sum((logs - logs.mean()) ** 2))
    ends = [topics_for_t(0.4, made.components[0].residual * np.exp(s * reach), alpha=0.05 / 6) for s in (-1, 1)]
    assert [made.family_topics()[1].item(), made.family_topics()[2].item()] == ends


def test_model_judged_topics_replace_human_ones_as_the_formula_says() -> None:
    made = plan(simulated(30, 4, 4), difference=0.4, test="t", model_correlation=0.8)
    human = made.human_topics(200).item()
    residual = made.components[0].residual * (1 - 0.64 * 200 / (human + 200))  # spec: 1 - r² N / (n + N)
    assert power_of_t(human, 0.4, residual) >= 0.8
    assert power_of_t(human - 1, 0.4, made.components[0].residual * (1 - 0.64 * 200 / (human + 199))) < 0.8
    assert made.human_topics(0) == made.topics()
    assert (
        plan(simulated(30, 4, 4), difference=0.4, test="t", model_correlation=-0.5).human_topics(200) == made.topics()
    )
    assert "people must judge" in str(made)


def test_a_models_scores_say_how_well_they_correlate() -> None:
    human = simulated(40, 5, 5)
    rng = np.random.default_rng(6)
    more = np.concatenate([human.values, rng.normal(size=(5, 60, 1))], axis=1)
    model = Scores(2 * more, human.systems, tuple(map(str, range(100))), ("AP",))
    made = plan(human, difference=0.3, also_scores=model, test="t")
    assert made.correlation == pytest.approx(1) and made.ratio == pytest.approx(4) and made.further == 60
    n = made.human_topics(60).item()  # a perfect judge's topics are as good as people's
    residual = made.components[0].residual
    assert power_of_t(n, 0.3, residual * n / (n + 60)) >= 0.8 > power_of_t(n - 1, 0.3, residual * (n - 1) / (n + 59))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"difference": np.inf}, "difference must be a finite number of 0 or more; found inf"),
        ({"difference": 1e-200}, r"give a larger difference"),
        ({"model_topics": 5}, "needs a model"),
        ({"model_correlation": 2.0}, "must be a number from -1 to 1"),
        ({"baseline": "nobody"}, "no system 'nobody' to use as the baseline"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused_in_a_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        str(plan(simulated(10, 3, 1), **given))


def test_extreme_numbers_make_no_nonsense() -> None:
    made = plan(simulated(10, 3, 1), difference=1e200)
    assert made.power() == 1 and np.isfinite(made.curve([2, 10])).all() and "nan" not in str(made)
    for scale in (1e200, 1e-200):
        with pytest.raises(InputError, match="rescale"):
            plan(simulated(10, 3, 1, scale=scale))


def test_a_power_curve_is_drawn_for_every_metric() -> None:
    made = plan(simulated(20, 4, 1), difference=0.4, test="t")
    chart = dict(made.view().charts)["power"]().to_dict()
    lines = chart["data"]["values"]
    power = [line["power"] for line in lines]
    table = made.view(curve=True).tables[1]
    at = {row[1]: row[2] for row in table.rows}
    assert at[20] == pytest.approx(made.curve([20])[0, 0, 0]) and len(made.view().tables) == 1
    assert power == sorted(power) and all(line["low"] <= line["power"] <= line["high"] for line in lines)


def test_one_sided_power_is_rs() -> None:
    # power.t.test(n=30, delta=.4, sd=1, type="paired", alternative="one.sided" or not, strict=TRUE)
    assert power_of_t(30, 0.4, 0.5, sides=1) == pytest.approx(0.68951276629701, rel=1e-9)
    assert power_of_t(30, 0.4, 0.5) == pytest.approx(0.56281360714121, rel=1e-9)
    scores = simulated(30, 5, 1)
    both, one = (
        plan(scores, difference=0.4, test="t", correction="holm", alternative=a) for a in ("two-sided", "less")
    )
    assert one.topics() < both.topics() and one.family_topics()[0] < both.family_topics()[0]
    (level,) = plan(scores, trials=999, alternative="greater").level
    critical = compare(scores, trials=999, alternative="greater").by().test.critical(0.05)
    assert level == pytest.approx(stats.t.sf(critical, 29))


def test_a_family_across_metrics_leaves_pairs_a_smaller_level() -> None:
    cube = np.random.default_rng(2).normal(size=(4, 30, 3))
    scores = Scores(cube, tuple("abcd"), tuple(map(str, range(30))), ("AP", "RR", "P"))
    within, across = (plan(scores, difference=0.5, trials=999, across_metrics=each).level for each in (False, True))
    assert np.all(across < within) and np.all(across == across[0]) and across[0] >= 0.05 / 18
    holm = plan(scores, difference=0.5, test="t", correction="holm", across_metrics=True)
    assert holm.level == pytest.approx(0.05 / 18) and "are tested under all metrics together" in str(holm)
    with pytest.raises(InputError, match="across_metrics needs a correction"):
        plan(scores, test="t", across_metrics=True)


@pytest.mark.parametrize(
    ("how", "pairs", "tests"),
    [
        ({"correction": "holm"}, 15, 15),
        ({"correction": "holm", "across_metrics": True}, 15, 30),
        ({"correction": "holm", "baseline": "s0"}, 5, 5),
        ({}, 15, 1),
    ],
)
def test_another_number_of_systems_makes_another_number_of_tests(how: dict[str, Any], pairs: int, tests: int) -> None:
    one = simulated(30, 4, 4)
    two = Scores(np.concatenate([one.values, one.values**2], axis=2), one.systems, one.topics, ("a", "b"))
    made = plan(two, difference=0.4, systems=6, test="t", **how)
    assert made.pairs == pairs and made.level == pytest.approx(0.05 / tests)


def test_systems_that_always_differ_alike_have_no_variance_to_plan_by() -> None:
    alike = Scores(np.arange(4.0)[:, None, None] + np.zeros((4, 6, 1)), tuple("ABCD"), tuple("123456"), ("AP",))
    with pytest.raises(InputError, match="no variance to plan with"):
        plan(alike, difference=0.4, test="t")


def test_a_model_that_gives_all_the_same_saves_no_topic() -> None:
    human = simulated(20, 4, 5)
    flat = Scores(np.full((4, 50, 1), 0.5), human.systems, tuple(map(str, range(50))), ("AP",))
    made = plan(human, difference=0.3, also_scores=flat, test="t")
    assert (made.correlation.tolist(), made.ratio.tolist()) == ([0], [1])
    assert made.human_topics(30) == made.topics()


def test_further_topics_of_a_model_are_those_it_judged_unless_they_are_given() -> None:
    human = simulated(20, 4, 5)
    model = Scores(np.random.default_rng(1).random((4, 50, 1)), human.systems, tuple(map(str, range(50))), ("AP",))
    for given, further in (({}, 30), ({"model_topics": 500}, 500)):
        assert plan(human, difference=0.3, also_scores=model, test="t", **given).further == further


def test_two_topics_do_not_say_how_sure_a_plan_is() -> None:
    two = simulated(30, 4, 4)
    made = plan(two.select(topics=two.topics[:2]), difference=0.4, test="t")
    estimate, low, high = (int(each[0]) for each in made.topics_of_one())
    assert low == 6 and low <= estimate and high > 1e6
    seen = made.view()
    assert any("from only 2 topics" in note and note.caveat for note in seen.notes if isinstance(note, Note))
    assert not any("interval of the topics needed" in sentence for sentence in seen.sentences)
    assert [column(seen.tables[0], f"family topics {end}") for end in ("low", "high")] == [[None], [None]]


def test_from_few_topics_the_interval_is_in_the_short_answer() -> None:
    scores = simulated(30, 4, 4)
    for topics, is_shown in ((4, True), (30, False)):
        seen = plan(scores.select(topics=scores.topics[:topics]), difference=0.4).view(full=False)
        assert any("interval of the topics needed" in sentence for sentence in seen.sentences) == is_shown
        assert any("few topics" in note for note in seen.notes) == is_shown


def test_the_pairs_at_three_quantiles_need_topics_by_their_own_deviations() -> None:
    scores = simulated(40, 6, 3)
    found = plan(scores, difference=0.3)
    values = scores.values[:, :, 0]
    deviation = [np.std(values[a] - values[b], ddof=1) for a in range(6) for b in range(a + 1, 6)]
    expected = [topics_for_t(0.3, np.quantile(deviation, q) ** 2 / 2) for q in (0.1, 0.5, 0.9)]
    assert found.topics_of_pairs()[:, 0].tolist() == expected
    table = found.view().tables[0]
    assert [table.rows[0][table.columns.index(f"topics needed, {q} % pair")] for q in (10, 50, 90)] == expected


def test_a_plan_for_one_pair_uses_its_variance_alone() -> None:
    scores = simulated(40, 5, 4)
    found = plan(scores, difference=0.3, pair=f"{scores.systems[3]},{scores.systems[1]}")
    variance = np.var(scores.values[3, :, 0] - scores.values[1, :, 0], ddof=1)
    assert found.topics().tolist() == [topics_for_t(0.3, variance / 2)] == found.family_topics()[0].tolist()
    assert found.pairs == 1 and set(found.topics_of_pairs()[:, 0]) == set(found.topics())


@pytest.mark.parametrize(
    ("topics", "difference", "residual", "alpha"),
    [(6, 0.0, 0.002, 0.05), (20, 0.02, 0.01, 0.05), (15, 0.03, 0.005, 0.001)],
)
def test_power_of_equivalence_is_that_of_two_t_tests(
    topics: int, difference: float, residual: float, alpha: float
) -> None:
    draws = np.random.default_rng(0).normal(difference, np.sqrt(2 * residual), size=(20_000, topics))
    low, high = (
        stats.ttest_1samp(draws, end, axis=1, alternative=side).pvalue
        for end, side in ((-0.1, "greater"), (0.1, "less"))
    )
    found = np.mean((low < alpha) & (high < alpha))
    assert power_of_equivalence(topics, difference, 0.1, residual, alpha=alpha) == pytest.approx(
        found, abs=4 * 0.5 / np.sqrt(20_000)
    )


def test_a_plan_for_equivalence_has_the_power_that_simulations_have() -> None:
    scores = simulated(60, 4, 5)
    found = plan(scores, margin=0.4, difference=0.1)
    topics, sd = int(found.topics()[0]), np.sqrt(2 * found.components[0].residual)
    draws = np.random.default_rng(0).normal(0.1, sd, size=(4000, topics))
    error = draws.std(axis=1, ddof=1) / np.sqrt(topics)
    reach = stats.t.ppf(0.95, topics - 1) * error
    shown = (draws.mean(axis=1) - reach > -0.4) & (draws.mean(axis=1) + reach < 0.4)
    assert shown.mean() == pytest.approx(0.8, abs=0.03)
    assert found.family_topics()[0][0] > topics and found.test == "two one-sided t-tests, holm"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"margin": 0.1}, "needs the true difference"),
        ({"margin": 0.1, "difference": 0.1}, "must be below the margin of 0.1; found 0.1"),
        ({"margin": 0.0, "difference": 0.0}, "margin must be a number above 0"),
        ({"margin": 0.1, "difference": 0.0, "test": "t"}, "leave out test, correction and alternative"),
        ({"margin": 0.1, "difference": 0.0, "model_correlation": 0.5}, "cannot be for equivalence"),
        ({"pair": "s0"}, "give two different runs"),
        ({"pair": "s0,s0"}, "give two different runs"),
        ({"pair": "s0,s1", "baseline": "s0"}, "leave out baseline"),
    ],
)
def test_a_plan_for_equivalence_or_a_pair_that_makes_no_sense_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        plan(simulated(20, 4, 0), **given)


def test_a_metric_is_named_as_in_compare() -> None:
    scores = simulated(30, 4, 1)
    values = np.concatenate([scores.values, scores.values**2], axis=2)
    both = Scores(values, scores.systems, scores.topics, ("AP", "P@5"))
    assert plan(both, "AP").metrics == ("AP",) and plan(both, ["P@5", "AP"]).metrics == ("P@5", "AP")
    assert plan(both, "AP").topics() == plan(scores).topics()
    with pytest.raises(InputError, match="There is no metric 'RR'"):
        plan(both, "RR")
    with pytest.raises(InputError, match="needs at least one metric"):
        plan(both, [])


def test_the_topics_of_one_pair_are_shown_once() -> None:
    scores = simulated(30, 4, 1)
    shown = plan(scores, pair=",".join(scores.systems[:2])).view(full=False).tables[0]
    assert shown.columns == ("metric", "topics needed", "power now")


def test_topics_of_several_metrics_carry_the_caveat_that_scales_differ() -> None:
    one = simulated(20, 4, seed=0)
    two = Scores(np.repeat(one.values, 2, axis=2), one.systems, one.topics, ("AP", "RR"))
    notes = [[note for note in plan(each).view().notes if "differ in scale" in note] for each in (one, two)]
    assert not notes[0] and [note.caveat for note in notes[1]] == [True]
