"""Inputs at addresses that fsspec opens: the same answers as from files, each opened once."""

import gzip
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.cli.program import run
from irassay.io.sources import Source

fsspec = pytest.importorskip("fsspec")

DOCS = 2000  # per topic, so that files are longer than what is kept in memory


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files on disk, and the same under memory://c."""
    folder, rng = tmp_path_factory.mktemp("addresses"), np.random.default_rng(1)
    (folder / "runs").mkdir()
    qrels = "".join(f"{t} 0 d{d} {d % 3}\n" for t in range(4) for d in range(300))
    lists = {name: [(t, d) for t in range(4) for d in rng.permutation(DOCS)] for name in "ab"}
    text = {name: "".join(f"{t} Q0 d{d} 1 {-i} x\n" for i, (t, d) in enumerate(rows)) for name, rows in lists.items()}
    (folder / "qrels.txt").write_text(qrels)
    (folder / "runs" / "a.run").write_text(text["a"])
    (folder / "runs" / "b.run.gz").write_bytes(gzip.compress(text["b"].encode()))
    (folder / "runs" / "readme.md").write_text("nothing to score\n")
    (folder / "scores.tsv").write_text("run\tmetric\ttopic\tvalue\nx\tAP\t1\t0.5\nx\tAP\t2\t0.25\n")
    memory = fsspec.filesystem("memory")
    for path in folder.rglob("*.*"):
        memory.pipe(f"/c/{path.relative_to(folder)}", path.read_bytes())
    yield folder
    memory.rm("/c", recursive=True)


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert run(words, {}) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["score", "{}/qrels.txt", "{}/runs", "--format", "json"],
        ["score", "{}/qrels.txt", "{}/runs/*.run*", "-m", "AP", "--by-topic", "--format", "json"],
        ["compare", "{}/qrels.txt", "{}/runs/a.run", "{}/runs/b.run.gz", "-m", "AP", "--format", "json"],
        ["topics", "{}/qrels.txt", "{}/runs", "-m", "AP", "--format", "json"],
        ["validate", "{}/qrels.txt", "{}/runs/a.run", "--format", "json"],
        ["convert", "{}/scores.tsv", "--to", "csv"],
    ],
)
def test_answers_and_checksums_are_those_of_files(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opens: list[str] = []
    system = type(fsspec.filesystem("memory"))
    original = system.open
    monkeypatch.setattr(system, "open", lambda self, path, *a, **k: opens.append(path) or original(self, path, *a, **k))
    remote, local = (answer([word.format(place) for word in words], capsys) for place in ("memory://c", folder))
    assert remote.replace("memory://c", str(folder)) == local
    assert opens and len(set(opens)) == len(opens)


def test_addresses_work_in_python(folder: Path, tmp_path: Path) -> None:
    scores = ia.score({"x": "memory://c/runs/a.run"}, "memory://c/qrels.txt", ["AP"])
    assert scores.values.tolist() == ia.score(folder / "runs" / "a.run", folder / "qrels.txt", ["AP"]).values.tolist()
    assert scores.settings.paths() == ["memory://c/qrels.txt", "memory://c/runs/a.run"]
    assert ia.read_scores("memory://c/scores.tsv").means().tolist() == [[0.375]]
    assert ia.read_scores("old=memory://c/scores.tsv").collection == ("old", "old")
    scores.save(tmp_path / "s.json")  # hashes what was not hashed when it was read
    saved = json.loads((tmp_path / "s.json").read_text())
    assert all(len(each["sha256"]) == 64 for each in saved["inputs"])
    assert ia.load(tmp_path / "s.json").settings.paths() == scores.settings.paths()


def test_an_opened_address_travels_to_another_process(folder: Path) -> None:
    source = Source("memory://c/runs/a.run")
    source.head()
    assert pickle.loads(pickle.dumps(source)).content() == (folder / "runs" / "a.run").read_bytes()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("memory://c/nothing.txt", "There is no file memory://c/nothing.txt."),
        ("memory://c/runs/*.none", r"memory://c/runs/\*.none has no files"),
        ("nonsense://x", "nonsense://x cannot be opened: Protocol not known: nonsense."),
    ],
)
@pytest.mark.usefixtures("folder")
def test_addresses_that_cannot_be_opened(address: str, message: str) -> None:
    with pytest.raises(ia.InputError, match=message):
        ia.score(address, "memory://c/qrels.txt", ["AP"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", refuse)
    with pytest.raises(ia.InputError, match=r"s3://b/q needs a package for s3: Install s3fs to access S3."):
        ia.read_qrels("s3://b/q")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ia.InputError, match=r"s3://b/q needs fsspec; install it with pip install 'irassay\[remote\]'"):
        ia.read_qrels("s3://b/q")


def test_an_existing_path_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("irds:local").write_text("1 0 a 1\n")
    assert ia.read_qrels("irds:local").topics == ("1",)
