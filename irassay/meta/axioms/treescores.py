"""The score of every enumerated ranking: what a metric scores alike, or can extend, is not scored again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import TIE, Floats, Ints
from irassay.meta.axioms.exact import Rationals, rationals
from irassay.metrics.metric import Metric
from irassay.parallel import map_blocks, stage
from irassay.rankings.enumeration import Space, Strings

SPOT = 512  # rankings on which a shortcut is checked against scoring them in full


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one metric."""

    values: Floats  # [size]
    exact: Rationals | None = None  # the same as fractions, where the metric has a rule


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
    grades = sorted({max(kind) for kind in space.grades}, reverse=True)
    if "aspects" in needs or min(space.judged) < space.depth or len(grades) == space.q:
        return Glance(replace(space, depth=depth), np.arange(space.q))
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


def tree_scores(metric: Metric, space: Space) -> Floats:
    """[size] the score of every string of the space.

    >>> from irassay.metrics.grammar import parse
    >>> tree_scores(parse("P@2"), Space.of(1, 2))  # nothing, r, x, rr, rx, xr, xx
    array([0. , 0.5, 0. , 1. , 0.5, 0.5, 0. ])
    """
    return all_scores([metric], space)[0].values


def all_scores(metrics: Sequence[Metric], space: Space, fractions: bool = False) -> list[Scored]:
    """[metric] the scores of every string, as fractions too if asked for, by the shortest way that a spot check passes.

    Where a metric adds up by a rule, each score follows from that of the ranking it extends; where it sees less than
    the whole ranking, what it sees is scored; otherwise every ranking is.
    """
    spot = spot_check(space)
    batch = spot.rankings()
    found: dict[int, Scored] = {}
    seen: dict[Space, list[int]] = {}
    for m, metric in enumerate(metrics):
        exact = rationals(metric, space)
        if exact is not None and agrees(metric.score(batch), exact.floats[spot.index]):
            found[m] = Scored(exact.floats, exact if fractions else None)
        else:
            seen.setdefault(glance(metric, space).space, []).append(m)
    for nth, (part, of_part) in enumerate(seen.items()):
        with stage(nth, 2 * len(seen)):
            scores = every_score([metrics[m] for m in of_part], part)
        index = slice(None) if part.size == space.size else glance(metrics[of_part[0]], space).index(space)
        for m, some in zip(of_part, scores, strict=True):
            whole = some[index]
            if part.size == space.size or agrees(metrics[m].score(batch), whole[spot.index]):
                found[m] = Scored(whole)
    rest = [m for m in range(len(metrics)) if m not in found]
    if rest:
        with stage(1, 2):
            scores = every_score([metrics[m] for m in rest], space)
        found |= {m: Scored(some) for m, some in zip(rest, scores, strict=True)}
    return [found[m] for m in range(len(metrics))]


def agrees(scores: Floats, shortcut: Floats) -> bool:
    """Whether a shortcut gives the same scores, but for rounding."""
    return bool(np.allclose(scores, shortcut, rtol=1e-12, atol=1e-12))


def every_score(metrics: Sequence[Metric], space: Space) -> list[Floats]:
    """[metric][size] the score of every string, each one scored as a batch row of its own."""
    blocks = map_blocks(_block_scores, space.blocks(), (space, list(metrics)), doing="trying rankings")
    return [np.concatenate([block[m] for block in blocks]) for m in range(len(metrics))]


def _block_scores(block: tuple[int, int, int], shared: tuple[Space, list[Metric]]) -> list[Floats]:
    """[metric][string] the scores of the strings of one block."""
    space, metrics = shared
    batch = space.strings(*block).rankings()
    return [metric.score(batch) for metric in metrics]


def spot_check(space: Space) -> Strings:
    """Strings of the full depth, spread evenly over all there are."""
    last = space.q**space.depth
    place = np.unique(np.linspace(0, last - 1, min(SPOT, last)).astype(np.int64))
    letters = place[:, None] // space.q ** np.arange(space.depth - 1, -1, -1) % space.q
    return space.spelled(letters.astype(np.int8))


def tolerance(scores: NDArray[Any]) -> float:
    """The difference below which two scores are the same: 1e-10 of the range seen, and at least 1e-12."""
    low, high = (scores.min(), scores.max()) if len(scores) else (0.0, 0.0)
    finite = np.array([low, high]) if np.isfinite(low) and np.isfinite(high) else scores[np.isfinite(scores)]
    return max(1e-12, TIE * float(np.ptp(finite))) if finite.size else 1e-12
