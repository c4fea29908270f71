"""Judgements altered on purpose: thinned, cut to a pool depth, with noise, or without the unique finds of a team.

All functions work on the arrays of a pool [topic, document] and return `Judgements`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from irassay.argument_types import FromFile
from irassay.arrays import Bools, Floats, Ints, share
from irassay.errors import InputError, argument, option_in_parentheses
from irassay.io.sources import Source
from irassay.provenance import shown_name
from irassay.rankings.pool import Pool

Places = Sequence[NDArray[np.int32]]  # [batch][list, rank] of results in the flattened pool, -1 where not judged


class Confusion(dict[float, Mapping[float, float]], FromFile):
    """A grade confusion table: grade -> confused grade -> probability."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The table in a file of lines `from to probability`; a header is allowed."""
        return cls(_confusion_rows(Path(path)))


@dataclass(frozen=True, eq=False)
class Judgements:
    """Altered judgements of the documents of a pool."""

    pool: Pool  # the documents with their original judgements
    kept: Bools  # [t, p] whether a document is still judged
    grade: Floats  # [t, p]

    @property
    def judged(self) -> int:
        """The number of judged documents."""
        return int(self.kept.sum())

    def as_pool(self) -> Pool:
        """The pool of the documents still judged, in their original order; aspects without any lose their weight."""
        order = np.argsort(~self.kept, axis=1, kind="stable")
        size = self.kept.sum(axis=1)
        width = max(1, int(size.max(initial=0)))
        listed = np.arange(width) < size[:, None]
        grade = np.take_along_axis(self.grade, order, axis=1)[:, :width] * listed
        if self.pool.aspects.shape[2] == 1:
            return Pool(grade, size, grade[:, :, None], self.pool.weights)
        aspects = np.take_along_axis(self.pool.aspects, order[:, :, None], axis=1)[:, :width] * listed[:, :, None]
        weights = self.pool.weights * (aspects > 0).any(axis=1)
        return Pool(grade, size, aspects, share(weights, weights.sum(axis=1, keepdims=True)))


def check_probabilities(grade: float, row: Mapping[float, float]) -> None:
    """Refuses a row of a confusion table, that of this grade, whose probabilities do not sum to 1."""
    total = sum(row.values())
    if abs(total - 1) > 1e-6 or min(row.values()) < 0:
        raise InputError(f"The probabilities of the confusions of grade {grade:g} must sum to 1; found {total:g}.")


def original_judgements(pool: Pool) -> Judgements:
    """The judgements of the pool, unaltered."""
    return Judgements(pool, pool.listed, np.where(pool.listed, pool.grade, 0.0))


def check_any_alteration(is_altered: bool) -> None:
    """Refuses to compare judgements with nothing."""
    if not is_altered:
        raise InputError(
            f"Nothing to compare the judgements with; give other judgements{option_in_parentheses('other')}, shares to "
            f"keep{option_in_parentheses('thin')}, pool depths{option_in_parentheses('pool_depth')}, a confusion of "
            f"grades{option_in_parentheses('noise')} or teams{option_in_parentheses('groups')}.",
            argument="other",
        )


def thinned_judgements(
    pool: Pool, keep: float, seed: int = 0, repeat: int = 0, place: Ints | None = None
) -> Judgements:
    """A random share of the judged documents, the same share of every grade in every topic.

    A fractional number of documents is rounded up or down at random. For one seed and repeat, a smaller share is a
    subset of a larger one. Topics are drawn by their `place` [topic], by default that in the pool.

    >>> pool = Pool(np.array([[2.0, 0.0, 0.0, 0.0, 0.0, 2.0]]), np.array([6]), np.zeros((1, 6, 1)), np.ones((1, 1)))
    >>> half = thinned_judgements(pool, 0.5)
    >>> half.kept.sum(), half.grade[half.kept].sum()
    (np.int64(3), np.float64(2.0))
    """
    if not 0 < keep <= 1:
        raise InputError(f"The share of judgements to keep must be above 0 and at most 1; found {keep:g}.")
    place = np.arange(len(pool.size)) if place is None else place
    by_place = np.argsort(place)
    row, document = np.nonzero(pool.listed[by_place])
    topic = by_place[row]
    _, grade = np.unique(pool.grade[topic, document], return_inverse=True)
    stratum = row * (grade.max(initial=0) + 1) + grade
    draw = np.random.default_rng([seed, 0, repeat])
    order = np.lexsort((draw.random(len(topic)), stratum))
    _, start, size = np.unique(stratum[order], return_index=True, return_counts=True)
    number = np.floor(keep * size + draw.random(len(size)))
    drawn = order[np.arange(len(order)) < np.repeat(start + number, size)]
    kept = np.zeros(pool.grade.shape, dtype=np.bool_)
    kept[topic[drawn], document[drawn]] = True
    return replace(original_judgements(pool), kept=kept)


def noisy_judgements(
    pool: Pool,
    confusion: Mapping[float, Mapping[float, float]],
    max_grade: float,
    seed: int = 0,
    repeat: int = 0,
    place: Ints | None = None,
) -> Judgements:
    """Every grade replaced by one drawn from its row of the confusion table; a grade without a row stays.

    Topics are drawn by their `place` [topic], by default that in the pool.

    >>> pool = Pool(np.array([[2.0, 0.0]]), np.array([2]), np.zeros((1, 2, 1)), np.ones((1, 1)))
    >>> noisy_judgements(pool, {2: {1: 1.0}}, max_grade=2).grade
    array([[1., 0.]])
    """
    if pool.aspects.shape[2] > 1:
        raise InputError("Noise needs judgements of whole documents; these are by subtopic.")
    base = original_judgements(pool)
    grade = base.grade.copy()
    chance = np.random.default_rng([seed, 1, repeat]).random(grade.shape)[slice(None) if place is None else place]
    for original, row in confusion.items():
        check_probabilities(original, row)
        confused, probability = np.array(list(row)), np.array(list(row.values()))
        if confused.max() > max_grade:
            raise InputError(
                f"Grade {original:g} may become {confused.max():g}, above the top of the scale, {max_grade:g}; give a "
                "larger ",
                argument("max_grade"),
                ".",
            )
        where = base.kept & (base.grade == original)
        drawn = np.searchsorted(np.cumsum(probability), chance[where], side="right").clip(max=len(confused) - 1)
        grade[where] = confused[drawn]
    return replace(base, grade=grade)


def pooled_judgements(pool: Pool, places: Places, depth: int) -> Judgements:
    """Only the documents that some run has among its first `depth` results."""
    if depth < 1:
        raise InputError(f"A pool depth must be 1 or more; found {depth}.")
    return replace(original_judgements(pool), kept=_returned_documents(pool, [place[:, :depth] for place in places]))


def judgements_without_team(
    pool: Pool, places: Places, teams: Sequence[Ints], left_out: int, depth: int | None
) -> Judgements:
    """All documents except those that only one team found, given the team of each list.

    A team finds a document if it returns it among the first `depth` results, or at any rank.
    """
    each = [(place[:, :depth], team == left_out) for place, team in zip(places, teams, strict=True)]
    found_by_team = _returned_documents(pool, [place[own] for place, own in each])
    found_by_others = _returned_documents(pool, [place[~own] for place, own in each])
    return replace(original_judgements(pool), kept=pool.listed & ~(found_by_team & ~found_by_others))


def _returned_documents(pool: Pool, places: Places) -> Bools:
    returned = np.zeros(pool.grade.size, dtype=np.bool_)
    for place in places:
        returned[place[place >= 0]] = True
    return returned.reshape(pool.grade.shape)


def _confusion_rows(path: Path) -> dict[float, dict[float, float]]:
    rows: dict[float, dict[float, float]] = {}
    for number, line in enumerate(Source(path).text().splitlines(), 1):
        fields = line.split()
        if not fields or line.startswith("#") or (number == 1 and fields[:2] == ["from", "to"]):
            continue
        try:
            original, confused, probability = map(float, fields)
        except ValueError:
            wrong, right = f"found '{line.strip()}'", "three numbers: from to probability"
            raise InputError(file=shown_name(path), line=number, found=wrong, expected=right) from None
        row = rows.setdefault(original, {})
        if confused in row:
            twice = f"{original:g} to {confused:g} is there twice"
            raise InputError(file=shown_name(path), line=number, found=twice, fix="keep one of the two")
        row[confused] = probability
    if not rows:
        raise InputError(f"{shown_name(path)} has no rows; expected lines 'from to probability'.")
    return rows
