"""Laws of paired tests on tables that are hard on arithmetic: p, intervals, and what must change nothing."""

import warnings
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats
from irassay.stats.effects import detectable_shift

RESAMPLING = ("max-t", "max-t-stepdown", "permutation", "bootstrap", "bootstrap-shift", "bootstrap-max-t", "tukey")
FORMULAS = ("t", "wilcoxon", "sign", "anova-tukey")
FAMILIES = ("max-t", "max-t-stepdown", "bootstrap-max-t", "tukey", "anova-tukey")
UNDIRECTED = ("tukey", "anova-tukey")
CORRECTIONS = ("none", "bonferroni", "holm", "bh", "by")
KINDS = ("plain", "ties", "constant", "same", "shifted", "last bit", "tiny", "huge", "one", "heavy", "far from 0")


def table(kind: str, systems: int, topics: int, rng: np.random.Generator) -> Floats:
    """[system, topic] scores of a kind."""
    X = rng.random((systems, topics))
    row = np.repeat(rng.random((1, topics)), systems, axis=0)
    made: dict[str, Any] = {
        "plain": X,
        "ties": np.round(3 * X) / 3,
        "constant": np.full_like(X, 0.25),
        "same": row,
        "shifted": row + np.arange(systems)[:, None] / 8,
        "last bit": np.where(np.arange(systems)[:, None] == 0, np.nextafter(row, 1), row),
        "tiny": X * 1e-200,
        "huge": X * 1e299,
        "one": np.eye(systems, topics) * (np.arange(systems)[:, None] == 0),
        "heavy": np.maximum(X, 1e-9) ** -3 / 1e27,
        "far from 0": X * 1e-12 + 1,
    }
    return np.asarray(made[kind], dtype=np.float64)


def compared(X: Floats, names: tuple[str, ...] = (), **how: Any) -> dict[tuple[str, str], tuple[float, ...]]:
    """p, raw p, difference and its interval, of every pair in either order."""
    systems = names or tuple(f"s{i}" for i in range(len(X)))
    scores = ia.Scores(X[:, :, None], systems, tuple(f"t{i}" for i in range(X.shape[1])), ("AP",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ia.compare(scores, "AP", **how).by(None)
    low, high = found.interval()
    every = {}
    for n, (i, j) in enumerate(zip(found.test.i, found.test.j, strict=True)):
        p, raw, gap = found.p[n], found.test.p[n], found.test.difference[n]
        every[systems[i], systems[j]] = (p, raw, gap, low[n], high[n])
        every[systems[j], systems[i]] = (p, raw, -gap, -high[n], -low[n])
    return every


@pytest.mark.parametrize("test", [*RESAMPLING, *FORMULAS])
def test_laws_of_a_paired_test(test: str) -> None:
    rng = np.random.default_rng(list(test.encode()))
    for kind in KINDS:
        systems, topics = int(rng.choice([2, 3, 6])), int(rng.choice([2, 3, 6, 20]))
        X = table(kind, systems, topics, rng)
        how: dict[str, Any] = {"test": test} | ({"trials": 60} if test in RESAMPLING else {})
        how |= {} if test in FAMILIES else {"correction": str(rng.choice(CORRECTIONS))}
        found = compared(X, **how)
        for p, raw, gap, low, high in found.values():
            assert 0 < p <= 1 and p >= raw - 1e-15, (kind, how)
            assert np.isnan(low) or low - abs(low) * 1e-12 <= gap <= high + abs(high) * 1e-12, (kind, how)
        order = rng.permutation(systems)
        again = compared(X[order], tuple(f"s{i}" for i in order), **how)
        scaled = compared(X * 2.0**-30, **how)
        negated = compared(-X, **how)
        for pair, (p, _, gap, *_) in found.items():
            assert again[pair][0] == pytest.approx(p, rel=1e-9), (kind, how)
            assert scaled[pair][0] == p and scaled[pair][2] == gap * 2.0**-30, (kind, how)
            assert negated[pair][0] == pytest.approx(p, rel=1e-9), (kind, how)
        if test in FORMULAS:
            shuffled = compared(X[:, rng.permutation(topics)], **how)
            assert all(shuffled[pair][0] == pytest.approx(found[pair][0], rel=1e-9) for pair in found), (kind, how)


@pytest.mark.parametrize("test", [test for test in (*RESAMPLING, *FORMULAS) if test not in UNDIRECTED])
def test_less_of_scores_is_greater_of_their_negatives(test: str) -> None:
    rng = np.random.default_rng(7)
    for kind in KINDS:
        X = table(kind, 3, 6, rng)
        how = {"test": test, "baseline": "s1"} | ({"trials": 60} if test in RESAMPLING else {})
        one, other = compared(X, alternative="less", **how), compared(-X, alternative="greater", **how)
        assert all(one[pair][0] == pytest.approx(other[pair][0], rel=1e-9) for pair in one), kind


def test_a_margin_beyond_everything_is_answered() -> None:
    X = table("heavy", 3, 12, np.random.default_rng(1))
    for margin in ({"margin": 1e300}, {"margin_d": 1e300}, {"margin": 1e-300}):
        assert all(0 < p <= 1 for p, *_ in compared(X, test="t", **margin).values())


def test_what_a_far_critical_value_detects_joins_on() -> None:
    near, far = detectable_shift(29_999.0, 20), detectable_shift(30_001.0, 20)
    assert far / near == pytest.approx(30_001 / 29_999, rel=1e-7) and np.isfinite(detectable_shift(1e9, 20))
