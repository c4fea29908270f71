"""Paired tests of every pair of systems at once: which of them differ, and how sure that is."""

import math
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.parallel import Progress
from irassay.stats import family, formulas, resampling
from irassay.stats.paired import NOISE, TESTS, Plan, Test, sample
from irassay.stats.studentized_range import range_critical

__all__ = ["TESTS", "PairTest", "PairTests", "find_test", "pvalues", "pvalues_many"]

# Importing the modules is what fills the register.
REGISTERED = (formulas, resampling, family)


@dataclass(frozen=True, eq=False)
class PairTest:
    """One test of every pair of systems by one metric."""

    test: Test
    systems: int
    topics: int
    i: Ints  # [pair]
    j: Ints  # [pair]
    difference: Floats  # [pair] mean of system i less mean of system j
    error: Floats  # [pair] standard error of the mean difference
    statistic: Floats  # [pair]
    p: Floats  # [pair] two-sided
    constant: Bools  # [pair] the same difference on every topic, and not 0: no spread to judge it by
    unit: Floats  # [pair] the critical value counts in these
    null: Floats  # [trial] of a family test: the largest statistic of each resample, ascending
    trials: int  # resamples; 0: a formula
    exact: bool  # counted out, neither drawn nor approximated
    seed: int
    compat: bool

    def critical(self, alpha: float = 0.05) -> float:
        """The value that |statistic| must exceed for p < alpha; of a test without one, that of Student's t."""
        if self.test.name == "anova-tukey":
            return range_critical(alpha, self.systems, (self.systems - 1) * (self.topics - 1))
        if len(self.null):
            # p < alpha leaves room for fewer than `most` resamples at or above the statistic
            most = alpha * len(self.null) if self.exact or self.compat else alpha * (len(self.null) + 1) - 1
            above = math.ceil(most - 1e-9)
            return float(self.null[-above]) if above > 0 else math.inf
        from scipy.special import stdtrit

        return float(stdtrit(self.topics - 1, 1 - alpha / 2))

    def threshold(self, alpha: float = 0.05) -> Floats:
        """[pair] how large a mean difference must be for p < alpha; the same for all pairs under HSD."""
        critical = self.critical(alpha)
        return np.where(self.unit > 0, critical, 0.0 if np.isfinite(critical) else np.inf) * np.where(
            self.unit > 0, self.unit, 1.0
        )

    def interval(self, alpha: float = 0.05) -> tuple[Floats, Floats]:
        """[pair] the ends of the confidence interval of the mean difference.

        Under tukey, anova-tukey and max-t the intervals hold for all pairs together; otherwise they are
        those of Student's t, for one pair at a time.
        """
        reach = self.threshold(alpha)
        return self.difference - reach, self.difference + reach

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals hold for all pairs together."""
        return self.test.name == "anova-tukey" or len(self.null) > 0

    def power(self, alpha: float = 0.05) -> float:
        """The share of pairs with p < alpha: the discriminative power of the metric."""
        return float(np.mean(self.p < alpha))

    def notes(self, alpha: float = 0.05) -> list[str]:
        """What a reader of the result should know, a sentence each."""
        said = []
        if not self.difference.any() and not self.error.any():
            said.append("All systems have the same scores on every topic, so nothing tells them apart.")
        flat = int(np.count_nonzero(self.constant))
        if flat:
            said.append(
                f"{flat} of {len(self.p)} pairs differ by the same amount on every topic; "
                "there is no spread to judge that by."
            )
        if self.test.name.startswith("bootstrap") and self.topics < (20 if self.test.name == "bootstrap-shift" else 5):
            said.append(
                f"With {self.topics} topics this bootstrap finds far too many differences; use permutation or t."
            )
        if not self.test.family and len(self.p) > 1:
            said.append(
                f"The p-values of this test are of one pair at a time: of {len(self.p):,} pairs that do not differ, "
                f"about {alpha * len(self.p):,.0f} would come out below {alpha:g}."
            )
        if not self.test.family and self.test.name != "t":
            said.append("Intervals are those of Student's t, and may disagree with this test about 0.")
        if self.trials and not self.exact and not self.compat and 1 / (self.trials + 1) >= alpha:
            said.append(f"With {self.trials} resamples no p-value can fall below {1 / (self.trials + 1):.2g}.")
        if self.exact and self.trials and 1 / self.trials >= alpha:
            said.append(f"With {self.topics} topics no p-value can fall below {1 / self.trials:.2g}.")
        if self.test.name == "tukey":
            said.append(
                f"Means that differ by more than {self.critical(alpha):.4f} differ significantly at {alpha:g}; "
                "this threshold depends on the runs included."
            )
        return said


@dataclass(frozen=True, eq=False)
class PairTests:
    """One test of every pair of systems by each of several metrics, on the same resamples."""

    test: Test
    systems: int
    topics: int
    i: Ints  # [pair]
    j: Ints  # [pair]
    difference: Floats  # [pair, metric]
    error: Floats  # [pair, metric]
    statistic: Floats  # [pair, metric]
    p: Floats  # [pair, metric]
    constant: Bools  # [pair, metric]
    unit: Floats  # [pair, metric]
    null: Floats  # [trial, metric]
    trials: int
    exact: bool
    seed: int
    compat: bool

    def metric(self, metric: int) -> PairTest:
        """The test by one of the metrics."""
        return PairTest(
            self.test,
            self.systems,
            self.topics,
            self.i,
            self.j,
            self.difference[:, metric],
            self.error[:, metric],
            self.statistic[:, metric],
            self.p[:, metric],
            self.constant[:, metric],
            self.unit[:, metric],
            self.null[:, metric],
            self.trials,
            self.exact,
            self.seed,
            self.compat,
        )

    def power(self, alpha: float = 0.05) -> Floats:
        """[metric] the share of pairs with p < alpha: the discriminative power of each metric."""
        return np.mean(self.p < alpha, axis=0)


def find_test(name: str) -> Test:
    """The test of this name.

    >>> find_test("t").summary
    "Is the mean difference larger than its standard error explains (paired Student's t)?"
    """
    if name not in TESTS:
        raise InputError(f"There is no test called '{name}'; the tests are {', '.join(sorted(TESTS))}.")
    return TESTS[name]


def pvalues(
    X: Floats,
    test: str = "max-t",
    *,
    baseline: int | None = None,
    trials: int = 10_000,
    seed: int = 0,
    compat: bool = False,
    noise: float = NOISE,
    band: float = 0.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairTest:
    """Tests every pair of systems, or every system against a baseline, on scores [topic, system].

    p-values are two-sided; those of resampling tests are (c+1)/(B+1), or c/B with `compat`, as papers have
    it, and then 0 is possible. Differences below `noise` times the range of the scores are ties. `band` is
    the dead band of the sign test.

    >>> pvalues(np.array([[0.7, 0.5], [0.3, 0.1], [0.2, 0.0], [0.6, 0.2], [0.4, 0.4]]), "t").p.round(4)
    array([0.0341])
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(f"Scores must have the axes [topic, system]; found {X.ndim} axes.")
    return pvalues_many(
        X.T[:, :, None],
        test,
        baseline=baseline,
        trials=trials,
        seed=seed,
        compat=compat,
        noise=noise,
        band=band,
        jobs=jobs,
        progress=progress,
    ).metric(0)


def pvalues_many(
    cube: Floats,
    test: str = "max-t",
    *,
    baseline: int | None = None,
    trials: int = 10_000,
    seed: int = 0,
    compat: bool = False,
    noise: float = NOISE,
    band: float = 0.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairTests:
    """Tests every pair of systems by every metric, on scores [system, topic, metric].

    All metrics see the same resamples, drawn once, so each gets the p-values that it would get alone.
    """
    found = find_test(test)
    if trials < 1:
        raise InputError(f"A resampling test needs at least one trial; found {trials}.")
    if band < 0:
        raise InputError(f"The dead band of the sign test cannot be negative; found {band:g}.")
    scores = sample(cube, baseline, noise)
    result = found.function(scores, Plan(trials, seed, compat, band, jobs, progress))
    return PairTests(
        found,
        scores.systems,
        scores.topics,
        scores.i,
        scores.j,
        scores.difference.T,
        scores.error.T,
        result.statistic.T,
        result.p.T,
        scores.constant.T,
        result.unit.T,
        result.null.T,
        result.trials,
        result.exact,
        seed,
        compat,
    )
