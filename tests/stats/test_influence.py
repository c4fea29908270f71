"""Influence of topics, against plain loops and every subset."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from irassay.stats.influence import p_of, sign_lost, verdict_lost, without_each

SAMPLES = [np.random.default_rng(seed).normal(0.4, 1.0, 9 + seed % 3).round(3) for seed in range(12)]


@pytest.mark.parametrize("d", SAMPLES)
def test_each_topic_left_out_is_the_test_of_the_others(d: np.ndarray) -> None:
    mean, t = without_each(d)
    for i in range(len(d)):
        rest = np.delete(d, i)
        told = stats.ttest_1samp(rest, 0.0)
        assert mean[i] == pytest.approx(rest.mean(), abs=1e-12)
        assert t[i] == pytest.approx(told.statistic, abs=1e-9)
        assert p_of(t, len(d) - 1)[i] == pytest.approx(told.pvalue, abs=1e-9)


def fewest(d: np.ndarray, turned: object) -> int:
    """The fewest removals after which the rest is as asked, by trying every subset; 0 where none is."""
    for k in range(1, len(d) - 1):
        if any(turned(np.delete(d, list(gone))) for gone in combinations(range(len(d)), k)):  # type: ignore[operator]
            return k
    return 0


@pytest.mark.parametrize("d", SAMPLES)
def test_the_sign_hangs_on_as_few_topics_as_every_subset_says(d: np.ndarray) -> None:
    way = np.sign(d.sum())
    lost = sign_lost(d)
    assert len(lost) == fewest(d, lambda rest: way * rest.sum() <= 0)
    if len(lost):
        assert way * np.delete(d, lost).sum() <= 0


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("d", SAMPLES)
def test_the_verdict_is_turned_by_the_topics_named_and_by_no_fewer_than_said(d: np.ndarray, alpha: float) -> None:
    way = np.sign(d.sum())

    def significant(rest: np.ndarray) -> bool:
        told = stats.ttest_1samp(way * rest, 0.0)
        return bool(told.pvalue < alpha and told.statistic > 0)

    change = verdict_lost(d, alpha)
    whole = significant(d)
    true = fewest(d, lambda rest: significant(rest) != whole)
    if change.possible:
        assert significant(np.delete(d, change.removed)) != whole
        assert change.at_least <= true <= len(change.removed)
    assert not change.smallest or true == len(change.removed)


def test_equal_differences_have_no_spread_and_a_single_sign() -> None:
    mean, t = without_each(np.full(4, 0.25), span=1.0)
    assert (mean == 0.25).all() and np.isinf(t).all()
    assert not len(sign_lost(np.full(4, 0.25))) and not verdict_lost(np.full(4, 0.25), 0.05).possible
