"""A comparison of systems: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, Signs
from irassay.errors import InputError
from irassay.meta.keywords import Alpha, confidence
from irassay.meta.model_judgements import Also, AlsoScores
from irassay.meta.systems import system_named
from irassay.method import method
from irassay.results import Result, Saved, saved_as
from irassay.scores import Scores, known_as, positions
from irassay.settings import Option, Usual
from irassay.stats.corrections import corrected
from irassay.stats.effects import detectable, effect_interval, equivalence_p
from irassay.stats.letters import letters
from irassay.stats.paired import sample
from irassay.stats.paired_test import PairedTest, PairTests
from irassay.stats.tests.sign import won_and_lost

saved_as("pair-tests", PairTests)


@dataclass(frozen=True, eq=False)
class Comparison(Saved):
    """Which systems differ, by how much, and how sure that is, by one metric."""

    saved_as: ClassVar[str] = "comparison-by-metric"

    metric: str
    systems: tuple[str, ...]
    baseline: str | None
    mean: Floats  # [system]
    test: PairTests
    intervals: PairTests  # the test that intervals come from: max-t where that is the correction
    correction: str
    alpha: float
    p: Floats  # [pair] corrected; the test's own are in test.p
    wins: Ints  # [pair] topics on which system i is ahead
    ties: Ints  # [pair]
    losses: Ints  # [pair]
    margin: float | None = None  # of equivalence, in the metric's unit
    skewness: Floats = field(default_factory=lambda: np.empty(0))  # [pair] of the differences; 0 without spread
    higher_is_better: bool = True
    over_topics: str = "mean"
    aggregate: Floats = field(default_factory=lambda: np.empty(0))  # [system] mean, sum … in the metric's own sign

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """[pair] the two systems, by their names."""
        return [(self.systems[i], self.systems[j]) for i, j in zip(self.test.i, self.test.j, strict=True)]

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of the mean difference, at 1 - alpha unless a level is given."""
        alpha = confidence(level, self.alpha)
        reach = self.intervals.reach(alpha / len(self.p) if self.correction == "bonferroni" else alpha)
        return self.test.difference - reach, self.test.difference + reach

    @property
    def low(self) -> Floats:
        """[pair] the lower end of the interval of the mean difference at 1 - alpha."""
        return self.interval()[0]

    @property
    def high(self) -> Floats:
        """[pair] its upper end."""
        return self.interval()[1]

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals hold for all pairs together."""
        return self.intervals.simultaneous or self.correction == "bonferroni"

    @property
    def significant(self) -> Bools:
        """[pair] corrected p < alpha."""
        return self.p < self.alpha

    @property
    def unsettled(self) -> int:
        """How many significant pairs have an interval that contains 0."""
        low, high = self.interval()
        return int(np.count_nonzero(self.significant & (low <= 0) & (high >= 0)))

    @property
    def effect(self) -> Floats:
        """[pair] d_z: mean / sd of the differences; 0 where both are 0, NaN where only the sd is [cohen1988]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            size = self.test.difference / (self.test.error * np.sqrt(self.test.topics))
        return np.where(self.test.constant, np.nan, np.where(self.test.difference == 0, 0.0, size))

    def effect_interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of d_z, for one pair at a time, from the noncentral t [smithson2003]."""
        return effect_interval(self.effect * np.sqrt(self.test.topics), self.test.topics, confidence(level, self.alpha))

    def equivalence(self, margin: float | None = None) -> Floats:
        """[pair] p of two one-sided t-tests of a difference within ± margin, by Holm's correction [schuirmann1987]."""
        margin = self.margin if margin is None else margin
        if margin is None:
            raise InputError("Equivalence needs a margin, in the metric's unit; give one.")
        return corrected(equivalence_p(self.test.difference, self.test.error, self.test.topics, margin), "holm")

    def detectable(self, power: float = 0.8) -> Floats:
        """[pair] the true difference that would come out significant with this probability, in the first step.

        The critical value is that of the family in these data; differences are taken to be normal. NaN for a test
        whose critical value is not one of t.
        """
        if not self.intervals.test.studentized or self.correction in ("bh", "by"):
            return np.full(len(self.p), np.nan)
        share = len(self.p) if self.correction in ("bonferroni", "holm") else 1
        return detectable(float(self.intervals.critical(self.alpha / share)), self.test.topics, power) * self.test.error

    @property
    def unbiased_effect(self) -> Floats:
        """[pair] g_z: d_z corrected for its bias with few topics [hedges1981]."""
        return self.effect * (1 - 3 / (4 * (self.test.topics - 1) - 1))

    def verdicts(self) -> Signs:
        """[system, system] 1 where the row's system is significantly better than the column's, -1 worse, 0 neither."""
        table = np.zeros((len(self.systems), len(self.systems)), dtype=np.int8)
        sign = np.where(self.significant, np.sign(self.test.difference), 0).astype(np.int8)
        table[self.test.i, self.test.j] = sign
        table[self.test.j, self.test.i] = -sign
        return table

    @property
    def order(self) -> Ints:
        """[system] the systems' numbers, best mean first; equal means in the order given."""
        return np.argsort(-self.mean, kind="stable")

    def ranked(self) -> list[tuple[str, float]]:
        """The systems and their means, best first."""
        return [(self.systems[s], float(self.mean[s])) for s in self.order]

    def ranks(self) -> tuple[Ints, Ints]:
        """[system] the best and the worst rank each system may have: no pair outside them by the family test.

        1 + the number of systems significantly better, and K - the number significantly worse. With a
        correction that holds for all pairs together, so do these.
        """
        verdicts = self.verdicts()
        best = 1 + np.count_nonzero(verdicts < 0, axis=1)
        return best, len(self.systems) - np.count_nonzero(verdicts > 0, axis=1)

    def groups(self) -> dict[str, str]:
        """Each system's letters, separated by spaces: two share one exactly when their pair is not significant.

        A compact letter display [piepho2004]; letters are in the order of the best mean that has them.
        """
        if self.baseline is not None:
            raise InputError("Groups need all pairs of systems; against a baseline most were not tested.")
        different = np.zeros((len(self.systems), len(self.systems)), dtype=np.bool_)
        different[self.test.i, self.test.j] = different[self.test.j, self.test.i] = self.significant
        found = letters(different[np.ix_(self.order, self.order)])
        return {self.systems[s]: found[place] for place, s in sorted(enumerate(self.order), key=lambda each: each[1])}


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
        shown = import_module("irassay.views.table").view(self, digits=digits)
        return str(self._render("as_latex", import_module("irassay.views.view").labelled(shown, self)))


@method("Which systems differ, by how much, and how sure is that?", cite="", path="compare", report=True, affine=True)
def compare(
    scores: Annotated[Scores, Usual(("nDCG@10",))],
    metrics: str | Sequence[str] | None = None,
    *,
    test: PairedTest = PairedTest("max-t-stepdown"),
    baseline: Annotated[str | None, Option("Compare with this run only: its name, file or tag.")] = None,
    alpha: Alpha = 0.05,
    also: Also = None,
    also_scores: AlsoScores = None,
    margin: Annotated[
        float | None, Option("Also test that differences lie within this margin, in the metric's unit.", least=0)
    ] = None,
) -> Comparisons:
    """Compare systems: differences with intervals, effect sizes, p-values, groups and ranks, for all pairs at once.

    Tests: t, wilcoxon, sign, permutation, bootstrap (studentised), bootstrap-shift work on one pair at a time and take
    a correction; max-t-stepdown (the default), max-t, bootstrap-max-t, tukey, anova-tukey hold for all pairs together.
    Intervals are at 1 - alpha: simultaneous under a family test, max-t or bonferroni, otherwise Student's for one pair
    at a time.

    Families of 15 equal systems in which some pair came out different, at 5 %, with 10 / 25 / 50 topics: max-t and
    max-t-stepdown 4 / 6 / 6 % of normal scores, 20 / 13 / 8 % of scores skewed like AP, 9 / 7 / 6 % like P@10, 2 / 6 /
    5 % like RR; t with bonferroni or holm 5 / 4 / 4, 14 / 7 / 5, 6 / 5 / 5 and 1 / 2 / 3 %. With 10 skewed topics no
    test here holds its level.

    With 50 topics the others were seen to fail: tukey and anova-tukey where systems differ in variance (equal means,
    two noisy systems among twenty: about 30 % of families err); wilcoxon and sign with skewed differences (10 and 15 %
    of pairs); bootstrap-shift a little everywhere (6 % of pairs).

    Otero, Parapar and Barreiro (ECIR 2025) recommend wilcoxon with bh for many systems: it keeps the share of false
    discoveries, not the chance of any, and asks for symmetric differences.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> compare(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t")).groups()
    {'A': 'b', 'B': 'a', 'C': 'a'}
    """
    if margin is not None and not margin > 0:
        raise InputError(f"A margin of equivalence must be above 0; found {margin:g}.")
    chosen, baseline = to_compare(scores, metrics, baseline, alpha)
    found = Comparisons(compared(chosen, test, baseline, alpha, margin), notes=chosen.notes)
    if also is None and also_scores is None:
        return found
    from irassay.meta.prediction_powered import powered

    return powered(found, chosen.oriented(), test, alpha, also, also_scores)


def to_compare(
    scores: Scores, metrics: str | Sequence[str] | None, baseline: str | None, alpha: float
) -> tuple[Scores, str | None]:
    """The scores by the metrics asked for, on the topics that every system has, and the baseline by its name there."""
    asked = scores.metrics if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    by_label = {label: name for name, label in scores.labels.items()}
    names = [by_label.get(str(metric), metric) for metric in asked]
    chosen = scores.select(metrics=[_known(metric, scores.metrics) for metric in names]).complete()
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; found {alpha:g}.")
    if not chosen.metrics:
        raise InputError("A comparison needs at least one metric; found none.")
    return chosen, None if baseline is None else system_named(chosen, baseline, "the baseline")


def _known(metric: str, metrics: Sequence[str]) -> str:
    return known_as(str(metric), metrics) or metrics[positions("metric", metrics, [metric])[0]]


def compared(
    scores: Scores, test: PairedTest, baseline: str | None, alpha: float, margin: float | None = None
) -> tuple[Comparison, ...]:
    """[metric] the comparisons of complete scores."""
    parts = (scores.select(metrics=[metric]) for metric in scores.metrics)
    return tuple(_compared(part, test, baseline, alpha, margin) for part in parts)


def _compared(scores: Scores, test: PairedTest, baseline: str | None, alpha: float, margin: float | None) -> Comparison:
    """The comparison by the one metric of the scores."""
    base = None if baseline is None else scores.systems.index(baseline)
    made = sample(scores.oriented().values, base)
    found = test.of(made)
    joint = test.joint(found, made)
    wins, losses = (each[0] for each in won_and_lost(made))
    return Comparison(
        metric=scores.metrics[0],
        systems=scores.systems,
        baseline=baseline,
        mean=made.mean[0],
        test=found.metric(0),
        intervals=joint.metric(0),
        correction=test.correction,
        alpha=alpha,
        p=test.corrected(found, joint)[:, 0],
        wins=wins,
        ties=found.topics - wins - losses,
        losses=losses,
        margin=margin,
        skewness=made.skewness[0],
        higher_is_better=scores.higher_is_better[0],
        over_topics=scores.over_topics[0],
        aggregate=scores.means()[:, 0],
    )
