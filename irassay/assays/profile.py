"""The profile of every metric: an estimate for each criterion, its interval, and its replication on other topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.exact_bounds import ExactBounds
from irassay.scoring.unjudged_results import UnjudgedResults
from irassay.stats.jackknife import kept_topics, normal_critical
from irassay.stats.paired_test import PairedTest
from irassay.stats.resolved_pairs import SignificanceRule, outer_bounds, resolved_shares
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


def profile(
    scores: Scores,
    bounds: Scores | None,
    discriminations: "Discrimination",
    consistencies: "Consistency",
    *,
    test: PairedTest,
    alpha: float,
    splits: int,
    bound_kinds: Sequence[str],
    truth: Mapping[str, float] | None = None,
    other: Scores | None = None,
    unjudged: Mapping[str, UnjudgedResults] | None = None,
    margin: float = MARGIN,
) -> Profile:
    """The profile of metrics by their scores, and by the bounds that missing judgements allow.

    `bounds` has three columns per metric: as judged, worst and best; `bound_kinds` are their kinds. All metrics are
    compared by these bounds; exact ones, which `unjudged` results give for some metrics, are narrower. `other` are
    scores of the same systems by other judgements. `margin` is the largest difference that counts as no worse. Which
    metrics may be best by discriminative power, whose main level is alpha, and by consistency is taken from these.
    """
    from irassay.meta.consistency import split_consistency
    from irassay.meta.discrimination import discriminated_pairs

    seed = test.seed
    made = complete_scores(scores, "A profile", topics=4)
    metrics, topics = len(made.scores.metrics), len(made.scores.topics)
    extra = controls(made.scores, truth)
    with_controls = complete_scores(scores_side_by_side(made.scores, extra), "A profile", topics=4)
    out = max(1, min(round(topics / LEFT_OUT), topics - 2))
    kept = kept_topics(topics, out, SUBSETS, seed)
    first = split_halves(topics, HALVES, seed + 1)
    both = np.concatenate([first, ~first])
    halved = topics >= 8  # so that half of a half has two topics
    maker = CriterionMaker(made.scores.metrics, topics, out, alpha, seed)
    full = without_each(np.ones((1, topics), dtype=np.bool_))
    parts = [full, without_each(first[:SELECTED_HALVES])] if halved else [full]

    control_test = replace(test, trials=min(test.resamples, CONTROL_TRIALS)) if discriminations.trials else test
    complete_controls = complete_scores(extra, "A profile")
    chance = discriminated_pairs(complete_controls, control_test, (alpha,))
    rules = discriminations.significance_rule(made.values, alpha), chance.significance_rule(extra.values, alpha)
    rule = replace(rules[0], level=np.concatenate([each.level for each in rules]))
    shares = np.concatenate([discriminations.power(alpha), chance.power(alpha)])

    every = np.concatenate([full[0, :1], kept, both[: len(both) * halved]])
    ends = None if bounds is None else outer_bounds(*_lowest_and_highest(bounds, made))
    significant, robust = resolved_shares(with_controls.values, ends, metrics, with_controls.noise, every, rule)
    without, halves = slice(1, len(kept) + 1), slice(len(kept) + 1, None)

    def shares_on(sets: Bools) -> Floats:
        return resolved_shares(made.values, ends, metrics, made.noise, sets, rules[0]).swapaxes(0, 1)

    share_values = [on_each_set(shares_on, sets) for sets in parts]  # [set, left out, power and robustness, metric]
    on_halves = significant[halves] if halved else None
    power = maker.criterion(POWER, shares, significant[without], on_halves, (0.0, 1.0))
    half_powers = [values[:, :, 0] for values in share_values[1:]]
    criteria = [maker.with_selection(power, discriminations.selection, half_powers)]
    split_topics = split_halves(topics, splits, seed)
    noise = split_consistency(complete_controls, split_topics, alpha=alpha, subsets=SUBSETS, seed=seed)
    means = np.concatenate([consistencies.mean, noise.mean])
    errors = np.concatenate([consistencies.error, noise.error])
    quarters = by_size(lambda sets: steadiness_on(with_controls, sets, seed), both) if halved else None
    steady = maker.from_errors(CONSISTENCY, means, errors, quarters, (-1.0, 1.0), normal_critical(alpha))
    taus = [fixed_split_taus(made, sets, HALF_SPLITS, seed) for sets in parts[1:]]
    criteria.append(maker.with_selection(steady, consistencies.selection, taus, excess_error_of_tau(made.values)))
    if bounds is not None:
        shares, on_halves = np.minimum(robust[0], shares), robust[halves] if halved else None
        each = maker.criterion(ROBUSTNESS, shares, robust[without], on_halves, (0.0, 1.0))
        comparable = np.array([kind != JUDGED_ONLY for kind in bound_kinds])
        values = [np.where(comparable, values[:, :, 1], np.nan) for values in share_values]
        exact = _exact_shares(made, scores, unjudged or {}, full[0, :1], rules[0])
        exact = np.minimum(exact, power.estimate[:metrics])
        criteria.append(replace(maker.with_own_selection(each, values), exact=exact))

    def add_tau(name: str, tau_on: Callable[[Bools], Floats]) -> None:
        estimate, on_halves = tau_on(full[0, :1])[0], tau_on(both) if halved else None
        each = maker.criterion(name, estimate, tau_on(kept), on_halves, (-1.0, 1.0))
        values = [on_each_set(lambda sets: tau_on(sets)[:, :metrics], sets) for sets in parts]
        criteria.append(maker.with_own_selection(each, values))

    if metrics > 1:
        groups = twin_groups(made)
        add_tau(AGREEMENT, lambda subsets: agreement_on(with_controls, subsets, groups))
    if other is not None:
        other_values, shared = _other_values(made, other)

        def tau_with_other(subsets: Bools) -> Floats:
            tau = order_agreement(made.values, other_values, made.noise, subsets & shared)
            return np.concatenate([tau, np.full((len(tau), len(extra.metrics)), np.nan)], axis=1)  # not for controls

        add_tau(OTHERS, tau_with_other)
    return Profile(
        metrics=made.scores.metrics,
        controls=(HASH, *extra.metrics[HASHES:]),
        criteria=tuple(criteria),
        topics=topics,
        halves=HALVES if halved else 0,
        bounds=tuple(bound_kinds),
        alpha=alpha,
        margin=margin,
    )


def scores_side_by_side(one: Scores, other: Scores) -> Scores:
    """The scores of the same systems and topics by the metrics of both, without notes."""
    values = np.concatenate([one.values, other.values], axis=2)
    up = (*one.higher_is_better, *other.higher_is_better)
    over = (*one.over_topics, *other.over_topics)
    return replace(
        one, values=values, metrics=(*one.metrics, *other.metrics), higher_is_better=up, over_topics=over, notes=()
    )


def _lowest_and_highest(bounds: Scores, made: CompleteScores) -> tuple[Floats, Floats]:
    """[system, topic, metric] lowest and highest scores on the topics of all systems; costs negated."""
    values = bounds.select(topics=made.scores.keys).oriented().values
    cube = values.reshape(*values.shape[:2], -1, 3)
    return np.nanmin(cube, axis=3), np.nanmax(cube, axis=3)


def _exact_shares(
    made: CompleteScores,
    scores: Scores,
    unjudged: Mapping[str, UnjudgedResults],
    all_topics: Bools,
    rule: SignificanceRule,
) -> Floats:
    """[metric] the share of pairs that stay significant under exact bounds; NaN for metrics without them."""
    place = {key: t for t, key in enumerate(scores.keys)}
    exact = ExactBounds(unjudged, len(scores.systems), [place[key] for key in made.scores.keys])
    columns = [m for m, name in enumerate(made.scores.metrics) if name in exact.names]
    shares = np.full(len(made.scores.metrics), np.nan)
    if columns:
        names, values = [made.scores.metrics[m] for m in columns], made.values[:, :, columns]
        ends = partial(_exact_ends, exact, names, values)
        part = replace(rule, level=rule.level[columns])
        shares[columns] = resolved_shares(values, ends, len(columns), made.noise[columns], all_topics, part)[1, 0]
    return shares


def _exact_ends(exact: ExactBounds, names: Sequence[str], values: Floats, m: int, pairs: Ints) -> tuple[Floats, Floats]:
    """[pair, topic] the exact bounds of the differences by metric m."""
    return exact.ends(names[m], pairs, values[:, :, m])


def _other_values(made: CompleteScores, other: Scores) -> tuple[Floats, Bools]:
    """[system, topic, metric] the scores by other judgements, costs negated, and [topic] whether there are any."""
    scores = other.complete().oriented().select(systems=made.scores.systems, metrics=made.scores.metrics)
    place = {key: t for t, key in enumerate(scores.keys)}
    shared = np.array([key in place for key in made.scores.keys])
    values = np.zeros_like(made.values)
    values[:, shared] = scores.values[:, [place[key] for key in made.scores.keys if key in place]]
    return values, shared
