"""Levels of significance, which every method takes."""

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.robustness.method import under_others
from irassay.meta.similarity import similarity
from tests.support.examples import tiny


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 1.0, 5.0])
def test_a_level_of_significance_lies_between_0_and_1(alpha: float) -> None:
    scores = tiny(np.random.default_rng(0).random((4, 10, 2)), ("one", "other"))
    calls = [
        lambda: similarity(scores, alpha=alpha),
        lambda: consistency(scores, alpha=alpha),
        lambda: agreement(scores, alpha=alpha),
        lambda: under_others(scores, scores, alpha=alpha),
        lambda: alternatives(scores, reference="one", alpha=alpha),
        lambda: discrimination(scores, levels=(alpha,)),
    ]
    for call in calls:
        with pytest.raises(InputError, match="between 0 and 1"):
            call()
