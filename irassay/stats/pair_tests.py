"""The declaration of a paired test, the registry of all tests, and the result of a test for every pair of systems."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.declarations import doc
from irassay.errors import argument
from irassay.notes import Note
from irassay.prose import add_aliases, count_phrase
from irassay.stats.levels import alpha_of_level
from irassay.stats.paired_sample import Alternative, Outcome

CriticalValue = Callable[[float, int, int], float]  # from alpha, systems and topics
TestFunction = Callable[..., Outcome]  # from a Sample and a PairedTest


@dataclass(frozen=True)
class Test:
    """A paired test; the first line of its function's docstring is its summary, the rest its small print."""

    name: str
    cite: str
    function: TestFunction
    label: str  # in captions and methods paragraphs: "a two-sided LABEL"
    short: str  # in sentences and headings
    aliases: tuple[str, ...] = ()  # other names, for suggestions
    family: bool = False  # p-values hold for all pairs together, and need no correction
    resamples: bool = False
    studentized: bool = False  # divides a difference by its own spread
    directed: bool = False  # may be one-sided
    unites: bool = False  # a family test that can treat the pairs of several metrics as one family
    by_signs: bool = False  # p is at least 1 in the number of choices of signs of topics
    banded: bool = False  # takes a dead band, within which differences are ties
    own_intervals: bool = False  # a test of one pair that agrees with its intervals, which are Student's
    one_threshold: bool = False  # a family test that requires the same difference of means for all pairs
    by_ranks: bool = False  # looks at ranks or signs of differences, not at their mean
    skew_safe: bool = False  # keeps its level for skewed scores of unequal scale
    efficiency: float = 1.0  # relative to the t-test, for normal differences
    min_topics: int = 0  # with fewer it finds far too many differences
    critical: CriticalValue | None = None  # the critical value, if a formula gives one for all pairs together
    one_pair_test: str = ""  # of a family test: the test of one pair with the same p-values if there is only one pair
    caveat: str = ""  # a sentence for readers who count the pairs that it separates

    __test__ = False  # not a test for pytest
    __paired_test__ = True  # saved by its name

    @property
    def flips_signs(self) -> bool:
        """Whether it compares t with the largest t of a family under random signs of topics, like max-t."""
        return self.family and self.by_signs

    def corrects(self, correction: str) -> bool:
        """Whether p-values with this correction hold for several pairs together; those of a family test always do."""
        return self.family or correction != "none"

    @property
    def summary(self) -> str:
        """The question that the test answers."""
        return doc(self.function).split("\n")[0]

    @property
    def small_print(self) -> str:
        """What the test assumes, and where it failed in simulations."""
        lines = doc(self.function).split("\n")[1:]
        return " ".join(line.strip() for line in lines if line.strip())


TESTS: dict[str, Test] = {}


def paired_test(
    name: str, cite: str, traits: str = "", *, label: str = "", short: str = "", aliases: str = "", **values: Any
) -> Callable[[TestFunction], TestFunction]:
    """Declares a test: its name, citation and wording, the `traits` of `Test` that it has, and values of other fields.

    The function takes a `Sample` and the `PairedTest` that calls it. Everything else about the test, from `--test` to
    the methods paragraph, follows from this declaration.
    """

    def register(function: TestFunction) -> TestFunction:
        if name in TESTS:
            raise ValueError(f"There are two tests called {name}.")
        names = label or f"{name} test", short or name, tuple(aliases.split())
        TESTS[name] = Test(name, cite, function, *names, **values | dict.fromkeys(traits.split(), True))
        add_aliases(dict.fromkeys(names[2], name))
        return function

    return register


@dataclass(frozen=True, eq=False)
class PairTests:
    """The result of a test for every pair of systems: arrays [pair, metric] for several metrics, [pair] for one."""

    test: Test
    systems: int
    topics: int
    i: Ints  # [pair]
    j: Ints  # [pair]
    difference: Floats  # [pair, metric] mean of system i minus mean of system j
    error: Floats  # [pair, metric] standard error of the mean difference
    statistic: Floats  # [pair, metric]
    p: Floats  # [pair, metric]
    constant: Bools  # [pair, metric] the same difference other than 0 on every topic, so there is no spread
    unit: Floats  # [pair, metric] of the critical value
    null: Floats  # [trial, metric] of a family test: the largest statistic of each resample, ascending
    trials: int  # resamples; 0: a formula
    exact: bool  # enumerated, neither drawn nor approximated
    seed: int
    compat: bool
    centred: Floats = field(default_factory=lambda: np.empty(0))  # [trial, metric] like null, of centred differences
    alternative: Alternative = "two-sided"  # of system i minus system j
    united: bool = False  # null is over all pairs by all metrics

    def metric(self, metric: int) -> "PairTests":
        """The test of one of the metrics: arrays [pair]."""
        arrays = ("difference", "error", "statistic", "p", "constant", "unit", "null", "centred")
        return replace(self, **{name: getattr(self, name)[:, metric] for name in arrays})

    def critical(self, alpha: float = 0.05) -> Floats | float:
        """[metric] what |statistic| must exceed for p < alpha; for a test without such a value, that of Student's t.

        Under a one-sided alternative, the statistic itself or its negative must exceed it.
        """
        if self.test.critical is not None:
            return self.test.critical(alpha, self.systems, self.topics)
        if len(self.null):
            # p < alpha where fewer than `limit` resamples are at or above the statistic
            limit = alpha * len(self.null) if self.exact or self.compat else alpha * (len(self.null) + 1) - 1
            above = math.ceil(limit - 1e-9)
            return self.null[-above] if above > 0 else math.inf
        from scipy.special import stdtrit

        return float(stdtrit(self.topics - 1, 1 - (alpha / 2 if self.alternative == "two-sided" else alpha)))

    def can_reject(self, alpha: float) -> bool:
        """Whether any p can be below alpha; with 5 topics, whose signs have 16 choices, it is at least 1/16."""
        return not (self.exact and self.trials and 1 / self.trials >= alpha)

    @property
    def direction(self) -> Floats:
        """[pair, metric] 1 if the test is in favour of system i, -1 if of system j, 0 if of neither.

        A test by ranks or signs may favour the system with the lower mean, which loses much on few topics.
        """
        return np.sign(self.statistic if self.test.by_ranks else self.difference)

    def threshold(self, alpha: float = 0.05) -> Floats:
        """[pair, metric] the mean difference above which p < alpha; the same for all pairs under HSD."""
        return self._in_metric_units(self.critical(alpha))

    def half_width(self, alpha: float = 0.05) -> Floats:
        """[pair, metric] half the width of the intervals at 1 - alpha.

        For max-t it uses the larger of two critical values: that of the differences as they are, and that of centred
        differences. The first depends on how much the true means differ, and is too small for intervals by itself.
        With too few resamples, or topics to flip the signs of, there is no such value: the width is infinite.
        """
        critical = self.critical(alpha)
        if not self.can_reject(alpha):
            critical = math.inf
        elif len(self.centred):
            trials = len(self.centred)
            place = math.ceil(round((1 - alpha) * (trials + 1), 9))
            place = min(place, trials) if self.exact else place
            critical = np.maximum(critical, self.centred[place - 1]) if place <= trials else math.inf
        return self._in_metric_units(critical)

    def _in_metric_units(self, critical: Floats | float) -> Floats:
        """[pair, metric] a critical value in the metric's units."""
        flat = np.where(np.isfinite(critical), 0.0, np.inf)
        return np.where(self.unit > 0, critical, flat) * np.where(self.unit > 0, self.unit, 1.0)

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[pair, metric] the ends of the confidence interval of the mean difference, by default at 0.95.

        Intervals of family tests hold for all pairs together; others are Student's, for one pair at a time. Intervals
        of one-sided tests have one end.
        """
        return self.interval_around(self.difference, self.half_width(alpha_of_level(level, 0.05)))

    def interval_around(self, centre: Floats, half_width: Floats) -> tuple[Floats, Floats]:
        """The ends of intervals; under a one-sided alternative the other end is infinite."""
        infinite = np.full_like(centre, np.inf)
        low = -infinite if self.alternative == "less" else centre - half_width
        return low, infinite if self.alternative == "greater" else centre + half_width

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
        """Notes on the test of one metric; p-values may be corrected later.

        `intervals` says whether the reader sees intervals, too.
        """
        notes: list[str] = []
        if not self.difference.any() and not self.error.any():
            by = f" by {metric}" if metric else ""
            notes.append(f"All systems have the same scores{by} on every topic, so no test can separate them.")
        flat = int(np.count_nonzero(self.constant))
        if flat:
            how = "" if self.unit[self.constant].any() else ", and p is from flipping the signs of topics"
            which = f"{flat} of {len(self.p)} pairs differ" if len(self.p) > 1 else "The two systems differ"
            by = f" in {metric}" if metric else ""
            notes.append(f"{which}{by} by the same amount on every topic, so there is no spread to test against{how}.")
        if self.topics < self.test.min_topics:
            text = f"With {self.topics} topics this test finds far too many differences; use permutation or t."
            notes.append(Note(text, caveat=True))
        if not self.test.family and len(self.p) > 1 and not corrected:
            text = (
                f"The p-values of this test are for one pair at a time: of {len(self.p):,} pairs that do not differ, "
                f"{round(alpha * len(self.p), 2):,.10g} are expected below {alpha:g}."
            )
            notes.append(Note(text, caveat=True))
        if intervals and not self.test.family and not self.test.own_intervals:
            notes.append("Intervals are Student's and may disagree with this test on whether a difference is 0.")
        if self.trials and not self.exact and not self.compat and 1 / (self.trials + 1) >= alpha:
            text = f"With {self.trials} resamples no p-value can fall below {1 / (self.trials + 1):.2g}."
            notes.append(Note(text, caveat=True))
        if not self.can_reject(alpha):
            text = f"With {self.topics} topics no p-value can fall below {1 / self.trials:.2g}."
            notes.append(Note(text, caveat=True))
        if self.test.one_threshold and self.can_reject(alpha):
            notes.append(
                f"Means that differ by more than {self.threshold(alpha).max():.4f} differ significantly at {alpha:g}; "
                "this threshold depends on the runs included."
            )
        return notes

    def drawn(self, correction: str) -> int:
        """The number of random resamples that p-values come from; 0 if all are tried, or a correction changes p."""
        return self.trials if not self.exact and correction in ("none", "max-t") else 0


def seed_notes(p: Floats, alpha: float, drawn: int) -> list[str]:
    """How many verdicts another seed may change, by p-values [pair] or [pair, metric] from random resamples."""
    error = math.sqrt(alpha * (1 - alpha) / drawn) if drawn else 0.0
    near = int(np.count_nonzero(np.abs(p - alpha) < 2 * error, axis=0).max())  # of the metric with most
    if not near:
        return []
    pairs = count_phrase(near, "pair") if p[0].size == 1 else f"up to {count_phrase(near, 'pair')} by a metric"
    return [
        f"{pairs} {'has' if near == 1 else 'have'} a p within 2 Monte Carlo errors ({2 * error:.4f}) of {alpha:g}, so "
        f"another seed may decide differently; more resamples ({argument('trials')}) settle it"
    ]
