"""Wilcoxon's signed ranks."""

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.parallel import map_blocks
from irassay.stats.paired import Outcome, Sample
from irassay.stats.paired_test import PairedTest, paired_test

SMALL = 25  # up to this many topics the distribution of the signed ranks is counted out


@paired_test("wilcoxon", cite="wilcoxon1945")
def wilcoxon(sample: Sample, how: PairedTest) -> Outcome:
    """Do the larger differences lean to one side (Wilcoxon's signed ranks)?

    Ties are dropped, equal differences share their mean rank. Up to 25 topics the distribution given those
    ties is counted out; above, it is normal with the variance corrected for ties and no continuity
    correction. The null hypothesis is symmetry about 0, not a mean of 0: with skewed differences of mean 0 it
    gave 10 % false alarms instead of 5 %, and gives more with more topics. One pair at a time: correct for
    the number of pairs.
    """

    def block(chunk: tuple[int, slice]) -> tuple[Floats, Floats]:
        rank, positive = signed_ranks(sample.differences(*chunk))
        return _z(rank, positive), _exact(rank, positive) if sample.topics <= SMALL else np.empty(0)

    found = map_blocks(block, sample.chunks(), doing="testing")
    shape = sample.difference.shape
    z = np.concatenate([part for part, _ in found]).reshape(shape)
    if sample.topics <= SMALL:
        p = np.concatenate([part for _, part in found]).reshape(shape)
    else:
        from scipy.special import ndtr

        p = 2 * ndtr(-np.abs(z))
    return Outcome(z, p, sample.error, np.empty((sample.metrics, 0)), exact=sample.topics <= SMALL)


def signed_ranks(gap: Floats) -> tuple[Floats, Bools]:
    """[pair, topic] mean ranks of the absolute differences in ascending order, 0 for ties; and which are positive.

    >>> rank, positive = signed_ranks(np.array([[0.2, -0.1, 0.0, 0.2]]))
    >>> rank * np.where(positive, 1, -1)
    array([[-0. , -1. ,  2.5,  2.5]])
    """
    # The bits of floats that are not negative order as they do; the freed sign bit makes room for the sign below.
    key = np.abs(gap).view(np.uint64)
    key <<= np.uint64(1)
    key |= gap > 0
    key.sort(axis=1)
    positive = (key & np.uint64(1)).astype(np.bool_)
    key >>= np.uint64(1)
    topics = gap.shape[1]
    place = np.arange(topics, dtype=np.int32)
    fresh = np.ones(gap.shape, dtype=np.bool_)  # first of its run of equal differences
    np.not_equal(key[:, 1:], key[:, :-1], out=fresh[:, 1:])
    first = np.maximum.accumulate(np.where(fresh, place, np.int32(0)), axis=1)
    final = np.ones(gap.shape, dtype=np.bool_)
    final[:, :-1] = fresh[:, 1:]
    last = np.minimum.accumulate(np.where(final, place, np.int32(topics))[:, ::-1], axis=1)[:, ::-1]
    nothing = key == 0
    rank = (first + last) / 2 + (1 - np.count_nonzero(nothing, axis=1)[:, None])
    rank[nothing] = 0.0
    return rank, positive


def _z(rank: Floats, positive: Bools) -> Floats:
    """[pair] the sum of the positive ranks in standard deviations from its mean, both given the ties."""
    total = np.einsum("pt->p", rank)
    above = np.einsum("pt,pt->p", rank, positive)
    # Given the ranks, each is positive or not with equal chance: variance a quarter of their squares.
    spread = np.sqrt(np.einsum("pt,pt->p", rank, rank)) / 2
    with np.errstate(invalid="ignore"):
        return np.where(spread == 0, 0.0, (above - total / 2) / spread)


def _exact(rank: Floats, positive: Bools) -> Floats:
    """[pair] two-sided p by counting which of the 2^n choices of signs give each sum of positive ranks."""
    double = np.rint(2 * rank).astype(np.int64)  # mean ranks are whole or half
    pairs, topics = double.shape
    most = topics * (topics + 1)
    above = np.minimum((double * positive).sum(axis=1), (double * ~positive).sum(axis=1))
    p = np.empty(pairs)
    size = max(1, (1 << 20) // most)
    for start in range(0, pairs, size):
        rows = slice(start, start + size)
        chance = np.zeros((len(double[rows]), 2 * most + 1))  # [pair, sum of doubled positive ranks, shifted]
        chance[:, most] = 1.0
        for topic in range(topics):
            back = np.arange(most, 2 * most + 1) - double[rows, topic, None]
            chance[:, most:] = (chance[:, most:] + np.take_along_axis(chance, back, axis=1)) / 2
        below = chance[:, most:].cumsum(axis=1)
        p[rows] = np.take_along_axis(below, above[rows, None], axis=1)[:, 0]
    return np.minimum(1.0, 2 * p)
