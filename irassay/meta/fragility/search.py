"""The fewest changed judgements that undo a significant difference.

With S the sum of n differences and Q that of their squares, t exceeds its critical value c where S > sqrt(g Q), with
g = c² n / (n - 1 + c²). Now sqrt(g Q) is the smallest value of m Q + g / (4 m) over all m > 0. So for each m, no k
changes undo the difference unless they bring the sum over topics of d - m d² down to g / (4 m). That sum is smallest
topic by topic, and d - m d² is smallest at an end of the range of d. So for each topic and number of changes, two
numbers are enough: the smallest and the largest difference that these changes can make.
"""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, NDArray
from irassay.meta.fragility.reach import Change, Changes, Reach
from irassay.meta.fragility.regraded_lists import RegradedPair, States
from irassay.parallel import check_cancelled
from irassay.stats.influence import paired_t

MULTIPLIERS = np.geomspace(1 / 8, 8, 33)  # of the m that fits the original differences
ONE_MULTIPLIER = np.ones(1)
SLACK = 1e-9  # relative: changes undo a difference if t is below c by this much; the proof allows as much more
MAX_PROVED_CHANGES = 30  # above which no proof is tried that fewer are not enough
BUDGET = 20_000  # versions of topics with two changes that are scored to prove that fewer are not enough


@dataclass(frozen=True, eq=False)
class Undoing:
    """Changes of judgements that undo a difference."""

    changes: Changes | None  # None: none were found
    t: Floats  # [change + 1] t after none, one, two, … of the changes
    at_least: int  # fewer changes cannot undo it
    limit: int | None = None  # changes of one topic, if more of them were not tried and might help


def fewest_changes(pair: RegradedPair, d: Floats, critical: float, budget: int = BUDGET) -> Undoing:
    """The fewest changes found after which |t| of the differences [topic] is at most the critical value.

    `budget` is the number of versions that may be scored to prove that fewer changes are not enough. It is not a time,
    so that the answer is the same on every machine.
    """
    reach = Reach(pair, d, budget)
    while not reach.is_finished:
        check_cancelled()
        reach.lengthen()
        changes = _undoing_changes(reach, critical, ONE_MULTIPLIER)
        if changes is not None and max(np.bincount([topic for topic, *_ in changes])) < reach.longest:
            break
    changes = _undoing_changes(reach, critical)
    if changes is None:
        return Undoing(None, paired_t(d[None]), 1, reach.limit if reach.longest == reach.limit else None)
    at_least = _fewest_possible(reach, critical, len(changes))
    most = int(max(np.bincount([topic for topic, *_ in changes])))
    limit = most if most == reach.limit and at_least < len(changes) else None
    return Undoing(*_ordered_changes(pair, d, changes), at_least, limit)


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
        enough = (margin <= 0) & (total >= -np.sqrt(_g(critical * (1 - SLACK), n) * squares))
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
    if found == 1 or (found > MAX_PROVED_CHANGES and not reach.linear):
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
    done, ts = list[Change](), [paired_t(d)]
    while left:
        topic, slot = (np.array([change[n] for change in left]) for n in (0, 1))
        new = np.array([[change[2]] for change in left])
        values = pair.differences(States(np.arange(len(grade)), grade), topic, slot[:, None], new)
        trial = np.repeat(d[None], len(left), axis=0)
        trial[np.arange(len(left)), topic] = values
        t = paired_t(trial)
        best = int(np.argmin(t))
        change = left.pop(best)
        grade[change[:2]], d = change[2], trial[best]
        done.append(change)
        ts.append(t[best])
    return tuple(done), np.array(ts)
