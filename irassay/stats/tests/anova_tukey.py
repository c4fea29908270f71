"""Tukey's HSD after a two-way analysis of variance."""

from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Floats
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Outcome, Sample
from irassay.stats.studentized_range import range_critical, range_tail

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest


def critical_range(alpha: float, systems: int, topics: int) -> float:
    """The studentised range that is exceeded with probability alpha if no systems differ."""
    return range_critical(alpha, systems, (systems - 1) * (topics - 1))


@paired_test(
    "anova-tukey",
    "tukey1949",
    "family one_threshold",
    label="Tukey HSD test after a two-way analysis of variance",
    short="Tukey HSD",
    critical=critical_range,
    one_pair_test="t",
    caveat="Tukey's HSD assumes that all systems have the same variance; its threshold depends on the runs included.",
)
def anova_tukey(sample: Sample, test: "PairedTest") -> Outcome:
    """Is the difference larger than the studentised range after a two-way analysis of variance (Tukey's HSD)?

    It assumes normal residuals with the same variance for all systems: with equal means, two noisy systems and 18
    stable ones, 32 % of families had a false difference instead of 5 %.
    """
    topics, systems = sample.topics, sample.systems
    freedom = (systems - 1) * (topics - 1)
    variance = np.array([residual_variance(table) for table in sample.values])
    variance[variance <= (sample.noise * sample.span) ** 2] = 0.0
    unit = np.repeat(np.sqrt(variance / topics)[:, None], len(sample.i), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(sample.difference == 0, 0.0, np.abs(sample.difference) / unit)
    p = np.clip(range_tail(q.ravel(), systems, freedom), 0.0, 1.0).reshape(q.shape)  # which is off by 1e-14
    return Outcome(q, np.where(unit > 0, p, sample.with_sign_flip_p(p)), unit)


def residual_variance(table: Floats) -> float:
    """The mean square that topics and systems leave unexplained in a table [topic, system].

    >>> residual_variance(np.array([[1.0, 2.0], [3.0, 5.0]]))
    0.25
    """
    topics, systems = table.shape
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return float((residual**2).sum() / ((topics - 1) * (systems - 1)))
