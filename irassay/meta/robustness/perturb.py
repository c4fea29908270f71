"""Judgements altered on purpose: thinned, cut to a pool depth, with noise, or without what one team found.

All work on the arrays of a pool [topic, document]. What is kept and what it is worth is one `Judgements`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from irassay.argument_types import FromFile
from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.sources import Source
from irassay.rankings.batch import Pool, share

Places = Sequence[NDArray[np.int32]]  # [batch][list, rank] of results in the flattened pool, -1 where not judged


class Confusion(dict[float, Mapping[float, float]], FromFile):
    """How often a grade turns into another: grade given -> grade instead -> probability."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The confusion in a file of lines `from to probability`; a header is allowed."""
        return cls(_confusion_rows(Path(path)))


@dataclass(frozen=True, eq=False)
class Judgements:
    """What other judges would have said of the documents of a pool."""

    pool: Pool  # the documents, as first judged
    kept: Bools  # [t, p] judged at all
    grade: Floats  # [t, p]

    @property
    def judged(self) -> int:
        """How many documents are judged."""
        return int(self.kept.sum())

    def as_pool(self) -> Pool:
        """The pool of the documents that are judged, in the order they had; aspects without any lose their weight."""
        order = np.argsort(~self.kept, axis=1, kind="stable")
        size = self.kept.sum(axis=1)
        width = max(1, int(size.max(initial=0)))
        listed = np.arange(width) < size[:, None]
        grade = np.take_along_axis(self.grade, order, axis=1)[:, :width] * listed
        if self.pool.aspects.shape[2] == 1:
            return Pool(grade, size, grade[:, :, None], self.pool.weights)
        aspects = np.take_along_axis(self.pool.aspects, order[:, :, None], axis=1)[:, :width] * listed[:, :, None]
        left = self.pool.weights * (aspects > 0).any(axis=1)
        return Pool(grade, size, aspects, share(left, left.sum(axis=1, keepdims=True)))


def original_judgements(pool: Pool) -> Judgements:
    """The judgements of the pool itself."""
    return Judgements(pool, pool.listed, np.where(pool.listed, pool.grade, 0.0))


def thinned_judgements(pool: Pool, keep: float, seed: int = 0, repeat: int = 0) -> Judgements:
    """A random share of the judged documents, the same of every grade in every topic.

    Where that is no whole number, chance decides between the two next to it. For one seed and repeat, a smaller
    share is part of a larger one.

    >>> pool = Pool(np.array([[2.0, 0.0, 0.0, 0.0, 0.0, 2.0]]), np.array([6]), np.zeros((1, 6, 1)), np.ones((1, 1)))
    >>> half = thinned_judgements(pool, 0.5)
    >>> half.kept.sum(), half.grade[half.kept].sum()
    (np.int64(3), np.float64(2.0))
    """
    if not 0 < keep <= 1:
        raise InputError(f"The share of judgements to keep lies above 0 and up to 1; found {keep:g}.")
    topic, document = np.nonzero(pool.listed)
    _, grade = np.unique(pool.grade[topic, document], return_inverse=True)
    stratum = topic * (grade.max(initial=0) + 1) + grade
    draw = np.random.default_rng([seed, 0, repeat])
    order = np.lexsort((draw.random(len(topic)), stratum))
    _, start, size = np.unique(stratum[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(start, size)
    wanted = np.floor(keep * size + draw.random(len(size)))
    chosen = order[place < np.repeat(wanted, size)]
    kept = np.zeros(pool.grade.shape, dtype=np.bool_)
    kept[topic[chosen], document[chosen]] = True
    return replace(original_judgements(pool), kept=kept)


def noisy_judgements(
    pool: Pool, confusion: Mapping[float, Mapping[float, float]], max_grade: float, seed: int = 0, repeat: int = 0
) -> Judgements:
    """Every grade replaced by one drawn from its row of the confusion; a grade without a row stays.

    >>> pool = Pool(np.array([[2.0, 0.0]]), np.array([2]), np.zeros((1, 2, 1)), np.ones((1, 1)))
    >>> noisy_judgements(pool, {2: {1: 1.0}}, max_grade=2).grade
    array([[1., 0.]])
    """
    if pool.aspects.shape[2] > 1:
        raise InputError("Noise is for judgements of whole documents; these are by subtopic.")
    base = original_judgements(pool)
    grade = base.grade.copy()
    chance = np.random.default_rng([seed, 1, repeat]).random(grade.shape)
    for given, row in confusion.items():
        instead, probability = np.array(list(row)), np.array(list(row.values()))
        if (probability < 0).any() or abs(probability.sum() - 1) > 1e-6:
            raise InputError(
                f"The probabilities of what grade {given:g} turns into must sum to 1; found {probability.sum():g}."
            )
        if instead.max() > max_grade:
            raise InputError(
                f"Grade {given:g} may turn into {instead.max():g}, above the top of the scale, {max_grade:g}; "
                f"raise it with {argument('max_grade')}."
            )
        where = base.kept & (base.grade == given)
        place = np.searchsorted(np.cumsum(probability), chance[where], side="right").clip(max=len(instead) - 1)
        grade[where] = instead[place]
    return replace(base, grade=grade)


def pooled_judgements(pool: Pool, places: Places, depth: int) -> Judgements:
    """Only what some run has among its first `depth` results."""
    if depth < 1:
        raise InputError(f"A pool is at least one result deep; found {depth}.")
    return replace(original_judgements(pool), kept=_returned_documents(pool, [place[:, :depth] for place in places]))


def judgements_without_team(pool: Pool, places: Places, teams: Sequence[Ints], left_out: int, depth: int | None) -> Judgements:
    """All but the documents that no other team found, given the team of each list.

    To find is to return among the first `depth` results, or at all.
    """
    each = [(place[:, :depth], team == left_out) for place, team in zip(places, teams, strict=True)]
    theirs, others = _returned_documents(pool, [p[own] for p, own in each]), _returned_documents(pool, [p[~own] for p, own in each])
    return replace(original_judgements(pool), kept=pool.listed & ~(theirs & ~others))


def _returned_documents(pool: Pool, places: Places) -> Bools:
    met = np.zeros(pool.grade.size, dtype=np.bool_)
    for place in places:
        met[place[place >= 0]] = True
    return met.reshape(pool.grade.shape)


def _confusion_rows(path: Path) -> dict[float, dict[float, float]]:
    found: dict[float, dict[float, float]] = {}
    for number, line in enumerate(Source(path).text().splitlines(), 1):
        fields = line.split()
        if not fields or line.startswith("#") or (number == 1 and fields[:2] == ["from", "to"]):
            continue
        try:
            given, instead, probability = map(float, fields)
        except ValueError:
            raise InputError(
                f"{path}, line {number}: found '{line.strip()}', expected three numbers: from to probability."
            ) from None
        row = found.setdefault(given, {})
        if instead in row:
            raise InputError(f"{path}, line {number}: {given:g} to {instead:g} is there twice; keep one of the two.")
        row[instead] = probability
    if not found:
        raise InputError(f"{path} holds no confusions; expected lines 'from to probability'.")
    return found
