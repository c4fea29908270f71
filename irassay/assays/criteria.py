"""One criterion of the profile: its estimate for every metric, the interval, the selection, and the replication."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.assays.controls import HASHES, with_mean_hash
from irassay.meta.complete_scores import mean_of_known
from irassay.prose import percent_text
from irassay.saving import Saved
from irassay.stats.jackknife import jackknife_error, student_critical
from irassay.stats.selection import MIN_CHANGED_TOPICS, NO_CHANGE, Selection, selection

HALF_TRIALS = 1000  # sign flips in a half of the topics
POWER, CONSISTENCY = "discriminative power", "consistency over topics"
ROBUSTNESS, AGREEMENT = "robustness to missing judgements", "agreement with other metrics"
OTHERS, RATINGS = "agreement with other judgements", "agreement with user ratings"
AXIOMS = "axioms"
FEW_TOPICS_AFFECT = f"fewer than {MIN_CHANGED_TOPICS} topics affect"  # why metrics cannot be compared
FORMER_NAMES = {  # of criteria, in saved files
    "discriminates": POWER,
    "repeats": CONSISTENCY,
    "complete enough": ROBUSTNESS,
    "agrees": AGREEMENT,
    "agrees with other judgements": OTHERS,
    "agrees with user ratings": RATINGS,
}


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

    @property
    def largest_difference(self) -> float:
        """The largest difference that two metrics can have."""
        return 1.0 if self.is_share else 2.0


@dataclass(frozen=True)
class CriterionMaker:
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

    def with_own_selection(
        self, each: Criterion, values: Sequence[Floats], excess: Callable[[int], float] = lambda topics: 1.0
    ) -> Criterion:
        """The criterion with the metrics that may be best by it, on all topics and in halves of them.

        Given are the values [set, left out, metric] for all topics and then for halves: on the whole set, and without
        each of its topics; and how many times the error is too large, from the number of topics.
        """
        [all_topics], *halves = values
        estimate = np.where(np.isnan(all_topics[0]), np.nan, each.estimate[: len(self.metrics)])
        selected = selection(estimate, all_topics[1:], self.alpha, self.seed, self.metrics, excess=excess(self.topics))
        return self.with_selection(each, selected, halves, excess(self.topics // 2))

    def with_selection(
        self, each: Criterion, selected: Selection | None, halves: Sequence[Floats], excess: float = 1.0
    ) -> Criterion:
        """The criterion with the metrics that may be best by it, and how often they may be in halves of the topics.

        Given are the values [set, left out, metric] of halves, or nothing if topics are too few.
        """
        compared = partial(
            selection, alpha=self.alpha, seed=self.seed, names=self.metrics, excess=excess, trials=HALF_TRIALS
        )
        share = np.full(len(self.metrics), np.nan)
        if halves and selected is not None:
            again = [compared(half[0], half[1:]).may_be_best for half in halves[0]]
            share = np.where(np.isnan(selected.estimate), np.nan, np.mean(again, axis=0))
        return replace(each, selection=selected, share_of_halves=share)


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


def interval_text(low: float, high: float, share: bool) -> str:
    """An interval as text for sentences."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{percent_text(low)} to {percent_text(high)}" if share else f"{low:z.3f} to {high:z.3f}"
