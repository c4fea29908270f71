"""Scales of systems: by a plain loop, free of what topics share, and a test of equal scales against scipy's."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_rel

from irassay.arrays import Floats
from irassay.stats.paired import sample
from irassay.stats.skewed_scales import equal_scales_p, l_skewness, scale_ratio, skew_misleads, skewness_by_scale


def test_the_scales_are_those_of_the_systems_whatever_topics_share() -> None:
    rng = np.random.default_rng(0)
    scales = np.array([1.0, 2.0, 4.0])
    table = scales * rng.normal(size=(40_000, 3)) + 10 * rng.normal(size=(40_000, 1)) + np.arange(3)
    low, high = np.quantile(scales, (0.1, 0.9))
    assert scale_ratio(table) == pytest.approx(high / low, rel=0.05)
    assert scale_ratio(table[:, :1] * [1, 1]) == 1 and scale_ratio(np.zeros((5, 4))) == 1


def distances(table: Floats) -> Floats:
    """From the systems' medians; the largest 5 % are drawn in."""
    z = np.abs(table - np.median(table, axis=0))
    return np.minimum(z, np.quantile(z, 0.95))


def test_two_systems_are_tested_like_a_paired_t_of_their_distances() -> None:
    table = np.random.default_rng(1).exponential(size=(30, 2)) * [1, 2]
    z = distances(table)
    assert equal_scales_p(table) == pytest.approx(ttest_rel(z[:, 0], z[:, 1]).pvalue)


def test_p_of_equal_scales_is_near_that_without_blocks_if_topics_share_nothing() -> None:
    table = np.random.default_rng(2).normal(size=(400, 12)) * np.linspace(1, 1.1, 12)
    tables = table, table - np.median(table, axis=1, keepdims=True)
    assert equal_scales_p(table) == pytest.approx(min(f_oneway(*distances(x).T).pvalue for x in tables), abs=0.02)
    assert equal_scales_p(np.ones((5, 3))) == 1


def test_unequal_scales_show_whatever_topics_share() -> None:
    table = np.random.default_rng(4).exponential(size=(50, 8)) * np.linspace(1, 6, 8)
    assert equal_scales_p(table + 100 * np.random.default_rng(5).normal(size=(50, 1))) < 0.001


def l_skewness_of(values: list[float]) -> float:
    """From all triples and pairs, by the definition of L-moments as expected order statistics."""
    triples = [sorted(three) for three in combinations(values, 3)]
    third = np.mean([high - 2 * middle + low for low, middle, high in triples]) / 3
    second = np.mean([abs(a - b) for a, b in combinations(values, 2)]) / 2
    return float(third / second)


def test_l_skewness_is_that_of_all_triples() -> None:
    rows = np.random.default_rng(6).lognormal(size=(5, 11))
    assert l_skewness(rows) == pytest.approx([l_skewness_of(row.tolist()) for row in rows])
    assert l_skewness(np.ones((1, 4))).tolist() == [0]


def test_skewness_by_scale_is_the_mean_of_pairs_turned_to_the_larger_scale() -> None:
    table = np.random.default_rng(7).exponential(size=(20, 4)) * [1, 3, 2, 5]
    scale = distances(table).mean(axis=0)
    total = weights = 0.0
    for i, j in combinations(range(4), 2):
        weight = (scale[i] - scale[j]) / (scale[i] + scale[j])
        total += weight * l_skewness_of((table[:, i] - table[:, j]).tolist())
        weights += abs(weight)
    assert skewness_by_scale(sample(table.T[:, :, None]), 0) == pytest.approx(abs(total) / weights)
    assert skewness_by_scale(sample(np.ones((3, 5, 1))), 0) == 0


Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.exponential(size=shape)


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.normal(size=shape)


def zero_inflated(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return (rng.random(shape) < 0.7) * rng.lognormal(size=shape)


@pytest.mark.parametrize(
    ("draw", "scale", "systems", "topics", "low", "high"),
    [
        (exponential, 8, 15, 30, 0.85, 1),
        (exponential, 4, 15, 30, 0.85, 1),
        (exponential, 8, 5, 25, 0.85, 1),
        (exponential, 8, 2, 10, 0.8, 1),
        (exponential, 8, 2, 25, 0.85, 1),
        (exponential, 8, 3, 25, 0.85, 1),
        (exponential, 4, 3, 50, 0.85, 1),
        (zero_inflated, 5, 8, 25, 0.8, 1),
        (exponential, 1, 15, 30, 0, 0.1),
        (normal, 8, 15, 30, 0, 0.1),
        (normal, 8, 3, 25, 0, 0.1),
        (zero_inflated, 1, 5, 25, 0, 0.1),
        (zero_inflated, 1, 40, 25, 0, 0.1),
    ],
)
def test_harmful_scores_are_found_and_harmless_ones_left_alone(
    draw: Draw, scale: float, systems: int, topics: int, low: float, high: float
) -> None:
    rng = np.random.default_rng(3)
    warned = []
    for _ in range(60):
        own = np.linspace(1, scale, systems)[:, None] * draw(rng, (systems, topics))
        pairs = sample((own + rng.normal(size=topics))[:, :, None])
        warned.append(skew_misleads(pairs, 0, scale_ratio(pairs.values[0])))
    assert low <= np.mean(warned) <= high
