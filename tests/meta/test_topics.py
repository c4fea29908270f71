"""Topics: scores by topic against a plain loop, shares of ranks that add up, the pair that is compared."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import irassay as ia
from irassay.errors import InputError
from irassay.meta.topics import Topics, topics, topics_of
from irassay.metrics.grammar import catalogue
from irassay.scores import Scores
from irassay.views.formats import view_text

INPUTS = Path(__file__).parents[1] / "oracles" / "inputs" / "adhoc"
QRELS, RUNS = str(INPUTS / "qrels.txt"), [str(INPUTS / f"run{letter}.txt") for letter in "ABC"]
PLAIN = [  # what plain runs and judgements of any scale can be scored by
    name
    for name, metric in catalogue().items()
    if not metric.meaning.needs - {"pool"} and not {"h", "L", "metric"} & metric.meaning.defaults.keys()
]


def test_differences_are_those_of_the_scores_topic_by_topic() -> None:
    found = topics(RUNS[:2], QRELS, "AP")
    scores = ia.score(RUNS[:2], QRELS, "AP")
    d = scores.values[0, :, 0] - scores.values[1, :, 0]
    assert found.pair == scores.systems and np.abs(found.difference - d).max() < 1e-12
    told = stats.ttest_rel(scores.values[0, :, 0], scores.values[1, :, 0])
    assert found.p == pytest.approx(told.pvalue, abs=1e-9)
    assert found.interval() == pytest.approx(tuple(told.confidence_interval(0.95)), abs=1e-9)
    for t in range(len(d)):
        rest = np.delete(scores.values[:, :, 0], t, axis=1)
        assert found.without[0][t] == pytest.approx((rest[0] - rest[1]).mean(), abs=1e-12)
        assert found.without[1][t] == pytest.approx(stats.ttest_rel(*rest).pvalue, abs=1e-9)
    assert [name for name, _ in found.ranked()] == [scores.topics[t] for t in np.argsort(-d, kind="stable")]


@pytest.mark.parametrize("name", [*PLAIN, "nDCG@5", "RBP(A='AVG')", "AP(judged_only=True)", "INST(A='MAX')@7", "AP@3"])
@pytest.mark.parametrize("topic", ["1", "5", "7", "10"])
def test_shares_of_ranks_add_up_to_the_difference_of_scores(name: str, topic: str) -> None:
    found = topics(RUNS[::2], QRELS, name, topic=topic)
    one = found.one
    assert one is not None
    scores = ia.score(RUNS[::2], QRELS, name).select(topics=[topic]).values[:, 0, 0]
    assert one.score == pytest.approx(scores, abs=1e-12)  # nobody answers topic 7, which then scores 0 by policy
    whole = one.share.sum() + one.past_share
    assert whole == pytest.approx(one.score[0] - one.score[1], abs=1e-12)


def test_terms_of_ndcg_are_gain_by_discount_by_ideal() -> None:
    one = topics(RUNS[:2], QRELS, "nDCG@10", topic="1").one
    assert one is not None
    grades = sorted(int(line.split()[3]) for line in Path(QRELS).read_text().splitlines() if line.split()[0] == "1")
    ideal = sum(max(g, 0) / np.log2(i + 2) for i, g in enumerate(grades[::-1][:10]))
    for n in (0, 1):
        terms = one.gain[n] / np.log2(np.arange(2, 12)) / ideal
        assert one.adds[n] == pytest.approx(terms, abs=1e-12)


def test_a_document_is_found_in_the_other_list() -> None:
    one = topics(RUNS[:2], QRELS, "AP", topic="1").one
    assert one is not None
    for n in (0, 1):
        for rank, doc in enumerate(one.documents[n], 1):
            at = one.elsewhere[n][rank - 1]
            assert (at == 0 and doc not in one.documents[1 - n]) or one.documents[1 - n][at - 1] == doc


def cube(**more: object) -> ia.Scores:
    values = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.4, 0.6, 0.6, 0.8]])[:, :, None]
    return ia.Scores(values, ("A", "B", "C"), tuple("1234"), ("m",), **more)  # type: ignore[arg-type]


def test_of_several_systems_the_best_two_are_compared_or_the_best_with_the_baseline() -> None:
    assert topics_of(cube()).pair == ("B", "C")
    assert topics_of(cube(higher_is_better=(False,))).pair == ("A", "C")
    assert topics_of(cube(), baseline="B").pair == ("C", "B")
    assert topics_of(cube(), pair=("A", "C")).pair == ("A", "C")
    assert topics_of(cube(), pair="A,C").pair == topics_of(cube(), pair=("A, C",)).pair == ("A", "C")
    assert "p and intervals are not corrected for that choice" in str(topics_of(cube()))


def test_the_systems_that_a_pair_was_chosen_from_are_counted_once_and_not_at_all_where_there_was_no_choice() -> None:
    text = str(topics_of(cube(), baseline="B"))
    assert text.count("C is the best of 2 other systems") == 1 and "not corrected for that choice" in text
    two = topics_of(cube().select(systems=["A", "B"]), baseline="A")
    assert two.pair == ("B", "A") and "chosen" not in str(two) and "choice" not in str(two)


def test_a_table_in_latex_says_who_is_a_and_who_b() -> None:
    assert r"\caption{m by topic, largest differences first; A is A, B C.}" in topics_of(cube(), pair="A,C").to_latex()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pair": ("A",)}, "two different runs"),
        ({"pair": ("A", "X")}, "no system 'X' to use as"),
        ({"pair": "A,X"}, "no system 'X' to use as"),
        ({"baseline": "X"}, "no system 'X' to use as"),
        ({"pair": ("A", "B"), "baseline": "C"}, "not both"),
        ({"alpha": 2.0}, "between 0 and 1"),
    ],
)
def test_what_makes_no_pair_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        topics_of(cube(), **given)  # type: ignore[arg-type]


def test_a_topic_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"no such topic; there are 1, 2"):
        topics(RUNS[:2], QRELS, "AP", topic="999")


def test_many_topics_and_systems_share_bars_and_cells_and_the_picture_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    names = tuple(f"s{n}" for n in range(130)), tuple(f"t{n}" for n in range(900))
    found = topics_of(ia.Scores(rng.random((130, 900, 1)), *names, ("m",)))
    charts = dict(found.view().charts)
    bars, heat = (charts[name]().to_dict() for name in ("differences", "heat-map"))
    assert "means of up to 4 neighbours" in bars["title"]["subtitle"]
    assert "up to 3 systems and up to 8 topics" in heat["title"]["subtitle"]
    assert sum(map(len, heat["datasets"].values()) if "datasets" in heat else [len(heat["data"]["values"])]) <= 60 * 120
    assert isinstance(found, Topics)


def test_scores_of_any_tool_give_the_same_as_the_runs(tmp_path: Path) -> None:
    scores = ia.score(RUNS[:3], QRELS, ["AP", "nDCG@10"])
    path = tmp_path / "scores.tsv"
    path.write_text(view_text(scores.view(long=True, by_topic=True), "tsv"))
    by_runs, by_table = topics(RUNS[:3], QRELS, "AP"), topics(ia.read_scores(path))
    assert by_table.pair == by_runs.pair and by_table.metric == "AP"
    np.testing.assert_array_equal(by_table.difference, by_runs.difference)
    assert any("compared under AP only; 1 other metric left out" in str(note) for note in by_table.notes)
    with pytest.raises(InputError, match="needs rankings, not score tables"):
        topics(scores, topic="1")
    with pytest.raises(InputError, match="Give runs and judgements, or a table of scores"):
        topics(RUNS[:2])


def two(first: list[float], second: list[float]) -> Topics:
    values = np.array([first, second])[:, :, None]
    return topics_of(ia.Scores(values, ("A", "B"), tuple(map(str, range(len(first)))), ("m",)))


def test_differences_that_are_rounding_alone_are_ties() -> None:
    """0.1 + 0.2 is not 0.3 to a computer; the two systems tie there, and the topic is not what they differ by."""
    found = two([0.1 + 0.2, 0.5, 0.9], [0.3, 0.1, 0.2])
    assert found.difference[0] == 0 and (found.difference[1:] > 0).all()


def test_differences_that_cancel_leave_no_mean_difference() -> None:
    """The sum of 0.1, 0.2 and -0.3 is 5.6e-17 to a computer."""
    found = two([0.1, 0.2, 0.0], [0.0, 0.0, 0.3])
    assert float(np.mean([0.1, 0.2, -0.3])) != 0
    assert found.mean_difference == 0 and found.p == 1 and len(found.sign_lost) == 0


def test_an_interval_may_have_a_level_of_its_own() -> None:
    a, b = [0.1, 0.5, 0.9, 0.4], [0.3, 0.1, 0.2, 0.4]
    expected = stats.ttest_rel(a, b).confidence_interval(0.8)
    assert two(a, b).interval(0.8) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize(("up", "hardest", "best"), [(True, [0, 2, 1, 3], "BCA"), (False, [3, 1, 2, 0], "ACB")])
def test_costs_are_best_where_they_are_low_and_topics_hard_where_they_are_high(
    up: bool, hardest: list[int], best: str
) -> None:
    found = topics_of(cube(higher_is_better=(up,)))
    assert found.hardest().tolist() == hardest
    assert [found.systems[s] for s in found.best_first()] == list(best)


def test_the_name_of_one_run_is_not_taken_apart_at_its_comma() -> None:
    scores = ia.Scores(cube().values, ("A", "B", "A,B"), tuple("1234"), ("m",))
    with pytest.raises(InputError, match="two different runs"):
        topics_of(scores, pair="A,B")
    assert topics_of(scores, pair=("A,B", "A")).pair == ("A,B", "A")


def test_equal_differences_have_the_p_of_their_signs_and_not_0() -> None:
    """Without spread t is infinite; that all of five differences have the same sign has a probability of 1/16."""
    found = two([0.5] * 5, [0.25] * 5)
    assert found.p == 1 / 16 and not found.significant
    assert found.without[1].tolist() == [1 / 8] * 5


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(InputError, match="two different runs"):
        topics_of(cube(), pair=("A", "A"))


def test_a_metric_that_is_no_mean_over_topics_is_said_to_be_looked_at_by_the_mean() -> None:
    for name, noted in (("GMAP", True), ("AP", False)):
        notes = topics(RUNS[:2], QRELS, name).notes
        assert any("here arithmetic means are compared" in note for note in notes) == noted


def test_without_the_only_topic_that_is_different_p_is_that_of_the_signs_of_the_others() -> None:
    """Three equal differences have the same sign with a probability of 1/4, and no p of 1e-17 by rounding."""
    found = two([0.6, 0.6, 0.6, 0.9], [0.3, 0.3, 0.3, 0.1])
    assert found.without[1][3] == 1 / 4 and (found.without[1][:3] < 1 / 4).all()


def test_topics_without_a_difference_have_no_class_in_the_legend() -> None:
    values = np.array([[0.5, 0.4, 0.3, 0.2], [0.5, 0.1, 0.3, 0.2]])[:, :, None]
    scores = Scores(values, ("a", "b"), tuple("1234"), ("AP",))
    spec = json.dumps(dict(ia.topics(scores).view().charts)["differences"]().to_dict())
    assert '"domain": ["a"]' in spec and '"domain": ["a", "b"]' not in spec
