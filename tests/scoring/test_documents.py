"""Runs and judgements whose documents or subtopics do not belong together are not scored in silence."""

import pytest

import irassay as ia
from irassay.errors import InputError

QRELS = {"1": {"WSJ1": 1, "WSJ2": 0}, "2": {"WSJ3": 1}}


def test_runs_that_share_no_document_with_the_judgements_are_refused() -> None:
    run = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}}
    with pytest.raises(InputError, match=r"no result is judged in judgements; .* the run has d1, d2, d3, .* have WSJ"):
        ia.score(run, QRELS, ["AP"])


def test_one_run_of_several_that_shares_none_is_a_note() -> None:
    scores = ia.score({"A": {"1": {"d1": 2.0}}, "B": {"1": {"WSJ1": 1.0}}}, QRELS, ["AP"])
    assert [note for note in map(str, scores.notes) if "no result is judged" in note and "A" in note]


def test_a_run_with_hardly_any_judged_result_is_a_note() -> None:
    run = {str(t): {f"d{i}": 20.0 - i for i in range(10)} for t in range(30)} | {"1": {"WSJ1": 1.0}}
    qrels = {str(t): {"x": 1} for t in range(30)} | {"1": {"WSJ1": 1}}
    assert any(
        "fewer than 1 % of the first 10 results are judged" in str(n) for n in ia.score(run, qrels, ["AP"]).notes
    )


def test_a_judging_round_is_not_taken_for_the_subtopic() -> None:
    import polars as pl

    rounds = pl.DataFrame(
        [("1", "1", "a", 1), ("1", "2", "b", 0), ("1", "1.5", "c", 1)],
        schema=["topic", "subtopic", "doc", "grade"],
        orient="row",
    )
    run = {"1": {"a": 2.0, "b": 1.0}}
    with pytest.raises(InputError, match=r"no document is judged for two of its values.*qrels_format='subtopic'"):
        ia.score(run, rounds, ["alpha_nDCG@10"])
    assert ia.score(run, rounds, ["alpha_nDCG@10"], qrels_format="subtopic").values[0, 0, 0] > 0
