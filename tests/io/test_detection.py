"""A new format is one reader: every command reads it, and validation knows it."""

import json
from collections.abc import Collection
from pathlib import Path

import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.io import detection
from irassay.io.detection import detected_reader, register
from irassay.io.reader import FileOrFolder, Reader
from irassay.io.roles import content_of
from irassay.io.sources import Source
from irassay.io.trec import Qrels, Run, read_qrels
from irassay.io.validation import validate


def is_json(given: FileOrFolder) -> bool:
    return isinstance(given, Source) and next(given.blocks(1 << 10), b"").startswith(b"{")


def read_json(given: FileOrFolder, columns: Collection[str] = ()) -> Run:
    assert isinstance(given, Source)
    try:
        return Run.of(json.loads(b"".join(given.blocks())), given.path.stem)
    except json.JSONDecodeError as problem:
        raise InputError(f"{given.name}: {problem.msg}") from None


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "READERS", [*detection.READERS])
    register(Reader("json", "trec", read_json, read_qrels, run_looks_so=is_json))


def test_a_registered_format_is_scored_beside_others(reader: None, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "one.json").write_text('{"1": {"b": 2, "a": 1}}')
    (runs / "two.txt").write_text("1 Q0 a 1 1 two\n")
    scores = ia.score(runs, tmp_path / "qrels", ["RR"])
    assert dict(zip(scores.systems, scores.of("RR")[:, 0].tolist(), strict=True)) == {"one": 0.5, "two": 1.0}
    assert detected_reader(runs / "one.json", tmp_path / "qrels").name == "json"


def test_a_registered_format_is_validated(reader: None, tmp_path: Path) -> None:
    good, bad, qrels = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "qrels"
    good.write_text('{"9": {"a": 1}}')
    bad.write_text('{"9": ')
    qrels.write_text("1 0 a 1\n")
    found = [(Path(problem.file).name, problem.severity) for problem in validate([qrels, good, bad]).problems]
    assert found == [("bad.json", "error"), ("good.json", "error")]  # the second has no judged topic


def test_a_reader_at_the_end_of_the_list_is_one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nothing speaks for is a TREC file, wherever in the list its reader is."""

    def begins_so(given: FileOrFolder) -> bool:
        return isinstance(given, Source) and given.head().startswith(b"mine")

    def read_mine(given: FileOrFolder, columns: Collection[str] = ()) -> Run:
        return Run.of({"1": {"b": 2, "a": 1}}, "mine")

    mine = Reader("mine", "trec", read_mine, read_qrels, run_looks_so=begins_so)
    monkeypatch.setattr(detection, "READERS", [*detection.READERS, mine])
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "trec").write_text("1 Q0 a 1 1 tag\n")
    (tmp_path / "mine").write_text("mine: b a\n")
    scores = ia.score([tmp_path / "trec", tmp_path / "mine"], tmp_path / "qrels", ["RR"])
    assert scores.of("RR")[:, 0].tolist() == [1.0, 0.5]
    assert detected_reader({"1": {"a": 1}}, {"1": {"a": 1}}).name == "trec"
    assert [content_of(Source(tmp_path / name)).reader for name in ("trec", "mine", "qrels")] == [
        "trec",
        "mine",
        "trec",
    ]


def test_what_is_told_goes_before_what_files_look_like(oracles: Path) -> None:
    folder = oracles / "inputs" / "dd"
    assert detected_reader([folder / "ddA.txt"], folder / "topics.xml").kind == "dd"
    assert detected_reader([folder / "ddA.txt"], folder / "topics.xml", "trec").kind == "trec"
    assert detected_reader({"1": {"a": 1}}, Qrels.of({"1": {"a": 1}})).kind == "trec"
    with pytest.raises(InputError, match=r"run_format must be one of auto, .*csv, .*found 'xls'"):
        detected_reader([], [], "xls")


def test_the_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a 1 high tag\n")))
    assert [problem.line for problem in validate("-").problems] == [1]
