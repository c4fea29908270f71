"""What a paired test declares, the register of all tests, and what a test finds for every pair of systems."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.declarations import doc
from irassay.prose import add_aliases
from irassay.stats.paired import Alternative, Outcome

CriticalValue = Callable[[float, int, int], float]  # of alpha, systems and topics
TestFunction = Callable[..., Outcome]  # of a Sample and a PairedTest


@dataclass(frozen=True)
class Test:
    """A paired test; the first line of its function's docstring is its summary, the rest its small print."""

    name: str
    cite: str
    function: Callable[..., Outcome]
    label: str  # in captions and sections on methods: "a two-sided LABEL"
    short: str  # in sentences and headings
    aliases: tuple[str, ...] = ()  # other names of it, which a wrong name is compared with
    family: bool = False  # p-values hold for all pairs together, and take no correction
    resamples: bool = False
    studentized: bool = False  # divides a difference by its own spread
    directed: bool = False  # may be one-sided
    unites: bool = False  # a family test that may take pairs of several metrics as one family
    by_signs: bool = False  # p is at least 1 in the number of choices of signs of topics
    banded: bool = False  # takes a dead band, within which differences are ties
    own_intervals: bool = False  # a test of one pair whose intervals are Student's, and agree with it
    one_threshold: bool = False  # a family test that asks for the same difference of means of all pairs
    efficiency: float = 1.0  # relative to the t-test, of normal differences
    fewest: int = 0  # topics, below which it finds far too many differences
    critical: CriticalValue | None = None  # the critical value, where a formula gives one for all pairs together
    alone: str = ""  # of a family test: the test of one pair that has its p-values where there is one pair
    caveat: str = ""  # a sentence for whoever counts the pairs that it discriminates

    __test__ = False  # not a test of this project, for all its name
    __paired_test__ = True  # saved by its name

    @property
    def flips_signs(self) -> bool:
        """Whether it compares t with the largest t of a family under random signs of topics, as max-t does."""
        return self.family and self.by_signs

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
    name: str, cite: str, *, label: str = "", short: str = "", aliases: str = "", **traits: Any
) -> Callable[[TestFunction], TestFunction]:
    """Declares a test by its name, its citation, its wording and its traits (see `Test`); aliases are in one string.

    The function takes a `Sample` and the `PairedTest` that asks for it. Everything else about the test, from `--test`
    to the section on methods, follows from this declaration.
    """

    def enter(function: TestFunction) -> TestFunction:
        if name in TESTS:
            raise ValueError(f"There are two tests called {name}.")
        names = label or f"{name} test", short or name, tuple(aliases.split())
        TESTS[name] = Test(name, cite, function, *names, **traits)
        add_aliases(dict.fromkeys(names[2], name))
        return function

    return enter


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
    p: Floats  # [pair, metric]
    constant: Bools  # [pair, metric] the same difference on every topic, and not 0: no spread to judge it by
    unit: Floats  # [pair, metric] the critical value counts in these
    null: Floats  # [trial, metric] of a family test: the largest statistic of each resample, ascending
    trials: int  # resamples; 0: a formula
    exact: bool  # counted out, neither drawn nor approximated
    seed: int
    compat: bool
    centred: Floats = field(default_factory=lambda: np.empty(0))  # [trial, metric] as null, of centred differences
    alternative: Alternative = "two-sided"  # of system i less system j
    united: bool = False  # null is that of all pairs by all metrics

    def metric(self, metric: int) -> "PairTests":
        """The test by one of the metrics: arrays [pair]."""
        arrays = ("difference", "error", "statistic", "p", "constant", "unit", "null", "centred")
        return replace(self, **{name: getattr(self, name)[:, metric] for name in arrays})

    def critical(self, alpha: float = 0.05) -> Floats | float:
        """[metric] what |statistic| must exceed for p < alpha; of a test without such a value, that of Student's t.

        Under a one-sided alternative it is the statistic itself, or its negative.
        """
        if self.test.critical is not None:
            return self.test.critical(alpha, self.systems, self.topics)
        if len(self.null):
            # p < alpha leaves room for fewer than `most` resamples at or above the statistic
            most = alpha * len(self.null) if self.exact or self.compat else alpha * (len(self.null) + 1) - 1
            above = math.ceil(most - 1e-9)
            return self.null[-above] if above > 0 else math.inf
        from scipy.special import stdtrit

        return float(stdtrit(self.topics - 1, 1 - (alpha / 2 if self.alternative == "two-sided" else alpha)))

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

        Those of family tests hold for all pairs together; the others are those of Student's t, for one pair at a time.
        Those of one-sided tests have one end.
        """
        return self.around(self.difference, self.reach(round(1 - level, 12)))

    def around(self, centre: Floats, reach: Floats) -> tuple[Floats, Floats]:
        """The ends of intervals; under a one-sided alternative the other one is infinite."""
        endless = np.full_like(centre, np.inf)
        return (
            -endless if self.alternative == "less" else centre - reach,
            endless if self.alternative == "greater" else centre + reach,
        )

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals hold for all pairs together."""
        return self.test.critical is not None or len(self.null) > 0

    def power(self, alpha: float = 0.05) -> Floats:
        """[metric] the share of pairs with p < alpha: the discriminative power of the metric."""
        return np.mean(self.p < alpha, axis=0)

    def notes(
        self, alpha: float = 0.05, corrected: bool = False, metric: str = "", intervals: bool = True
    ) -> list[str]:
        """What a reader of the test by one metric should know, a sentence each; p-values may be corrected later.

        `intervals` says whether the reader sees intervals, too.
        """
        said = []
        if not self.difference.any() and not self.error.any():
            all_systems = f"By {metric} all systems" if metric else "All systems"
            said.append(f"{all_systems} have the same scores on every topic, so nothing tells them apart.")
        flat = int(np.count_nonzero(self.constant))
        if flat:
            how = "" if self.unit[self.constant].any() else ", and p is that of flipping the signs of topics"
            which = f"{flat} of {len(self.p)} pairs differ" if len(self.p) > 1 else "The two systems differ"
            by = f" in {metric}" if metric else ""
            said.append(f"{which}{by} by the same amount on every topic; there is no spread to judge that by{how}.")
        if self.topics < self.test.fewest:
            said.append(f"With {self.topics} topics this test finds far too many differences; use permutation or t.")
        if not self.test.family and len(self.p) > 1 and not corrected:
            said.append(
                f"The p-values of this test are of one pair at a time: of {len(self.p):,} pairs that do not differ, "
                f"{round(alpha * len(self.p), 2):,.10g} are expected below {alpha:g}."
            )
        if intervals and not self.test.family and not self.test.own_intervals:
            said.append("Intervals are those of Student's t, and may disagree with this test about 0.")
        if self.trials and not self.exact and not self.compat and 1 / (self.trials + 1) >= alpha:
            said.append(f"With {self.trials} resamples no p-value can fall below {1 / (self.trials + 1):.2g}.")
        if self.exact and self.trials and 1 / self.trials >= alpha:
            said.append(f"With {self.topics} topics no p-value can fall below {1 / self.trials:.2g}.")
        if self.test.one_threshold:
            said.append(
                f"Means that differ by more than {self.threshold(alpha).max():.4f} differ significantly at {alpha:g}; "
                "this threshold depends on the runs included."
            )
        return said
