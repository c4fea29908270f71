"""Judgements by passage, kept sparse beside the arrays that every metric sees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, freeze


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The nuggets of every topic, and which of them each judged document has."""

    rating: Floats  # [t, g] 0 past a topic's own nuggets
    documents: Ints  # [t, g] documents that have the nugget
    start: Ints  # [t * p + 1] where the entries of each place in the pool begin
    nugget: Ints  # [e] which of the topic's nuggets
    times: Floats  # [e] how often the document has it
    discounted: Floats  # [t, p, a] rating of a document by aspect, its j-th best passage divided by log2(j + 1)

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class Passages:
    """The positions of results among documents judged by passage or compared; zero width without such judgements."""

    topic: Ints  # [n] row of the nuggets
    document: Ints  # [n, depth] position in the topic's pool, also for repeated documents; -1 if not judged
    repeated: Bools  # [n, depth] the document was listed before
    line: Ints  # [n, depth] order in the run's file; largest past the list
    nuggets: Nuggets
    lengths: Floats  # [d] words of every document of the collection, ascending

    def __post_init__(self) -> None:
        freeze(self)

    def __bool__(self) -> bool:
        return self.document.shape[1] > 0

    def __getitem__(self, rows: Any) -> "Passages":
        return self._with_each(lambda array: array[rows], topic=self.topic[rows]) if self else self

    def top(self, k: int) -> "Passages":
        """The first k results of each list."""
        return self._with_each(lambda array: array[:, :k])

    def to_depth(self, depth: int) -> "Passages":
        """Widened with ranks past the lists."""
        more = depth - self.document.shape[1]
        return self._with_each(lambda array: np.pad(array, [(0, 0), (0, more)], mode="edge")).cut_to(
            np.broadcast_to(np.arange(depth) < depth - more, (len(self.topic), depth))
        )

    def reordered(self, order: Ints) -> "Passages":
        """The results of each list in another order [n, depth]."""
        return self._with_each(lambda array: np.take_along_axis(array, order, axis=1))

    def cut_to(self, inside: Bools) -> "Passages":
        """The results inside [n, depth]; all other ranks count as past the list."""
        if not self:
            return self
        document, line = np.where(inside, self.document, -1), np.where(inside, self.line, np.iinfo(np.int64).max)
        return replace(self, document=document, repeated=self.repeated & inside, line=line)

    def followed_by(self, others: Sequence["Passages"]) -> "Passages":
        """The lists of several batches of one width, one batch after the other."""
        names = ("topic", "document", "repeated", "line")
        every = [self, *others]
        joined: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in every]) for name in names}
        return replace(self, **joined)

    def _with_each(self, change: Any, **others: Any) -> "Passages":
        if not self:
            return self
        arrays = {name: change(getattr(self, name)) for name in ("document", "repeated", "line")}
        return replace(self, **arrays, **others)


def _no_passages() -> Passages:
    ints, floats = np.zeros(0, np.int64), np.zeros((0, 0))
    nuggets = Nuggets(floats, floats.astype(np.int64), np.zeros(1, np.int64), ints, np.zeros(0), floats[:, :, None])
    empty = np.zeros((0, 0), np.int64)
    return Passages(ints, empty, empty.astype(bool), empty, nuggets, np.zeros(0))


NO_PASSAGES = _no_passages()
