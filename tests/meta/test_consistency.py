"""Split-half consistency: recorded taus split by split, the jackknife, the papers' HSD, what cannot be ranked."""

from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.complete_scores import complete_scores
from irassay.meta.consistency import consistency, split_consistency
from irassay.meta.split_taus import split_halves
from irassay.parallel import context
from irassay.scores import Scores
from tests.support.collections import dynamic_domain, graded, simulated


def test_tau_of_sixty_recorded_splits(oracles: Path) -> None:
    folder = oracles / "meta" / "consistency"
    halves = np.loadtxt(folder / "splits_topic_in_first_half.csv", delimiter=",", skiprows=1).astype(bool)
    expected = np.loadtxt(folder / "tau_expected.csv", delimiter=",", skiprows=1)
    found = split_consistency(complete_scores(dynamic_domain(oracles), "Consistency"), halves, subsets=5)
    np.testing.assert_allclose(found.tau, expected, rtol=0, atol=1e-12)
    assert found.mean == pytest.approx(expected.mean(axis=0)) and found.sd == pytest.approx(
        expected.std(axis=0, ddof=1)
    )


def test_splits_are_halves_and_depend_on_the_seed_alone() -> None:
    first = split_halves(9, 500, seed=1)
    assert (first.sum(axis=1) == 4).all() and len(np.unique(first, axis=0)) > 100
    assert (first == split_halves(9, 500, seed=1)).all() and (first != split_halves(9, 500, seed=2)).any()
    assert first.mean(axis=0) == pytest.approx(4 / 9, abs=0.07)


def test_the_same_answer_for_any_number_of_jobs() -> None:
    scores = simulated(15, 20, 3)
    one = consistency(scores, splits=50, subsets=10)
    with context(jobs=2):
        two = consistency(scores, splits=50, subsets=10)
    assert (one.tau == two.tau).all() and (one.covariance == two.covariance).all()


def test_a_metric_alone_has_the_tau_it_has_in_company() -> None:
    scores = simulated(10, 16, 3)
    alone = consistency(scores.select(metrics=["m1"]), splits=40, subsets=10)
    assert (alone.tau[:, 0] == consistency(scores, splits=40, subsets=10).tau[:, 1]).all()


def test_less_noise_is_more_consistent_and_the_intervals_see_it() -> None:
    rng = np.random.default_rng(5)
    level, noise = np.linspace(0.3, 0.5, 20)[:, None], rng.standard_normal((20, 40))
    cube = np.stack([level + 0.05 * noise, level + 0.3 * rng.standard_normal((20, 40))], axis=2)
    found = consistency(Scores(cube, *(tuple(map(str, range(n))) for n in (20, 40)), ("quiet", "noisy")), splits=200)
    gap, low, high = found.difference("quiet", "noisy")
    assert found.ranked()[0][0] == "quiet" and 0 < low < gap < high
    assert (found.interval()[0] < found.mean).all() and (found.mean < found.interval()[1]).all()


def test_the_jackknife_tells_the_spread_over_samples_of_topics() -> None:
    rng = np.random.default_rng(3)
    level = rng.normal(0.4, 0.06, 30)[:, None]
    means, errors = [], []
    for _ in range(40):
        values = level + 0.15 * rng.standard_normal((30, 30))
        scores = Scores(values[:, :, None], *(tuple(map(str, range(30))) for _ in range(2)), ("AP",))
        found = consistency(scores, splits=100, subsets=60)
        means.append(found.mean[0])
        errors.append(found.error[0])
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(means), rel=0.4)


@pytest.mark.parametrize("topics", [8, 20])  # every subset, and some
def test_the_monte_carlo_error_is_how_much_the_ends_vary_with_the_seed(topics: int) -> None:
    scores = simulated(10, topics, 1)
    found = [consistency(scores, splits=100, subsets=60, seed=seed) for seed in range(30)]
    mean_error = np.mean([each.monte_carlo_error()[0] for each in found])
    for end in (0, 1):
        assert mean_error == pytest.approx(np.std([each.interval()[end][0] for each in found], ddof=1), rel=0.35)
    wide, narrow = found[0].monte_carlo_error(0.99), found[0].monte_carlo_error(0.5)
    assert wide[0] > narrow[0] > 0


def test_the_papers_test_over_splits_within_a_browsing_model() -> None:
    model = "RBP(end='stop')@10"
    metrics = (
        model,
        "RBP(A='ETG',end='stop')@10",
        "RBP(A='MAX',end='stop')@10",
        "SDCG(end='stop')@10",
        "SDCG(A='MAX',end='stop')@10",
        "theirs",
    )
    scores = graded(12, 20, 10, 0, metrics[:-1])
    cube = np.concatenate([scores.values, np.random.default_rng(0).random((12, 20, 1))], axis=2)
    scores = Scores(cube, scores.systems, scores.topics, metrics)
    found = consistency(scores, splits=100, compat=True, group_by="browse", subsets=5)
    assert found.compared and found.group == ("RBP@10",) * 3 + ("SDCG@10",) * 2 + ("",)
    assert found.p[0, 1] == 1  # the same ranking, so the same tau on every split
    assert np.isnan(found.p[0, 3]) and np.isnan(found.p[5]).all() and np.isnan(found.p.diagonal()).all()
    beats = found.beats()
    assert (beats <= [2, 2, 2, 1, 1, 0]).all() and beats[0] == beats[1] >= 1
    assert any("shrink without bound" in note for note in found.notes)
    assert any("depend on the metrics included" in note for note in found.notes)
    assert any("1 metric has no other metric of the same group" in note for note in found.notes)
    together = consistency(scores, splits=100, compat=True, subsets=5)
    assert together.p[0, 5] < 0.05
    assert together.p[0, 2] > found.p[0, 2]  # the random scores in their company raise the threshold, as the note says
    plain = consistency(scores, splits=100, subsets=5)
    assert not plain.compared and not any("shrink" in note for note in plain.notes)


def test_beats_counts_from_the_worst_up() -> None:
    found = consistency(simulated(8, 12, 4), splits=10, compat=True, subsets=5)
    tau = np.tile([0.9, 0.5, 0.45, 0.1], (10, 1)) + np.linspace(-0.01, 0.01, 10)[:, None]
    p = np.full((4, 4), 0.001)
    p[1, 2] = p[2, 1] = 0.5
    np.fill_diagonal(p, np.nan)
    from dataclasses import replace

    assert replace(found, tau=tau, p=p).beats().tolist() == [3, 1, 1, 0]


def test_a_constant_metric_is_flagged_and_ranked_last() -> None:
    values = simulated(6, 8, 3).values.copy()
    values[:, :, 0] = 0.25
    found = consistency(
        Scores(values, tuple("abcdef"), tuple("12345678"), ("flat", "AP", "RR")), splits=30, compat=True
    )
    assert np.isnan(found.tau[:, 0]).all() and found.valid.tolist() == [0, 30, 30]
    assert found.ranked()[-1][0] == "flat" and np.isnan(found.mean[0]) and np.isnan(found.p[0]).all()
    assert not np.isnan(found.p[1, 2]) and any("Constant" in note and "flat" in note for note in found.notes)


def test_splits_in_which_all_systems_tie_are_left_out_and_counted() -> None:
    values = np.zeros((4, 6, 1))
    values[:, 0, 0] = [0.1, 0.2, 0.3, 0.4]  # systems differ on one topic only
    found = consistency(Scores(values, tuple("abcd"), tuple("123456"), ("RR",)), splits=20)
    assert found.valid[0] == 0 and any("20 of 20 splits" in note for note in found.notes)


def test_bad_requests_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="at least 4 topics"):
        consistency(simulated(5, 3, 1))
    with pytest.raises(InputError, match="at least 2 systems"):
        consistency(simulated(1, 8, 1))
    with pytest.raises(InputError, match="topics in both halves"):
        split_consistency(complete_scores(simulated(5, 8, 1), "Consistency"), np.ones((3, 8), dtype=bool))


def test_groups_are_for_the_papers_test_only() -> None:
    with pytest.raises(InputError, match="group_by works only with compat"):
        consistency(simulated(5, 8, 1), splits=5, group_by="browse")
