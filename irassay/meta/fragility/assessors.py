"""Other assessors: judgements drawn as another assessor might give them, and what becomes of a difference.

The grade that another assessor gives depends on who returned the document: one that both systems return and that was
judged not relevant is more often relevant to others than one that neither returns. So grades are drawn within strata:
returned by the first system only, by the second only, by both, by neither. Draws over all documents alike would shrink
the difference. If two assessors judged a document, their two grades say more about it than its stratum does.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.meta.fragility.regraded import RegradedPair
from irassay.stats.draws import slices
from irassay.stats.influence import paired_t

CELLS = 1 << 20  # of an array [assessor, topic, document, grade] at a time
OWN_SHARE = 1 / 3  # weight of a grade of the original judgements, relative to one of the other assessor
OWN_GRADES = 2 / 3  # of the draws for a document judged twice: one of its own two grades, not one of its stratum
FEW_DOUBLY_JUDGED = 5  # documents of a stratum and grade, below which its row is mostly the prior


@dataclass(frozen=True)
class OtherAssessors:
    """How often simulated assessors undo a difference."""

    undone: float  # share after whose judgements t does not exceed the critical value
    reversed: float  # share after whose judgements the mean difference is below 0
    sparse: int  # judged documents whose grades are drawn from a row with few documents judged twice


def strata(pair: RegradedPair) -> Ints:
    """[topic, document] 0: neither system returns it, 1: only the first, 2: only the second, 3: both."""
    first, second = pair.returned_documents
    return first + 2 * second


def stratified_assessors(pair: RegradedPair, other: Floats, critical: float, number: int, seed: int) -> OtherAssessors:
    """What assessors do who differ from the judgements as `other` [topic, document] does, NaN where it is silent.

    A document that both judged mostly gets one of its two grades; otherwise its grade is drawn by its stratum. A row of
    the confusion table of a stratum has a Dirichlet distribution: the counts there, and one more count spread as in all
    strata together. With draws by the table alone, the deviations of the other assessor and those that are drawn would
    add up, so that shares come too close to one half. Assessors are alike, so the original grades, and counts with the
    roles exchanged, say as much; they count a third, because the claim was chosen for its significance by them.
    """
    listed = pair.pool.listed
    both = listed & ~np.isnan(other)
    grades = np.unique(np.concatenate([pair.grade[listed], other[both]]))
    own = np.searchsorted(grades, pair.grade).clip(max=len(grades) - 1)
    counts = np.zeros((4, len(grades), len(grades)))
    stratum = strata(pair)
    np.add.at(counts, (stratum[both], own[both], np.searchsorted(grades, other[both])), 1)
    matters = listed & (pair.uses_pool | (stratum > 0))
    sparse = int((matters & (counts.sum(axis=2)[stratum, own] < FEW_DOUBLY_JUDGED)).sum())
    counts += OWN_SHARE * counts.swapaxes(1, 2)
    pooled = counts.sum(axis=0) + 1 / len(grades)
    prior = pooled / pooled.sum(axis=1, keepdims=True)
    undone, reversed_sign = _drawn_outcomes(pair, counts + prior, grades, stratum, own, critical, number, seed, other)
    return OtherAssessors(undone, reversed_sign, sparse)


def pooled_assessors(
    pair: RegradedPair, confusion: Mapping[float, Mapping[float, float]], critical: float, number: int, seed: int
) -> OtherAssessors:
    """What assessors do who confuse grades as in a table, whoever returned a document."""
    listed = pair.pool.listed
    named = [grade for row in confusion.values() for grade in row]
    grades = np.unique(np.concatenate([pair.grade[listed], named, [*confusion]]))
    table = np.eye(len(grades))
    for grade, row in confusion.items():
        if abs(sum(row.values()) - 1) > 1e-6 or min(row.values()) < 0:
            total = f"found {sum(row.values()):g}"
            raise InputError(f"The probabilities of the confusions of grade {grade:g} must sum to 1; {total}.")
        table[np.searchsorted(grades, grade)] = 0
        for confused, probability in row.items():
            table[np.searchsorted(grades, grade), np.searchsorted(grades, confused)] = probability
    own = np.searchsorted(grades, pair.grade).clip(max=len(grades) - 1)
    nobody = np.zeros(own.shape, dtype=np.int64)
    outcomes = _drawn_outcomes(pair, table[None], grades, nobody, own, critical, number, seed)
    return OtherAssessors(*outcomes, sparse=0)


def _drawn_outcomes(
    pair: RegradedPair,
    weights: Floats,
    grades: Floats,
    stratum: Ints,
    own: Ints,
    critical: float,
    number: int,
    seed: int,
    other: Floats | None = None,
) -> tuple[float, float]:
    """The shares of drawn assessors that undo the significance, and that reverse the sign.

    `weights` [stratum, grade, other grade] are parameters of Dirichlet distributions if there are `other` grades
    [topic, document], NaN where a document was not judged again; or else probabilities.
    """
    rng = np.random.default_rng([seed, 27])
    topics, documents = own.shape
    undone = reversed_sign = 0
    for some in slices(number, CELLS // (own.size * len(grades))):
        size = some.stop - some.start
        drawn = (
            np.broadcast_to(weights, (size, *weights.shape))
            if other is None
            else rng.standard_gamma(np.broadcast_to(weights, (size, *weights.shape)))
        )
        total = drawn.sum(axis=3, keepdims=True)
        limit = np.cumsum(np.divide(drawn, total, where=total > 0, out=np.zeros(drawn.shape)), axis=3)
        chance = rng.random((size, topics, documents))
        place = (chance[..., None] >= limit[:, stratum, own][..., :-1]).sum(axis=3)
        grade = grades[place] if other is None else _with_own_grades(rng, grades[place], pair.grade, other)
        grade = np.where(pair.pool.listed, grade, 0.0)
        topic = np.tile(np.arange(topics), size)
        d = pair.rescored_differences(topic, grade.reshape(-1, documents)).reshape(size, topics)
        undone += int((paired_t(d) <= critical).sum())
        reversed_sign += int((d.mean(axis=1) < 0).sum())
    return undone / number, reversed_sign / number


def _with_own_grades(rng: np.random.Generator, drawn: Floats, grade: Floats, other: Floats) -> Floats:
    """[assessor, topic, document] the drawn grades; documents judged twice mostly get one of their two grades."""
    chance = rng.random(drawn.shape)
    first = OWN_GRADES * OWN_SHARE / (1 + OWN_SHARE)
    own = np.where(chance < first, grade, other)
    return np.where((chance < OWN_GRADES) & ~np.isnan(other), own, drawn)
