"""What runs are called does not depend on the company they are in, and any of their names finds them."""

from pathlib import Path

import pytest

import irassay as ia
from irassay.errors import InputError

QRELS = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}


def run(folder: Path, name: str, tag: str, swapped: bool = False) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    docs = "ba" if swapped else "ab"
    lines = [f"{t} Q0 {doc} {r} {9 - r} {tag}\n" for t in "123" for r, doc in enumerate(docs, 1)]
    path.write_text("".join(lines))
    return path


def test_a_run_keeps_its_name_whatever_others_are_given(tmp_path: Path) -> None:
    bm25, bert = run(tmp_path, "BM25.run", "same"), run(tmp_path, "BERT.txt", "same", swapped=True)
    alone, together = ia.score(bm25, QRELS, "AP"), ia.score([bm25, bert], QRELS, "AP")
    assert alone.systems == ("BM25",) and together.systems == ("BM25", "BERT")
    assert ia.score([bm25], QRELS, "AP", names="tag").systems == ("same",)
    assert ia.score(ia.read_runs([bm25, bert]), QRELS, "AP").systems == together.systems
    with pytest.raises(InputError, match="names must be one of file, tag; found 'path'"):
        ia.score(bm25, QRELS, "AP", names="path")


def test_files_of_one_name_are_told_apart_by_their_folders_and_a_note_says_so(tmp_path: Path) -> None:
    one, other = run(tmp_path, "x/bm25.txt", "t1"), run(tmp_path, "y/bm25.txt", "t2", swapped=True)
    scores = ia.score([one, other], QRELS, "AP")
    assert scores.systems == ("x/bm25", "y/bm25")
    assert any("several runs are called bm25" in str(note) and "y/bm25" in str(note) for note in scores.notes)
    assert not any("called" in str(note) for note in ia.score(one, QRELS, "AP").notes)


@pytest.mark.parametrize("given", ["BM25", "BM25.run", "x/../BM25.run", "{folder}/BM25.run", "lucene"])
def test_a_baseline_is_found_by_name_file_path_or_tag(tmp_path: Path, given: str) -> None:
    bm25, bert = run(tmp_path, "BM25.run", "lucene"), run(tmp_path, "BERT.run", "bert", swapped=True)
    scores = ia.score([bm25, bert], QRELS, "AP")
    assert ia.compare(scores, baseline=given.format(folder=tmp_path), test="t").by().baseline == "BM25"
    assert ia.table(scores, baseline=given.format(folder=tmp_path), test="t").by().baseline == "BM25"


def test_a_baseline_that_may_be_several_or_is_none_is_refused(tmp_path: Path) -> None:
    paths = [run(tmp_path, "x/bm25.txt", "t1"), run(tmp_path, "y/bm25.txt", "t2", swapped=True)]
    scores = ia.score(paths, QRELS, "AP")
    with pytest.raises(InputError, match=r"'bm25\.txt' could be any of x/bm25, y/bm25"):
        ia.compare(scores, baseline="bm25.txt")
    assert ia.compare(scores, baseline=str(paths[1]), test="t").by().baseline == "y/bm25"
    with pytest.raises(InputError, match="no system 'dpr' to use as the baseline; there are x/bm25, y/bm25"):
        ia.compare(scores, baseline="dpr")


def test_a_name_may_be_typed_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(tmp_path, "a.run", "x"), run(tmp_path, "k=1.run", "x"), run(tmp_path, "runs/b.run", "x")
    assert ia.score(["BM25 tuned=a.run", "k=1.run"], QRELS, "AP").systems == ("BM25 tuned", "k=1")
    assert ia.score(["X=a.run", "runs"], QRELS, "AP", names="tag").systems == ("X", "x")
    assert ia.score(["X=a.run", "b=runs/*.run"], QRELS, "AP", ties="file").systems == ("X", "b")  # the general reader
    assert [each.name for each in ia.read_runs(["X=a.run", "runs"])] == ["X", "b"] and ia.read_run(
        "Y=a.run"
    ).name == "Y"
    assert not any("called" in str(note) for note in ia.score("X=a.run", QRELS, "AP").notes)
    run(tmp_path, "runs/c.run", "x")
    for given, message in (
        (["X=nothing.run"], "There is no file X=nothing.run."),
        (["X=runs"], "runs holds 2 runs, but only one name was given, X"),
        (["X=a.run", "Y=a.run"], "a.run is given as X and as Y; give it once."),
        (["X=a.run", "X=k=1.run"], "Two runs are called X."),
    ):
        with pytest.raises(InputError, match=message):
            ia.score(given, QRELS, "AP")
