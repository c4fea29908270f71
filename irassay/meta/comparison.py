"""A comparison of systems: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument, as_found
from irassay.meta.comparison_by_metric import Comparison, with_joint_equivalence
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.model_judgements import AlsoOption, AlsoScoresOption
from irassay.meta.shared_options import ALL_PAIRS, Alpha
from irassay.meta.system_lookup import system_by_name
from irassay.method import method
from irassay.metrics.metric import Metric
from irassay.results import Result
from irassay.scores import Scores, matching_metric, positions
from irassay.settings import DefaultMetrics, Option
from irassay.stats.paired import Alternative, sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.tests.sign import wins_and_losses


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Result):
    """Which systems differ, by how much, and how sure that is, by each of some metrics.

    What is asked without naming a metric is answered by the first one.
    """

    saved_as: ClassVar[str] = "comparison"

    by_metric: tuple[Comparison, ...]  # [metric]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return tuple(one.metric for one in self.by_metric)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order given."""
        return self.by_metric[0].systems

    def __getitem__(self, metric: str) -> Comparison:
        return self.by_metric[self.metrics.index(_known(metric, self.metrics))]

    def by(self, metric: str | None = None) -> Comparison:
        """The comparison by one metric, or by the first."""
        return self.by_metric[0] if metric is None else self[metric]

    def groups(self, metric: str | None = None) -> dict[str, str]:
        """Each system's letters, separated by spaces: two share one exactly when their pair is not significant."""
        return self.by(metric).groups()

    def pairs(self) -> list[tuple[str, str]]:
        """[pair] the two systems of every pair, the second being the baseline where there is one."""
        return self.by_metric[0].pairs

    def interval(self, level: float | None = None, metric: str | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of the mean difference, at 1 - alpha unless a level is given."""
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

    def to_latex(self, digits: int = 3) -> str:
        """The table of a paper (booktabs), systems by metrics, as `irassay table` makes it."""
        if self.view_in:  # of its own, as that of human and model judgements together
            return super().to_latex()
        view = import_module("irassay.views.view").view_of
        return str(self._render("as_latex", view(self, module="irassay.views.table", digits=digits)))


@method(
    "Which systems differ, by how much, and how sure is that?",
    path="compare",
    affine=True,
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
        float | None, Option("Also test that differences lie within this margin, in the metric's unit.", low=0)
    ] = None,
    margin_d: Annotated[
        float | None,
        Option("The same, the margin being in standard deviations of the differences (Cohen's d).", low=0),
    ] = None,
    alternative: Annotated[
        Alternative, Option("What is asked of a system less the other, or less the baseline.", panel="Testing")
    ] = "two-sided",
    across_metrics: Annotated[
        bool, Option("Correct for all metrics too: one family of all pairs by all metrics.", panel="Testing")
    ] = False,
) -> Comparisons:
    """Compare systems: differences with intervals, effect sizes, p-values, groups and ranks, for all pairs at once.

    A test works on one pair at a time, as t does, and takes a correction; or, as max-t-stepdown (the default), it holds
    for all pairs together and takes none. Intervals are at 1 - alpha: simultaneous under a test of all pairs, max-t or
    bonferroni, otherwise Student's for one pair at a time. Tests of signed differences may be one-sided (alternative
    greater or less); intervals then have one end. P-values are corrected within each metric, or over all pairs by all
    metrics (across metrics): by the largest t of all under the same signs, or by the correction named; those of
    equivalence by Holm over the same family.

    Families of 15 equal systems in which some pair came out different, at 5 %, with 10 / 25 / 50 topics (5,000 families
    each, standard error below .6): max-t and max-t-stepdown 5 / 5 / 5 % of normal scores, 7 / 6 / 6 % of scores like
    AP, 18 / 11 / 7 % where these are low and systems less alike, 17 / 14 / 10 % of exponential scores on unequal
    scales, 6 / 6 / 5 % like P@10, 4 / 5 / 5 % like RR; t with bonferroni or holm 5 / 4 / 4, 6 / 5 / 5, 13 / 8 / 5, 10 /
    8 / 6, 5 / 5 / 4 and 1 / 3 / 4 %; bootstrap-max-t at most 1 / 4 / 5 %. With 10 skewed topics no test here is to be
    relied on: these err, or find next to nothing (bootstrap-max-t, wilcoxon with holm).

    With 50 topics the others were seen to fail: tukey and anova-tukey where systems differ in variance (equal means,
    two noisy systems among twenty: about 30 % of families err); wilcoxon and sign with skewed differences (10 and 15 %
    of pairs); bootstrap-shift a little everywhere (6 % of pairs).

    Otero, Parapar and Barreiro (ECIR 2025) recommend wilcoxon with bh for many systems: it keeps the share of false
    discoveries, not the chance of any, and asks for symmetric differences.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> compare(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t")).groups()
    {'A': 'b', 'B': 'a', 'C': 'a'}
    """
    for given in (margin, margin_d):
        if given is not None and not given > 0:
            raise InputError(f"A margin of equivalence must be above 0; found {given:g}.")
    if margin is not None and margin_d is not None:
        raise InputError(f"Give one margin of equivalence: {argument('margin')} or {argument('margin_d')}.")
    if not (also is None and also_scores is None):
        _plain_with_model(test, alternative, margin if margin_d is None else margin_d, across_metrics)
    if across_metrics and not test.corrects:
        raise InputError(
            f"The test '{test.test}' is of one pair at a time, and no correction was named that could hold across "
            f"metrics; give one, such as holm, or use max-t-stepdown."
        )
    chosen, baseline = scores_to_compare(scores, metrics, baseline, alpha)
    margins = margin, margin_d
    found = Comparisons(
        comparisons_by_metric(chosen, test, baseline, alpha, margins, alternative, across_metrics), notes=chosen.notes
    )
    if also is None and also_scores is None:
        return found
    from irassay.meta.prediction_powered import powered_comparisons

    return powered_comparisons(found, chosen.oriented(), test, alpha, also, also_scores)


def _plain_with_model(test: PairedTest, alternative: str, margin: float | None, across_metrics: bool) -> None:
    """Refuses what a comparison by human and model judgements together has no answer to."""
    if alternative != "two-sided" or across_metrics:
        raise InputError("Human and model judgements together are tested two-sided, and within each metric, only.")
    if not find_test(test.test).flips_signs or test.correction != "none":
        raise InputError(
            "Human and model judgements together are tested by the largest t of all pairs (max-t) only; leave "
            f"{argument('test')} and {argument('correction')} out."
        )
    if margin is not None:
        raise InputError("Equivalence is not tested by human and model judgements together; leave the margin out.")


def scores_to_compare(
    scores: Scores, metrics: str | Sequence[str] | None, baseline: str | None, alpha: float
) -> tuple[Scores, str | None]:
    """The scores by the metrics asked for, on the topics that every system has, and the baseline by its name there."""
    asked = scores.metrics if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    by_label = {label: name for name, label in scores.labels.items()}
    if odd := [metric for metric in asked if not isinstance(metric, str | Metric)]:
        raise InputError(f"metrics are text such as 'nDCG@10'; found {as_found(odd[0])}")
    names = [by_label.get(str(metric), str(metric)) for metric in asked]
    chosen = scores.select(metrics=[_known(metric, scores.metrics) for metric in names]).complete()
    checked_alpha(alpha)
    if not chosen.metrics:
        raise InputError("A comparison needs at least one metric; found none.")
    return chosen, None if baseline is None else system_by_name(chosen, baseline, "the baseline")


def _known(metric: str, metrics: Sequence[str]) -> str:
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
    """[metric] the comparisons of complete scores; margins of equivalence are in the metric's unit and in d."""
    size = len(scores.metrics) if across_metrics else 1
    parts = [scores.select(metrics=scores.metrics[m : m + size]) for m in range(0, len(scores.metrics), size)]
    return tuple(
        one for part in parts for one in _compared(part, test, baseline, alpha, margins, alternative, across_metrics)
    )


def _compared(
    scores: Scores,
    test: PairedTest,
    baseline: str | None,
    alpha: float,
    margins: tuple[float | None, float | None],
    alternative: Alternative,
    united: bool,
) -> list[Comparison]:
    """[metric] the comparisons of one family: by one metric, or by all."""
    base = None if baseline is None else scores.systems.index(baseline)
    made = sample(scores.oriented().values, base, names=scores.systems, alternative=alternative, united=united)
    found = test.of(made)
    joint = test.joint(found, made)
    p = test.corrected(found, joint)
    mean = made.in_units(made.mean)
    wins, losses = wins_and_losses(made)
    aggregate = scores.means()
    by_metric = [
        Comparison(
            metric=metric,
            systems=scores.systems,
            baseline=baseline,
            mean=mean[m],
            test=found.metric(m),
            intervals=joint.metric(m),
            correction=test.correction,
            alpha=alpha,
            p=p[:, m],
            wins=wins[m],
            ties=found.topics - wins[m] - losses[m],
            losses=losses[m],
            margin=margins[0],
            margin_d=margins[1],
            tests=p.size,
            skewness=made.skewness[m],
            higher_is_better=scores.higher_is_better[m],
            over_topics=scores.over_topics[m],
            aggregate=aggregate[:, m],
        )
        for m, metric in enumerate(scores.metrics)
    ]
    return with_joint_equivalence(by_metric) if united and margins != (None, None) else by_metric
