"""The transitive closure of relations between rankings, computed in blocks of bits."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints

BLOCK_COLUMNS = 4096  # rankings in a block of the closure
EDGES_AT_ONCE = 1 << 15  # relations followed in one step


@dataclass(frozen=True, eq=False)
class Graph:
    """Relations worse -> better between groups of rankings; a group is a cycle of relations, or a single ranking."""

    group: Ints  # [node] the group of each ranking
    start: Ints  # [group + 1] where the successors of each group begin
    after: Ints  # [edge] successors
    levels: list[Ints]  # groups in layers from the sinks up: all successors of a group are in earlier layers

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return len(self.start) - 1

    def relation_counts(self) -> Ints:
        """[2] how many relations the closure has, without and with the empty ranking."""
        return closure_counts(self, np.zeros(len(self.group)), 0.0)[0]

    def violation_counts(self, scores: NDArray[Any], tolerance: float) -> Ints:
        """[2] how many of them the scores break."""
        return closure_counts(self, scores, tolerance)[1]

    def widest_violation(self, scores: NDArray[Any], tolerance: float) -> tuple[int, int]:
        """The first of the violations with the largest difference in score."""
        worse = first_maximum(scores - lowest_reachable_scores(self, scores), tolerance)
        after = reachable_rankings(self, worse)
        return worse, int(after[first_maximum(-scores[after], tolerance)])


def first_maximum(values: NDArray[Any], tolerance: float) -> int:
    """The position of the first of the largest values."""
    return int(np.flatnonzero(values >= values.max() - tolerance)[0])


def relation_graph(nodes: int, worse: Ints, better: Ints) -> Graph:
    """The relations as a graph whose cycles are contracted to groups."""
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
    return Graph(group, start, after, _layers(groups, before, after))


def _layers(groups: int, before: Ints, after: Ints) -> list[Ints]:
    """The groups peeled off from the sinks: each follows once all its successors are gone."""
    order = np.argsort(after, kind="stable")
    into, first = before[order], np.searchsorted(after[order], np.arange(groups + 1))
    remaining = np.bincount(before, minlength=groups)
    level, levels = np.flatnonzero(remaining == 0), []
    while len(level):
        levels.append(level)
        fewer = np.bincount(into[joined_ranges(first[level], first[level + 1])], minlength=groups)
        remaining -= fewer
        level = np.flatnonzero((remaining == 0) & (fewer > 0))
    return levels


def joined_ranges(start: Ints, stop: Ints) -> Ints:
    """The integers from each start up to each stop, one range after another.

    >>> joined_ranges(np.array([3, 0, 7]), np.array([5, 0, 9])).tolist()
    [3, 4, 7, 8]
    """
    size = stop - start
    shift = np.repeat(start - np.concatenate([[0], np.cumsum(size)[:-1]]), size)
    return np.arange(int(size.sum()), dtype=np.int64) + shift


def slices_by_size(size: Ints, limit: int) -> list[slice]:
    """Slices of consecutive items whose sizes add up to about `limit`."""
    total = np.cumsum(size)
    cuts = np.searchsorted(total, np.arange(limit, int(total.max(initial=0)) + limit, limit)) + 1
    edges = np.unique([0, *np.minimum(cuts, len(size)), len(size)]).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def lowest_reachable_scores(g: Graph, scores: NDArray[Any]) -> NDArray[Any]:
    """[node] the lowest score among all rankings that a ranking should not beat, including itself."""
    lowest = np.full(g.group_count, scores.max(), dtype=scores.dtype)
    np.minimum.at(lowest, g.group, scores)
    for level in g.levels[1:]:
        below = np.minimum.reduceat(lowest[_successors(g, level)], _offsets(g, level))
        lowest[level] = np.minimum(lowest[level], below)
    return lowest[g.group]


def reachable_rankings(g: Graph, node: int) -> Ints:
    """All rankings that one ranking should not beat, including itself."""
    inside = np.zeros(g.group_count, dtype=bool)
    front = np.array([g.group[node]])
    while len(front):
        inside[front] = True
        after = np.unique(_successors(g, front))
        front = after[~inside[after]]
    return np.flatnonzero(inside[g.group])


def _successors(g: Graph, groups: Ints) -> Ints:
    """The successors of each group, one after another."""
    return g.after[joined_ranges(g.start[groups], g.start[groups + 1])]


def _offsets(g: Graph, level: Ints) -> Ints:
    """Where the successors of each group begin in `_successors`."""
    size = g.start[level + 1] - g.start[level]
    return np.concatenate([[0], np.cumsum(size)[:-1]])


def closure_counts(g: Graph, scores: NDArray[Any], tolerance: float) -> tuple[Ints, Ints]:
    """How many pairs follow from the relations, and how many of these the scores break: [without, with ranking 0].

    The columns of the closure are sorted by score, so that the violations of a ranking are a prefix of its row.
    """
    nodes = len(g.group)
    order = np.argsort(scores, kind="stable")
    limit = np.searchsorted(scores[order], scores - tolerance)  # [node] how many score strictly less
    empty = int(np.flatnonzero(order == 0)[0])
    pairs, broken = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    for first in range(0, nodes, BLOCK_COLUMNS):
        columns = order[first : first + BLOCK_COLUMNS]
        row = _reachable_bits(g, columns)[g.group]  # [node, word]
        above = np.bitwise_count(row).sum(axis=1, dtype=np.int64)
        lower = np.bitwise_count(row & _prefix_masks(limit - first, row.shape[1])).sum(axis=1, dtype=np.int64)
        pairs += [above[1:].sum(), above.sum()]
        broken += [lower[1:].sum(), lower.sum()]
        if first <= empty < first + BLOCK_COLUMNS:
            bit = empty - first
            to_empty = (row[1:, bit // 64] >> np.uint64(bit % 64)) & np.uint64(1) == 1
            pairs[0] -= to_empty.sum()
            broken[0] -= (to_empty & (limit[1:] > empty)).sum()
    return pairs - np.array([nodes - 1, nodes]), broken


def _reachable_bits(g: Graph, columns: Ints) -> NDArray[np.uint64]:
    """[group, word] which of the columns each group reaches, including its own members."""
    words = -(-len(columns) // 64)
    row = np.zeros((g.group_count, words), dtype=np.uint64)
    place = np.arange(len(columns), dtype=np.uint64)
    np.bitwise_or.at(row, (g.group[columns], place // 64), np.uint64(1) << place % 64)
    for level in g.levels[1:]:
        for part in slices_by_size(g.start[level + 1] - g.start[level], EDGES_AT_ONCE):
            groups = level[part]
            row[groups] |= np.bitwise_or.reduceat(row[_successors(g, groups)], _offsets(g, groups), axis=0)
    return row


def _prefix_masks(length: Ints, words: int) -> NDArray[np.uint64]:
    """[n, word] masks of the first `length` bits."""
    bits = np.clip(length[:, None] - 64 * np.arange(words), 0, 64).astype(np.uint64)
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    return np.where(bits == 64, full, (np.uint64(1) << np.minimum(bits, 63)) - np.uint64(1))
