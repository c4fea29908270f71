"""Which of several candidates may be the best."""

import numpy as np

from irassay.stats.selection import selection


def test_a_difference_that_no_topic_changes_counts_where_topics_have_shares() -> None:
    """Kappa is 1 for a judge who always agrees and 0 for one who never varies, without any topic as with it."""
    estimate, without, shares = np.array([1.0, 0.0]), np.tile([1.0, 0.0], (12, 1)), np.ones((12, 2))
    assert selection(estimate, without, 0.05, weight=shares).may_be_best.tolist() == [True, False]
    assert selection(estimate, without, 0.05).may_be_best.all()  # a share that moves in steps may hide its spread
