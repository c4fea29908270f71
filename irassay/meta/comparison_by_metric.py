"""A comparison under one metric: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, Signs
from irassay.errors import InputError
from irassay.saving import Saved, register_saved
from irassay.stats.corrections import corrected_p
from irassay.stats.effects import detectable_shift, effect_interval, equivalence_p, standardized_equivalence_p
from irassay.stats.letters import letters
from irassay.stats.levels import alpha_of_level
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_sample import Alternative

register_saved("pair-tests", PairTests)


@dataclass(frozen=True, eq=False)
class Comparison(Saved):
    """Which systems differ, by how much, and how certain that is, under one metric."""

    saved_as: ClassVar[str] = "comparison-by-metric"

    metric: str
    systems: tuple[str, ...]
    baseline: str | None
    mean: Floats  # [system]
    test: PairTests
    intervals: PairTests  # the test that intervals come from: max-t if that is the correction
    correction: str
    alpha: float
    p: Floats  # [pair] corrected; the test's own are in test.p
    wins: Ints  # [pair] topics on which system i is better
    ties: Ints  # [pair]
    losses: Ints  # [pair]
    margin: float | None = None  # of equivalence, in the metric's unit
    margin_d: float | None = None  # of equivalence, in standard deviations of the differences
    tests: int = 0  # number of tests that p-values are corrected for; 0: one per pair
    skewness: Floats = field(default_factory=lambda: np.empty(0))  # [pair] of the differences; 0 without spread
    skew_misleads: bool = False  # scores are skewed and of unequal scale, so that most tests err too often
    higher_is_better: bool = True
    over_topics: str = "mean"
    aggregate: Floats = field(default_factory=lambda: np.empty(0))  # [system] mean, sum …, costs not negated
    equivalent: Floats = field(default_factory=lambda: np.empty(0))  # [pair] p of equivalence, corrected across metrics

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """[pair] the names of the two systems."""
        return [(self.systems[i], self.systems[j]) for i, j in zip(self.test.i, self.test.j, strict=True)]

    @property
    def own_mean(self) -> Floats:
        """[system] the mean as it is, costs not negated."""
        return self.mean if self.higher_is_better else -self.mean

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of the mean difference, by default at 1 - alpha."""
        alpha = alpha_of_level(level, self.alpha)
        reach = self.intervals.half_width(alpha / self.family if self.correction == "bonferroni" else alpha)
        return self.intervals.interval_around(self.test.difference, reach)

    @property
    def family(self) -> int:
        """The number of tests that p-values are corrected for."""
        return self.tests or len(self.p)

    @property
    def corrects(self) -> bool:
        """Whether p-values are corrected for multiple tests."""
        return self.test.test.corrects(self.correction)

    @property
    def drawn(self) -> int:
        """The number of random resamples that p-values come from; 0 if none are random."""
        return (self.intervals if self.correction == "max-t" else self.test).drawn(self.correction)

    @property
    def alternative(self) -> Alternative:
        """Direction of the test, first system minus second: two-sided, greater or less."""
        return self.test.alternative

    @property
    def low(self) -> Floats:
        """[pair] the lower end of the interval of the mean difference at 1 - alpha."""
        return self.interval()[0]

    @property
    def high(self) -> Floats:
        """[pair] the upper end."""
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
    def against_means(self) -> int:
        """How many significant pairs are in favour of a system whose mean is not the better one."""
        return int(np.count_nonzero(self.significant & (self.test.direction != np.sign(self.test.difference))))

    @property
    def effect(self) -> Floats:
        """[pair] d_z: mean / sd of the differences; 0 if both are 0, NaN if only the sd is [cohen1988]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            size = self.test.difference / (self.test.error * np.sqrt(self.test.topics))
        return np.where(self.test.constant, np.nan, np.where(self.test.difference == 0, 0.0, size))

    def effect_interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of d_z, for one pair at a time, from the noncentral t [smithson2003].

        The interval of a one-sided test has one end.
        """
        alpha = alpha_of_level(level, self.alpha) * (1 if self.alternative == "two-sided" else 2)
        low, high = effect_interval(self.effect * np.sqrt(self.test.topics), self.test.topics, alpha)
        endless = np.where(np.isfinite(low), np.inf, np.nan)
        if self.alternative == "less":
            low = -endless
        elif self.alternative == "greater":
            high = endless
        return low, high

    def equivalence(self, margin: float | None = None) -> Floats:
        """[pair] p that the difference lies within ± margin, with Holm's correction over the pairs.

        A margin in the metric's unit is tested by two one-sided t-tests [schuirmann1987]; that of a comparison with a
        margin in standard deviations, if none is given here, by noncentral t [wellek2010]. If p-values are corrected
        across metrics, these are too for the comparison's own margin; for another margin, within the metric.
        """
        if margin is None and len(self.equivalent):
            return self.equivalent
        return corrected_p(self._equivalence_p(margin), "holm")

    def _equivalence_p(self, margin: float | None = None) -> Floats:
        """[pair] p that the difference lies within ± margin, not corrected."""
        margin = self.margin if margin is None else margin
        if margin is None and self.margin_d is not None:
            t = self.effect * np.sqrt(self.test.topics)
            return standardized_equivalence_p(t, self.test.topics, self.margin_d)
        if margin is None:
            raise InputError("Equivalence needs a margin in the metric's unit; give one.")
        return equivalence_p(self.test.difference, self.test.error, self.test.topics, margin)

    def detectable(self, power: float = 0.8) -> Floats:
        """[pair] the true difference that would be found significant with this probability, in the first step.

        It assumes normal differences and the family's critical value in these data; NaN if that is not one of t.
        """
        if not self.intervals.test.studentized or self.correction in ("bh", "by"):
            return np.full(len(self.p), np.nan)
        share = self.family if self.correction in ("bonferroni", "holm") else 1
        sides = 2 if self.alternative == "two-sided" else 1
        errors = detectable_shift(float(self.intervals.critical(self.alpha / share)), self.test.topics, power, sides)
        return np.where(self.test.error == 0, 0.0, errors) * self.test.error

    @property
    def unbiased_effect(self) -> Floats:
        """[pair] g_z: d_z corrected for its bias with few topics [hedges1981]."""
        return self.effect * (1 - 3 / (4 * (self.test.topics - 1) - 1))

    def verdicts(self) -> Signs:
        """[system, system] 1 if the row's system is significantly better than the column's, -1 if worse, else 0."""
        table = np.zeros((len(self.systems), len(self.systems)), dtype=np.int8)
        tested_sign = {"two-sided": 0, "greater": 1, "less": -1}[self.alternative]
        sign = np.where(self.significant, tested_sign or self.test.direction, 0).astype(np.int8)
        table[self.test.i, self.test.j] = sign
        table[self.test.j, self.test.i] = -sign
        return table

    @property
    def order(self) -> Ints:
        """[system] the positions of the systems, best mean first; equal means in the order given."""
        return np.argsort(-self.mean, kind="stable")

    def ranked(self) -> list[tuple[str, float]]:
        """The systems and their means, best first."""
        return [(self.systems[s], float(self.mean[s])) for s in self.order]

    def ranks(self) -> tuple[Ints, Ints]:
        """[system], [system] the best and the worst rank of each system that the tests allow.

        That is 1 + the number of systems that are significantly better, and K - the number that are significantly
        worse. With a correction that holds for all pairs together, the ranks do too.
        """
        verdicts = self.verdicts()
        best = 1 + np.count_nonzero(verdicts < 0, axis=1)
        return best, len(self.systems) - np.count_nonzero(verdicts > 0, axis=1)

    def groups(self) -> dict[str, str]:
        """Each system's letters, separated by spaces; two systems share one exactly if their pair is not significant.

        A compact letter display [piepho2004], with letters in the order of the best mean that has them.
        """
        if self.baseline is not None:
            raise InputError("Groups need all pairs of systems to be tested; leave out the baseline.")
        different = np.zeros((len(self.systems), len(self.systems)), dtype=np.bool_)
        different[self.test.i, self.test.j] = different[self.test.j, self.test.i] = self.significant
        by_place = letters(different[np.ix_(self.order, self.order)])
        return {name: by_place[place] for name, place in zip(self.systems, np.argsort(self.order), strict=True)}


def with_joint_equivalence(family: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons with p-values of equivalence corrected by Holm over all pairs and metrics."""
    p = corrected_p(np.concatenate([one._equivalence_p() for one in family]), "holm")
    return tuple(replace(one, equivalent=own) for one, own in zip(family, np.split(p, len(family)), strict=True))
