"""Runs and judgements whose documents or subtopics do not belong together are not scored in silence."""

from pathlib import Path

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
    assert any("fewer than 1% of the first 10 results are judged" in str(n) for n in ia.score(run, qrels, ["AP"]).notes)


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


def file_of(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_runs_in_files_are_checked_for_document_ids_as_runs_in_memory_are(tmp_path: Path) -> None:
    """Clean TREC files are read by compiled code, which must not score ids of another kind in silence."""
    qrels = file_of(tmp_path / "qrels", [f"{t} 0 WSJ{t} 1" for t in range(30)])
    foreign = file_of(tmp_path / "foreign", [f"{t} Q0 d{i} {i} {20 - i} t" for t in range(30) for i in range(10)])
    fine = file_of(tmp_path / "fine", [f"{t} Q0 WSJ{t} 1 1 t" for t in range(30)])
    with pytest.raises(InputError, match=r"no result is judged in .*qrels; .* the run has d0, d1, d2, .* have WSJ"):
        ia.score(foreign, qrels, ["AP"])
    scores = ia.score([fine, foreign], qrels, ["AP"])
    (note,) = (note for note in scores.notes if "no result is judged" in note)
    assert note.about == "foreign" and "the run has d0, d1, d2" in note
    assert scores.means()[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize(("judged", "warned"), [(2, True), (3, False)])
def test_fewer_than_one_judged_result_in_a_hundred_is_a_note_for_files_too(
    tmp_path: Path, judged: int, warned: bool
) -> None:
    """300 results count, ten of each topic: those at rank 11 and below do not, though all of them are judged."""
    docs = {(t, i): f"J{t}" if i == 0 and t < judged else f"d{i}" for t in range(30) for i in range(12)}
    lines = [f"{t} Q0 {doc} {i} {20 - i} t" for (t, i), doc in docs.items()]
    run = file_of(tmp_path / "run", lines)
    qrels = file_of(tmp_path / "qrels", [f"{t} 0 {doc} 1" for t in range(30) for doc in (f"J{t}", "d10", "d11")])
    sentence = "fewer than 1% of the first 10 results are judged"
    assert any(sentence in note for note in ia.score(run, qrels, ["AP"]).notes) == warned
