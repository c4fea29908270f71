"""A run that is scored as it is read scores what it scores as a whole, from a file, packed or not, or a pipe."""

import bz2
import csv
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from irassay.cli import main
from irassay.errors import InputError
from irassay.io import scan, sources, streams
from irassay.judging import judged_lists, run_blocks, scanned_runs
from irassay.judging.policy import JudgingPolicy
from irassay.scores import Scores
from irassay.scoring.score import score

pytestmark = pytest.mark.skipif(scan.library() is None, reason="the scanner is not compiled, or turned off")
METRICS = ("AP", "nDCG@10", "P@5", "RR", "RBP", "bpref", "ERR@5", "INST(T=2)", "Judged@10", "nDCG", "Q", "BPM(T=2)")
Streamed = Callable[..., Scores]


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> Streamed:
    """The scores of a run that counts as long, read in tiny pieces."""

    def scores(*given: Any, long: int = 64, **policies: Any) -> Scores:
        with monkeypatch.context() as patch:
            for module in (sources, streams, run_blocks):
                patch.setattr(module, "LONG_SIZE", long)
            patch.setattr(scan, "CHUNK", 300)
            return score(*given, **policies)

    return scores


def files(folder: Path, seed: int = 0, lists: int = 40) -> tuple[Path, Path]:
    """A run of lists of all lengths, some not judged, and judgements, some of topics that it does not have."""
    rng = np.random.default_rng(seed)
    judged = [
        f"{t} {rng.integers(1, 4)} d{d} {rng.integers(-1, 4)}\n"
        for t in range(lists)
        for d in sorted(rng.permutation(60)[: rng.integers(1, 30)])
    ]
    run = [
        f"{t} Q0 d{d} 0 {round(-rank / 3)} tag\n"
        for t in rng.permutation(range(3, lists + 4)).tolist()
        for rank, d in enumerate(rng.permutation(60)[: rng.integers(1, 50)])
    ]
    (folder / "qrels").write_text("".join(judged))
    (folder / "run").write_text("".join(run))
    return folder / "run", folder / "qrels"


def assert_same(found: Scores, expected: Scores, tolerance: float = 0) -> None:
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=tolerance, equal_nan=True)
    assert (found.systems, found.topics, found.notes) == (expected.systems, expected.topics, expected.notes)


POLICIES: list[dict[str, Any]] = [
    {},
    {"missing": "skip"},
    {"depth": 7},
    {"no_relevant": "skip", "rel": 3},
    {"bounds": True},
    {"max_grade": 5},
    {"judged_only": True},
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_a_stream_scores_what_the_whole_scores(
    tmp_path: Path, streamed: Streamed, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, qrels = files(tmp_path, len(policy))
    expected = score(run, qrels, METRICS, **policy)
    monkeypatch.setattr(scanned_runs.ScannedRuns, "general", property(lambda self: pytest.fail("the general reader")))
    assert_same(streamed(run, qrels, METRICS, **policy), expected)
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    assert_same(streamed(packed, qrels, METRICS, **policy), expected)


@pytest.mark.parametrize("deep", [20, 300, 1500])
def test_every_metric_is_the_same_to_the_last_bit(tmp_path: Path, streamed: Streamed, deep: int) -> None:
    rng = np.random.default_rng(deep)
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    lists = {t: rng.permutation(2 * deep)[: rng.integers(1, deep)] for t in range(20)}
    run.write_text("".join(f"{t} Q0 d{d} 0 {-i / 3:.4f} x\n" for t, docs in lists.items() for i, d in enumerate(docs)))
    judged = ((t, d) for t in range(22) for d in rng.permutation(2 * deep)[: rng.integers(1, deep)])
    qrels.write_text("".join(f"{t} 0 d{d} {rng.integers(-1, 4)}\n" for t, d in judged))
    metrics = [f"{name}{cutoff}" for name in ("AP", "nDCG", "DCG", "RBP", "INST", "Q", "bpref", "ERR", "infAP") for cutoff in ("", "@10", "@200")]  # fmt: skip
    assert_same(streamed(run, qrels, metrics, long=64), score(run, qrels, metrics))


def test_subtopics(tmp_path: Path, streamed: Streamed) -> None:
    run, qrels = files(tmp_path)
    metrics = ("alpha_nDCG@10", "ERR_IA", "StRecall@5", "AP_IA", "D_nDCG@10")
    expected = score(run, qrels, metrics, qrels_format="subtopic")
    assert_same(streamed(run, qrels, metrics, qrels_format="subtopic"), expected)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_pools_of_very_different_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: dict[str, Any]) -> None:
    run, qrels = files(tmp_path)
    other = tmp_path / "other"
    other.write_text(run.read_text().replace("tag", "two").replace(" d1", " e1"))
    wide = "".join(f"9 0 x{i} {i % 3}\n" for i in range(400))
    qrels.write_text(qrels.read_text() + wide)
    expected = score([run, other], qrels, METRICS, **policy)
    monkeypatch.setattr(judged_lists, "MAX_CELLS", 50)
    found = scanned_runs.judged_lists([run, other], qrels, JudgingPolicy())
    assert isinstance(found, scanned_runs.ScannedRuns) and found.is_ragged
    assert_same(score([run, other], qrels, METRICS, **policy), expected, 1e-15)  # sums of other lengths


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> str:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return "-"


@pytest.mark.parametrize("long", [64, 2000, 1 << 25])
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(
    tmp_path: Path, streamed: Streamed, monkeypatch: pytest.MonkeyPatch, packed: bool, long: int
) -> None:
    run, qrels = files(tmp_path)
    data = gzip.compress(run.read_bytes()) if packed else run.read_bytes()
    expected = score(run, qrels, METRICS, names="tag")
    assert_same(streamed(piped(monkeypatch, data), qrels, METRICS, long=long), expected)


@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_named_pipe(tmp_path: Path, streamed: Streamed, packed: Callable[[bytes], bytes]) -> None:
    run, qrels = files(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(packed(run.read_bytes())))
    writer.start()
    found = streamed(pipe, qrels, METRICS)
    writer.join()
    assert_same(found, score(run, qrels, METRICS, names="tag"))


def test_a_topic_in_several_places(tmp_path: Path, streamed: Streamed, monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = files(tmp_path)
    lines = run.read_text().splitlines(keepends=True)
    run.write_text("".join(lines[::2] + lines[1::2]))
    expected = score(run, qrels, METRICS, names="tag")
    assert_same(streamed(run, qrels, METRICS, names="tag"), expected)
    size = run.stat().st_size  # all that is kept of a pipe can be gone through again
    assert_same(streamed(piped(monkeypatch, run.read_bytes()), qrels, METRICS, long=size), expected)
    with pytest.raises(InputError, match=r"standard input has a non-contiguous topic.*save it to a file"):
        streamed(piped(monkeypatch, run.read_bytes()), qrels, METRICS)


def test_what_is_wrong_is_said_as_ever(tmp_path: Path, streamed: Streamed, monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = files(tmp_path)
    text = run.read_text()
    twice = text + text.splitlines()[0] + "\n"
    for wrong in (twice, text + "5 Q0 x\n", text.replace(" -3 tag", " abc tag"), "none Q0 d 1 1 t\n"):
        run.write_text(wrong)
        with pytest.raises(InputError) as expected:
            score(run, qrels, METRICS)
        with pytest.raises(InputError) as found:
            streamed(run, qrels, METRICS)
        assert str(found.value) == str(expected.value)
    run.write_text(text.replace(" d", " other"))
    with pytest.raises(
        InputError, match=r"no result is judged in .*qrels; check that document ids match: the run has o"
    ):
        streamed(piped(monkeypatch, run.read_bytes()), qrels, METRICS)


def test_rows_are_written_as_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, qrels = files(tmp_path)

    def irassay(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["irassay", "score", str(qrels), str(run), "-q", "--missing", "skip", *words])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == (2 if "bad" in str(words) else 0)
        return capsys.readouterr().out

    printed = irassay("--by-topic", "--format", "tsv")
    for name in ("x.tsv", "x.csv", "x.parquet"):
        assert irassay("--by-topic", "-o", str(tmp_path / name)) == ""
    assert (tmp_path / "x.tsv").read_text() == printed
    rows = list(csv.reader(io.StringIO((tmp_path / "x.csv").read_text())))
    assert rows == list(csv.reader(io.StringIO(printed), delimiter="\t"))
    kept = pl.read_parquet(tmp_path / "x.parquet")
    assert [list(map(str, row)) for row in kept.rows()] == rows[1:]
    assert kept.columns == rows[0] == ["run", "metric", "topic", "value"]
    assert len(rows) == 1 + 6 * (1 + sum(np.isfinite(score(run, qrels, "AP", missing="skip").values[0, :, 0])))
    irassay("-o", str(tmp_path / "means.parquet"))
    assert pl.read_parquet(tmp_path / "means.parquet")["topic"].unique().to_list() == ["all"]
    irassay("-o", str(tmp_path / "bad.xlsx"))
    irassay("-o", str(tmp_path / "bad" / "x.tsv"))
    irassay("-o", str(tmp_path / "bad.tsv"), "--format", "json")
    assert not list(tmp_path.glob("bad*")) and not list(tmp_path.glob(".irassay*"))


def test_topics_that_take_turns_line_by_line_are_one_list_each(tmp_path: Path, streamed: Streamed) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n2 0 b 1\n")
    run.write_text("1 Q0 b 1 9 t\n2 Q0 a 1 9 t\n1 Q0 a 2 8 t\n2 Q0 b 2 8 t\n")
    found = streamed(run, qrels, METRICS, long=8)
    assert found.means()[0, METRICS.index("RR")] == 0.5
    assert_same(found, score(run, qrels, METRICS))


def test_several_tags_are_noted_wherever_one_follows_the_other(tmp_path: Path, streamed: Streamed) -> None:
    """Also where the pieces in which the run is read have one tag each."""
    run, qrels = files(tmp_path, lists=8)
    lines = run.read_text().splitlines(keepends=True)
    for half in range(len(lines) // 2, len(lines) // 2 + 60):
        run.write_text("".join([*lines[:half], *(line.replace("tag", "oth") for line in lines[half:])]))
        found = streamed(run, qrels, ["AP"])
        assert found.systems == ("run",) and any("several tags (oth, tag)" in note for note in found.notes)


def test_a_topic_without_results_is_an_error_where_it_is_to_be_one(tmp_path: Path, streamed: Streamed) -> None:
    run, qrels = files(tmp_path)
    for scores in (score, streamed):
        with pytest.raises(InputError, match=r"no results for 3 judged topics \(0, 1, 2\)"):
            scores(run, qrels, METRICS, missing="error")


def test_foreign_ids_are_shown_beside_the_judgements_where_the_run_can_be_read_again(
    tmp_path: Path, streamed: Streamed
) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    qrels.write_text("1 0 WSJ1 1\n2 0 WSJ2 1\n")
    run.write_text("".join(f"{t} Q0 d{i} {i} {-i} t\n" for t in (1, 2) for i in range(10)))
    for scores in (score, streamed):
        with pytest.raises(InputError, match=r"no result is judged .* the run has d0, d1, d2, .* have WSJ"):
            scores(run, qrels, METRICS)


def test_a_pipe_with_hardly_any_judged_result_is_scored_with_a_note(
    tmp_path: Path, streamed: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{t} 0 judged 1\n" for t in range(40)))
    docs = {(t, i): "judged" if t == i == 0 else f"d{i}" for t in range(40) for i in range(10)}
    data = "".join(f"{t} Q0 {doc} {i} {-i} t\n" for (t, i), doc in docs.items()).encode()
    found = streamed(piped(monkeypatch, data), qrels, ["RR"])
    assert found.values[0, 0, 0] == 1 and found.values[0, 1:].max() == 0
    (note,) = (note for note in found.notes if "document ids match" in note)
    assert "fewer than 1% of the first 10 results are judged" in note and "the run has judged, d1, d2" in note
