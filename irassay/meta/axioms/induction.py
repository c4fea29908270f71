"""Induction: what several properties say together, by way of rankings in between.

With the three of albahem2018, a ranking u x^k (u not ending in x) should not beat any u x^j w with j <= k and w
relevant results only, nor, where u = S p with p on an aspect seen in S, any S n w with n on an aspect not seen.
These sets are disjoint, and each is one subtree of relevant results. Any other set of properties goes by bits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.meta.axioms.closure import Graph, chunks, first_most, graph, spans
from irassay.meta.axioms.comparing import Broken, MetricScores, violated
from irassay.meta.axioms.relations import Axiom
from irassay.rankings.enumeration import Space, iterate

CLOSED = frozenset({"relevance", "irrelevance", "redundancy"})
NODES, EDGES = 100_000, 4_000_000  # the most rankings and relations that the closure by bits takes on
FOREST_NODES = 10_000_000  # the most rankings that the closed form takes on
EXPANDED = 1 << 21  # pairs compared at a time


@dataclass(frozen=True, eq=False)
class Induced:
    """Relations that follow from several properties, and those that each metric breaks.

    The last axis is: without relations that touch the empty ranking (as albahem2018 counts), and with them.
    """

    properties: tuple[str, ...]
    direct: Ints  # [2] relations that one of the properties states
    closure: Ints  # [2] relations that follow from all of them, direct ones included
    direct_broken: Ints  # [metric, 2]
    closure_broken: Ints  # [metric, 2]
    widest: tuple[tuple[int, int] | None, ...]  # [metric] (worse, better) the broken pair furthest apart

    @property
    def cases(self) -> Ints:
        """[2] relations that follow but are not stated."""
        return self.closure - self.direct

    @property
    def broken(self) -> Ints:
        """[metric, 2] those of them that each metric breaks."""
        return self.closure_broken - self.direct_broken


def feasible(space: Space, axioms: Sequence[Axiom]) -> bool:
    """Whether the closure of these properties can be counted on this space."""
    if closed_form(axioms):
        return space.size <= FOREST_NODES
    if space.size > NODES:
        return False
    return sum(len(worse) for worse, _ in relations(space, axioms)) <= EDGES


def closed_form(axioms: Sequence[Axiom]) -> bool:
    """Whether the properties are among the three whose closure is known in closed form."""
    return {axiom.name for axiom in axioms} <= CLOSED


def relations(space: Space, axioms: Sequence[Axiom]) -> Iterator[tuple[Ints, Ints]]:
    """(worse, better) of every relation that the properties state, block by block."""
    for strings in iterate(space):
        for axiom in axioms:
            yield from axiom.pairs(strings)


def induced(space: Space, axioms: Sequence[Axiom], scored: Sequence[MetricScores], stated: Broken) -> Induced:
    """How much follows from the axioms, and how much of it each metric breaks, given what was `stated`.

    A metric that breaks no stated relation breaks none that follows, so only the others are looked at. No two of the
    three properties whose closure is known state the same relation.
    """
    if closed_form(axioms):
        known: Forest | Graph = Forest(space, axioms)
        direct, direct_broken = stated.cases[0].sum(axis=0), stated.violations.sum(axis=1)
    else:
        pairs = [(np.zeros(0, dtype=np.int64),) * 2, *relations(space, axioms)]
        worse, better = (np.concatenate(side) for side in zip(*pairs, strict=True))
        distinct = np.unique(worse * space.size + better)
        worse, better = distinct // space.size, distinct % space.size
        inner = (worse > 0) & (better > 0)
        known = graph(space.size, worse, better)
        direct = np.array([inner.sum(), len(worse)])
        broken = [violated(one.values, worse, better, one.tolerance, strict=False) for one in scored]
        direct_broken = np.array([[(one & inner).sum(), one.sum()] for one in broken])
    closure_broken = np.zeros_like(direct_broken)
    widest: list[tuple[int, int] | None] = []
    for m, one in enumerate(scored):
        breaks = bool(direct_broken[m, 1])
        widest.append(known.widest(one.values, one.tolerance) if breaks else None)
        if breaks:
            closure_broken[m] = known.broken(one.values, one.tolerance)
    names = tuple(axiom.name for axiom in axioms)
    return Induced(names, direct, known.closure(), direct_broken, closure_broken, tuple(widest))


def joined(parts: Sequence[Induced]) -> Induced:
    """The same relations as several groups of metrics break them, in one."""
    return replace(
        parts[0],
        direct_broken=np.concatenate([part.direct_broken for part in parts]),
        closure_broken=np.concatenate([part.closure_broken for part in parts]),
        widest=tuple(pair for part in parts for pair in part.widest),
    )


class Forest:
    """The closure of the three properties: subtrees of relevant results, each a slice of one order of rankings."""

    def __init__(self, space: Space, axioms: Sequence[Axiom]) -> None:
        names = {axiom.name for axiom in axioms}
        self.space, self.grows = space, "relevance" in names
        self.size = subtree_sizes(space) if self.grows else np.ones(space.size, dtype=np.int64)  # [node]
        self.place = preorder(space)  # [node]
        self.node = np.argsort(self.place, kind="stable")  # [place]
        redundant = [axiom for axiom in axioms if axiom.name == "redundancy"]
        self.anchors = list(_anchors(space, "irrelevance" in names, redundant))

    def closure(self) -> Ints:
        """[2] how many relations follow: the sizes of all subtrees reached, less each ranking itself."""
        total = sum(int(self.size[anchor].sum()) for _, anchor in self.anchors) - self.space.size
        from_empty = int(self.size[0]) - 1
        to_empty = sum(int(((anchor == 0) & (y > 0)).sum()) for y, anchor in self.anchors)
        return np.array([total - from_empty - to_empty, total])

    def broken(self, scores: NDArray[Any], tolerance: float) -> Ints:
        """[2] how many of them the scores break."""
        least = self._least(scores)
        ordered = scores[self.node]
        counts = np.zeros(2, dtype=np.int64)
        for y, anchor in self.anchors:
            hopeless = scores[y] > least[anchor] + tolerance
            y, anchor = y[hopeless], anchor[hopeless]
            for part in chunks(self.size[anchor], EXPANDED):
                size = self.size[anchor[part]]
                place = self.place[anchor[part]]
                z = spans(place, place + size)
                above = np.repeat(scores[y[part]], size) > ordered[z] + tolerance
                inner = (np.repeat(y[part], size) > 0) & (self.node[z] > 0)
                counts += [(above & inner).sum(), above.sum()]
        return counts

    def widest(self, scores: NDArray[Any], tolerance: float) -> tuple[int, int]:
        """The first of the broken relations whose scores are furthest apart."""
        least = self._least(scores)
        y, root = (np.concatenate(part) for part in zip(*self.anchors, strict=True))
        margin = scores[y] - least[root]
        far = np.flatnonzero(margin >= margin.max() - tolerance)
        i = far[np.lexsort((root[far], y[far]))[0]]
        place = self.place[root[i]]
        z = np.sort(self.node[place : place + self.size[root[i]]])
        return int(y[i]), int(z[first_most(-scores[z], tolerance)])

    def _least(self, scores: NDArray[Any]) -> NDArray[Any]:
        """[node] the lowest score in each ranking's subtree of relevant results."""
        least = scores.copy()
        if not self.grows:
            return least
        space = self.space
        for length in reversed(range(space.depth)):
            here = slice(space.first(length), space.first(length + 1))
            children = least[space.first(length + 1) : space.first(length + 2)].reshape(-1, space.q)
            relevant = children[:, list(space.relevant)].min(axis=1)
            least[here] = np.minimum(least[here], relevant)
        return least


def subtree_sizes(space: Space) -> Ints:
    """[node] how many rankings begin with each one and go on with relevant results only, itself included."""
    m = space.q - 1
    total = [sum(m**more for more in range(space.depth - length + 1)) for length in range(space.depth + 1)]
    return np.repeat(np.array(total, dtype=np.int64), [space.q**length for length in range(space.depth + 1)])


def preorder(space: Space) -> Ints:
    """[node] a place for each ranking such that those of a subtree of relevant results are neighbours."""
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

    `drops`: results that are not relevant may be taken off the end.
    """
    node = np.arange(space.size)
    yield node, node
    trailing = node
    for length in reversed(range(space.depth if drops else 0)):
        root = node[: space.first(length + 1)]
        trailing = trailing[: len(root)] * space.q + 1 + space.nothing
        yield trailing, root
    for worse, better in relations(space, redundant):
        y, z = worse, better
        while len(y):
            yield y, z
            if not drops:
                break
            y = y * space.q + 1 + space.nothing
            y, z = y[y < space.size], z[y < space.size]
