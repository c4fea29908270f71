"""What cannot be planned: settings that do not go together, and scores or tests for which no topics are enough."""

import math
from typing import Any

import numpy as np

from irassay.errors import InputError, argument
from irassay.meta.comparison import check_across_metrics
from irassay.meta.shared_options import ALL_PAIRS
from irassay.metrics.grammar import parse
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest, find_test

DEFAULT_DIFFERENCE = 0.05


def check_plan(
    difference: float | None,
    margin: float | None,
    pair: str | None,
    groups: Any,
    test: PairedTest,
    baseline: str | None,
    alternative: str,
    across_metrics: bool,
    also: Any,
    also_scores: Any,
    model_correlation: float | None,
    model_topics: int | None,
    alpha: float,
    expected: Scores | None = None,
) -> None:
    """Refuses settings of a plan that do not go together, and a difference that the metrics cannot have."""
    if expected is not None:
        refuse_impossible(expected, difference or DEFAULT_DIFFERENCE)
    has_model = also is not None or also_scores is not None
    if margin is None and difference is not None and not difference > 0:
        raise InputError(argument("difference"), " must be above 0.", argument="difference", value=difference)
    if margin is not None:
        _refuse_with_margin(margin, difference, test, alternative, has_model or model_correlation is not None)
    if pair is not None and (baseline is not None or groups is not None):
        other = argument("baseline" if baseline is not None else "groups")
        raise InputError(argument("pair"), " names both runs to plan for; leave out ", other, ".")
    if has_model and model_correlation is not None:
        raise InputError("Give either a model's judgements or ", argument("model_correlation"), ", not both.")
    if model_topics is not None and not has_model and model_correlation is None:
        models = (argument("also"), ", ", argument("also_scores"), " or ", argument("model_correlation"))
        raise InputError(argument("model_topics", model_topics), " needs a model: ", *models, ".")
    check_across_metrics(test, across_metrics)
    test.check_use(alternative, across_metrics)
    if margin is None and test.correction in ("none", "max-t"):  # then the level does not depend on the number of tests
        refuse_few_trials(test, alpha, tests=1)


def _refuse_with_margin(
    margin: float, difference: float | None, test: PairedTest, alternative: str, has_model: bool
) -> None:
    """Refuses what a plan for equivalence, tested by t, does not use, and a true difference beyond the margin."""
    if difference is None:
        raise InputError(
            argument("margin"), " needs the true difference; give ", argument("difference"), ", such as 0."
        )
    if not difference < margin:
        reason = f" must be below the margin of {margin:g}; found {difference:g}. Systems that differ by more than the "
        raise InputError(argument("difference"), reason, "margin cannot be shown to be equivalent.")
    if test.test != ALL_PAIRS.test or test.correction != "none" or alternative != "two-sided":
        settings = (argument("test"), ", ", argument("correction"), " and ", argument("alternative"))
        how = "Equivalence is tested by two one-sided t-tests with Holm's correction"
        raise InputError(f"{how}; leave out ", *settings, ".")
    if has_model:
        raise InputError("A plan with model judgements cannot be for equivalence; leave out ", argument("margin"), ".")


def refuse_few_trials(test: PairedTest, alpha: float, tests: int) -> None:
    """Refuses a test with too few resamples for any p-value to be small enough, however many topics there are."""
    if not find_test(test.test).resamples or test.compat:
        return
    level = alpha / tests if test.correction not in ("none", "max-t") else alpha
    smallest = 1 / (test.resamples + 1)
    if smallest >= level:
        reason = f"With {test.resamples:,} resamples no p-value of {test.test} is below {smallest:.2g}"
        trials = argument("trials", math.ceil(1 / level))
        raise InputError(
            f"{reason}, but a pair is tested at {level:.2g}, so no topics are enough; give ", trials, " or more."
        )


def refuse_impossible(scores: Scores, difference: float) -> None:
    """Refuses scores whose variance would overflow, and a difference larger than the range of a metric."""
    for m, metric in enumerate(scores.metrics):
        values = scores.values[:, :, m]
        least, most = (float(reduce(values, axis=None, initial=0.0)) for reduce in (np.fmin.reduce, np.fmax.reduce))
        largest = max(-least, most)  # without scores that are not known yet
        if largest and not 1e-100 < largest < 1e100:
            raise InputError(f"The scores of {metric} reach {largest:.0e}, too far from 1 for variances; rescale them.")
        try:
            low, high = parse(metric).range
        except InputError:  # a column of a table, whose range is not known
            continue
        is_in_range = low <= np.fmin.reduce(values, axis=None, initial=low) and (
            np.fmax.reduce(values, axis=None, initial=high) <= high
        )  # not rescaled
        if is_in_range and difference > (high - low) * (1 + 1e-9):
            reason = f"No two systems can differ by {difference:g} in {metric}, which ranges from {low:g} to {high:g}"
            raise InputError(f"{reason}; give a smaller ", argument("difference"), ".")
