"""Scores next to the largest and smallest numbers there are, and systems given in another order."""

from typing import Any

import numpy as np
import pytest

from irassay.arrays import Floats
from irassay.meta.comparison import compare
from irassay.stats.paired_test import PairedTest
from irassay.stats.tests import TESTS
from tests.support.paired import pvalues, scores_of

X = np.random.default_rng(1).beta(2, 3, size=(20, 4)) + 0.1 * np.arange(4)


def quick_settings(test: str) -> dict[str, Any]:
    """What a test takes to be quick."""
    return {"trials": 300} if TESTS[test].resamples else {}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("power", [-1000, -700, -530, 510, 700, 1000])
def test_the_unit_of_scores_changes_no_p(test: str, power: int) -> None:
    plain, scaled = (pvalues(np.ldexp(X, each), test, **quick_settings(test)) for each in (0, power))
    np.testing.assert_array_equal(plain.p, scaled.p)
    np.testing.assert_array_equal(np.ldexp(plain.interval()[0], power), scaled.interval()[0])
    np.testing.assert_array_equal(np.ldexp(plain.difference, power), scaled.difference)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e299])
def test_a_comparison_of_extreme_scores_has_their_means_and_effects(scale: float) -> None:
    plain, scaled = (compare(scores_of(X * each, "abcd"), test="t").by() for each in (1.0, scale))
    np.testing.assert_allclose(scaled.mean, plain.mean * scale)
    np.testing.assert_allclose(scaled.effect, plain.effect)
    np.testing.assert_allclose(scaled.p, plain.p)
    np.testing.assert_array_equal(scaled.wins, plain.wins)


@pytest.mark.parametrize(("scores", "means"), [(np.full((3, 2), 0.5), [0.5, 0.5]), (X + 1e9, 1e9 + X.mean(axis=0))])
def test_a_comparison_of_scores_far_from_0_has_their_means(scores: Floats, means: Floats) -> None:
    found = compare(scores_of(scores, "abcd"[: scores.shape[1]]), test="t").by()
    np.testing.assert_allclose(found.mean, means, rtol=1e-15)


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_runs_changes_no_p(test: str) -> None:
    order = [2, 0, 3, 1]
    names = ["b", "a", "d", "c"]
    p, again = (
        {frozenset(pair): p for pair, p in zip(one.pairs, one.p, strict=True)}
        for one in (
            compare(scores_of(X, names), test=PairedTest(test, **quick_settings(test))).by(),  # type: ignore[arg-type]
            compare(
                scores_of(X[:, order], [names[s] for s in order]), test=PairedTest(test, **quick_settings(test))
            ).by(),  # type: ignore[arg-type]
        )
    )
    assert again == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("test", TESTS)
def test_a_difference_without_spread_has_the_p_of_sign_flips(test: str) -> None:
    x = X[:5, :1]
    found = pvalues(np.hstack([x, x + 0.25]), test, **quick_settings(test))
    assert found.p == pytest.approx(2.0**-4)
    assert ("flipping the signs" in found.notes()[0]) == (test != "tukey")
