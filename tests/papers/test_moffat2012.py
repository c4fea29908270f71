"""Figures printed in moffat2012: weights, expected depths, residuals, and the example of its Figure 2c."""

import numpy as np
import pytest

from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings


def weights(metric: str, depth: int) -> np.ndarray:
    model = parse(metric)
    return model.browse(model.seen(Rankings.of(np.zeros((1, depth)), max_grade=1))).weights()[0]


def expected_depth(metric: str) -> float:
    model = parse(metric)
    return float(model.browse(model.seen(Rankings.of([[0]], max_grade=1))).expected_depth()[0])


def test_weights_of_insq() -> None:
    W = weights("INSQ", 100)
    assert [f"{w:.3f}" for w in W[:3]] == ["0.388", "0.172", "0.097"]
    assert f"{W[99]:.1e}" == "1.5e-04"


@pytest.mark.parametrize(("T", "depth"), [(1, "2.58"), (5, "10.52"), (25, "50.50")])
def test_expected_depths(T: int, depth: str) -> None:
    assert f"{expected_depth(f'INSQ(T={T})'):.2f}" == depth


def test_the_residual_is_a_sum_not_a_product() -> None:
    """The paper prints .0151 after 100 ranks, which is the residual after 101; the product it gives holds for RBP only."""
    W = weights("INSQ", 101)
    assert f"{1 - W[:100].sum():.5f}" == "0.01528"
    assert f"{1 - W.sum():.4f}" == "0.0151"
    assert 1 - weights("RBP(p=0.95)", 20).sum() == pytest.approx(0.95**20, abs=1e-12)


RELEVANT = (1, 3, 4, 6, 8, 12, 14, 34, 37, 43, 64, 82, 86, 95)  # ranks of the example of Figure 2c


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("INSQ(T=5)", "0.350"),
        ("aINSQ(T=5)", "0.531"),  # equation 3 as printed
        ("aINSQ(T=5,shift=1)", "0.502"),  # what the paper prints
    ],
)
def test_the_example_of_figure_2c(metric: str, score: str) -> None:
    grades = np.zeros((1, 100))
    grades[0, np.array(RELEVANT) - 1] = 1
    assert f"{parse(metric).score(Rankings.of(grades, max_grade=1))[0]:.3f}" == score
