"""The intuitiveness test: the published tables, the authors' counts, and a plain loop over every case."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.io.tables import read_iterations
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.wins_by_round import dense_ranks, rank_agreement, standings
from irassay.results import result_json
from irassay.scores import Scores
from irassay.stats.clusters import sign_flip, two_way_error
from irassay.views.view import view_of

COMPLEX = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
SIMPLE = ("p", "strec", "ttime")
ALL = "strec+p+ttime"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def dynamic(oracles: Path) -> dict[str, Scores]:
    """TREC Dynamic Domain 2016 after one and ten iterations."""
    return read_iterations(oracles / "meta" / "dd" / "scores_2016_iterations_1_10.csv.gz")


def counted_by_loop(values: np.ndarray, complex_: int, ties: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cases, disagreements and correct [metric, other] of scores [system, topic, metric], one case at a time."""
    cases, apart, correct = np.zeros((3, complex_, complex_), dtype=int)
    for i, j in combinations(range(len(values)), 2):
        for topic in range(values.shape[1]):
            d = np.sign(np.round(values[i, topic] - values[j, topic], 9))
            simple = d[complex_:]
            for a in range(complex_):
                for b in range(complex_):
                    if np.isnan([d[a], d[b], *simple]).any():
                        continue
                    cases[a, b] += 1
                    if d[a] * d[b] < 0:
                        apart[a, b] += 1
                        agree = simple * d[a]
                        correct[a, b] += bool((agree > 0).all() if ties == "strict" else (agree >= 0).all())
    return cases, apart, correct


def scores_of(values: np.ndarray) -> Scores:
    systems, topics, metrics = values.shape
    names = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("stm", (systems, topics, metrics), strict=True)]
    return Scores(values, *names)


@pytest.mark.parametrize("iteration", ["1", "10"])
def test_table_1_of_albahem2019(dynamic: dict[str, Scores], oracles: Path, iteration: str) -> None:
    found = intuitiveness(dynamic[iteration], simple=SIMPLE)
    assert found.metrics == COMPLEX
    published = [
        row for row in rows_of(oracles / "meta" / "dd" / "table1_published.csv") if row["iteration"] == iteration
    ]
    assert len(published) == 21
    share, rate, beats = found.shares()[0, 0], found.disagreement_rate()[0, 0], found.beats("binomial")[0, 0]
    for row in published:
        a, b = COMPLEX.index(row["left"]), COMPLEX.index(row["right"])
        assert found.cases[0, 0, a, b] == 11_090
        assert (f"{share[a, b]:.4f}", f"{share[b, a]:.4f}") == (row["int_left"], row["int_right"])
        assert (beats[a, b], beats[b, a]) == (row["sig_left"] == "1", row["sig_right"] == "1")
        assert f"{100 * rate[a, b]:.2f}" == row["disagree_pct"]


def test_eleven_of_the_29_published_marks_hold_with_topics_as_clusters(dynamic: dict[str, Scores]) -> None:
    found = [intuitiveness(scores, simple=SIMPLE) for scores in dynamic.values()]
    assert [result.survivors("binomial") for result in found] == [(15, 15), (14, 14)]
    assert sum(result.survivors("topics")[0] for result in found) == 11
    assert [result.survivors("runs")[0] for result in found] == [3, 5]
    for result in found:
        unmarked = ~result.beats("binomial")
        assert not (unmarked & result.beats("topics")).any()


def test_counts_and_sign_tests_for_seven_sets_of_simple_metrics(shared: Path) -> None:
    """5,880 rows: 2016 and 2017, ten iterations, with the row of means counted as a topic and without."""
    expected = rows_of(shared / "oracles" / "meta" / "dd" / "intuitiveness_expected.csv")
    assert len(expected) == 5880
    sets = [tuple(name.split("+")) for name in dict.fromkeys(row["simple"] for row in expected)]
    found = {}
    for year in ("2016", "2017"):
        for kind in ("exclude", "include"):
            for iteration, scores in dd_scores(shared, year, kind == "include").items():
                found[year, kind, iteration] = intuitiveness(
                    scores, simple=SIMPLE, tested=COMPLEX, simple_sets=sets, trials=1
                )
    for row in expected:
        result = found[row["year"], row["all_row"], row["iteration"]]
        at = (0, sets.index(tuple(row["simple"].split("+"))), COMPLEX.index(row["left"]), COMPLEX.index(row["right"]))
        mirror = (*at[:2], at[3], at[2])
        counts = (result.cases[at], result.disagreements[at], result.correct[at], result.correct[mirror])
        names = ("total", "disagreements", "correct_left", "correct_right")
        assert counts == tuple(int(row[name]) for name in names)
        assert result.binomial[at] == pytest.approx(float(row["sign_test_p"]), rel=1e-9)
    for row in rows_of(shared / "oracles" / "meta" / "dd" / "significant_wins.csv"):
        if row["year"] == "2015":  # only the authors' counts are there, no scores
            continue
        result = found[row["year"], row["all_row"], row["iteration"]]
        won = result.wins("binomial")[0, sets.index(tuple(row["simple"].split("+")))]
        assert won.tolist() == [int(row[name]) for name in COMPLEX]


def dd_scores(shared: Path, year: str, with_means: bool) -> dict[str, Scores]:
    """The scores of a year by iteration; with the row of means as one more topic, as the authors' tables have it."""
    import polars as pl

    path = shared / "data" / "trec-dd" / f"trec-all-{year}-evals.csv.gz"
    if not with_means:
        return read_iterations(path)
    frame = pl.read_csv(path, schema_overrides={"topic": pl.String})
    iterations = {}
    for (iteration,), part in frame.group_by("iteration"):
        runs, topics = (tuple(part[name].unique(maintain_order=True)) for name in ("run", "topic"))
        values = np.full((len(runs), len(topics), 10), np.nan)
        run, topic = (
            [names.index(name) for name in part[column]] for names, column in ((runs, "run"), (topics, "topic"))
        )
        values[run, topic] = part.select(*COMPLEX, *SIMPLE).to_numpy()
        named = tuple("means" if name == "all" else name for name in topics)
        iterations[str(iteration)] = Scores(values, runs, named, (*COMPLEX, *SIMPLE))
    return iterations


def test_table_4_of_albahem2019_from_its_tables_2_and_3(oracles: Path) -> None:
    folder = oracles / "meta" / "dd"
    second, third = rows_of(folder / "table2_published_repaired.csv"), rows_of(folder / "table3_published.csv")
    published = rows_of(folder / "table4.csv")
    assert len(published) == 20
    for row in published:
        column = f"{row['simple']}@{row['iteration']}"
        ranks = [np.array([int(line[column]) for line in table]) for table in (second, third)]
        rho, p = rank_agreement(*ranks)
        assert f"{rho:.2f}" == f"{float(row['published_rho']):.2f}"
        assert (p < 0.05) == (row["published_star"] == "1")
        assert rho == pytest.approx(float(row["rho_from_tables"]), abs=1e-12)
        assert p == pytest.approx(float(row["p_from_tables"]), abs=1e-9)


def test_ranks_of_table_2_where_2015_is_known(shared: Path, oracles: Path) -> None:
    """All three dimensions: our counts of 2016 and 2017, and the authors' of 2015, which count means as a topic."""
    from scipy.stats import binomtest

    wins = np.zeros((10, 7), dtype=np.int64)
    for row in rows_of(shared / "oracles" / "meta" / "dd" / "intuitiveness_2015_repo_counts_include_all.csv"):
        left, right = (int(float(row[f"{side}_disagree_wins"])) for side in ("left", "right"))
        if row["simple-metrics"] == ALL and left > right and binomtest(left, left + right).pvalue < 0.05:
            wins[int(row["iteration"]) - 1, COMPLEX.index(row["left"])] += 1
    folder = shared / "data" / "trec-dd"
    paths = [f"{year}={folder / f'trec-all-{year}-evals.csv.gz'}" for year in (2016, 2017)]
    both = {
        i: intuitiveness(scores, simple=SIMPLE, tested=COMPLEX, trials=1)
        for i, scores in read_iterations(paths).items()
    }
    ours = standings(both, test="binomial")
    assert ours.rounds == tuple(map(str, range(1, 11))) and both["1"].collections == ("2016", "2017")
    total = ours.wins[:, 0] + wins
    published = rows_of(oracles / "meta" / "dd" / "table2_published_repaired.csv")
    for name, counts in (("1", total[0]), ("3", total[2]), ("all", total.sum(axis=0))):
        assert dense_ranks(counts).tolist() == [int(row[f"{ALL}@{name}"]) for row in published]


@pytest.mark.parametrize("ties", ["strict", "lenient"])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), holes=st.booleans())
def test_as_a_plain_loop_counts(ties: str, seed: int, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(5, 3, 5)).astype(float)  # few values, so that there are many ties
    if holes:
        values[rng.random(values.shape) < 0.1] = np.nan
    found = intuitiveness(scores_of(values), simple=["m3", "m4"], ties=ties, trials=10)
    cases, apart, correct = counted_by_loop(values, 3, ties)
    off = ~np.eye(3, dtype=bool)
    assert found.cases[0, 0][off].tolist() == cases[off].tolist()
    assert found.disagreements[0, 0][off].tolist() == apart[off].tolist()
    assert found.correct[0, 0][off].tolist() == correct[off].tolist()
    assert (found.dropped()[0, 0][off] == 30 - cases[off]).all()


def test_topics_in_blocks_give_the_same(dynamic: dict[str, Scores], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = intuitiveness(dynamic["10"], simple=SIMPLE, simple_sets="all")
    monkeypatch.setattr("irassay.meta.pair_verdicts.CELLS_AT_ONCE", 1)
    pieces = intuitiveness(dynamic["10"], simple=SIMPLE, simple_sets="all")
    assert result_json(whole) == result_json(pieces)


def test_every_combination_of_simple_metrics() -> None:
    scores = scores_of(np.random.default_rng(0).random((4, 5, 5)))
    found = intuitiveness(scores, simple=["m2", "m3", "m4"], simple_sets="all", trials=10)
    assert len(found.sets) == 7 and found.sets[0] == ("m2",) and found.sets[-1] == ("m2", "m3", "m4")
    alone = intuitiveness(scores, simple=["m3"], tested=["m0", "m1"], trials=10)
    assert (found.correct[0, 1] == alone.correct[0, 0]).all()
    # the larger the set, the fewer the cases in which all of it agrees
    assert (found.correct[0, 6] <= found.correct[0, 1]).all()


def test_direction_of_a_cost_matters_and_can_be_declared() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((6, 8, 3))
    as_cost = values.copy()
    as_cost[:, :, 2] *= -1
    gain = intuitiveness(scores_of(values), simple=["m2"], trials=10)
    cost = intuitiveness(scores_of(as_cost).costs("m2"), simple=["m2"], trials=10)
    assert (gain.correct == cost.correct).all()
    assert (intuitiveness(scores_of(as_cost), simple=["m2"], trials=10).correct == gain.correct.swapaxes(2, 3)).all()


def test_collections_are_kept_apart() -> None:
    rng = np.random.default_rng(1)
    values = np.full((8, 10, 4), np.nan)
    values[:4, :6], values[4:, 6:] = rng.random((4, 6, 4)), rng.random((4, 4, 4))
    both = scores_of(values)
    both = Scores(both.values, both.systems, ("1", "2", "3", "4", "5", "6", "1", "2", "3", "4"), both.metrics,
                  collection=("a",) * 6 + ("b",) * 4)  # fmt: skip
    found = intuitiveness(both, simple=["m3"], trials=100)
    assert found.collections == ("a", "b") and found.systems == (4, 4) and found.topics == (6, 4)
    assert found.cases[:, 0, 0, 1].tolist() == [36, 24] and not found.dropped().any()
    for c, part in enumerate((values[:4, :6], values[4:, 6:])):
        alone = intuitiveness(scores_of(part), simple=["m3"], trials=100)
        assert (found.correct[c] == alone.correct[0]).all()
        assert found.by_topic[c] == pytest.approx(alone.by_topic[0])
    ranked = found.ranked(test="none")
    assert sum(wins for _, wins in ranked) == found.beats("none").sum() == sum(found.wins("none").ravel())


def test_the_clustered_tests_hold_their_level_where_the_sign_test_does_not() -> None:
    """Two metrics that favour systems of their own by chance: neither is more intuitive."""
    rng = np.random.default_rng(7)
    rejected = np.zeros(3)
    for _ in range(60):
        gold = rng.normal(size=(12, 1)) / 2 + rng.normal(size=(12, 25))
        two = [gold + rng.normal(size=(12, 1)) / 2 + rng.normal(size=(12, 25)) / 2 for _ in range(2)]
        found = intuitiveness(scores_of(np.stack([*two, gold], axis=2)), simple=["m2"], trials=199)
        rejected += [found.p(test)[0, 0, 0, 1] < 0.05 for test in ("binomial", "topics", "runs")]
    assert rejected[0] > 20 and rejected[2] <= 8
    assert rejected[2] < rejected[1] < rejected[0]


def test_two_way_error_of_a_sum_of_system_and_topic_effects() -> None:
    """For the mean over pairs of a linear statistic J_S, J_T and J_ST can be worked out by leaving out by hand."""
    rng = np.random.default_rng(5)
    pairs = rng.normal(size=(6, 5, 5))
    pairs = (pairs + pairs.swapaxes(1, 2)) * ~np.eye(5, dtype=bool)  # [topic, system, other]
    counts = pairs.sum(axis=2).astype(np.float32)
    sizes = np.full((6, 5), 4, dtype=np.float32)

    def mean(topics: list[int], systems: list[int]) -> float:
        kept = [pairs[t, i, j] for t in topics for i in systems for j in systems if i < j]
        return float(np.mean(kept))

    topics, systems = list(range(6)), list(range(5))
    less_s = np.array([mean(topics, [i for i in systems if i != s]) for s in systems])
    less_t = np.array([mean([u for u in topics if u != t], systems) for t in topics])
    both = np.array(
        [[mean([u for u in topics if u != t], [i for i in systems if i != s]) for s in systems] for t in topics]
    )
    cross = both - less_s - less_t[:, None] + mean(topics, systems)
    J_S, J_T = 4 / 5 * ((less_s - less_s.mean()) ** 2).sum(), 5 / 6 * ((less_t - less_t.mean()) ** 2).sum()
    variance = J_S + J_T - 4 / 5 * 5 / 6 * (cross**2).sum()
    expected = np.sqrt(variance if variance > 0 else max(J_S, J_T))
    assert two_way_error((counts, sizes), lambda total, n: total / n) == pytest.approx(expected, rel=1e-5)


def test_sign_flips_are_counted_out_where_clusters_are_few() -> None:
    sums = np.array([[2.0, 3.0, 1.0, 0.0], [5.0, 5.0, 5.0, -5.0]])
    assert sign_flip(sums, trials=1000).tolist() == [0.25, 0.625]
    many = np.random.default_rng(0).normal(size=(3, 40))
    assert (sign_flip(many, 500, seed=1) == sign_flip(many, 500, seed=1)).all()
    assert (sign_flip(many, 500) >= 1 / 501).all()


def test_metrics_that_never_disagree_have_no_share() -> None:
    values = np.random.default_rng(2).random((5, 4, 1)).repeat(3, axis=2)
    found = intuitiveness(scores_of(values), simple=["m2"])
    assert np.isnan(found.shares()).all() and not found.beats().any()
    assert found.binomial[0, 0].tolist() == found.by_topic[0, 0].tolist() == [[1, 1], [1, 1]]
    assert "no metric is significantly more intuitive" in view_of(found).sentences[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: intuitiveness(s, simple=[]), "No simple metric"),
        (lambda s: intuitiveness(s, simple=["x"]), "have no metric x"),
        (lambda s: intuitiveness(s, simple=["m1", "m2"]), "at least 2"),
        (lambda s: intuitiveness(s, simple=["m2"], tested=["m0", "m2"]), "both"),
        (lambda s: intuitiveness(s, simple=["m2"], simple_sets=[["m1"]]), "simple metric 'm1'"),
        (lambda s: intuitiveness(s, simple=["m2"]).p("odd"), "expected one of topics, runs, binomial, none"),
        (lambda s: intuitiveness(s.select(systems=["s0"]), simple=["m2"]), "two systems"),
    ],
)
def test_what_cannot_be_done_is_said(call: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(scores_of(np.random.default_rng(0).random((4, 5, 3))))  # type: ignore[operator]


def test_several_simple_metrics_may_be_given_as_one_list() -> None:
    values = np.random.default_rng(0).random((4, 6, 4))
    scores = Scores(values, tuple("ABCD"), tuple("123456"), ("AP", "RR", "nDCG@10", "P@10"))
    together, one_by_one = (intuitiveness(scores, simple=names, trials=20) for names in (("RR,P@10",), ("RR", "P@10")))
    assert together.sets == one_by_one.sets == (("RR", "P@10"),)


def test_it_is_shown_and_drawn(dynamic: dict[str, Scores]) -> None:
    found = intuitiveness(dynamic["10"], simple=SIMPLE)
    shown = view_of(found)
    assert shown.sentences[0].startswith("By p+strec+ttime, nct is significantly more intuitive")
    assert "Of 14 significant differences by the sign test over cases, 7 hold" in shown.sentences[2]
    assert any("40 cases" in note for note in shown.notes)
    spec = shown.charts[0][1]().to_dict()
    assert len(spec["layer"]) == 2 and ".042+" in str(spec)
