"""A folder of runs may have other files beside them: these are passed over, and that is said."""

from pathlib import Path

import pytest

import irassay as ia

RUN = "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n"
QRELS = "1 0 a 1\n1 0 b 0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    for name, text in {
        "bm25.run": RUN,
        "notes.run": RUN,
        "README.txt": "Runs of our group, made in May of this year.\n",
        "qrels.txt": QRELS,
        ".DS_Store": "\0\0",
    }.items():
        (tmp_path / "runs" / name).write_text(text)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


@pytest.mark.parametrize("runs", ["runs", "runs/*"])
def test_what_is_no_run_is_passed_over_and_said(folder: Path, runs: str) -> None:
    scores = ia.score(str(folder / runs), folder / "qrels.txt", ["AP"])
    assert scores.systems == ("bm25", "notes")
    assert "skipped 2 files that are not runs: README.txt, qrels.txt" in map(str, scores.notes)
    assert [path.name for path in scores.settings.inputs["runs"]] == ["bm25.run", "notes.run"]


def test_a_folder_without_runs_is_said_to_have_none(folder: Path) -> None:
    for name in ("bm25.run", "notes.run"):
        (folder / "runs" / name).unlink()
    with pytest.raises(ia.InputError, match=r"runs has no run in it, only README.txt, qrels.txt"):
        ia.score(folder / "runs", folder / "qrels.txt", ["AP"])


def test_a_file_that_is_named_is_not_passed_over(folder: Path) -> None:
    with pytest.raises(ia.InputError, match="README"):
        ia.score([folder / "runs" / "bm25.run", folder / "runs" / "README.txt"], folder / "qrels.txt", ["AP"])


def test_validate_checks_judgements_and_runs_of_a_folder(folder: Path) -> None:
    found = ia.validate(str(folder / "runs"))
    assert [(Path(p.file).name, p.severity) for p in found.problems] == [("README.txt", "info")]
    assert found.status == 0
