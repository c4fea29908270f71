"""What `score` writes is read back exactly by every command that reads score tables."""

from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.cli.program import run as irassay
from irassay.io.tables import read_scores
from irassay.simulation import simulate

METRICS = ["AP", "RBP(p=0.95)", "Unj@10", "GMAP"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("scored")
    simulate(3, 6, 4).write(found)
    return found


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "-o tsv", "-o csv", "-o parquet", "--save"])
def test_scores_come_back_as_they_were(
    folder: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["score", str(folder / "qrels.txt"), str(folder / "runs"), *(w for m in METRICS for w in ("-m", m)), "-q"]
    path = tmp_path / f"scores.{form.split()[-1].replace('--save', 'json')}"
    if form.startswith("-"):
        more = ["--save", str(path)] if form == "--save" else ["--by-topic", "-o", str(path)]
        irassay([*words, *more])
    else:
        capsys.readouterr()
        irassay([*words, "--by-topic", "--format", form])
        path.write_text(capsys.readouterr().out)
    made = ia.score(folder / "runs", folder / "qrels.txt", METRICS)
    read = read_scores(path)
    assert (read.systems, read.topics, read.metrics) == (made.systems, made.topics, made.metrics)
    np.testing.assert_array_equal(read.values, made.values)
    assert read.higher_is_better == (True, True, False, True) and read.over_topics[-1] == "geometric"
    np.testing.assert_array_equal(read.means(), made.means())
    assert irassay(["compare", "--scores", str(path), "-m", "AP", "-q"]) == 0


def test_what_holds_no_scores_by_topic_is_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    irassay(["metrics", "RBP", "--format", "json"])
    (tmp_path / "m.json").write_text(capsys.readouterr().out)
    with pytest.raises(
        ia.InputError, match="has no scores by topic; expected the output of `score --by-topic --format json`"
    ):
        read_scores(tmp_path / "m.json")
    ia.compare(ia.score(folder / "runs", folder / "qrels.txt", ["AP"])).save(tmp_path / "c.json")
    with pytest.raises(ia.InputError, match="a saved result without scores"):
        read_scores(tmp_path / "c.json")
