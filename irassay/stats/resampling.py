"""Statistics that resampling tests share, of all pairs of systems and all metrics at once.

A sum over resampled topics is linear in the scores, so one matrix product gives it for every system, and a
pair's is the difference of two rows. Differences are squared once; flipping signs leaves the squares alone.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.parallel import sum_blocks
from irassay.stats.draws import Block, Draws, resampled_topic_sums, slices
from irassay.stats.paired_sample import Outcome, Sample

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest

PAIRS_PER_PRODUCT = 1024  # handing smaller matrix products to threads costs more than computing them


def mean_test(sample: Sample, test: "PairedTest", draws: Draws[Floats], values: Floats) -> Outcome:
    """The test of how often the resampled mean difference of `values` is at least as extreme as the observed one."""
    rows = system_rows(values)
    bar = sample.topics * (sample.extent(sample.difference) - sample.noise * sample.span[:, None])  # [metric, pair]
    count = sum_blocks(_extreme_means, draws.blocks, (sample, draws, rows, bar), doing="testing")
    statistic, p = sample.in_units(sample.difference), test.p_value(count, draws)
    return Outcome(statistic, p, sample.error, trials=draws.trials, exact=draws.exact)


def _extreme_means(block: Block, shared: tuple[Sample, Draws[Floats], Floats, Floats]) -> Ints:
    """[metric, pair] how many of a block's resampled sums of differences reach the bar."""
    sample, draws, rows, bar = shared
    count = np.empty(bar.shape, dtype=np.int64)
    for metric, where, gap in sample.extents(resampled_topic_sums(rows, draws, block)):
        count[metric, where] = true_counts(gap >= bar[metric, where, None])
    return count


def resampled_sums(
    sample: Sample, centred: Floats, draws: Draws[Floats], block: Block, is_tested: Bools
) -> Iterator[tuple[int, Ints, Floats, Floats]]:
    """Each metric, some of its pairs, and [pair, trial] the sums of their differences and of the squares of those.

    Topics are resampled from scores [metric, topic, system] by the draws of a block; `is_tested` is [metric, pair].
    """
    if draws.parts is None:
        weight = draws.draw(block)  # once for all products
        draws = replace(draws, draw=lambda _: weight)
    sums = resampled_topic_sums(system_rows(centred), draws, block).reshape(sample.metrics, sample.systems, -1)
    for metric in range(sample.metrics):
        columns = np.ascontiguousarray(centred[metric].T)  # [system, topic]
        pairs = np.flatnonzero(is_tested[metric])
        for part in slices(len(pairs), PAIRS_PER_PRODUCT):
            i, j = sample.i[pairs[part]], sample.j[pairs[part]]
            squares = resampled_topic_sums((columns[i] - columns[j]) ** 2, draws, block)
            yield metric, pairs[part], sums[metric, i] - sums[metric, j], squares


def true_counts(true: Bools) -> Ints:
    """[pair] the number of true values of [pair, trial].

    >>> true_counts(np.array([[True, False, True], [False, False, False]]))
    array([2, 0])
    """
    return np.bitwise_count(np.packbits(true, axis=1)).sum(axis=1, dtype=np.int64)


def system_rows(values: Floats) -> Floats:
    """[metric and system, topic] from [metric, topic, system]."""
    return np.ascontiguousarray(values.swapaxes(1, 2)).reshape(-1, values.shape[1])


def family_null(sample: Sample, blocks: list[Floats]) -> Floats:
    """[metric, trial] the largest statistics, ascending, from blocks [metric, trial]; over all metrics if united."""
    largest = np.concatenate(blocks, axis=1)
    if sample.united:
        largest = np.broadcast_to(largest.max(axis=0), largest.shape)
    return np.sort(largest, axis=1)


def counts_at_least(null: Floats, bar: Floats) -> Ints:
    """[metric, pair] how many values of the ascending null [metric, trial] are at least the bar [metric, pair]."""
    return np.stack([len(row) - np.searchsorted(row, at) for row, at in zip(null, bar, strict=True)])
