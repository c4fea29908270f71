"""Paired tests against scipy, against enumeration, and against published figures for TREC-8."""

import itertools
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.parallel import context
from irassay.stats.draws import repeats
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest, TestName, find_test
from irassay.stats.tests import TESTS
from tests.support.paired import pvalues, pvalues_many

RESAMPLING = [name for name, test in TESTS.items() if test.resamples]


@pytest.fixture(scope="session")
def trec8(shared: Path) -> Floats:
    """[system, topic, metric] RR, P@10 and AP of 129 TREC-8 runs on 50 topics."""
    folder = shared / "oracles" / "meta" / "trec8"
    tables = [np.loadtxt(folder / f"adhoc8_{name}.csv", delimiter=",", skiprows=1) for name in ("rr", "p10", "ap")]
    return np.stack([table.T for table in tables], axis=2)


def scores(topics: int, systems: int, seed: int = 0, digits: int = 2) -> Floats:
    """[topic, system] scores with few digits, hence with ties, of systems that differ somewhat."""
    rng = np.random.default_rng(seed)
    return np.clip(rng.beta(2, 3, size=(topics, systems)) + 0.03 * np.arange(systems), 0, 1).round(digits)


def rounded(X: Floats, found: PairTests) -> Floats:
    """[pair, topic] differences, rounded to 1e-10 of the range."""
    unit = 1e-10 * np.ptp(X)
    return np.rint((X[:, found.i] - X[:, found.j]).T / unit) * unit


def test_t_is_scipys() -> None:
    X = scores(50, 12)
    found = pvalues(X, "t")
    expected = stats.ttest_rel(X[:, found.i], X[:, found.j])
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-9)


def test_t_of_systems_that_hardly_differ_keeps_its_digits() -> None:
    X = scores(40, 3, digits=4)
    X[:, 1] = X[:, 0] + 1e-4 * np.random.default_rng(1).integers(-1, 3, 40)
    found = pvalues(X, "t")
    assert found.p == pytest.approx(stats.ttest_rel(X[:, found.i], X[:, found.j]).pvalue, rel=1e-9)


def test_wilcoxon_is_scipys_normal_approximation_on_rounded_differences() -> None:
    X = np.vstack([scores(50, 12), scores(50, 12) + np.random.default_rng(1).random((50, 12))])
    found = pvalues(X, "wilcoxon")
    expected = stats.wilcoxon(rounded(X, found), axis=1, method="asymptotic", zero_method="wilcox", correction=True)
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-9)
    assert not found.exact


@pytest.mark.parametrize(
    ("gap", "p"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5] + [0.0] * 48, 0.0625),
        ([0.0] * 60, 1.0),
        ([(7 * k % 11 - 4) / 10 for k in range(50)], 0.04562210402136202),  # of coin's wilcoxsign_test, 46 not 0
    ],
)
def test_wilcoxon_is_exact_by_the_number_of_differences_other_than_0(gap: list[float], p: float) -> None:
    found = pvalues(np.stack([gap, np.zeros(len(gap))], axis=1), "wilcoxon")
    assert found.exact and found.p[0] == pytest.approx(p, rel=1e-12)


def test_wilcoxon_of_few_topics_is_scipys_exact_test() -> None:
    X = np.random.default_rng(2).normal(size=(12, 6))
    found = pvalues(X, "wilcoxon")
    expected = stats.wilcoxon(rounded(X, found), axis=1, method="exact")
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-9)
    assert found.exact


def test_wilcoxon_of_few_topics_counts_signs_given_the_ties() -> None:
    X = scores(9, 5, digits=1)
    found = pvalues(X, "wilcoxon")
    for gap, p in zip(rounded(X, found), found.p, strict=True):
        gap = gap[gap != 0]
        rank = stats.rankdata(np.abs(gap))
        sums = np.array([np.dot(rank, signs) for signs in itertools.product((0, 1), repeat=len(gap))])
        least = min(rank[gap > 0].sum(), rank[gap < 0].sum())
        assert p == pytest.approx(min(1.0, 2 * np.mean(sums <= least + 1e-9)))


@pytest.mark.parametrize("band", [0.0, 0.1])
def test_sign_test_is_scipys_binomial_test(band: float) -> None:
    X = scores(30, 6, digits=1)
    found = pvalues(X, "sign", band=band)
    gap = (X[:, found.i] - X[:, found.j]).round(6)
    wins, losses = (gap > band).sum(axis=0), (gap < -band).sum(axis=0)
    expected = [
        stats.binomtest(int(w), int(w + n), 0.5).pvalue if w + n else 1.0 for w, n in zip(wins, losses, strict=True)
    ]
    np.testing.assert_allclose(found.p, expected, rtol=1e-9)
    np.testing.assert_array_equal(found.statistic, wins - losses)


def test_permutation_of_few_topics_is_scipys_exact_test() -> None:
    X = scores(8, 4)
    found = pvalues(X, "permutation")
    assert found.exact and found.trials == 2**7
    for i, j, p in zip(found.i, found.j, found.p, strict=True):
        exact = stats.permutation_test(
            (X[:, i], X[:, j]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert p == pytest.approx(exact.pvalue)


def test_drawn_signs_come_near_all_signs() -> None:
    X = scores(14, 6)
    drawn = pvalues(X, "permutation", trials=8000, seed=3)
    assert not drawn.exact
    np.testing.assert_allclose(drawn.p, pvalues(X, "permutation").p, atol=4 * 0.5 / np.sqrt(8000))


def test_bootstraps_are_what_redrawing_topics_one_by_one_gives() -> None:
    X, trials, seed = scores(15, 4, digits=1), 300, 5
    X[1:, 1] = X[1:, 0]  # most resamples of this pair have no variance
    weight = repeats(15, trials, seed).draw(repeats(15, trials, seed).blocks[0]).astype(int)  # [topic, trial]
    studentised, shifted = (
        pvalues(X, name, trials=trials, seed=seed, compat=True) for name in ("bootstrap", "bootstrap-shift")
    )
    for pair, (i, j) in enumerate(zip(studentised.i, studentised.j, strict=True)):
        gap = (X[:, i] - X[:, j]).round(9)
        t = gap.mean() / (gap.std(ddof=1) / np.sqrt(15))
        more, larger = 0, 0
        for b in range(trials):
            again = np.repeat(gap - gap.mean(), weight[:, b])
            larger += abs(again.mean()) >= abs(gap.mean()) - 1e-9
            if again.std() > 1e-9:
                more += abs(again.mean() / (again.std(ddof=1) / np.sqrt(15))) >= abs(t) - 1e-9
        assert studentised.p[pair] == pytest.approx(more / trials)
        assert shifted.p[pair] == pytest.approx(larger / trials)


@pytest.mark.parametrize("test", TESTS)
def test_systems_with_the_same_scores_are_never_told_apart(test: str) -> None:
    X = scores(30, 4)
    X[:, 2] = X[:, 1] + 1e-14
    found = pvalues(X, test, trials=200)
    same = (found.i == 1) & (found.j == 2)
    assert found.p[same] == 1
    assert found.difference[same] == 0
    assert np.all((found.p > 0) & (found.p <= 1))


@pytest.mark.parametrize("test", TESTS)
def test_constant_scores_tell_nothing_apart(test: str) -> None:
    found = pvalues(np.full((30, 3), 0.4), test, trials=200)
    assert np.all(found.p == 1)
    assert "so no test can separate them" in " ".join(found.notes())


@pytest.mark.parametrize("test", ["t", "bootstrap", "bootstrap-shift", "bootstrap-max-t", "anova-tukey"])
def test_a_difference_that_is_the_same_on_every_topic_is_flagged(test: str) -> None:
    x = scores(30, 1)
    found = pvalues(np.hstack([x, x + 0.1]), test, compat=True, trials=200)
    assert found.constant.all()
    assert found.p == 2.0**-29  # of all signs, only these and the opposite ones are as extreme
    assert "same amount on every topic" in found.notes()[0]


@pytest.mark.parametrize("test", TESTS)
def test_many_metrics_give_each_what_it_gets_alone(test: str) -> None:
    cube = np.stack([scores(30, 5, seed=seed).T for seed in range(3)], axis=2)
    together = pvalues_many(cube, test, trials=700, seed=2)
    for metric in range(3):
        alone = pvalues(cube[:, :, metric].T, test, trials=700, seed=2)
        np.testing.assert_allclose(together.metric(metric).p, alone.p, rtol=1e-12)
        np.testing.assert_allclose(together.statistic[:, metric], alone.statistic, rtol=1e-12)
    assert together.power().shape == (3,)


@pytest.mark.parametrize("test", TESTS)
def test_the_number_of_workers_changes_nothing(test: str) -> None:
    cube = np.stack([scores(30, 5, seed=seed).T for seed in range(2)], axis=2)
    reports: list[tuple[int, int]] = []
    one = pvalues_many(cube, test, trials=1500, seed=4)
    with context(jobs=3, progress=lambda doing: lambda *done: reports.append(done)):
        three = pvalues_many(cube, test, trials=1500, seed=4)
    np.testing.assert_array_equal(one.p, three.p)
    np.testing.assert_array_equal(one.null, three.null)
    assert all(done <= total for done, total in reports)


@pytest.mark.parametrize("test", RESAMPLING)
def test_resampled_p_is_never_0_unless_as_in_papers(test: str) -> None:
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(30, 1)), rng.normal(loc=9, size=(30, 1))])
    assert pvalues(X, test, trials=99).p == pytest.approx(0.01)
    assert pvalues(X, test, trials=99, compat=True).p == 0


@pytest.mark.parametrize("test", RESAMPLING)
def test_the_seed_decides(test: str) -> None:
    X = scores(30, 5)
    first, again, other = (pvalues(X, test, trials=300, seed=seed).p for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("test", [name for name, test in TESTS.items() if not test.family])
def test_against_a_baseline_a_pair_has_the_p_it_has_among_all(test: str) -> None:
    X = scores(30, 5)
    every, some = pvalues(X, test, trials=300), pvalues(X, test, trials=300, baseline=2)
    np.testing.assert_array_equal(some.i, [0, 1, 3, 4])
    np.testing.assert_array_equal(some.j, 2)
    with_2 = (every.i == 2) | (every.j == 2)
    np.testing.assert_allclose(some.p, every.p[with_2], rtol=1e-9)
    np.testing.assert_allclose(some.difference, (X - X[:, [2]]).mean(axis=0)[some.i], atol=1e-12)


@pytest.mark.parametrize("test", TESTS.values(), ids=list(TESTS))
def test_every_test_says_what_it_asks_and_assumes(test: object) -> None:
    found = find_test(test.name)  # type: ignore[attr-defined]
    assert found.summary.endswith("?")
    assert found.small_print.endswith(".")


def test_intervals_exclude_0_where_t_is_significant() -> None:
    X = scores(50, 12)
    found = pvalues(X, "t")
    low, high = found.interval(0.95)
    np.testing.assert_array_equal((low > 0) | (high < 0), found.p < 0.05)
    expected = stats.ttest_rel(X[:, 0], X[:, 1]).confidence_interval()
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))
    assert not found.simultaneous


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones((5, 1)), "at least two systems; found 1"),
        (np.ones((1, 5)), "at least two topics"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), "1 of 4 scores are missing"),
    ],
)
def test_bad_scores_are_refused_in_a_sentence(X: Floats, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pvalues(X, "t")
    with pytest.raises(InputError, match=r"axes \[system, topic, metric\]; found 2 axes"):
        PairedTest("t").run(X)


def test_bad_requests_are_refused_in_a_sentence() -> None:
    X = scores(5, 3)
    with pytest.raises(
        InputError, match=r"no test called 'anova'; did you mean anova-tukey\? The tests are .*wilcoxon"
    ):
        pvalues(X, "anova")
    with pytest.raises(InputError, match="trials must be a whole number from 1 "):
        pvalues(X, "tukey", trials=0)
    with pytest.raises(InputError, match="baseline is system 3"):
        pvalues(X, "t", baseline=3)
    with pytest.raises(InputError, match="band must be a number of 0 or more; found -1"):
        pvalues(X, "sign", band=-1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"test": "t", "trials": 5}, "'t' does not resample; leave out trials=5"),
        ({"test": "anova-tukey", "trials": 5}, "does not resample"),
        ({"test": "wilcoxon", "compat": True}, "does not resample, so it has no p-value c/B"),
        ({"test": "t", "band": 0.1}, "Only the sign test has a dead band"),
        ({"test": "tukey", "correction": "holm"}, "needs no correction; found 'holm'"),
        ({"test": "t", "correction": "max-t", "band": 0.1}, "dead band"),
        ({"test": "t", "correction": "x"}, "correction must be one of none"),
    ],
)
def test_what_means_nothing_with_a_test_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        PairedTest(**given)  # type: ignore[arg-type]


def test_every_test_takes_a_seed_and_max_t_takes_trials() -> None:
    assert all(PairedTest(name, seed=3).seed == 3 for name in TESTS)  # type: ignore[arg-type]
    assert PairedTest("sign", "max-t", trials=50, compat=True, band=0.1).resamples == 50
    assert PairedTest().resamples == 10_000


def test_the_correction_may_be_spelled_as_the_option() -> None:
    assert PairedTest("t", correct="holm") == PairedTest("t", "holm")
    with pytest.raises(InputError, match="both correction and correct"):
        PairedTest("t", "holm", correct="bh")
    with pytest.raises(InputError, match="did you mean holm"):
        PairedTest("t", correct="hol")  # type: ignore[arg-type]
    assert set(get_args(TestName)) == set(TESTS)


@pytest.mark.parametrize(
    ("test", "significant"),
    [("t", (4585, 5317, 5981)), ("wilcoxon", (4587, 5352, 6058)), ("sign", (4078, 4976, 5470))],
)
def test_trec8_significant_pairs(trec8: Floats, test: str, significant: tuple[int, int, int]) -> None:
    found = pvalues_many(trec8, test)
    np.testing.assert_array_equal((found.p < 0.05).sum(axis=0), significant)


@pytest.mark.parametrize(
    ("test", "trials", "percent", "off"),
    [
        ("permutation", 10_000, (55.5, 63.5, 72.6), 0.3),
        ("bootstrap", 1000, (55.8, 64.4, 71.7), 0.9),  # three times the spread between seeds, of both
        ("tukey", 5000, (21.7, 31.0, 32.4), 0.6),
    ],
)
def test_trec8_discriminative_power(
    trec8: Floats, test: str, trials: int, percent: tuple[float, ...], off: float
) -> None:
    found = pvalues_many(trec8, test, trials=trials, seed=1, compat=True)
    np.testing.assert_allclose(100 * found.power(0.05), percent, atol=off)


def test_without_rounding_float_noise_breaks_ties(trec8: Floats) -> None:
    raw = pvalues(trec8[:, :, 1].T, "wilcoxon", noise=0.0)
    assert np.count_nonzero(raw.p < 0.05) == 5315


def test_trec8_published_example_of_five_tests(trec8: Floats) -> None:
    X = trec8[[124, 125], :, 2].T

    def p(test: str, **options: float) -> float:
        return float(pvalues(X, test, trials=200_000, compat=True, **options).p[0])  # type: ignore[arg-type]

    assert p("t") == pytest.approx(0.0013193972, abs=1e-10)
    assert p("sign", band=0.01) == pytest.approx(0.009559879, abs=1e-9)
    assert p("permutation") == pytest.approx(0.001188, abs=4 * np.sqrt(0.0012 / 200_000))
    assert p("bootstrap-shift") == pytest.approx(0.000586, abs=4 * np.sqrt(0.0006 / 200_000))
    assert p("bootstrap") == pytest.approx(0.001839, abs=4 * np.sqrt(0.0018 / 200_000))
