"""The sign test, and the number of topics that each system wins."""

import math
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.parallel import map_blocks
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Outcome, Sample

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest


@paired_test("sign", "arbuthnot1710", "directed by_signs banded by_ranks", efficiency=2 / math.pi)
def sign(sample: Sample, test: "PairedTest") -> Outcome:
    """Does one system win more topics than a fair coin would give it (exact sign test)?

    Differences up to the dead band (0 by default; .01 is common in the field) are ties and dropped. The null hypothesis
    is a median difference of 0, not a mean of 0: skewed differences of mean 0 gave 15 % false alarms instead of 5 %.
    """
    from scipy.special import bdtr

    wins, losses = wins_and_losses(sample, test.band)
    against = {"two-sided": np.minimum(wins, losses), "greater": losses, "less": wins}[sample.alternative]
    p = np.minimum(1.0, sample.sides * bdtr(against.astype(np.float64), wins + losses, 0.5))
    return Outcome((wins - losses).astype(np.float64), p, sample.error, exact=True)


def wins_and_losses(sample: Sample, band: float = 0.0) -> tuple[Ints, Ints]:
    """[metric, pair] the topics on which system i is ahead by more than `band`, and those on which it is behind."""
    # Rounding moves a difference by less than twice the noise; one equal to the band stays inside it.
    edge = np.ldexp(band, -sample.exponent) + 2 * sample.noise * sample.span if band > 0 else np.zeros(sample.metrics)
    counts = map_blocks(_chunk_wins_and_losses, sample.chunks(), (sample, edge), doing="testing")
    wins, losses = np.concatenate(counts, axis=1).reshape(2, *sample.difference.shape)
    return wins, losses


def _chunk_wins_and_losses(chunk: tuple[int, slice], shared: tuple[Sample, Floats]) -> tuple[Ints, Ints]:
    """[pair] topics won and lost by more than the edge of the chunk's metric."""
    sample, edge = shared
    gap, reach = sample.differences(*chunk), edge[chunk[0]]
    return np.count_nonzero(gap > reach, axis=1), np.count_nonzero(gap < -reach, axis=1)
