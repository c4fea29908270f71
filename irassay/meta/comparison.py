"""A comparison of systems: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument, as_found
from irassay.meta.comparison_by_metric import Comparison, with_joint_equivalence
from irassay.meta.complete_scores import checked_alpha, same_score_notes
from irassay.meta.model_judgements import AlsoOption, AlsoScoresOption
from irassay.meta.shared_options import ALL_PAIRS, Alpha
from irassay.meta.system_lookup import system_by_name
from irassay.method import method
from irassay.metrics.metric import Metric
from irassay.results import Result
from irassay.score_names import matching_metric, positions
from irassay.scores import Scores
from irassay.settings import DefaultMetrics, Option
from irassay.stats.paired_sample import Alternative, sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.skewed_scales import skew_misleads
from irassay.stats.tests.sign import wins_and_losses


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Result):
    """Which systems differ, by how much, and how certain that is, under each of several metrics.

    Where no metric is named, methods answer for the first one.
    """

    saved_as: ClassVar[str] = "comparison"

    by_metric: tuple[Comparison, ...]  # [metric]
    scores: Scores | None = field(default=None, kw_only=True, metadata={"saved": False})  # if from interop

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return tuple(one.metric for one in self.by_metric)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order given."""
        return self.by_metric[0].systems

    def __getitem__(self, metric: str) -> Comparison:
        return self.by_metric[self.metrics.index(_metric_name(metric, self.metrics))]

    def by(self, metric: str | None = None) -> Comparison:
        """The comparison under one metric; by default the first."""
        return self.by_metric[0] if metric is None else self[metric]

    def groups(self, metric: str | None = None) -> dict[str, str]:
        """Each system's letters, separated by spaces; two share one exactly if their pair is not significant."""
        return self.by(metric).groups()

    def pairs(self) -> list[tuple[str, str]]:
        """[pair] the two systems of every pair; the second is the baseline, if there is one."""
        return self.by_metric[0].pairs

    def interval(self, level: float | None = None, metric: str | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of the mean difference, by default at 1 - alpha."""
        return self.by(metric).interval(level)

    def power(self, alpha: float = 0.05) -> Floats:
        """[metric] the share of pairs with a corrected p < alpha."""
        return np.array([np.mean(one.p < alpha) for one in self.by_metric])

    def means(self) -> Floats:
        """[system, metric] the mean scores, costs negated."""
        return np.stack([one.mean for one in self.by_metric], axis=1)

    def ranked(self, metric: str | None = None) -> list[tuple[str, float]]:
        """The systems and their means, best first."""
        return self.by(metric).ranked()

    def to_latex(self, digits: int = 3, label: str = "") -> str:
        """The results table of a paper (booktabs), systems by metrics, as `irassay table` makes it."""
        if self.view_in:  # a view of its own, such as that of human and model judgements combined
            return super().to_latex()
        return self._formatted("latex", module="irassay.views.table", digits=digits, label=label)


def check_comparison(
    test: PairedTest,
    margin: float | None,
    margin_d: float | None,
    alternative: str,
    across_metrics: bool,
    also: Any,
    also_scores: Any,
) -> None:
    """Refuses settings of a comparison that do not go together."""
    if margin is not None and margin_d is not None:
        raise InputError("Give only one of ", argument("margin"), " and ", argument("margin_d"), ".")
    if also is not None or also_scores is not None:
        _refuse_with_model(test, alternative, (margin, margin_d) != (None, None), across_metrics)
    check_across_metrics(test, across_metrics)
    test.check_use(alternative, across_metrics)


def check_across_metrics(test: PairedTest, across_metrics: bool) -> None:
    """Refuses to correct across metrics with a test that corrects for nothing."""
    if across_metrics and not test.corrects:
        reason = f"needs a correction, and the test '{test.test}' has none"
        raise InputError(argument("across_metrics"), f" {reason}; give one, such as holm, or use max-t-stepdown.")


def _refuse_with_model(test: PairedTest, alternative: str, has_margin: bool, across_metrics: bool) -> None:
    """Refuses settings that a comparison by human and model judgements combined does not support."""
    if alternative != "two-sided" or across_metrics:
        raise InputError("Human and model judgements combined are tested two-sided and within each metric only.")
    if not find_test(test.test).flips_signs or test.correction != "none":
        settings = (argument("test"), ", ", argument("correction"), " and ", argument("compat"))
        raise InputError("Human and model judgements combined are tested by max-t only; leave out ", *settings, ".")
    if has_margin:
        raise InputError("Human and model judgements combined cannot be tested for equivalence; leave out the margin.")


@method(
    "Which systems differ, by how much, and how certain is it?",
    path="compare",
    affine=True,
    check=check_comparison,
    least_runs=2,
    examples=(
        "irassay compare qrels.txt runs/ -m nDCG@10 --test t --correct holm",
        "irassay compare --scores scores.tsv -m AP --format latex",
    ),
)
def compare(
    scores: Annotated[Scores, DefaultMetrics(("nDCG@10",))],
    metrics: str | Sequence[str] | None = None,
    *,
    test: PairedTest = ALL_PAIRS,
    baseline: Annotated[str | None, Option("Compare with this run only: its name, file or tag.")] = None,
    alpha: Alpha = 0.05,
    also: AlsoOption = None,
    also_scores: AlsoScoresOption = None,
    margin: Annotated[
        float | None,
        Option("Also test that differences lie within this margin, in the metric's unit.", low=0, open="low"),
    ] = None,
    margin_d: Annotated[
        float | None,
        Option("The same margin in standard deviations of the differences (Cohen's d).", low=0, open="low"),
    ] = None,
    alternative: Annotated[
        Alternative, Option("Direction of the test: system minus other, or minus the baseline.", panel="Testing")
    ] = "two-sided",
    across_metrics: Annotated[
        bool, Option("Also correct across metrics: one family of all pairs under all metrics.", panel="Testing")
    ] = False,
) -> Comparisons:
    """Compare systems: differences with intervals, effect sizes, p-values, groups and ranks, for all pairs at once.

    Some tests, such as t, work on one pair at a time and take a correction. Others, such as max-t-stepdown (the
    default), hold for all pairs together and take none. Intervals are at 1 - alpha: simultaneous with a test of all
    pairs, max-t or bonferroni, otherwise Student's for one pair at a time. Tests of signed differences can be one-sided
    (alternative greater or less); their intervals have one end. P-values are corrected within each metric, or over all
    pairs under all metrics (across metrics): by the largest t of all under the same signs, or by the given correction.
    P-values of equivalence are corrected by Holm over the same family.

    How often the tests err: per cent of families in which a test at 5 % finds a false difference among 15 equal
    systems, for 10 / 25 / 50 topics (all pairs, two-sided, 5,000 families each, standard error below .6):

        scores                        max-t(-stepdown)    t with holm
        normal                          5 /  5 /  5       5 / 4 / 4
        like AP                         7 /  6 /  6       6 / 5 / 5
        like AP, low, less alike       18 / 11 /  7      13 / 8 / 5
        exponential, scales .5 to 2    17 / 14 / 10      10 / 8 / 6
        like P@10                       6 /  6 /  5       5 / 5 / 4
        like RR                         4 /  5 /  5       1 / 3 / 4

    t with bonferroni errs as often as with holm, bootstrap-max-t in at most 1 / 4 / 5 %. With 10 skewed topics no test
    here is reliable: these make too many errors, or find almost nothing (bootstrap-max-t, wilcoxon with holm).

    Skewed scores of unequal scale are the worst case. The same for exponential scores on scales 1 to 8 (600 families
    each, standard error below 2):

        15 systems, max-t-stepdown                        21 / 16 / 10
        15 systems, t with holm                           15 / 10 /  6
        15 systems, sign with holm                         0 / 13 / 50
        15 systems, bootstrap-max-t                        1 /  4 /  4
        40 systems, max-t-stepdown                        31 / 26 / 16
        15 systems, max-t-stepdown, against the one of
          the smallest scale as the baseline              23 / 20 / 14
          and one-sided, in the worst direction           35 / 25 / 20

    In the last case its intervals err as often. A note warns where scores look like this. With 25 topics and 2 to 5
    systems it misses 5 to 19 % of such tables whose scales go from 1 to 4 only.

    With 50 topics and 20 systems, other tests failed too. tukey and anova-tukey err in about 30 % of families if
    systems differ in variance (two noisy ones among twenty). With skewed differences wilcoxon errs in 10 % of pairs,
    and sign in 15 %. bootstrap-shift errs in 6 % of pairs everywhere.

    Otero, Parapar and Barreiro (ECIR 2025) recommend wilcoxon with bh for many systems: it controls the share of false
    discoveries, not the chance of any, and assumes symmetric differences.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> compare(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t")).groups()
    {'A': 'b', 'B': 'a', 'C': 'a'}
    """
    chosen, baseline = scores_to_compare(scores, metrics, baseline, alpha)
    by_metric = comparisons_by_metric(chosen, test, baseline, alpha, (margin, margin_d), alternative, across_metrics)
    comparisons = Comparisons(by_metric, notes=(*chosen.notes, *same_score_notes(chosen)))
    if also is None and also_scores is None:
        return comparisons
    from irassay.meta.prediction_powered import powered_comparisons

    return powered_comparisons(comparisons, chosen.oriented(), test, alpha, also, also_scores)


def scores_to_compare(
    scores: Scores, metrics: str | Sequence[str] | None, baseline: str | None, alpha: float
) -> tuple[Scores, str | None]:
    """The scores under these metrics, on the topics that every system has, by name, and the name of the baseline."""
    chosen = scores_of_metrics(scores, metrics).complete().with_sorted_topics()
    checked_alpha(alpha)
    if not chosen.metrics:
        raise InputError("A comparison needs at least one metric; name one.")
    return chosen, None if baseline is None else system_by_name(chosen, baseline, "baseline")


def scores_of_metrics(scores: Scores, metrics: str | Sequence[str] | None) -> Scores:
    """The scores under one metric or several, in any spelling; under all if None."""
    given = scores.metrics if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    by_label = {label: name for name, label in scores.labels.items()}
    if odd := [metric for metric in given if not isinstance(metric, str | Metric)]:
        raise InputError(argument("metrics"), f" must be text such as 'nDCG@10'; found {as_found(odd[0])}.")
    names = [_metric_name(by_label.get(str(metric), str(metric)), scores.metrics) for metric in given]
    return scores.select(metrics=names)


def _metric_name(metric: str, metrics: Sequence[str]) -> str:
    """The name among `metrics` that a metric has, in whatever spelling it is given."""
    return matching_metric(str(metric), metrics) or metrics[positions("metric", metrics, [metric])[0]]


def comparisons_by_metric(
    scores: Scores,
    test: PairedTest,
    baseline: str | None,
    alpha: float,
    margins: tuple[float | None, float | None] = (None, None),
    alternative: Alternative = "two-sided",
    across_metrics: bool = False,
) -> tuple[Comparison, ...]:
    """[metric] the comparisons of complete scores; margins of equivalence are in the metric's unit and as Cohen's d."""
    if len(scores.metrics) > 1 and not across_metrics:  # each metric is a family of its own
        parts = (scores.select(metrics=[metric]) for metric in scores.metrics)
        families = (comparisons_by_metric(part, test, baseline, alpha, margins, alternative) for part in parts)
        return tuple(chain.from_iterable(families))
    base = None if baseline is None else scores.systems.index(baseline)
    pairs = sample(scores.oriented().values, base, names=scores.systems, alternative=alternative, united=across_metrics)
    tests = test.pair_tests(pairs)
    joint = test.interval_tests(tests, pairs)
    p = test.corrected_p(tests, joint)
    mean = pairs.mean_score
    wins, losses = wins_and_losses(pairs)
    aggregate = scores.means()
    by_metric = tuple(
        Comparison(
            metric=metric,
            systems=scores.systems,
            baseline=baseline,
            mean=mean[m],
            test=tests.metric(m),
            intervals=joint.metric(m),
            correction=test.correction,
            alpha=alpha,
            p=p[:, m],
            wins=wins[m],
            ties=tests.topics - wins[m] - losses[m],
            losses=losses[m],
            margin=margins[0],
            margin_d=margins[1],
            tests=p.size,
            skewness=pairs.skewness[m],
            skew_misleads=skew_misleads(pairs, m, find_test(test.test).by_ranks),
            higher_is_better=scores.higher_is_better[m],
            over_topics=scores.over_topics[m],
            aggregate=aggregate[:, m],
        )
        for m, metric in enumerate(scores.metrics)
    )
    return with_joint_equivalence(by_metric) if across_metrics and margins != (None, None) else by_metric
