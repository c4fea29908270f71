"""Several metrics as one family: the largest t of all pairs by all metrics under the same signs."""

import itertools
from typing import Any

import numpy as np
import pytest

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.meta.comparison import compare
from irassay.scores import Scores
from irassay.stats.corrections import corrected_p


def scores_by(cube: Floats) -> Scores:
    """Scores [system, topic, metric] under plain names."""
    systems, topics, metrics = cube.shape
    names = ([f"{kind}{n}" for n in range(count)] for kind, count in (("s", systems), ("", topics), ("M", metrics)))
    return Scores(cube, *(tuple(each) for each in names))


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown"])
def test_max_t_is_what_trying_every_sign_of_all_metrics_gives(test: Any) -> None:
    cube = np.random.default_rng(4).random((3, 9, 2)).round(2) + 0.1 * np.arange(3)[:, None, None]
    pairs = list(itertools.combinations(range(3), 2))
    gap = np.array([cube[i, :, m] - cube[j, :, m] for i, j in pairs for m in range(2)])  # [pair and metric, topic]
    flipped = np.array([gap * signs for signs in itertools.product((1, -1), repeat=9)])
    t = np.abs(flipped.mean(axis=2)) / (flipped.std(axis=2, ddof=1) / 3)
    expected, so_far, left = np.empty(6), 0.0, list(np.argsort(-t[0]))
    while left:
        among = left if test == "max-t-stepdown" else slice(None)
        so_far = max(so_far, float(np.mean(t[:, among].max(axis=1) >= t[0, left[0]] - 1e-9)))
        expected[left.pop(0)] = so_far
    found = compare(scores_by(cube), test=test, across_metrics=True)
    np.testing.assert_allclose(np.stack([one.p for one in found.by_metric], axis=1).ravel(), expected)
    both, alone = (compare(scores_by(cube), test=test, across_metrics=across).interval() for across in (True, False))
    assert np.all(both[0] <= alone[0]) and np.all(both[1] >= alone[1])


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", "by"])
def test_corrections_are_over_all_pairs_and_metrics(correction: Any) -> None:
    scores = scores_by(np.random.default_rng(4).random((4, 20, 3)) + 0.1 * np.arange(4)[:, None, None])
    plain = np.stack([one.p for one in compare(scores, test="t").by_metric])
    found = compare(scores, test="t", correction=correction, across_metrics=True)
    np.testing.assert_allclose(
        np.stack([one.p for one in found.by_metric]), corrected_p(plain.ravel(), correction).reshape(3, 6)
    )
    if correction == "bonferroni":
        one = found.by()
        np.testing.assert_array_equal((one.low > 0) | (one.high < 0), one.significant)


def test_a_comparison_says_how_many_tests_were_made_and_what_they_are_corrected_for() -> None:
    scores = scores_by(np.random.default_rng(4).random((3, 12, 2)))
    assert "6 tests were made, 3 for each of 2 metrics" in str(compare(scores).view())
    assert "corrected for all of them together" in str(compare(scores, across_metrics=True).view())
    assert "not corrected for their number" in str(compare(scores, test="t").view())


@pytest.mark.parametrize(
    ("test", "words"), [("tukey", "metric's own unit"), ("t", "across_metrics needs a correction")]
)
def test_what_cannot_hold_across_metrics_is_refused(test: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        compare(scores_by(np.random.default_rng(4).random((3, 12, 2))), test=test, across_metrics=True)


@pytest.mark.parametrize("given", [{"across_metrics": True}, {"alternative": "less"}])
def test_human_and_model_judgements_together_take_neither(given: Any) -> None:
    scores = scores_by(np.random.default_rng(4).random((3, 12, 2)))
    with pytest.raises(InputError, match="two-sided and within each metric only"):
        compare(scores, also_scores=scores, **given)


def test_the_whole_table_errs_as_seldom_as_it_should() -> None:
    wrong = {True: 0, False: 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        shared = rng.normal(size=(4, 25, 1))
        scores = scores_by(0.6 * shared + 0.8 * rng.normal(size=(4, 25, 4)))  # metrics that correlate
        for across in wrong:
            found = compare(scores, across_metrics=across, trials=199, seed=seed)
            wrong[across] += any(one.significant.any() for one in found.by_metric)
    assert wrong[True] / 200 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200) < wrong[False] / 200
