"""How many topics a comparison takes, for one pair and for all pairs together, and what a model's judgements save."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import SMALLEST_ALPHA
from irassay.meta.model_judgements import AlsoScoresOption
from irassay.meta.plan_levels import (
    can_be_significant,
    few_topic_levels,
    pair_levels,
    refuse_few_trials,
    refuse_impossible,
)
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Teams
from irassay.meta.variance_components import Components, variance_components
from irassay.method import method
from irassay.results import Result
from irassay.scores import Scores
from irassay.settings import DefaultMetrics, Option
from irassay.stats.jackknife import jackknife_error
from irassay.stats.paired import Alternative, sample
from irassay.stats.paired_test import PairedTest
from irassay.stats.power import SMALLEST_EFFECT, human_topics, power_of_t, topics_for_sign_flips, topics_for_t


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """How many topics each metric needs to find a difference: in one pair by a paired t-test, and among many pairs."""

    saved_as: ClassVar[str] = "plan"

    metrics: tuple[str, ...]
    components: tuple[Components, ...]  # [metric]
    difference: float
    alpha: float
    wanted: float  # the power asked for
    test: str = ""  # of all pairs, with its correction; none: pairs are not planned for together
    pairs: int = 1
    level: Floats = field(default_factory=lambda: np.empty(0))  # [metric] of each pair, for the family to be at alpha
    spread: Floats = field(default_factory=lambda: np.empty(0))  # [metric] standard error of log residual variance
    correlation: Floats = field(default_factory=lambda: np.empty(0))  # [metric] of a model's scores with human ones
    ratio: Floats = field(default_factory=lambda: np.empty(0))  # [metric] variance of the model's by that of human ones
    further: int = 0  # topics that the model judges beyond the human ones
    sides: int = 2  # of the tests
    united: bool = False  # the family is of all pairs by all metrics
    few: Floats = field(default_factory=lambda: np.empty((0, 0)))  # [metric, topics] as level, over so few topics

    def topics(self) -> Ints:
        """[metric] how many topics find the difference in one pair with the power asked for, by a paired t-test."""
        return self.topics_of_one()[0]

    def topics_of_one(self) -> tuple[Ints, Ints, Ints]:
        """[metric] the same with the ends of a 95 % interval, as that of `family_topics`."""
        return self._each_end(lambda m, residual: self._topics(residual, self.alpha))

    def _topics(self, residual: float, alpha: float) -> int:
        if residual <= 0:
            return topics_for_sign_flips(alpha, self.sides)
        return topics_for_t(self.difference, residual, alpha=alpha, power=self.wanted, sides=self.sides)

    def power(self, alpha: float | None = None) -> Floats:
        """[metric] the probability that the topics there are find the difference in one pair."""
        level = self.alpha if alpha is None else alpha
        return np.array([self._power(c.topics, c.residual, level) for c in self.components], dtype=np.float64)

    def _power(self, topics: int, residual: float, alpha: float) -> float:
        if residual <= 0:
            return float(topics >= topics_for_sign_flips(alpha, self.sides)) if alpha else 0.0
        return power_of_t(topics, self.difference, residual, alpha=alpha, sides=self.sides) if alpha else 0.0

    def level_at(self, metric: int, topics: int) -> float:
        """The level of each pair for the family to be at alpha over so many topics; 0: nothing can be significant."""
        return float(self.few[metric, topics] if topics < self.few.shape[-1] else self.level[metric])

    def family_topics(self) -> tuple[Ints, Ints, Ints]:
        """[metric] how many topics find it in a pair tested among all: estimate, and the ends of a 95 % interval.

        The interval is of the residual variance, which is estimated from these topics.
        """
        return self._each_end(self._family_topics)

    def _family_topics(self, metric: int, residual: float) -> int:
        few = self.few.shape[-1]
        powers = (self._power(n, residual, self.level_at(metric, n)) for n in range(2, few))
        found = next((n for n, power in enumerate(powers, 2) if power >= self.wanted), None)
        return max(few, self._topics(residual, float(self.level[metric]))) if found is None else found

    def _each_end(self, topics: Callable[[int, float], int]) -> tuple[Ints, Ints, Ints]:
        """[metric] so many topics by the residual variance, and by the ends of its interval."""
        most = 0.5 * min(self.difference / SMALLEST_EFFECT, 1e150) ** 2  # a larger variance asks for no number of topics
        found = np.array(
            [
                [
                    topics(m, c.residual),
                    *(topics(m, min(c.residual and c.residual * x, most)) for x in self._factors(m)[1:]),
                ]
                for m, c in enumerate(self.components)
            ],
            dtype=np.int64,
        )
        return found[:, 0], found[:, 1], found[:, 2]

    def curve(self, topics: Sequence[int]) -> Floats:
        """[metric, topics, 3] the power in a pair tested among all over so many topics: estimate, low, high."""
        return np.array(
            [
                [
                    [self._power(n, c.residual * f, self.level_at(m, n)) for f in self._factors(m)[[0, 2, 1]]]
                    for n in topics
                ]
                for m, c in enumerate(self.components)
            ]
        )

    def curve_of_one(self, topics: Sequence[int]) -> Floats:
        """[metric, topics] the power in one pair alone over so many topics."""
        return np.array([[self._power(n, c.residual, self.alpha) for n in topics] for c in self.components])

    def _factors(self, metric: int) -> Floats:
        """What the residual variance is multiplied with: 1, and for the ends of its interval."""
        from scipy.special import stdtrit

        if not len(self.spread):  # of a plan saved before it was estimated
            return np.ones(3)
        reach = float(stdtrit(self.components[metric].topics - 1, 0.975)) * float(self.spread[metric])
        return np.exp([0.0, -reach, reach])

    def human_topics(self, further: float) -> Ints:
        """[metric] the same in human-judged topics, where a model judges those and so many further ones."""
        how = zip(self.components, self.level, self.correlation, self.ratio, strict=True)
        asked: dict[str, Any] = {"power": self.wanted, "sides": self.sides}
        found = [
            human_topics(self.difference, c.residual, float(r), float(v), further, alpha=float(a), **asked)
            if c.residual > 0
            else topics_for_sign_flips(float(a), self.sides)
            for c, a, r, v in how
        ]
        return np.array(found, dtype=np.int64)

    def standardised(self) -> Floats:
        """[metric] the difference in standard deviations of a difference."""
        found = [self.difference / np.sqrt(2 * c.residual) if c.residual > 0 else np.inf for c in self.components]
        return np.array(found, dtype=np.float64)

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and the topics they need, the fewest first."""
        topics = self.topics()
        return [(self.metrics[m], int(topics[m])) for m in np.argsort(topics, kind="stable")]


@method(
    "How many topics does it take to find a difference?",
    cite="sakai2016 bodoff2007",
    path="plan",
    examples=("irassay plan qrels.txt runs/ -m nDCG@10 --difference 0.03",),
)
def plan(
    scores: Annotated[Scores, DefaultMetrics(("nDCG@10",))],
    *,
    difference: Annotated[float, Option("The difference to be seen.", low=0)] = 0.05,
    alpha: Alpha = 0.05,
    power: Annotated[float, Option("With this probability.")] = 0.8,
    groups: Annotated[
        Teams | Mapping[str, str] | None, "Team of each run (run team); cross-team pairs are then used."
    ] = None,
    test: PairedTest = ALL_PAIRS,
    baseline: Annotated[str | None, Option("Compare with this run only.")] = None,
    alternative: Annotated[Alternative, Option("What will be asked of a difference.", panel="Testing")] = "two-sided",
    across_metrics: Annotated[
        bool, Option("Plan for one family of all pairs by all metrics.", panel="Testing")
    ] = False,
    systems: Annotated[
        int | None, Option("Systems to be compared, where not these; by Bonferroni's bound.", low=2, high=1_000_000)
    ] = None,
    also: Annotated[
        OtherQrels | Scores | None, Option("A model's judgements of these and further topics, to replace human ones.")
    ] = None,
    also_scores: AlsoScoresOption = None,
    model_correlation: Annotated[
        float | None,
        Option("Or, without a model: how its differences correlate with human ones over topics.", low=-1, high=1),
    ] = None,
    model_topics: Annotated[int | None, Option("Topics that a model judges beyond the human ones.", low=1)] = None,
) -> Plan:
    """How many topics a comparison takes, by metric, given where the variance of these scores comes from.

    For one pair of systems by a paired t-test, and for each pair when all are tested together, as `compare` does: each
    pair is then tested at a smaller level, that of the family's critical value on these topics; for fewer than 15
    topics, on so many drawn from these with replacement, for few signs that may change leave few p-values. Power is
    that of the first step; tests that step down find somewhat more. With a model's judgements, or their correlation
    with human ones over topics, also how many human-judged topics are left to judge (prediction-powered estimates).
    """
    if not 0 < difference < math.inf:
        raise InputError(f"A plan needs a difference to be seen; give one above 0 ({argument('difference')}).")
    if not (SMALLEST_ALPHA <= alpha < 1 and 0 < power < 1):
        raise InputError(f"alpha and power must lie between 0 and 1; found {alpha:g} and {power:g}.")
    complete = scores.complete()
    refuse_impossible(complete, difference)
    whole = complete.oriented()
    if across_metrics and not test.corrects:
        raise InputError(f"The test '{test.test}' needs a correction to hold across metrics; give one, such as holm.")
    if baseline is not None and baseline not in whole.systems:
        raise InputError(f"There is no system called '{baseline}'; there are {', '.join(whole.systems)}.")
    team = None if groups is None else [str(groups.get(system, system)) for system in whole.systems]
    found = tuple(variance_components(whole.of(metric).T, team) for metric in whole.metrics)
    base = None if baseline is None else whole.systems.index(baseline)
    made = sample(whole.values, base, names=whole.systems, alternative=alternative, united=across_metrics)
    residual = np.array([c.residual for c in found])
    if not residual.any():
        raise InputError(
            "These systems differ by the same amount on every topic, or not at all, so that there is no variance to "
            "plan by; give systems that differ."
        )
    pairs = len(made.i) if systems is None else systems - 1 if baseline else systems * (systems - 1) // 2
    tests = pairs * (len(found) if across_metrics else 1)
    refuse_few_trials(test, alpha, tests)
    if systems is None:
        level, few = pair_levels(test, made, alpha, residual), few_topic_levels(test, made, alpha, residual)
    else:
        level = np.full(len(found), alpha / tests if test.corrects else alpha)
        few = np.where(can_be_significant(test, alpha, tests, made.sides), level[:, None], 0.0)
    correlation, ratio, further = _model(whole, also, also_scores, model_correlation, model_topics)
    named = test.test if test.correction == "none" else f"{test.test}, {test.correction}"
    return Plan(
        whole.metrics,
        found,
        difference,
        alpha,
        power,
        named if test.corrects else "",
        pairs,
        level,
        np.array([_log_error(whole.of(metric).T, team) for metric in whole.metrics]),
        correlation,
        ratio,
        further,
        made.sides,
        across_metrics,
        few,
        notes=whole.notes,
    )


def _log_error(X: Floats, groups: Sequence[str] | None) -> float:
    """The standard error of the logarithm of the residual variance, by leaving out one topic at a time."""
    topics = len(X)
    if topics < 3:
        return math.inf
    rest = [variance_components(np.delete(X, t, axis=0), groups).residual for t in range(topics)]
    if not min(rest) > 0:
        return 0.0
    return float(jackknife_error(np.log(rest), topics, 1))


def _model(
    scores: Scores, also: Any, also_scores: Any, correlation: float | None, further: int | None
) -> tuple[Floats, Floats, int]:
    """[metric] how a model's scores correlate with human ones over topics, their ratio of variances; further topics."""
    nothing = np.empty(0)
    if also is None and also_scores is None:
        if correlation is None and further is not None:
            raise InputError(
                f"{argument('model_topics', further)} needs a model: {argument('also')}, {argument('also_scores')} or "
                f"{argument('model_correlation')}."
            )
        if correlation is None:
            return nothing, nothing, 0
        if not -1 <= correlation <= 1:
            raise InputError(f"A correlation lies between -1 and 1; found {correlation:g}.")
        return np.full(len(scores.metrics), correlation), np.ones(len(scores.metrics)), further or 0
    if correlation is not None:
        raise InputError(f"Give a model's judgements or their correlation ({argument('model_correlation')}), not both.")
    from irassay.meta.prediction_powered import aligned_model_scores

    model, more = aligned_model_scores(scores, also, also_scores)[1:]
    one, other = (_without_means(each) for each in (scores.values, model))
    cross, own, its = (np.einsum("stm,stm->m", a, b) for a, b in ((one, other), (one, one), (other, other)))
    known = (own > 0) & (its > 0)
    r = np.where(known, cross / np.sqrt(np.where(known, own * its, 1.0)), 0.0)
    return r, np.where(known, its / np.where(known, own, 1.0), 1.0), further or more.shape[1]


def _without_means(cube: Floats) -> Floats:
    """[system, topic, metric] less the means of topics and systems."""
    cube = cube - cube.mean(axis=0)
    return cube - cube.mean(axis=1, keepdims=True)
