"""One pass over a file says everything that is wrong with it."""

import gzip
import random
from pathlib import Path

import pytest

import irassay as ia
from irassay.io.problems import Problem
from irassay.io.validation import validate

RUN = """\
# a run with about every problem
1 Q0 a 1 9 tag

1 Q0 b 2 9 tag
1 Q0 c 3 1.000000001 tag
1 Q0 d 4 1 tag
1 Q0 b 5 0.5 tag
1 Q0 e 6 high tag
2 Q0 a 1 nan tag
2 Q0 a 1
2 Q0 f 1 2 tag
2 Q0 g 2 3 other
3 Q0 a 1 1 tag
"""

QRELS = """\
1 0 a 1
1 0 b 0
1 0 a 2
1 0 b 0
1 1 a 3
1 0 x many
2 0 a 0
4 0 a 1
"""


def listed_problems(problems: tuple[Problem, ...]) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.severity, problem.what) for problem in problems]


def test_all_problems_of_a_run_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(RUN.encode()))
    assert listed_problems(validate(path).problems) == [
        (8, "error", "found the score 'high'; expected a finite number"),
        (9, "error", "found the score 'nan'; expected a finite number"),
        (10, "error", "found 4 fields; expected 6 (topic Q0 doc rank score tag)"),
        (7, "error", "found document b for topic 1 again, after line 4"),
        (12, "warning", "found 2 tags (tag, other)"),
        (4, "warning", "2 results in 1 topic (1) have tied scores"),
        (
            0,
            "warning",
            "1 topic (1) ordered differently in single precision",
        ),
        (12, "warning", "1 topic (2) with ranks that contradict their scores"),
    ]


def test_all_problems_of_judgements_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(QRELS)
    assert listed_problems(validate([path]).problems) == [
        (6, "error", "found the grade 'many'; expected a finite number"),
        (3, "error", "found the grade 2 for document a of topic 1, but 1 on line 1"),
        (4, "warning", "found the grade of document b of topic 1 again, after line 2"),
        (0, "warning", "1 topic without a relevant document (2)"),
    ]


def test_runs_are_held_against_the_judgements_among_the_files(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n4 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n")
    (tmp_path / "stranger").write_text("q1 Q0 a 1 1 t\n")
    qrels = tmp_path / "qrels"
    assert [(Path(p.file).name, p.severity, p.what) for p in validate(tmp_path).problems] == [
        ("run", "warning", f"1 topic not judged in {qrels} (3)"),
        ("run", "warning", f"2 topics judged in {qrels} but without results (2, 4)"),
        ("stranger", "error", f"none of its topics (q1) are judged in {qrels} (1, 2, 4)"),
    ]


def test_clean_files_have_no_problems_and_ranks_of_0_are_only_noted(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    found = validate(tmp_path)
    assert found.problems == () and found.status == 0
    (tmp_path / "run").write_text("1 Q0 a 0 2 t\n1 Q0 b 0 1 t\n")
    assert listed_problems(validate(tmp_path).problems) == [(0, "info", "all ranks are 0")]
    (tmp_path / "run").write_text("1 Q0 a first 2 t\n1 Q0 b 2 1 t\n")
    assert listed_problems(validate(tmp_path).problems) == [
        (1, "warning", "found the rank 'first' instead of a number on 1 line")
    ]
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n")
    assert listed_problems(validate(tmp_path).problems) == [(2, "warning", "1 topic (1) with a duplicate rank")]


def test_problems_of_one_kind_are_capped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 1 t\n" * 100 + "1 Q0 b 1 x t\n" * 30)
    problems = validate(path).problems
    copies = [problem for problem in problems if problem.fix == "delete one of the two lines"]
    assert [problem.line for problem in copies] == [*range(2, 22), 0]
    assert copies[-1].what == "and 79 more like the 20 before"
    assert "and 10 more like the 20 before" in [problem.what for problem in problems]
    shown = validate(path).view()
    assert "129 errors" in shown.sentences[0]
    table = shown.tables[0].machine
    assert table is not None
    assert [row[1] for row in table.rows if row[4] == "delete one of the two lines"] == [*range(2, 22), None]
    lines = [row[0] for row in shown.tables[0].rows if str(row[1]).endswith("; delete one of the two lines")]
    assert lines == [*(f"{path}:{line}" for line in range(2, 22)), str(path)]  # where it is and what, in one row


def test_what_is_neither_a_run_nor_judgements_is_said_to_be_so(tmp_path: Path) -> None:
    for name, text in {"empty": "", "five": "1 2 3 4 5\n", "ok": "1 0 a 1\n"}.items():
        (tmp_path / name).write_text(text)
    problems = validate([tmp_path, tmp_path / "absent"]).problems
    assert [(Path(problem.file).name, problem.severity) for problem in problems] == [
        ("empty", "error"),
        ("five", "error"),
        ("absent", "error"),
    ]
    assert "found 5 fields per line; expected 4" in problems[1].what
    assert str(problems[2]).endswith(
        "absent: error: There is no file " + str(tmp_path / "absent") + "; " + problems[2].fix
    )


def test_documents_of_two_kinds_are_found(tmp_path: Path) -> None:
    """Runs and judgements that share topics but no document ids, with samples of both sides."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 doc-a 1 2 x\n1 Q0 doc-b 2 1 x\n")
    (tmp_path / "sound").write_text("1 Q0 a 1 2 y\n")
    (tmp_path / "rare").write_text("".join(f"1 Q0 d{i} {i} {-i} z\n" for i in range(200)) + "1 Q0 a 201 -201 z\n")
    found = validate([tmp_path / name for name in ("run", "qrels", "sound", "rare")]).problems
    told = {Path(p.file).name: (p.severity, p.what, p.fix) for p in found if "judged" in p.what}
    assert set(told) == {"run", "rare"}
    assert told["run"][0] == "error"
    assert told["run"][2] == "check that document ids match: the run has doc-a, doc-b, the judgements have a, b"
    assert told["rare"][:2] == ("warning", f"fewer than 1% of its first 10 results are judged in {tmp_path / 'qrels'}")


def test_other_formats_are_checked_alike(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text('{"1": {"a": 1, "b": 0}, "2": {"a": 0}}')
    (tmp_path / "run.csv").write_text("qid,docid,score\n1,a,0.5\n1,a,0.25\n1,b,0.25\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    found = {
        (Path(p.file).name, p.line, p.severity) for p in validate([*map(str, sorted(tmp_path.iterdir()))]).problems
    }
    assert ("run.csv", 3, "error") in found  # a document twice
    assert ("run.csv", 4, "warning") in found  # tied scores
    assert ("qrels.json", 0, "warning") in found  # a topic without a relevant document
    assert {("qrels.json", 0, "info"), ("qrels.tsv", 0, "info")} <= found  # what they were taken for
    assert ("run.csv", 0, "warning") in found  # a topic without results


@pytest.mark.parametrize(("judged", "warned"), [(2, True), (3, False)])
def test_fewer_than_one_judged_result_in_a_hundred_is_a_warning(tmp_path: Path, judged: int, warned: bool) -> None:
    """Of 30 topics the first ten results each are looked at: 300, of which some first ones are judged."""
    docs = [(t, i, "judged" if i == 0 and t < judged else f"d{i}") for t in range(30) for i in range(10)]
    (tmp_path / "run").write_text("".join(f"{t} Q0 {doc} {i + 1} {-i} t\n" for t, i, doc in docs))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 judged 1\n" for t in range(30)))
    problems = validate([tmp_path / "qrels", tmp_path / "run"]).problems
    assert any("fewer than 1%" in problem.what for problem in problems) == warned


@pytest.mark.parametrize(
    ("run", "text"),
    [("run.txt", "2 Q0 a 1 2 r\n#1 Q0 a 1 3 r\n"), ("run.csv", "topic,doc,score\n2,a,2\n#1,a,3\n")],
)
def test_lines_skipped_as_comments_are_listed_as_scoring_notes_them(tmp_path: Path, run: str, text: str) -> None:
    (tmp_path / "qrels").write_text("2 0 a 1\n#1 0 a 1\n")
    (tmp_path / run).write_text(text)
    problem_text = "1 line beginning with #, skipped as comments"
    found = [
        problem
        for problem in ia.validate([tmp_path / "qrels", tmp_path / run]).problems
        if problem.what == problem_text
    ]
    assert [problem.severity for problem in found] == ["info", "info"]
    notes = ia.score(tmp_path / run, tmp_path / "qrels", ["AP"]).notes
    assert sum(problem_text in note for note in notes) == 2


def test_a_damaged_compressed_file_is_a_problem_beside_others(tmp_path: Path) -> None:
    rng = random.Random(19)
    (tmp_path / "bad.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(rng.randrange(256) for _ in range(50)))
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    found = validate((str(tmp_path / "bad.zst"), str(tmp_path / "qrels.txt")))
    assert any("bad.zst" in str(problem) for problem in found.problems)
