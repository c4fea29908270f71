"""At which level a plan tests each pair for the family to be at alpha, and what no plan can be made for."""

import math
from dataclasses import replace

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.metrics.grammar import parse
from irassay.scores import Scores
from irassay.stats.paired import Sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.power import t_level, topics_for_sign_flips

FEW_TOPICS = 15  # topics, below which a test by signs has few p-values to choose from, and its level is looked up
DRAW_TRIALS = 999  # resamples of each draw of topics


def pair_levels(test: PairedTest, made: Sample, alpha: float, residual: Floats) -> Floats:
    """[metric] the level of each pair for the family of all to be at alpha, as on these topics.

    Bonferroni's at least, alpha by the number of pairs, which few topics may not reach. A critical value in the unit of
    the metric, by the spread of all systems, is taken in standard errors of the mean pair, as normal.
    """
    least = alpha / (len(made.i) * (made.metrics if made.united else 1))
    if not test.corrects:
        return np.full(made.metrics, alpha)
    if test.correction not in ("none", "max-t"):
        return np.full(made.metrics, least)
    return np.clip(_family_level(test, made, alpha, residual, least), least, alpha)


def _family_level(test: PairedTest, made: Sample, alpha: float, residual: Floats, unknown: float) -> Floats:
    """[metric] the level of a t-test that has the family's critical value."""
    joint = test.joint(test.of(made, intervals=False), made)
    if joint.exact and alpha * joint.trials <= 1:
        return np.zeros(made.metrics)
    if joint.test.studentized:
        critical = np.broadcast_to(joint.critical(alpha), (made.metrics,))
        return t_level(critical, made.topics - 1, made.sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        critical = joint.threshold(alpha).max(axis=0) / np.sqrt(2 * residual / made.topics)
    return np.where(np.isfinite(critical), t_level(critical, math.inf), unknown)


def few_topic_levels(test: PairedTest, made: Sample, alpha: float, residual: Floats) -> Floats:
    """[metric, topics] as `level_of_pairs`, over 0 to FEW - 1 topics drawn from these with replacement; 0: none does.

    The median of some draws, the more the fewer pairs there are.
    """
    pairs = len(made.i) * (made.metrics if made.united else 1)
    possible = can_be_significant(test, alpha, pairs, made.sides)
    if not test.corrects or test.correction not in ("none", "max-t"):
        return np.where(possible, pair_levels(test, made, alpha, residual)[:, None], 0.0)
    quick = replace(test, trials=min(test.resamples, DRAW_TRIALS)) if find_test(test.test).resamples else test
    rng = np.random.default_rng(test.seed)
    found = np.zeros((made.metrics, FEW_TOPICS))
    draws = min(15, max(3, 300 // pairs))
    size = 1 if made.united else draws  # draws that are tested side by side, as metrics are
    for topics in np.flatnonzero(possible).tolist():
        drawn = made.values[:, rng.integers(0, made.topics, size=(draws, topics))].swapaxes(0, 1)
        each = [  # [draw, metric] a part at a time
            _family_level(quick, _of(made, drawn[start : start + size]), alpha, np.tile(residual, size), 0.0)
            for start in range(0, draws, size)
        ]
        found[:, topics] = np.minimum(np.median(np.reshape(each, (draws, made.metrics)), axis=0), alpha)
    return found


def _of(made: Sample, values: Floats) -> Sample:
    """The sample with these scores [draw, metric, topic, system], each draw of a metric being a metric."""
    flat = values.reshape(-1, *values.shape[2:])
    return replace(made, values=flat, exponent=np.tile(made.exponent, len(values)))


def can_be_significant(test: PairedTest, alpha: float, tests: int, sides: int) -> Bools:
    """[topics] whether a pair can be significant among so many tests, over 0 to FEW - 1 topics."""
    level = alpha if find_test(test.test).family or test.correction in ("none", "max-t") else alpha / tests
    least = topics_for_sign_flips(level, sides) if find_test(test.test).by_signs or test.correction == "max-t" else 2
    return np.arange(FEW_TOPICS) >= least


def refuse_few_trials(test: PairedTest, alpha: float, tests: int) -> None:
    """Refuses to plan for a test of which no p-value can be small enough, whatever the topics."""
    if not find_test(test.test).resamples or test.compat:
        return
    level = alpha / tests if test.correction not in ("none", "max-t") else alpha
    least = 1 / (test.resamples + 1)
    if least >= level:
        raise InputError(
            f"With {test.resamples:,} resamples no p-value of {test.test} falls below {least:.2g}, and a pair is "
            f"tested at {level:.2g}: no number of topics finds anything; give {math.ceil(1 / level):,} resamples or "
            f"more ({argument('trials')})."
        )


def refuse_impossible(scores: Scores, difference: float) -> None:
    """Refuses scores whose variances cannot be had, and a difference that a metric cannot have."""
    for at, metric in enumerate(scores.metrics):
        values = scores.values[:, :, at]
        most = float(np.abs(values).max(initial=0.0))
        if most and not 1e-100 < most < 1e100:
            raise InputError(f"The scores by {metric} reach {most:.0e}, too far from 1 for variances; rescale them.")
        try:
            low, high = parse(metric).range
        except InputError:  # a column of a table, of which nothing is known
            continue
        own = low <= values.min(initial=low) and values.max(initial=high) <= high  # on the metric's own scale
        if own and difference > (high - low) * (1 + 1e-9):
            raise InputError(
                f"No two systems differ by {difference:g} in {metric}, whose scores lie between {low:g} and {high:g}; "
                f"give a smaller difference ({argument('difference')})."
            )
