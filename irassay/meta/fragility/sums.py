"""Pairs scored by a sum of gains, divided by that of an ideal list or not: changes are added up, and bounded.

A score is the sum over results of a weight by rank times a gain. A change of one grade adds its own term to the
difference of the sums. The ideal is a sum over levels of gain: with W(c) the sum of the first c weights, it is the sum
of (step of the level) times W(number of documents at or above the level).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irassay.arrays import Floats, Ints, share
from irassay.meta.fragility.regraded_lists import RegradedLists, RegradedPair, States
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.gain import gains

BISECTIONS = 22


@dataclass(frozen=True, eq=False)
class SummedPair(RegradedPair):
    """A pair whose metric is a sum of gains with weights by rank."""

    @property
    def normalised(self) -> bool:
        """Whether sums are divided by that of an ideal list."""
        return self.metric.meaning.normalised

    @cached_property
    def coefficient(self) -> Floats:
        """[topic, document] the weight of a document's gain in the first system's sum minus that in the second's."""
        sign = 1 if self.metric.meaning.higher_is_better else -1
        return sign * (self._weights(self.first) - self._weights(self.second))

    def _weights(self, system: RegradedLists) -> Floats:
        weights = np.zeros(self.grade.shape)
        topic, rank = np.nonzero(system.slot >= 0)
        np.add.at(weights, (topic, system.slot[topic, rank]), self.metric.weights(system.lists)[topic, rank])
        return weights

    @cached_property
    def _seen(self) -> Rankings:
        return self.metric.seen(self.first.lists)

    def gain(self, grade: Floats) -> Floats:
        """[…] the gains of grades."""
        view = self._seen.metric_view
        return gains(grade, view.gain, self._seen.max_grade, view.rel, view.raw)

    @cached_property
    def discount(self) -> Floats:
        """[document + 1] the sum of the weights of an ideal list's first 0, 1, 2, … results."""
        weights = self.metric.weights(Rankings.of(np.zeros((1, self.grade.shape[1]))))[0]
        return np.concatenate([[0.0], np.cumsum(weights)])

    @cached_property
    def levels(self) -> tuple[Floats, Floats]:
        """[level] the gains above 0 that a document may have, ascending, and how far each is above the one before."""
        level = np.unique(self.gain(self.grades))
        level = level[level > 0]
        return level, np.diff(level, prepend=0.0)

    def sums(self, state: States) -> tuple[Floats, Ints]:
        """[state] the difference of the sums of gains, and [state, level] documents at or above each level of gain."""
        gain = np.where(self.pool.listed[state.topic], self.gain(state.grade), 0.0)
        total = (self.coefficient[state.topic] * gain).sum(axis=1)
        return total, (gain[:, :, None] >= self.levels[0]).sum(axis=1)

    def score_differences(self, total: Floats, count: Ints) -> Floats:
        """[version] the differences of scores, given those of sums and the documents [version, level] of the topic."""
        if not self.normalised:
            return total
        return share(total, self.discount[count] @ self.levels[1])

    def differences(self, state: States, row: Ints, slot: Ints, grade: Floats) -> Floats:
        """[version] as for any pair, but added up."""
        total, count = self.sums(state)
        before, after = self.gain(state.grade[row[:, None], slot]), self.gain(grade)
        total = total[row] + (self.coefficient[state.topic[row][:, None], slot] * (after - before)).sum(axis=1)
        if self.normalised:
            level = self.levels[0]
            change = (after[:, :, None] >= level).astype(np.int64) - (before[:, :, None] >= level)
            count = count[row] + change.sum(axis=1)
        return self.score_differences(total, count)

    def limits(self, changes: int) -> Floats:
        """[end, topic] differences that this many changes of a topic cannot go below (end 0) or above (end 1)."""
        total, count = self.sums(States(np.arange(len(self.grade)), self.grade))
        d = self.score_differences(total, count)
        bound = _IdealBound(self, count, changes)
        return np.stack([bound.lowest(sign * total, sign * d, sign) * sign for sign in (1, -1)])

    @cached_property
    def columns(self) -> Ints:
        """[topic, column] the documents that either system returns; -1 past the last of a topic."""
        returned = self.returned_documents[0] | self.returned_documents[1]
        order = np.argsort(~returned, axis=1, kind="stable")[:, : int(returned.sum(axis=1).max(initial=0))]
        return np.where(np.take_along_axis(returned, order, axis=1), order, -1)


class _IdealBound:
    """Bounds on differences after some changes of a topic, for sums that are divided by an ideal.

    A difference is at least v if N - v I is never below 0, with N the changed sum and I the changed ideal. W is
    concave, so a tangent bounds I from above (for v > 0) and a chord from below; both are sums over changes. Documents
    that neither system returns are alike if their grades are, so as many of each grade count as there are changes.
    """

    def __init__(self, pair: SummedPair, count: Ints, changes: int) -> None:
        self.changes, (level, step) = changes, pair.levels
        columns, grades = pair.columns, pair.grades
        is_returned, topic = columns >= 0, np.arange(len(columns))[:, None]
        grade = np.where(is_returned, pair.grade[topic, columns], 0.0)
        other = pair.pool.listed & ~(pair.returned_documents[0] | pair.returned_documents[1])
        alike = np.stack([(other & (pair.grade == each)).sum(axis=1) for each in grades], axis=1)  # [topic, grade]
        copies = np.tile(np.arange(changes), len(grades)) < np.repeat(alike, changes, axis=1)
        self.free = np.concatenate([is_returned, copies], axis=1)
        same = np.broadcast_to(np.repeat(grades, changes), copies.shape)
        before = pair.gain(np.concatenate([grade, same], axis=1))[:, :, None]  # [topic, column, new grade]
        after = np.broadcast_to(pair.gain(grades), (*before.shape[:2], len(grades)))
        coefficient = np.where(is_returned, pair.coefficient[topic, columns], 0.0)
        self.own = np.pad(coefficient, [(0, 0), (0, copies.shape[1])])[:, :, None] * (after - before)
        crossed = (after[..., None] >= level).astype(np.float64) - (before[..., None] >= level)
        last = len(pair.discount) - 1
        up, down = np.minimum(count + changes, last), np.maximum(count - changes, 0)
        tangent = pair.discount[np.minimum(count + 1, last)] - pair.discount[count]
        chord = (pair.discount[up] - pair.discount[down]) / np.maximum(up - down, 1)
        self.ideal = [crossed @ (slope * step)[:, None, :, None] for slope in (tangent, chord)]
        self.start = [pair.discount[count] @ step, (pair.discount[down] + chord * (count - down)) @ step]

    def lowest(self, total: Floats, d: Floats, sign: int) -> Floats:
        """[topic] a bound on the smallest difference, given the original sums and differences, times a sign."""
        low, high = np.full(len(total), -1.0), d.astype(np.float64)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            fits = self._margin(middle, total, sign) >= 0
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return low

    def _margin(self, v: Floats, total: Floats, sign: int) -> Floats:
        """[topic] a bound on the smallest N - v I after the changes."""
        above = v > 0
        ideal = np.where(above[:, None, None], *(each[..., 0] for each in self.ideal))
        cost = (sign * self.own - v[:, None, None] * ideal).min(axis=2)
        cost = np.sort(np.where(self.free, np.minimum(cost, 0.0), 0.0), axis=1)[:, : self.changes]
        return total - v * np.where(above, *self.start) + cost.sum(axis=1)


def is_summed(metric: Metric) -> bool:
    """Whether a metric is a sum of gains; of those that are divided by an ideal, only nDCG."""
    return metric.linear and (not metric.meaning.normalised or metric.name == "nDCG")
