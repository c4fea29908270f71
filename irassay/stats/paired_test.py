"""Which paired test is carried out and how, and what it finds for every pair of systems."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Annotated, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.declarations import doc
from irassay.errors import InputError
from irassay.settings import Option, Record
from irassay.stats.corrections import corrected, find_correction
from irassay.stats.paired import Outcome, Sample, sample

TRIALS = 10_000  # resamples, where none are asked for

TestName = Literal[
    "max-t",
    "max-t-stepdown",
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "bootstrap",
    "bootstrap-shift",
    "bootstrap-max-t",
    "tukey",
    "anova-tukey",
]
CorrectionName = Literal["none", "bonferroni", "holm", "bh", "by", "max-t"]
Function = Callable[[Sample, "PairedTest"], Outcome]
Critical = Callable[[float, int, int], float]  # of alpha, systems and topics


@dataclass(frozen=True)
class Test:
    """A paired test by its name; the first line of its docstring is its summary, the rest its small print."""

    name: str
    cite: str
    family: bool  # p-values hold for all pairs together
    resamples: bool
    studentized: bool  # divides a difference by its own spread
    fewest: int  # topics, below which it finds far too many differences
    critical: Critical | None  # the critical value, where a formula gives one for all pairs together
    function: Function

    __test__ = False  # not a test of this project, for all its name
    __paired_test__ = True  # saved by its name

    @property
    def summary(self) -> str:
        """What the test asks, in a sentence."""
        return doc(self.function).split("\n")[0]

    @property
    def small_print(self) -> str:
        """What the test assumes, and where it was seen to fail."""
        lines = doc(self.function).split("\n")[1:]
        return " ".join(line.strip() for line in lines if line.strip())


TESTS: dict[str, Test] = {}


def paired_test(
    name: str,
    cite: str,
    *,
    family: bool = False,
    resamples: bool = False,
    studentized: bool = False,
    fewest: int = 0,
    critical: Critical | None = None,
) -> Callable[[Function], Function]:
    """Enters a function into the register of tests under `name`."""

    def enter(function: Function) -> Function:
        if name in TESTS:
            raise ValueError(f"There are two tests called {name}.")
        TESTS[name] = Test(name, cite, family, resamples, studentized, fewest, critical, function)
        return function

    return enter


def find_test(name: str) -> Test:
    """The test of this name.

    >>> find_test("t").summary
    "Is the mean difference larger than its standard error explains (paired Student's t)?"
    """
    import_module("irassay.stats.tests")  # which fills the register
    if name not in TESTS:
        raise InputError(f"There is no test called '{name}'; the tests are {', '.join(sorted(TESTS))}.")
    return TESTS[name]


@dataclass(frozen=True)
class PairedTest(Record):
    """How pairs of systems are tested.

    >>> table = np.array([[0.7, 0.3, 0.2, 0.6, 0.4], [0.5, 0.1, 0.0, 0.2, 0.4]])  # [system, topic]
    >>> PairedTest("t", "holm").run(table[:, :, None])[1].round(4)
    array([[0.0341]])
    """

    test: Annotated[TestName, Option("Which test.", panel="Testing")] = "max-t"
    correction: Annotated[
        CorrectionName, Option("Correction for many pairs.", flag="--correct", key="correct", panel="Testing")
    ] = "none"
    trials: Annotated[int | None, Option("Resamples.", shown="10000", least=1, panel="Testing")] = None
    seed: Annotated[int, Option("Seed of all that is random.", panel="Testing")] = 0
    compat: Annotated[bool, Option("As the papers: p-values c/B and their other choices.", panel="Testing")] = (
        False  # c/B, not (c+1)/(B+1)
    )
    band: Annotated[float, Option("Dead band of the sign test.", least=0, panel="Testing")] = 0.0

    def __post_init__(self) -> None:
        test = find_test(self.test)
        find_correction(self.correction)
        if test.family and self.correction != "none":
            raise InputError(
                f"The test '{self.test}' is of all pairs together and needs no correction; found '{self.correction}'. "
                "Leave the correction out, or use a test of one pair at a time, such as t."
            )
        if self.trials is not None and self.trials < 1:
            raise InputError(f"A resampling test needs at least one trial; found {self.trials}.")
        if self.band < 0:
            raise InputError(f"The dead band of the sign test cannot be negative; found {self.band:g}.")
        if not test.resamples and self.correction != "max-t":
            if self.trials is not None:
                raise InputError(f"The test '{self.test}' does not resample; leave out trials={self.trials}.")
            if self.compat:
                raise InputError(
                    f"The test '{self.test}' does not resample, so that its p-value is no c/B; leave out compat."
                )
        if self.band and self.test != "sign":
            raise InputError(f"Only the sign test has a dead band; leave out band={self.band:g} with '{self.test}'.")

    @property
    def resamples(self) -> int:
        """How many resamples a test that resamples draws."""
        return TRIALS if self.trials is None else self.trials

    def share(self, count: Ints, trials: int, exact: bool) -> Floats:
        """The p-value of `count` resamples at least as extreme: (c+1)/(B+1), or c/B where that is exact or asked."""
        return count / trials if exact or self.compat else (count + 1) / (trials + 1)

    def run(self, values: Floats, baseline: int | None = None, intervals: bool = True) -> tuple["PairTests", Floats]:
        """The test of every pair by scores [system, topic, metric], and the p-values [pair, metric] as corrected.

        Without `intervals` what only they need is not computed, and they must not be asked for.
        """
        scores = sample(values, baseline)
        found = self.of(scores, intervals)
        return found, self.corrected(found, self.joint(found, scores))

    def of(self, scores: Sample, intervals: bool = True) -> "PairTests":
        """The test of every pair; all metrics see the same resamples, so each gets the p-values it would get alone."""
        test = find_test(self.test)
        found = test.function(scores, self)
        return PairTests(
            test,
            scores.systems,
            scores.topics,
            scores.i,
            scores.j,
            scores.difference.T,
            scores.error.T,
            found.statistic.T,
            found.p.T,
            scores.constant.T,
            found.unit.T,
            found.null.T,
            found.trials,
            found.exact,
            self.seed,
            self.compat,
            found.centred().T if intervals and found.centred is not None else np.empty((0, scores.metrics)),
        )

    def joint(self, found: "PairTests", scores: Sample) -> "PairTests":
        """What intervals come from: max-t where that is the correction, otherwise the test itself."""
        if self.correction != "max-t":
            return found
        return replace(self, test="max-t", correction="none", band=0.0).of(scores)

    def corrected(self, found: "PairTests", joint: "PairTests") -> Floats:
        """The p-values corrected for the number of pairs."""
        return joint.p if self.correction == "max-t" else corrected(found.p, self.correction)


@dataclass(frozen=True, eq=False)
class PairTests:
    """What a test found for every pair of systems: arrays [pair, metric] of several metrics, [pair] of one."""

    test: Test
    systems: int
    topics: int
    i: Ints  # [pair]
    j: Ints  # [pair]
    difference: Floats  # [pair, metric] mean of system i less mean of system j
    error: Floats  # [pair, metric] standard error of the mean difference
    statistic: Floats  # [pair, metric]
    p: Floats  # [pair, metric] two-sided
    constant: Bools  # [pair, metric] the same difference on every topic, and not 0: no spread to judge it by
    unit: Floats  # [pair, metric] the critical value counts in these
    null: Floats  # [trial, metric] of a family test: the largest statistic of each resample, ascending
    trials: int  # resamples; 0: a formula
    exact: bool  # counted out, neither drawn nor approximated
    seed: int
    compat: bool
    centred: Floats = field(default_factory=lambda: np.empty(0))  # [trial, metric] as null, of centred differences

    def metric(self, metric: int) -> "PairTests":
        """The test by one of the metrics: arrays [pair]."""
        arrays = ("difference", "error", "statistic", "p", "constant", "unit", "null", "centred")
        return replace(self, **{name: getattr(self, name)[:, metric] for name in arrays})

    def critical(self, alpha: float = 0.05) -> Floats | float:
        """[metric] what |statistic| must exceed for p < alpha; of a test without such a value, that of Student's t."""
        if self.test.critical is not None:
            return self.test.critical(alpha, self.systems, self.topics)
        if len(self.null):
            # p < alpha leaves room for fewer than `most` resamples at or above the statistic
            most = alpha * len(self.null) if self.exact or self.compat else alpha * (len(self.null) + 1) - 1
            above = math.ceil(most - 1e-9)
            return self.null[-above] if above > 0 else math.inf
        from scipy.special import stdtrit

        return float(stdtrit(self.topics - 1, 1 - alpha / 2))

    def threshold(self, alpha: float = 0.05) -> Floats:
        """[pair, metric] how large a mean difference must be for p < alpha; the same for all pairs under HSD."""
        return self._reach(self.critical(alpha))

    def reach(self, alpha: float = 0.05) -> Floats:
        """[pair, metric] half the width of the intervals at 1 - alpha.

        That of max-t takes the larger of two critical values, of the differences as they are and of differences moved
        to mean 0: the first depends on how far the true means lie apart, and alone is too small for intervals.
        """
        critical = self.critical(alpha)
        if len(self.centred):
            trials = len(self.centred)
            place = math.ceil(round((1 - alpha) * (trials + 1), 9))
            place = min(place, trials) if self.exact else place
            critical = np.maximum(critical, self.centred[place - 1]) if place <= trials else math.inf
        return self._reach(critical)

    def _reach(self, critical: Floats | float) -> Floats:
        """[pair, metric] a critical value in the metric's units."""
        flat = np.where(np.isfinite(critical), 0.0, np.inf)
        return np.where(self.unit > 0, critical, flat) * np.where(self.unit > 0, self.unit, 1.0)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[pair, metric] the ends of the confidence interval of the mean difference.

        Under tukey, anova-tukey and max-t the intervals hold for all pairs together; otherwise they are
        those of Student's t, for one pair at a time.
        """
        reach = self.reach(round(1 - level, 12))
        return self.difference - reach, self.difference + reach

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals hold for all pairs together."""
        return self.test.critical is not None or len(self.null) > 0

    def power(self, alpha: float = 0.05) -> Floats:
        """[metric] the share of pairs with p < alpha: the discriminative power of the metric."""
        return np.mean(self.p < alpha, axis=0)

    def notes(self, alpha: float = 0.05, corrected: bool = False) -> list[str]:
        """What a reader of the test by one metric should know, a sentence each; p-values may be corrected later."""
        said = []
        if not self.difference.any() and not self.error.any():
            said.append("All systems have the same scores on every topic, so nothing tells them apart.")
        flat = int(np.count_nonzero(self.constant))
        if flat:
            said.append(
                f"{flat} of {len(self.p)} pairs differ by the same amount on every topic; "
                "there is no spread to judge that by."
            )
        if self.topics < self.test.fewest:
            said.append(
                f"With {self.topics} topics this bootstrap finds far too many differences; use permutation or t."
            )
        if not self.test.family and len(self.p) > 1 and not corrected:
            said.append(
                f"The p-values of this test are of one pair at a time: of {len(self.p):,} pairs that do not differ, "
                f"{round(alpha * len(self.p), 2):,.10g} are expected below {alpha:g}."
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
