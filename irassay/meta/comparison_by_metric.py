"""A comparison by one metric: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, Signs
from irassay.errors import InputError
from irassay.meta.shared_options import alpha_of_level
from irassay.results import Saved, register_saved
from irassay.stats.corrections import corrected_p
from irassay.stats.effects import detectable_shift, effect_interval, equivalence_p, standardized_equivalence_p
from irassay.stats.letters import letters
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired import Alternative

register_saved("pair-tests", PairTests)


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
    margin_d: float | None = None  # of equivalence, in standard deviations of the differences
    tests: int = 0  # of the family that p-values are corrected for; 0: one a pair
    skewness: Floats = field(default_factory=lambda: np.empty(0))  # [pair] of the differences; 0 without spread
    higher_is_better: bool = True
    over_topics: str = "mean"
    aggregate: Floats = field(default_factory=lambda: np.empty(0))  # [system] mean, sum … in the metric's own sign
    equivalent: Floats = field(default_factory=lambda: np.empty(0))  # [pair] as equivalence(), of a family of metrics

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """[pair] the two systems, by their names."""
        return [(self.systems[i], self.systems[j]) for i, j in zip(self.test.i, self.test.j, strict=True)]

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair] the ends of the interval of the mean difference, at 1 - alpha unless a level is given."""
        alpha = alpha_of_level(level, self.alpha)
        reach = self.intervals.reach(alpha / self.family if self.correction == "bonferroni" else alpha)
        return self.intervals.around(self.test.difference, reach)

    @property
    def family(self) -> int:
        """How many tests there are in the family that p-values are corrected for."""
        return self.tests or len(self.p)

    @property
    def corrects(self) -> bool:
        """Whether p-values hold for several tests together."""
        return self.test.test.family or self.correction != "none"

    @property
    def alternative(self) -> Alternative:
        """What is asked of the first system less the second: two-sided, greater or less."""
        return self.test.alternative

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
        """[pair] the ends of the interval of d_z, for one pair at a time, from the noncentral t [smithson2003].

        Those of a one-sided test have one end.
        """
        alpha = alpha_of_level(level, self.alpha) * (1 if self.alternative == "two-sided" else 2)
        low, high = effect_interval(self.effect * np.sqrt(self.test.topics), self.test.topics, alpha)
        known = np.isfinite(low)
        if self.alternative == "less":
            low = np.where(known, -np.inf, np.nan)
        elif self.alternative == "greater":
            high = np.where(known, np.inf, np.nan)
        return low, high

    def equivalence(self, margin: float | None = None) -> Floats:
        """[pair] p of a difference within ± margin, by Holm's correction over the pairs.

        In the metric's unit by two one-sided t-tests [schuirmann1987]; where the comparison has a margin in standard
        deviations, and none is given here, by noncentral t [wellek2010]. Where p-values are corrected across metrics,
        so are these for the margin that the comparison was asked for; for another, within the metric.
        """
        if margin is None and len(self.equivalent):
            return self.equivalent
        return corrected_p(self._equivalence(margin), "holm")

    def _equivalence(self, margin: float | None = None) -> Floats:
        """[pair] p of a difference within ± margin, not corrected."""
        margin = self.margin if margin is None else margin
        if margin is None and self.margin_d is not None:
            t = self.effect * np.sqrt(self.test.topics)
            return standardized_equivalence_p(t, self.test.topics, self.margin_d)
        if margin is None:
            raise InputError("Equivalence needs a margin, in the metric's unit; give one.")
        return equivalence_p(self.test.difference, self.test.error, self.test.topics, margin)

    def detectable(self, power: float = 0.8) -> Floats:
        """[pair] the true difference that would come out significant with this probability, in the first step.

        The critical value is that of the family in these data; differences are taken to be normal. NaN for a test
        whose critical value is not one of t.
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
        """[system, system] 1 where the row's system is significantly better than the column's, -1 worse, 0 neither."""
        table = np.zeros((len(self.systems), len(self.systems)), dtype=np.int8)
        only = {"two-sided": 0, "greater": 1, "less": -1}[self.alternative]
        sign = np.where(self.significant, only or np.sign(self.test.difference), 0).astype(np.int8)
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


def with_joint_equivalence(family: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with p-values of equivalence corrected as one family, by Holm over all pairs and metrics."""
    p = corrected_p(np.concatenate([one._equivalence() for one in family]), "holm")
    return [replace(one, equivalent=own) for one, own in zip(family, np.split(p, len(family)), strict=True)]
