"""Judgements, grades and texts of datasets that are registered from local files."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import irassay as ia
from irassay.cli.program import run

ir_datasets = pytest.importorskip("ir_datasets")

QRELS = "1 0 d1 2\n1 0 d2 0\n2 0 d3 1\n2 0 d1 0\n"
QUERIES = "1\thow to fix a tyre\n2\tbread without yeast\n"
DOCS = "d1\tTyres are fixed with patches\nd2\tA poem\nd3\tSoda bread\n"
LABELS = {2: "Perfectly relevant", 1: "Related", 0: "Irrelevant"}


@pytest.fixture(autouse=True)
def registered(tmp_path: Path) -> Iterator[None]:
    """The dataset irassay-test, and one without judgements."""
    from ir_datasets import formats, registry
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.util import LocalDownload

    files = {name: tmp_path / name for name in ("qrels", "queries", "docs")}
    for path, text in zip(files.values(), (QRELS, QUERIES, DOCS), strict=True):
        path.write_text(text)
    docs = formats.TsvDocs(LocalDownload(files["docs"]), namespace="irassay-test", lang="en")
    queries = formats.TsvQueries(LocalDownload(files["queries"]), lang="en")
    qrels = formats.TrecQrels(LocalDownload(files["qrels"]), LABELS)
    names = {"irassay-test": (docs, queries, qrels), "irassay-test-docs": (docs,)}
    for name, parts in names.items():
        registry.register(name, Dataset(*parts))
    yield
    for name in names:
        del registry._registered[name]


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d3 1 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 d2 1 2 b\n1 Q0 d1 2 1 b\n2 Q0 d1 1 2 b\n2 Q0 d3 2 1 b\n")
    return str(tmp_path / "a.run"), str(tmp_path / "b.run")


def test_a_dataset_is_judgements(tmp_path: Path, runs: tuple[str, str]) -> None:
    (tmp_path / "q.txt").write_text(QRELS)
    scores = ia.score(list(runs), "irds:irassay-test", ["AP", "nDCG@10"])
    assert scores.values.tolist() == ia.score(list(runs), tmp_path / "q.txt", ["AP", "nDCG@10"]).values.tolist()
    assert "grades of irds:irassay-test: 0: Irrelevant; 1: Related; 2: Perfectly relevant" in scores.notes
    assert ia.read_qrels("irds:irassay-test").frame.height == 4
    (inputs,) = [each for each in scores.provenance()["inputs"] if each["path"] == "irds:irassay-test"]
    assert len(inputs["sha256"]) == 64


def test_topics_have_texts(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topics", "irds:irassay-test", *runs, "-m", "AP"], {}) == 0
    assert "how to fix a tyre" in capsys.readouterr().out
    result = ia.topics(list(runs), "irds:irassay-test", "AP", topic="2", texts=True)
    assert "The topic is “bread without yeast”." in str(result)
    assert result.to_frame()["B text"].to_list() == ["Tyres are fixed with patches", "Soda bread"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("irassay-tset", "ir_datasets has no dataset 'irassay-tset'; did you mean irassay-test"),
        ("irassay-test-docs", "irds:irassay-test-docs has no judgements; give a dataset that has"),
    ],
)
def test_other_names_are_refused(name: str, message: str, runs: tuple[str, str]) -> None:
    with pytest.raises(ia.InputError, match=message):
        ia.score(list(runs), f"irds:{name}", ["AP"])


def test_a_dataset_that_cannot_be_downloaded_says_so(
    runs: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        log = ir_datasets.log.easy()
        log.info("download error: no such host. Retrying from start.")
        log.warn("Download failed: no such host")
        raise RuntimeError("All download sources failed", ["secret"])

    monkeypatch.setattr("ir_datasets.formats.TrecQrels.qrels_iter", fail)
    message = "cannot be read: All download sources failed. It may have to be downloaded first, which needs a network."
    with pytest.raises(ia.InputError, match=message):
        ia.score(list(runs), "irds:irassay-test", ["AP"])
    assert capsys.readouterr().err == ""


def test_a_missing_package_is_named(runs: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ia.InputError, match=r"needs ir_datasets; install it with pip install 'irassay\[ir-datasets\]'"):
        ia.score(list(runs), "irds:irassay-test", ["AP"])


def test_texts_need_a_dataset_and_a_topic(tmp_path: Path, runs: tuple[str, str]) -> None:
    with pytest.raises(ia.InputError, match="texts needs judgements from ir_datasets"):
        ia.topics(list(runs), "irds:irassay-test", "AP", texts=True)
