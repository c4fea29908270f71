"""Metric unanimity: the authors' counts, the published ranking, a plain loop, and what a constant metric gets."""

import csv
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.io.tables import read_iterations
from irassay.meta.unanimity import unanimity
from irassay.meta.wins_by_round import Standings, dense_ranks, rank_agreement, standings, standings_by_round
from irassay.results import result_from_json, result_json
from irassay.scores import Scores
from irassay.views.view import view_of

COMPLEX = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
SIMPLE = ("p", "strec", "ttime")
SETS = (("p",), ("strec",), ("ttime",), ("strec", "p"), ("strec", "p", "ttime"))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def scores_of(values: np.ndarray) -> Scores:
    names = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("stm", values.shape, strict=True)]
    return Scores(values, *names)


@pytest.fixture(scope="module")
def dynamic(oracles: Path) -> Scores:
    """TREC Dynamic Domain 2016 after ten iterations."""
    return read_iterations(oracles / "meta" / "dd" / "scores_2016_iterations_1_10.csv.gz")["10"]


def amigo_by_loop(values: np.ndarray, m: int, simple: list[int]) -> tuple[float, int, int, int]:
    """m_ij, set_ij, m_set_ij and the valid cases over ordered pairs, one at a time."""
    improved, unanimous, together, valid = 0.0, 0, 0, 0
    for i, j in permutations(range(len(values)), 2):
        for topic in range(values.shape[1]):
            d = values[i, topic] - values[j, topic]
            if np.isnan(d[[m, *simple]]).any():
                continue
            valid += 1
            improved += 1.0 if d[m] > 0 else 0.5 if d[m] == 0 else 0.0
            unanimous += bool((d[simple] >= 0).all())
            together += bool((d[[m, *simple]] >= 0).all())
    return improved, unanimous, together, valid


def printed_by_loop(values: np.ndarray, m: int, simple: list[int]) -> tuple[float, int, int, int]:
    """Algorithm 2 of albahem2019, line by line."""
    improved, unanimous, together, valid = 0.0, 0, 0, 0
    for i, j in combinations(range(len(values)), 2):
        for topic in range(values.shape[1]):
            d = values[i, topic] - values[j, topic]
            if np.isnan(d[[m, *simple]]).any():
                continue
            valid += 1
            improved += 0.5 if d[m] == 0 else 1.0
            unanimous += bool((d[simple] >= 0).all() or (d[simple] <= 0).all())
            every = d[[m, *simple]]
            together += bool((every >= 0).all() or (every <= 0).all())
    return improved, unanimous, together, valid


def test_the_authors_counts_and_bits(shared: Path) -> None:
    """5,400 rows of 2016 and 2017: ten iterations, fifteen sets, eighteen metrics."""
    rows = 0
    for year in ("2016", "2017"):
        expected = rows_of(shared / "data" / "trec-dd" / f"trec-{year}-mu-simple-metrics.csv")
        sets = [tuple(name.split("+")) for name in dict.fromkeys(row["dimensions"] for row in expected)]
        metrics = tuple(dict.fromkeys(row["metric"] for row in expected))
        simple = list(dict.fromkeys(name for chosen in sets for name in chosen))
        scores = read_iterations(shared / "data" / "trec-dd" / f"trec-all-{year}-evals.csv.gz")
        found = {
            i: unanimity(part, simple=simple, tested=metrics, simple_sets=sets, trials=10) for i, part in scores.items()
        }
        for row in expected:
            result = found[row["iteration"]]
            at = (0, sets.index(tuple(row["dimensions"].split("+"))), metrics.index(row["metric"]))
            counts = (result.improved[at], result.unanimous[at], result.together[at])
            assert counts == tuple(float(row[name]) for name in ("m_ij", "set_ij", "m_set_ij"))
            assert result.bits[at] == pytest.approx(float(row["mu"]), abs=1e-12)
            rows += 1
    assert rows == 5400


def test_table_3_of_albahem2019(shared: Path, oracles: Path) -> None:
    """All 140 ranks: our bits for 2016 and 2017, and the authors' for 2015."""
    first = np.zeros((10, 5, 7))
    for row in rows_of(shared / "data" / "trec-dd" / "trec-2015-mu-simple-metrics.csv"):
        chosen = tuple(row["dimensions"].split("+"))
        if chosen in SETS and row["metric"] in COMPLEX:
            first[int(row["iteration"]) - 1, SETS.index(chosen), COMPLEX.index(row["metric"])] = float(row["mu"])
    wins = (first[..., :, None] > first[..., None, :]).sum(axis=3)
    folder = shared / "data" / "trec-dd"
    paths = [f"{year}={folder / f'trec-all-{year}-evals.csv.gz'}" for year in (2016, 2017)]
    found = standings(
        {
            i: unanimity(part, simple=SIMPLE, tested=COMPLEX, simple_sets=SETS, trials=10)
            for i, part in read_iterations(paths).items()
        }
    )
    total = replace(found, wins=found.wins + wins)
    published = rows_of(oracles / "meta" / "dd" / "table3_published.csv")
    sums = rows_of(shared / "oracles" / "meta" / "dd" / "table3_mu_wins_sum_over_years.csv")
    cells = 0
    for s, chosen in enumerate(SETS):
        for name in ("1", "3", "10", "all"):
            won = total.overall()[s] if name == "all" else total.wins[int(name) - 1, s]
            ranks = total.overall_ranks()[s] if name == "all" else total.ranks()[int(name) - 1, s]
            column = f"{'+'.join(chosen)}@{name}"
            assert won.tolist() == [int(row[column]) for row in sums]
            assert ranks.tolist() == [int(row[column]) for row in published]
            cells += len(ranks)
    assert cells == 140


@pytest.mark.parametrize(("variant", "loop"), [("amigo", amigo_by_loop), ("printed", printed_by_loop)])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), holes=st.booleans())
def test_as_a_plain_loop_counts(variant: str, loop: object, seed: int, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, size=(5, 3, 4)).astype(float)
    if holes:
        values[rng.random(values.shape) < 0.1] = np.nan
    found = unanimity(scores_of(values), simple=["m2", "m3"], simple_sets="all", variant=variant, trials=5)
    nominal = 5 * 4 * 3 / (1 if variant == "amigo" else 2)
    for s, simple in enumerate(([2], [3], [2, 3])):
        for m in range(2):
            improved, unanimous, together, valid = loop(values, m, simple)  # type: ignore[operator]
            assert found.improved[0, s, m] == improved and found.valid[0, s, m] == valid
            assert (found.unanimous[0, s, m], found.together[0, s, m]) == (unanimous, together)
            if unanimous and together:
                bits = np.log2(together / nominal / (improved / nominal * unanimous / nominal))
                assert found.bits[0, s, m] == pytest.approx(bits, abs=1e-12)
            elif unanimous:
                assert found.bits[0, s, m] == -np.inf
            else:
                assert np.isnan(found.bits[0, s, m])


def test_gamma_by_hand() -> None:
    """Strictly unanimous pairs: A over B and A over C by q; the metric follows the first and ties on the second."""
    values = np.array([[[2.0, 3.0]], [[1.0, 2.0]], [[2.0, 2.0]]])
    found = unanimity(scores_of(values), simple=["m1"])
    assert found.gamma.item() == 0.5
    assert found.conditional().item() == 3 / 4  # q ties B and C both ways round; the metric objects to one of them


def test_a_constant_metric_gets_the_most_bits_but_no_gamma_and_is_named() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((6, 10, 3))
    values[:, :, 1] = 0.5
    found = unanimity(scores_of(values), simple=["m2"])
    assert found.bits[0, 0].tolist()[1] == 1.0 == found.bits.max()
    assert found.gamma[0, 0, 1] == 0.0
    assert found.constant[0].tolist() == [False, True]
    assert any(note.startswith("m1 never prefers a system") for note in found.notes)
    assert view_of(found).sentences[0].endswith("bits, and no other metric ever prefers a system.")


def test_more_is_better_whatever_the_direction() -> None:
    values = np.random.default_rng(4).random((5, 6, 3))
    turned = values.copy()
    turned[:, :, 0] *= -1
    assert unanimity(scores_of(turned).costs("m0"), simple=["m2"]).bits == pytest.approx(
        unanimity(scores_of(values), simple=["m2"]).bits
    )


def test_bits_are_a_function_of_the_conditional_probability(dynamic: Scores) -> None:
    """mu = log2(2 N/valid P(joins | unanimous)) in the authors' variant."""
    found = unanimity(dynamic, simple=SIMPLE, simple_sets="all", trials=10)
    expected = np.log2(2 * found.nominal()[0] / found.valid * found.conditional())
    assert found.bits == pytest.approx(expected, abs=1e-12)
    assert found.nominal()[0] == 21 * 20 * 53 and (found.dropped() == 80).all()


def test_intervals_hold_the_estimate_and_repeat_with_the_seed(dynamic: Scores) -> None:
    for interval in ("bootstrap", "jackknife"):
        found = unanimity(dynamic, simple=SIMPLE, simple_sets="each", interval=interval, seed=5)
        assert ((found.bits_low < found.bits) & (found.bits < found.bits_high)).all()
        assert ((found.gamma_low < found.gamma) & (found.gamma < found.gamma_high)).all()
        assert (found.gamma_high <= 1).all()
        assert result_json(found) == result_json(
            unanimity(dynamic, simple=SIMPLE, simple_sets="each", interval=interval, seed=5)
        )
        p = found.p[0]
        off = ~np.eye(7, dtype=bool)
        assert p[:, off] == pytest.approx(p.swapaxes(1, 2)[:, off])
    # runs as well as topics vary, so that the jackknife is the more careful one
    both = [unanimity(dynamic, simple=SIMPLE, interval=kind) for kind in ("bootstrap", "jackknife")]
    widths = [float((found.bits_high - found.bits_low).mean()) for found in both]
    assert widths[0] < widths[1]
    assert both[1].wins(significant=True).sum() < both[0].wins(significant=True).sum() <= both[0].wins().sum()


def test_the_bootstrap_covers_what_more_topics_would_show() -> None:
    rng = np.random.default_rng(11)
    gold = rng.normal(size=(8, 1)) / 2 + rng.normal(size=(8, 4000))
    values = np.stack([gold + rng.normal(size=gold.shape), gold], axis=2)
    truth = unanimity(scores_of(values), simple=["m1"], trials=2).bits.item()
    inside = 0
    for part in range(100):
        found = unanimity(scores_of(values[:, part * 40 : part * 40 + 40]), simple=["m1"], trials=300, seed=part)
        inside += found.bits_low.item() <= truth <= found.bits_high.item()
    assert 88 <= inside <= 99


def test_standings_say_how_two_rankings_agree() -> None:
    assert dense_ranks(np.array([[3, 3, 1], [0, 5, 2]])).tolist() == [[1, 1, 2], [3, 1, 2]]
    rho, p = rank_agreement(np.arange(7), np.arange(7)[::-1], exact=True)
    assert rho == -1 and p == pytest.approx(2 / 5040)
    with pytest.raises(InputError, match="too many"):
        rank_agreement(np.arange(9), np.arange(9), exact=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: unanimity(s, simple=["m0", "m1", "m2"]), "at least 1"),
        (lambda s: standings({}), "at least one result"),
        (lambda s: standings({"1": unanimity(s, simple=["m2"]), "2": unanimity(s, simple=["m1"])}), "Round '2'"),
    ],
)
def test_what_cannot_be_done_is_said(call: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(scores_of(np.random.default_rng(0).random((4, 5, 3))))  # type: ignore[operator]


def test_it_is_shown_and_drawn(dynamic: Scores) -> None:
    found = unanimity(dynamic, simple=SIMPLE, simple_sets="all")
    shown = view_of(found)
    assert shown.sentences[-2].startswith(
        "By p+strec+ttime, nct has a unanimity of 0.939 bits. That is significantly more than "
    )
    assert "does not show which is the best" in shown.sentences[-1]
    spec = shown.charts[0][1]().to_dict()
    assert spec["columns"] == 3 and "p+strec+ttime" in str(spec)
    table = view_of(standings({"10": found})).tables[0]
    assert len(table.rows) == 49 and table.columns == ("simple", "metric", "@10", "all", "wins")
    assert result_json(result_from_json(result_json(standings({"10": found})))) == result_json(standings({"10": found}))


def test_standings_are_drawn_as_ranks_by_round() -> None:
    found = Standings(("a", "b"), (("p",), ("q",)), ("1", "2"), np.array([[[3, 1], [0, 0]], [[0, 1], [0, 0]]]))
    shown = view_of(found)
    assert shown.sentences == (
        "By p, a won most often over all rounds.",
        "By q, no metric won against another over all rounds.",
    )
    cells = dict(shown.charts)["standings"]().to_dict()["data"]["values"]
    assert len(cells) == 2 * 2 * 3
    assert {"simple": "p", "metric": "b", "round": "@2", "rank": 1} in cells


def test_rounds_are_summed_and_each_is_kept() -> None:
    rng = np.random.default_rng(0)
    cubes = {str(n): scores_of(rng.random((4, 5, 3))) for n in range(2)}
    found = standings_by_round(lambda scores: unanimity(scores, simple=("m2",), trials=20), cubes)
    assert found.rounds == ("0", "1") and len(found.each) == 2
    assert dict(found.ranked())["m0"] == sum(dict(one.ranked())["m0"] for one in found.each)
    again = result_from_json(result_json(found))
    assert again.each[1].settings.simple == ("m2",) and again.ranked() == found.ranked()


def test_what_means_nothing_with_the_jackknife_is_refused() -> None:
    scores = scores_of(np.random.default_rng(0).random((4, 5, 3)))
    with pytest.raises(InputError, match="does not resample; leave out trials=5"):
        unanimity(scores, simple=("m2",), interval="jackknife", trials=5)
    with pytest.raises(InputError, match=r"resampled at 0\.95"):
        unanimity(scores, simple=("m2",), trials=20).interval(0.9)


def test_the_record_has_the_number_of_resamples_only_if_there_are_some() -> None:
    scores = Scores(np.random.default_rng(0).random((5, 6, 2)), tuple("abcde"), tuple("123456"), ("m", "s"))
    drawn = unanimity(scores, simple=("s",)).provenance()["parameters"]
    assert (drawn["trials"], drawn["seed"]) == (2000, 0)
    left_out = unanimity(scores, simple=("s",), interval="jackknife").provenance()["parameters"]
    assert not {"trials", "seed"} & set(left_out)
