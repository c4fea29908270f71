"""Notes on a comparison of systems: what the test assumes, and what its p-values and intervals cover."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools
from irassay.errors import argument
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.complete_scores import aggregate_notes
from irassay.notes import Note
from irassay.prose import count_phrase, level_text
from irassay.stats.pair_tests import Test
from irassay.stats.paired_test import equivalent_test
from irassay.views.phrases import NO_SPREAD
from irassay.views.view import Detail

MAX_WARNED_METRICS = 4  # named in the warning of skewed scores
MIN_TOPICS_IF_SKEWED = 25  # with fewer topics no test is reliable and finds anything for skewed scores
# With 15 equal systems, exponential scores on scales 1 to 8, all pairs, two-sided, by topics: per cent of families in
# which max-t-stepdown and t with Holm's correction find a false difference (checked against benchmarks/README.md)
SIMULATED = {10: (21, 15), 25: (16, 10), 50: (10, 6)}
NEAREST = {10: 18, 25: 38}  # simulated numbers of topics, each used below this number


def actual_test(result: Comparison) -> Test:
    """The test that was carried out; a family test of one pair is a simpler test."""
    return equivalent_test(result.test.test, result.family)


def unsettled_sentences(result: Comparison) -> list[str]:
    """How many significant pairs have an interval that contains 0, and why."""
    if not result.unsettled:
        return []
    one_pair = "Its interval includes 0 all the same; p decides."
    sentence = one_pair if len(result.p) == 1 else unsettled_sentence(result.unsettled)
    return [sentence, Detail(f"Why: {why_unsettled(result)}.")]


def unsettled_sentence(pairs: int, over_metrics: bool = False) -> str:
    """That some significant pairs have an interval that includes 0; over metrics, a pair counts once by each."""
    what = f"significant {'comparison' if over_metrics else 'pair'}"
    have = f"{count_phrase(pairs, what)} {'has' if pairs == 1 else 'have'} an interval that includes 0"
    return f"{'Over all metrics, ' if over_metrics else ''}{have}; there, p decides."


def against_means_sentences(result: Comparison) -> list[str]:
    """How many significant pairs are in favour of the system without the better mean, if the test is not of means."""
    if not (pairs := result.against_means):
        return []
    test = result.test.test.short
    if len(result.p) == 1:
        better = result.systems[(result.test.i if result.test.direction[0] > 0 else result.test.j)[0]]
        return [f"The test ({test}) is in favour of {better}: it does not compare means."]
    which = f"{count_phrase(pairs, 'significant pair')} {'is' if pairs == 1 else 'are'} in favour of"
    return [f"{which} the system without the better mean: the test ({test}) does not compare means."]


def mean_notes(result: Comparison) -> list[Note]:
    """That the means compared are not the metric's own values, or that lower ones are better."""
    notes = aggregate_notes(result.metric, result.over_topics)
    if not result.higher_is_better:
        text = "lower is better for {metrics}; a difference is other minus system, so that a positive one is better"
        notes.append(Note(text, metrics=[result.metric], caveat=True))
    return notes


def test_notes(result: Comparison) -> list[str]:
    """What the test assumes, where it failed in simulations, and what its p-values and intervals cover."""
    test, actual = result.test.test, actual_test(result)
    if result.family == 1:
        name = f"{test.name} of one pair is the {actual.label}" if actual != test else test.name
        return [f"{name}: {actual.small_print}"] if actual.small_print else []
    every = f"all {count_phrase(len(result.p), 'pair')}" if len(result.p) > 1 else "the pair"
    every += " under all metrics" if result.family > len(result.p) else ""
    cover = f"{every} together" if result.simultaneous else "one pair at a time"
    return [
        *([f"p already accounts for {every}, so corrected p is the same"] if test.family else []),
        *([f"{test.name}: {test.small_print}"] if test.small_print else []),
        *([f"intervals of differences cover {cover}"] if has_interval(result).any() else []),
    ]


def equivalence_sentences(result: Comparison) -> list[str]:
    """How many pairs are equivalent, if a margin was given."""
    if result.margin is None and result.margin_d is None:
        return []
    same = int(np.count_nonzero(result.equivalence() < result.alpha))
    holm = ", holm across metrics" if len(result.equivalent) else ", holm" if len(result.p) > 1 else ""
    if result.margin is not None:
        margin, how = f"±{result.margin:g}", f"two one-sided t-tests{holm}"
    else:
        margin = f"±{result.margin_d:g} standard deviations of the differences"
        how = f"noncentral t [wellek2010]{holm}"
    if len(result.p) == 1:
        undecided = "" if same or result.significant[0] else "; the pair is undecided, neither different nor equivalent"
        verdict = f"{'' if same else 'not significantly '}equivalent within {margin} at {result.alpha:g}"
        return [f"The two are {verdict} ({how}){undecided}."]
    pairs = f"{same:,} of {count_phrase(len(result.p), 'pair')}"
    return [
        f"{pairs} {'is' if same == 1 else 'are'} equivalent within {margin} at {result.alpha:g} ({how}).",
        Detail("A pair that is neither different nor equivalent is undecided."),
    ]


def alternative_notes(result: Comparison) -> list[str]:
    """What a one-sided test tests, and what it cannot find."""
    if result.alternative == "two-sided":
        return []
    direction = "larger" if result.alternative == "greater" else "smaller"
    which = "the system has" if result.baseline else "the first system of a pair, in the order of the runs, has"
    order = (
        f"; verdicts depend on that order, so there are no letters and ranks (with {argument('baseline')} they do not)"
        if result.baseline is None and len(result.p) > 1
        else ""
    )
    return [
        f"one-sided: the test is whether {which} the {direction} mean; no other difference can be significant, and "
        f"intervals have one end{order}"
    ]


def has_interval(result: Comparison) -> Bools:
    """[pair] whether its difference has an interval: neither endless, nor a single point."""
    low, high = result.interval()
    ends = {"two-sided": (low, high), "greater": (low,), "less": (high,)}[result.alternative]
    difference = result.test.difference
    return np.logical_and.reduce([np.isfinite(end) & (end != difference) for end in ends])


def interval_notes(result: Comparison) -> list[str]:
    """Why some pairs have no interval."""
    pairs = int(np.count_nonzero(~has_interval(result)))
    if not pairs:
        return []
    low, high = result.interval()
    endless = ~np.isfinite(high if result.alternative == "less" else low)
    level, topics = level_text(result.alpha), result.test.topics
    which = "no interval" if pairs == len(result.p) else f"no interval for {count_phrase(pairs, 'pair')}"
    if endless.all():
        few = "too few resamples" if not result.intervals.exact else f"{topics} topics have too few choices of signs"
        return [f"{which}: {few} for one at {level}"]
    return [f"{which}: {NO_SPREAD}"]


def rank_notes(result: Comparison) -> list[str]:
    """What ranks do not cover if the tests do not hold for all pairs together."""
    if result.baseline is not None or result.alternative != "two-sided" or len(result.p) == 1:
        return []
    if not result.corrects:
        text = "rank from, to: by uncorrected tests, so they do not hold for all systems together"
    elif result.correction in ("bh", "by"):
        text = (
            f"rank from, to: {result.correction} controls the share of false differences, so some ranks may be wrong; "
            "they do not hold for all systems together"
        )
    else:
        return []
    return [Note(text, caveat=True)]


def why_unsettled(result: Comparison) -> str:
    """Why a significant pair may have an interval that contains 0."""
    if result.intervals.test.flips_signs:
        return (
            "a p-value tests a difference of 0 only, while an interval must hold for any true differences and is wider"
        )
    if result.simultaneous:
        return "intervals cover all pairs together, in one step; letters and ranks come from p, too"
    each = ", for one pair at a time" if len(result.p) > 1 else ""
    return f"intervals are Student's{each}; letters and ranks come from p, too"


def skewness_notes(result: Comparison, metric: str) -> list[str]:
    """How skewed the differences are, and a warning if that misleads the test."""
    if not result.skewness.size:
        return []
    of = f"skewness of the differences over topics{f' by {metric}' if metric else ''}"
    size = np.abs(result.skewness)
    pairs = f"{np.median(size):.2f} in the median pair, {size.max():.2f} at most"
    skewness = f"{of}: {pairs if len(size) > 1 else f'{result.skewness[0]:.2f} (0: symmetric)'}"
    return [skewness, *skew_warnings(result, metric, actual_test(result))]


def skew_warnings(result: Comparison, metric: str, test: Test, by: str = "this test", where: str = "") -> list[str]:
    """A warning that the test errs, and what to use instead and `where`, if scores are skewed and of unequal scale."""
    if not result.skew_misleads or test.skew_safe or not result.test.can_reject(result.alpha):
        return []
    return skewed_score_notes(result.test.topics, (metric,) if metric else (), by, where)


def skewed_score_notes(topics: int, metrics: Sequence[str], by: str = "this test", where: str = "") -> list[str]:
    """A warning that a test errs, as scores by these metrics are skewed and perhaps of unequal scale, and figures."""
    of = " by {metrics}" if metrics else ""
    if len(metrics) > MAX_WARNED_METRICS:
        of += f" and {len(metrics) - MAX_WARNED_METRICS} more"
        metrics = metrics[:MAX_WARNED_METRICS]
    if topics < MIN_TOPICS_IF_SKEWED:  # the rule looks at skewness alone
        warning = f"differences are skewed{of}, so {by} errs too often if the scores also differ in scale"
        advice = f"with {topics} topics no test here is reliable and sensitive"
    else:
        warning = f"{by} may err too often here: scores{of} seem skewed and of unequal scale"
        advice = f"{where}{argument('test', 'bootstrap-max-t')} allows for that"
    near = next((n for n, limit in NEAREST.items() if topics < limit), 50)
    max_t, holm = SIMULATED[near]
    figures = (
        f"how often tests err on skewed scores: in a simulation of 15 equal systems with exponential scores on "
        f"scales 1 to 8 and {near} topics (all pairs, two-sided), max-t-stepdown found a false difference in {max_t}% "
        f"of families at 5%, t with holm in {holm}%"
    )
    return [Note(f"{warning}; {advice}", metrics=metrics, caveat=True), figures]


def detectable_notes(result: Comparison, metric: str) -> list[str]:
    """The difference that these tests would detect with probability 0.8."""
    size = result.detectable(0.8)
    size = size[np.isfinite(size) & (size > 0)]
    if not len(size) or not result.test.can_reject(result.alpha):
        return []
    by = f" by {metric}" if metric else ""
    by += f" for the median pair (from {size.min():.4f} to {size.max():.4f} by pair)" if len(size) > 1 else ""
    return [
        f"a true difference of {np.median(size):.4f}{by} would be detected with probability 0.8 (assuming normal "
        "differences and this critical value)"
    ]
