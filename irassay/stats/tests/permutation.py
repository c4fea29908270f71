"""Fisher's randomisation test: the signs of the differences flipped at random."""

from typing import TYPE_CHECKING

from irassay.stats.draws import signs
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired import Outcome, Sample
from irassay.stats.resampling import mean_test

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest


@paired_test(
    "permutation",
    cite="fisher1935",
    label="paired permutation test",
    aliases="fisher randomization randomisation",
    resamples=True,
    directed=True,
    by_signs=True,
)
def permutation(sample: Sample, how: "PairedTest") -> Outcome:
    """How often do random signs give the differences as large a mean (Fisher's sign-flip test)?

    All signs are tried where there are few topics. Exact where differences are symmetric about 0; the most
    skewed ones gave 6 % false alarms instead of 5 % with 50 topics, 8 % with 20.
    """
    draws = signs(sample.topics, how.resamples, how.seed, whole=sample.sides == 1)
    return mean_test(sample, how, draws, sample.values)
