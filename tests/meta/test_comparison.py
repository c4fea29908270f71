"""Comparisons of systems: what a reader is told about each pair, each system and all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.meta.comparison import compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.consistency import consistency
from irassay.results import result_from_json, result_json
from irassay.scores import Scores
from irassay.stats.corrections import corrected_p
from irassay.stats.effects import effect_interval, standardized_equivalence_p
from irassay.stats.paired_test import PairedTest
from irassay.views.comparison import metric_view
from tests.support.paired import pvalues, scores_of

NAMES = ("one", "two", "three", "four")


def scores(step: float = 0.3) -> Floats:
    """[topic, system] one and two alike, three better, four best."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(40, 1)) + np.array([0, 0, step, 3 * step]) + 0.3 * rng.normal(size=(40, 4))


def comparison(
    X: Floats, names: Sequence[str], test: str = "max-t", correction: str = "none", **given: Any
) -> Comparison:
    """The systems of a table [topic, system] compared."""
    return compare(scores_of(X, names), test=test, correction=correction, **given).by()


def test_effect_sizes_are_those_of_the_books() -> None:
    X = scores()
    found = comparison(X, NAMES, "t")
    gap = X[:, found.test.i] - X[:, found.test.j]
    d = gap.mean(axis=0) / gap.std(axis=0, ddof=1)
    np.testing.assert_allclose(found.effect, d)
    np.testing.assert_allclose(found.effect, found.test.statistic / np.sqrt(40))
    np.testing.assert_allclose(found.unbiased_effect, d * (1 - 3 / (4 * 39 - 1)))


@pytest.mark.parametrize(  # R: uniroot over pt(t, df, ncp)
    ("t", "topics", "low", "high"),
    [
        (2.5, 20, 0.0802333915, 1.0251901196),
        (-1.2, 12, -0.9226954998, 0.2444868114),
        (8.0, 50, 0.7717952613, 1.4837868182),
        (20.0, 50, 2.2018465052, 3.4484242230),
    ],
)
def test_intervals_of_effect_sizes_are_rs(t: float, topics: int, low: float, high: float) -> None:
    found = [end.item() for end in effect_interval(np.array([t]), topics)]
    assert found == pytest.approx([low, high], abs=1e-9)


def test_equivalence_is_two_one_sided_tests_with_holm() -> None:
    X = scores()
    found = compare(scores_of(X, NAMES), test="t", margin=0.3).by()
    gap = X[:, found.test.i] - X[:, found.test.j]
    lower = stats.ttest_1samp(gap, -0.3, alternative="greater").pvalue
    upper = stats.ttest_1samp(gap, 0.3, alternative="less").pvalue
    np.testing.assert_allclose(found.equivalence(), corrected_p(np.maximum(lower, upper), "holm"), rtol=1e-9)
    with pytest.raises(InputError, match=r"margin must be a number above 0; found 0\.0"):
        compare(scores_of(X, NAMES), margin=0.0)
    with pytest.raises(InputError, match="Equivalence needs a margin"):
        comparison(X, NAMES).equivalence()


def test_equivalence_across_metrics_is_one_family() -> None:
    cube = (np.random.default_rng(4).normal(size=(4, 30, 3)) * 0.2).round(2)
    cube[3] += 0.1
    table = Scores(cube, tuple("abcd"), tuple(map(str, range(30))), ("AP", "RR", "P"))
    made = compare(table, margin=0.12, across_metrics=True, trials=99)
    # R: p.adjust(p, "holm") of the larger of t.test(d, mu = ±.12)'s one-sided p-values, 6 pairs by 3 metrics
    by_r = np.ones(18)
    by_r[[0, 3, 7, 10, 15]] = 0.4082064704523, 0.2928430476359, 0.2070282088145, 0.6932365065538, 0.2377082577206
    found = np.concatenate([one.equivalence() for one in made.by_metric])
    np.testing.assert_allclose(found, by_r, atol=1e-12)
    within = compare(table, margin=0.12, trials=99)
    assert np.all(found >= np.concatenate([one.equivalence() for one in within.by_metric]))
    assert "holm across metrics" in str(made)
    np.testing.assert_allclose(made.by().equivalence(0.12), within.by().equivalence())  # asked later, of one metric


def test_equivalence_in_standard_deviations_is_welleks() -> None:
    X = scores(0.02)
    found = comparison(X, NAMES, "t", margin_d=0.4)
    t = np.abs(found.test.statistic)
    plain = stats.ncf.cdf(t**2, 1, 39, 40 * 0.4**2)  # noncentral F
    np.testing.assert_allclose(found.equivalence(), corrected_p(plain, "holm"), rtol=1e-7)
    by_t = stats.nct.cdf(t, 39, 0.4 * np.sqrt(40)) - stats.nct.cdf(-t, 39, 0.4 * np.sqrt(40))
    np.testing.assert_allclose(found.equivalence(), corrected_p(by_t, "holm"), rtol=1e-9)
    assert "within ±0.4 standard deviations" in " ".join(metric_view(found).sentences)
    assert not dict(zip(found.pairs, found.equivalence() < 0.05, strict=True))["one", "four"]


def test_equivalence_in_standard_deviations_holds_its_level_at_the_margin() -> None:
    draws = np.random.default_rng(0).normal(0.5, size=(20_000, 20))
    p = standardized_equivalence_p(stats.ttest_1samp(draws, 0, axis=1).statistic, 20, 0.5)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.005)
    np.testing.assert_array_equal(standardized_equivalence_p(np.array([np.inf, -np.inf, 0.0]), 20, 0.5), [1, 1, 0])


def test_the_detectable_difference_is_found_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2))
    found = comparison(X, ("a", "b"), "t")
    size = found.detectable(0.8)[0] / (found.test.error[0] * np.sqrt(20))  # in standard deviations
    again = rng.normal(size=(20_000, 20)) + size
    share = np.mean(stats.ttest_1samp(again, 0, axis=1).pvalue < 0.05)
    assert share == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 20_000))


def test_effect_sizes_without_spread() -> None:
    x = scores()[:, :1]
    found = comparison(np.hstack([x, x, x + 1]), ("a", "b", "c"), "t")
    np.testing.assert_array_equal(found.effect, [0, np.nan, np.nan])


def test_wins_ties_and_losses_are_over_topics() -> None:
    X = np.array([[0.1, 0.2], [0.3, 0.3], [0.1 + 0.2, 0.3], [0.9, 0.1]])
    found = comparison(X, ("a", "b"), "t")
    assert (found.wins[0], found.ties[0], found.losses[0]) == (1, 2, 1)


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh", "by"])
def test_corrections_over_all_pairs(correction: str) -> None:
    X = scores()
    found = comparison(X, NAMES, "t", correction)
    np.testing.assert_array_equal(found.p, corrected_p(pvalues(X, "t").p, correction))
    assert found.simultaneous == (correction == "bonferroni")


def test_bonferroni_intervals_are_as_wide_as_the_number_of_pairs_asks() -> None:
    X = scores()
    found = comparison(X, NAMES, "t", "bonferroni")
    expected = stats.ttest_rel(X[:, 0], X[:, 3]).confidence_interval(1 - 0.05 / 6)
    assert (found.low[2], found.high[2]) == pytest.approx((expected.low, expected.high))
    np.testing.assert_array_equal((found.low > 0) | (found.high < 0), found.significant)


def test_max_t_corrects_any_test() -> None:
    X = scores()
    found = comparison(X, NAMES, "wilcoxon", "max-t", trials=500)
    family = pvalues(X, "max-t", trials=500)
    np.testing.assert_array_equal(found.p, family.p)
    np.testing.assert_array_equal(found.low, family.interval()[0])
    np.testing.assert_array_equal(found.test.p, pvalues(X, "wilcoxon").p)
    assert found.simultaneous


def test_groups_and_ranks_say_who_is_not_told_apart() -> None:
    found = comparison(scores(step=0.6), NAMES, trials=999)
    assert found.groups() == dict(zip(NAMES, "ccba", strict=True))
    best, worst = found.ranks()
    np.testing.assert_array_equal(best, [3, 3, 2, 1])
    np.testing.assert_array_equal(worst, [4, 4, 2, 1])
    assert [name for name, _ in found.ranked()[:2]] == ["four", "three"]
    np.testing.assert_array_equal(found.verdicts()[3], [1, 1, 1, 0])


def test_groups_may_overlap() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 1)) + 0.12 * np.arange(3) + 0.3 * rng.normal(size=(40, 3))
    found = comparison(X, ("low", "middle", "high"), "t")
    significant = {(0, 2)}
    assert {(i, j) for i, j, s in zip(found.test.i, found.test.j, found.significant, strict=True) if s} == significant
    assert list(found.groups().values()) == ["b", "a b", "a"]
    np.testing.assert_array_equal(found.ranks(), [[2, 1, 1], [3, 3, 2]])


@pytest.mark.parametrize("seed", range(5))
def test_two_systems_share_a_letter_exactly_when_their_pair_is_not_significant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 1)) + 0.25 * rng.normal(size=20) + rng.uniform(0.1, 1, 20) * rng.normal(size=(30, 20))
    found = comparison(X, [f"s{n}" for n in range(20)], "max-t-stepdown", trials=499)
    assert 0 < found.significant.sum() < len(found.p)
    letters = [set(each.split(" ")) for each in found.groups().values()]
    shared = [bool(letters[i] & letters[j]) for i, j in zip(found.test.i, found.test.j, strict=True)]
    np.testing.assert_array_equal(shared, ~found.significant)
    first = {letter: min(found.order.tolist().index(s) for s in range(20) if letter in letters[s]) for letter in "ab"}
    assert first["a"] == 0 <= first["b"]


def test_many_systems_get_a_matrix_and_letters_on_request() -> None:
    X = scores()[:, :1] + np.random.default_rng(1).random((40, 26))
    found = compare(scores_of(X, [f"s{n}" for n in range(26)]), test="t")
    plain, lettered = found.view(), found.view(letters=True)
    assert [table.name for table in plain.tables] == ["systems", "significance", "pairs"]
    assert "group" not in plain.tables[0].columns and "rank from" in plain.tables[0].columns
    assert [table.name for table in lettered.tables] == ["systems", "pairs"]
    assert "group" in lettered.tables[0].columns
    row = plain.tables[1].rows[0][-1].replace(" ", "")  # shown in tens
    assert len(row) == 26 and row[0] == "\\" and row.count("+") == plain.tables[0].rows[0][-2]


def test_significant_pairs_whose_interval_contains_0_are_counted() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 8)) + 0.4 * np.arange(8)
    found = compare(scores_of(X, "abcdefgh"), test="max-t-stepdown", trials=999)
    low, high = found.interval()
    odd = int(np.sum(found.by().significant & (low <= 0) & (high >= 0)))
    assert odd and f"{odd} significant pairs have an interval that includes 0" in str(found)


def test_a_plot_against_a_baseline_has_tested_pairs_only() -> None:
    found = compare(scores_of(scores(), NAMES), test="t", baseline="one")
    [(name, make)] = found.view().charts
    systems = make().to_dict()["layer"][1]["encoding"]["y"]["sort"]
    assert name == "intervals" and sorted(systems) == sorted({*NAMES} - {"one"})


def test_what_is_expected_by_chance_is_said_without_a_correction_only() -> None:
    found = comparison(np.random.default_rng(1).random((20, 5)), "abcde", "t")
    assert any("of 10 pairs that do not differ, 0.5 are expected below 0.05" in note for note in found.test.notes())
    assert not any("expected" in note for note in found.test.notes(corrected=True))


def test_letters_do_not_run_out() -> None:
    rng = np.random.default_rng(3)
    X = np.arange(40.0)[::-1] + 0.01 * rng.normal(size=(20, 40))
    found = comparison(X, [str(n) for n in range(40)], "t")
    groups = list(found.groups().values())
    assert groups[0] == "a" and groups[25] == "z" and groups[26] == "aa" and groups[39] == "an"


def test_a_baseline_is_what_others_are_measured_against() -> None:
    X = scores()
    found = comparison(X, NAMES, "t", "holm", baseline="three")
    np.testing.assert_array_equal(found.test.i, [0, 1, 3])
    np.testing.assert_allclose(found.test.difference, (X - X[:, [2]]).mean(axis=0)[[0, 1, 3]])
    assert len(found.p) == 3
    with pytest.raises(InputError, match="Groups need all pairs"):
        found.groups()


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        (("a", "b", "a", "c"), {}, "two systems 'a'"),
        (("a", "b"), {}, "need as many names"),
        (NAMES, {"baseline": "five"}, "no system 'five' to use as the baseline"),
        (NAMES, {"alpha": 5}, "alpha must be a number of at least 1e-15 and below 1"),
        (NAMES, {"test": "tukey", "correction": "holm"}, "needs no correction; found 'holm'"),
        (NAMES, {"test": "t", "correction": "x"}, "correction must be one of none"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(names: tuple[str, ...], options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        comparison(scores(), names, **options)  # type: ignore[arg-type]


def test_several_metrics_are_compared_as_each_alone() -> None:
    one, two = scores(), scores(0.1)
    both = Scores(np.stack([one.T, two.T], axis=2), NAMES, tuple(map(str, range(40))), ("nDCG@10", "AP"))
    test = PairedTest("max-t-stepdown", trials=300, seed=1)
    found = compare(both, test=test)
    assert found.metrics == ("nDCG@10", "AP") and found.means().shape == (4, 2)
    for metric in found.metrics:
        alone = compare(both, metric, test=test)
        np.testing.assert_array_equal(alone.by().p, found[metric].p)
        assert alone.groups() == found.groups(metric) and alone.ranked() == found.ranked(metric)
    assert compare(both, "map", test=test).metrics == ("AP",)  # any spelling
    with pytest.raises(InputError, match="no metric 'RR'"):
        compare(both, "RR")


def test_intervals_are_at_the_level_asked_for() -> None:
    found = compare(scores_of(scores(), NAMES), "AP", baseline="one", test=PairedTest("t"))
    assert found.pairs() == [("two", "one"), ("three", "one"), ("four", "one")]
    assert (np.array(found.interval()) == np.array(found.interval(0.95))).all()
    low, high = found.interval(0.99)
    assert (low < found.interval()[0]).all() and (high > found.interval()[1]).all()


def test_a_comparison_is_saved_with_its_settings() -> None:
    found = compare(scores_of(scores(), NAMES), test="tukey", trials=200, seed=5)
    again = result_from_json(result_json(found))
    assert again.settings.given == found.settings.given and again.settings.test == "tukey"
    assert again.groups() == found.groups() and again.by().test.test is found.by().test.test
    np.testing.assert_array_equal(again.interval()[0], found.interval()[0])


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 10**400])
def test_levels_outside_0_and_1_are_refused_whatever_their_size(alpha: float) -> None:
    with pytest.raises(InputError, match="alpha must be a number of at least 1e-15 and below 1; found "):
        compare(scores_of(scores(), NAMES), alpha=alpha)


def test_runs_with_the_same_scores_are_named_once() -> None:
    values = np.random.default_rng(0).random((6, 8, 2))
    values[[3, 4, 5]] = values[[0, 0, 1]]
    scores = Scores(values, tuple("ABCDEF"), tuple("12345678"), ("AP", "RR"))
    sentence = "5 of 6 systems have the same scores as another on every topic by every metric: A, D and E; B and F."
    assert [note for note in compare(scores).notes if "same scores" in note] == [sentence]
    assert [note for note in consistency(scores, splits=10).notes if "same scores" in note] == [sentence]
    two = compare(scores.select(systems=["A", "C", "D"]), "AP").notes
    assert [note for note in two if "same scores" in note] == ["A and D have the same scores on every topic."]
    assert not any("same scores" in note for note in compare(scores.select(systems=["A", "B", "C"])).notes)
