"""Wilcoxon's signed ranks."""

import math
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.parallel import map_blocks
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired import Alternative, Outcome, Sample

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest

MAX_COUNTED = 50  # up to so many differences other than 0 all signs are counted; sums of counts are exact in doubles


@paired_test(
    "wilcoxon",
    cite="wilcoxon1945",
    label="Wilcoxon signed-rank test",
    short="Wilcoxon",
    aliases="signedrank",
    directed=True,
    by_signs=True,
    efficiency=3 / math.pi,
)
def wilcoxon(sample: Sample, how: "PairedTest") -> Outcome:
    """Do the larger differences lean to one side (Wilcoxon's signed ranks)?

    Ties are dropped, equal differences share their mean rank. Up to 50 differences other than 0, the distribution
    given those ranks is counted out, ties and all; above, it is normal with the corrections for ties and for
    continuity. The null hypothesis is symmetry about 0, not a mean of 0: with skewed differences of mean 0 it
    gave 10 % false alarms instead of 5 %, and gives more with more topics.
    """
    z, p, nonzero = zip(*map_blocks(_chunk_z_and_p, sample.chunks(), sample, doing="testing"), strict=True)
    shape = sample.difference.shape
    counted = max(nonzero) <= MAX_COUNTED
    nothing = np.empty((sample.metrics, 0))
    return Outcome(
        np.concatenate(z).reshape(shape), np.concatenate(p).reshape(shape), sample.error, nothing, 0, counted
    )


def _chunk_z_and_p(chunk: tuple[int, slice], sample: Sample) -> tuple[Floats, Floats, int]:
    """[pair] z, [pair] p, and the most differences other than 0 of a pair of the chunk."""
    from scipy.special import ndtr

    rank, positive = signed_ranks(sample.differences(*chunk))
    z, nonzero = _z(rank, positive, sample.alternative), np.count_nonzero(rank, axis=1)
    p, few = sample.sides * ndtr(-sample.extent(z)), nonzero <= MAX_COUNTED
    p[few] = _exact(rank[few], positive[few], sample.alternative)
    return z, p, int(nonzero.max(initial=0))


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


def _z(rank: Floats, positive: Bools, alternative: Alternative) -> Floats:
    """[pair] the sum of the positive ranks in standard deviations from its mean, corrected for ties and continuity."""
    total = np.einsum("pt->p", rank)
    above = np.einsum("pt,pt->p", rank, positive) - total / 2
    # Given the ranks, each is positive or not with equal chance: variance a quarter of their squares.
    spread = np.sqrt(np.einsum("pt,pt->p", rank, rank)) / 2
    towards = {"two-sided": np.sign(above), "greater": 1.0, "less": -1.0}[alternative]  # continuity makes it less
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread == 0, 0.0, (above - towards / 2) / spread)


def _exact(rank: Floats, positive: Bools, alternative: Alternative) -> Floats:
    """[pair] p by counting which of the 2^m choices of signs give each sum of positive ranks."""
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
