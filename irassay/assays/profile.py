"""The profile of every metric: an estimate for each criterion, its interval, and its replication on other topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.assays.controls import HASH, HASHES, controls
from irassay.assays.criteria import AGREEMENT, CONSISTENCY, OTHERS, POWER, ROBUSTNESS, Criterion, CriterionMaker
from irassay.assays.subsets import (
    agreement_on,
    by_size,
    order_agreement,
    steadiness_on,
    twin_groups,
)
from irassay.meta.complete_scores import CompleteScores, complete_scores
from irassay.meta.split_taus import excess_error_of_tau, fixed_split_taus, split_halves
from irassay.metrics.metric import Metric
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.exact_bounds import ExactBounds
from irassay.scoring.unjudged_results import UnjudgedResults
from irassay.stats.jackknife import kept_topics, normal_critical
from irassay.stats.paired_test import PairedTest
from irassay.stats.resolved_pairs import SignificanceRule, excess_error_of_share, outer_bounds, resolved_shares
from irassay.stats.selection import MARGIN, on_each_set, without_each

if TYPE_CHECKING:  # methods are listed in the order in which they are imported
    from irassay.meta.consistency import Consistency
    from irassay.meta.discrimination import Discrimination

HALVES = 200  # splits of the topics into halves, for replication
SUBSETS = 100  # sets of topics left out, for intervals
CONTROL_TRIALS = 1000  # resamples of a control's test
LEFT_OUT = 5  # one in 5 topics is left out for intervals
SELECTED_HALVES = 20  # halves of the topics in which metrics are selected again
HALF_SPLITS = 30  # splits of a half of the topics that stay fixed when a topic is left out
JUDGED_ONLY = "judged results only, no bounds"
OUTER_BOUNDS = "outer bounds"
NOT_A_BOUND = "not a bound: other judgements could be worse"


@dataclass(frozen=True, eq=False)
class Profile(Saved):
    """Every metric and control by every criterion estimated from the topics."""

    saved_as: ClassVar[str] = "profile"

    metrics: tuple[str, ...]
    controls: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    topics: int
    halves: int  # splits for replication; 0 if topics are too few
    bounds: tuple[str, ...]  # [metric] the kind of bounds of the robustness
    alpha: float
    margin: float = MARGIN  # the largest difference that counts as no worse

    @property
    def names(self) -> tuple[str, ...]:
        """[row] the metrics, then the controls."""
        return (*self.metrics, *self.controls)

    def by(self, name: str) -> Criterion | None:
        """A criterion by its name; None if it could not be estimated."""
        return next((each for each in self.criteria if each.name == name), None)


@dataclass(frozen=True)
class ScoreBounds:
    """What missing judgements allow: the kind of bounds of each metric, and the bounds if judgements were given."""

    kinds: tuple[str, ...]  # [metric]
    scores: Scores | None = (
        None  # three columns per metric: as judged, worst and best; all metrics are compared by these
    )
    unjudged: Mapping[str, UnjudgedResults] = field(default_factory=dict)  # give narrower, exact bounds of some metrics


def profile(
    scores: Scores,
    bounds: ScoreBounds,
    discriminations: "Discrimination",
    consistencies: "Consistency",
    *,
    test: PairedTest,
    truth: Mapping[str, float] | None = None,
    other: Scores | None = None,
) -> Profile:
    """The profile of metrics by their scores, and by the bounds that missing judgements allow.

    Which metrics may be best by discriminative power, whose main level is that of the profile, and by consistency is
    taken from these. `truth` is the true quality of systems, a control. `other` are scores of the same systems by other
    judgements.
    """
    complete = complete_scores(scores, "A profile", topics=4)
    metrics, topics, seed = len(complete.scores.metrics), len(complete.scores.topics), test.seed
    extra = controls(complete.scores, truth)
    with_controls = complete_scores(scores_side_by_side(complete.scores, extra), "A profile", topics=4)
    sets = topic_sets(topics, seed)
    maker = CriterionMaker(complete.scores.metrics, topics, sets.out, discriminations.main_level, seed)
    profiled = ProfiledScores(complete, complete_scores(extra, "A profile"), with_controls, sets, maker)

    power, *robustness = _share_criteria(profiled, scores, bounds, discriminations, test)
    criteria = [power, _consistency_criterion(profiled, consistencies), *robustness]
    if metrics > 1:
        groups = twin_groups(complete)
        criteria.append(profiled.tau_criterion(AGREEMENT, lambda subsets: agreement_on(with_controls, subsets, groups)))
    if other is not None:
        other_values, shared = _other_values(complete, other)

        def tau_with_other(subsets: Bools) -> Floats:
            tau = order_agreement(complete.values, other_values, complete.noise, subsets & shared)
            return np.concatenate([tau, np.full((len(tau), len(extra.metrics)), np.nan)], axis=1)  # not for controls

        criteria.append(profiled.tau_criterion(OTHERS, tau_with_other))
    return Profile(
        metrics=complete.scores.metrics,
        controls=(HASH, *extra.metrics[HASHES:]),
        criteria=tuple(criteria),
        topics=topics,
        halves=HALVES if sets.has_halves else 0,
        bounds=bounds.kinds,
        alpha=maker.alpha,
    )


@dataclass(frozen=True, eq=False)
class TopicSets:
    """The sets of topics on which metrics are profiled."""

    whole: Bools  # [1, topic] all topics
    kept: Bools  # [subset, topic] without some, for intervals
    halves: Bools  # [half, topic] first halves of random splits, then their second halves; none if topics are too few
    selected: tuple[Bools, ...]  # [set, left out, topic] all topics, then some halves: whole, and without each topic
    out: int  # topics that `kept` leaves out

    @property
    def has_halves(self) -> bool:
        """Whether halves of the topics are large enough."""
        return len(self.halves) > 0


def topic_sets(topics: int, seed: int) -> TopicSets:
    """The sets of so many topics on which metrics are profiled."""
    out = max(1, min(round(topics / LEFT_OUT), topics - 2))
    first = split_halves(topics, HALVES if topics >= 8 else 0, seed + 1)  # so that half of a half has two topics
    whole = np.ones((1, topics), dtype=np.bool_)
    selected = [whole, *([first[:SELECTED_HALVES]] if len(first) else [])]
    kept = kept_topics(topics, out, SUBSETS, seed)
    return TopicSets(whole, kept, np.concatenate([first, ~first]), tuple(map(without_each, selected)), out)


@dataclass(frozen=True, eq=False)
class ProfiledScores:
    """The scores of metrics and controls, and what makes criteria of them."""

    of_metrics: CompleteScores
    of_controls: CompleteScores
    of_both: CompleteScores
    sets: TopicSets
    maker: CriterionMaker

    def tau_criterion(self, name: str, tau_on: Callable[[Bools], Floats]) -> Criterion:
        """A criterion that is a tau of metrics and controls [set, column] on any sets of topics [set, topic]."""
        sets, metrics = self.sets, len(self.of_metrics.scores.metrics)
        on_halves = tau_on(sets.halves) if sets.has_halves else None
        each = self.maker.criterion(name, tau_on(sets.whole)[0], tau_on(sets.kept), on_halves, (-1.0, 1.0))
        values = [on_each_set(lambda subsets: tau_on(subsets)[:, :metrics], part) for part in sets.selected]
        return self.maker.with_own_selection(each, values)


def _share_criteria(
    profiled: ProfiledScores,
    scores: Scores,
    bounds: ScoreBounds,
    discriminations: "Discrimination",
    test: PairedTest,
) -> list[Criterion]:
    """Discriminative power and, if bounds are known, robustness: shares of the pairs of systems."""
    from irassay.meta.discrimination import discriminated_pairs

    complete, chance, sets, maker = profiled.of_metrics, profiled.of_controls, profiled.sets, profiled.maker
    metrics, alpha = len(complete.scores.metrics), maker.alpha
    control_test = replace(test, trials=min(test.resamples, CONTROL_TRIALS)) if discriminations.trials else test
    by_chance = discriminated_pairs(chance, control_test, (alpha,))
    own_rule = discriminations.significance_rule(complete.values, alpha)
    control_rule = by_chance.significance_rule(chance.scores.values, alpha)
    rule = replace(own_rule, level=np.concatenate([own_rule.level, control_rule.level]))
    shares = np.concatenate([discriminations.power(alpha), by_chance.power(alpha)])

    every = np.concatenate([sets.whole, sets.kept, sets.halves])
    without, halves = slice(1, len(sets.kept) + 1), slice(len(sets.kept) + 1, None)
    ends = None if bounds.scores is None else outer_bounds(*_lowest_and_highest(bounds.scores, complete))
    both = profiled.of_both
    significant, robust = resolved_shares(both.values, ends, metrics, both.noise, every, rule)

    def shares_on(subsets: Bools) -> Floats:
        return resolved_shares(complete.values, ends, metrics, complete.noise, subsets, own_rule).swapaxes(0, 1)

    values = [on_each_set(shares_on, part) for part in sets.selected]  # [set, left out, power and robustness, metric]
    on_halves = significant[halves] if sets.has_halves else None
    power = maker.criterion(POWER, shares, significant[without], on_halves, (0.0, 1.0))
    in_half = excess_error_of_share(maker.topics // 2)
    power = maker.with_selection(power, discriminations.selection, [each[:, :, 0] for each in values[1:]], in_half)
    if bounds.scores is None:
        return [power]
    on_halves = robust[halves] if sets.has_halves else None
    each = maker.criterion(ROBUSTNESS, np.minimum(robust[0], shares), robust[without], on_halves, (0.0, 1.0))
    comparable = np.array([kind != JUDGED_ONLY for kind in bounds.kinds])
    values = [np.where(comparable, part[:, :, 1], np.nan) for part in values]
    each = maker.with_own_selection(each, values, excess_error_of_share)
    exact = _exact_shares(complete, scores, bounds.unjudged, sets.whole, own_rule)
    return [power, replace(each, exact=np.minimum(exact, power.estimate[:metrics]))]


def _consistency_criterion(profiled: ProfiledScores, consistencies: "Consistency") -> Criterion:
    """The consistency over topics, of which the metrics' is known, and that of the controls."""
    from irassay.meta.consistency import split_consistency

    complete, sets, maker = profiled.of_metrics, profiled.sets, profiled.maker
    alpha, seed = maker.alpha, maker.seed
    split_topics = split_halves(maker.topics, len(consistencies.tau), seed)
    noise = split_consistency(profiled.of_controls, split_topics, alpha=alpha, subsets=SUBSETS, seed=seed)
    means = np.concatenate([consistencies.mean, noise.mean])
    errors = np.concatenate([consistencies.error, noise.error])
    steadiness = partial(steadiness_on, profiled.of_both, seed=seed)
    quarters = by_size(steadiness, sets.halves) if sets.has_halves else None
    steady = maker.from_errors(CONSISTENCY, means, errors, quarters, (-1.0, 1.0), normal_critical(alpha))
    taus = [fixed_split_taus(complete, part, HALF_SPLITS, seed) for part in sets.selected[1:]]
    return maker.with_selection(steady, consistencies.selection, taus, excess_error_of_tau(complete.values))


def kind_of_bounds(metric: Metric | None, costs: bool = False) -> str:
    """What the worst and best case of a difference of two systems are for a metric, if they are not exact.

    Documents that both systems return count as relevant for one and not for the other, so the bounds of a difference
    are outer ones, never too narrow. For a metric that a better grade may lower they are no bounds, and if unjudged
    results are left out of the lists, or counted, there is nothing to impute.
    """
    if metric is not None and (metric.params.get("judged_only") or metric.meaning.of_judging):
        return JUDGED_ONLY
    return OUTER_BOUNDS if metric is not None and metric.bounded(costs) else NOT_A_BOUND


def scores_side_by_side(one: Scores, other: Scores) -> Scores:
    """The scores of the same systems and topics by the metrics of both, without notes."""
    values = np.concatenate([one.values, other.values], axis=2)
    up = (*one.higher_is_better, *other.higher_is_better)
    over = (*one.over_topics, *other.over_topics)
    return replace(
        one, values=values, metrics=(*one.metrics, *other.metrics), higher_is_better=up, over_topics=over, notes=()
    )


def _lowest_and_highest(bounds: Scores, complete: CompleteScores) -> tuple[Floats, Floats]:
    """[system, topic, metric] lowest and highest scores on the topics of all systems; costs negated."""
    values = bounds.select(topics=complete.scores.keys).oriented().values
    cube = values.reshape(*values.shape[:2], -1, 3)
    return np.nanmin(cube, axis=3), np.nanmax(cube, axis=3)


def _exact_shares(
    complete: CompleteScores,
    scores: Scores,
    unjudged: Mapping[str, UnjudgedResults],
    all_topics: Bools,
    rule: SignificanceRule,
) -> Floats:
    """[metric] the share of pairs that stay significant under exact bounds; NaN for metrics without them."""
    place = {key: t for t, key in enumerate(scores.keys)}
    exact = ExactBounds(unjudged, len(scores.systems), [place[key] for key in complete.scores.keys])
    columns = [m for m, name in enumerate(complete.scores.metrics) if name in exact.names]
    shares = np.full(len(complete.scores.metrics), np.nan)
    if columns:
        names, values = [complete.scores.metrics[m] for m in columns], complete.values[:, :, columns]
        ends = partial(_exact_ends, exact, names, values)
        part = replace(rule, level=rule.level[columns])
        shares[columns] = resolved_shares(values, ends, len(columns), complete.noise[columns], all_topics, part)[1, 0]
    return shares


def _exact_ends(exact: ExactBounds, names: Sequence[str], values: Floats, m: int, pairs: Ints) -> tuple[Floats, Floats]:
    """[pair, topic] the exact bounds of the differences by metric m."""
    return exact.ends(names[m], pairs, values[:, :, m])


def _other_values(complete: CompleteScores, other: Scores) -> tuple[Floats, Bools]:
    """[system, topic, metric] the scores by other judgements, costs negated, and [topic] whether there are any."""
    scores = other.complete().oriented().select(systems=complete.scores.systems, metrics=complete.scores.metrics)
    place = {key: t for t, key in enumerate(scores.keys)}
    shared = np.array([key in place for key in complete.scores.keys])
    values = np.zeros_like(complete.values)
    values[:, shared] = scores.values[:, [place[key] for key in complete.scores.keys if key in place]]
    return values, shared
