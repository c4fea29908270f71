"""A user's code is checked against the types that the stubs declare."""

import subprocess
import sys
from pathlib import Path

import pytest

USER = """
import irassay as ia
from irassay import AP, RBP, nDCG

scores: ia.Scores = ia.score("runs/", "qrels.txt", [AP, nDCG @ 10, RBP(p=0.95), "INST(T=2.25)"], missing="skip")
compared = ia.compare(scores, "nDCG@10", baseline="bm25", test=ia.PairedTest("max-t-stepdown", seed=1))
letters: dict[str, str] = compared.groups()
power = ia.meta.discrimination(scores, test="t", correction="holm", levels=(0.05,), groups="teams.txt")
best: list[tuple[str, float]] = power.ranked()
ia.meta.robustness("runs/", "qrels.txt", [AP], other="llm.qrels", depth=100)
ia.report(ia.assay("runs/", "qrels.txt", splits=10), "report.html")
rounds: tuple[str, ...] = ia.meta.unanimity(ia.read_scores("scores.csv", by="iteration"), simple=("P@10",)).rounds
grid: tuple[str, ...] = ia.grid("dynamic").simple
{line}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the code, and for what mypy keeps from one check to the next."""
    return tmp_path_factory.mktemp("user")


def checked(folder: Path, line: str) -> str:
    (folder / "user.py").write_text(USER.format(line=line), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "user.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_what_the_readme_shows_is_well_typed(folder: Path) -> None:
    assert checked(folder, "") == ""


def test_a_keyword_that_a_method_does_not_take_is_found_before_it_runs(folder: Path) -> None:
    found = checked(folder, "ia.meta.similarity(scores, trials=5)")
    assert 'Unexpected keyword argument "trials" for "similarity"' in found
    assert found.count("error") == 1
