"""Pairs scored by AP: changes of relevance are added up.

With x = 1 for relevant results and 0 for others, and R relevant documents, R times AP is the sum over pairs of ranks
i >= j of x_i x_j / i. So a change of x by δ at rank i adds δ (1 + number of other relevant results above i) / i and δ
times the sum of 1/j over relevant results below; two changes at i and j add δ_i δ_j / max(i, j) more.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irassay.arrays import Floats, Ints, share
from irassay.meta.fragility.regraded_lists import RegradedLists, RegradedPair, States
from irassay.metrics.metric import Metric


@dataclass(frozen=True, eq=False)
class PrecisionPair(RegradedPair):
    """A pair whose metric is AP."""

    def kind(self, grade: Floats) -> Floats:
        """[…] whether grades are relevant, which is all that AP distinguishes."""
        return (grade >= self.metric.params["rel"]).astype(np.float64)

    @cached_property
    def _systems(self) -> tuple["_PrecisionSums", "_PrecisionSums"]:
        first, second = (_PrecisionSums(each, self.grade.shape) for each in (self.first, self.second))
        return first, second

    def differences(self, state: States, row: Ints, slot: Ints, grade: Floats) -> Floats:
        """[version] as for any pair, but added up."""
        topic = state.topic
        relevant = np.where(self.pool.listed[topic], self.kind(state.grade), 0.0)
        change = self.kind(grade) - relevant[row[:, None], slot]
        first, second = (each.sums(topic, relevant, row, slot, change) for each in self._systems)
        known, size = relevant.sum(axis=1)[row] + change.sum(axis=1), self.metric.size
        divisor = known if size is None or self.metric.params["norm"] == "R" else np.minimum(known, size)
        return share(first - second, divisor)


class _PrecisionSums:
    """The sums of the precisions at relevant results, R times AP, of one system."""

    def __init__(self, system: RegradedLists, shape: tuple[int, ...]) -> None:
        self.slot, self.rank = system.slot, np.arange(1.0, system.slot.shape[1] + 1)
        self.inverse = np.zeros(shape)  # [topic, document] 1 / rank, 0 if it is not returned
        topic, place = np.nonzero(self.slot >= 0)
        self.inverse[topic, self.slot[topic, place]] = 1 / self.rank[place]

    def sums(self, topic: Ints, relevant: Floats, row: Ints, slot: Ints, change: Floats) -> Floats:
        """[version] the sums after changes [version, change] of states with relevance [state, document]."""
        place, known = self.slot[topic], self.slot[topic] >= 0
        x = np.where(known, np.take_along_axis(relevant, place.clip(0), axis=1), 0.0)
        above, weight = x.cumsum(axis=1), x / self.rank
        step = (1 + above - x) / self.rank + (weight.sum(axis=1, keepdims=True) - weight.cumsum(axis=1))
        steps = np.zeros(relevant.shape)  # [state, document] what a document adds if it is relevant
        state, rank = np.nonzero(known)
        steps[state, place[state, rank]] = step[state, rank]
        total = (weight * above).sum(axis=1)[row] + (change * steps[row[:, None], slot]).sum(axis=1)
        inverse = self.inverse[topic[row][:, None], slot]
        for one in range(slot.shape[1]):
            for two in range(one):
                total += change[:, one] * change[:, two] * np.minimum(inverse[:, one], inverse[:, two])
        return total


def is_average_precision(metric: Metric) -> bool:
    """Whether a metric is AP of binary gains."""
    if metric.name != "AP" or metric.meaning.kind != "stop_model":
        return False
    params = metric.params
    plain = not params["judged_only"] and params["effort"] is None
    return plain and params["gain"] == "binary" and params["A"] in (None, "AVG")
