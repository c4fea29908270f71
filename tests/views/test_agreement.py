"""The view of agreement."""

import json

import numpy as np

from irassay.meta.agreement import agreement
from irassay.metrics.grids import grid
from irassay.views.view import view_of
from tests.support.collections import graded
from tests.support.examples import tiny


def test_nothing_significant_is_said_so() -> None:
    noise = tiny(np.random.default_rng(1).random((4, 4, 2)), ("one", "other"))
    assert (
        view_of(agreement(noise, alpha=1e-6))
        .sentences[0]
        .endswith("No metric separates any pair of systems at 1e-06 (paired t, uncorrected, as in moffat2012).")
    )


def test_a_chart_says_what_it_leaves_out() -> None:
    many = view_of(agreement(graded(8, 12, 10, 1, grid("cwla").metrics)))
    assert "30 of " in json.dumps(dict(many.charts)["agreement"]().to_dict())
