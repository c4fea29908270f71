"""The same run and judgements in every format score the same, bit for bit; what is no run is named."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.io.detection import READERS, detected_reader, reader_of
from irassay.io.sources import Source
from irassay.meta.preference import Choices
from irassay.meta.robustness.altered_judgements import Confusion
from irassay.meta.satisfaction.ratings import Ratings
from tests.support.formats import JUDGEMENTS, OTHERS, RUNS, packed, rows

METRICS = ["AP", "nDCG@10", "RBP", "P@5", "RR", "bpref"]


def scores(run: Path, qrels: Path, **policy: object) -> np.ndarray:
    return ia.score(run, qrels, METRICS, **policy).values  # type: ignore[arg-type]


@pytest.mark.parametrize("qrels", JUDGEMENTS)
@pytest.mark.parametrize("run", RUNS)
def test_every_format_scores_the_same(run: str, qrels: str, tmp_path: Path) -> None:
    (tmp_path / "trec.run").write_bytes(RUNS["trec"][1])
    (tmp_path / "trec.qrels").write_bytes(JUDGEMENTS["trec"][1])
    reader, data = RUNS[run]
    judged_by, judgements = JUDGEMENTS[qrels]
    (tmp_path / "run").write_bytes(data)
    (tmp_path / "qrels").write_bytes(judgements)
    assert reader_of(Source(tmp_path / "run"), "run").name == reader
    assert reader_of(Source(tmp_path / "qrels"), "judgements").name == judged_by
    for policy in ({}, {"ties": "file"}, {"order": "file", "depth": 7}):
        expected = scores(tmp_path / "trec.run", tmp_path / "trec.qrels", **policy)
        assert (scores(tmp_path / "run", tmp_path / "qrels", **policy) == expected).all()
    told = scores(tmp_path / "run", tmp_path / "qrels", run_format=reader, qrels_format=judged_by)
    assert (told == scores(tmp_path / "trec.run", tmp_path / "trec.qrels")).all()


def test_ranks_without_scores_order_a_run(tmp_path: Path) -> None:
    """MS MARCO's `qid pid rank`: topic by topic and rising, or in any order."""
    run, qrels = rows(precise=False)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in qrels))
    (tmp_path / "trec").write_text("".join(f"{t} Q0 {d} {r} {s!r} x\n" for t, d, r, s in run))
    (tmp_path / "marco.tsv").write_text("".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in run))
    (tmp_path / "shuffled").write_text("".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in sorted(run, key=lambda x: x[1])))
    (tmp_path / "named.csv").write_text("qid,pid,rank\n" + "".join(f"{t},{d},{r}\n" for t, d, r, _ in run))
    lists = {t: [d for topic, d, _, _ in run if topic == t] for t, _, _, _ in run}
    (tmp_path / "lists.json").write_text(json.dumps(lists))
    expected = scores(tmp_path / "trec", tmp_path / "qrels")
    for name in ("marco.tsv", "shuffled", "named.csv", "lists.json"):
        assert (scores(tmp_path / name, tmp_path / "qrels") == expected).all()
        if name != "lists.json":
            assert (scores(tmp_path / name, tmp_path / "qrels", order="rank") == expected).all()
    assert ia.read_run(tmp_path / "marco.tsv").name == "marco"
    assert not ia.read_run(tmp_path / "marco.tsv").notes
    assert "read as ranks" in str(ia.read_run(tmp_path / "shuffled").notes[0])


@pytest.mark.parametrize(
    ("lines", "reader"),
    [
        ("1 a 1\n1 b 2\n2 a 1\n", "msmarco"),
        ("1 a 0\n1 b 1\n2 a 0\n", "msmarco"),
        ("1 a 3\n1 b 2\n1 c 1\n", "scored"),  # whole scores that fall
        ("1 a 0.5\n1 b 0.25\n", "scored"),
        ("1 a -1\n1 b -2\n", "scored"),
        ("1 a 7\n1 b 7\n", "scored"),  # no rank comes twice
        ("1 a 1\n1 b 5\n1 c 9\n", "msmarco"),  # rising, though with gaps
    ],
)
def test_what_a_third_column_holds(lines: str, reader: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(lines)
    assert reader_of(Source(tmp_path / "run"), "run").name == reader


@pytest.mark.parametrize("text", ["1\ta\n1\tb\n2\tc\n", "1 0 a\n1 0 b\n2 0 c\n", "1 a 1\n1 b 1\n2 c 1\n"])
def test_judgements_without_grades_are_relevant(text: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text(text)
    found = ia.read_qrels(tmp_path / "qrels.tsv").frame.select("topic", "doc", "grade").rows()
    assert found == [("1", "a", 1.0), ("1", "b", 1.0), ("2", "c", 1.0)]


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_packed_files_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(JUDGEMENTS["trec"][1])
    (tmp_path / "plain").write_bytes(RUNS["trec"][1])
    expected = scores(tmp_path / "plain", tmp_path / "qrels")
    for format_ in ("trec", "json", "beir"):
        path = tmp_path / f"{format_}.{name}"
        path.write_bytes(packed(RUNS[format_][1], name))
        assert (scores(path, tmp_path / "qrels") == expected).all()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=f"beir.{name} is a damaged .{name} file"):
        ia.read_run(path)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
def test_tables_and_settings_may_be_packed(ending: str, tmp_path: Path) -> None:
    def file(name: str, text: str) -> Path:
        (tmp_path / f"{name}.{ending}").write_bytes(packed(text.encode(), ending))
        return tmp_path / f"{name}.{ending}"

    found = ia.read_scores(file("ap.tsv", "topic,a,b\n1,0.5,0.25\n2,1,0\n"))
    assert (found.metrics, found.systems, found.values[:, :, 0].tolist()) == (
        ("ap",),
        ("a", "b"),
        [[0.5, 1], [0.25, 0]],
    )
    assert Ratings.read(file("ratings", "unit rating\n1 5\n2 3\n")).values.tolist() == [5, 3]
    assert Choices.read(file("choices", "topic left right choice\n1 a b right\n")).chosen.tolist() == [-1]
    assert Confusion.read(file("noise", "0 1 0.25\n1 0 0.5\n")) == {0: {1: 0.25}, 1: {0: 0.5}}


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_parquet_may_be_packed_whatever_its_name(ending: str, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(RUNS["parquet"][1])
    (tmp_path / "run.parquet").write_bytes(packed(RUNS["parquet"][1], ending))
    assert ia.read_run(tmp_path / "run.parquet").frame.equals(ia.read_run(tmp_path / "plain").frame)


def test_every_format_has_a_sample_and_is_documented() -> None:
    sampled = {name for name, _ in (*RUNS.values(), *JUDGEMENTS.values())} | set(OTHERS)
    assert sampled == {reader.name for reader in READERS}
    documented = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text().splitlines()
    assert all(any(line.startswith(f"| `{name}` |") for line in documented) for name in sampled)


@pytest.mark.parametrize("name", ["a.ndjson", "a.jsonl.xz", "a.parq", "a.TSV", "a.run.gz", "a.res", "a"])
def test_runs_of_every_format_are_called_by_their_file(name: str, tmp_path: Path) -> None:
    kind = name.lower().split(".")[1] if "." in name else "run"
    sample = {"ndjson": "jsonl", "parq": "parquet", "tsv": "scored"}.get(kind, kind)
    data = RUNS[sample if sample in RUNS else "trec"][1]
    (tmp_path / name).write_bytes(packed(data, ending) if (ending := name.rsplit(".")[-1]) in ("xz", "gz") else data)
    assert ia.score(tmp_path / name, {"q1": {"d1": 1}}, ["AP"]).systems == ("a",)


@pytest.mark.parametrize("run", ["json", "beir", "jsonl", "parquet", "scored"])
def test_every_format_may_come_from_the_standard_input(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").write_bytes(JUDGEMENTS["json"][1])
    (tmp_path / "plain").write_bytes(RUNS["trec"][1])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUNS[run][1])))
    given = ia.score("-", tmp_path / "qrels", METRICS).values
    assert (given == scores(tmp_path / "plain", tmp_path / "qrels")).all()


def test_runs_of_several_formats_are_scored_together(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(JUDGEMENTS["csv"][1])
    files = [tmp_path / "one.json", tmp_path / "two.txt", tmp_path / "three.parquet"]
    for path, name in zip(files, ("json", "trec", "parquet"), strict=True):
        path.write_bytes(RUNS[name][1])
    found = ia.score(files, tmp_path / "qrels", METRICS)
    assert found.systems == ("one", "two", "three")
    assert (found.values == found.values[:1]).all()


def test_a_document_listed_twice_is_no_different_in_json(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1}}
    (tmp_path / "run.json").write_text('{"1": {"a": 2, "b": 1, "a": 0.5}}')
    with pytest.raises(InputError, match="document a is listed a second time for topic 1"):
        ia.score(tmp_path / "run.json", qrels, ["AP"])
    (tmp_path / "run.csv").write_text("qid,docid,score\n1,a,2\n1,b,1\n1,a,0.5\n")
    with pytest.raises(
        InputError, match=r"run.csv, line 4: document a is listed a second time for topic 1, after .*run.csv, line 2"
    ):
        ia.score(tmp_path / "run.csv", qrels, ["AP"])
    assert ia.score(tmp_path / "run.csv", qrels, ["AP"], on_duplicate="first").values[0, 0, 0] == 1


FOREIGN: list[tuple[bytes, str]] = [
    (b"<!DOCTYPE html><html></html>", r"a web page \(HTML\)"),
    (b"%PDF-1.7\n\xff", "a PDF"),
    (b"PK\x03\x04zip", "a zip archive"),
    (b"\x89PNG\r\n\x1a\n", r"a picture \(PNG\)"),
    (b"2 qid:10 1:0.5 2:0.25\n", "features for learning to rank"),
    (b"\x80\x04\x95\x00", "a pickle"),
    (b"q1,d1,0.5\n", "CSV without a header"),
    (b"\xff\xfe1\x00", "UTF-16 text"),
]


@pytest.mark.parametrize(("data", "what"), FOREIGN)
def test_a_foreign_file_is_named(data: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n")
    with pytest.raises(InputError, match=f"file looks like {what}.*a run.*run_format"):
        ia.score(tmp_path / "file", tmp_path / "qrels", ["AP"])
    with pytest.raises(InputError, match=f"file looks like {what}.*judgements.*qrels_format"):
        ia.score(tmp_path / "run", tmp_path / "file", ["AP"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,docid,score\n1,a,high\n", r"file, line 2: found the score 'high'; expected a finite number"),
        ("qid,docid,score\n\n1,a,1\n1,b\n", r"file, line 4: found 2 fields; expected 3"),
        ("qid,docid,score\n1,,1\n", r"file, line 2: found the doc ''; expected an id"),
        ("qid,docid,score\n1,a,nan\n", r"file, line 2: the score is nan; expected a finite number"),
        ("qid,docid\n1,a\n", "found the columns qid, docid; expected topic or query_id or qid"),
        ("qid,docid,relevance\n1,a,1\n", r"looks like judgements \(it has the columns qid, docid, relevance\), not a run"),
        ('{"1": {"a": "x"}}', r'the score of document a of topic 1 is "x"; expected a finite number'),
        ('{"1": {"a": 1}', "is not valid JSON"),
        ('{"1": 5}', r"topic '1' does not hold an object; expected {topic: {document: score}}"),
        ('{"qid": 1, "docid": "a", "score": 1}\n{"qid": 1, "docid": "b"}\n', "file, line 2: score is null; expected a finite"),
        ('{"qid": 1, "docid": "a", "score": 1}\nfoo\n', "file, line 2: not valid JSON"),
        ("1 a 1\n1 b 2\n1 c 2.5 x y z\n", "file, line 3: found 6 fields|file, line 3"),
        ("1 a 1\n1 b 2\n1 c\n", r"file, line 3: found 2 fields; expected 3 \(topic doc rank\)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError, match=message):
        ia.score(tmp_path / "file", {"1": {"a": 1}}, ["AP"])


def test_scores_that_are_no_grades_are_not_taken_for_some(tmp_path: Path) -> None:
    (tmp_path / "run.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t0.5\n")
    with pytest.raises(InputError, match=r"looks like a run \(it has the score 0.5\), not judgements"):
        ia.read_qrels(tmp_path / "run.tsv")


def test_a_format_that_is_told_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 a 1\n1 b 2\n")
    qrels = {"1": {"a": 1}}
    assert ia.score(tmp_path / "run", qrels, ["RR"]).values[0, 0, 0] == 1
    assert ia.score(tmp_path / "run", qrels, ["RR"], run_format="scored").values[0, 0, 0] == 0.5
    assert {reader.name for reader in READERS} >= {"csv", "json", "jsonl", "msmarco", "parquet", "scored", "trec"}
    assert detected_reader([tmp_path / "run"], qrels, "trec").name == "trec"


def test_start_up_does_not_wait_for_tables() -> None:
    """Clean TREC files are scored without polars."""
    import subprocess

    code = "import sys, irassay.judging.scanned_runs; assert 'polars' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(params=["1", "0"])
def _native(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With the compiled scanner, and without."""
    from irassay.io.scan import library

    monkeypatch.setenv("IRASSAY_NATIVE", request.param)
    library.cache_clear()
    yield
    monkeypatch.undo()
    library.cache_clear()


@pytest.mark.usefixtures("_native")
def test_comments_that_may_be_results_are_counted(tmp_path: Path) -> None:
    """A topic or document that begins with # would be lost without a word; comments at the start are usual."""
    (tmp_path / "qrels").write_text("# ours\n1 0 a 1\n#1 0 b 1\n")
    (tmp_path / "run").write_text("# made by hand\n\n1 Q0 a 1 2 x\n#2 Q0 b 1 2 x\n# end\n")
    notes = ia.score(tmp_path / "run", tmp_path / "qrels", ["AP"]).notes
    assert {str(note) for note in notes if "beginning with #" in note} == {
        f"{tmp_path / 'qrels'}: 1 line beginning with #, skipped as comments",
        "run: 2 lines beginning with #, skipped as comments",
    }
    (tmp_path / "first").write_text("#1 Q0 a 1 2 x\n#1 Q0 b 2 1 x\n1 Q0 a 1 2 x\n")
    notes = ia.score(tmp_path / "first", {"1": {"a": 1}}, ["AP"]).notes
    assert "first: 2 lines beginning with #, skipped as comments" in map(str, notes)
    (tmp_path / "clean").write_text("# made by hand\n1 Q0 a 1 2 x\n")
    assert not any("#" in note for note in ia.score(tmp_path / "clean", {"1": {"a": 1}}, ["AP"]).notes)


def test_the_standard_input_has_a_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    (tmp_path / "qrels").write_bytes(JUDGEMENTS["trec"][1])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUNS["trec"][1])))
    inputs = ia.score("-", tmp_path / "qrels", ["AP"]).provenance()["inputs"]
    sums = {one["path"]: one["sha256"] for one in inputs}
    assert sums["-"] == hashlib.sha256(RUNS["trec"][1]).hexdigest()


def test_validate_says_that_two_columns_were_taken_for_judgements(tmp_path: Path) -> None:
    (tmp_path / "two.run").write_text("1 a\n1 b\n2 c\n")
    (problem,) = ia.validate(str(tmp_path / "two.run")).problems
    assert problem.severity == "info" and problem.what == "read as judgements (msmarco)"


def test_two_columns_that_may_be_the_topic_are_refused(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("topic,qid,doc,score\n1,2,a,3\n")
    with pytest.raises(InputError, match="the columns topic and qid both name the topic; expected one of them"):
        ia.score(tmp_path / "run.csv", {"1": {"a": 1}}, ["AP"])
