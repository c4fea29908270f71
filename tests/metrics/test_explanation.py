"""What a metric models, rank by rank: lengths of results, and what an empty list scores."""

import pytest

import irassay as ia
from irassay.errors import InputError


@pytest.mark.parametrize("lengths", ["300,50,1200", [300, 50, 1200.0]])
def test_lengths_are_those_of_results_from_the_top(lengths: object) -> None:
    read = [200 + 0.2 * 300, 200, 200 + 0.2 * 1200]  # a snippet each, and a fifth of what is relevant
    expected = 1 / 4 * (1 - read[0] / 132000) + 3 / 4 * (1 - sum(read) / 132000)
    assert ia.explain("U", "1,0,2", lengths=lengths).score == pytest.approx(expected, abs=1e-12)
    assert ia.explain("RBP(effort='words')", "1,0,2", lengths=lengths).cost.tolist()[:3] == [300, 50, 1200]


@pytest.mark.parametrize("lengths", ["300,50", "1,x,3", "1,2,-3", "1,2,nan", 5])
def test_lengths_that_do_not_fit_are_refused(lengths: object) -> None:
    with pytest.raises(InputError, match="lengths must be"):
        ia.explain("U", "1,0,2", lengths=lengths)


def test_a_metric_that_needs_lengths_asks_for_them() -> None:
    with pytest.raises(InputError, match="U needs the length of each result; give them from the top"):
        ia.explain("U", "1,0")


@pytest.mark.parametrize("metric", ["U", "AP", "INST"])
def test_what_an_empty_list_scores_is_said(metric: str) -> None:
    explained = ia.explain(metric, "1,0,2", lengths="300,50,1200")
    assert "an empty list scores 0" in str(explained.view())


@pytest.mark.parametrize("ranking", ["", " ", []])
def test_a_ranking_without_results_is_refused_and_not_replaced_by_the_example(ranking: object) -> None:
    with pytest.raises(InputError, match="at least one result, as in 1,0,2; found none"):
        ia.explain("AP", ranking)
    assert ia.explain("AP").score == ia.explain("AP", "1,0,2,0,0,1").score


@pytest.mark.parametrize(
    ("metric", "ranking"), [("sDCG", "1,0,2"), ("CT", "ab,x,a"), ("alpha_nDCG", "ab,x,a"), ("Compat", "1,0,2")]
)
def test_no_gain_is_shown_for_a_metric_that_does_not_score_by_the_gain_of_a_grade(metric: str, ranking: str) -> None:
    (table,) = ia.explain(metric, ranking).view().tables
    assert table.columns == ("rank", "result", "earned", "so far")


@pytest.mark.parametrize(
    ("metric", "gain"),
    [("nDCG", [1, 0, 2]), ("GAP", [0.4, 0, 1]), ("R", [1, 0, 1]), ("sINSQ", [0.5, 0, 1]), ("RBP", [0.5, 0, 1])],
)
def test_the_gain_shown_is_that_of_the_metric(metric: str, gain: list[float]) -> None:
    assert ia.explain(metric, "1,0,2").gain[:3].tolist() == gain
