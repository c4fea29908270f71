"""Scales of systems: by a plain loop, free of what topics share, and a test of equal scales against scipy's."""

import numpy as np
import pytest
from scipy.stats import f_oneway

from irassay.stats.paired import sample
from irassay.stats.skewed_scales import equal_scales_p, scale_ratio, skew_misleads


def test_the_scales_are_those_of_the_systems_whatever_topics_share() -> None:
    rng = np.random.default_rng(0)
    scales = np.array([1.0, 2.0, 4.0])
    table = scales * rng.normal(size=(40_000, 3)) + 10 * rng.normal(size=(40_000, 1)) + np.arange(3)
    low, high = np.quantile(scales, (0.1, 0.9))
    assert scale_ratio(table) == pytest.approx(high / low, rel=0.05)
    assert scale_ratio(table[:, :1] * [1, 1]) == 1 and scale_ratio(np.zeros((5, 4))) == 1


def test_two_systems_are_tested_like_a_paired_t_of_their_deviations() -> None:
    table = np.random.default_rng(1).exponential(size=(30, 2)) * [1, 2]
    z = np.abs(table - np.median(table, axis=0))
    gap = z[:, 0] - z[:, 1]
    t = gap.mean() / (gap.std(ddof=1) / np.sqrt(30))
    from scipy.special import stdtr

    assert equal_scales_p(table) == pytest.approx(2 * stdtr(29, -abs(t)))


def test_p_of_equal_scales_is_near_that_without_blocks_if_topics_share_nothing() -> None:
    table = np.random.default_rng(2).normal(size=(400, 12)) * np.linspace(1, 1.1, 12)
    deviation = table - table.mean(axis=1, keepdims=True)
    z = np.abs(deviation - np.median(deviation, axis=0))
    assert equal_scales_p(table) == pytest.approx(f_oneway(*z.T).pvalue, abs=0.02)
    assert equal_scales_p(np.ones((5, 3))) == 1


@pytest.mark.parametrize(
    ("scale", "skewed", "low", "high"), [(8, True, 0.85, 1), (4, True, 0.85, 1), (1, True, 0, 0.1), (8, False, 0, 0.1)]
)
def test_harmful_scores_are_found_and_harmless_ones_left_alone(
    scale: float, skewed: bool, low: float, high: float
) -> None:
    rng = np.random.default_rng(3)
    warned = []
    for _ in range(60):
        draw = rng.exponential(size=(15, 30)) if skewed else rng.normal(size=(15, 30))
        pairs = sample((np.linspace(1, scale, 15)[:, None] * draw + rng.normal(size=30))[:, :, None])
        warned.append(skew_misleads(pairs, 0, scale_ratio(pairs.values[0])))
    assert low <= np.mean(warned) <= high
