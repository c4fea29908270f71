"""Which of several candidates may be the best: metrics by a criterion, or judges by their agreement, over topics.

The best of several estimates is partly luck, and estimates that share their topics are correlated. So all pairs of
candidates are compared at once, by the test that `compare` uses for systems.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.saving import Saved
from irassay.stats.paired_test import PairedTest

MARGIN = 0.10  # by default, the largest difference that counts as no worse
MIN_CHANGED_TOPICS = 6  # topics that change a difference; the signs of fewer cannot be significant at 5 %
NO_CHANGE = 1e-12


@dataclass(frozen=True, eq=False)
class Selection(Saved):
    """Candidates compared with each other; those that are behind no other may be the best."""

    saved_as: ClassVar[str] = "selection"

    estimate: Floats  # [candidate] NaN if there is none; such a candidate is compared with no other
    p: Floats  # [candidate, candidate] corrected for all pairs; NaN if there is no comparison
    low: Floats  # [candidate, candidate] one-sided lower limit of the row's estimate minus the column's, uncorrected
    alpha: float
    # [candidate, candidate] half the width of a difference's interval, for all pairs together; NaN or infinite: none
    half_width: Floats = field(default_factory=lambda: np.array(np.nan))

    @property
    def behind(self) -> Bools:
        """[candidate, candidate] whether the row is significantly lower than the column."""
        return (self.p < self.alpha) & (self.estimate[:, None] < self.estimate)

    @property
    def may_be_best(self) -> Bools:
        """[candidate] whether it has an estimate and is behind no other; 1 - alpha: the best is among them."""
        return ~np.isnan(self.estimate) & ~self.behind.any(axis=1)

    @property
    def not_compared(self) -> Bools:
        """[candidate, candidate] whether two candidates with estimates could not be compared."""
        known = ~np.isnan(self.estimate)
        return np.isnan(self.p) & known & known[:, None] & ~np.eye(len(known), dtype=np.bool_)

    @property
    def has_comparisons(self) -> bool:
        """Whether any two candidates were compared."""
        known = np.count_nonzero(~np.isnan(self.estimate))
        return bool(np.count_nonzero(self.not_compared) < known * (known - 1))

    def non_inferior(self, margin: float = MARGIN) -> Bools:
        """[candidate, candidate] whether the row is shown to be at most `margin` below the column."""
        return self.low > -margin

    def shown_margin(self) -> float:
        """The margin that would be shown if estimates were equal, the median over pairs; NaN without pairs."""
        reach = (self.estimate[:, None] - self.estimate - self.low)[~np.isnan(self.low)]
        return float(np.median(reach)) if reach.size else np.nan


def pseudo_values(estimate: Floats, without: Floats, weight: Floats | float = 1.0) -> Floats:
    """[candidate, topic] what each topic contributes, from the estimates without it [topic, candidate].

    u_t = w_t e + (T - 1) (mean_s e_-s - e_-t): the delete-one jackknife, centred on the estimate e itself. Values
    corrected for bias would select falsely: tau between halves in 14 to 58 % of studies. The weight w_t, of mean 1, is
    the topic's share of the data. If candidates are equal, each difference of u_t is then centred on 0, as flips of
    signs assume; without the weight, equal metrics differ in up to 18 % of studies of users with few and many ratings.

    >>> x = np.array([1.0, 2.0, 6.0])
    >>> pseudo_values(np.array([x.mean()]), (x.sum() - x)[:, None] / 2)
    array([[1., 2., 6.]])
    """
    return (weight * estimate + (len(without) - 1) * (without.mean(axis=0) - without)).T


def selection(
    estimate: Floats,
    without: Floats,
    alpha: float,
    seed: int = 0,
    names: Sequence[str] | None = None,
    trials: int | None = None,
    weight: Floats | None = None,
    excess: float = 1.0,
) -> Selection:
    """Compares all candidates by their estimates [candidate] and those without each topic [topic, candidate].

    Their pseudo-values are tested by max-T in one step with random signs of topics, studentised in every draw. "Behind"
    is about direction, which the simultaneous intervals of one step give and stepping down does not. A candidate
    without an estimate is not compared. Neither are two whose difference hardly any topic changes: a share that moves
    in steps, such as 1 of 28 pairs and 0 of 28, does not show how much it would vary. If topics count differently in an
    estimate, `weight` [topic, candidate] has their shares, of mean 1. The jackknife's error is divided by `excess`, by
    which it is known to be too large.

    >>> x = np.random.default_rng(0).normal(size=(20, 3)) + [0, 0, 3]
    >>> selection(x.mean(axis=0), (x.sum(axis=0) - x) / 19, alpha=0.05).may_be_best
    array([False, False,  True])
    """
    from scipy.special import stdtrit

    topics, candidates = without.shape
    estimate = np.where(np.isnan(without).any(axis=0), np.nan, estimate)
    centre = without.mean(axis=0)
    known = np.flatnonzero(~np.isnan(estimate))
    p, low, half_width = (np.full((candidates, candidates), np.nan) for _ in range(3))
    if len(known) > 1:
        shares = 1.0 if weight is None else weight[:, known]
        values = pseudo_values(estimate[known], (centre + (without - centre) / excess)[:, known], shares)
        order = None if names is None else [names[candidate] for candidate in known.tolist()]
        tests, corrected = PairedTest("max-t", trials=trials, seed=seed).run(
            values[:, :, None], names=order, intervals=False
        )
        i, j = known[tests.i], known[tests.j]
        difference = estimate[i] - estimate[j]
        change = np.abs(without[:, i] - without[:, j] - difference) > NO_CHANGE
        reach = float(stdtrit(topics - 1, 1 - alpha)) * tests.error[:, 0]
        constant = ~change.any(axis=0)  # each topic then contributes its share of the difference, if shares are known
        known_shares = (weight is not None) | (np.abs(difference) <= NO_CHANGE)
        comparable = (change.sum(axis=0) >= MIN_CHANGED_TOPICS) | (constant & known_shares)
        p[i, j] = p[j, i] = np.where(comparable, corrected[:, 0], np.nan)
        half_width[i, j] = half_width[j, i] = np.where(comparable, tests.half_width(alpha)[:, 0], np.nan)
        low[i, j] = np.where(comparable, difference - reach, np.nan)
        low[j, i] = np.where(comparable, -difference - reach, np.nan)
    return Selection(estimate, p, low, alpha, half_width)


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
