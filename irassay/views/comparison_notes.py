"""What is said of a comparison of systems besides its answer: what it holds for, and what was not estimated."""

import numpy as np

from irassay.errors import argument
from irassay.meta.comparison_by_metric import Comparison
from irassay.prose import count_phrase
from irassay.stats.pair_tests import Test
from irassay.stats.paired_test import equivalent_test

SKEWED = 0.5  # median skewness from which sign flips err more often than they should
FEW = 25  # topics, below which nothing helps against skewness
# Of 15 equal systems with skewed scores, by topics: per cent of families in which sign flips err, their intervals miss,
# t with Holm's correction errs, and bootstrap-max-t (benchmarks/README.md, to which a test holds them)
SIMULATED = {
    10: ("17 to 18", "16 to 17", "10 to 13", "at most 1"),
    25: ("11 to 14", "13 to 15", "8", "3 to 4"),
    50: ("7 to 10", "9 to 11", "5 to 6", "4"),
}
NEAREST = {10: 18, 25: 38}  # fewer topics than these are told of so many


def tested_as(result: Comparison) -> Test:
    """The test that was carried out: of one pair, a family test is another one."""
    return equivalent_test(result.test.test, result.family)


def on_unsettled(result: Comparison) -> list[str]:
    """How many significant pairs have an interval that contains 0, and why."""
    found = int(result.significant.sum())
    if not result.unsettled:
        return []
    which = (
        "Its interval contains 0 all the same"
        if len(result.p) == 1
        else f"{result.unsettled:,} of {count_phrase(found, 'significant pair')} "
        f"{'has' if result.unsettled == 1 else 'have'} an interval that contains 0"
    )
    return [f"{which}: {why_unsettled(result)}."]


def on_test(result: Comparison) -> list[str]:
    """What the test assumes, where it was seen to fail, and what its p-values and intervals hold for."""
    test, alone = result.test.test, tested_as(result)
    if result.family == 1:
        said = f"{test.name} of one pair is the {alone.label}: " if alone != test else f"{test.name}: "
        return [said + alone.small_print]
    every = f"all {count_phrase(len(result.p), 'pair')}" if len(result.p) > 1 else "the pair"
    every += " by all metrics" if result.family > len(result.p) else ""
    return [
        *([f"p is of {every} together already, so that corrected p is the same"] if test.family else []),
        f"{test.name}: {test.small_print}",
        f"intervals of differences hold for {f'{every} together' if result.simultaneous else 'one pair at a time'}",
    ]


def on_equivalence(result: Comparison) -> list[str]:
    """How many pairs are equivalent, where a margin was given."""
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
        undecided = "" if same or result.significant[0] else "; neither different nor equivalent, the pair is undecided"
        return [
            f"The two are {'' if same else 'not significantly '}equivalent within {margin} at {result.alpha:g} ({how})"
            f"{undecided}."
        ]
    return [
        f"{same:,} of {count_phrase(len(result.p), 'pair')} are equivalent within {margin} at {result.alpha:g} "
        f"({how}); a pair that is neither different nor equivalent is undecided."
    ]


def on_alternative(result: Comparison) -> list[str]:
    """What a one-sided test asks, and what it cannot find."""
    if result.alternative == "two-sided":
        return []
    wanted = "larger" if result.alternative == "greater" else "smaller"
    order = "" if result.baseline else ", which the order of the runs decides"
    which = "the system" if result.baseline else "the system named first"
    return [
        f"one-sided: each pair asks whether {which} has the {wanted} mean{order}; nothing else can come out "
        "significant, and intervals have one end"
    ]


def why_unsettled(result: Comparison) -> str:
    """Why a significant pair may have an interval that contains 0."""
    if result.intervals.test.flips_signs:
        return (
            "a p-value asks about differences of 0 only, an interval must hold whatever the true differences are, "
            "and is wider; verdicts, letters and ranks come from p"
        )
    if result.simultaneous:
        return "intervals hold for all pairs together, in one step; verdicts, letters and ranks come from p"
    each = ", for one pair at a time" if len(result.p) > 1 else ""
    return f"intervals are Student's{each}; verdicts, letters and ranks come from p"


def on_skewness(result: Comparison, metric: str) -> list[str]:
    """How skewed the differences are, and what to do where sign flips are not to be relied on."""
    if not result.skewness.size:
        return []
    of = f"skewness of the differences over topics{f' by {metric}' if metric else ''}"
    size = np.abs(result.skewness)
    if len(size) == 1:
        return [f"{of}: {result.skewness[0]:.2f} (0: symmetric)"]
    middle = float(np.median(size))
    said = f"{of}: {middle:.2f} in the median pair, {size.max():.2f} at most"
    if middle < SKEWED or not result.intervals.test.flips_signs:
        return [said]
    topics = next((n for n, most in NEAREST.items() if result.test.topics < most), 50)
    errs, misses, holm, bootstrap = SIMULATED[topics]
    few = " (it finds next to nothing); with so few topics no test here is to be relied on" if topics < FEW else ""
    return [
        f"{said}; enough to mislead sign flips: of 15 equal systems simulated with skewed scores on {topics} topics, "
        f"they told some apart in {errs} % of families at 5 %, and their intervals missed some in {misses} %; t with "
        f"holm told some apart in {holm} %, {argument('test', 'bootstrap-max-t')} in {bootstrap} %{few}"
    ]


def on_detectable(result: Comparison, metric: str) -> list[str]:
    """The differences that this family would find with probability .8."""
    size = result.detectable(0.8)
    size = size[np.isfinite(size) & (size > 0)]
    if not len(size) or (result.test.exact and result.test.trials * result.alpha <= 1):  # no p falls below alpha
        return []
    by = f" by {metric}" if metric else ""
    by += f" for the median pair (from {size.min():.4f} to {size.max():.4f} by pair)" if len(size) > 1 else ""
    return [
        f"a true difference of {np.median(size):.4f}{by} would be found with probability 0.8, at the critical value of "
        "these data and were differences normal"
    ]
