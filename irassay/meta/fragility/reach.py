"""How far few changes of grades move the difference of a pair on each topic, and which changes do."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.fragility.precisions import PrecisionPair
from irassay.meta.fragility.regraded_lists import RegradedPair, States
from irassay.meta.fragility.sums import SummedPair

MAX_PER_TOPIC = 12  # changes of one topic that are tried
MAX_SUMMED_PER_TOPIC = 40  # the same for sums, which are quick to score

Change = tuple[int, int, float]  # topic, document, new grade
Changes = tuple[Change, ...]


class Reach:
    """The smallest and the largest difference on each topic that 0, 1, 2, … changes of its grades were found to make.

    Changes are added one by one, the best first. For a sum of gains that is optimal; otherwise one change is, and two
    are if all combinations are within the budget.
    """

    def __init__(self, pair: RegradedPair, d: Floats, budget: int) -> None:
        self.pair, self.original, self.budget = pair, d, budget
        self.d = np.stack([d, d])[:, :, None]  # [end, topic, changes]
        self.changes: list[list[list[Changes]]] = [[[()] for _ in d] for _ in range(2)]
        self.linear = isinstance(pair, SummedPair) and not pair.normalised
        is_summed = isinstance(pair, SummedPair | PrecisionPair)
        self.limit = MAX_SUMMED_PER_TOPIC if is_summed else MAX_PER_TOPIC  # changes of one topic
        self.optimal = 0  # the number of changes up to which the differences are proved optimal

    @property
    def longest(self) -> int:
        """The largest number of changes of one topic."""
        return self.d.shape[2] - 1

    @property
    def is_finished(self) -> bool:
        """Whether a further change makes no difference smaller or larger, or is not searched."""
        return self.longest > 0 and (self.longest >= self.limit or np.array_equal(self.d[:, :, -1], self.d[:, :, -2]))

    def lengthen(self) -> None:
        """Adds one more change."""
        topics, first = len(self.original), self.longest == 0
        topic = np.arange(topics) if first else np.tile(np.arange(topics), 2)
        states = [self.changes[end][t][-1] for end in range(1 if first else 2) for t in range(topics)]
        single = self._next_changes(topic, states)
        d = np.repeat(self.d[:, :, -1:], 2, axis=2)
        for end, sign in enumerate((1, -1)):
            row, slot, grade, value = single
            mine = np.flatnonzero(row // topics == (0 if first else end))
            order = mine[np.lexsort((sign * value[mine], row[mine]))]
            _, start = np.unique(row[order], return_index=True)
            best = {int(row[n]) % topics: n for n in order[start]}
            for t, path in enumerate(self.changes[end]):
                n = best.get(t)
                if n is not None and sign * value[n] < sign * d[end, t, 0]:
                    path.append((*path[-1], (t, int(slot[n]), float(grade[n]))))
                    d[end, t, 1] = value[n]
                else:
                    path.append(path[-1])
        self.d = np.concatenate([self.d, d[:, :, 1:]], axis=2)
        if self.linear or self.longest == 1:
            self.optimal = self.longest
        elif self.longest == 2:
            self._try_pairs()

    def _next_changes(self, topic: Ints, states: Sequence[Changes]) -> tuple[Ints, Ints, Floats, Floats]:
        """[version] all single changes of states of topics: the state, the document, its grade, and the difference."""
        row, slot, grade = self._candidates(topic, states)
        base = States(topic, self._grades(topic, states))
        return row, slot, grade, self.pair.differences(base, row, slot[:, None], grade[:, None])

    def _grades(self, topic: Ints, states: Sequence[Changes]) -> Floats:
        """[state, document] the grades after the changes of each state."""
        base = self.pair.grade[topic].copy()
        for n, changes in enumerate(states):
            for _, slot, grade in changes:
                base[n, slot] = grade
        return base

    def _candidates(self, topic: Ints, states: Sequence[Changes]) -> tuple[Ints, Ints, Floats]:
        """[version] states, documents and new grades; of equal documents that nobody returned, one for each kind."""
        pair = self.pair
        returned = (pair.returned_documents[0] | pair.returned_documents[1])[topic]
        free, kind = pair.pool.listed[topic], pair.kind(pair.grade)[topic]
        for n, changes in enumerate(states):
            free[n, [slot for _, slot, _ in changes]] = False
        chosen = returned & free
        kinds, lowest = np.unique(pair.kind(pair.grades), return_index=True)
        if pair.uses_pool:
            for each in kinds:
                alike = free & ~returned & (kind == each)
                rows = np.flatnonzero(alike.any(axis=1))
                chosen[rows, alike[rows].argmax(axis=1)] = True
        row, slot = np.nonzero(chosen)
        new = np.tile(np.arange(len(kinds)), len(row))
        row, slot = (np.repeat(each, len(kinds)) for each in (row, slot))
        changed = kinds[new] != kind[row, slot]
        return row[changed], slot[changed], pair.grades[lowest][new[changed]]

    def _try_pairs(self) -> None:
        """Scores all combinations of two changes of a topic, if they are within the budget."""
        topics = np.arange(len(self.original))
        none: list[Changes] = [() for _ in topics]
        row, slot, grade = self._candidates(topics, none)
        count = np.bincount(row, minlength=len(topics))
        if (count * (count - 1) // 2 + count).sum() > self.budget:
            return
        ends = np.cumsum(count)
        twins = self._twins()  # a second of the equal documents that nobody returned
        one, two = [], []
        for last, size in zip(ends, count, strict=True):
            own = np.arange(last - size, last)
            i, j = np.triu_indices(len(own))
            one.append(own[i])
            two.append(own[j])
        i, j = np.concatenate(one), np.concatenate(two)
        second = np.where(slot[i] == slot[j], twins[row[j], slot[j]], slot[j])
        kept = second >= 0
        i, j, second = i[kept], j[kept], second[kept]
        both = np.stack([slot[i], second], axis=1), np.stack([grade[i], grade[j]], axis=1)
        value = self.pair.differences(States(topics, self.pair.grade), row[i], *both)
        for end, sign in enumerate((1, -1)):
            order = np.lexsort((sign * value, row[i]))
            _, start = np.unique(row[i][order], return_index=True)
            for n in order[start]:
                t = int(row[i[n]])
                if sign * value[n] < sign * self.d[end, t, 2]:
                    self.d[end, t, 2] = value[n]
                    pairs = ((i[n], slot[i[n]]), (j[n], second[n]))
                    self.changes[end][t][2] = tuple((t, int(at), float(grade[e])) for e, at in pairs)
        self.optimal = 2

    def _twins(self) -> Ints:
        """[topic, document] another document that nobody returned, of the same kind; -1 if there is none."""
        pair = self.pair
        kind = pair.kind(pair.grade)
        twins = np.full(pair.grade.shape, -1)
        other = pair.pool.listed & ~(pair.returned_documents[0] | pair.returned_documents[1])
        for t in range(len(twins)):
            for each in np.unique(kind[t]):
                alike = np.flatnonzero(other[t] & (kind[t] == each))
                if len(alike) > 1:
                    twins[t, alike[0]] = alike[1]
        return twins

    def bounds(self, changes: int) -> Floats:
        """[end, topic, changes + 1] differences that no changes can go beyond."""
        d = self.d[:, :, : changes + 1]
        if self.optimal < changes:
            if self.linear:  # each change makes less of a difference than the one before
                step = d[:, :, -1:] - d[:, :, -2:-1]
                more = d[:, :, -1:] + step * np.arange(1, changes + 1 - self.longest)
            else:
                d = d[:, :, : self.optimal + 1]
                more = np.stack([self._limits(n) for n in range(self.optimal + 1, changes + 1)], axis=2)
            d = np.concatenate([d, more], axis=2)
        return d

    def _limits(self, changes: int) -> Floats:
        """[end, topic] differences that this many changes of a topic cannot go beyond."""
        if isinstance(self.pair, SummedPair):
            return self.pair.limits(changes)
        low, high = self.pair.metric.range
        return np.broadcast_to(np.array([low - high, high - low])[:, None], (2, len(self.original)))
