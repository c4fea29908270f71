"""A run meets its judgements: the order of its lists, its grades, its pool, and what is said about the rest."""

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.io.trec import Qrels, Run, read_qrels, read_run
from irassay.judging import lookup
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import build_pool
from irassay.judging.runs import judged_runs
from irassay.notes import EqualScores
from irassay.scoring.score import score

CLOSE = 1 + 1e-9  # equals 1 in single precision


def run_of(*rows: tuple[str, str, float]) -> Run:
    return Run.of(pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row"))


def order_of(run: Run, **options: str) -> list[str]:
    """The documents of topic 1 in the order that judge gives them."""
    docs = sorted(set(run.frame["doc"]))
    qrels = Qrels.of({"1": {doc: i + 1 for i, doc in enumerate(docs)}})
    return [docs[int(grade) - 1] for grade in judge(run, qrels, JudgingPolicy(**options)).rankings.grade[0]]  # type: ignore[arg-type]


TIED = run_of(("1", "b", 2), ("1", "a", 5), ("1", "é", 2), ("1", "c", 2))


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("docid", ["a", "é", "c", "b"]), ("docid-asc", ["a", "b", "c", "é"]), ("file", ["a", "b", "é", "c"])],
)
def test_equal_scores_are_ordered_as_told_and_ids_by_bytes(ties: str, expected: list[str]) -> None:
    assert order_of(TIED, ties=ties) == expected


@pytest.mark.parametrize("native", ["1", "0"])
def test_a_run_whose_scores_are_all_equal_is_told_of_and_shown(
    native: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own order is lost. One list with a second score, or one result only, shows that it has an order."""
    monkeypatch.setenv("IRASSAY_NATIVE", native)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n2 0 a 1\n")
    same = ["1 Q0 a 1 7 x\n1 Q0 b 2 7 x\n", "2 Q0 a 1 3 x\n2 Q0 b 2 3 x\n"]
    for lists, shown in (
        (same, True),
        (same[:1], True),
        ([same[0], "2 Q0 a 1 3 x\n2 Q0 b 2 2 x\n"], False),
        ([same[0], "2 Q0 a 1 3 x\n2 Q0 b 2 3 x\n2 Q0 c 3 2 x\n"], False),
        ([same[0], "2 Q0 a 1 3 x\n"], False),
    ):
        run = tmp_path / "run.txt"
        run.write_text("".join(lists))
        notes = [note for note in score([run], qrels, ["AP"]).notes if isinstance(note, EqualScores)]
        assert [note.caveat for note in notes] == [shown]
        assert ("document ids alone" in notes[0]) == shown


def test_the_file_or_the_rank_may_decide_instead() -> None:
    frame = TIED.frame.with_columns(rank=pl.Series([4, 1, 3, 1]))
    assert order_of(TIED, order="file") == ["b", "a", "é", "c"]
    assert order_of(Run.of(frame), order="rank") == ["c", "a", "é", "b"]
    with pytest.raises(InputError, match="has rank 0 on every line"):
        order_of(Run.of(frame.with_columns(rank=0)), order="rank")
    with pytest.raises(InputError, match="order must be one of score, rank, file; found 'random'"):
        order_of(TIED, order="random")


def test_single_precision_makes_ties_and_either_precision_tells_of_the_other() -> None:
    run = run_of(("1", "a", CLOSE), ("1", "b", 1), ("2", "b", CLOSE), ("2", "a", 1), ("3", "a", 2), ("3", "b", 1))
    assert order_of(run) == ["a", "b"]
    assert order_of(run, score_precision="single") == ["b", "a"]
    qrels = Qrels.of({topic: {"a": 1} for topic in "123"})
    for precision in ("double", "single"):
        notes = judge(run, qrels, JudgingPolicy(score_precision=precision)).notes  # type: ignore[arg-type]
        assert [
            note for note in notes if f"; {precision} precision" in note and ": 1 topic ordered differently" in note
        ]


NAMES = st.sampled_from(["a", "b", "c", "ab", "é", "a-document-with-a-long-name-1", "a-document-with-a-long-name-2"])
SCORES = st.sampled_from([0.0, -0.0, 1.0, CLOSE, 1 + 2e-9, 7.0, -2.5e300, 3e300])
ROWS = st.lists(st.tuples(st.sampled_from("1234"), NAMES, SCORES), max_size=30)
GRADES = st.dictionaries(st.sampled_from("123"), st.dictionaries(NAMES, st.integers(-1, 3), min_size=1), min_size=1)


@settings(max_examples=150)
@given(
    rows=ROWS,
    qrels=GRADES,
    ties=st.sampled_from(["docid", "docid-asc", "file"]),
    precision=st.sampled_from(["double", "single"]),
    copies=st.sampled_from(["first", "nonrelevant"]),
    depth=st.sampled_from([None, 1, 4]),
)
def test_lists_are_what_sorting_and_looking_up_one_by_one_gives(
    rows: list[tuple[str, str, float]],
    qrels: dict[str, dict[str, int]],
    ties: str,
    precision: str,
    copies: str,
    depth: int | None,
) -> None:
    if rows and not {topic for topic, _, _ in rows} & qrels.keys():
        rows = []
    judged = judge(
        run_of(*rows) if rows else Run.of({}),
        Qrels.of(qrels),
        JudgingPolicy(ties=ties, score_precision=precision, on_duplicate=copies, depth=depth),  # type: ignore[arg-type]
    )
    r = judged.rankings
    assert judged.topics == tuple(qrels)
    for row, (topic, grades) in enumerate(qrels.items()):
        found = [(doc, score) for name, doc, score in rows if name == topic]
        if ties != "file":
            found.sort(key=lambda pair: pair[0].encode(), reverse=ties == "docid")
        with np.errstate(over="ignore"):
            number = np.float32 if precision == "single" else np.float64
            found.sort(key=lambda pair: -number(pair[1]))
        seen: set[str] = set()
        expected = []
        for doc, _ in found:
            if doc not in seen:
                expected.append((grades.get(doc, 0), doc in grades))
            elif copies == "nonrelevant":
                expected.append((0, True))
            seen.add(doc)
        expected = expected[:depth]
        assert r.retrieved[row] == len(expected)
        assert list(zip(r.grade[row], r.judged[row], strict=True))[: len(expected)] == expected
        assert not r.grade[row, len(expected) :].any() and not r.judged[row, len(expected) :].any()


def test_a_repeated_document_is_an_error_that_names_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("# head\n1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 9 t\n1 Q0 a 4 1 t\n")
    with pytest.raises(
        InputError, match=r"run, line 4: document a is listed a second time for topic 1, after .*run, line 2. Delete"
    ):
        judge(read_run(path), Qrels.of({"1": {"a": 1}}))


def test_repeated_documents_are_counted_when_they_are_let_through() -> None:
    run = run_of(("1", "a", 3), ("1", "b", 2), ("1", "a", 1))
    qrels = Qrels.of({"1": {"a": 2, "b": 1}})
    first, nonrelevant = (judge(run, qrels, JudgingPolicy(on_duplicate=policy)) for policy in ("first", "nonrelevant"))  # type: ignore[arg-type]
    assert first.rankings.grade.tolist() == [[2, 1]]
    assert nonrelevant.rankings.grade.tolist() == [[2, 1, 0]]
    assert nonrelevant.rankings.judged.tolist() == [[True, True, True]]
    assert "run: 1 repeated result left out; the best placed of each is kept" in first.notes
    assert "run: 1 repeated result kept as not relevant; only the best placed of each counts" in nonrelevant.notes


def test_topics_without_results_are_empty_rows_unless_told_otherwise() -> None:
    run, qrels = run_of(("2", "a", 1), ("9", "a", 1)), Qrels.of({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})
    zero = judge(run, qrels)
    assert zero.rankings.retrieved.tolist() == [0, 1, 0]
    assert zero.notes == (
        "run: 1 topic not judged and left out (9)",
        "run: 2 judged topics without results counted as 0 (1, 3)",
    )
    skipped = judge(run, qrels, JudgingPolicy(missing="skip"))
    assert skipped.rankings.topic.tolist() == [1]
    assert "run: 2 judged topics without results skipped (1, 3)" in skipped.notes
    with pytest.raises(InputError, match=r"no results for 2 judged topics \(1, 3\)"):
        judge(run, qrels, JudgingPolicy(missing="error"))


def test_a_run_of_another_collection_is_refused() -> None:
    with pytest.raises(InputError, match=r"No topic of run \(which has q7\) is judged in judgements \(which has 1\)"):
        judge(run_of(("q7", "a", 1)), Qrels.of({"1": {"a": 1}}))


def test_the_pool_has_ids_descending_is_padded_and_is_shared_by_all_runs() -> None:
    qrels = Qrels.of({"1": {"a": 1, "c": -1, "é": 2, "b": 0}, "2": {"z": 3}})
    one, two = judge(run_of(("1", "a", 1)), qrels), judge(run_of(("2", "z", 1)), qrels)
    pool = one.rankings.pool
    assert pool is two.rankings.pool
    assert pool.grade.tolist() == [[2, -1, 0, 1], [3, 0, 0, 0]]
    assert pool.size.tolist() == [4, 1]
    assert np.shares_memory(pool.aspects, pool.grade)
    assert np.shares_memory(one.rankings.aspects, one.rankings.grade)
    assert pool.weights.tolist() == [[1], [1]]


def by_subtopic(*rows: tuple[str, str, str, float]) -> Qrels:
    return Qrels.of(pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row"))


ASPECTS = by_subtopic(
    ("1", "10", "a", 2),
    ("1", "9", "a", 1),
    ("1", "9", "b", 3),
    ("1", "8", "b", 0),
    ("2", "x", "c", -2),
    ("2", "y", "d", 1),
)


def test_subtopics_become_aspects_in_numeric_order_with_uniform_weights() -> None:
    judged = judge(run_of(("1", "b", 2), ("1", "a", 1), ("2", "d", 1)), ASPECTS, JudgingPolicy(qrels_format="subtopic"))
    r = judged.rankings
    assert r.aspects.dtype == np.int8
    assert r.aspects.tolist() == [[[0, 3, 0], [0, 1, 2]], [[0, 1, 0], [0, 0, 0]]]
    assert r.grade.tolist() == [[3, 2], [1, 0]]
    assert r.pool.aspects.tolist() == [[[0, 3, 0], [0, 1, 2]], [[0, 1, 0], [-2, 0, 0]]]
    assert r.pool.weights.tolist() == [[0, 0.5, 0.5], [0, 1, 0]]
    assert build_pool(ASPECTS, subtopics=True).aspects == (("8", "9", "10"), ("x", "y"))
    assert r.carries == {"aspects"}
    assert not judged.notes


@pytest.mark.parametrize("grades", [(127, -128), (200, 1), (1, -129), (0.5, 1)])
def test_grades_by_aspect_are_kept_however_large_they_are(grades: tuple[float, float]) -> None:
    qrels = by_subtopic(("1", "x", "a", float(grades[0])), ("1", "y", "a", float(grades[1])), ("1", "x", "b", 1.0))
    r = judge(run_of(("1", "a", 1)), qrels, JudgingPolicy(qrels_format="subtopic", max_grade=300)).rankings
    assert r.pool.aspects[0].tolist() == [[1, 0], list(grades)]


def test_without_subtopics_a_document_has_its_largest_grade_and_that_is_said() -> None:
    judged = judge(run_of(("1", "b", 2), ("1", "a", 1)), ASPECTS)
    assert judged.rankings.grade.tolist() == [[3, 2], [0, 0]]
    assert [note for note in judged.notes if "varies in 2 topics and was ignored" in note]


def test_weights_of_subtopics_may_be_given_even_of_unjudged_ones() -> None:
    weights = {"1": {"8": 0.2, "9": 0.3, "10": 0.4, "11": 0.1}, "2": {"x": 1.0, "y": 0.0}}
    r = judge(run_of(("1", "a", 1)), ASPECTS, JudgingPolicy(qrels_format="subtopic", weights=weights)).rankings
    assert r.pool.weights.tolist() == [[0.2, 0.3, 0.4, 0.1], [1, 0, 0, 0]]
    assert r.carries == {"aspects", "weights"}
    with pytest.raises(InputError, match="The weights have none for subtopic y of topic 2"):
        judge(
            run_of(("1", "a", 1)), ASPECTS, JudgingPolicy(qrels_format="subtopic", weights={**weights, "2": {"x": 1.0}})
        )


def test_fractional_grades_by_subtopic_stay_fractions() -> None:
    r = judge(
        run_of(("1", "a", 1)),
        by_subtopic(("1", "1", "a", 0.5), ("1", "2", "a", 1)),
        JudgingPolicy(qrels_format="subtopic"),
    ).rankings
    assert r.aspects.tolist() == [[[0.5, 1]]]
    assert r.aspects.dtype == np.float64


def test_lengths_are_nan_where_unknown_and_the_mean_past_the_list() -> None:
    run, qrels = run_of(("1", "a", 2), ("1", "b", 1), ("2", "a", 1)), Qrels.of({"1": {"a": 1}, "2": {"a": 1}})
    judged = judge(run, qrels, JudgingPolicy(lengths={"a": 10, "c": 30}))
    assert np.array_equal(judged.rankings.words, [[10, np.nan], [10, 20]], equal_nan=True)
    assert judged.rankings.past_words == 20
    assert judged.rankings.carries == {"lengths"}
    assert "run: 1 result without a length in the file of lengths" in judged.notes


def test_costs_go_by_the_kind_of_result_and_past_the_list_are_the_largest(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 ad a 1 1 t\n1 web b 2 2 t\n2 ad a 1 1 t\n")
    qrels = Qrels.of({"1": {"a": 1}, "2": {"a": 1}})
    r = judge(read_run(path), qrels, JudgingPolicy(costs={"web": 1.0, "ad": 0.25, "img": 2.5})).rankings
    assert r.cost.tolist() == [[1, 0.25], [0.25, 2.5]]
    assert r.past_cost == 2.5
    assert r.carries == {"costs"}
    with pytest.raises(InputError, match=r"run, line 1: result type 'ad' has no cost"):
        judge(read_run(path), qrels, JudgingPolicy(costs={"web": 1.0}))


def test_parameters_by_topic_follow_the_pool() -> None:
    run, qrels = run_of(("1", "a", 1)), Qrels.of({"2": {"a": 1}, "1": {"a": 1}})
    assert judge(run, qrels, JudgingPolicy(topic_params={"T": {"1": 1, "2": 2, "3": 3}})).rankings.topic_values[
        "T"
    ].tolist() == [2, 1]
    with pytest.raises(InputError, match=r"The parameter T has no value for 1 topic \(2\)"):
        judge(run, qrels, JudgingPolicy(topic_params={"T": {"1": 1}}))


def test_the_scale_is_the_largest_grade_or_a_given_larger_one() -> None:
    run, qrels = run_of(("1", "a", 1)), Qrels.of({"1": {"a": 2, "b": -1}})
    assert judge(run, qrels).rankings.max_grade == 2
    assert judge(run, qrels, JudgingPolicy(max_grade=4)).rankings.max_grade == 4
    assert judge(run, Qrels.of({"1": {"a": 0}})).rankings.max_grade == 1
    with pytest.raises(
        InputError, match="judgements has a grade 2, above the top of the scale, 1; give a larger max_grade"
    ):
        judge(run, qrels, JudgingPolicy(max_grade=1))
    with pytest.raises(InputError, match="depth must be a whole number of 1 or more; found 0"):
        judge(run, qrels, JudgingPolicy(depth=0))


@pytest.mark.parametrize("sizes", [[1000] * 70, [3, 900, 40, 1, 700] * 30, [70_000, 1, 1, 1], [1] * 5000])
def test_long_runs_are_looked_up_exactly(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "MANY_RESULTS", 1 << 15)
    rng = np.random.default_rng(1)
    docs = [rng.choice(200_000, size, replace=False) for size in sizes]
    grades = {
        str(t): {f"d{doc}": int(1 + i) for i, doc in enumerate(rng.choice(of, min(40, len(of)), False))}
        for t, of in enumerate(docs)
    }
    names = np.repeat(np.arange(len(sizes)), sizes).astype(str)
    frame = pl.DataFrame({"topic": names, "doc": [f"d{doc}" for of in docs for doc in of]})
    run = Run.of(frame.with_columns(score=-np.arange(frame.height)))
    r = judge(run, Qrels.of(grades)).rankings
    assert r.retrieved.tolist() == sizes
    for row in rng.choice(len(sizes), min(20, len(sizes)), replace=False):
        assert r.grade[row, : sizes[row]].tolist() == [grades[str(row)].get(f"d{doc}", 0) for doc in docs[row]]
    twice = Run.of(pl.concat([run.frame, run.frame[:1]]))
    with pytest.raises(
        InputError, match=f"row {frame.height}: document {frame['doc'][0]} is listed a second time for topic 0"
    ):
        judge(twice, Qrels.of(grades))


def test_many_runs_are_judged_one_at_a_time_and_named_apart(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("1 Q0 a 1 1 same\n")
    (tmp_path / "c").write_text("1 Q0 b 1 1 own\n")
    judged = list(judged_runs(tmp_path, Qrels.of({"1": {"a": 1}})))
    assert [one.name for one in judged] == ["a", "b", "c"]
    by_tag = judged_runs(tmp_path, Qrels.of({"1": {"a": 1}}), JudgingPolicy(names="tag"))
    assert [one.name for one in by_tag] == ["a", "b", "own"]
    assert [one.rankings.grade.tolist() for one in judged] == [[[1]], [[1]], [[0]]]


def average_precision(judged: JudgedRun) -> float:
    r = judged.rankings
    relevant = r.judged & (r.grade >= 1)
    precision = relevant.cumsum(axis=1) / np.arange(1, r.depth + 1)
    return float(((precision * relevant).sum(axis=1) / (r.pool.grade >= 1).sum(axis=1)).mean())


def test_trec_covid_in_single_precision_has_the_published_average_precision(shared: Path) -> None:
    folder = shared / "data/trec-covid-1"
    with (folder / "leaderboard.csv").open() as file:
        published = {row["run"]: float(row["MAP"]) for row in csv.DictReader(file)}
    runs = list(judged_runs(folder / "runs", read_qrels(folder / "qrels.txt"), JudgingPolicy(score_precision="single")))
    assert len(runs) == len(published) == 143
    assert max(abs(average_precision(run) - published[run.name]) for run in runs) <= 0.00005 + 1e-9
    # 45 runs have scores that only double precision distinguishes; in 6 of them document ids agree with the scores
    assert sum(any("single precision" in note for note in run.notes) for run in runs) == 39


def test_web_2012_by_rank_has_the_subtopic_recall_that_ndeval_prints(shared: Path) -> None:
    folder = shared / "data/web-2012"
    qrels = read_qrels(folder / "qrels.diversity.gz")
    for judged in judged_runs(folder / "runs", qrels, JudgingPolicy("rank", qrels_format="subtopic")):
        with (folder / f"ndeval/{judged.name}.csv").open() as file:
            printed = {row["topic"]: float(row["strec@10"]) for row in csv.DictReader(file)}
        r = judged.rankings
        covered = (r.aspects[:, :10] > 0).any(axis=1).sum(axis=1)
        offers = (r.pool.aspects > 0).any(axis=1).sum(axis=1)
        for topic, found, known in zip(judged.topics, covered, offers, strict=True):
            assert found / known == pytest.approx(printed[topic], abs=5e-7)
