"""Runs, judgements and metrics as people hand them over in Python: understood, or one sentence."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import irassay as ia

RUN, QRELS = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 0}}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "runs").mkdir()
    for name in ("x.run", "y.run"):
        (tmp_path / "runs" / name).write_text("1 Q0 a 1 2.0 t\n")
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_generators_and_sets_of_runs_are_lists_of_them(files: Path) -> None:
    for runs in (sorted(Path("runs").iterdir()), iter(sorted(Path("runs").iterdir())), {"runs/x.run", "runs/y.run"}):
        assert ia.score(runs, "q.txt", ["AP"]).systems == ("x", "y")


@pytest.mark.parametrize(
    ("runs", "qrels", "metrics", "sentence"),
    [
        (
            ["q.txt", "q.txt"],
            "runs",
            ["AP"],
            "runs is a folder, but judgements are one file; runs come first, then judgements",
        ),
        ("q.txt", "q.txt", ["AP"], "q.txt is given both as judgements and as a run; runs come first"),
        ("runs", "runs/x.run", ["AP"], "looks like a run .* runs come first"),
        (None, QRELS, ["AP"], "run: found None; expected a path"),
        (RUN, None, ["AP"], "judgements: found None; expected a path"),
        (RUN, QRELS, None, "Metrics must be strings"),
        (RUN, QRELS, 5, "Metrics must be strings"),
        ({"s": {"x": RUN}}, QRELS, ["AP"], "one level too many"),
        (RUN, {"s": QRELS}, ["AP"], "one level too many"),
        ({"a": 2.0}, QRELS, ["AP"], "a: found 2.0; expected a path"),
        ({"1": [0.5, 0.25]}, QRELS, ["AP"], "a list with a float in it"),
        (RUN, [("1", "a", 1)], ["AP"], "a list with a tuple in it"),
        (pl.DataFrame({"x": [1], "y": [2]}), QRELS, ["AP"], "found the columns x, y; expected topic or"),
        (RUN, pl.DataFrame({"qid": ["1"], "docno": ["a"]}), ["AP"], "expected topic .* grade"),
    ],
)
def test_what_is_not_understood_is_said(files: Path, runs: Any, qrels: Any, metrics: Any, sentence: str) -> None:
    with pytest.raises(ia.InputError, match=sentence):
        ia.score(runs, qrels, metrics)


def test_an_open_file_is_no_run(files: Path) -> None:
    with open("runs/x.run") as stream, pytest.raises(ia.InputError, match=r"an open file\. Give its path"):
        ia.score(stream, "q.txt", ["AP"])


def test_a_method_about_scores_says_how_they_are_made(files: Path) -> None:
    with pytest.raises(ia.InputError, match="compare takes Scores; found str; make them"):
        ia.compare("runs", "q.txt", ["AP"])  # type: ignore[arg-type]


def test_bounds_leave_out_what_is_about_judging_and_say_what_they_assume() -> None:
    scores = ia.score(RUN, QRELS, ["Judged@10", "P@10", "Unj@5"], bounds=True)
    assert scores.metrics == ("Judged@10", "P@10", "P@10[worst]", "P@10[best]", "Unj@5")
    assert scores.values[0, 0].tolist() == [1.0, 0.1, 0.1, 0.9, 0.0]  # eight places past the list are taken for good
    notes = scores.view().notes
    assert "neither is given for Judged@10 and Unj@5, which measure how much is judged or retrieved" in notes
    assert "[best] treats ranks past the end of a list, up to the cutoff, as unjudged results" in notes


def test_runs_and_judgements_in_the_other_order_are_known_by_their_content(files: Path) -> None:
    for runs in ("runs", "runs/x.run"):
        swapped, scores = ia.score("q.txt", runs, ["AP"]), ia.score(runs, "q.txt", ["AP"])
        assert swapped.values.tolist() == scores.values.tolist() and swapped.systems == scores.systems
        note = "by their content, the judgements are in q.txt; normally runs come first, then judgements"
        assert note in swapped.notes and note not in scores.notes
    runs = sorted(map(str, Path("runs").iterdir()))
    expected = ia.score(runs, "q.txt", ["AP"])
    for swapped in (ia.score("q.txt", runs, ["AP"]), ia.score([*runs[1:], "q.txt"], runs[0], ["AP"])):
        assert swapped.values.tolist() == expected.values.tolist() and swapped.systems == expected.systems
    with pytest.raises(ia.InputError, match="runs come first"):
        ia.score(["q.txt", "runs/x.run"], "runs/x.run", ["AP"])
    with pytest.raises(ia.InputError, match="expected a path"):
        ia.score("runs/x.run", runs, ["AP"])
