"""Other assessors: what becomes of a difference by judgements as another assessor might give them.

The difference of a pair on a topic is that of the topic plus a deviation of the assessor. With two assessors who are
alike, the variances of both are known, and so is the distribution of the differences that a third one finds.

Where the second assessor judged only some of the documents, grades of the others are drawn. The grade that another
assessor gives depends on who returned the document: one that both systems return and that was judged not relevant is
more often relevant to others than one that neither returns. So grades are drawn within strata: returned by the first
system only, by the second only, by both, by neither. Draws over all documents alike would shrink the difference.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints, share
from irassay.errors import InputError
from irassay.meta.fragility.regraded import RegradedPair
from irassay.stats.draws import slices
from irassay.stats.influence import paired_t

CELLS = 1 << 20  # of an array [assessor, topic, document, grade] at a time
FEW_DOUBLY_JUDGED = 5  # documents of a stratum and grade, below which its row is mostly the prior
RANGE_Z = 1.645  # normal deviate of a range with 90 %


@dataclass(frozen=True)
class OtherAssessors:
    """How often simulated assessors undo a difference."""

    undone: float  # share after whose judgements t does not exceed the critical value
    reversed: float  # share after whose judgements the mean difference is below 0
    undone_range: tuple[float, float] = (np.nan, np.nan)  # where the share of all further assessors is, with 90 %
    sparse: int = 0  # judged documents whose grades are drawn from a row with few documents judged twice


def strata(pair: RegradedPair) -> Ints:
    """[topic, document] 0: neither system returns it, 1: only the first, 2: only the second, 3: both."""
    first, second = pair.returned_documents
    return first + 2 * second


def compared_assessors(pair: RegradedPair, other: Floats, critical: float, number: int, seed: int) -> OtherAssessors:
    """What assessors do who differ from the judgements as `other` [topic, document] does, NaN where it is silent."""
    rng = np.random.default_rng([seed, 27])
    first = pair.rescored_differences(np.arange(len(other)), pair.grade)
    second, sparse = _other_differences(rng, pair, other, number)
    d = third_differences(rng, first, np.broadcast_to(second, (number, len(first))))
    undone = float((paired_t(d) <= critical).mean())
    reversed_sign = float((d.mean(axis=1) < 0).mean())
    return OtherAssessors(undone, reversed_sign, share_range(undone, number, first, second), sparse)


def third_differences(rng: np.random.Generator, first: Floats, second: Floats) -> Floats:
    """[assessor, topic] differences by a third assessor, given those by a first [topic] and second [assessor, topic].

    With u the variance of topics and e that of an assessor's deviation on a topic, the mean of two assessors has the
    variance u + e/2 over topics. It says about a topic u / (u + e/2) of what the third assessor's expectation is there;
    the rest is the mean of all topics. That mean has the error e/2 per topic, and the third assessor deviates by e.
    """
    topics, mean = len(first), (first + second) / 2
    e = ((first - second) ** 2).mean(axis=1, keepdims=True) / 2
    u = np.maximum((first.var(ddof=1) + second.var(axis=1, ddof=1, keepdims=True)) / 2 - e, 0.0)
    kept = np.where(u > 0, share(u, u + e / 2), e == 0)
    centre = mean.mean(axis=1, keepdims=True)
    moved = np.sqrt((1 - kept) * e / 2 / topics) * rng.standard_normal((len(mean), 1))
    deviation = np.sqrt(e * (1 + kept / 2)) * rng.standard_normal(mean.shape)
    return centre + kept * (mean - centre) + moved + deviation


def share_range(undone: float, number: int, first: Floats, second: Floats) -> tuple[float, float]:
    """The ends of a range that has the share of all further assessors who undo a claim in 90 % of claims.

    The mean difference that they would agree on is known up to an error. With r the part of that error in the variance
    of the mean difference of one further assessor, and z the normal deviate of the share, the share of those who undo
    it is that of (z ± 1.645 sqrt(r)) / sqrt(1 - r). With one other assessor who judged everything, r is 1/3.
    """
    from scipy.special import ndtr, ndtri

    deviation = ((first - second) ** 2).mean() / 2 / len(first)
    error = deviation / 2 + ((first + second) / 2).mean(axis=1).var()
    if not error:
        return undone, undone
    r = error / (error + deviation)
    z = ndtri(np.clip(undone, 0.5 / number, 1 - 0.5 / number))
    low, high = ndtr((z + RANGE_Z * np.sqrt(r) * np.array([-1, 1])) / np.sqrt(1 - r))
    return float(low), float(high)


def _other_differences(rng: np.random.Generator, pair: RegradedPair, other: Floats, number: int) -> tuple[Floats, int]:
    """[assessor, topic] differences by the other judgements, and the number of grades drawn from few documents.

    There is one assessor if these judgements have all the documents that matter. For others, grades are drawn from the
    row of their grade in the confusion table of their stratum. A row has a Dirichlet distribution: the counts of both
    assessors there, who are alike, and one more count spread as in all strata together.
    """
    listed, stratum = pair.pool.listed, strata(pair)
    both = listed & ~np.isnan(other)
    drawn = listed & np.isnan(other) & (pair.uses_pool | (stratum > 0))
    topics = np.arange(len(other))
    if not drawn.any():
        return pair.rescored_differences(topics, np.where(both, other, 0.0))[None], 0
    grades = np.unique(np.concatenate([pair.grade[listed], other[both]]))
    own = np.searchsorted(grades, pair.grade).clip(max=len(grades) - 1)
    counts = np.zeros((4, len(grades), len(grades)))
    np.add.at(counts, (stratum[both], own[both], np.searchsorted(grades, other[both])), 1)
    counts = (counts + counts.swapaxes(1, 2)) / 2
    sparse = int((counts.sum(axis=2)[stratum, own][drawn] < FEW_DOUBLY_JUDGED).sum())
    pooled = counts.sum(axis=0) + 1 / len(grades)
    weights = counts + pooled / pooled.sum(axis=1, keepdims=True)
    parts = []
    for size in _block_sizes(number, own.size * len(grades)):
        rows = rng.standard_gamma(np.broadcast_to(weights, (size, *weights.shape)))
        grade = grades[_drawn_places(rng, rows, stratum, own)]
        parts.append(_differences(pair, np.where(drawn, grade, np.where(both, other, 0.0))))
    return np.concatenate(parts), sparse


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
    rng = np.random.default_rng([seed, 27])
    nobody = np.zeros(own.shape, dtype=np.int64)
    undone = reversed_sign = 0
    for size in _block_sizes(number, own.size * len(grades)):
        place = _drawn_places(rng, np.broadcast_to(table, (size, 1, *table.shape)), nobody, own)
        d = _differences(pair, np.where(listed, grades[place], 0.0))
        undone += int((paired_t(d) <= critical).sum())
        reversed_sign += int((d.mean(axis=1) < 0).sum())
    return OtherAssessors(undone / number, reversed_sign / number)


def _block_sizes(number: int, cells: int) -> list[int]:
    """How many assessors, of so many cells each, are drawn at a time."""
    return [some.stop - some.start for some in slices(number, CELLS // cells)]


def _drawn_places(rng: np.random.Generator, rows: Floats, stratum: Ints, own: Ints) -> Ints:
    """[assessor, topic, document] which grade is drawn, in proportion to rows [assessor, stratum, grade, new grade]."""
    limit = np.cumsum(share(rows, rows.sum(axis=3, keepdims=True)), axis=3)
    chance = rng.random((len(rows), *own.shape))
    return np.asarray((chance[..., None] >= limit[:, stratum, own][..., :-1]).sum(axis=3))


def _differences(pair: RegradedPair, grade: Floats) -> Floats:
    """[assessor, topic] the differences under grades [assessor, topic, document]."""
    size, topics, documents = grade.shape
    topic = np.tile(np.arange(topics), size)
    return pair.rescored_differences(topic, grade.reshape(-1, documents)).reshape(size, topics)
