"""Skewed scores of unequal scale, which mislead most tests: the difference of two such scores is skewed itself.

The rule from 25 topics on: differences lean towards the system of the larger scale by more than those of normal scores
do by chance, and by more, on scales or skewness that differ more, than if each topic's scores are dealt to the systems
at random.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.stats.draws import ELEMENTS, slices
from irassay.stats.paired_sample import Sample, rounded_to_grid

MIN_TOPICS = 25  # with fewer topics the scales cannot be compared, and skewness alone counts
SKEWED = 0.4  # median |skewness| of the pairs from which fewer than MIN_TOPICS topics are suspicious
MIN_LEAN, MIN_LEAN_BY_RANKS = 0.08, 0.04  # a smaller one does little harm, however certain; exponential scores have .33
CRITICAL, CRITICAL_IF_UNUSUAL = 1.45, 2.2  # errors of the lean; normal scores pass them in 7.4 and 1.4 % of tables
LEVEL, LEVEL_IF_MEANS_DIFFER = 0.08, 0.03  # share of tables of equal scales that the rule takes for unequal
SOME_INEQUALITY, MUCH_INEQUALITY = 2.0, 3.0  # of means, from which they are subtracted, and the level is lower
STRICTER_BY_SKEW = 2  # unequal skewness must be rarer than unequal scales, which are the usual harm
DEALS = 99  # of each topic's scores to the systems
MAX_SYSTEMS = 10  # more are represented by some of them, evenly spaced by scale


def skew_misleads(sample: Sample, metric: int, by_ranks: bool = False) -> bool:
    """Whether the scores are skewed and of unequal scale, so that most tests err too often.

    Skewness alone does no harm: the difference of two skewed scores of equal scale is symmetric. Tests `by_ranks` or
    signs err from a smaller lean on. If all systems have the same distribution, dealing a topic's scores to them at
    random changes nothing, so that at most LEVEL of such tables are warned of, whatever the distribution. If means
    differ they are subtracted first. Dealing is not exact then, so the level is lower if they differ much. Unequal
    scales and unequal skewness are tried, and the rarer one among dealt tables counts: scores that pile up at 0 differ
    more in skewness. From MIN_TOPICS topics on all pairs are looked at, even if the comparison is with a baseline: if
    its scale is a middle one, its own pairs lean both ways and show less.
    """
    if sample.topics < MIN_TOPICS:
        skewness = float(np.median(np.abs(sample.skewness[metric])))
        return skewness >= SKEWED - 0.5 / sample.systems  # few systems may hide it, and a warning costs little
    table = sample.values[metric]
    min_lean, direction = MIN_LEAN_BY_RANKS if by_ranks else MIN_LEAN, lean_direction(table)
    grid = sample.grid(metric)
    lean = lean_of_tables(table.T[None], grid)
    if not lean.misleads(min_lean, direction)[0]:
        return False
    leans = [lean, *(lean_of_tables(tables, grid) for tables in _dealt_tables(table))]
    mislead = np.concatenate([each.misleads(min_lean, direction) for each in leans])
    measures = np.hstack([(np.abs(each.z), each.scale_inequality, each.skew_inequality) for each in leans])
    spread = measures[:, 1:].std(axis=1, keepdims=True)  # of dealt tables; the first is the observed one
    measures = measures / np.where(spread > 0, spread, 1)
    extent = measures[0] + measures[1:]  # [measure, table]
    by_scale, by_skew = ((extent[:, None] >= extent[:, :, None]) & mislead).sum(axis=2)  # [table] 1: the most extreme
    place = np.minimum(by_scale, STRICTER_BY_SKEW * by_skew)
    level = LEVEL_IF_MEANS_DIFFER if inequality_of_means(table) > MUCH_INEQUALITY else LEVEL
    return int(np.count_nonzero(mislead & (place <= place[0]))) <= level * (DEALS + 1)


@dataclass(frozen=True, eq=False)
class Lean:
    """How far differences lean towards the system of the larger scale, by table."""

    mean: Floats  # [table] the mean L-skewness of the pairs, weighted by how much their scales differ
    z: Floats  # [table] the mean over its standard error on normal scores
    scale_inequality: Floats  # [table] the coefficient of variation of the systems' scales
    skew_inequality: Floats  # [table] the standard deviation of the systems' third L-moments over their mean scale

    def misleads(self, min_lean: float, direction: int) -> Bools:
        """[table] whether it is skewed beyond chance and enough to do harm."""
        z = direction * self.z
        return (np.abs(self.mean) >= min_lean) & ((z > CRITICAL) | (z < -CRITICAL_IF_UNUSUAL))


def lean_of_tables(tables: Floats, grid: float = 0.0) -> Lean:
    """The lean of scores [table, system, topic] over all pairs, rounded to a grid.

    Each pair is the system of larger scale minus the other, weighted by how much the scales differ. Skewed scores on
    unequal scales skew all these pairs in one direction, while noise has none. On normal scores the L-skewness of one
    pair has a known error [hosking1990], and two pairs are correlated by the third power of their correlation.
    """
    topics = tables.shape[2]
    scale = scales(tables)
    i, j = _pairs(scale)
    first, second = (np.take_along_axis(scale, at, axis=1) for at in (i, j))
    weight = _ratio(first - second, first + second)
    first, second = (np.take_along_axis(tables, at[:, :, None], axis=1) for at in (i, j))
    gap = rounded_to_grid(first - second, grid)  # [table, pair, topic]
    total = (weight * l_skewness(gap)).sum(axis=1)
    gap -= gap.mean(axis=2, keepdims=True)
    gap = _ratio(gap, np.sqrt(np.einsum("bpt,bpt->bp", gap, gap))[:, :, None])
    r = gap @ gap.swapaxes(1, 2)
    of_one = 0.1866 / topics + 0.8 / topics**2  # the variance of the L-skewness of normal values [hosking1990]
    variance = of_one * np.einsum("bp,bpq,bq->b", weight, r * r * r, weight)
    mean = _ratio(total, np.abs(weight).sum(axis=1))
    inequalities = (_ratio(each.std(axis=1), scale.mean(axis=1)) for each in (scale, third_moments(tables)))
    return Lean(mean, _ratio(total, np.sqrt(np.maximum(variance, 0))), *inequalities)


def scales(tables: Floats) -> Floats:
    """[table, system] the mean distance of scores [table, system, topic] from the system's median."""
    topics = tables.shape[2]
    sign = np.sign(2 * np.arange(topics) - (topics - 1)) / topics
    return _with_and_without_topics(lambda scores: np.sort(scores, axis=2) @ sign, tables)


def third_moments(tables: Floats) -> Floats:
    """[table, system] the third L-moment of scores [table, system, topic]."""
    return _with_and_without_topics(lambda scores: l_moments(scores)[1], tables)


def _with_and_without_topics(statistic: Callable[[Floats], Floats], tables: Floats) -> Floats:
    """[table, system] a statistic of scores [table, system, topic].

    From three systems on, that after subtracting the topics' means is added: scores alone show little if topics differ
    more than systems, and the other shows little if there are few systems.
    """
    own = statistic(tables)
    return own if tables.shape[1] == 2 else own + statistic(tables - tables.mean(axis=1, keepdims=True))


def l_skewness(x: Floats) -> Floats:
    """[...] of values [..., topic]: the third L-moment over the second [hosking1990], within -1 to 1.

    It is 0 if symmetric and 1/3 if exponential. One outlier changes it less than it changes the sample skewness.

    >>> l_skewness(np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]]))
    array([0., 1.])
    """
    second, third = l_moments(x)
    return _ratio(third, second)


def l_moments(x: Floats) -> tuple[Floats, Floats]:
    """[...] the second and the third L-moment of values [..., topic] [hosking1990].

    >>> l_moments(np.array([0.0, 0.0, 0.0, 1.0]))
    (np.float64(0.25), np.float64(0.25))
    """
    topics = x.shape[-1]
    place = np.arange(topics)
    second, third = place / (topics - 1), place * (place - 1) / ((topics - 1) * (topics - 2))
    ordered = np.sort(x, axis=-1)
    return ordered @ (2 * second - 1) / topics, ordered @ (6 * third - 6 * second + 1) / topics


def lean_direction(table: Floats) -> int:
    """The direction in which scores may be expected to lean: -1, down, if they are near an upper bound, otherwise 1."""
    near_one = table.min() >= 0 and table.max() <= 1 and table.mean() > 0.5
    return -1 if near_one or table.max() <= 0 else 1


def without_mean_differences(table: Floats) -> Floats:
    """Scores [topic, system], less the differences of the systems' medians if chance does not explain those of means.

    Means that chance explains are left alone: subtracting them would take away a part of the scores' own spread.
    """
    if inequality_of_means(table) <= SOME_INEQUALITY:
        return table
    median = np.median(table - table.mean(axis=1, keepdims=True), axis=0)
    return table - (median - median.mean())


def inequality_of_means(table: Floats) -> float:
    """How far the means of scores [topic, system] differ beyond chance: (F - 1) √(systems - 1), about 0 if equal."""
    gap = table - table.mean(axis=1, keepdims=True)
    mean = gap.mean(axis=0)
    within, between = ((gap - mean) ** 2).sum() / (len(table) - 1), len(table) * (mean**2).sum()
    return float(between / within - 1) * math.sqrt(table.shape[1] - 1) if within > 0 else math.inf


def _dealt_tables(table: Floats) -> Iterator[Floats]:
    """[deal, system, topic] some tables at a time: each topic's scores dealt to the systems at random."""
    rng, centred = np.random.default_rng(0), without_mean_differences(table)
    for part in slices(DEALS, ELEMENTS // table.size):
        dealt = rng.permuted(np.broadcast_to(centred, (part.stop - part.start, *table.shape)), axis=2)
        yield np.ascontiguousarray(dealt.swapaxes(1, 2))


def _pairs(scale: Floats) -> tuple[Ints, Ints]:
    """[table, pair] the systems of each pair of at most MAX_SYSTEMS."""
    order = _evenly_spaced(np.argsort(scale, axis=1, kind="stable"))
    first, second = np.triu_indices(order.shape[1], k=1)
    return order[:, first], order[:, second]


def _evenly_spaced(systems: Ints) -> Ints:
    """At most MAX_SYSTEMS of the columns, the first and the last among them."""
    number = systems.shape[1]
    return systems[:, np.linspace(0, number - 1, min(number, MAX_SYSTEMS)).round().astype(np.int64)]


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient; 0 where the denominator is not positive."""
    return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
