"""Skewed scores of unequal scale, which mislead most tests: the difference of two such scores is skewed itself."""

import numpy as np

from irassay.arrays import Floats
from irassay.stats.paired import Sample

SKEWED = 0.4  # median |skewness| of the pairs from which tests err, plus its own error
MIN_TOPICS = 25  # with fewer topics the scales cannot be compared, and skewness alone counts
FEW_SYSTEMS = 8  # with fewer, unequal scales show less clearly
MIN_RATIO, MIN_RATIO_OF_FEW = 2.0, 1.5  # scales are unequal from this ratio on, if it is significant
LEVEL, LEVEL_OF_FEW = 0.03, 0.04  # of the test of equal scales, which long tails make err in up to 10 %
LONG_TAIL = 0.95  # deviations beyond this quantile are drawn in: the largest ones say little about the scale


def skew_misleads(sample: Sample, metric: int, ratio: float, by_ranks: bool = False) -> bool:
    """Whether the scores are skewed and of unequal scale (`scale_ratio`), so that most tests err too often.

    Skewness alone does no harm: the difference of two skewed scores of equal scale is symmetric. Tests `by_ranks` or
    signs err from a smaller ratio on.

    Measured with 25 topics, 150 to 300 tables a design (standard error at most 3): exponential, log-normal and
    zero-inflated log-normal scores whose scales go from 1 to 4, 5, 6 or 8 are found in 85 to 100 % of tables of 8 to 40
    systems, 80 to 96 % of 5, and 65 to 86 % of 2 or 3; with 50 topics in 90 to 100 % of all. Max-t-stepdown errs on
    them in 12 to 47, 9 to 19, and 6 to 12 % of families. Normal scores on any scales and exchangeable ones, skewed or
    not, are taken for them in about 10 %. Milder shapes are found less often (exponential scores on scales 1 to 2,
    scores like AP): max-t and t hold on them, but sign errs in 10 to 25 % and wilcoxon in up to 14 % with 50 topics.
    """
    skewness = float(np.median(np.abs(sample.skewness[metric])))
    if sample.topics < MIN_TOPICS:
        return skewness >= SKEWED - 0.3 / sample.systems  # few systems may hide it, and a warning costs little
    error = np.sqrt(6 / sample.topics) / max(1.4, sample.systems - 1)  # of the median of pairs, which share systems
    few = sample.systems < FEW_SYSTEMS
    least, level = MIN_RATIO_OF_FEW if few or by_ranks else MIN_RATIO, LEVEL_OF_FEW if few else LEVEL
    return bool(skewness >= SKEWED + error and ratio >= least and equal_scales_p(sample.values[metric]) < level)


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


def _brown_forsythe_p(table: Floats) -> float:
    """p of equal means of the distances from the systems' medians, with long tails drawn in."""
    from scipy.special import fdtrc

    z = np.abs(table - np.median(table, axis=0))
    z = np.minimum(z, np.quantile(z, LONG_TAIL))
    topics, systems = z.shape
    between = topics * ((z.mean(axis=0) - z.mean()) ** 2).sum() / (systems - 1)
    residual = z - z.mean(axis=0) - z.mean(axis=1, keepdims=True) + z.mean()
    freedom = (systems - 1) * (topics - 1)
    within = (residual**2).sum() / freedom
    return float(fdtrc(systems - 1, freedom, between / within)) if within > 0 else float(between == 0)
