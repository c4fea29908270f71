"""The score of every enumerated ranking, without scoring again what a metric cannot distinguish or can extend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import TIE, Floats, Ints
from irassay.meta.axioms.exact_scores import Rationals, depth_seen, exact_scores
from irassay.metrics.metric import Metric
from irassay.parallel import map_blocks, stage
from irassay.rankings.enumeration import Space, Strings

SPOT_CHECKS = 512  # rankings on which a shortcut is compared with scoring them in full


@dataclass(frozen=True, eq=False)
class MetricScores:
    """A metric with the score that it gives every ranking of a space."""

    metric: Metric
    space: Space
    values: Floats  # [size]
    fractions: Rationals | None = None  # the same scores as fractions, if they are to be compared exactly

    @property
    def name(self) -> str:
        """What stands for the metric in a finding's sentence, so that a view can put its label there."""
        return "{metrics}"

    @cached_property
    def tolerance(self) -> float:
        """The largest difference between `values` that counts as a tie."""
        return tolerance(self.values)

    @cached_property
    def comparable(self) -> NDArray[Any]:
        """[size] numbers that order the rankings, higher being better: whole numbers if compared exactly."""
        numbers = self.values if self.fractions is None else self.fractions.numerator
        return numbers if self.metric.declaration.higher_is_better else -numbers

    @property
    def comparable_tolerance(self) -> float:
        """The largest difference between `comparable` numbers that counts as a tie."""
        return self.tolerance if self.fractions is None else 0

    @property
    def k(self) -> int:
        """The metric's cutoff, at most the depth of the space; the depth without a cutoff."""
        return min(self.metric.size or self.space.depth, self.space.depth)

    def values_with_pool(self, pool_size: int) -> Floats:
        """[size] the scores if the pool had this many documents of every relevant kind."""
        return tree_scores(self.metric, with_pool(self.space, pool_size))


def with_pool(space: Space, pool_size: int) -> Space:
    """The same rankings with another number of judged documents of every relevant kind."""
    return replace(space, judged=tuple(pool_size if any(kind) else space.depth for kind in space.grades))


@dataclass(frozen=True, eq=False)
class VisiblePart:
    """What a metric sees of a space: fewer kinds of documents, or only the first few results."""

    space: Space
    kind: Ints  # [q] what each kind of the full space looks like

    def index(self, space: Space) -> Ints:
        """[size] what each ranking of the full space looks like, computed from the ranking that it extends."""
        parts = [np.zeros(1, dtype=np.int64)]
        for length in range(space.depth):
            longer = np.repeat(parts[-1], space.q)
            if length < self.space.depth:
                longer = longer * self.space.q + 1 + np.tile(self.kind, len(parts[-1]))
            parts.append(longer)
        return np.concatenate(parts)


def visible_part(metric: Metric, space: Space) -> VisiblePart:
    """The smallest space that holds everything the metric looks at, going by its needs and its cutoff.

    A metric without aspects sees grades only; one with a cutoff k sees k results, unless it counts turns.
    """
    depth = depth_seen(metric, space)
    grades = sorted({max(kind) for kind in space.grades}, reverse=True)
    if "aspects" in metric.meaning.needs or min(space.judged) < space.depth or len(grades) == space.q:
        return VisiblePart(replace(space, depth=depth), np.arange(space.q))
    kind = np.array([grades.index(max(kind)) for kind in space.grades])
    by_grade = replace(
        space,
        letters=tuple(map(str, grades)),
        grades=tuple((grade,) for grade in grades),
        judged=tuple(int(np.array(space.judged)[kind == c].sum()) for c in range(len(grades))),
        depth=depth,
        weights=(1.0,),
    )
    return VisiblePart(by_grade, kind)


def tree_scores(metric: Metric, space: Space) -> Floats:
    """[size] the score of every ranking of the space.

    >>> from irassay.metrics.grammar import parse
    >>> tree_scores(parse("P@2"), Space.of(1, 2))  # empty, r, x, rr, rx, xr, xx
    array([0. , 0.5, 0. , 1. , 0.5, 0.5, 0. ])
    """
    return metric_scores([metric], space)[0].values


def metric_scores(metrics: Sequence[Metric], space: Space, exact: bool = False) -> list[MetricScores]:
    """[metric] the scores of every ranking, with fractions if `exact`, by the fastest way that passes a spot check.

    If a metric has an exact rule, each score follows from that of the ranking it extends. If a metric sees less than
    the whole ranking, only what it sees is scored. Otherwise every ranking is scored.
    """
    spot = spot_check_strings(space)
    batch = spot.rankings()
    scores_of_metric: dict[int, MetricScores] = {}
    parts: dict[Space, list[int]] = {}
    for m, metric in enumerate(metrics):
        fractions = exact_scores(metric, space)
        if fractions is not None and scores_agree(metric.score(batch), fractions.floats[spot.index]):
            scores_of_metric[m] = MetricScores(metric, space, fractions.floats, fractions if exact else None)
        else:
            parts.setdefault(visible_part(metric, space).space, []).append(m)
    for nth, (part, members) in enumerate(parts.items()):
        with stage(nth, 2 * len(parts)):
            scores = full_scores([metrics[m] for m in members], part)
        index = slice(None) if part.size == space.size else visible_part(metrics[members[0]], space).index(space)
        for m, of_part in zip(members, scores, strict=True):
            values = of_part[index]
            if part.size == space.size or scores_agree(metrics[m].score(batch), values[spot.index]):
                scores_of_metric[m] = MetricScores(metrics[m], space, values)
    rest = [m for m in range(len(metrics)) if m not in scores_of_metric]
    if rest:
        with stage(1, 2):
            scores = full_scores([metrics[m] for m in rest], space)
        scores_of_metric |= {m: MetricScores(metrics[m], space, values) for m, values in zip(rest, scores, strict=True)}
    return [scores_of_metric[m] for m in range(len(metrics))]


def scores_agree(scores: Floats, shortcut: Floats) -> bool:
    """Whether a shortcut gives the same scores, apart from rounding."""
    return bool(np.allclose(scores, shortcut, rtol=1e-12, atol=1e-12))


def full_scores(metrics: Sequence[Metric], space: Space) -> list[Floats]:
    """[metric][size] the score of every ranking, each scored in full."""
    blocks = map_blocks(_block_scores, space.blocks(), (list(metrics), space), doing="trying rankings")
    return [np.concatenate([block[m] for block in blocks]) for m in range(len(metrics))]


def _block_scores(block: tuple[int, int, int], shared: tuple[list[Metric], Space]) -> list[Floats]:
    metrics, space = shared
    batch = space.strings(*block).rankings()
    return [metric.score(batch) for metric in metrics]


def spot_check_strings(space: Space) -> Strings:
    """Rankings of the full depth, spread evenly over all of them."""
    last = space.q**space.depth
    place = np.unique(np.linspace(0, last - 1, min(SPOT_CHECKS, last)).astype(np.int64))
    letters = place[:, None] // space.q ** np.arange(space.depth - 1, -1, -1) % space.q
    return space.strings_from_letters(letters.astype(np.int8))


def tolerance(scores: NDArray[Any]) -> float:
    """The difference up to which two scores are equal: 1e-10 of the range seen, and at least 1e-12."""
    low, high = (scores.min(), scores.max()) if len(scores) else (0.0, 0.0)
    finite = np.array([low, high]) if np.isfinite(low) and np.isfinite(high) else scores[np.isfinite(scores)]
    return max(1e-12, TIE * float(np.ptp(finite))) if finite.size else 1e-12
