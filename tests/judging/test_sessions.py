"""Sessions of several queries: their files, their metrics, and what jiang2016's own code says of them."""

import itertools
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from irassay.errors import InputError
from irassay.io.input_files import open_inputs
from irassay.io.sessions import read_session_qrels, read_sessions
from irassay.io.trec import Qrels
from irassay.judging.judge import judge
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import document_judgements
from irassay.meta.robustness.altered_judgements import original_judgements
from irassay.meta.robustness.rejudged_scores import pooled_runs
from irassay.metrics.grammar import parse
from irassay.scoring.score import score
from tests.support.runs import session_run

JIANG = {
    "sDCG": "sDCG(dialect='jiang')@9",
    "nsDCG": "nsDCG(dialect='jiang')@9",
    "sDCGq": "sDCG(dialect='jiang',per_query=True)@9",
    "sDCG_noq": "sDCG(dialect='jiang',bq=None)@9",
}
LISTS = {"s": [["a", "b", "c"], [], ["b", "d"], ["e", "a", "d", "f"]], "t": [[], ["c"]]}
GRADES = {"a": 1, "b": 2, "c": 0, "d": 1, "e": -1, "g": 2, "h": 1}
TSV = "session\tquery\trank\tdoc\ns\t1\t1\ta\ns\t1\t2\tb\ns\t2\tno results\ns\t3\t1\tc\nt\t2\t1\ta\n"


def example() -> Qrels:
    return Qrels.of({"s": GRADES, "t": GRADES})


def test_every_session_of_jiang2016(shared: Path) -> None:
    folder = shared / "data" / "jiang-2016"
    batch = judge(read_sessions(folder), read_session_qrels(folder))
    r = batch.rankings
    assert (len(r), r.turns.sum(), r.max_grade, batch.notes) == (80, 388, 2.0, ())
    expected = json.loads((shared / "oracles" / "ir_metrics" / "scores.json").read_text())
    for theirs, ours in JIANG.items():
        scores = dict(zip(batch.topics, parse(ours).score(r).tolist(), strict=True))
        assert scores == pytest.approx({session: of[theirs] for session, of in expected.items()}, rel=0, abs=1e-9)
    assert parse("sDCG(dialect='jiang')@9").score(r)[batch.topics.index("22")] == pytest.approx(15.2590, abs=5e-5)


def test_expected_session_ndcg_goes_with_ratings_as_published(shared: Path) -> None:
    folder = shared / "data" / "jiang-2016"
    batch = judge(read_sessions(folder), read_session_qrels(folder))
    table = pl.read_csv(folder / "session", separator="\t", quote_char=None, infer_schema=False)
    ratings = dict(zip(table[:, 0], table["Performance"].cast(float), strict=True))
    rating = [ratings[session] for session in batch.topics]
    plain, discounted = (parse(f"esNDCG({p})@9").score(batch.rankings) for p in ("", "path_discount=True"))
    assert np.corrcoef(plain, rating)[0, 1] == pytest.approx(0.35479, abs=5e-6)
    assert np.corrcoef(discounted, rating)[0, 1] == pytest.approx(0.313, abs=5e-4)


def test_queries_of_jiang2016_one_by_one(shared: Path) -> None:
    folder = shared / "data" / "jiang-2016"
    queries = judge(read_sessions(folder), read_session_qrels(folder)).queries
    assert queries is not None
    expected = json.loads((shared / "oracles" / "ir_metrics" / "scores.json").read_text())
    for theirs, ours in {
        "P|static": "P(end='list')@9",
        "nDCG|time": "nDCG(gain='exp',effort='time',end='list')@9",
    }.items():
        scores = parse(ours).score(queries.rankings)
        assert np.repeat(scores, queries.times) == pytest.approx(
            np.concatenate([expected[s][theirs] for s in queries.sessions]), abs=1e-9
        )
        means = [np.mean(expected[s][theirs]) for s in queries.sessions]
        assert queries.mean(scores) == pytest.approx(np.array(means), abs=1e-9)


def test_a_session_discounted_by_hand() -> None:
    r = judge(session_run(LISTS), example()).rankings
    assert r.turns.tolist() == [4, 2]
    log = np.log2
    first, third, fourth = 1 + 3 / log(3), 3 + 1 / log(3), 1 / log(3) + 1 / log(4)
    by_query = [first / 1, third / (log(6) / 2), fourth / (log(7) / 2)]
    assert parse("sDCG(dialect='jiang')").score(r) == pytest.approx([sum(by_query), 0])
    assert parse("sDCG(dialect='jiang',bq=None)").score(r) == pytest.approx([first + third + fourth, 0])
    assert parse("sDCG(dialect='jiang',bq=None,per_query=True)@1").score(r) == pytest.approx([(1 + 3) / 4, 0])
    ideal = 3 + 3 / log(3)
    queries = sum(1 / (log(q + 3) / 2) for q in range(1, 5))
    top = 1 + 3 / log(3) + (3 + 1 / log(3)) / (log(6) / 2) + (1 / log(3)) / (log(7) / 2)
    assert parse("nsDCG(dialect='jiang')@2").score(r) == pytest.approx([top / (ideal * queries), 0])
    jig = (1 + 2 / 2) + (2 + 1 / 2) / (1 + log(3) / 2)
    assert parse("sDCG@3").score(r) == pytest.approx([jig, 0])


def paths(gains: list[list[float]], ideal: list[float], P_reform: float, P_down: float, discount: bool) -> float:
    """The expectation over every path, one by one."""
    total = 0.0
    for last in range(len(gains)):
        reformulates = P_reform**last * (1.0 if last == len(gains) - 1 else 1 - P_reform)
        read = gains[: last + 1]
        for ends in itertools.product(*[range(1, len(g) + 1) if g else [0] for g in read]):
            chance = reformulates
            for end, g in zip(ends, read, strict=True):
                chance *= 1.0 if not g else P_down ** (end - 1) * (1.0 if end == len(g) else 1 - P_down)
            path = [x for end, g in zip(ends, read, strict=True) for x in g[:end]]
            weight = 1 / np.log2(np.arange(2, len(path) + 2)) if discount else np.ones(len(path))
            best = np.dot(weight[: len(ideal)], ideal[: len(path)])
            total += chance * np.dot(weight, path) / best if best else 0.0
    return total


@pytest.mark.parametrize("discount", [False, True])
@pytest.mark.parametrize(
    ("P_reform", "P_down", "k"), [(0.8, 0.7, 9), (0.3, 0.9, 2), (1.0, 1.0, 9), (0.0, 0.5, 9), (0.5, 0.0, 3)]
)
def test_the_expectation_is_that_of_all_paths(discount: bool, P_reform: float, P_down: float, k: int) -> None:
    r = judge(session_run(LISTS), example()).rankings
    gain = {doc: 2.0 ** max(grade, 0) - 1 for doc, grade in GRADES.items()}
    ideal = sorted(gain.values(), reverse=True)
    metric = parse("esNDCG")(P_reform=P_reform, P_down=P_down, path_discount=discount) @ k
    expected = [
        paths([[gain.get(doc, 0.0) for doc in docs[:k]] for docs in lists], ideal, P_reform, P_down, discount)
        for lists in LISTS.values()
    ]
    assert metric.score(r) == pytest.approx(expected, rel=0, abs=1e-12)


def test_long_lists_are_followed_as_far_as_anybody_reads() -> None:
    docs = [f"d{i}" for i in range(3000)]
    r = judge(session_run({"s": [docs, docs]}), Qrels.of({"s": dict.fromkeys(docs, 1)})).rankings
    assert parse("esNDCG").score(r) == pytest.approx([1.0], abs=1e-12)


def test_the_plain_form(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(TSV)
    sessions = read_sessions(path)
    assert dict(sessions.turns) == {"s": 3, "t": 2}
    assert sessions.frame.rows() == [("s", 1, 1, "a"), ("s", 1, 2, "b"), ("s", 3, 1, "c"), ("t", 2, 1, "a")]
    for empty in ("s\t2", "s\t2\t\t", "s\t2\tNo results\t\t"):
        path.write_text(TSV.split("\n", 1)[1].replace("s\t2\tno results", empty).replace("\n", "\r\n"))
        assert read_sessions(path).frame.equals(sessions.frame)
        assert read_sessions(path).turns == sessions.turns


def test_results_are_ordered_by_query_and_rank(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("s\t2\t1\tc\ns\t1\t2\tb\ns\t1\t1\ta\n")
    assert read_sessions(path).frame["doc"].to_list() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("s 1 1 a", r"mine\.tsv, line 2: found 1 field; expected session query rank document, separated by TAB"),
        ("s\tone\t1\ta", r"mine\.tsv, line 2: found the query 'one'"),
        ("s\t0\t1\ta", r"mine\.tsv, line 2: found the query '0'"),
        ("s\t1\tfirst\ta", r"mine\.tsv, line 2: found the rank 'first'"),
        ("s\t1\tnone", r"mine\.tsv, line 2: found the rank 'none'"),
        ("s\t1\t2", r"mine\.tsv, line 2: found no document"),
        ("s\t1\t1\tb", r"query 1 of session s has two results at rank 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(f"s\t1\t1\ta\n{line}\n")
    with pytest.raises(InputError, match=message):
        read_sessions(path)


def test_a_file_without_results_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("session\tquery\trank\tdoc\n")
    with pytest.raises(InputError, match="has no lines"):
        read_sessions(path)


def test_judgements_in_either_form(tmp_path: Path) -> None:
    short, trec = tmp_path / "short", tmp_path / "trec"
    short.write_text("SessionID\tURL\tRelevance\ns\ta b\t2\ns\tc\t-1\n")
    trec.write_text("s 0 a 2\ns 0 c -1\n")
    assert read_session_qrels(short).frame.rows() == [("s", "0", "a b", 2.0), ("s", "0", "c", -1.0)]
    assert read_session_qrels(trec).frame["grade"].to_list() == [2.0, -1.0]
    short.write_text("s\ta\t2\ns\tc\tbad\n")
    with pytest.raises(InputError, match="short, line 2: found the grade 'bad'"):
        read_session_qrels(short)


def test_sessions_that_only_one_side_has() -> None:
    qrels = Qrels.of({"s": GRADES, "u": GRADES})
    batch = judge(session_run(LISTS), qrels)
    assert batch.notes == (
        "sessions: 1 session without judgements left out (t)",
        "sessions: 1 judged session without queries, scored 0 (u)",
    )
    assert batch.rankings.turns.tolist() == [4, 0]
    for metric in (*JIANG.values(), "esNDCG", "sDCG", "nsDCG"):
        assert parse(metric).score(batch.rankings)[1] == 0.0
    assert len(judge(session_run(LISTS), qrels, JudgingPolicy(missing="skip")).rankings) == 1
    with pytest.raises(InputError, match=r"does not have 1 judged session"):
        judge(session_run(LISTS), qrels, JudgingPolicy(missing="error"))
    with pytest.raises(InputError, match=r"No session of sessions \(which has s, t\) is judged"):
        judge(session_run(LISTS), Qrels.of({"x": GRADES}))


def test_a_document_counts_for_every_query_but_once_in_a_list() -> None:
    twice = session_run({"s": [["b", "b"], ["b"]]})
    with pytest.raises(InputError, match="query 1 of session s lists document b twice"):
        judge(twice, example(), JudgingPolicy(missing="skip"))
    kept = judge(twice, example(), JudgingPolicy(missing="skip", on_duplicate="nonrelevant")).rankings
    assert kept.grade.tolist() == [[2.0, 0.0, 2.0]]
    first = judge(twice, example(), JudgingPolicy(missing="skip", on_duplicate="first")).rankings
    assert first.grade.tolist() == [[2.0, 2.0]]


def test_subtopics_lengths_and_depth() -> None:
    frame = [("s", "1", "a", 1), ("s", "2", "a", 2), ("s", "2", "b", 1)]
    import polars as pl

    qrels = Qrels.of(pl.DataFrame(frame, schema=["topic", "subtopic", "doc", "grade"], orient="row"))
    sessions = session_run({"s": [["b", "x"], ["a", "y"]]})
    r = judge(
        sessions, qrels, JudgingPolicy(qrels_format="subtopic", lengths={"a": 10, "b": 20, "x": 5, "y": 5}, depth=1)
    ).rankings
    assert r.aspects.tolist() == [[[0, 1], [1, 2]]]
    assert r.words.tolist() == [[20.0, 10.0]]
    assert parse("CT").score(r) == pytest.approx(((0.5 + 0.5 + 0.25 * 2) / 2) / 5 / 2)
    assert parse("TotTime@1").score(r) == pytest.approx(4.4 + 0.64 * (0.018 * 20 + 7.8))
    with pytest.raises(InputError, match="CT needs judgements by subtopic"):
        parse("CT").score(judge(sessions, qrels).rankings)


def test_judgements_of_documents_are_read_as_those_of_the_runs(tmp_path: Path) -> None:
    files = {"session": "s\t5\n", "results": TSV, "qrels": "SessionID\tURL\tRelevance\ns\ta\t1\ns\tb\t2\nt\ta\t1\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for qrels in (tmp_path, tmp_path / "qrels"):
        judgements = document_judgements(*open_inputs(tmp_path, qrels), JudgingPolicy())
        assert judgements.frame.select("topic", "doc", "grade").rows() == [("s", "a", 1), ("s", "b", 2), ("t", "a", 1)]


def test_changed_judgements_score_sessions_as_score_does_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "lists.tsv").write_text(TSV)
    given = [tmp_path / "lists.tsv"], example()
    policy, metrics = JudgingPolicy(run_format="session"), [parse("sDCG"), parse("nsDCG")]
    pooled = pooled_runs(*given, metrics, policy)
    scores = pooled.scores(original_judgements(pooled.pool), metrics)
    assert scores.values.tolist() == score(*given, metrics, judging=policy).values.tolist()
    with pytest.raises(InputError, match=r"^AP scores each query of a session by itself, which is not"):
        pooled_runs(*given, [parse("AP"), *metrics], policy)
