"""The level at which a plan tests each pair so that the family is at alpha."""

import math
from dataclasses import replace

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.stats.paired_sample import Sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.power import t_level, topics_for_sign_flips

FEW_TOPICS = 15  # below this number of topics a test by signs has few possible p-values, so levels are simulated
DRAW_TRIALS = 999  # resamples for each sample of topics


def pair_levels(test: PairedTest, pairs: Sample, alpha: float, residual: Floats) -> Floats:
    """[metric] the level of each pair at which the family is at alpha on these topics.

    It is at least Bonferroni's, alpha divided by the number of pairs, which few topics may not reach. A critical value
    in the unit of the metric, by the spread of all systems, is converted to standard errors of a normal mean pair.
    """
    bonferroni = alpha / (len(pairs.i) * (pairs.metrics if pairs.united else 1))
    if not test.corrects:
        return np.full(pairs.metrics, alpha)
    if test.correction not in ("none", "max-t"):
        return np.full(pairs.metrics, bonferroni)
    return np.clip(_family_level(test, pairs, alpha, residual, bonferroni), bonferroni, alpha)


def _family_level(test: PairedTest, pairs: Sample, alpha: float, residual: Floats, default: float) -> Floats:
    """[metric] the level of a t-test that has the family's critical value."""
    joint = test.interval_tests(test.pair_tests(pairs, intervals=False), pairs)
    if joint.exact and alpha * joint.trials <= 1:
        return np.zeros(pairs.metrics)
    if joint.test.studentized:
        critical = np.broadcast_to(joint.critical(alpha), (pairs.metrics,))
        return t_level(critical, pairs.topics - 1, pairs.sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        critical = joint.threshold(alpha).max(axis=0) / np.sqrt(2 * residual / pairs.topics)
    return np.where(np.isfinite(critical), t_level(critical, math.inf), default)


def few_topic_levels(test: PairedTest, pairs: Sample, alpha: float, residual: Floats) -> Floats:
    """[metric, topics] as `pair_levels`, for 0 to FEW_TOPICS - 1 topics drawn with replacement; 0: none is significant.

    The median over several draws, more of them if there are few pairs.
    """
    tests = len(pairs.i) * (pairs.metrics if pairs.united else 1)
    possible = can_be_significant(test, alpha, tests, pairs.sides)
    if not test.corrects or test.correction not in ("none", "max-t"):
        return np.where(possible, pair_levels(test, pairs, alpha, residual)[:, None], 0.0)
    quick = replace(test, trials=min(test.resamples, DRAW_TRIALS)) if find_test(test.test).resamples else test
    rng = np.random.default_rng(test.seed)
    levels = np.zeros((pairs.metrics, FEW_TOPICS))
    draws = min(15, max(3, 300 // tests))
    size = 1 if pairs.united else draws  # samples that are tested together, like metrics
    for topics in np.flatnonzero(possible).tolist():
        drawn = pairs.values[:, rng.integers(0, pairs.topics, size=(draws, topics))].swapaxes(0, 1)
        by_draw = [  # [draw, metric] a few draws at a time
            _family_level(quick, _drawn_sample(pairs, drawn[start : start + size]), alpha, np.tile(residual, size), 0.0)
            for start in range(0, draws, size)
        ]
        levels[:, topics] = np.minimum(np.median(np.reshape(by_draw, (draws, pairs.metrics)), axis=0), alpha)
    return levels


def _drawn_sample(pairs: Sample, values: Floats) -> Sample:
    """The sample with these scores [draw, metric, topic, system], in which each draw of a metric is a metric."""
    flat = values.reshape(-1, *values.shape[2:])
    return replace(pairs, values=flat, exponent=np.tile(pairs.exponent, len(values)))


def can_be_significant(test: PairedTest, alpha: float, tests: int, sides: int) -> Bools:
    """[topics] whether a pair can be significant among this many tests, for 0 to FEW_TOPICS - 1 topics."""
    level = alpha if find_test(test.test).family or test.correction in ("none", "max-t") else alpha / tests
    needed = topics_for_sign_flips(level, sides) if find_test(test.test).by_signs or test.correction == "max-t" else 2
    return np.arange(FEW_TOPICS) >= needed
