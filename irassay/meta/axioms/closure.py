"""Everything that follows from relations between rankings: the transitive closure, in blocks of bits."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints

COLUMNS = 4096  # rankings in a block of the closure
GATHERED = 1 << 15  # relations followed at a time


@dataclass(frozen=True, eq=False)
class Graph:
    """Relations worse -> better between groups of rankings that the relations hold to be equal."""

    group: Ints  # [node] each ranking's group; a group of its own unless relations lead round in a circle
    start: Ints  # [group + 1] where each group's successors begin
    after: Ints  # [edge] successors
    levels: list[Ints]  # groups that all of a level's successors precede, from the sinks up

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.start) - 1

    def closure(self) -> Ints:
        """[2] how many relations follow."""
        return closure_counts(self, np.zeros(len(self.group)), 0.0)[0]

    def broken(self, scores: NDArray[Any], tolerance: float) -> Ints:
        """[2] how many of them the scores break."""
        return closure_counts(self, scores, tolerance)[1]

    def widest(self, scores: NDArray[Any], tolerance: float) -> tuple[int, int]:
        """The first of the broken relations whose scores are furthest apart."""
        worse = first_most(scores - least_reached(self, scores), tolerance)
        after = reached(self, worse)
        return worse, int(after[first_most(-scores[after], tolerance)])


def first_most(values: NDArray[Any], tolerance: float) -> int:
    """The place of the first of the largest values."""
    return int(np.flatnonzero(values >= values.max() - tolerance)[0])


def graph(nodes: int, worse: Ints, better: Ints) -> Graph:
    """The relations as a graph without circles, in an order in which every successor comes first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    links = csr_array((np.ones(len(worse), dtype=np.int8), (worse, better)), shape=(nodes, nodes))
    groups, label = connected_components(links, directed=True, connection="strong")
    group: Ints = label.astype(np.int64)
    edge = np.unique(group[worse] * groups + group[better])
    before, after = edge // groups, edge % groups
    outside = before != after
    before, after = before[outside], after[outside]
    start = np.searchsorted(before, np.arange(groups + 1)).astype(np.int64)
    return Graph(group, start, after, _levels(groups, before, after))


def _levels(groups: int, before: Ints, after: Ints) -> list[Ints]:
    """Groups peeled off from the sinks: each one once all its successors are gone."""
    order = np.argsort(after, kind="stable")
    into, first = before[order], np.searchsorted(after[order], np.arange(groups + 1))
    left = np.bincount(before, minlength=groups)
    level, levels = np.flatnonzero(left == 0), []
    while len(level):
        levels.append(level)
        reached = into[spans(first[level], first[level + 1])]
        fewer = np.bincount(reached, minlength=groups)
        left -= fewer
        level = np.flatnonzero((left == 0) & (fewer > 0))
    return levels


def spans(start: Ints, stop: Ints) -> Ints:
    """The whole numbers from each start to each stop, one range after another.

    >>> spans(np.array([3, 0, 7]), np.array([5, 0, 9])).tolist()
    [3, 4, 7, 8]
    """
    size = stop - start
    shift = np.repeat(start - np.concatenate([[0], np.cumsum(size)[:-1]]), size)
    return np.arange(int(size.sum()), dtype=np.int64) + shift


def chunks(size: Ints, most: int) -> list[slice]:
    """Slices of neighbours whose sizes add up to about `most`."""
    total = np.cumsum(size)
    cuts = np.searchsorted(total, np.arange(most, int(total[-1]) + most, most)) + 1 if len(total) else np.zeros(0, int)
    edges = np.unique(np.concatenate([[0], np.minimum(cuts, len(size)), [len(size)]])).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def least_reached(g: Graph, scores: NDArray[Any]) -> NDArray[Any]:
    """[node] the lowest score among all rankings that a ranking should not beat, itself included."""
    least = np.full(g.groups, scores.max(), dtype=scores.dtype)
    np.minimum.at(least, g.group, scores)
    for level in g.levels[1:]:
        low = np.minimum.reduceat(least[g.after[spans(g.start[level], g.start[level + 1])]], _offsets(g, level))
        least[level] = np.minimum(least[level], low)
    return least[g.group]


def reached(g: Graph, node: int) -> Ints:
    """All rankings that one ranking should not beat, itself included."""
    inside = np.zeros(g.groups, dtype=bool)
    front = np.array([g.group[node]])
    while len(front):
        inside[front] = True
        after = np.unique(g.after[spans(g.start[front], g.start[front + 1])])
        front = after[~inside[after]]
    return np.flatnonzero(inside[g.group])


def _offsets(g: Graph, level: Ints) -> Ints:
    size = g.start[level + 1] - g.start[level]
    return np.concatenate([[0], np.cumsum(size)[:-1]])


def closure_counts(g: Graph, scores: NDArray[Any], tolerance: float) -> tuple[Ints, Ints]:
    """How many pairs follow from the relations, and how many of these the scores break: [without, with ranking 0].

    Columns of the closure stand in the order of the scores, so that the broken pairs of a ranking are a prefix
    of its row.
    """
    nodes = len(g.group)
    order = np.argsort(scores, kind="stable")
    limit = np.searchsorted(scores[order], scores - tolerance)  # [node] how many score strictly less
    empty = int(np.flatnonzero(order == 0)[0])
    pairs, broken = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    for first in range(0, nodes, COLUMNS):
        columns = order[first : first + COLUMNS]
        row = _reach(g, columns)[g.group]  # [node, word]
        whole = np.bitwise_count(row).sum(axis=1, dtype=np.int64)
        part = np.bitwise_count(row & _prefix(limit - first, row.shape[1])).sum(axis=1, dtype=np.int64)
        pairs += [whole[1:].sum(), whole.sum()]
        broken += [part[1:].sum(), part.sum()]
        if first <= empty < first + COLUMNS:
            bit = empty - first
            to_empty = (row[1:, bit // 64] >> np.uint64(bit % 64)) & np.uint64(1) == 1
            pairs[0] -= to_empty.sum()
            broken[0] -= (to_empty & (limit[1:] > empty)).sum()
    return pairs - np.array([nodes - 1, nodes]), broken


def _reach(g: Graph, columns: Ints) -> NDArray[np.uint64]:
    """[group, word] which of the columns each group reaches, its own members included."""
    words = -(-len(columns) // 64)
    row = np.zeros((g.groups, words), dtype=np.uint64)
    place = np.arange(len(columns), dtype=np.uint64)
    np.bitwise_or.at(row, (g.group[columns], place // 64), np.uint64(1) << place % 64)
    for level in g.levels[1:]:
        for part in chunks(g.start[level + 1] - g.start[level], GATHERED):
            some = level[part]
            after = g.after[spans(g.start[some], g.start[some + 1])]
            row[some] |= np.bitwise_or.reduceat(row[after], _offsets(g, some), axis=0)
    return row


def _prefix(length: Ints, words: int) -> NDArray[np.uint64]:
    """[n, word] masks of the first `length` bits."""
    bits = np.clip(length[:, None] - 64 * np.arange(words), 0, 64).astype(np.uint64)
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    return np.where(bits == 64, full, (np.uint64(1) << np.minimum(bits, 63)) - np.uint64(1))
