"""Skewed scores of unequal scale, which mislead most tests: the difference of two such scores is skewed itself."""

import math

import numpy as np

from irassay.arrays import Floats
from irassay.stats.paired import Sample

SKEWED = 0.4  # median |skewness| of the pairs from which fewer than MIN_TOPICS topics are suspicious
MIN_TOPICS = 25  # with fewer topics the scales cannot be compared, and skewness alone counts
MIN_L_SKEWNESS = 0.06  # a smaller one does no harm, however certain it is; exponential scores have .33
CRITICAL = 1.7  # errors of the L-skewness; normal scores pass it in at most 10 % of tables
FEW_SYSTEMS = 10  # with fewer, unequal scales show less clearly
MIN_RATIO, MIN_RATIO_OF_FEW = 2.0, 1.5  # scales are unequal from this ratio on, if it is significant
LEVEL, LEVEL_OF_FEW, LEVEL_OF_TWO = 0.03, 0.05, 0.15  # of the test of equal scales
LONG_TAIL = 0.95  # deviations beyond this quantile are drawn in: the largest ones say little about the scale


def skew_misleads(sample: Sample, metric: int, ratio: float, by_ranks: bool = False) -> bool:
    """Whether the scores are skewed and of unequal scale (`scale_ratio`), so that most tests err too often.

    Skewness alone does no harm: the difference of two skewed scores of equal scale is symmetric. Tests `by_ranks` or
    signs err from a smaller ratio on.

    Measured with 25 topics (benchmarks/README.md; standard error at most 3): exponential, log-normal and zero-inflated
    log-normal scores on scales 1 to 8 are found in 89 to 100 % of tables. On scales 1 to 4 they are found in 93 to 100
    % of tables of 15 or 40 systems, 83 to 94 % of 8, and 58 to 83 % of 2 to 5; with 50 topics in 86 to 100 % of all.
    Normal scores on any scales, and skewed ones on equal scales, are taken for them in at most about 10 %. Milder
    shapes are found less often, such as exponential scores on scales 1 to 2, on which max-t and t hold two-sided.
    """
    if sample.topics < MIN_TOPICS:
        skewness = float(np.median(np.abs(sample.skewness[metric])))
        return skewness >= SKEWED - 0.4 / sample.systems  # few systems may hide it, and a warning costs little
    few = sample.systems < FEW_SYSTEMS
    level = LEVEL_OF_TWO if sample.systems == 2 else LEVEL_OF_FEW if few else LEVEL
    table = sample.values[metric]
    return bool(
        ratio >= (MIN_RATIO_OF_FEW if few or by_ranks else MIN_RATIO)
        and equal_scales_p(table) < level
        and skewness_by_scale(sample, metric) >= max(MIN_L_SKEWNESS, CRITICAL * _error(sample))
    )


def skewness_by_scale(sample: Sample, metric: int) -> float:
    """How skewed differences are in the direction of the larger scale: the mean L-skewness [hosking1990] of the pairs.

    Each pair is the system of larger scale minus the other, weighted by how much the scales differ. Skewed scores on
    unequal scales skew all these pairs in one direction, while noise has none.
    """
    scale = _distances(sample.values[metric]).mean(axis=0)
    total = scale[sample.i] + scale[sample.j]
    gap = np.divide(scale[sample.i] - scale[sample.j], total, out=np.zeros_like(total), where=total > 0)
    parts = (l_skewness(sample.differences(m, pairs)) for m, pairs in sample.chunks() if m == metric)
    weight = np.abs(gap).sum()
    return abs(float(gap @ np.concatenate(list(parts)) / weight)) if weight > 0 else 0.0


def l_skewness(x: Floats) -> Floats:
    """[row] the third L-moment over the second [hosking1990]: 0 if symmetric, 1/3 if exponential, within -1 to 1.

    One outlier changes it less than it changes the sample skewness.

    >>> l_skewness(np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]]))
    array([0., 1.])
    """
    topics = x.shape[1]
    place = np.arange(topics)
    second, third = place / (topics - 1), place * (place - 1) / ((topics - 1) * (topics - 2))
    ordered = np.sort(x, axis=1)
    spread, lean = ordered @ (2 * second - 1), ordered @ (6 * third - 6 * second + 1)
    return np.divide(lean, spread, out=np.zeros(len(x)), where=spread > 0)


def _error(sample: Sample) -> float:
    """The standard error of `skewness_by_scale` on normal scores, at most: that of as few independent pairs as can be.

    One pair's is known [hosking1990]. All pairs may share the baseline, or the smaller half of the systems.
    """
    independent = 1 if sample.baseline is not None else sample.systems // 2
    return math.sqrt((0.1866 / sample.topics + 0.8 / sample.topics**2) / independent)


def scale_ratio(table: Floats) -> float:
    """The 90 % quantile of the systems' standard deviations over the 10 % quantile, of scores [topic, system].

    They are free of what topics have in common [grubbs1948]: with v the variances about topic means and S their sum,
    each system's own is (v - S/(K(K-1))) / (1 - 2/K). Two systems have those of their scores.

    >>> normal = np.random.default_rng(0).normal
    >>> round(scale_ratio(normal(size=(50_000, 1)) + [1, 2, 4] * normal(size=(50_000, 3))), 1)
    3.0
    """
    systems = table.shape[1]
    centred = table - table.mean(axis=1, keepdims=True) if systems > 2 else table
    variance = centred.var(axis=0)
    if systems > 2:
        total = variance.sum()
        variance = np.maximum(
            (variance - total / (systems * (systems - 1))) / (1 - 2 / systems), 0.01 * total / systems
        )
    low, high = np.quantile(np.sqrt(variance), (0.1, 0.9)).tolist()
    return high / low if low > 0 else np.inf if high > 0 else 1.0


def equal_scales_p(table: Floats) -> float:
    """p that all systems have the same spread, of scores [topic, system]: the smaller of two by Brown and Forsythe's
    test with topics as blocks [brown1974], of the scores and of their deviations from the topics' medians.

    The second is free of what topics have in common, the first of the noise of a few systems' median.
    """
    medians = np.median(table, axis=1, keepdims=True)
    tables = (table, table - medians) if table.shape[1] > 2 else (table,)
    return min(_brown_forsythe_p(each) for each in tables)


def _distances(table: Floats) -> Floats:
    """[topic, system] of the scores from the systems' medians, with long tails drawn in."""
    z = np.abs(table - np.median(table, axis=0))
    return np.minimum(z, np.quantile(z, LONG_TAIL))


def _brown_forsythe_p(table: Floats) -> float:
    """p of equal means of the distances."""
    from scipy.special import fdtrc

    z = _distances(table)
    topics, systems = z.shape
    between = topics * ((z.mean(axis=0) - z.mean()) ** 2).sum() / (systems - 1)
    residual = z - z.mean(axis=0) - z.mean(axis=1, keepdims=True) + z.mean()
    freedom = (systems - 1) * (topics - 1)
    within = (residual**2).sum() / freedom
    return float(fdtrc(systems - 1, freedom, between / within)) if within > 0 else float(between == 0)
