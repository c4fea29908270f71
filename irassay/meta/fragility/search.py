"""The fewest changed judgements that undo a significant difference.

With S the sum of n differences and Q that of their squares, t exceeds its critical value c where S > sqrt(g Q), with
g = c² n / (n - 1 + c²). Now sqrt(g Q) is the smallest value of m Q + g / (4 m) over all m > 0. So for each m, no k
changes undo the difference unless they bring the sum over topics of d - m d² down to g / (4 m). That sum is smallest
topic by topic, and d - m d² is smallest at an end of the range of d. So for each topic and number of changes, two
numbers are enough: the smallest and the largest difference that these changes can make.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints, NDArray
from irassay.meta.fragility.regraded import RegradedPair, States
from irassay.meta.fragility.sums import SummedPair
from irassay.parallel import check_cancelled

MULTIPLIERS = np.geomspace(1 / 8, 8, 33)  # of the m that fits the original differences
ONE_MULTIPLIER = np.ones(1)
SLACK = 1e-9  # relative: changes undo a difference if t is below c by this much; the proof allows as much more
MAX_PER_TOPIC = 12  # changes of one topic that are searched
MAX_PROVED = 30  # changes, above which no proof is tried that fewer are not enough
BUDGET = 20_000  # versions of topics with two changes that are scored to prove that fewer are not enough

Change = tuple[int, int, float]  # topic, document, new grade
Changes = tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class Undoing:
    """Changes of judgements that undo a difference."""

    changes: Changes | None  # None: none were found
    t: Floats  # [change + 1] t after none, one, two, … of the changes
    at_least: int  # fewer changes cannot undo it

    @property
    def exact(self) -> bool:
        """Whether fewer changes are proved not to be enough."""
        return self.changes is not None and len(self.changes) == self.at_least


def t_value(d: Floats) -> float:
    """Student's t of differences; infinite if they are all equal."""
    mean, spread = d.mean(), d.std(ddof=1)
    return float(mean / (spread / np.sqrt(len(d)))) if spread > 0 else (float(np.sign(mean)) * np.inf if mean else 0.0)


def fewest_changes(pair: RegradedPair, d: Floats, critical: float, budget: int = BUDGET) -> Undoing:
    """The fewest changes found after which |t| of the differences [topic] is at most the critical value.

    `budget` is the number of versions that may be scored to prove that fewer changes are not enough. It is not a time,
    so that the answer is the same on every machine.
    """
    reach = Reach(pair, d, budget)
    while not reach.finished:
        check_cancelled()
        reach.lengthen()
        changes = _undoing_changes(reach, critical, ONE_MULTIPLIER)
        if changes is not None and max(np.bincount([topic for topic, *_ in changes])) < reach.longest:
            break
    changes = _undoing_changes(reach, critical)
    if changes is None:
        return Undoing(None, np.array([t_value(d)]), 1)
    changes, t = _ordered_changes(pair, d, changes)
    return Undoing(changes, t, _fewest_possible(reach, critical, len(changes)))


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
        self.optimal = 0  # the number of changes up to which the differences are proved optimal

    @property
    def longest(self) -> int:
        """The largest number of changes of one topic."""
        return self.d.shape[2] - 1

    @property
    def finished(self) -> bool:
        """Whether a further change makes no difference smaller or larger, or is not searched."""
        return self.longest > 0 and (
            self.longest >= MAX_PER_TOPIC or np.array_equal(self.d[:, :, -1], self.d[:, :, -2])
        )

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
        """[version] states, documents and new grades; of equal documents that nobody returned, one for each grade."""
        pair = self.pair
        returned = (pair.returned_documents[0] | pair.returned_documents[1])[topic]
        free = pair.pool.listed[topic]
        for n, changes in enumerate(states):
            free[n, [slot for _, slot, _ in changes]] = False
        chosen = returned & free
        if pair.uses_pool:
            for grade in pair.grades:
                alike = free & ~returned & (pair.grade[topic] == grade)
                rows = np.flatnonzero(alike.any(axis=1))
                chosen[rows, alike[rows].argmax(axis=1)] = True
        row, slot = np.nonzero(chosen)
        row, slot = (np.repeat(each, len(pair.grades)) for each in (row, slot))
        grade = np.tile(pair.grades, len(row) // len(pair.grades))
        changed = grade != pair.grade[topic[row], slot]
        return row[changed], slot[changed], grade[changed]

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
        """[topic, document] another document that nobody returned, with the same grade; -1 if there is none."""
        pair = self.pair
        twins = np.full(pair.grade.shape, -1)
        other = pair.pool.listed & ~(pair.returned_documents[0] | pair.returned_documents[1])
        for t in range(len(twins)):
            for grade in pair.grades:
                alike = np.flatnonzero(other[t] & (pair.grade[t] == grade))
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


def _g(critical: float, n: int) -> float:
    """The g with which t = critical is S = sqrt(g Q), for n differences with the sum S and the sum of squares Q."""
    return critical**2 * n / (n - 1 + critical**2)


@dataclass(frozen=True, eq=False)
class _Allocation:
    """For each m and each number of changes, how many changes of each topic make the sum of d - m d² smallest."""

    m: Floats  # [m]
    value: Floats  # [m, k] the sum of d - m d²
    options: list[list[tuple[int, int, float]]]  # [topic] changes, end and difference of each option
    choice: NDArray[np.int8]  # [topic, m, k] the option of the topic

    def sums(self) -> tuple[Floats, Floats]:
        """[m, k], [m, k] the sum of the differences, and that of their squares."""
        total, squares = np.zeros_like(self.value), np.zeros_like(self.value)
        left = np.broadcast_to(np.arange(self.value.shape[1]), self.value.shape)
        row = np.arange(len(self.m))[:, None]
        for options, choice in zip(self.options[::-1], self.choice[::-1], strict=True):
            chosen = choice[row, left]
            d = np.array([each[2] for each in options])[chosen]
            total, squares = total + d, squares + d * d
            left = left - np.array([each[0] for each in options])[chosen]
        return total, squares

    def chosen_changes(self, row: int, k: int) -> list[tuple[int, int]]:
        """[topic] the number of changes and the end of each topic, for one m and number of changes."""
        by_topic: list[tuple[int, int]] = []
        for options, choice in zip(self.options[::-1], self.choice[::-1], strict=True):
            changes, end, _ = options[choice[row, k]]
            by_topic.insert(0, (changes, end))
            k -= changes
        return by_topic


def _allocation(d: Floats, k: int, critical: float, multipliers: Floats) -> _Allocation:
    """The best numbers of changes by topic, at most k in all, of differences d [end, topic, changes]."""
    m = multipliers * (0.5 * np.sqrt(_g(critical, d.shape[1]) / float((d[0, :, 0] ** 2).sum())))
    value = np.zeros((len(m), k + 1))
    every, choices = [], np.zeros((d.shape[1], len(m), k + 1), dtype=np.int8)
    for t in range(d.shape[1]):
        options = [(0, 0, float(d[0, t, 0]))]
        for end in range(2):
            new = np.flatnonzero(np.diff(d[end, t, : k + 1])) + 1
            options += [(int(changes), end, float(d[end, t, changes])) for changes in new]
        cost = np.full((len(options), len(m), k + 1), np.inf)
        for n, (changes, _, x) in enumerate(options):
            cost[n, :, changes:] = value[:, : k + 1 - changes] + (x - m * x * x)[:, None]
        choices[t] = cost.argmin(axis=0)
        value = cost.min(axis=0)
        every.append(options)
    return _Allocation(m, value, every, choices)


def _undoing_changes(reach: Reach, critical: float, multipliers: Floats = MULTIPLIERS) -> Changes | None:
    """The fewest of the changes reached that undo the difference; None if they do not."""
    n, k = len(reach.original), 8
    while True:
        allocation = _allocation(reach.d, k, critical, multipliers)
        total, squares = allocation.sums()
        margin = total - np.sqrt(_g(critical * (1 - SLACK), n) * squares)
        enough = (margin <= 0) & (total > -np.sqrt(_g(critical, n) * squares))
        if enough.any():
            break
        if k >= n * reach.longest:
            return None
        k = min(4 * k, n * reach.longest)
    number = int(np.flatnonzero(enough.any(axis=0))[0])
    row = int(np.where(enough[:, number], margin[:, number], np.inf).argmin())
    chosen = enumerate(allocation.chosen_changes(row, number))
    return tuple(change for t, (count, end) in chosen for change in reach.changes[end][t][count])


def _fewest_possible(reach: Reach, critical: float, found: int) -> int:
    """The smallest number of changes that is not proved to be too few, at most the number found."""
    if found == 1 or (found > MAX_PROVED and not reach.linear):
        return 1
    bounds = reach.bounds(found - 1)
    if not np.isfinite(bounds).all():
        return 1
    n, relaxed = len(reach.original), critical * (1 + SLACK)
    allocation = _allocation(bounds, found - 1, relaxed, MULTIPLIERS)
    least = (allocation.value - (_g(relaxed, n) / (4 * allocation.m))[:, None]).max(axis=0)  # [k] of S - sqrt(g Q)
    return int(np.flatnonzero(np.append(least, -1.0) <= 0)[0])


def _ordered_changes(pair: RegradedPair, d: Floats, changes: Changes) -> tuple[Changes, Floats]:
    """The changes, at each step the one that lowers t most, and t after each."""
    grade, d, left = pair.grade.copy(), d.copy(), list(changes)
    done, ts = list[Change](), [t_value(d)]
    while left:
        topic, slot = (np.array([change[n] for change in left]) for n in (0, 1))
        new = np.array([[change[2]] for change in left])
        values = pair.differences(States(np.arange(len(grade)), grade), topic, slot[:, None], new)
        trial = np.repeat(d[None], len(left), axis=0)
        trial[np.arange(len(left)), topic] = values
        with np.errstate(divide="ignore", invalid="ignore"):
            t = trial.mean(axis=1) / trial.std(axis=1, ddof=1)
        best = int(np.argmin(t))
        change = left.pop(best)
        grade[change[:2]], d = change[2], trial[best]
        done.append(change)
        ts.append(t_value(d))
    return tuple(done), np.array(ts)
