"""Limits of a change: equal to scipy's and R's formulas, and with the error rates that `check` promises."""

import numpy as np
import pytest
from scipy import stats

from irassay.stats.noninferiority import loss_limit, student_limits, topics_to_pass, unseen_share, worse_p


def test_students_limits_and_p_are_scipys() -> None:
    change = np.random.default_rng(1).normal(-0.01, 0.05, (3, 40))
    low, high = student_limits(change, 0.05)
    for m, row in enumerate(change):
        two_sided = stats.ttest_1samp(row, 0).confidence_interval(0.90)
        assert (low[m], high[m]) == (pytest.approx(two_sided.low), pytest.approx(two_sided.high))
        below = stats.ttest_1samp(row, -0.005, alternative="less")
        assert worse_p(change, 0.005)[m] == pytest.approx(below.pvalue)


def test_constant_changes_have_p_0_or_1() -> None:
    assert worse_p(np.array([[-0.1, -0.1], [0.1, 0.1]]), 0.005).tolist() == [0.0, 1.0]
    assert worse_p(np.array([[0.0, 0.0]]), 0.0).tolist() == [0.5]


@pytest.mark.parametrize("losses", [1, 2, 7, 30])
def test_the_limit_of_equal_losses_is_that_of_their_number(losses: int) -> None:
    change = np.zeros((1, 1000))
    change[0, :losses] = -0.25
    exact = stats.chi2.ppf(0.95, 2 * (losses + 1)) / 2  # of a Poisson count (Garwood 1936)
    assert loss_limit(change, 0.05)[0] == pytest.approx(-0.25 * exact / 1000)


def test_without_losses_the_limit_is_the_gain_and_unseen_ones_follow_the_rule_of_three() -> None:
    assert loss_limit(np.array([[0.0, 0.5]]), 0.05).tolist() == [0.25]
    assert (1 - unseen_share(1000, 0.05)) ** 1000 == pytest.approx(0.05, rel=0.01)


def test_the_topics_that_are_needed_give_the_power() -> None:
    rng = np.random.default_rng(2)
    change = rng.normal(0, 0.03, (1, 60))
    (topics,) = topics_to_pass(change, 0.005, 0.05)
    spread = change.std(ddof=1)
    low, _ = student_limits(rng.normal(0, spread, (4000, topics)), 0.05)
    assert np.mean(low > -0.005) == pytest.approx(0.8, abs=0.02)
    assert topics_to_pass(change, 0.0, 0.05).tolist() == [-1]
    assert topics_to_pass(np.zeros((1, 5)), 0.005, 0.05).tolist() == [2]
