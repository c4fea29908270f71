"""Memory and work follow the data, never the numbers in it."""

import bz2
import cProfile
import gzip
import lzma
import pstats
import resource
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.io import scan
from irassay.scoring.score import score
from tests.support.runs import dynamic_run

ROOM = 1_400 << 20  # bytes of address space, of which the libraries take most


FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def irassay(*words: object, room: int = ROOM, env: Mapping[str, str] = FRUGAL) -> "subprocess.CompletedProcess[str]":
    """The command in a process of its own with so much room."""
    return subprocess.run(
        [sys.executable, "-m", "irassay", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room)),
        env={"PATH": "", "PYTHONPATH": ":".join(sys.path), **env},
    )


def files(folder: Path, topics: int, judged: int, of: int = 0) -> tuple[Path, Path]:
    """Judgements of two documents a topic, of many more in topic `of`, and a run that finds the two."""
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for t in range(topics):
            qrels.write(f"{t} 0 a 1\n{t} 0 b 2\n")
            qrels.writelines(f"{t} 0 e{i} {i % 2}\n" for i in range(judged * (t == of)))
            run.write(f"{t} Q0 b 1 2.0 x\n{t} Q0 a 2 1.0 x\n")
    return folder / "qrels", folder / "run"


@pytest.mark.skipif(scan.library() is None, reason="the scanner is not compiled, or turned off")
def test_one_topic_with_very_many_judgements_widens_no_other(tmp_path: Path) -> None:
    qrels, run = files(tmp_path, 20_000, 100_000, of=7)
    done = irassay("score", qrels, run, "-m", "AP,nDCG@10,R@2,bpref", "--format", "tsv", "--by-topic", "-q")
    assert done.returncode == 0, done.stderr
    values = {(metric, topic): float(value) for _, metric, topic, value in map(str.split, done.stdout.splitlines()[1:])}
    assert values["R@2", "6"] == values["AP", "6"] == values["nDCG@10", "6"] == 1
    assert values["R@2", "7"] == values["AP", "7"] == 2 / 50_002


def test_one_topic_with_very_many_judgements_by_subtopic_widens_no_other(tmp_path: Path) -> None:
    qrels, run = files(tmp_path, 20_000, 0)
    with qrels.open("a") as more:
        more.writelines(f"{t} {s} a 1\n" for t in range(20_000) for s in (1, 2))
        more.writelines(f"7 {i % 3} e{i} 1\n" for i in range(60_000))
    done = irassay("score", qrels, run, "-m", "alpha_nDCG@10,StRecall@2", "--by-topic", "--format", "tsv", "-q")
    assert done.returncode == 0, done.stderr
    values = {(metric, topic): float(value) for _, metric, topic, value in map(str.split, done.stdout.splitlines()[1:])}
    assert values["StRecall@2", "6"] == values["StRecall@2", "7"] == 1


def test_one_topic_with_very_many_judged_passages_widens_no_other(tmp_path: Path) -> None:
    truth, run, lengths = (tmp_path / name for name in ("truth", "run", "lengths"))
    with truth.open("w") as judged, run.open("w") as found:
        for t in range(5_000):
            judged.writelines(f"{t}\t{t}.{i % 3}\td{i}\tp{i}\t2\n" for i in range(20_000 if t == 7 else 3))
            found.writelines(f"{t}\t{i}\td{i}\t{9 - i}\n" for i in range(3))
    lengths.write_text("".join(f"d{i}\t100\n" for i in range(20_000)))
    metrics = "CT,ACT,CT(dialect='jig2016'),nsDCG,EU,nDCG@10"
    done = irassay("score", truth, run, "-m", metrics, "--lengths", lengths, "--by-topic", "--format", "tsv", "-q")
    assert done.returncode == 0, done.stderr
    values = {(metric, topic): float(value) for _, metric, topic, value in map(str.split, done.stdout.splitlines()[1:])}
    assert values["nDCG@10", "6"] == values["nsDCG", "6"] == 1 and values["CT", "6"] == values["CT", "7"] == 1 / 15
    discount = 1 / np.log2(np.arange(2, 12))
    assert values["nDCG@10", "7"] == pytest.approx(discount[:3].sum() / discount.sum(), abs=1e-12)


@pytest.mark.parametrize("metric", ["P@100000000", "nDCG@100000000", "RBP@100000000", "AP@100000000", "ERR@100000000"])
def test_a_large_cutoff_takes_no_room(tmp_path: Path, metric: str) -> None:
    qrels, run = files(tmp_path, 3, 0)
    done = irassay("score", qrels, run, "-m", metric)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_picture_for_which_there_is_no_room_is_a_sentence(tmp_path: Path, ending: str) -> None:
    qrels, run = files(tmp_path, 3, 0)
    target = tmp_path / f"kept.{ending}"
    target.write_text("old")
    done = irassay("score", qrels, run, "-m", "AP,P@1", "--plot", target, room=4 << 30)
    assert done.returncode == 2 and "irassay: The chart cannot be drawn" in done.stderr
    assert target.read_text() == "old" and len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("room", [128, 340, 450, 560, 640, 900])  # MiB
def test_with_little_room_there_is_an_answer_or_a_sentence(tmp_path: Path, room: int) -> None:
    """Libraries abort, exit, spin or raise what they like where they find no room; a user sees one sentence."""
    qrels, run = files(tmp_path, 20, 5)
    table = tmp_path / "table.csv"
    table.write_text(
        "run,metric,topic,value\n" + "".join(f"{r},AP,{t},{t % 7 / (r + 7)}\n" for r in (1, 2) for t in range(9))
    )
    page = tmp_path / "page.html"
    page.write_text("old")
    for words in (["validate", qrels, run], ["table", "--scores", table], ["report", qrels, run, "-o", page]):
        done = irassay(*words, "-q", room=room << 20, env={})
        messages = [line for line in done.stderr.splitlines() if line.startswith("irassay: ")]
        assert (done.returncode, len(messages)) in {(0, 0), (2, 1)}, done.stderr
        assert done.returncode == 0 or done.stderr.splitlines() == messages
    assert page.read_text() == "old" or page.read_text().endswith("</html>\n")
    assert {path.name for path in tmp_path.iterdir()} == {"qrels", "run", "table.csv", "page.html"}


def calls(run: Path, qrels: Path) -> int:
    """Function calls that scoring takes: work counted, whatever the machine does beside."""
    profile = cProfile.Profile()
    profile.runcall(score, run, qrels, ("AP", "nDCG@10"))
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("native", [True, False])
def test_work_grows_no_faster_than_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, native: bool) -> None:
    if not native:
        monkeypatch.setattr("irassay.judging.scanned_runs.library", lambda: None)
    counts = []
    for topics in (500, 500, 4000):  # the first time, modules are loaded
        qrels, run = files(tmp_path, topics, 0)
        counts.append(calls(run, qrels))
    assert counts[2] < 8 * 1.2 * counts[1]


def session(turns: int) -> dict[str, list[list[str]]]:
    """Two topics with results in the first and the last of many turns, and one in two turns only."""
    far = [["a", "x", "b"], *[[]] * (turns - 2), ["c", "d"]]
    return {"1": far, "2": [["b"], [], *far[1:]], "3": [["a"], ["b"]]}


QRELS = {topic: {"a": 1, "b": 2, "c": 1, "e": 2} for topic in "123"}


def test_turns_without_results_take_no_work() -> None:
    counts = []
    for turns in (200, 200, 99_000):
        profile, run = cProfile.Profile(), dynamic_run(session(turns))
        found = profile.runcall(score, run, QRELS, ("esNDCG", "esNDCG(P_reform=1)", "nsDCG", "sDCG"))
        counts.append(int(pstats.Stats(profile).total_calls))  # type: ignore[attr-defined]
        assert np.isfinite(found.values).all()
    assert counts[2] < 2 * counts[1]  # for 495 times as many turns


def test_turns_without_results_one_by_one_or_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = ("esNDCG", "esNDCG(P_reform=0.3,P_down=0.9)", "esNDCG(path_discount=True)", "esNDCG(P_reform=1)@2")
    run = dynamic_run(session(50))
    one_by_one = score(run, QRELS, metrics).values
    monkeypatch.setattr(import_module("irassay.metrics.catalogue.session"), "MAX_EMPTY_TURNS", 0)
    np.testing.assert_allclose(score(run, QRELS, metrics).values, one_by_one, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        (
            ia.meta.consistency,
            {"splits": 10**9},
            "splits must be a whole number from 1 to 10,000,000; found 1000000000",
        ),
        (
            ia.compare,
            {"test": "permutation", "trials": 10**18},
            "trials must be a whole number from 1 to 10,000,000; found 1000000000000000000",
        ),
        (ia.compare, {"test": "permutation", "seed": -1}, "seed must be a whole number of 0 or more; found -1"),
        (ia.meta.similarity, {"subsets": 10**9}, "subsets must be a whole number .*; found 1000000000"),
        (ia.plan, {"systems": 1}, "systems must be a whole number from 2 to 1,000,000; found 1"),
    ],
)
def test_numbers_beyond_all_reason_are_refused(method: Any, given: dict[str, Any], message: str) -> None:
    scores = ia.Scores(np.random.default_rng(0).random((3, 6, 2)), tuple("abc"), tuple("123456"), ("AP", "P@5"))
    with pytest.raises(ia.InputError, match=message):
        method(scores, **given)


def test_pairs_of_very_many_systems_are_refused() -> None:
    many = tuple(map(str, range(20_000)))
    scores = ia.Scores(np.random.default_rng(0).random((20_000, 2, 1)), many, ("1", "2"), ("AP",))
    with pytest.raises(ia.InputError, match="20,000 systems have 199,990,000 pairs; the limit is 20,000,000"):
        ia.compare(scores)
    assert len(ia.table(scores.select(topics=("1",))).to_frame()) == 20_000


def test_judgements_that_take_too_much_room_to_alter_are_refused(tmp_path: Path) -> None:
    qrels, run = files(tmp_path, 20_000, 40_000, of=7)
    done = irassay("meta", "robustness", qrels, run, "-m", "AP", "--thin", "0.5")
    assert done.returncode == 2 and "irassay: Topic 7 has 40,002 judged documents; 20,000 topics" in done.stderr


def bomb(folder: Path, kind: str) -> Path:
    """A small file that unpacks to 4 GB."""
    path = folder / f"bomb.{kind}"
    if kind == "zst":  # blocks of 128 KB, each one byte repeated
        block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
        last = (131072 << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"a"
        path.write_bytes(b"\x28\xb5\x2f\xfd\x00\x50" + block * 32_000 + last)
    else:
        data = bytes(1 << 26) if kind == "bz2" else b"1 Q0 d 1 1 t\n" * (5 << 20)
        path.write_bytes({"bz2": bz2.compress, "gz": gzip.compress, "xz": lzma.compress}[kind](data) * 64)
    return path


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path: Path, kind: str) -> None:
    packed = bomb(tmp_path, kind)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    for words in ((tmp_path / "qrels", packed), (packed, tmp_path / "run")):
        done = irassay("score", *words, "-m", "AP", room=3 << 30)
        assert done.returncode == 2 and ("500 times" in done.stderr or "binary" in done.stderr), done.stderr


def test_a_line_without_an_end_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "run").open("wb") as file:
        file.writelines(b"1 Q0 d" + b"a" * (1 << 20) for _ in range(200))
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for words in ((tmp_path / "qrels", tmp_path / "run"), (tmp_path / "run", tmp_path / "qrels")):
        done = irassay("score", *words, "-m", "AP")
        assert done.returncode == 2 and "run, line 1: found a line of more than 64 MB" in done.stderr, done.stderr
