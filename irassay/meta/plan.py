"""How many topics a comparison needs, for one pair and for all pairs together, and what a model's judgements save."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.meta.comparison import scores_of_metrics
from irassay.meta.model_judgements import AlsoScoresOption
from irassay.meta.plan_checks import DEFAULT_DIFFERENCE, check_plan, refuse_few_trials, refuse_impossible
from irassay.meta.plan_levels import can_be_significant, few_topic_levels, pair_levels
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Teams
from irassay.meta.system_lookup import named_pair, system_by_name
from irassay.meta.variance_components import Components, variance_components
from irassay.method import method
from irassay.results import Result
from irassay.scores import Scores
from irassay.settings import DefaultMetrics, Option
from irassay.stats.jackknife import jackknife_error, student_critical
from irassay.stats.paired_sample import Alternative, Sample, sample
from irassay.stats.paired_test import PairedTest
from irassay.stats.power import (
    SMALLEST_EFFECT,
    human_topics,
    power_of_equivalence,
    power_of_t,
    topics_for_equivalence,
    topics_for_sign_flips,
    topics_for_t,
)

PAIR_QUANTILES = (0.1, 0.5, 0.9)
EQUIVALENCE_TEST = "two one-sided t-tests, holm"


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """How many topics each metric needs to detect a difference: in one pair by a t-test, and among many pairs."""

    saved_as: ClassVar[str] = "plan"

    metrics: tuple[str, ...]
    components: tuple[Components, ...]  # [metric]
    difference: float
    alpha: float
    wanted: float  # power
    test: str = ""  # of all pairs, with its correction; '': pairs are not planned for together
    pairs: int = 1
    level: Floats = field(default_factory=lambda: np.empty(0))  # [metric] of each pair, so that the family is at alpha
    spread: Floats = field(default_factory=lambda: np.empty(0))  # [metric] standard error of log residual variance
    correlation: Floats = field(default_factory=lambda: np.empty(0))  # [metric] of a model's scores with human ones
    ratio: Floats = field(default_factory=lambda: np.empty(0))  # [metric] variance of the model's by human scores
    further: int = 0  # number of topics that only the model judges
    sides: int = 2  # of the tests
    united: bool = False  # all metrics are one family
    few: Floats = field(default_factory=lambda: np.empty((0, 0)))  # [metric, topics] the level over 0, 1, 2, … topics
    deviation: Floats = field(default_factory=lambda: np.empty((0, 0)))  # [quantile, metric] sd of a pair's differences
    margin: float | None = None  # of equivalence; `difference` is then the true difference
    pair: tuple[str, ...] = ()  # the two systems that are planned for; (): any pair

    @property
    def has_interval(self) -> Bools:
        """[metric] whether the topics tell how well the residual variance is known, which two topics do not."""
        return np.isfinite(self.spread) if len(self.spread) else np.zeros(len(self.metrics), np.bool_)

    def topics(self) -> Ints:
        """[metric] how many topics detect the difference in one pair with the planned power, by a paired t-test."""
        return self.topics_of_one()[0]

    def topics_of_one(self) -> tuple[Ints, Ints, Ints]:
        """[metric] the same with the ends of a 95 % interval, as in `family_topics`."""
        return self._each_end(lambda m, residual: self._topics(residual, self.alpha))

    def topics_of_pairs(self) -> Ints:
        """[quantile, metric] the same for the pairs at the 10, 50 and 90 % quantiles of the pairs' deviations."""
        residual = np.minimum(self.deviation**2 / 2, self._largest_residual)
        return np.array([[self._topics(each, self.alpha) for each in row] for row in residual.tolist()], dtype=np.int64)

    @property
    def _largest_residual(self) -> float:
        """The residual variance beyond which no number of topics is enough."""
        effect = self.difference if self.margin is None else self.margin - self.difference
        return 0.5 * min(effect / SMALLEST_EFFECT, 1e150) ** 2

    def _topics(self, residual: float, alpha: float) -> int:
        if self.margin is not None:
            if residual <= 0:
                return 2
            how = {"alpha": alpha, "power": self.wanted}
            return topics_for_equivalence(self.difference, self.margin, residual, **how)
        if residual <= 0:
            return topics_for_sign_flips(alpha, self.sides)
        return topics_for_t(self.difference, residual, alpha=alpha, power=self.wanted, sides=self.sides)

    def power(self, alpha: float | None = None) -> Floats:
        """[metric] the probability of detecting the difference in one pair with these topics."""
        level = self.alpha if alpha is None else alpha
        return np.array([self._power(c.topics, c.residual, level) for c in self.components], dtype=np.float64)

    def _power(self, topics: int, residual: float, alpha: float) -> float:
        if self.margin is not None:
            how = {"alpha": alpha}
            return power_of_equivalence(topics, self.difference, self.margin, residual, **how) if residual > 0 else 1.0
        if residual <= 0:
            return float(topics >= topics_for_sign_flips(alpha, self.sides)) if alpha else 0.0
        return power_of_t(topics, self.difference, residual, alpha=alpha, sides=self.sides) if alpha else 0.0

    def level_at(self, metric: int, topics: int) -> float:
        """The level of a pair at which the family is at alpha with this many topics; 0: nothing can be significant."""
        return float(self.few[metric, topics] if topics < self.few.shape[-1] else self.level[metric])

    def family_topics(self) -> tuple[Ints, Ints, Ints]:
        """[metric] how many topics detect it in a pair tested among all: estimate, and the ends of a 95 % interval.

        The interval is that of the residual variance, which is estimated from these topics.
        """
        return self._each_end(self._family_topics)

    def _family_topics(self, metric: int, residual: float) -> int:
        few = self.few.shape[-1]
        powers = (self._power(n, residual, self.level_at(metric, n)) for n in range(2, few))
        enough = next((n for n, power in enumerate(powers, 2) if power >= self.wanted), None)
        return enough or max(few, self._topics(residual, float(self.level[metric])))

    def _each_end(self, topics: Callable[[int, float], int]) -> tuple[Ints, Ints, Ints]:
        """[metric] the number of topics by the residual variance, and by the ends of its interval."""
        limits = (math.inf, self._largest_residual, self._largest_residual)
        rows = [
            [topics(m, min(c.residual and c.residual * x, y)) for x, y in zip(self._factors(m), limits, strict=True)]
            for m, c in enumerate(self.components)
        ]
        estimate, low, high = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return estimate, low, high

    def curve(self, topics: Sequence[int]) -> Floats:
        """[metric, topics, 3] the power in a pair tested among all, over numbers of topics: estimate, low, high."""
        rows = []
        for m, c in enumerate(self.components):
            variances = c.residual * self._factors(m)[[0, 2, 1]]
            rows.append([[self._power(n, variance, self.level_at(m, n)) for variance in variances] for n in topics])
        return np.array(rows)

    def curve_of_one(self, topics: Sequence[int]) -> Floats:
        """[metric, topics] the power in a single pair, over numbers of topics."""
        return np.array([[self._power(n, c.residual, self.alpha) for n in topics] for c in self.components])

    def _factors(self, metric: int) -> Floats:
        """[3] factors of the residual variance: 1, and those for the ends of its interval."""
        if not len(self.spread):  # a plan saved before it was estimated
            return np.ones(3)
        reach = student_critical(0.05, self.components[metric].topics) * float(self.spread[metric])
        return np.exp([0.0, -reach, reach])

    def human_topics(self, further: float) -> Ints:
        """[metric] how many human-judged topics are needed if a model judges those and this many further topics."""
        rows = zip(self.components, self.level.tolist(), self.correlation.tolist(), self.ratio.tolist(), strict=True)
        settings: dict[str, Any] = {"power": self.wanted, "sides": self.sides}
        topics = [
            human_topics(self.difference, c.residual, r, ratio, further, alpha=level, **settings)
            if c.residual > 0
            else topics_for_sign_flips(level, self.sides)
            for c, level, r, ratio in rows
        ]
        return np.array(topics, dtype=np.int64)

    def standardised(self) -> Floats:
        """[metric] the difference in standard deviations of a difference."""
        sizes = [self.difference / np.sqrt(2 * c.residual) if c.residual > 0 else np.inf for c in self.components]
        return np.array(sizes, dtype=np.float64)

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and the number of topics they need, lowest first."""
        topics = self.topics()
        return [(self.metrics[m], int(topics[m])) for m in np.argsort(topics, kind="stable")]


@method(
    "How many topics does it take to detect a difference?",
    cite="sakai2016 bodoff2007",
    path="plan",
    check=check_plan,
    least_runs=2,
    examples=(
        "irassay plan qrels.txt runs/ -m nDCG@10 --difference 0.03",
        "irassay plan qrels.txt bm25.run bert.run -m nDCG@10 --difference 0.03 --pair bm25,bert",
        "irassay plan qrels.txt runs/ -m nDCG@10 --margin 0.05 --difference 0.01",
    ),
)
def plan(
    scores: Annotated[Scores, DefaultMetrics(("nDCG@10",))],
    metrics: str | Sequence[str] | None = None,
    *,
    difference: Annotated[
        float | None, Option("Difference to detect; with a margin, the true difference.", shown="0.05", low=0)
    ] = None,
    margin: Annotated[
        float | None,
        Option("Plan to show that a pair differs by less than this, in the metric's unit.", low=0, open="low"),
    ] = None,
    pair: Annotated[str | None, Option("Plan for these two runs only.", metavar="A,B")] = None,
    alpha: Alpha = 0.05,
    power: Annotated[float, Option("Probability of detecting it.", low=0, high=1, open="both")] = 0.8,
    groups: Annotated[
        Teams | Mapping[str, str] | None,
        "Team of each run (run team); the variance is then estimated from cross-team pairs.",
    ] = None,
    test: PairedTest = ALL_PAIRS,
    baseline: Annotated[str | None, Option("Compare with this run only: its name, file or tag.")] = None,
    alternative: Annotated[Alternative, Option("Direction of the planned test.", panel="Testing")] = "two-sided",
    across_metrics: Annotated[
        bool, Option("Plan for one family of all pairs under all metrics.", panel="Testing")
    ] = False,
    systems: Annotated[
        int | None, Option("Number of systems to plan for, if not these (Bonferroni bound).", low=2, high=1_000_000)
    ] = None,
    also: Annotated[
        OtherQrels | Scores | None, Option("A model's judgements of these and further topics, which save human ones.")
    ] = None,
    also_scores: AlsoScoresOption = None,
    model_correlation: Annotated[
        float | None,
        Option("Instead of a model: correlation of its differences with human ones over topics.", low=-1, high=1),
    ] = None,
    model_topics: Annotated[int | None, Option("Number of topics that only the model judges.", low=1)] = None,
) -> Plan:
    """Number of topics a comparison needs, by metric, from the variance of these scores.

    The plan is for one pair of systems tested by a paired t-test, and for each pair when all are tested together, as
    `compare` does. In the latter case each pair is tested at a lower level, that of the family's critical value on
    these topics. Below 15 topics that level is computed on samples of these topics drawn with replacement, because
    tests by signs then have few possible p-values. Power is that of the first step; step-down tests find slightly more.
    With a model's judgements, or their correlation with human ones over topics, the plan also says how many topics
    people must judge (prediction-powered estimates).

    Some pairs vary more over topics than others and need more topics. The 10, 50 and 90 % pairs show how many: these
    are quantiles of the pairs' standard deviations. With a margin the plan is for equivalence, by two one-sided t-tests
    and Holm's correction. The true difference must then be given, and must be below the margin.
    """
    difference = DEFAULT_DIFFERENCE if difference is None else difference
    complete = scores_of_metrics(scores, metrics).complete().with_sorted_topics()
    if not complete.metrics:
        raise InputError("A plan needs at least one metric; name one.")
    refuse_impossible(complete, difference)
    complete = complete.oriented()
    if pair is not None:
        complete = complete.select(systems=named_pair(complete, (pair,)))
    base = None if baseline is None else complete.systems.index(system_by_name(complete, baseline, "baseline"))
    teams = None if groups is None else [str(groups.get(system, system)) for system in complete.systems]
    tables = [complete.of(metric).T for metric in complete.metrics]  # [topic, system] each
    components = tuple(variance_components(table, teams) for table in tables)
    pairs = sample(complete.values, base, names=complete.systems, alternative=alternative, united=across_metrics)
    residual = np.array([c.residual for c in components])
    if not residual.any():
        same = "every pair of systems has the same difference on all topics"
        raise InputError(f"There is no variance to plan with: {same}; give other runs or topics.")
    count = len(pairs.i) if systems is None else systems - 1 if baseline else systems * (systems - 1) // 2
    tests = count * (len(components) if across_metrics else 1)
    if margin is not None:
        level, few = np.full(len(components), alpha / tests), np.empty((len(components), 0))
    else:
        refuse_few_trials(test, alpha, tests)
        level, few = _planned_levels(test, pairs, alpha, residual, None if systems is None else tests)
    correlation, ratio, further = _model_correlation(complete, also, also_scores, model_correlation, model_topics)
    test_label = test.test if test.correction == "none" else f"{test.test}, {test.correction}"
    test_label = EQUIVALENCE_TEST if margin is not None else test_label if test.corrects else ""
    deviation = np.quantile(pairs.in_units(pairs.error * math.sqrt(pairs.topics)), PAIR_QUANTILES, axis=1)
    return Plan(
        complete.metrics,
        components,
        difference,
        alpha,
        power,
        test_label,
        count,
        level,
        np.array([_log_error(table, teams) for table in tables]),
        correlation,
        ratio,
        further,
        pairs.sides,
        across_metrics,
        few,
        deviation,
        margin,
        complete.systems if pair is not None else (),
        notes=complete.notes,
    )


def _planned_levels(
    test: PairedTest, pairs: Sample, alpha: float, residual: Floats, tests: int | None
) -> tuple[Floats, Floats]:
    """[metric] the level of each pair, and [metric, topics] that over few topics; for other pairs, by their number."""
    if tests is None:
        return pair_levels(test, pairs, alpha, residual), few_topic_levels(test, pairs, alpha, residual)
    level = np.full(pairs.metrics, alpha / tests if test.corrects else alpha)
    return level, np.where(can_be_significant(test, alpha, tests, pairs.sides), level[:, None], 0.0)


def _log_error(X: Floats, groups: Sequence[str] | None) -> float:
    """The standard error of the logarithm of the residual variance, by leaving out one topic at a time."""
    topics = len(X)
    if topics < 3:
        return math.inf
    residuals = [variance_components(np.delete(X, t, axis=0), groups).residual for t in range(topics)]
    return float(jackknife_error(np.log(residuals), topics, 1)) if min(residuals) > 0 else 0.0


def _model_correlation(
    scores: Scores, also: Any, also_scores: Any, correlation: float | None, further: int | None
) -> tuple[Floats, Floats, int]:
    """[metric] the correlation of a model's scores with human ones, and the ratio of variances; further topics."""
    if also is None and also_scores is None:
        if correlation is None:
            return np.empty(0), np.empty(0), 0
        return np.full(len(scores.metrics), correlation), np.ones(len(scores.metrics)), further or 0
    from irassay.meta.prediction_powered import aligned_model_scores
    from irassay.stats.prediction_powered import without_means

    labelled, unlabelled = aligned_model_scores(scores, also, also_scores)[1:]
    human, model = without_means(scores.values), without_means(labelled)
    products = ((human, model), (human, human), (model, model))
    cross, by_human, by_model = (np.einsum("stm,stm->m", a, b) for a, b in products)
    varies = (by_human > 0) & (by_model > 0)
    r = np.where(varies, cross / np.sqrt(np.where(varies, by_human * by_model, 1.0)), 0.0)
    ratio = np.where(varies, by_model / np.where(varies, by_human, 1.0), 1.0)
    return r, ratio, further or unlabelled.shape[1]
