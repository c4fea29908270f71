"""Preferences between documents, by groups of judgements, as trec_eval counts them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints, freeze


@dataclass(frozen=True, eq=False)
class JudgedGroup:
    """One group of judgements of a topic, whose preferences do not contradict each other."""

    level: Floats  # [p] of the topic's documents; NaN if the group does not list it
    by_subgroup: Bools | None = None  # [p, p] preferences from several subgroups; None: higher levels are preferred

    def __post_init__(self) -> None:
        freeze(self)

    def preferred(self, order: Ints) -> Bools:
        """[p, p] whether the i-th document of an order is preferred to the j-th."""
        level = self.level[order]
        return level[:, None] > level if self.by_subgroup is None else self.by_subgroup[np.ix_(order, order)]


@dataclass(frozen=True, eq=False)
class RankedGroup:
    """A group's preferences about one list: its results come first, then documents that it does not have."""

    preferred: Bools  # [p, p]
    level: Floats  # [p]
    retrieved: int  # documents that the list has
    has_subgroups: bool

    def within(self, scope: str) -> Bools:
        """[p, p] the preferences about all pairs, those of which the list has a document (any), or has both."""
        if scope == "all":
            return self.preferred
        inside = np.arange(len(self.level)) < self.retrieved
        return self.preferred & ((inside[:, None] & inside) if scope == "both" else (inside[:, None] | inside))

    def met(self, preferred: Bools) -> Bools:
        """[p, p] the preferences that the list meets: it has the preferred document, and not after the other."""
        met: Bools = np.triu(preferred, 1)
        met[self.retrieved :] = False
        return met


def ranked_groups(groups: tuple[JudgedGroup, ...], document: Ints) -> Iterator[RankedGroup]:
    """The groups of a topic about one list, whose documents [depth] are places in the pool, or -1.

    Documents that the list does not have follow in ascending order of id; the pool is in descending order.
    """
    seen = document[document >= 0]
    rest = np.setdiff1d(np.arange(len(groups[0].level)), seen)[::-1] if groups else seen
    order = np.concatenate([seen, rest])
    for group in groups:
        yield RankedGroup(group.preferred(order), group.level[order], len(seen), group.by_subgroup is not None)
