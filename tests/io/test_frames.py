"""Runs, judgements and scores in data frames of other libraries, and results as frames."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

import irassay as ia

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

RUN = {"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [0.5, 0.25, 3.0]}
QRELS = {"query_id": ["1", "1", "2"], "doc_id": ["b", "a", "c"], "relevance": [2, 0, 1]}
VALUES = np.array([[[0.25, 1 / 3], [0.75, np.nan]], [[np.nan, np.nan], [5e-324, 0.9]]])
SCORES = ia.Scores(VALUES, ("A", "B"), ("1", "2"), ("AP", "nDCG@10"))


class Capsule:
    """An object that has nothing but Arrow's interface."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


FRAMES = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pandas.DataFrame,
    "pyarrow": pyarrow.table,
    "batches": lambda data: pyarrow.table(data).to_reader(),
    "capsule": lambda data: Capsule(pl.DataFrame(data)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_holds_runs_and_judgements(kind):
    scores = ia.score(FRAMES[kind](RUN), FRAMES[kind](QRELS), ["RR", "AP"])
    assert scores.values.tolist() == [[[0.5, 0.5], [1.0, 1.0]]]
    named = ia.score({"x": FRAMES[kind](RUN), "y": FRAMES[kind](RUN)}, QRELS_DICT, ["RR"])
    assert named.systems == ("x", "y")


QRELS_DICT = {"1": {"b": 2, "a": 0}, "2": {"c": 1}}


def test_a_relation_of_duckdb_is_a_run():
    if not find_spec("duckdb"):
        pytest.skip("duckdb is not installed")
    program = """
import duckdb, irassay
relation = duckdb.sql("select '1' as qid, 'b' as docno, 0.5::double as score")
scores = irassay.score(relation, {"1": {"b": 1}}, ["RR"])
print(scores.means(), duckdb.sql("select value from scores").fetchall())
"""  # in a process of its own, because duckdb prints to standard error when Python ends
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "[[1.]] [(1.0,)]\n"


def test_grades_are_called_score_in_beir_and_mteb():
    qrels = pandas.DataFrame({"query-id": ["1", "2"], "corpus-id": ["b", "c"], "score": [2, 1]})
    assert ia.score(RUN_DICT, qrels, ["RR"]).values.tolist() == [[[0.5], [1.0]]]
    with pytest.raises(ia.InputError, match=r"looks like a run \(it has the score 0.5\)"):
        ia.score(RUN_DICT, qrels.assign(score=[2, 0.5]), ["RR"])
    with pytest.raises(ia.InputError, match=r"expected .* grade"):
        ia.score(RUN_DICT, qrels.assign(rank=[1, 1]), ["RR"])


RUN_DICT = {"1": {"a": 0.5, "b": 0.25}, "2": {"c": 3.0}}


def test_lists_of_documents_are_a_run():
    lists = {"1": ["a", "b"], "2": ["c"]}
    assert ia.score(lists, QRELS_DICT, ["RR"]).values.tolist() == [[[0.5], [1.0]]]
    assert ia.score({"x": lists, "y": {"1": [], "2": ["c"]}}, QRELS_DICT, ["RR"]).means().tolist() == [[0.75], [0.5]]
    with pytest.raises(ia.InputError, match="Topic '1' has document 'a' twice"):
        ia.score({"1": ["a", "a"]}, QRELS_DICT, ["RR"])


def equal(scores, other):
    return np.array_equal(scores.values, other.select(scores.systems, scores.topics, scores.metrics).values, True)


@pytest.mark.parametrize("form", [*FRAMES, "result"])
@pytest.mark.parametrize("by", ["score", "topic"])
def test_scores_survive_a_round_trip_through_any_frame(form, by):
    columns = SCORES.to_frame(by=by).to_dict(as_series=False)
    frame = (SCORES if by == "score" else SCORES.to_pandas(by=by)) if form == "result" else FRAMES[form](columns)
    assert equal(SCORES, ia.read_scores(frame))


def test_collections_survive_a_round_trip():
    two = ia.Scores(VALUES, ("A", "B"), ("1", "1"), ("AP", "RR"), collection=("x", "y"))
    for by in ("score", "topic"):
        back = ia.read_scores(two.to_frame(by=by))
        assert back.keys == (("x", "1"), ("y", "1")) and np.array_equal(back.values, VALUES, True) and not back.notes


def test_frames_of_other_tools_are_scores():
    frame = pandas.DataFrame(
        {"name": list("xxyy"), "qid": list("1212"), "measure": ["AP"] * 4, "value": [0.1, 0.3, 0.2, 0.6]}
    )
    assert ia.compare(frame, test="t").ranked() == [("y", 0.4), ("x", 0.2)]
    assert ia.topics(frame).metric == "AP"
    measures = pytest.importorskip("ir_measures")
    qrels = [measures.Qrel("1", "a", 1), measures.Qrel("2", "c", 1)]
    values = list(measures.iter_calc([measures.AP, measures.nDCG @ 10], qrels, [measures.ScoredDoc("1", "a", 1.0)]))
    for given in (values, pandas.DataFrame(values)):
        scores = ia.read_scores(given)
        assert (scores.systems, scores.metrics, scores.means().tolist()) == (("run",), ("AP", "nDCG@10"), [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame(), "The frame is empty"),
        (pl.DataFrame({"x": [1.0]}), "the header 'x' has no column of topics"),
        (pandas.DataFrame([[1, 2, 3]], columns=["topic", "AP", "AP"]), "two columns are called AP"),
        (pl.DataFrame({"topic": ["1"], "metric": ["AP"], "value": ["high"]}), "found the score 'high'"),
    ],
)
def test_frames_without_scores_are_refused(frame, message):
    with pytest.raises(ia.InputError, match=message):
        ia.read_scores(frame)


def test_frames_have_one_row_per_system_or_per_topic():
    assert SCORES.to_frame(by="system").rows() == [("A", 0.5, 1 / 3), ("B", 5e-324, 0.9)]
    assert SCORES.to_frame(by="topic").rows() == [
        ("A", "1", 0.25, 1 / 3),
        ("A", "2", 0.75, None),
        ("B", "2", 5e-324, 0.9),
    ]
    assert SCORES.to_dict() == {"A": {"AP": 0.5, "nDCG@10": 1 / 3}, "B": {"AP": 5e-324, "nDCG@10": 0.9}}
    with pytest.raises(ia.InputError, match="by must be one of score, system, topic"):
        SCORES.to_frame(by="metric")


def complete_scores() -> ia.Scores:
    values = np.random.default_rng(1).random((3, 20, 2)) + np.array([0, 0.5, 0.4])[:, None, None]
    return ia.Scores(values, ("A", "B", "C"), tuple(map(str, range(20))), ("AP", "RR"))


def test_yes_and_no_are_booleans_in_frames_only():
    result = ia.compare(complete_scores(), "AP", test="t")
    frame = result.to_frame()
    assert frame["significant"].dtype == pl.Boolean and set(result.to_dict()["significant"]) == {True, False}
    assert result.to_pandas()["significant"].dtype == bool and '"significant": "yes"' in result.to_json()
    table = ia.table(complete_scores(), test="t").to_frame()
    assert table["AP best"].to_list() == [False, True, False] and table["AP beats"].dtype == pl.String
    assert pyarrow.table(result).column_names == frame.columns


def test_to_pandas_needs_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = complete_scores().to_pandas(by="topic")
    assert frame.shape == (60, 4) and frame["AP"].dtype == float


def test_results_are_sorted_by_a_column():
    result = ia.compare(complete_scores(), "AP", test="t")
    rising = result.sort("difference", descending=False)
    assert rising.to_frame()["difference"].is_sorted() and result.sort("difference").to_frame()["difference"].is_sorted(
        descending=True
    )
    assert set(rising.to_frame().rows()) == set(result.to_frame().rows())
    systems, pairs = str(result.sort("system", descending=False)).split(
        "\nPairs\n"
    )  # "closest to the decision first" no more
    assert [line.split()[1] for line in systems.splitlines()[-3:]] == ["A", "B", "C"]
    assert [line.split()[0] for line in pairs.splitlines()[1:4]] == ["A", "A", "B"]
    with pytest.raises(ia.InputError, match="column='mena': no table has this column; did you mean mean"):
        result.sort("mena")


def test_a_sorted_table_is_sorted_in_latex_too():
    latex = ia.table(complete_scores(), test="t").sort("AP").to_latex()
    assert [line.split(" & ")[1] for line in latex.splitlines() if line[:1].isdigit()] == ["B", "C", "A"]


def test_scores_are_sorted_by_a_metric():
    scores = complete_scores()
    assert scores.sort("RR").systems == ("B", "C", "A") and scores.sort("RR", descending=False).systems == (
        "A",
        "C",
        "B",
    )
    assert scores.sort("system", descending=False).systems == ("A", "B", "C")
    assert [line[0] for line in str(scores.sort("RR", descending=False)).splitlines()[2:5]] == ["A", "C", "B"]
