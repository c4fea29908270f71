"""The profile of every metric: an estimate for each criterion, its interval, and its replication on other topics."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.assays.controls import HASH, HASHES, controls, with_mean_hash
from irassay.assays.subsets import (
    SignificanceRule,
    agreement_on,
    by_size,
    fixed_split_taus,
    order_agreement,
    outer_bounds,
    resolved_shares,
    significance_rule,
    steadiness_on,
    twin_groups,
)
from irassay.meta.complete_scores import CompleteScores, complete_scores, mean_of_known
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.exact_bounds import ExactBounds
from irassay.scoring.unjudged_results import UnjudgedResults
from irassay.stats.jackknife import jackknife_error, kept_topics, normal_critical, student_critical
from irassay.stats.paired_test import PairedTest
from irassay.stats.selection import MARGIN, NO_CHANGE, Selection, selection

if TYPE_CHECKING:  # methods are listed in the order in which they are imported
    from irassay.meta.consistency import Consistency
    from irassay.meta.discrimination import Discrimination

HALVES = 200  # splits of the topics into halves, for replication
SUBSETS = 100  # sets of topics left out, for intervals
CONTROL_TRIALS = 1000  # resamples of a control's test
LEFT_OUT = 5  # one in 5 topics is left out for intervals
SELECTED_HALVES, HALF_TRIALS = (
    20,
    1000,
)  # halves of the topics in which metrics are selected again, and sign flips there
# Topics interact in tau between halves, so that the delete-one error of a difference is too large: 1.3 to 2 times as
# large as the differences of equal metrics spread in simulations (8 to 40 systems, 10 to 50 topics)
EXCESS_ERROR_OF_TAU = 1.2
SPLITS, HALF_SPLITS = 200, 30  # splits of the topics, and of a half, that stay fixed when a topic is left out

POWER, CONSISTENCY = "discriminative power", "consistency over topics"
ROBUSTNESS, AGREEMENT = "robustness to missing judgements", "agreement with other metrics"
OTHERS, RATINGS = "agreement with other judgements", "agreement with user ratings"
AXIOMS = "axioms"
FORMER_NAMES = {  # of criteria, in saved files
    "discriminates": POWER,
    "repeats": CONSISTENCY,
    "complete enough": ROBUSTNESS,
    "agrees": AGREEMENT,
    "agrees with other judgements": OTHERS,
    "agrees with user ratings": RATINGS,
}
JUDGED_ONLY = "judged results only, no bounds"


@dataclass(frozen=True, eq=False)
class Criterion(Saved):
    """One criterion: arrays [row] of the metrics, then the controls; NaN if it does not apply."""

    saved_as: ClassVar[str] = "criterion"
    formerly: ClassVar[Mapping[str, str]] = {"ahead": ""}

    name: str
    estimate: Floats  # [row]
    low: Floats  # [row] ends of the interval, NaN if there is none; for the hashes, of their range
    high: Floats  # [row]
    replication: Floats  # [row]
    about: str = ""  # its definition in words, if it depends on the input
    remarks: tuple[str, ...] = ()  # [row] why there is no estimate, or empty
    selection: Selection | None = None  # of the metrics; None in files of earlier versions
    share_of_halves: Floats = field(default_factory=lambda: np.array(np.nan))  # [metric] in which it may be best
    exact: Floats = field(default_factory=lambda: np.array(np.nan))  # [metric] the estimate by exact bounds, if any

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", FORMER_NAMES.get(self.name, self.name))

    @property
    def is_share(self) -> bool:
        """Whether it is a share of the pairs of systems, not a correlation."""
        return self.name in (POWER, ROBUSTNESS)


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
    scores of the same systems by other judgements. `margin` is the largest difference that counts as no worse.
    """
    from irassay.meta.consistency import consistency, split_halves
    from irassay.meta.discrimination import discrimination

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
    maker = _CriterionMaker(made.scores.metrics, topics, out, alpha, seed)
    full = without_each(np.ones((1, topics), dtype=np.bool_))
    parts = [full, without_each(first[:SELECTED_HALVES])] if halved else [full]

    control_test = replace(test, trials=min(test.resamples, CONTROL_TRIALS)) if discriminations.trials else test
    chance = discrimination(extra, test=control_test, levels=(alpha,))
    rules = significance_rule(discriminations, made.values, alpha), significance_rule(chance, extra.values, alpha)
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
    criteria = [maker.with_selection(power, [values[:, :, 0] for values in share_values])]
    noise = consistency(extra, splits=splits, alpha=alpha, seed=seed, subsets=SUBSETS)
    means = np.concatenate([consistencies.mean, noise.mean])
    errors = np.concatenate([consistencies.error, noise.error])
    quarters = by_size(lambda sets: steadiness_on(with_controls, sets, seed), both) if halved else None
    steady = maker.from_errors(CONSISTENCY, means, errors, quarters, (-1.0, 1.0), normal_critical(alpha))
    split_numbers = (SPLITS, HALF_SPLITS)
    taus = [fixed_split_taus(made, sets, n, seed) for sets, n in zip(parts, split_numbers, strict=False)]
    criteria.append(maker.with_selection(steady, taus, EXCESS_ERROR_OF_TAU))
    if bounds is not None:
        shares, on_halves = np.minimum(robust[0], shares), robust[halves] if halved else None
        each = maker.criterion(ROBUSTNESS, shares, robust[without], on_halves, (0.0, 1.0))
        comparable = np.array([kind != JUDGED_ONLY for kind in bound_kinds])
        values = [np.where(comparable, values[:, :, 1], np.nan) for values in share_values]
        exact = _exact_shares(made, scores, unjudged or {}, full[0, :1], rules[0])
        criteria.append(replace(maker.with_selection(each, values), exact=np.minimum(exact, power.estimate[:metrics])))

    def add_tau(name: str, tau_on: Callable[[Bools], Floats]) -> None:
        estimate, on_halves = tau_on(full[0, :1])[0], tau_on(both) if halved else None
        each = maker.criterion(name, estimate, tau_on(kept), on_halves, (-1.0, 1.0))
        values = [on_each_set(lambda sets: tau_on(sets)[:, :metrics], sets) for sets in parts]
        criteria.append(maker.with_selection(each, values))

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


@dataclass(frozen=True)
class _CriterionMaker:
    """Makes criteria with their intervals and selections."""

    metrics: tuple[str, ...]
    topics: int
    out: int
    alpha: float
    seed: int

    def criterion(
        self, name: str, estimate: Floats, without: Floats, halves: Floats | None, ends: tuple[float, float]
    ) -> Criterion:
        """A criterion from its values without some topics [subset, column] and on halves of the topics."""
        known = np.where(np.isnan(without), mean_of_known(without), without)
        error = jackknife_error(known, self.topics, self.out)
        return self.from_errors(name, estimate, error, halves, ends, student_critical(self.alpha, self.topics))

    def from_errors(
        self,
        name: str,
        estimate: Floats,
        error: Floats,
        halves: Floats | None,
        ends: tuple[float, float],
        critical: float,
    ) -> Criterion:
        """A criterion from its estimates [column] and their standard errors over topics; no interval without error."""
        m = len(self.metrics)
        reach = np.where(error > NO_CHANGE, critical * error, np.nan)
        low, high = np.clip(estimate - reach, *ends), np.clip(estimate + reach, *ends)
        hashes = estimate[m : m + HASHES]
        row = [np.concatenate([values[:m], with_mean_hash(values[m:])]) for values in (estimate, low, high)]
        row[1][m], row[2][m] = (hashes.min(), hashes.max()) if np.ptp(hashes) > NO_CHANGE else (np.nan, np.nan)
        repeated = np.full(len(row[0]), np.nan) if halves is None else replication(halves, m)
        return Criterion(name, row[0], row[1], row[2], repeated)

    def with_selection(self, each: Criterion, values: Sequence[Floats], excess: float = 1.0) -> Criterion:
        """The criterion with the metrics that may be best by it, on all topics and in halves of them.

        Given are the values [set, left out, metric] for all topics and then for halves: on the whole set, and without
        each of its topics.
        """
        m = len(self.metrics)
        [all_topics], *halves = values
        estimate = np.where(np.isnan(all_topics[0]), np.nan, each.estimate[:m])
        compared = partial(selection, alpha=self.alpha, seed=self.seed, names=self.metrics, excess=excess)
        selected = compared(estimate, all_topics[1:])
        share = np.full(m, np.nan)
        if halves:
            again = [compared(half[0], half[1:], trials=HALF_TRIALS).may_be_best for half in halves[0]]
            share = np.where(np.isnan(selected.estimate), np.nan, np.mean(again, axis=0))
        return replace(each, selection=selected, share_of_halves=share)


def without_each(sets: Bools) -> Bools:
    """[set, left out, topic] sets of equally many topics [set, topic]: each as it is, then without each of its topics.

    >>> without_each(np.array([[True, False, True]])).astype(int)
    array([[[1, 0, 1],
            [0, 0, 1],
            [1, 0, 0]]])
    """
    inside = np.nonzero(sets)[1].reshape(len(sets), -1)  # [set, topic of the set]
    kept = np.repeat(sets[:, None], inside.shape[1] + 1, axis=1)
    np.put_along_axis(kept[:, 1:], inside[:, :, None], False, axis=2)
    return kept


def on_each_set(function: Callable[[Bools], Floats], sets: Bools) -> Floats:
    """[set, left out, ...] the values [subset, ...] that a function gives for the subsets [set, left out, topic]."""
    values = function(sets.reshape(-1, sets.shape[2]))
    return values.reshape(*sets.shape[:2], *values.shape[1:])


def replication(halves: Floats, metrics: int) -> Floats:
    """[row] how often both halves of the topics order a metric and another in the same way, the mean over the others.

    `halves` are the values on all first and then all second halves [2 splits, column]. A tie matches only a tie.

    >>> replication(np.array([[0.9, 0.5], [0.2, 0.4], [0.8, 0.5], [0.7, 0.4]]), 2)
    array([0.5, 0.5])
    """
    halves = np.round(halves, 12)
    one, other = halves[: len(halves) // 2], halves[len(halves) // 2 :]
    shares = np.full(halves.shape[1], np.nan)
    for column in range(halves.shape[1]):
        rivals = [m for m in range(metrics) if m != column]
        signs = [np.sign(half[:, [column]] - half[:, rivals]) for half in (one, other)]
        known = ~(np.isnan(signs[0]) | np.isnan(signs[1]))
        if known.any():
            shares[column] = np.sum((signs[0] == signs[1]) & known) / known.sum()
    own, extra = shares[:metrics], shares[metrics:]
    return np.concatenate([own, with_mean_hash(extra)]) if len(extra) else own


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


def interval_text(low: float, high: float, share: bool) -> str:
    """An interval as text for sentences."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{low:.1%} to {high:.1%}" if share else f"{low:.3f} to {high:.3f}"
