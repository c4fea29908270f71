"""Sentences that must be true of ties, costs, single pairs, small samples and tests that do not compare means."""

from collections.abc import Sequence

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats
from irassay.meta.check import check
from irassay.meta.robustness.method import robustness_of_scores
from irassay.meta.satisfaction.method import satisfaction
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.meta.topics import topics_of
from irassay.scores import Scores
from irassay.views.view import view_of


def scores_of(values: Floats, metrics: Sequence[str] = ("AP",), **more: object) -> Scores:
    """Scores [system, topic] or [system, topic, metric] of the systems a, b, …"""
    cube = np.asarray(values, dtype=np.float64)
    cube = cube[:, :, None] if cube.ndim == 2 else cube
    topics = tuple(map(str, range(cube.shape[1])))
    return Scores(cube, tuple("abcdefgh"[: len(cube)]), topics, tuple(metrics), **more)


@pytest.fixture
def level() -> Floats:
    """[topic] scores to add differences to."""
    return np.random.default_rng(0).uniform(0.3, 0.6, 20)


def texts(result: object) -> str:
    """The sentences and notes of a result."""
    view = view_of(result)
    return "\n".join((*view.sentences, *map(str, view.notes)))


def test_a_test_of_signs_may_favour_the_system_with_the_lower_mean(level: Floats) -> None:
    small_wins = np.where(np.arange(20) < 3, -0.25, 0.01)  # 17 wins, and the lower mean
    pair = ia.compare(scores_of([level + small_wins, level]), test="sign")
    assert pair.by().verdicts()[0, 1] == 1 and pair.by().mean[0] < pair.by().mean[1]
    assert "The test (sign) is in favour of a: it does not compare means." in texts(pair)
    several = scores_of([level + small_wins, level, level - 0.1])
    assert "1 significant pair is in favour of the system without the better mean" in texts(
        ia.compare(several, test="sign")
    )
    assert "in favour of" not in texts(ia.compare(several, test="t"))
    assert "AP: 1 significant pair is in favour of" in texts(ia.table(several, test="sign"))
    table = view_of(ia.table(several, test="sign")).tables[0]
    beaten = {row[1]: table.raised.get((r, 2)) for r, row in enumerate(table.rows)}
    assert beaten == {"b": "3", "a": "1,3", "c": None}


def test_equal_means_are_equal_up_to_rounding(level: Floats) -> None:
    one_loss = np.where(np.arange(20) < 1, -0.19, 0.01)  # sums to 0
    assert "a and b have the same mean" in texts(ia.compare(scores_of([level + one_loss, level]), test="sign"))


def test_systems_that_share_the_best_mean_are_each_compared_with_the_others() -> None:
    draw = np.random.default_rng(5)
    top = draw.uniform(0.4, 0.8, 20)
    values = scores_of([draw.permutation(top), top, top - 0.05 + draw.normal(0, 0.01, 20), top - 0.3])
    found = ia.compare(values)
    below = (found.by().verdicts()[:2] > 0).all(axis=0).sum()
    assert below == 1  # c is below b, but not below a
    assert "a and b share the highest mean" in texts(found)
    assert "1 of 2 others is significantly below each of them." in texts(found)


def test_the_mean_of_a_cost_is_its_own() -> None:
    values = np.random.default_rng(1).uniform(20, 90, (3, 8))
    found = ia.compare(scores_of(values, ("cost",), higher_is_better=(False,)))
    best = int(values.mean(axis=1).argmin())
    assert f"{'abc'[best]} has the lowest mean, {values.mean(axis=1)[best]:.4f}" in texts(found)
    assert "lower is better for cost" in texts(found)
    means = [row[3] for row in view_of(found).tables[0].rows]
    assert means == pytest.approx(sorted(values.mean(axis=1)))


def test_what_is_counted_over_metrics_is_no_number_of_pairs() -> None:
    values = np.random.default_rng(5).normal(0.5, 0.1, (4, 20)) + np.linspace(0, 0.12, 4)[:, None]
    found = ia.compare(scores_of(np.stack([values, values], axis=2), ("AP", "AP2")), trials=1000)
    assert found.by().unsettled == 2
    assert "Over all metrics, 4 significant comparisons have an interval that includes 0" in texts(found)
    assert "Each metric finds" in texts(found)


def test_the_p_beside_a_verdict_on_equivalence_is_that_of_equivalence(level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.02, (3, 20))
    table = view_of(ia.compare(scores_of(level + noise), margin=0.05)).tables[1]
    assert table.brief[-2:] == ("equivalence p", "equivalent")
    assert table.title == "Pairs, closest to the decision on equivalence first"


@pytest.mark.parametrize(("alpha", "level_text"), [(0.05, "95%"), (0.001, "99.9%")])
def test_a_level_is_not_rounded_to_certainty(alpha: float, level_text: str, level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.02, (3, 20))
    paragraph = view_of(ia.compare(scores_of(level + noise), alpha=alpha), methods=True).methods
    assert f"are {level_text} intervals" in paragraph


def test_a_methods_paragraph_names_the_draws_of_a_correction_and_the_ends_of_intervals(level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.02, (3, 20))
    found = ia.compare(scores_of(level + noise), test="t", correction="max-t", alternative="greater")
    paragraph = view_of(found, methods=True).methods
    assert "We drew 10,000 resamples" in paragraph and "with one end" in paragraph


def test_a_difference_without_spread_has_no_interval_and_no_t_test(level: Floats) -> None:
    found = topics_of(scores_of([level + 0.1, level]), pair=("a", "b"))
    assert "+0.1000 on every topic" in texts(found) and "sign flips" in texts(found)
    assert "no interval" in texts(found) and "interval of the difference is" not in texts(found)


def test_topics_name_the_systems_tied_with_the_chosen_ones(level: Floats) -> None:
    values = scores_of([level, level[::-1], level - 0.1, level - 0.2])
    assert "a is the best of 3 other systems, tied with b" in texts(topics_of(values, baseline="c"))
    assert "tied with" not in texts(topics_of(values))  # a and b are the best two
    assert "these are the best two of 3 systems, tied with" in texts(topics_of(scores_of([level, level[::-1], level])))


def test_a_check_says_that_losses_beyond_the_tolerance_are_significant() -> None:
    old = np.random.default_rng(0).uniform(0.2, 0.8, 200)
    noise = np.random.default_rng(1).normal(0, 0.02, 200)
    worse = check(scores_of([old - 0.02 + noise, old]))
    assert view_of(worse).sentences[0] == "Failed: a loses significantly more than 0.005 against b by AP."
    lost = check(scores_of([old - 0.006 + noise - noise.mean(), old]), fail_on="worse")  # significantly below 0
    assert lost.limits[1][0] < 0 and lost.passed
    assert view_of(lost).sentences[0].startswith("Passed: a does not lose significantly more than 0.005 by any metric.")


def test_a_plan_names_all_metrics_that_need_the_fewest_topics(level: Floats) -> None:
    one = level + np.random.default_rng(2).normal(0, 0.05, (4, 20))
    other = level + np.random.default_rng(3).normal(0, 0.15, (4, 20))
    found = ia.plan(scores_of(np.stack([one, one, other], axis=2), ("AP", "AP2", "RR")))
    assert "by AP and AP2 (the fewest)." in texts(found)
    assert "tenth and ninetieth percentiles" in texts(found) and "two-sided paired t-test" in texts(found)
    assert texts(ia.plan(scores_of(one[:2]))).startswith("To detect a difference of 0.05, a pair of systems needs")
    saved = ia.plan(scores_of(one), model_correlation=0.8, model_topics=50)
    assert "If a model judges 50 further topics, people must judge" in texts(saved)


def test_a_single_pair_is_separated_or_not(level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.02, 20)
    values = scores_of(np.stack([[level + 0.1 + noise, level], [level + noise, level]], axis=2), ("AP", "RR"))
    sentence = view_of(ia.meta.discrimination(values)).sentences[0]
    assert sentence == "AP separates the two systems at 0.05 (step-down max-T); RR does not."


def test_metrics_tied_for_last_are_all_named(level: Floats) -> None:
    clear = level + np.linspace(0, 0.3, 5)[:, None]
    noise = level + np.random.default_rng(4).normal(0, 0.1, (5, 20))
    values = scores_of(np.stack([clear, noise, noise], axis=2), ("AP", "RR", "RR2"))
    assert "RR and RR2 are the least consistent" in texts(ia.meta.consistency(values, splits=50))
    assert "RR and RR2 have the lowest" in texts(ia.meta.generalizability(values))


def test_a_reference_metric_has_no_interval_of_its_own_gain(level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.05, (6, 20, 2))
    values = scores_of(level[:, None] + noise, ("nDCG@10", "AP"))
    table = view_of(ia.meta.alternatives(values, splits=50)).tables[0]
    low = table.columns.index("gain low")
    assert np.isnan(float(str(table.rows[0][low])))


def test_few_human_judged_topics_are_warned_of(level: Floats) -> None:
    noise = np.random.default_rng(2).normal(0, 0.05, (4, 20))
    model = scores_of(level + noise)
    for topics, is_warned in ((4, True), (6, False)):
        human = model.select(topics=model.topics[:topics])
        assert ("few topics" in texts(ia.compare(human, also_scores=model))) == is_warned


def test_values_of_one_table_only_are_told_from_values_that_differ(level: Floats) -> None:
    whole, holes = scores_of([level, level]), np.array([level, level])
    holes[0, :3] = np.nan
    sentences = view_of(ia.diff(whole, scores_of(holes))).sentences
    assert sentences[:2] == ("3 of 40 values differ.", "All of them are in one of the tables only.")


def test_comparisons_over_collections_are_not_counted_as_metrics() -> None:
    cube = np.random.default_rng(1).uniform(0, 1, (5, 12, 4))
    topics, names = tuple(map(str, range(12))), ("one",) * 6 + ("two",) * 6
    scores = Scores(cube, tuple("abcde"), topics, ("AP", "RR", "P@5", "P@10"), collection=names)
    [first, *_] = view_of(ia.meta.unanimity(scores, simple=("AP",), trials=200)).sentences
    assert "of 4 comparisons with others over 2 collections" in first


def test_pairs_without_spread_are_not_said_to_be_significant(level: Floats) -> None:
    found = ia.meta.discrimination(scores_of([level[:4], level[:4] + 0.1, level[:4] + 0.3]))
    assert not found.power(0.05).any() and "significantly different" not in texts(found)


def test_of_several_judgements_that_change_no_ranking_none_is_singled_out() -> None:
    values = np.linspace(0.2, 0.8, 4)[:, None] + np.random.default_rng(0).normal(0, 0.01, (4, 10))
    same, shifted = scores_of(values), scores_of(values + 0.01)
    [first, *_] = view_of(robustness_of_scores(same, [shifted, shifted])).sentences
    assert first.startswith("Under all the other judgements, AP preserves the ranking with a tau of 1.000.")
    turned = scores_of(values[::-1])
    [first, *_] = view_of(robustness_of_scores(same, [shifted, turned])).sentences
    assert first.startswith("Rankings change most under the judgements 'other 2', where AP has a tau of -1.000.")


def test_a_report_warns_of_all_metrics_by_whose_skewed_scores_the_test_errs() -> None:
    rng = np.random.default_rng(2)
    level, scale = rng.normal(size=(1, 30, 1)), np.linspace(1, 8, 8)[:, None, None]
    skewed, normal = scale * rng.exponential(size=(8, 30, 2)) + 4 * level, level + rng.normal(size=(8, 30, 1))
    values = scores_of(np.concatenate([normal, skewed], axis=2), ("fair", "long", "longer"))
    found = ia.assay(scores=values, main="fair", splits=20)
    assert "step-down max-T may err too often here: scores by long, longer seem skewed" in texts(found)


def test_topics_that_reverse_a_difference_are_told_from_those_that_make_it_0() -> None:
    level = np.array([0.5, 0.4, 0.3, 0.6, 0.5])
    for gain, sentence in ((-0.01, "reverses the difference"), (0.0, "makes the difference 0")):
        first = level + np.array([0.3, gain, gain, gain, gain])
        assert f"Removing topic 0 {sentence}." in texts(topics_of(scores_of([first, level])))


def test_a_metric_that_is_more_unanimous_than_all_others_is_said_to_be() -> None:
    rng = np.random.default_rng(0)
    simple = rng.uniform(size=(6, 40))
    near = simple + rng.normal(0, 0.02, (6, 40))
    values = np.stack([simple, near, rng.uniform(size=(6, 40)), rng.uniform(size=(6, 40))], axis=2)
    found = ia.meta.unanimity(scores_of(values, ("P", "near", "x", "y")), simple=("P",), trials=200)
    assert "That is significantly more than both others." in texts(found)


def test_topics_needed_that_no_metric_has_are_not_a_table_of_names(level: Floats) -> None:
    equal = ia.meta.generalizability(scores_of([level, level, level]))
    (needed,) = (table for table in view_of(equal).tables if table.name == "needed")
    assert needed.detail


def test_systems_of_one_team_have_no_share_of_pairs_between_teams(level: Floats) -> None:
    values = scores_of(level + np.linspace(0, 0.3, 3)[:, None] + np.random.default_rng(0).normal(0, 0.01, (3, 20)))
    one_team = ia.meta.discrimination(values, groups=dict.fromkeys("abc", "team"))
    assert "All systems are of one team" in texts(one_team) and "nan" not in texts(one_team)


def test_conclusions_from_labels_name_the_metric_if_there_are_several() -> None:
    draw = np.random.default_rng(3)
    human = {t: {f"d{d}": int(draw.random() < 0.4) for d in range(12)} for t in "pqrstuvw"}
    judge = {t: {d: g if draw.random() < 0.9 else 1 - g for d, g in docs.items()} for t, docs in human.items()}
    runs = {s: {t: {d: float(draw.random()) for d in docs} for t, docs in human.items()} for s in ("x", "y", "z")}
    by_two = texts(ia.judges(human, {"model": judge}, runs=runs, metrics=["nDCG@5", "AP"]))
    assert "significant differences by nDCG@5 (" in by_two and "the best system by nDCG@5: " in by_two
    assert "the best system: " in texts(ia.judges(human, {"model": judge}, runs=runs, metrics=["nDCG@5"]))


def test_a_cost_that_falls_is_not_said_to_change_by_a_positive_number(level: Floats) -> None:
    times = 30 + 10 * level + np.random.default_rng(1).normal(0, 0.01, (2, 20)) + np.array([[0.0], [4.0]])
    for new, old, how in (("a", "b", "improved by 3.99"), ("b", "a", "got worse by 3.99")):
        result = check(scores_of(times, ("time",), higher_is_better=(False,)), new=new, old=old)
        assert f"By time the mean {how}" in texts(result)
        assert old + " minus " + new in str(view_of(result).charts[0][1]().to_dict()["title"])


def test_metrics_that_are_equally_unanimous_are_named_together() -> None:
    rng = np.random.default_rng(0)
    simple = rng.uniform(size=(6, 40))
    near = simple + rng.normal(0, 0.02, (6, 40))
    values = np.stack([simple, near, near, rng.uniform(size=(6, 40))], axis=2)
    found = ia.meta.unanimity(scores_of(values, ("P", "near", "twin", "x")), simple=("P",), trials=200)
    assert "near and twin have a unanimity of" in texts(found)
    assert "That is significantly more than the other (bootstrap at 0.05)." in texts(found)
    twins = ia.meta.unanimity(scores_of(values[:, :, :3], ("P", "near", "twin")), simple=("P",), trials=200)
    assert "no metric is more unanimous than another" in texts(twins)


def test_a_correlation_that_may_be_0_or_is_negative_is_said_to_be(level: Floats) -> None:
    names, rating = tuple(f"u{n}" for n in range(20)), np.arange(20) % 5 + 1.0
    users = rating + np.random.default_rng(0).normal(0, 0.3, 20)

    def first_sentences(*metrics: Floats) -> str:
        cube = np.stack(metrics, axis=1)[None]
        scores = Scores(cube, ("s",), names, ("AP", "RR")[: len(metrics)])
        return texts(satisfaction(RatedUnits(scores, Ratings(names, rating, 1, 5)), trials=200))

    assert "AP correlates with the 20 ratings" in first_sentences(users)
    assert "AP correlates negatively with the 20 ratings" in first_sentences(-users)
    assert "No metric correlates positively with the 20 ratings; RR has the highest r" in first_sentences(
        -users, -users + 5 * level
    )
    nothing = np.random.default_rng(3).normal(size=20)
    assert "AP has r = " in first_sentences(nothing)
    assert "The 95% interval for AP includes 0, so there may be no correlation." in first_sentences(nothing)


def test_what_an_average_pair_needs_is_not_said_to_be_enough_for_all_pairs(level: Floats) -> None:
    values = scores_of(level + np.random.default_rng(2).normal(0, 0.05, (4, 20)))
    assert "If all 6 pairs are tested together (step-down max-T), an average pair needs " in texts(ia.plan(values))
    cube = level[None, :, None] + np.random.default_rng(2).normal(0, 0.05, (2, 20, 2))
    united = ia.plan(scores_of(cube, ("AP", "RR")), test="t", correction="holm", across_metrics=True)
    assert "If the pair is tested under all metrics together (paired t, holm), the pair needs " in texts(united)
