"""Runs and judgements mean the same however their files are written, and bad ones are refused with their line."""

import gzip
import io
import os
import random
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.io.lines import read_table
from irassay.io.run_names import names_of_runs
from irassay.io.sidefiles import read_costs, read_groups, read_lengths, read_topic_params, read_weights
from irassay.io.sources import Source
from irassay.io.trec import RUN_LAYOUT, Qrels, Run, read_qrels, read_run, read_runs

PLAIN = "1 Q0 a 1 9.5 tag\n1 Q0 b 2 1e-05 tag\n2 Q0 é 1 -3 tag\n"
ROWS = [("1", "a", 9.5), ("1", "b", 1e-05), ("2", "é", -3.0)]


def written(folder: Path, text: str | bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", "   "),
        PLAIN.replace(" Q0", " \t Q0"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", " \n"),
        "  " + PLAIN.replace("\n", "\n  "),
        PLAIN.replace("\n", "\n\n"),
        "\n" + PLAIN,
        PLAIN.rstrip("\n"),
        "# ir_metadata.start\n# platform:\n#   os: x\n" + PLAIN + "# the end",
        PLAIN.replace("2 Q0", "  # in between\n2 Q0"),
        PLAIN.replace("tag", "tag more and more"),
        PLAIN.replace("b 2 1e-05 tag", "b 2 1e-05 tag more"),
        "\ufeff" + PLAIN,
        "\ufeff# comment\r\n\r\n" + PLAIN.replace(" ", "\t "),
        PLAIN.replace(" 1 ", " 0 ").replace(" 2 1e", " 0 1e"),
        PLAIN.replace("9.5", "+9.50"),
        PLAIN.replace("1e-05", "1.E-5"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_run_is_the_same_however_it_is_written(tmp_path: Path, text: str, packed: bool) -> None:
    run = read_run(written(tmp_path, gzip.compress(text.encode()) if packed else text), names="tag")
    assert run.frame.rows() == ROWS
    assert run.name == "tag"


ids = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=14).filter(
    lambda text: not text.startswith(("#", "\ufeff"))
)
scores = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-99, 99).map(str)
rows = st.lists(st.tuples(ids, ids, ids, ids, scores, ids), min_size=1, max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=rows, seed=st.integers(0, 999), block=st.sampled_from([1 << 24, 64, 7]))
def test_the_fast_and_the_careful_way_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, ...]], seed: int, block: int
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(Source, "block", block)
    neat = "".join("\t".join(row) + "\n" for row in rows)
    untidy, lines = "", []
    for row in rows:
        while rng.random() < 0.3:
            untidy += rng.choice(["\n", "# note\n", " \t\r\n"])
        lines.append(untidy.count("\n") + 1)
        gaps = [rng.choice([" ", "\t", "  ", " \t"]) for _ in row]
        extra = rng.choice(["", "", " more", "\tand more"])
        untidy += rng.choice(["", " "]) + "".join(f + g for f, g in zip(row, gaps, strict=True)) + extra + "\n"
    first = read_table(Source(written(tmp_path, neat)), RUN_LAYOUT)
    second = read_table(Source(written(tmp_path, untidy)), RUN_LAYOUT)
    expected = [(*row[:4], float(row[4]), row[5]) for row in rows]
    assert not first.faults and not second.faults
    assert first.frame.rows() == second.frame.rows() == expected
    assert [first.line_number(i) for i in range(len(rows))] == list(range(1, len(rows) + 1))
    assert [second.line_number(i) for i in range(len(rows))] == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no lines; expected lines of: topic Q0 doc rank score tag"),
        ("# only\n\n", "has no lines"),
        (PLAIN + "3 Q0 c 1 2.5\n", ", line 4: found 5 fields; expected 6"),
        ("# x\n" + PLAIN + "\n3\n", ", line 6: found 1 field; expected 6"),
        ("1 Q0 a 1 2 tag more\n1 Q0 b 2 1\n", ", line 2: found 5 fields"),
        ("1  Q0 a 1 9.5\n" + PLAIN, ", line 1: found 5 fields"),
        (PLAIN + "3 c 1 2.5 7\n3 Q0 d 2 1 tag more\n", ", line 4: found 5 fields"),
        (PLAIN + "3 Q0 c 1 high tag\n", ", line 4: found the score 'high'; expected a finite number"),
        (PLAIN + "3 Q0 c 1 1_000 tag\n", ", line 4: found the score '1_000'"),
        (PLAIN + "3 Q0 c 1 nan tag\n", ", line 4: found the score 'nan'"),
        (PLAIN + "3 Q0 c 1 -Infinity tag\n", ", line 4: found the score '-Infinity'"),
        (PLAIN + "3 Q0 c 1 1e999 tag\n", ", line 4: found the score '1e999'"),
        (
            PLAIN + "3 Q0 c 1 0x1p3 tag\n3 Q0 d 1 x tag\n",
            r", line 4: .*\(1 more faulty line; to list them: irassay validate",
        ),
        (PLAIN.encode() + b"3 Q0 caf\xe9 1 2 tag\n", ", line 4: found bytes that are not UTF-8 text"),
        (PLAIN.encode("utf-16"), "looks like UTF-16 text \\(save it as UTF-8\\)"),
        (PLAIN.encode("utf-16-le"), ", line 1: found a NUL byte, so this is not UTF-8 text"),
        ("1 0 a 1\n1 0 b 0\n", r"looks like qrels \(4 fields per line\), not a run"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-9], "is a damaged .gz file"),
    ],
)
def test_a_bad_run_is_refused_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_run(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b\n", ", line 2: found 3 fields; expected 4"),
        ("1 0 a 1\n1 0 b high\n", ", line 2: found the grade 'high'; expected a finite number; write the grade"),
        ("1 0 a inf\n", ", line 1: found the grade 'inf'"),
        ("1 0 a 1\n\n1 0 a 2\n", ", line 3: found the grade 2 for document a of topic 1, but 1 on line 1; keep one"),
        (PLAIN, r"looks like a run \(6 fields per line\), not qrels"),
        ("1 1.1 a 7 2\n", r"looks like passage judgements \(5 fields per line\)"),
    ],
)
def test_bad_judgements_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_qrels(written(tmp_path, text))


def test_a_missing_file_a_folder_and_an_empty_folder_are_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_run(tmp_path / "absent")
    with pytest.raises(InputError, match="is a folder; expected a file"):
        read_qrels(tmp_path)
    with pytest.raises(InputError, match="has no files"):
        read_runs(tmp_path)
    with pytest.raises(InputError, match="No file matches"):
        read_runs(tmp_path / "*.txt")


def test_judgements_keep_fractions_negative_grades_and_column_2(tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, "7 2 b -2\n7 1 b 0.5\n6 1 a 3\n"))
    assert qrels.frame.rows() == [("7", "2", "b", -2.0), ("7", "1", "b", 0.5), ("6", "1", "a", 3.0)]
    assert qrels.topics == ("7", "6")
    assert (qrels.max_grade, qrels.varied_topics, qrels.has_subtopics) == (3.0, 1, True)


def test_repeated_judgements_count_once_and_are_counted(tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, "1 0 a 1\n1 0 b 0\n1 0 a 1\n1 0 a 1.0\n"))
    assert qrels.frame["doc"].to_list() == ["a", "b"]
    assert "repeats 2 judgements" in qrels.notes[0]


def test_folders_and_globs_are_read_by_name_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.gz", "a", ".hidden"):
        written(tmp_path, PLAIN.replace("tag", f"tag-{name}"), name)
    assert [run.name for run in read_runs(tmp_path)] == ["a", "b"]
    assert [run.name for run in read_runs(tmp_path, names="tag")] == ["tag-a", "tag-b.gz"]
    assert [run.name for run in read_runs([tmp_path / "b*", tmp_path / "a"])] == ["b", "a"]


def test_runs_are_named_by_their_files_and_by_more_of_their_paths_where_files_are_named_alike(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    paths = [written(tmp_path, PLAIN, name) for name in ("a.run.gz", "b", "x/b", "d.txt", "d.res")]
    paths.append(written(tmp_path, PLAIN.replace("tag", "own"), "c.txt"))
    told_apart = [f"{tmp_path.name}/b", "x/b", "d.txt", "d.res"]
    assert [run.name for run in read_runs(paths)] == ["a", *told_apart, "c"]
    assert [run.name for run in read_runs(paths, names="tag")] == ["a", *told_apart, "own"]
    assert [run.name for run in read_runs(paths[:2])] == ["a", "b"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a.run", "other/a"), ["./a", "other/a"]),
        (("../x/a.txt", "x/a.txt"), ["../x/a", "x/a"]),
        (("a.run", "x/a.txt"), ["a.run", "a.txt"]),
        (("x/a.txt", "y/a.txt", "y/a.run"), ["x/a.txt", "y/a.txt", "y/a.run"]),
        (("a", "b/a", "b/c"), ["./a", "b/a", "c"]),
        (("/a.run", "a.run"), ["/a", "./a"]),
    ],
)
def test_runs_of_one_name_all_show_where_they_differ(paths: tuple[str, ...], names: list[str]) -> None:
    assert names_of_runs(paths, "file", lambda path: "") == names
    assert names_of_runs(paths[::-1], "file", lambda path: "") == names[::-1]


def test_a_run_with_several_tags_is_named_by_its_file_and_says_so(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, PLAIN + "3 Q0 c 1 1 other\n", "mixed"))
    assert run.name == "mixed"
    assert "several tags (other, tag)" in run.notes[0]


def test_standard_input_and_pipes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (PLAIN.encode(), gzip.compress(PLAIN.encode())):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))
        assert read_run("-").frame.select("topic", "doc", "score").rows() == ROWS
    reader, writer = os.pipe()
    os.write(writer, PLAIN.encode())
    os.close(writer)
    assert read_run(f"/dev/fd/{reader}").frame.select("topic", "doc", "score").rows() == ROWS
    os.close(reader)


def test_rank_and_kind_are_read_again_when_they_are_wanted(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, PLAIN))
    assert run.frame.columns == ["topic", "doc", "score"]
    assert run.with_column("rank").frame["rank"].to_list() == ["1", "2", "1"]
    assert run.with_column("kind").frame["kind"].to_list() == ["Q0"] * 3
    with pytest.raises(InputError, match="no column 'rank'"):
        Run.of({"1": {"a": 1}}).with_column("rank")


Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
RUN_IN_MEMORY = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 0.5)]


@pytest.mark.parametrize(
    "data",
    [
        {"1": {"a": 2, "b": 1.0}, 2: {"a": np.float64(0.5)}},
        pl.DataFrame({"topic": [1, 1, 2], "doc": ["a", "b", "a"], "score": [2.0, 1, 0.5]}),
        pl.LazyFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2.0, 1, 0.5]}),
        pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1, 0.5]}),
        pd.DataFrame({"qid": [1, 1, 2], "query": "x y", "docno": ["a", "b", "a"], "rank": 0, "score": [2.0, 1, 0.5]}),
        (ScoredDoc(*row) for row in RUN_IN_MEMORY),
        [SimpleNamespace(query_id=t, doc_id=d, score=s) for t, d, s in RUN_IN_MEMORY],
        SimpleNamespace(to_dict=lambda: {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 0.5}}),
    ],
)
def test_runs_may_be_in_memory(data: object) -> None:
    assert Run.of(data).frame.select("topic", "doc", "score").rows() == RUN_IN_MEMORY


@pytest.mark.parametrize(
    ("data", "subtopic"),
    [
        ({"1": {"a": 2, "b": 0}}, "0"),
        (pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 0]}), "0"),
        (pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [2, 0], "iteration": [4, 4]}), "4"),
        ([Qrel("1", "a", 2, "4"), Qrel("1", "b", 0, "4")], "4"),
    ],
)
def test_judgements_may_be_in_memory(data: object, subtopic: str) -> None:
    assert Qrels.of(data).frame.rows() == [("1", subtopic, "a", 2.0), ("1", subtopic, "b", 0.0)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pl.DataFrame({"q": ["1"], "doc": ["a"], "score": [1]}), "found the columns q, doc, score; expected topic or"),
        (pl.DataFrame({"qid": ["1"], "docno": [None], "score": [1]}), "column 'doc' is empty in row 0"),
        (pd.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "score": [1, 2]}), "column 'topic' is empty in row 1"),
        (pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": ["x"]}), "score in row 0 is 'x'; expected a finite"),
        ({"1": {"a": float("nan")}}, "column 'score' is empty in row 0"),
        ({"1": {"a": float("inf")}}, "score in row 0 is inf"),
        ({"1": [["a", "b"]]}, "topic '1' has a list; expected {topic: {doc: score}}"),
        (7, "found 7; expected a path"),
    ],
)
def test_other_things_in_memory_are_refused(data: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.of(data)


def test_conflicting_judgements_in_a_frame_name_their_rows() -> None:
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "grade": [1, 2]})
    with pytest.raises(InputError, match=r"judgements, row 1: found the grade 2 for document a .* but 1 on row 0"):
        Qrels.of(frame)


def test_side_files_are_read(tmp_path: Path) -> None:
    assert read_lengths(written(tmp_path, "a\t10\nb\t30\nb\t30\n")).rows() == [("a", 10.0), ("b", 30.0)]
    assert read_lengths(written(tmp_path, '\n{"a": 10, "b": 30.5}')).rows() == [("a", 10.0), ("b", 30.5)]
    assert read_costs(written(tmp_path, "web 1\nad 0.3\n")) == {"web": 1.0, "ad": 0.3}
    assert read_weights(written(tmp_path, "1 x .5\n1 y .25\n2 x 1\n")) == {"1": {"x": 0.5, "y": 0.25}, "2": {"x": 1.0}}
    assert read_groups(written(tmp_path, "# run team\nr1 A\nr2 B\n")) == {"r1": "A", "r2": "B"}
    params = read_topic_params(written(tmp_path, "# by hand\ntopic T K\n1 2.5 10\n2 1 20\n"))
    assert params == {"T": {"1": 2.5, "2": 1.0}, "K": {"1": 10.0, "2": 20.0}}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_lengths, "a 10\nb many\n", ", line 2: found the words 'many'"),
        (read_lengths, "a 10\nb -1\n", ", line 2: found the words -1; expected 0 or more"),
        (read_lengths, "a 10\na 11\n", ", line 2: found a second words for a; keep one"),
        (read_lengths, '{"a": "many"}', "is not a JSON object of lengths"),
        (read_lengths, '{"a": -4}', "document a has the length -4"),
        (read_weights, "1 x\n", ", line 1: found 2 fields; expected 3"),
        (read_topic_params, "1 2.5\n", "begins with '1 2.5'; expected a header such as: topic T"),
        (read_topic_params, "topic T\n1 2 3\n", ", line 2: found 3 fields; expected 2"),
        (read_topic_params, "topic T\n1 x\n", ", line 2: found the T 'x'; expected a finite number"),
        (read_topic_params, "topic T\n1 2\n1 3\n", ", line 3: found a second T for topic 1"),
    ],
)
def test_bad_side_files_are_refused_with_their_line(tmp_path: Path, read: object, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, text))  # type: ignore[operator]
