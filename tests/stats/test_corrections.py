"""Corrections for the number of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irassay.errors import InputError
from irassay.stats.corrections import CORRECTIONS, corrected_p

P = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


@given(P)
def test_false_discovery_corrections_are_scipys(p: np.ndarray) -> None:
    np.testing.assert_allclose(corrected_p(p, "bh"), stats.false_discovery_control(p, method="bh"), atol=1e-12)
    np.testing.assert_allclose(corrected_p(p, "by"), stats.false_discovery_control(p, method="by"), atol=1e-12)


@given(P)
def test_no_correction_makes_p_smaller_and_all_keep_the_order(p: np.ndarray) -> None:
    for name in CORRECTIONS:
        q = corrected_p(p, name)
        assert np.all((q >= p - 1e-15) & (q <= 1))
        assert np.all(np.diff(q[np.argsort(p)]) >= -1e-15)
    assert np.all(corrected_p(p, "holm") <= corrected_p(p, "bonferroni"))
    assert np.all(corrected_p(p, "bh") <= corrected_p(p, "holm") + 1e-15)


def test_by_hand() -> None:
    p = np.array([0.005, 0.03, 0.01, 0.5])
    np.testing.assert_allclose(corrected_p(p, "none"), p)
    np.testing.assert_allclose(corrected_p(p, "bonferroni"), [0.02, 0.12, 0.04, 1])
    np.testing.assert_allclose(corrected_p(p, "holm"), [0.02, 0.06, 0.03, 0.5])
    np.testing.assert_allclose(corrected_p(p, "bh"), [0.02, 0.04, 0.02, 0.5])


def test_metrics_are_corrected_each_for_itself() -> None:
    p = np.random.default_rng(0).random((10, 3))
    for name in CORRECTIONS:
        expected = np.stack([corrected_p(column, name) for column in p.T], axis=1)
        np.testing.assert_array_equal(corrected_p(p, name), expected)


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(InputError, match="no correction called 'sidak'; the corrections are none, bonferroni"):
        corrected_p(np.ones(3), "sidak")
