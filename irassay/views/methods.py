"""The methods paragraph of a comparison of systems, for a paper."""

from importlib.metadata import version

from irassay.meta.comparison import Comparisons
from irassay.prose import count_phrase, level_text
from irassay.stats.paired_test import equivalent_test
from irassay.views.phrases import all_names, author_year, test_description


def methods_paragraph(result: Comparisons, intervals: bool = True) -> str:
    """The methods paragraph for a paper, ready to be pasted."""
    one = result.by_metric[0]
    test, metrics, across = one.test, all_names(result.metrics), one.family > len(one.p)
    second = one.baseline or result.systems[-1]
    family = (
        f"{next(name for name in result.systems if name != second)} with {second}"
        if len(one.p) == 1
        else f"the other {len(one.p)} systems with {one.baseline}"
        if one.baseline
        else f"all {count_phrase(len(one.p), 'pair')} of {len(result.systems)} systems"
    )
    how = test_description(test, one.correction, one.family, one.alpha)
    work = author_year(equivalent_test(test.test, one.family).cite)
    share = "c/B" if test.compat else "(c+1)/(B+1)"
    draws = ""
    deciding = one.intervals if one.correction == "max-t" else test
    if deciding.trials:
        drawn = f"drew {deciding.trials:,} resamples (seed {test.seed}) and computed p-values as {share}"
        draws = f" We {'enumerated all resamples' if deciding.exact else drawn}."
    united = "The tests by all metrics are one family." if across else "Each metric was tested separately."
    each = f" {united}" if len(result.metrics) > 1 else ""
    kind = "for one pair at a time"
    if one.simultaneous and one.family > 1:
        kind = f"simultaneous{' over all pairs and metrics' if across else ''}"
        kind = kind if len(one.p) > 1 else "for the pair under all metrics together"
    kind = kind if one.alternative == "two-sided" else f"{kind} and with one end"
    sizes = (
        f" Intervals of mean differences are {level_text(one.alpha)} intervals, {kind}; effect sizes are mean "
        "differences in standard deviations of the differences (d_z)."
    )
    margin = "" if one.margin is None else f"±{one.margin:g}"
    margin = margin if one.margin_d is None else f"±{one.margin_d:g} standard deviations of the differences"
    by = "two one-sided t-tests (Schuirmann, 1987)" if one.margin_d is None else "noncentral t (Wellek, 2010)"
    within = "across metrics" if len(one.equivalent) else "within the metric" if len(one.p) > 1 else ""
    holm = f" with Holm's correction {within}" if within else ""
    same = f" Equivalence within {margin} was tested by {by}{holm}." if margin else ""
    return (
        f"We compared {family} by mean {metrics} over {test.topics} topics with a {how}{f' ({work})' if work else ''}."
        f"{each}{draws}{sizes if intervals else ''}{same} Computed with irassay {version('irassay')}."
    )
