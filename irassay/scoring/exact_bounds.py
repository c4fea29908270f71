"""Exact bounds on how far unjudged results could move the difference of two systems.

A document that both systems return is relevant for both or for neither, so a difference moves less than the two scores.
If a score is a sum of gains, each times a weight by rank, the sign of a document's coefficient decides: the difference
A - B is largest if documents that A weights more have all gain, and documents that B weights more have none. If such a
sum is divided by that of an ideal list and gains are binary, the ideal depends only on the number of relevant
documents: for each number the documents with the largest coefficients are relevant, or for the smallest difference
those with the smallest.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.arrays import share as share_of
from irassay.parallel import check_cancelled, map_blocks
from irassay.scoring.unjudged_results import UnjudgedResults

PAIRS_AT_ONCE = 1 << 21  # of results of one document, added up
MAX_PAIRS = 1 << 28  # with more, exact bounds take too long
CELLS_AT_ONCE = 1 << 18  # of an array [pair, document]
MAX_CELLS = 1 << 25
MAX_NUMBERS = 1 << 27  # [metric, pair, topic] that are kept


class ExactBounds:
    """The smallest and largest difference of every two systems, for metrics whose bounds can be exact."""

    def __init__(self, parts: Mapping[str, UnjudgedResults], systems: int, topics: Sequence[int]) -> None:
        self.systems, self.topics = systems, list(topics)
        self.first, self.second = np.triu_indices(systems, k=1)
        self.alone: dict[str, Floats] = {}  # [system, topic] what unjudged results could add
        self.shared: dict[str, Floats] = {}  # [pair, topic] the same for results of both, the smaller of the two
        self.shares = {name: part for name, part in parts.items() if part.share and self._cell_count(part) <= MAX_CELLS}
        sums = {name: part for name, part in parts.items() if part.share is None}
        sums |= {name: part.share.returned for name, part in self.shares.items() if part.share and part.share.returned}
        groups: dict[int, dict[str, UnjudgedResults]] = {}
        for name, part in sums.items():
            groups.setdefault(id(part.system), {})[name] = part
        room = len(sums) * len(self.first) * len(self.topics) <= MAX_NUMBERS
        for group in groups.values():
            if room and _co_return_count(next(iter(group.values()))) <= MAX_PAIRS:
                self._add_up(group)
            else:
                self.shares = {name: part for name, part in self.shares.items() if name not in group}
        self.layouts = {
            n: [_topic_layout(part.of_topic(t), systems) for t in self.topics] for n, part in self.shares.items()
        }

    @property
    def names(self) -> frozenset[str]:
        """The metrics whose bounds are exact."""
        return frozenset({*self.alone, *self.shares})

    def ends(self, name: str, pairs: Ints, scores: Floats) -> tuple[Floats, Floats]:
        """[pair, topic] the smallest and largest difference by a metric, for scores [system, topic]."""
        i, j = self.first[pairs], self.second[pairs]
        gap = scores[i] - scores[j]
        if name not in self.shares:
            alone, shared = self.alone[name], self.shared[name][pairs]
            return gap - (alone[j] - shared), gap + (alone[i] - shared)
        returned = np.zeros(gap.shape, dtype=np.int64)  # by one or both
        if name in self.alone:
            returned = np.rint(self.alone[name][i] + self.alone[name][j] - self.shared[name][pairs]).astype(np.int64)
        return self._ends_of_shares(name, i, j, gap, returned)

    def _cell_count(self, part: UnjudgedResults) -> int:
        return len(self.first) * sum(2 * _longest_list(part.of_topic(topic)) for topic in self.topics)

    def _add_up(self, group: Mapping[str, UnjudgedResults]) -> None:
        """Adds up what single systems and pairs of systems could gain, for metrics that use the same results."""
        by_topic = [[part.of_topic(topic) for part in group.values()] for topic in self.topics]
        sums = map_blocks(_topic_sums, by_topic, self.systems, doing="bounding differences")
        for n, name in enumerate(group):
            self.alone[name] = np.stack([alone[n] for alone, _ in sums], axis=1)
            self.shared[name] = np.stack([shared[n] for _, shared in sums], axis=1)

    def _ends_of_shares(self, name: str, i: Ints, j: Ints, gap: Floats, returned: Ints) -> tuple[Floats, Floats]:
        """The bounds for shares of an ideal, for pairs of systems i and j with a difference [pair, topic] as judged.

        `returned` [pair, topic] counts unjudged documents at any rank, if those past the cutoff matter.
        """
        share = self.shares[name].share
        assert share is not None
        least, largest = gap.copy(), gap.copy()
        for t, topic in enumerate(self.topics):
            check_cancelled()
            table, document, worth = self.layouts[name][t]
            ideal = share.ideal[int(share.relevant[topic]) :]
            step = CELLS_AT_ONCE // document.shape[1] + 1
            for start in range(0, len(i), step):
                p = slice(start, start + step)
                a, b = i[p], j[p]
                both = table[a[:, None], document[b]] > 0
                coefficient = np.concatenate([worth[a] - table[b[:, None], document[a]], -worth[b]], axis=1)
                there = np.concatenate([document[a] >= 0, (document[b] >= 0) & ~both], axis=1)
                past = np.maximum(returned[p, t] - there.sum(axis=1), 0)
                judged = gap[p, t] * ideal[0]
                largest[p, t] = _largest_share(judged, coefficient, there, past, ideal)
                least[p, t] = -_largest_share(-judged, -coefficient, there, past, ideal)
        return least, largest


def _topic_sums(parts: Sequence[UnjudgedResults], systems: int) -> tuple[Floats, Floats]:
    """[part, system] what unjudged results of one topic could add, and [part, pair] the same for results of both.

    For a document that two systems return, the smaller weight counts.
    """
    alone = [np.bincount(part.system, part.worth, systems) for part in parts]
    total = np.zeros((len(parts), systems**2))
    for earlier, later in _result_pairs(parts[0].document):
        check_cancelled()
        pair = parts[0].system[earlier] * systems + parts[0].system[later]
        for n, part in enumerate(parts):
            less = np.minimum(part.worth[earlier], part.worth[later])
            total[n] += np.bincount(pair, less, systems**2)
    first, second = np.triu_indices(systems, k=1)
    return np.stack(alone), total[:, first * systems + second]


def _largest_share(judged: Floats, coefficient: Floats, there: Bools, past: Ints, ideal: Floats) -> Floats:
    """[pair] the largest (judged + sum of m coefficients) / ideal[m], over m and the choice of coefficients.

    The coefficients [pair, document] are those that are `there`, and `past` [pair] zeros, which come after the positive
    ones: all zeros are taken or none, because they do not change the sum.

    >>> two = np.array([[0.5, -0.5]])
    >>> _largest_share(np.array([1.0]), two, two != 0, np.array([3]), np.array([2.0, 2, 4, 4, 4, 4]))
    array([0.75])
    """
    descending = -np.sort(np.where(there, -coefficient, np.inf), axis=1)
    positive = np.count_nonzero(descending > 0, axis=1)
    total = np.concatenate([np.zeros((len(judged), 1)), np.cumsum(descending, axis=1)], axis=1) + judged[:, None]
    m = np.arange(total.shape[1])
    relevant = np.where(m <= positive[:, None], m, m + past[:, None])
    largest = share_of(total, ideal[np.minimum(relevant, len(ideal) - 1)]).max(axis=1)
    with_zeros = np.take_along_axis(total, positive[:, None], axis=1)[:, 0]
    return np.maximum(largest, share_of(with_zeros, ideal[np.minimum(positive + past, len(ideal) - 1)]))


def _longest_list(part: UnjudgedResults) -> int:
    """The largest number of results of one system."""
    return int(np.bincount(part.system, minlength=1).max())


def _topic_layout(part: UnjudgedResults, systems: int) -> tuple[Floats, Ints, Floats]:
    """[system, document] what each could add, then a column of 0; [system, n] documents, or -1, and their worth."""
    code = np.unique(part.document, return_inverse=True)[1]
    table = np.zeros((systems, int(code.max(initial=-1)) + 2))
    table[part.system, code] = part.worth
    order = np.argsort(part.system, kind="stable")
    one = part.system[order]
    column = np.arange(len(one)) - np.searchsorted(one, one)
    shape = systems, max(1, _longest_list(part))
    document, worth = np.full(shape, -1), np.zeros(shape)
    document[one, column], worth[one, column] = code[order], part.worth[order]
    return table, document, worth


def _earlier_counts(document: Ints) -> Ints:
    """[u] the number of earlier results of the same document, for documents in order."""
    return np.arange(len(document)) - np.searchsorted(document, document)


def _co_return_count(part: UnjudgedResults) -> int:
    """The number of pairs of results with the same document."""
    return int(_earlier_counts(part.topic * (int(part.document.max(initial=0)) + 1) + part.document).sum())


def _result_pairs(document: Ints) -> Iterable[tuple[Ints, Ints]]:
    """Places of every two results of one document, earlier and later, some at a time."""
    before = _earlier_counts(document)
    end = np.cumsum(before)
    edges = np.searchsorted(end, np.arange(0, int(before.sum()), PAIRS_AT_ONCE), side="right")
    for start, stop in pairwise([*edges.tolist(), len(document)]):
        times = before[start:stop]
        later = np.repeat(np.arange(start, stop), times)
        nth = np.arange(len(later)) - np.repeat(np.cumsum(times) - times, times)
        yield later - np.repeat(times, times) + nth, later
