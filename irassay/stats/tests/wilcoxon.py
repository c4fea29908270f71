"""Wilcoxon's signed ranks."""

import math
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.parallel import map_blocks
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Alternative, Outcome, Sample

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest

MAX_COUNTED_DIFFERENCES = 50  # other than 0, up to which all signs are counted, exactly in doubles


@paired_test(
    "wilcoxon",
    "wilcoxon1945",
    "directed by_signs by_ranks",
    label="Wilcoxon signed-rank test",
    short="Wilcoxon",
    aliases="signedrank",
    efficiency=3 / math.pi,
)
def wilcoxon(sample: Sample, test: "PairedTest") -> Outcome:
    """Do the larger differences lean to one side (Wilcoxon's signed ranks)?

    Ties are dropped, and equal differences share their mean rank. With up to 50 differences other than 0, the
    distribution given those ranks is enumerated; above, it is normal, with corrections for ties and continuity. The
    null hypothesis is symmetry about 0, not a mean of 0: skewed differences of mean 0 gave 10 % false alarms instead of
    5 %, and give more with more topics.
    """
    z, p, nonzero = zip(*map_blocks(_chunk_z_and_p, sample.chunks(), sample, doing="testing"), strict=True)
    statistic, p_values = (np.concatenate(parts).reshape(sample.difference.shape) for parts in (z, p))
    return Outcome(statistic, p_values, sample.error, exact=max(nonzero) <= MAX_COUNTED_DIFFERENCES)


def _chunk_z_and_p(chunk: tuple[int, slice], sample: Sample) -> tuple[Floats, Floats, int]:
    """[pair] z, [pair] p, and the largest number of differences other than 0 in a pair of the chunk."""
    from scipy.special import ndtr

    rank, positive = signed_ranks(sample.differences(*chunk))
    z, nonzero = _z(rank, positive, sample.alternative), np.count_nonzero(rank, axis=1)
    p, few = sample.sides * ndtr(-sample.extent(z)), nonzero <= MAX_COUNTED_DIFFERENCES
    p[few] = _exact(rank[few], positive[few], sample.alternative)
    return z, p, int(nonzero.max(initial=0))


def signed_ranks(gap: Floats) -> tuple[Floats, Bools]:
    """[pair, topic] mean ranks of the absolute differences in ascending order, 0 for ties, and which are positive.

    >>> rank, positive = signed_ranks(np.array([[0.2, -0.1, 0.0, 0.2]]))
    >>> rank * np.where(positive, 1, -1)
    array([[-0. , -1. ,  2.5,  2.5]])
    """
    # The bits of non-negative floats have the same order; the free sign bit makes room for the sign as lowest bit.
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


def _z(rank: Floats, positive: Bools, alternative: Alternative) -> Floats:
    """[pair] the sum of the positive ranks in standard deviations from its mean, corrected for ties and continuity."""
    total = np.einsum("pt->p", rank)
    above = np.einsum("pt,pt->p", rank, positive) - total / 2
    # Given the ranks, each is positive with probability 1/2, so the variance is a quarter of the sum of their squares.
    spread = np.sqrt(np.einsum("pt,pt->p", rank, rank)) / 2
    towards = {"two-sided": np.sign(above), "greater": 1.0, "less": -1.0}[alternative]  # of the continuity correction
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread == 0, 0.0, (above - towards / 2) / spread)


def _exact(rank: Floats, positive: Bools, alternative: Alternative) -> Floats:
    """[pair] p by counting how many of the 2^m choices of signs give each sum of positive ranks."""
    double = np.rint(2 * rank).astype(np.int64)  # mean ranks are whole or half
    above, below = (double * positive).sum(axis=1), (double * ~positive).sum(axis=1)
    bound = {"two-sided": np.minimum(above, below), "greater": below, "less": above}[alternative]
    pattern, which = np.unique(double, axis=0, return_inverse=True)  # pairs without equal differences share few
    order = np.argsort(which.reshape(-1), kind="stable")
    p = np.empty(len(double))
    for ranks, here in zip(pattern, np.split(order, np.cumsum(np.bincount(which.reshape(-1)))[:-1]), strict=False):
        counts = np.zeros(bound[here].max() + 1)  # [doubled sum] choices of signs
        counts[0] = 1.0
        for step in ranks[ranks > 0]:
            counts[step:] += counts[: max(0, len(counts) - step)].copy()
        p[here] = counts.cumsum()[bound[here]] / 2.0 ** np.count_nonzero(ranks)
    return np.minimum(1.0, 2 * p) if alternative == "two-sided" else p
