"""Fisher's randomisation test: the signs of the differences flipped at random."""

from typing import TYPE_CHECKING

from irassay.stats.draws import signs
from irassay.stats.pair_tests import paired_test
from irassay.stats.paired_sample import Outcome, Sample
from irassay.stats.resampling import mean_test

if TYPE_CHECKING:
    from irassay.stats.paired_test import PairedTest


@paired_test(
    "permutation",
    "fisher1935",
    "resamples directed by_signs",
    label="paired permutation test",
    aliases="fisher randomization randomisation",
)
def permutation(sample: Sample, test: "PairedTest") -> Outcome:
    """How often do random signs give the differences as large a mean (Fisher's sign-flip test)?

    With few topics all signs are tried. It is exact if differences are symmetric about 0; the most skewed ones gave 6 %
    false alarms instead of 5 % with 50 topics, and 8 % with 20.
    """
    draws = signs(sample.topics, test.resamples, test.seed, one_sided=sample.sides == 1)
    return mean_test(sample, test, draws, sample.values)
