"""The score of every enumerated ranking: rankings that a metric cannot tell apart are scored once."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.enumerate import Space, Strings
from irassay.gain import Floats
from irassay.instrument import Metric
from irassay.parallel import Progress, map_blocks

Ints = NDArray[np.int64]

SPOT = 512  # rankings on which a shortcut is checked against scoring them in full


@dataclass(frozen=True, eq=False)
class Glance:
    """What a metric sees of a space: fewer kinds of documents, or only the first few results."""

    space: Space
    kind: Ints  # [q] the kind that each kind of the whole space looks like

    def index(self, whole: Space) -> Ints:
        """[size] what each string looks like, every string from the one it extends."""
        parts = [np.zeros(1, dtype=np.int64)]
        for length in range(whole.depth):
            longer = np.repeat(parts[-1], whole.q)
            if length < self.space.depth:
                longer = longer * self.space.q + 1 + np.tile(self.kind, len(parts[-1]))
            parts.append(longer)
        return np.concatenate(parts)


def glance(metric: Metric, space: Space) -> Glance:
    """The smallest space that holds all that the metric looks at, going by its needs and its cutoff.

    A metric without aspects sees grades; one with a cutoff k sees k results, unless it counts turns.
    """
    needs, k = metric.meaning.needs, metric.size
    depth = space.depth if k is None or "turns" in needs else min(k, space.depth)
    if "aspects" in needs or min(space.judged) < space.depth:
        return Glance(replace(space, depth=depth), np.arange(space.q))
    grades = sorted({max(kind) for kind in space.grades}, reverse=True)
    kind = np.array([grades.index(max(kind)) for kind in space.grades])
    return Glance(
        Space(
            letters=tuple(str(grade) for grade in grades),
            grades=tuple((grade,) for grade in grades),
            judged=tuple(int(np.array(space.judged)[kind == c].sum()) for c in range(len(grades))),
            depth=depth,
            weights=(1.0,),
            max_grade=space.max_grade,
        ),
        kind,
    )


def tree_scores(
    metric: Metric, space: Space, jobs: int = 1, progress: Progress | None = None, *, shortcut: bool = True
) -> Floats:
    """[size] the score of every string of the space.

    >>> from irassay.grammar import parse
    >>> tree_scores(parse("P@2"), Space.of(1, 2))  # nothing, r, x, rr, rx, xr, xx
    array([0. , 0.5, 0. , 1. , 0.5, 0.5, 0. ])
    """
    seen = glance(metric, space)
    if shortcut and seen.space.size < space.size:
        scores = every_score(metric, seen.space, jobs, progress)[seen.index(space)]
        spot = spot_check(space)
        if np.allclose(metric.score(spot.rankings()), scores[spot.index], rtol=1e-12, atol=1e-12):
            return scores
    return every_score(metric, space, jobs, progress)


def every_score(metric: Metric, space: Space, jobs: int = 1, progress: Progress | None = None) -> Floats:
    """[size] the score of every string, each one scored as a batch row of its own."""

    def scored(block: tuple[int, int, int]) -> Floats:
        return metric.score(space.strings(*block).rankings())

    return np.concatenate(map_blocks(scored, space.blocks(), jobs, progress=progress))


def spot_check(space: Space) -> Strings:
    """Strings of the full depth, spread evenly over all there are."""
    last = space.q**space.depth
    place = np.unique(np.linspace(0, last - 1, min(SPOT, last)).astype(np.int64))
    letters = place[:, None] // space.q ** np.arange(space.depth - 1, -1, -1) % space.q
    return space.spelled(letters.astype(np.int8))


def tolerance(scores: NDArray[Any]) -> float:
    """The difference below which two scores are the same: 1e-10 of the range seen, and at least 1e-12."""
    finite = scores[np.isfinite(scores)]
    return max(1e-12, 1e-10 * float(np.ptp(finite))) if finite.size else 1e-12
