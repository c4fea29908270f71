"""Influence of topics, against plain loops and every subset."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from irassay.stats.influence import leave_one_out, sign_flipping_topics, student_p, verdict_flipping_topics

SAMPLES = [np.random.default_rng(seed).normal(0.4, 1.0, 9 + seed % 3).round(3) for seed in range(12)]
TABLES = [  # with outliers, ties and skew
    each
    for seed in range(12)
    for rng in [np.random.default_rng(seed)]
    for each in (
        rng.normal(0.8, 0.6, 10).round(1),
        rng.standard_t(2, 9) + 0.9,
        rng.exponential(1.0, 10) - 0.4,
        np.where(rng.random(10) < 0.5, 0.0, rng.choice([0.5, 1.0, -0.5], 10)),
    )
]


@pytest.mark.parametrize("d", SAMPLES)
def test_each_topic_left_out_is_the_test_of_the_others(d: np.ndarray) -> None:
    mean, t = leave_one_out(d)
    for i in range(len(d)):
        rest = np.delete(d, i)
        expected = stats.ttest_1samp(rest, 0.0)
        assert mean[i] == pytest.approx(rest.mean(), abs=1e-12)
        assert t[i] == pytest.approx(expected.statistic, abs=1e-9)
        assert student_p(t, len(d) - 1)[i] == pytest.approx(expected.pvalue, abs=1e-9)


def fewest(d: np.ndarray, turned: object) -> int:
    """The fewest removals after which the rest is as asked, by trying every subset; 0 where none is."""
    for k in range(1, len(d) - 1):
        if any(turned(np.delete(d, list(gone))) for gone in combinations(range(len(d)), k)):  # type: ignore[operator]
            return k
    return 0


@pytest.mark.parametrize("d", SAMPLES)
def test_the_sign_hangs_on_as_few_topics_as_every_subset_says(d: np.ndarray) -> None:
    way = np.sign(d.sum())
    lost = sign_flipping_topics(d)
    assert len(lost) == fewest(d, lambda rest: way * rest.sum() <= 0)
    if len(lost):
        assert way * np.delete(d, lost).sum() <= 0


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_verdict_is_turned_by_the_topics_named_and_by_no_fewer_than_said(alpha: float) -> None:
    exact = found = 0
    for d in (*SAMPLES, *TABLES):
        way = 1.0 if d.sum() >= 0 else -1.0

        def significant(rest: np.ndarray, way: float = way) -> bool:
            if np.ptp(rest) == 0:  # p is that of the signs
                return bool(way * rest[0] > 0 and 2.0 ** (1 - len(rest)) < alpha)
            t = way * rest.mean() / (rest.std(ddof=1) / np.sqrt(len(rest)))
            return bool(t > stats.t.isf(alpha / 2, len(rest) - 1))

        change = verdict_flipping_topics(d, alpha)
        whole = significant(d)
        true = fewest(d, lambda rest, whole=whole, test=significant: test(rest) != whole)  # type: ignore[misc]
        if change.possible:
            assert significant(np.delete(d, change.removed)) != whole
            assert change.at_least <= true <= len(change.removed)
        assert not change.smallest or true == len(change.removed)
        assert change.at_least or not true  # 0: no removal does
        exact += change.smallest
        found += true > 0
    assert exact >= (0.95 if alpha == 0.05 else 0.85) * found


def test_equal_differences_have_no_spread_and_a_single_sign() -> None:
    mean, t = leave_one_out(np.full(4, 0.25), span=1.0)
    assert (mean == 0.25).all() and np.isinf(t).all()
    assert (
        not len(sign_flipping_topics(np.full(4, 0.25))) and not verdict_flipping_topics(np.full(4, 0.25), 0.05).possible
    )


def test_what_is_left_of_rounding_without_a_topic_is_no_mean_and_no_spread() -> None:
    """Without the last one 0.1, -0.3 and 0.2 cancel but for 2.8e-17; 0.1 + 0.2 is 0.3 but for 5.6e-17."""
    mean, t = leave_one_out(np.array([0.1, -0.3, 0.2, 0.5]), span=1.0)
    assert mean[3] == 0 and t[3] == 0 and (mean[:3] > 0).all()
    mean, t = leave_one_out(np.array([0.1 + 0.2, 0.3, 0.3, 0.3]), span=1.0)
    assert mean == pytest.approx(0.3) and np.isposinf(t).all()


def test_others_that_are_all_equal_have_no_spread_however_far_the_one_left_out() -> None:
    for far in (0.9, -0.9, 1e6):
        mean, t = leave_one_out(np.array([0.3, 0.3, far, 0.3]), span=1.0)
        assert mean[2] == pytest.approx(0.3) and np.isposinf(t[2]) and np.isfinite(np.delete(t, 2)).all()


def test_a_mean_of_0_has_no_sign_whether_it_is_one_exactly_or_but_for_rounding() -> None:
    assert sign_flipping_topics(np.array([0.1, 0.5, -0.1])).tolist() == [1]
    assert sign_flipping_topics(np.array([0.1, 0.2, 0.5, -0.3])).tolist() == [2]
    assert sign_flipping_topics(np.array([-0.1, -0.2, -0.5, 0.3])).tolist() == [2]


def test_equal_differences_lose_their_verdict_with_the_number_that_their_signs_need() -> None:
    """Eight differences of one sign have a p of 1/128, five of 1/16; t is infinite for any number of them."""
    change = verdict_flipping_topics(np.full(8, 0.25), 0.05)
    assert len(change.removed) == change.at_least == 3 and change.smallest


def test_equal_differences_too_few_for_a_verdict_do_not_hide_others_that_have_one() -> None:
    """Of all stretches three times 0.25 has the largest t, and a p of 1/4; the three small ones one of 0.003."""
    d = np.array([5, 0.25, 0.25, 0.25, 0.0012, 0.0011, 0.001, -4.9])
    change = verdict_flipping_topics(d, 0.05)
    kept = np.delete(d, change.removed)
    assert sorted(kept.tolist()) == [0.001, 0.0011, 0.0012]
    assert stats.ttest_1samp(kept, 0).pvalue < 0.05
