"""One-sided tests against R, against scipy and against trying every sign."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.meta.comparison import compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.stats.draws import Block, repeats
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_sample import Alternative, sample
from irassay.stats.paired_test import PairedTest
from tests.support.compared import agrees
from tests.support.paired import scores_of

WAYS: tuple[Alternative, ...] = ("greater", "less")
EXTENT: dict[str, Callable[[Any], Any]] = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}
DIRECTED = ["t", "wilcoxon", "sign", "permutation", "bootstrap", "bootstrap-shift", "max-t", "max-t-stepdown"]


def by_pair(X: Floats, test: str, alternative: Alternative, **given: Any) -> PairTests:
    """The test of every pair by scores [topic, system]."""
    baseline = given.pop("baseline", None)
    how = PairedTest(test, **given)  # type: ignore[arg-type]
    return how.pair_tests(sample(np.asarray(X).T[:, :, None], baseline, alternative=alternative)).metric(0)


@pytest.mark.parametrize("alternative", ["two-sided", *WAYS])
def test_p_and_intervals_are_rs(oracles: Path, alternative: Alternative) -> None:
    for case in json.loads((oracles / "meta/one_sided/r.json").read_text()):
        X, r = np.array([case["x"], case["y"]]).T, case[alternative]
        t = by_pair(X, "t", alternative)
        assert agrees("meta/one_sided", t.p.item(), r["t"], 1e-9 * r["t"])
        low, high = t.interval(0.95)
        assert (low.item(), high.item()) == pytest.approx((float(r["low"]), float(r["high"])), rel=1e-9)
        few = np.count_nonzero(X[:, 0] != X[:, 1]) <= 50
        rank = by_pair(X, "wilcoxon", alternative).p.item()
        by_r = r["wilcoxon exact" if few else "wilcoxon normal"]
        assert agrees("meta/one_sided", rank, by_r, 1e-9 * by_r)
        assert agrees("meta/one_sided", by_pair(X, "sign", alternative).p.item(), r["sign"], 1e-9 * r["sign"])


@pytest.mark.parametrize("alternative", ["two-sided", *WAYS])
@pytest.mark.parametrize("baseline", [None, 2])
def test_sign_flips_are_what_trying_every_sign_gives(alternative: Alternative, baseline: int | None) -> None:
    X = np.random.default_rng(5).random((9, 4)).round(1) + 0.08 * np.arange(4)
    all_pairs = list(itertools.combinations(range(4), 2))
    pairs = all_pairs if baseline is None else [(s, baseline) for s in range(4) if s != baseline]
    gap = np.array([X[:, i] - X[:, j] for i, j in pairs]).round(9)
    flipped = np.array([gap * signs for signs in itertools.product((1, -1), repeat=len(X))])
    mean = EXTENT[alternative](flipped.mean(axis=2))  # [signs, pair]
    t = mean / (flipped.std(axis=2, ddof=1) / 3)  # which is the root of 9

    one = by_pair(X, "permutation", alternative, baseline=baseline)
    assert one.exact
    np.testing.assert_allclose(one.p, (mean >= mean[0] - 1e-9).mean(axis=0))
    most = by_pair(X, "max-t", alternative, baseline=baseline)
    np.testing.assert_allclose(most.p, [(t.max(axis=1) >= each - 1e-9).mean() for each in t[0]])
    expected, so_far, left = np.empty(len(pairs)), 0.0, list(np.argsort(-t[0]))
    while left:
        so_far = max(so_far, float(np.mean(t[:, left].max(axis=1) >= t[0, left[0]] - 1e-9)))
        expected[left.pop(0)] = so_far
    np.testing.assert_allclose(by_pair(X, "max-t-stepdown", alternative, baseline=baseline).p, expected)


@pytest.mark.parametrize("alternative", WAYS)
def test_bootstraps_are_plain_loops(alternative: Alternative) -> None:
    X = np.random.default_rng(6).exponential(size=(20, 3)) + 0.2 * np.arange(3)
    weight = repeats(20, 200, 1).draw(Block(0, 0, 200)).astype(int)
    extent = EXTENT[alternative]
    gaps = [X[:, i] - X[:, j] for i, j in itertools.combinations(range(3), 2)]
    drawn = [np.repeat(np.arange(20), weight[:, trial]) for trial in range(200)]
    redrawn = [[(gap - gap.mean())[d] for d in drawn] for gap in gaps]
    t = np.array([[extent(stats.ttest_1samp(one, 0).statistic) for one in each] for each in redrawn])  # [pair, trial]
    seen = np.array([extent(stats.ttest_1samp(gap, 0).statistic) for gap in gaps])
    found = by_pair(X, "bootstrap", alternative, trials=200, seed=1)
    np.testing.assert_allclose(found.p, ((t >= seen[:, None]).sum(axis=1) + 1) / 201)
    means = np.array([[extent(one.mean()) for one in each] for each in redrawn])
    larger = (means >= np.array([extent(gap.mean()) for gap in gaps])[:, None]).sum(axis=1)
    np.testing.assert_allclose(by_pair(X, "bootstrap-shift", alternative, trials=200, seed=1).p, (larger + 1) / 201)
    family = by_pair(X, "bootstrap-max-t", alternative, trials=200, seed=1)
    np.testing.assert_allclose(family.null, np.sort(t.max(axis=0)))
    np.testing.assert_allclose(family.p, [((t.max(axis=0) >= each).sum() + 1) / 201 for each in seen])


@pytest.mark.parametrize("test", DIRECTED)
def test_less_is_greater_with_the_systems_exchanged(test: str) -> None:
    X = np.random.default_rng(3).beta(2, 3, size=(25, 2)).round(2)
    given = {} if test in ("t", "wilcoxon", "sign") else {"trials": 500}
    less, greater = by_pair(X, test, "less", **given), by_pair(X[:, ::-1], test, "greater", **given)
    np.testing.assert_allclose(less.p, greater.p, rtol=1e-12)
    assert less.interval()[1] == pytest.approx(-greater.interval()[0]) and less.interval()[0] == -np.inf


@pytest.mark.parametrize("test", ["tukey", "anova-tukey"])
def test_tests_of_a_range_refuse_a_direction(test: str) -> None:
    with pytest.raises(InputError, match=f"'{test}' has no direction"):
        by_pair(np.random.default_rng(3).random((9, 3)), test, "less")


def compared(alternative: Alternative, **given: Any) -> Comparison:
    """Three systems, each better than the one before."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 1)) + np.array([0.0, 0.3, 0.6]) + 0.3 * rng.normal(size=(30, 3))
    return compare(scores_of(X, "abc"), alternative=alternative, **given).by()


def test_verdicts_are_in_the_direction_asked() -> None:
    better = compared("greater", test="t", baseline="a")
    assert better.significant.all() and better.verdicts()[:, 0].tolist() == [0, 1, 1]
    worse = compared("less", test="t", baseline="a")
    assert not worse.significant.any() and not worse.verdicts().any()
    low, high = better.interval()
    assert np.all(low > 0) and np.all(high == np.inf)
    low, high = better.effect_interval()
    both = compared("two-sided", test="t", baseline="a").effect_interval(0.9)
    np.testing.assert_allclose(low, both[0])
    assert np.all(high == np.inf)


def test_the_detectable_difference_is_found_as_often_as_it_says() -> None:
    found = compared("greater", test="t", baseline="a")
    size = found.detectable(0.8)[0] / (found.test.error[0] * np.sqrt(30))  # in standard deviations
    draws = np.random.default_rng(0).normal(size, size=(20_000, 30))
    assert np.mean(stats.ttest_1samp(draws, 0, axis=1, alternative="greater").pvalue < 0.05) == pytest.approx(
        0.8, abs=0.01
    )


def test_a_one_sided_comparison_is_said_to_be_one_and_its_open_ends_are_shown() -> None:
    from irassay.views.formats import view_text

    rng = np.random.default_rng(2)
    found = compare(scores_of(rng.normal(size=(30, 3)), "abc"), alternative="less", test="t", baseline="a")
    assert "one-sided: less" in str(found) and "-∞" in view_text(found.view(), "table")
    assert r"-$\infty$" in view_text(found.view(), "latex")
    rows = json.loads(view_text(found.view(), "json"), parse_constant=pytest.fail)["results"]["pairs"]
    assert {row["low"] for row in rows} == {"-Infinity"}
    lines = dict(found.view().charts)["intervals"]().to_dict()
    assert "Infinity" not in json.dumps(lines)
