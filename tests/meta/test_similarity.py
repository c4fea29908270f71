"""How alike metrics rank systems: recorded taus and intervals, identities of the C/W/L/A grid, constant metrics."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from irassay.errors import InputError
from irassay.meta.discrimination import discrimination
from irassay.meta.similarity import similarity
from irassay.metrics.grammar import parse
from irassay.metrics.grids import GRIDS, browsing_model, canonical_metrics, grid
from irassay.parallel import context
from irassay.rankings.batch import Rankings
from irassay.scores import Scores
from irassay.stats.correlation import fieller
from irassay.stats.rank_codes import rank_codes, tau_matrices, taus
from tests.support.collections import dynamic_domain, graded, simulated


def test_taus_and_intervals_of_dynamic_domain(oracles: Path) -> None:
    found = similarity(dynamic_domain(oracles), subsets=10)
    with (oracles / "meta" / "consistency" / "similarity_expected.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 21
    for row in rows:
        a, b = found.metrics.index(row["m1"]), found.metrics.index(row["m2"])
        expected = [float(row[name]) for name in ("tau", "lo95", "hi95")]
        assert [found.tau[a, b], found.low[a, b], found.high[a, b]] == pytest.approx(expected, abs=1e-12)
        assert found.tau[b, a] == found.tau[a, b]


def test_intervals_printed_in_chen2023(oracles: Path) -> None:
    with (oracles / "meta" / "tau_ci" / "fig1_triples.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["consistent"] == "1"]
    assert len(rows) >= 86
    for row in rows:
        low, high = fieller(float(row["tau"]), int(row["n"]))
        assert low == pytest.approx(float(row["lo_fieller"]), abs=1e-6)
        assert high == pytest.approx(float(row["hi_fieller"]), abs=1e-6)
        assert low == pytest.approx(float(row["lo"]), abs=1.5e-3)  # tau itself is printed with three digits
        assert high == pytest.approx(float(row["hi"]), abs=1.5e-3)


@settings(max_examples=60)
@given(
    st.integers(2, 12).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=2, max_size=6)
    )
)
def test_tau_from_rank_codes_is_kendalls(rows: list[list[int]]) -> None:
    x = np.array(rows, dtype=np.float64)
    expected = np.array([[kendalltau(a, b).statistic for b in x] for a in x])
    np.testing.assert_allclose(tau_matrices(rank_codes(x)), expected, atol=1e-12)
    backwards = np.fliplr(expected).diagonal()
    np.testing.assert_allclose(taus(rank_codes(x), rank_codes(x[::-1])), backwards, atol=1e-12)


def test_tau_of_more_items_than_a_byte_counts() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 200, (3, 600)) / 7, rng.integers(0, 200, (3, 600)) / 7
    expected = [kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(taus(rank_codes(x), rank_codes(y)), expected, atol=1e-12)


def test_ties_are_differences_below_a_share_of_the_range() -> None:
    values = np.array([[0.3, 0.5], [0.1 + 0.2, 0.5], [0.1, 0.2]])[:, :, None].repeat(2, axis=2)
    values[1, 0, 1] = 0.3 + 1e-6
    found = similarity(Scores(values, ("A", "B", "C"), ("1", "2"), ("tied", "apart")))
    assert found.of("tied", "apart") == pytest.approx(2 / np.sqrt(2 * 3))


def test_jackknife_interval_covers_what_more_topics_would_show() -> None:
    rng = np.random.default_rng(1)
    ability = rng.normal(0.4, 0.05, 25)[:, None]
    rng_topics = np.random.default_rng(2)

    def sample(topics: int) -> Scores:
        base = ability + 0.15 * rng_topics.standard_normal((25, topics))
        other = base + 0.1 * rng_topics.standard_normal((25, topics))
        names = [tuple(map(str, range(n))) for n in base.shape]
        return Scores(np.stack([base, other], axis=2), *names, ("one", "other"))

    samples = [similarity(sample(40), subsets=100) for _ in range(60)]
    truth = np.mean([found.tau[0, 1] for found in samples])
    inside = [found.interval()[0][0, 1] <= truth <= found.interval()[1][0, 1] for found in samples]
    assert 0.85 <= np.mean(inside) <= 1.0
    errors = [found.error[0, 1] for found in samples]
    spread = np.std([found.tau[0, 1] for found in samples])
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.25)  # 1.35 with a fifth left out


def test_one_metric_alone_is_refused() -> None:
    with pytest.raises(InputError, match="needs at least two metrics; found only m0"):
        similarity(simulated(6, 10, 1))


def test_a_constant_metric_is_flagged_and_has_no_tau() -> None:
    values = simulated(6, 10, 3).values.copy()
    values[:, :, 1] = np.linspace(0.1, 0.9, 10)  # the same for every system, not for every topic
    values[:, :, 2] = 1 / 3 + np.array([0, 5e-17] * 3)[:, None]
    found = similarity(
        Scores(values, tuple("abcdef"), tuple("0123456789"), ("AP", "by topic", "rounded")), also=["rbo"]
    )
    assert found.constant.tolist() == [False, True, True]
    assert np.isnan(found.tau[1:]).all() and np.isnan(found.other[0, 1:]).all() and found.tau[0, 0] == 1
    assert any("by topic, rounded" in note for note in found.notes)
    assert found.nearest("AP")[0][0] == "by topic"
    assert sorted(found.order) == [0, 1, 2] and found.order[0] == 0


def test_costs_are_turned_round() -> None:
    values = simulated(8, 12, 1).values
    both = Scores(
        np.concatenate([values, 5 - values], axis=2), tuple("abcdefgh"), tuple(map(str, range(12))), ("gain", "cost")
    )
    assert similarity(both).of("gain", "cost") == pytest.approx(-1)
    assert similarity(both.costs("cost")).of("gain", "cost") == pytest.approx(1)


def test_other_coefficients_on_request(oracles: Path) -> None:
    scores = dynamic_domain(oracles)
    found = similarity(scores, also=("tau_ap", "spearman", "rbo"), subsets=10)
    from scipy.stats import spearmanr

    means = scores.means().round(12)
    assert found.other[1] == pytest.approx(spearmanr(means).statistic, abs=1e-12)
    assert np.allclose(found.other, found.other.swapaxes(1, 2)) and np.allclose(found.other[:, 0, 0], 1)


def test_similar_metrics_are_next_to_each_other() -> None:
    rng = np.random.default_rng(0)
    one, other = simulated(20, 30, 2).values.transpose(2, 0, 1)
    other = other[rng.permutation(20)]
    cube = np.stack([one, other, one + 0.01 * rng.random(one.shape), other + 0.01 * rng.random(one.shape)], axis=2)
    names = [tuple(map(str, range(n))) for n in cube.shape[:2]]
    order = similarity(Scores(cube, *names, ("one", "other", "one too", "other too"))).order
    assert abs(order.index(0) - order.index(2)) == 1 and abs(order.index(1) - order.index(3)) == 1


def test_topics_that_a_system_lacks_are_left_out_and_counted() -> None:
    values = simulated(5, 8, 2).values.copy()
    values[2, 3, 0] = np.nan
    scores = Scores(values, tuple("abcde"), tuple("12345678"), ("AP", "RR"))
    found = similarity(scores)
    assert found.topics == 7 and any("1 of 8 topics left out" in note for note in found.notes)
    assert found.tau == pytest.approx(similarity(scores.select(topics=list("1235678"))).tau)


def test_too_few_systems_or_topics_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="at least 2 systems; found 1"):
        similarity(simulated(1, 5, 2))
    values = simulated(3, 4, 1).values.copy()
    values[1, :3] = np.nan
    with pytest.raises(InputError, match=r"found 1 of 4.*b lacks the most \(3 topics\)"):
        similarity(Scores(values, tuple("abc"), tuple("1234"), ("AP",)))


def test_the_same_answer_for_any_number_of_jobs() -> None:
    scores = simulated(12, 20, 4)
    one = similarity(scores, seed=3)
    with context(jobs=2):
        two = similarity(scores, seed=3)
    assert (one.error == two.error).all()
    assert (one.error != similarity(scores, seed=4).error).any()


# Identities of the C/W/L/A grid (ETG = V+ ERG and so on), on lists with graded relevance.

STATIC = ("P(gain='linear',end='stop')@10", "SDCG(end='stop')@10", "RBP(end='stop')@10", "INSQ(end='stop')@10")


def aggregated(metric: str, aggregation: str) -> str:
    return str(parse(metric)(A=aggregation))


@pytest.mark.parametrize("model", STATIC)
@pytest.mark.parametrize("seed", range(3))
def test_total_gain_ranks_as_rate_of_gain_where_browsing_ignores_relevance(model: str, seed: int) -> None:
    scores = graded(9, 12, 10, seed, (model, aggregated(model, "ETG")))
    rate, total = scores.values[:, :, 0], scores.values[:, :, 1]
    ratio = total[rate > 0] / rate[rate > 0]
    assert ratio == pytest.approx(ratio[0], rel=1e-12)
    assert similarity(scores, subsets=5).tau == pytest.approx(1)
    p = discrimination(scores, test="tukey", trials=200).p
    assert (p[:, 0] == p[:, 1]).all()


@pytest.mark.parametrize("seed", range(3))
def test_precision_averaged_is_precision(seed: int) -> None:
    model = STATIC[0]
    values = graded(6, 10, 10, seed, (model, aggregated(model, "AVG"))).values
    assert values[:, :, 0] == pytest.approx(values[:, :, 1], abs=1e-14)


@pytest.mark.parametrize("model", STATIC)
def test_reciprocal_rank_of_stopping_is_constant_where_browsing_ignores_relevance(model: str) -> None:
    scores = graded(6, 10, 10, 0, (aggregated(model, "ERR"), model))
    assert np.ptp(scores.values[:, :, 0]) < 1e-15
    assert similarity(scores, subsets=5).constant.tolist() == [True, False]


@pytest.mark.parametrize(
    "model", [*STATIC, "INST(T=2.25,end='stop')@10", "AP(A='ERG')@10", "ERR(A='ERG',end='stop')@10"]
)
@pytest.mark.parametrize("seed", range(2))
def test_peak_end_is_half_peak_and_half_end(model: str, seed: int) -> None:
    metrics = tuple(aggregated(model, aggregation) for aggregation in ("PE", "MAX", "FIN"))
    pe, peak, end = graded(6, 10, 10, seed, metrics).values.transpose(2, 0, 1)
    assert pe == pytest.approx((peak + end) / 2, abs=1e-14)


def test_the_last_result_under_rbp_is_its_rate_unless_the_list_is_cut() -> None:
    open_end = graded(6, 10, 10, 0, ("RBP", "RBP(A='FIN')")).values
    assert open_end[:, :, 0] == pytest.approx(open_end[:, :, 1], abs=1e-14)
    cut = graded(6, 10, 10, 0, ("RBP(end='stop')@10", "RBP(A='FIN',end='stop')@10")).values
    assert np.abs(cut[:, :, 0] - cut[:, :, 1]).max() > 0.01


def test_ap_over_the_list_knows_no_volume() -> None:
    r = Rankings.of([[2, 0, 1, 0], [0, 0, 0, 0]], max_grade=2)
    gain = np.array([1, 0, 0.5, 0])
    by_rank = gain / np.arange(1, 5)
    expected = (by_rank / np.arange(1, 5)).sum() / by_rank.sum()
    assert parse("AP(A='ERR')@4").score(r) == pytest.approx([expected, 0])


def test_the_grid_of_chen2023() -> None:
    cwla = grid("cwla")
    assert len(cwla.metrics) == len(set(cwla.metrics)) == 39
    assert all(str(parse(metric)) == metric for metric in cwla.metrics)
    models = [browsing_model(metric) for metric in cwla.metrics]
    assert sorted(models.count(model) for model in set(models)) == [6, 6, 6, 7, 7, 7]
    assert [browsing_model(metric) for metric in cwla.canonical] == list(dict.fromkeys(models))
    assert canonical_metrics(cwla.metrics) == cwla.canonical
    assert canonical_metrics(["RBP(end='stop')@10", "AP"]) == ()


@pytest.mark.parametrize(("name", "size"), [("effort", 41), ("dynamic", 10)])
def test_the_other_grids_are_canonical_strings(name: str, size: int) -> None:
    metrics = grid(name).metrics
    assert len(metrics) == len(set(metrics)) == size
    assert [str(parse(metric)) for metric in metrics] == list(metrics)


def test_an_unknown_grid_is_refused() -> None:
    with pytest.raises(InputError, match=r"no grid 'cwl'; the grids are cwla, effort, dynamic"):
        grid("cwl")
    assert set(GRIDS) == {"cwla", "effort", "dynamic"}


def test_tables_named_as_collections_with_other_metrics_are_told_so() -> None:
    values = np.full((2, 4, 2), np.nan)
    values[:, :2, 0] = values[:, 2:, 1] = 0.5
    scores = Scores(values, ("A", "B"), ("1", "2", "1", "2"), ("AP", "RR"), collection=("x", "x", "y", "y"))
    with pytest.raises(InputError, match=r"Collection x has no scores for RR.* NAME= names a collection"):
        similarity(scores)
    holes = Scores(np.array([[[0.1], [np.nan]], [[np.nan], [0.2]]]), ("A", "B"), ("1", "2"), ("AP",))
    with pytest.raises(InputError, match=r"A lacks the most \(1 topic\); leave it out"):
        similarity(holes)
