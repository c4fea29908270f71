"""The profile of every metric: an estimate for each criterion, its interval, and its replication on other topics."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.assays.controls import HASH, HASHES, controls, with_mean_hash
from irassay.assays.subsets import (
    Bounds,
    agreement_on,
    by_size,
    order_agreement,
    outer_bounds,
    resolved_shares,
    significance_rule,
    steadiness_on,
)
from irassay.errors import InputError
from irassay.meta.complete_scores import CompleteScores, complete_scores, mean_of_known
from irassay.results import Saved
from irassay.scores import Scores
from irassay.scoring.exact_bounds import ExactBounds
from irassay.scoring.unjudged_results import UnjudgedResults
from irassay.stats.jackknife import jackknife_error, kept_topics, normal_critical, student_critical
from irassay.stats.paired_test import PairedTest

if TYPE_CHECKING:  # methods are listed in the order in which they are imported
    from irassay.meta.consistency import Consistency
    from irassay.meta.discrimination import Discrimination

HALVES = 200  # splits of the topics into halves, for replication
SUBSETS = 100  # sets of topics left out, for intervals
CONTROL_TRIALS = 1000  # resamples of a control's test
LEFT_OUT = 5  # one in 5 topics is left out for intervals

DISCRIMINATES, REPEATS, COMPLETE, AGREES = "discriminates", "repeats", "complete enough", "agrees"
OTHERS = "agrees with other judgements"
RATINGS = "agrees with user ratings"
AXIOMS = "axioms"
TITLES = {  # for people; the names are for files
    DISCRIMINATES: "discriminative power",
    REPEATS: "consistency over topics",
    COMPLETE: "robustness to missing judgements",
    AGREES: "agreement with other metrics",
    OTHERS: "agreement with other judgements",
    RATINGS: "agreement with user ratings",
    AXIOMS: "axioms",
}
EXACT = "exact bounds"


@dataclass(frozen=True, eq=False)
class Criterion(Saved):
    """One criterion: arrays [row] of the metrics, then the controls; NaN if it does not apply."""

    saved_as: ClassVar[str] = "criterion"

    name: str
    estimate: Floats  # [row]
    low: Floats  # [row] ends of the interval; for the hashes, of their range
    high: Floats  # [row]
    replication: Floats  # [row]
    ahead: Bools  # [metric, metric] the interval of the difference lies above 0
    about: str = ""  # its definition in words, if it depends on the input
    remarks: tuple[str, ...] = ()  # [row] why there is no estimate, or empty


@dataclass(frozen=True, eq=False)
class Profile(Saved):
    """Every metric and control by every criterion estimated from the topics."""

    saved_as: ClassVar[str] = "profile"

    metrics: tuple[str, ...]
    controls: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    topics: int
    halves: int  # splits for replication; 0 if topics are too few
    bounds: tuple[str, ...]  # [metric] the kind of bounds of 'complete enough'
    alpha: float

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
) -> Profile:
    """The profile of metrics by their scores, and by the bounds that missing judgements allow.

    `bounds` has three columns per metric: as judged, worst and best. `bound_kinds` are the kinds of the metrics'
    bounds, except for metrics whose `unjudged` results give exact ones. `other` are scores of the same systems by other
    judgements.
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
    maker = _CriterionMaker(metrics, topics, out, alpha)

    control_test = replace(test, trials=min(test.resamples, CONTROL_TRIALS)) if discriminations.trials else test
    chance = discrimination(extra, test=control_test, levels=(alpha,))
    rules = significance_rule(discriminations, made.values, alpha), significance_rule(chance, extra.values, alpha)
    rule = replace(rules[0], level=np.concatenate([each.level for each in rules]))
    shares = np.concatenate([discriminations.power(alpha), chance.power(alpha)])

    every = np.concatenate([np.ones((1, topics), dtype=np.bool_), kept, both[: len(both) * halved]])
    ends, exact = None, frozenset[str]()
    if bounds is not None:
        ends, exact = _difference_bounds(bounds, made, scores, unjudged or {})
    kinds = tuple(EXACT if name in exact else kind for name, kind in zip(scores.metrics, bound_kinds, strict=True))
    significant, resolved = resolved_shares(with_controls.values, ends, metrics, with_controls.noise, every, rule)
    without, halves = slice(1, len(kept) + 1), slice(len(kept) + 1, None)
    on_halves = significant[halves] if halved else None
    criteria = [maker.criterion(DISCRIMINATES, shares, significant[without], on_halves, (0.0, 1.0))]
    noise = consistency(extra, splits=splits, alpha=alpha, seed=seed, subsets=SUBSETS)
    means = np.concatenate([consistencies.mean, noise.mean])
    variance = np.zeros((len(means),) * 2)
    variance[:metrics, :metrics], variance[metrics:, metrics:] = consistencies.covariance, noise.covariance
    quarters = by_size(lambda sets: steadiness_on(with_controls, sets, seed), both) if halved else None
    criteria.append(maker.from_covariance(REPEATS, means, variance, quarters, (-1.0, 1.0)))
    if bounds is not None:
        full, on_halves = np.minimum(resolved[0], shares), resolved[halves] if halved else None
        each = maker.criterion(COMPLETE, full, resolved[without], on_halves, (0.0, 1.0))
        same_kind = np.array([[one == two for two in kinds] for one in kinds])  # other bounds are narrower or wider
        criteria.append(replace(each, ahead=each.ahead & same_kind))

    def add_tau(name: str, tau_on: Callable[[Bools], Floats]) -> None:
        full = tau_on(np.ones((1, topics), dtype=np.bool_))[0]
        criteria.append(maker.criterion(name, full, tau_on(kept), tau_on(both) if halved else None, (-1.0, 1.0)))

    if metrics > 1:
        add_tau(AGREES, lambda subsets: agreement_on(with_controls, subsets, metrics))
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
        bounds=kinds,
        alpha=alpha,
    )


@dataclass(frozen=True)
class _CriterionMaker:
    """Makes criteria with their intervals."""

    metrics: int
    topics: int
    out: int
    alpha: float

    def criterion(
        self, name: str, estimate: Floats, without: Floats, halves: Floats | None, ends: tuple[float, float]
    ) -> Criterion:
        """A criterion from its values without some topics [subset, column] and on halves of the topics."""
        known = np.where(np.isnan(without), mean_of_known(without), without)
        centred = known - known.mean(axis=0)
        scale = (self.topics - self.out) / self.out
        covariance = scale * (centred.T @ centred) / len(known)
        np.fill_diagonal(covariance, jackknife_error(known, self.topics, self.out) ** 2)
        student = partial(student_critical, topics=self.topics)
        return self.from_covariance(name, estimate, covariance, halves, ends, student)

    def from_covariance(
        self,
        name: str,
        estimate: Floats,
        covariance: Floats,
        halves: Floats | None,
        ends: tuple[float, float],
        critical: Callable[[float], float] = normal_critical,
    ) -> Criterion:
        """A criterion from the covariance [column, column] of its estimates [column] over topics."""
        m = self.metrics
        variance = np.maximum(0.0, covariance.diagonal())
        reach = critical(self.alpha) * np.sqrt(variance)
        low, high = np.clip(estimate - reach, *ends), np.clip(estimate + reach, *ends)
        hashes = estimate[m : m + HASHES]
        row = [np.concatenate([values[:m], with_mean_hash(values[m:])]) for values in (estimate, low, high)]
        row[1][m], row[2][m] = hashes.min(), hashes.max()
        gap = estimate[:m, None] - estimate[:m]
        spread = variance[:m, None] + variance[:m] - 2 * covariance[:m, :m]
        pairs = max(1, m * (m - 1) // 2)
        ahead = gap > critical(self.alpha / pairs) * np.sqrt(np.maximum(spread, 0.0)) + 1e-12
        repeated = np.full(len(row[0]), np.nan) if halves is None else replication(halves, m)
        has_interval = ~np.isnan(gap) & (spread > 1e-12)  # none if all subsets of the topics give the same
        return Criterion(name, row[0], row[1], row[2], repeated, ahead & has_interval)


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


def pareto_front(ahead: Iterable[Bools], untested: Bools | None = None) -> Bools:
    """[metric] whether no other metric is ahead on one of the criteria [metric, metric] and behind on none.

    A metric whose axioms are `untested` dominates only other such metrics, and only they can dominate it.

    >>> pareto_front([np.array([[False, True], [False, False]])])
    array([ True, False])
    """
    criteria = list(ahead)
    if not criteria:
        raise InputError("The front of metrics needs at least one criterion.")
    is_ahead = np.any(criteria, axis=0)
    beats = is_ahead & ~is_ahead.T
    if untested is not None:
        beats &= untested[:, None] == untested
    return ~np.any(beats, axis=0)


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


def _difference_bounds(
    bounds: Scores, made: CompleteScores, scores: Scores, unjudged: Mapping[str, UnjudgedResults]
) -> tuple[Bounds, frozenset[str]]:
    """The bounds of differences, and the metrics whose bounds are exact."""
    outer = outer_bounds(*_lowest_and_highest(bounds, made))
    place = {key: t for t, key in enumerate(scores.keys)}
    exact = ExactBounds(unjudged, len(scores.systems), [place[key] for key in made.scores.keys])
    return partial(_exact_or_outer, exact, outer, made.scores.metrics, made.values), exact.names


def _exact_or_outer(
    exact: ExactBounds, outer: Bounds, names: Sequence[str], values: Floats, m: int, pairs: Ints
) -> tuple[Floats, Floats]:
    """[pair, topic] the bounds of the differences by metric m: exact if possible."""
    return exact.ends(names[m], pairs, values[:, :, m]) if names[m] in exact.names else outer(m, pairs)


def _other_values(made: CompleteScores, other: Scores) -> tuple[Floats, Bools]:
    """[system, topic, metric] the scores by other judgements, costs negated, and [topic] whether there are any."""
    scores = other.complete().oriented().select(systems=made.scores.systems, metrics=made.scores.metrics)
    place = {key: t for t, key in enumerate(scores.keys)}
    shared = np.array([key in place for key in made.scores.keys])
    values = np.zeros_like(made.values)
    values[:, shared] = scores.values[:, [place[key] for key in made.scores.keys if key in place]]
    return values, shared


def ahead_by_criterion(profile: Profile, broken: Sequence[frozenset[str] | None], names: Iterable[str]) -> list[Bools]:
    """[metric, metric] for each criterion named, which metric is ahead of which; for axioms, breaks a proper subset.

    A metric whose axioms were not tested is neither ahead of a tested one nor behind it.
    """
    ahead = []
    for name in names:
        if name == AXIOMS:
            fewer = [[a is not None and b is not None and a < b for b in broken] for a in broken]
            ahead.append(np.array(fewer, dtype=np.bool_))
        elif (each := profile.by(name)) is not None:
            ahead.append(each.ahead)
    return ahead


def interval_text(low: float, high: float, share: bool) -> str:
    """An interval as text for sentences."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    if low == high:
        return "the same on every subset of the topics drawn"
    return f"{low:.1%} to {high:.1%}" if share else f"{low:.3f} to {high:.3f}"
