"""Induction: the relations that follow from several axioms together, through rankings in between.

With the three axioms of albahem2018, a ranking u x^k (u not ending in x) should not beat any u x^j w with j <= k and w
relevant results only. If u = S p with p on an aspect seen in S, it should not beat any S n w with n on an aspect not
seen either. These sets are disjoint, and each is one subtree of relevant results. For any other set of axioms the
closure is computed in bits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.meta.axioms.closure import Graph, first_maximum, joined_ranges, relation_graph, slices_by_size
from irassay.meta.axioms.enumerated_scores import MetricScores
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.violations import violation_mask
from irassay.meta.axioms.witness import Pair
from irassay.rankings.enumeration import Space, string_blocks

CLOSED_FORM = frozenset({"relevance", "irrelevance", "redundancy"})
GRAPH_NODES, GRAPH_EDGES = 100_000, 4_000_000  # largest number of rankings and of relations for a closure in bits
FOREST_NODES = 10_000_000  # largest number of rankings for the closed form
PAIRS_AT_ONCE = 1 << 21  # pairs compared in one step


@dataclass(frozen=True, eq=False)
class InducedRelations:
    """Relations that follow from several axioms, and those that each metric breaks.

    The last axis is: without relations that hold the empty ranking (as albahem2018 counts), and with them.
    """

    axioms: tuple[str, ...] = field(metadata={"name_in_files": "properties"})
    direct: Ints  # [2] relations that one of the axioms states
    closure: Ints  # [2] relations that follow from all of them, including the direct ones
    direct_broken: Ints  # [metric, 2]
    closure_broken: Ints  # [metric, 2]
    widest: tuple[Pair | None, ...]  # [metric] the violation with the largest difference in score

    @property
    def properties(self) -> tuple[str, ...]:
        """The axioms, under the name that they had in 0.1.0."""
        return self.axioms

    @property
    def cases(self) -> Ints:
        """[2] relations that follow but are not stated."""
        return self.closure - self.direct

    @property
    def broken(self) -> Ints:
        """[metric, 2] how many of them each metric breaks."""
        return self.closure_broken - self.direct_broken


def closure_is_feasible(space: Space, axioms: Sequence[Axiom]) -> bool:
    """Whether the closure of these axioms can be counted on this space."""
    if has_closed_form(axioms):
        return space.size <= FOREST_NODES
    if space.size > GRAPH_NODES:
        return False
    return sum(len(worse) for worse, _ in relations(space, axioms)) <= GRAPH_EDGES


def has_closed_form(axioms: Sequence[Axiom]) -> bool:
    """Whether the axioms are among the three whose closure is known in closed form."""
    return {axiom.name for axiom in axioms} <= CLOSED_FORM


def relations(space: Space, axioms: Sequence[Axiom]) -> Iterator[tuple[Ints, Ints]]:
    """(worse, better) of every relation that the axioms state, block by block."""
    for strings in string_blocks(space):
        for axiom in axioms:
            yield from axiom.pairs(strings)


def induced_relations(
    space: Space, axioms: Sequence[Axiom], scores: Sequence[MetricScores], cases: Ints, violations: Ints
) -> InducedRelations:
    """How many relations follow from the axioms, and how many each metric breaks.

    `cases` and `violations` [metric, axiom, 2] are the counts of each axiom by itself. They add up for the three axioms
    with a closed form, because no two of these state the same relation. A metric that breaks no stated relation breaks
    none that follows, so only the other metrics are examined.
    """
    if has_closed_form(axioms):
        closure: Forest | Graph = Forest(space, axioms)
        direct, direct_broken = cases[0].sum(axis=0), violations.sum(axis=1)
    else:
        pairs = [(np.zeros(0, dtype=np.int64),) * 2, *relations(space, axioms)]
        worse, better = (np.concatenate(side) for side in zip(*pairs, strict=True))
        distinct = np.unique(worse * space.size + better)
        worse, better = distinct // space.size, distinct % space.size
        inner = (worse > 0) & (better > 0)
        closure = relation_graph(space.size, worse, better)
        direct = np.array([inner.sum(), len(worse)])
        masks = [violation_mask(one.comparable, worse, better, one.comparable_tolerance, False) for one in scores]
        direct_broken = np.array([[(mask & inner).sum(), mask.sum()] for mask in masks])
    closure_broken = np.zeros_like(direct_broken)
    widest: list[Pair | None] = [None] * len(scores)
    for m in np.flatnonzero(direct_broken[:, 1]).tolist():
        comparable, tolerance = scores[m].comparable, scores[m].comparable_tolerance
        widest[m] = closure.widest_violation(comparable, tolerance)
        closure_broken[m] = closure.violation_counts(comparable, tolerance)
    names = tuple(axiom.name for axiom in axioms)
    return InducedRelations(names, direct, closure.relation_counts(), direct_broken, closure_broken, tuple(widest))


class Forest:
    """The closure of the three axioms: subtrees of relevant results, each a slice of one order of rankings."""

    def __init__(self, space: Space, axioms: Sequence[Axiom]) -> None:
        names = {axiom.name for axiom in axioms}
        self.space, self.grows = space, "relevance" in names
        self.size = subtree_sizes(space) if self.grows else np.ones(space.size, dtype=np.int64)  # [node]
        self.place = preorder(space)  # [node]
        self.node = np.argsort(self.place, kind="stable")  # [place]
        redundant = [axiom for axiom in axioms if axiom.name == "redundancy"]
        self.anchors = list(_anchors(space, "irrelevance" in names, redundant))

    def relation_counts(self) -> Ints:
        """[2] how many relations the closure has: the sizes of all subtrees reached, minus each ranking itself."""
        total = sum(int(self.size[anchor].sum()) for _, anchor in self.anchors) - self.space.size
        from_empty = int(self.size[0]) - 1
        to_empty = sum(int(((anchor == 0) & (y > 0)).sum()) for y, anchor in self.anchors)
        return np.array([total - from_empty - to_empty, total])

    def violation_counts(self, scores: NDArray[Any], tolerance: float) -> Ints:
        """[2] how many of them the scores break."""
        lowest = self._lowest_scores(scores)
        ordered = scores[self.node]
        counts = np.zeros(2, dtype=np.int64)
        for y, anchor in self.anchors:
            breaks = scores[y] > lowest[anchor] + tolerance
            y, anchor = y[breaks], anchor[breaks]
            for part in slices_by_size(self.size[anchor], PAIRS_AT_ONCE):
                size = self.size[anchor[part]]
                place = self.place[anchor[part]]
                z = joined_ranges(place, place + size)
                above = np.repeat(scores[y[part]], size) > ordered[z] + tolerance
                inner = (np.repeat(y[part], size) > 0) & (self.node[z] > 0)
                counts += [(above & inner).sum(), above.sum()]
        return counts

    def widest_violation(self, scores: NDArray[Any], tolerance: float) -> Pair:
        """The first of the violations with the largest difference in score."""
        lowest = self._lowest_scores(scores)
        y, root = (np.concatenate(part) for part in zip(*self.anchors, strict=True))
        margin = scores[y] - lowest[root]
        far = np.flatnonzero(margin >= margin.max() - tolerance)
        i = far[np.lexsort((root[far], y[far]))[0]]
        place = self.place[root[i]]
        z = np.sort(self.node[place : place + self.size[root[i]]])
        return int(y[i]), int(z[first_maximum(-scores[z], tolerance)])

    def _lowest_scores(self, scores: NDArray[Any]) -> NDArray[Any]:
        """[node] the lowest score in each ranking's subtree of relevant results."""
        lowest, space = scores.copy(), self.space
        for length in reversed(range(space.depth if self.grows else 0)):
            here = slice(space.first(length), space.first(length + 1))
            children = lowest[space.first(length + 1) : space.first(length + 2)].reshape(-1, space.q)
            lowest[here] = np.minimum(lowest[here], children[:, list(space.relevant)].min(axis=1))
        return lowest


def subtree_sizes(space: Space) -> Ints:
    """[node] how many rankings extend each one by relevant results only, including itself."""
    m = space.q - 1
    total = [sum(m**more for more in range(space.depth - length + 1)) for length in range(space.depth + 1)]
    return np.repeat(np.array(total, dtype=np.int64), [space.q**length for length in range(space.depth + 1)])


def preorder(space: Space) -> Ints:
    """[node] a position for each ranking such that each subtree of relevant results is contiguous."""
    size = subtree_sizes(space)
    place = np.zeros(space.size, dtype=np.int64)
    used = int(size[0])
    for length in range(space.depth):
        parents = place[space.first(length) : space.first(length + 1)]
        below = int(size[space.first(length + 1)])
        child = np.empty((len(parents), space.q), dtype=np.int64)
        for nth, letter in enumerate(sorted(space.relevant)):
            child[:, letter] = parents + 1 + nth * below
        child[:, space.nothing] = used + below * np.arange(len(parents))
        used += below * len(parents)
        place[space.first(length + 1) : space.first(length + 2)] = child.ravel()
    return place


def _anchors(space: Space, drops: bool, redundant: Sequence[Axiom]) -> Iterator[tuple[Ints, Ints]]:
    """(ranking, root) pairs: the roots of all subtrees that each ranking should not beat.

    `drops`: the irrelevance axiom holds, so that irrelevant results may be dropped from the end.
    """
    node = np.arange(space.size)
    yield node, node
    trailing = node
    for length in reversed(range(space.depth if drops else 0)):
        root = node[: space.first(length + 1)]
        trailing = trailing[: len(root)] * space.q + 1 + space.nothing
        yield trailing, root
    for y, z in relations(space, redundant):
        while len(y):
            yield y, z
            if not drops:
                break
            y = y * space.q + 1 + space.nothing
            y, z = y[y < space.size], z[y < space.size]
