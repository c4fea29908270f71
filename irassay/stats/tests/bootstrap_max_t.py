"""The bootstrap max-T test: topics resampled from centred differences, all pairs at once."""

from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import TIE, Bools, Floats
from irassay.parallel import map_blocks
from irassay.stats.draws import Block, Draws, repeats
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Outcome, Sample
from irassay.stats.resampling import counts_at_least, family_null, resampled_sums
from irassay.stats.tests.sign import wins_and_losses
from irassay.stats.tests.wilcoxon import wilcoxon

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest

MIN_NONZERO_DIFFERENCES = 15  # a pair with fewer differences other than 0 (or than half the topics) is a near-duplicate


@paired_test(
    "bootstrap-max-t",
    "westfall1993",
    "family resamples studentized directed unites skew_safe",
    label="bootstrap max-T test",
    short="bootstrap max-T",
)
def bootstrap_max_t(sample: Sample, test: "PairedTest") -> Outcome:
    """Is t larger than the largest t of all pairs when topics are resampled from centred differences (bootstrap max-T)?

    For skewed differences and at least 25 topics: with 15 equal systems, 3 to 5 % of families had a false difference at
    5 %, where sign flips gave 6 to 14 % with 25 topics. Near-duplicate runs would inflate its critical value, so pairs
    with fewer than 15 differences other than 0 (or than half the topics, if that is less) are left out of the maximum
    and tested by Wilcoxon's exact test, with Bonferroni's correction for all pairs. Their intervals use the critical
    value of the others, and are not simultaneous with them. With 10 topics it finds almost nothing.
    """
    draws = repeats(sample.topics, test.resamples, test.seed)
    centred = sample.values - sample.mean[:, None, :]  # [metric, topic, system]
    wins, losses = wins_and_losses(sample)
    few = (wins + losses < min(MIN_NONZERO_DIFFERENCES, sample.topics // 2)) | (sample.squares == 0)  # [metric, pair]
    null = family_null(sample, map_blocks(_largest_ts, draws.blocks, (sample, draws, centred, few), doing="testing"))
    extent = sample.extent(sample.t)
    p = test.p_value(counts_at_least(null, extent * (1 - TIE * np.sign(extent))), draws)
    tests = len(sample.i) * (sample.metrics if sample.united else 1)
    bonferroni_p = np.minimum(1.0, tests * sample.with_sign_flip_p(wilcoxon(sample, test).p))
    return Outcome(sample.t, np.where(few, bonferroni_p, p), sample.error, null, draws.trials)


def _largest_ts(block: Block, shared: tuple[Sample, Draws[Floats], Floats, Bools]) -> Floats:
    """[metric, trial] the largest t over all pairs except near-duplicates, in each resample of a block."""
    sample, draws, centred, few = shared
    topics = sample.topics
    largest = np.full((sample.metrics, block.size), 0.0 if sample.sides == 2 else -np.inf)
    largest[few.all() if sample.united else few.all(axis=1)] = np.inf
    for metric, _, sums, squares in resampled_sums(sample, centred, draws, block, ~few):
        gap = sample.extent(sums)
        first = gap**2
        second = topics * squares
        second -= first  # T² times the variance of the differences
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(second > TIE * first, (topics - 1) * first / second, np.where(first > 0, np.inf, 0))
            t = t if sample.sides == 2 else np.copysign(t, gap)
        np.maximum(largest[metric], t.max(axis=0), out=largest[metric])
    return np.copysign(np.sqrt(np.abs(largest)), largest)
