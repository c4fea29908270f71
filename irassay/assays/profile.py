"""The profile of every metric: for each criterion an estimate, its interval, and how often other topics repeat it."""

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

HALVES = 200  # splits of the topics in two halves, for replication
SUBSETS = 100  # sets of topics left out, for intervals
CONTROL_TRIALS = 1000  # resamples of a control's test
LEFT_OUT = 5  # one part in so many of the topics is left out for intervals

DISCRIMINATES, REPEATS, COMPLETE, AGREES = "discriminates", "repeats", "complete enough", "agrees"
OTHERS = "agrees with other judgements"
RATINGS = "agrees with user ratings"
AXIOMS = "axioms"
EXACT = "exact bounds"


@dataclass(frozen=True, eq=False)
class Criterion(Saved):
    """One criterion: arrays [row] of the metrics, then the controls; NaN where it does not apply."""

    saved_as: ClassVar[str] = "criterion"

    name: str
    estimate: Floats  # [row]
    low: Floats  # [row] the ends of the interval; of the hashes their range
    high: Floats  # [row]
    replication: Floats  # [row]
    ahead: Bools  # [metric, metric] the interval of the difference lies above 0
    about: str = ""  # what it counts, in words, where that depends on what was given
    remarks: tuple[str, ...] = ()  # [row] why there is no estimate, or nothing


@dataclass(frozen=True, eq=False)
class Profile(Saved):
    """Every metric, and the controls, by every criterion that is estimated from the topics."""

    saved_as: ClassVar[str] = "profile"

    metrics: tuple[str, ...]
    controls: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    topics: int
    halves: int  # splits behind replication; 0 where the topics are too few
    bounds: tuple[str, ...]  # [metric] what 'complete enough' rests on
    alpha: float

    @property
    def names(self) -> tuple[str, ...]:
        """[row] the metrics, then the controls."""
        return (*self.metrics, *self.controls)

    def by(self, name: str) -> Criterion | None:
        """A criterion by its name; None where it could not be estimated here."""
        return next((each for each in self.criteria if each.name == name), None)


def profile(
    scores: Scores,
    bounds: Scores | None,
    power: "Discrimination",
    steady: "Consistency",
    *,
    test: PairedTest,
    alpha: float,
    splits: int,
    outer: Sequence[str],
    truth: Mapping[str, float] | None = None,
    other: Scores | None = None,
    unjudged: Mapping[str, UnjudgedResults] | None = None,
) -> Profile:
    """The profile of metrics by their scores, and by the least and the largest that missing judgements allow.

    `bounds` has the columns of `scores` as judged, worst and best, three a metric; `outer` says what each pair of
    bounds is, but for metrics whose `unjudged` results say exactly how far differences could move. `other` are the
    scores of the same systems by other judgements.
    """
    from irassay.meta.consistency import consistency, split_halves
    from irassay.meta.discrimination import discrimination

    seed = test.seed
    made = complete_scores(scores, "A profile", topics=4)
    metrics, topics = len(made.scores.metrics), len(made.scores.topics)
    extra = controls(made.scores, truth)
    whole = complete_scores(_beside(made.scores, extra), "A profile", topics=4)
    out = max(1, min(round(topics / LEFT_OUT), topics - 2))
    kept = kept_topics(topics, out, SUBSETS, seed)
    first = split_halves(topics, HALVES, seed + 1)
    both = np.concatenate([first, ~first])
    halved = topics >= 8  # a half of a half then has a topic to spare
    pieces = _CriterionMaker(metrics, topics, out, alpha)

    fewer = replace(test, trials=min(test.resamples, CONTROL_TRIALS)) if power.trials else test
    chance = discrimination(extra, test=fewer, levels=(alpha,))
    rules = significance_rule(power, made.values, alpha), significance_rule(chance, extra.values, alpha)
    rule = replace(rules[0], level=np.concatenate([each.level for each in rules]))
    shares = np.concatenate([power.power(alpha), chance.power(alpha)])

    def near(some: Bools) -> Floats:
        return agreement_on(whole, some, metrics)

    every = np.concatenate([np.ones((1, topics), dtype=np.bool_), kept, both[: len(both) * halved]])
    ends, exact = None, frozenset[str]()
    if bounds is not None:
        ends, exact = _ends(bounds, made, scores, unjudged or {})
    kinds = tuple(EXACT if name in exact else kind for name, kind in zip(scores.metrics, outer, strict=True))
    some, safe = resolved_shares(whole.values, ends, metrics, whole.noise, every, rule)  # [subset, column]
    without, halves = slice(1, len(kept) + 1), slice(len(kept) + 1, None)
    found = [pieces.criterion(DISCRIMINATES, shares, some[without], some[halves] if halved else None, (0.0, 1.0))]
    noise = consistency(extra, splits=splits, alpha=alpha, seed=seed, subsets=SUBSETS)
    means = np.concatenate([steady.mean, noise.mean])
    variance = np.zeros((len(means),) * 2)
    variance[:metrics, :metrics], variance[metrics:, metrics:] = steady.covariance, noise.covariance
    quarters = by_size(lambda sets: steadiness_on(whole, sets, seed), both) if halved else None
    found.append(pieces.from_covariance(REPEATS, means, variance, quarters, (-1.0, 1.0)))
    if bounds is not None:
        full = np.minimum(safe[0], shares)
        each = pieces.criterion(COMPLETE, full, safe[without], safe[halves] if halved else None, (0.0, 1.0))
        alike = np.array([[one == two for two in kinds] for one in kinds])  # other bounds are narrower or wider
        found.append(replace(each, ahead=each.ahead & alike))
    if metrics > 1:
        full = near(np.ones((1, topics), dtype=np.bool_))[0]
        found.append(pieces.criterion(AGREES, full, near(kept), near(both) if halved else None, (-1.0, 1.0)))
    if other is not None:
        again, shared = _aligned(made, other)

        def same(some: Bools) -> Floats:
            tau = order_agreement(made.values, again, made.noise, some & shared)
            return np.concatenate([tau, np.full((len(tau), len(extra.metrics)), np.nan)], axis=1)  # controls: neither

        full = same(np.ones((1, topics), dtype=np.bool_))[0]
        found.append(pieces.criterion(OTHERS, full, same(kept), same(both) if halved else None, (-1.0, 1.0)))
    return Profile(
        metrics=made.scores.metrics,
        controls=(HASH, *extra.metrics[HASHES:]),
        criteria=tuple(found),
        topics=topics,
        halves=HALVES if halved else 0,
        bounds=kinds,
        alpha=alpha,
    )


@dataclass(frozen=True)
class _CriterionMaker:
    """What all criteria share on the way to their intervals."""

    metrics: int
    topics: int
    out: int
    alpha: float

    def criterion(
        self, name: str, estimate: Floats, without: Floats, halves: Floats | None, ends: tuple[float, float]
    ) -> Criterion:
        """A criterion from what is found without some topics [subset, column] and on halves of them."""
        known = np.where(np.isnan(without), mean_of_known(without), without)
        apart = known - known.mean(axis=0)
        scale = (self.topics - self.out) / self.out
        covariance = scale * (apart.T @ apart) / len(known)
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
        again = np.full(len(row[0]), np.nan) if halves is None else replication(halves, m)
        known = ~np.isnan(gap) & (spread > 1e-12)  # where subsets of the topics all say the same there is no interval
        return Criterion(name, row[0], row[1], row[2], again, ahead & known)


def replication(halves: Floats, metrics: int) -> Floats:
    """[row] how often both halves of the topics order a metric and another one alike, the mean over the others.

    `halves` are what all first and then all second halves find [2 splits, column]. A tie is alike only with a tie.

    >>> replication(np.array([[0.9, 0.5], [0.2, 0.4], [0.8, 0.5], [0.7, 0.4]]), 2)
    array([0.5, 0.5])
    """
    halves = np.round(halves, 12)
    one, other = halves[: len(halves) // 2], halves[len(halves) // 2 :]
    found = np.full(halves.shape[1], np.nan)
    for column in range(halves.shape[1]):
        rivals = [m for m in range(metrics) if m != column]
        if not rivals:
            continue
        signs = [np.sign(half[:, [column]] - half[:, rivals]) for half in (one, other)]
        known = ~(np.isnan(signs[0]) | np.isnan(signs[1]))
        if known.any():
            found[column] = np.sum((signs[0] == signs[1]) & known) / known.sum()
    return found if halves.shape[1] == metrics else np.concatenate([found[:metrics], with_mean_hash(found[metrics:])])


def front(ahead: Iterable[Bools], untested: Bools | None = None) -> Bools:
    """[metric] whether no other metric is ahead on one of the criteria [metric, metric] and behind on none.

    `untested` are metrics whose axioms, one of the criteria, are not known: nothing dominates them, nor they others
    but among themselves.

    >>> front([np.array([[False, True], [False, False]])])
    array([ True, False])
    """
    each = list(ahead)
    if not each:
        raise InputError("The front of metrics needs at least one criterion.")
    some = np.any(each, axis=0)
    beats = some & ~some.T
    if untested is not None:
        beats &= untested[:, None] == untested
    return ~np.any(beats, axis=0)


def _beside(one: Scores, other: Scores) -> Scores:
    values = np.concatenate([one.values, other.values], axis=2)
    up = (*one.higher_is_better, *other.higher_is_better)
    over = (*one.over_topics, *other.over_topics)
    return replace(
        one, values=values, metrics=(*one.metrics, *other.metrics), higher_is_better=up, over_topics=over, notes=()
    )


def _oriented(bounds: Scores, made: CompleteScores) -> tuple[Floats, Floats]:
    """[system, topic, metric] least and largest, on the topics that all systems have; costs negated."""
    whole = bounds.select(topics=made.scores.keys).oriented().values
    cube = whole.reshape(*whole.shape[:2], -1, 3)
    return np.nanmin(cube, axis=3), np.nanmax(cube, axis=3)


def _ends(
    bounds: Scores, made: CompleteScores, scores: Scores, unjudged: Mapping[str, UnjudgedResults]
) -> tuple[Bounds, frozenset[str]]:
    """The bounds of differences, exact ones where there are such, and the metrics of which they are."""
    outer = outer_bounds(*_oriented(bounds, made))
    place = {key: t for t, key in enumerate(scores.keys)}
    found = ExactBounds(unjudged, len(scores.systems), [place[key] for key in made.scores.keys])
    return partial(_exact_or_outer, found, outer, made.scores.metrics, made.values), found.names


def _exact_or_outer(
    exact: ExactBounds, outer: Bounds, names: Sequence[str], values: Floats, m: int, pairs: Ints
) -> tuple[Floats, Floats]:
    """[pair, topic] the ends of the differences by metric m: exact ones where there are such."""
    return exact.ends(names[m], pairs, values[:, :, m]) if names[m] in exact.names else outer(m, pairs)


def _aligned(made: CompleteScores, other: Scores) -> tuple[Floats, Bools]:
    """[system, topic, metric] the scores by other judgements, costs negated, and [topic] where there are any."""
    again = other.complete().oriented().select(systems=made.scores.systems, metrics=made.scores.metrics)
    place = {key: t for t, key in enumerate(again.keys)}
    shared = np.array([key in place for key in made.scores.keys])
    values = np.zeros_like(made.values)
    values[:, shared] = again.values[:, [place[key] for key in made.scores.keys if key in place]]
    return values, shared


def dominated_by(profile: Profile, broken: Sequence[frozenset[str] | None], names: Iterable[str]) -> list[Bools]:
    """[metric, metric] for each criterion named, who is ahead of whom; of axioms, who breaks only some of the other's.

    A metric whose axioms were not tested is ahead of none that was, nor behind it.
    """
    found = []
    for name in names:
        if name == AXIOMS:
            found.append(
                np.array([[a is not None and b is not None and a < b for b in broken] for a in broken], dtype=np.bool_)
            )
        elif (each := profile.by(name)) is not None:
            found.append(each.ahead)
    return found


def interval_text(low: float, high: float, share: bool) -> str:
    """The ends of an interval as a sentence gives them."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    if low == high:
        return "the same on every subset of the topics drawn"
    return f"{low:.1%} to {high:.1%}" if share else f"{low:.3f} to {high:.3f}"
