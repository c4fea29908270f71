"""Skewed scores of unequal scale, which mislead most tests: the difference of two such scores is skewed itself."""

import numpy as np

from irassay.arrays import Floats
from irassay.stats.paired import Sample

SKEWED = 0.4  # median |skewness| of the pairs from which tests err, plus its own error
MIN_TOPICS = 25  # with fewer topics the scales cannot be compared, and skewness alone counts
MIN_RATIO, LEVEL = 2.0, 0.05  # scales are unequal from this ratio on, if it is significant


def skew_misleads(sample: Sample, metric: int, ratio: float) -> bool:
    """Whether the scores are skewed and of unequal scale (`scale_ratio`), so that most tests err too often.

    Skewness alone does no harm: the difference of two skewed scores of equal scale is symmetric.
    """
    skewness = float(np.median(np.abs(sample.skewness[metric])))
    if sample.topics < MIN_TOPICS:
        return skewness >= SKEWED
    error = np.sqrt(6 / sample.topics) / sample.systems  # about that of the median over pairs that share systems
    return bool(skewness >= SKEWED + error and ratio >= MIN_RATIO and equal_scales_p(sample.values[metric]) < LEVEL)


def scale_ratio(table: Floats) -> float:
    """The 90 % quantile of the systems' standard deviations over the 10 % quantile, of scores [topic, system].

    They are free of what topics have in common [grubbs1948]: with v the variances about topic means and S their sum,
    each system's own is (v - S/(K(K-1))) / (1 - 2/K). Two systems have those of their scores.

    >>> normal = np.random.default_rng(0).normal
    >>> round(scale_ratio(normal(size=(50_000, 1)) + [1, 2, 4] * normal(size=(50_000, 3))), 1)
    3.0
    """
    systems = table.shape[1]
    variance = _deviations(table).var(axis=0)
    if systems > 2:
        total = variance.sum()
        variance = np.maximum(
            (variance - total / (systems * (systems - 1))) / (1 - 2 / systems), 0.01 * total / systems
        )
    low, high = np.quantile(np.sqrt(variance), (0.1, 0.9)).tolist()
    return high / low if low > 0 else np.inf if high > 0 else 1.0


def equal_scales_p(table: Floats) -> float:
    """p that all systems have the same spread, of scores [topic, system]: Brown and Forsythe's test, with topics as
    blocks [brown1974].
    """
    from scipy.special import fdtrc

    deviation = _deviations(table)
    z = np.abs(deviation - np.median(deviation, axis=0))
    topics, systems = z.shape
    between = topics * ((z.mean(axis=0) - z.mean()) ** 2).sum() / (systems - 1)
    residual = z - z.mean(axis=0) - z.mean(axis=1, keepdims=True) + z.mean()
    freedom = (systems - 1) * (topics - 1)
    within = (residual**2).sum() / freedom
    return float(fdtrc(systems - 1, freedom, between / within)) if within > 0 else float(between == 0)


def _deviations(table: Floats) -> Floats:
    """[topic, system] the scores minus topic means; of two systems, whose deviations would be equal, the scores."""
    return table - table.mean(axis=1, keepdims=True) if table.shape[1] > 2 else table
