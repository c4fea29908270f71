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
from irassay.meta.fragility.regraded_lists import RegradedPair
from irassay.meta.robustness.altered_judgements import check_probabilities
from irassay.stats.draws import slices
from irassay.stats.influence import paired_t

CELLS_AT_ONCE = 1 << 20  # of an array [assessor, topic, document, grade]
FEW_DOUBLY_JUDGED = 5  # documents of a stratum and grade, below which its row is mostly the prior
RANGE_ENDS = (0.05, 0.95)  # quantiles of a range with 90 %
DEVIATE_VALUES = 200  # on a grid, of which one is drawn


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
    d, undoing = third_differences(rng, first, np.broadcast_to(second, (number, len(first))), critical)
    low, high = np.quantile(undoing, RANGE_ENDS)
    reversed_sign = float((d.mean(axis=1) < 0).mean())
    return OtherAssessors(float((paired_t(d) <= critical).mean()), reversed_sign, (float(low), float(high)), sparse)


def third_differences(
    rng: np.random.Generator, first: Floats, second: Floats, critical: float
) -> tuple[Floats, Floats]:
    """Differences by third assessors [assessor, topic], given those by a first [topic] and second [assessor, topic].

    And [assessor] the share of all assessors who undo the significance, if that one's expectations of topics are true.

    With u the variance of topics and e that of an assessor's deviation on a topic, the mean of two assessors has the
    variance u + e/2 over topics. It says about a topic u / (u + e/2) of what the third assessor's expectation is there;
    the rest is the mean of all topics. The third assessor deviates from that expectation by e.
    """
    from scipy.special import ndtr

    topics, mean = len(first), (first + second) / 2
    e = ((first - second) ** 2).mean(axis=1, keepdims=True) / 2
    u = np.maximum((first.var(ddof=1) + second.var(axis=1, ddof=1, keepdims=True)) / 2 - e, 0.0)
    kept = np.where(u > 0, share(u, u + e / 2), e == 0)
    centre = mean.mean(axis=1, keepdims=True)
    noise = rng.standard_normal(mean.shape)
    by_topic = kept * (mean - centre) + np.sqrt(kept * e / 2) * (noise - noise.mean(axis=1, keepdims=True))
    error, limit = np.sqrt(e / topics), critical * np.sqrt((u + e) / topics)
    lead = share(centre - limit, error)  # of the mean difference over the critical one, in errors of one assessor
    moved = lead + true_deviates(rng, lead[:, 0])[:, None] / np.sqrt(2)
    undoing = np.where(error > 0, ndtr(-moved), centre <= limit)
    expected = by_topic + centre + (moved - lead) * error
    return expected + np.sqrt(e) * rng.standard_normal(mean.shape), undoing[:, 0]


def true_deviates(rng: np.random.Generator, lead: Floats) -> Floats:
    """[row] draws of how far the true mean difference is from that of two assessors, in errors of the latter.

    If claims of all sizes were tested, it is normal. But if only this one was, it is known because the first assessor
    found it significant, which had the probability Phi(lead + x / sqrt(2)); the density of a deviate x is then divided
    by that. Nobody knows which is the case, so every second row is drawn in the second way. `lead` [row] is that of the
    mean of two assessors over the critical value, in errors of one.

    >>> true_deviates(np.random.default_rng(0), np.zeros(10_000)).reshape(-1, 2).mean(axis=0).round(1)
    array([ 0. , -0.9])
    """
    from scipy.special import log_ndtr

    deviate = rng.standard_normal(len(lead))
    lucky = lead[1::2, None]
    x = np.linspace(np.minimum(0.0, np.sqrt(2) * lucky[:, 0]) - 7, 6, DEVIATE_VALUES, axis=1)
    log_density = -(x**2) / 2 - log_ndtr(lucky + x / np.sqrt(2))
    reached = np.exp(log_density - log_density.max(axis=1, keepdims=True, initial=-np.inf)).cumsum(axis=1)
    place = (reached < rng.random(lucky.shape) * reached[:, -1:]).sum(axis=1)
    deviate[1::2] = np.take_along_axis(x, place[:, None], axis=1)[:, 0]
    return deviate


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
        check_probabilities(grade, row)
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
    """How many assessors, of this many cells each, are drawn at a time."""
    return [some.stop - some.start for some in slices(number, CELLS_AT_ONCE // cells)]


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
