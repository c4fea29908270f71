"""Score tables of every dialect are read as they were meant, and written so that they read back."""

import gzip
import io
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irassay.errors import InputError
from irassay.io.tables import read_iterations, read_scores, write_scores
from irassay.io.tables.layouts import WRITERS
from irassay.scores import AGGREGATES, Scores

NAN = np.nan
MEANS = "rows of means (topic all, amean or gmean) were left out."


def table(folder: Path, text: str, name: str = "bm25.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def contents(scores: Scores) -> dict[tuple[str, str, str], float]:
    found = {}
    for s, t, m in np.argwhere(~np.isnan(scores.values)):
        found[scores.systems[s], scores.metrics[m], scores.topics[t]] = float(scores.values[s, t, m])
    return found


def test_trec_eval_output_takes_its_run_from_the_runid_row(tmp_path: Path) -> None:
    text = (
        "num_ret               \t301\t1000\nmap                   \t301\t0.1465\nrelstring_10          \t301\t'1010'\n"
        "map                   \t302\t0.5000\nrunid                 \tall\tfub99\nnum_q                 \tall\t2\n"
        "map                   \tall\t0.3233\n"
    )
    scores = read_scores(table(tmp_path, text))
    assert contents(scores) == {
        ("fub99", "num_ret", "301"): 1000,
        ("fub99", "map", "301"): 0.1465,
        ("fub99", "map", "302"): 0.5,
    }
    assert scores.notes == (
        "2 rows of text (runid, relstring) were left out.",
        f"2 {MEANS}",
        "Metrics that have only means were left out: num_q.",
    )


def test_trec_eval_output_without_runid_is_called_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "bert-v1.5.eval.gz"
    path.write_bytes(gzip.compress(b"map  \t301\t0.25\r\nmap  \t302\t0.5\r\n"))
    assert contents(read_scores(path)) == {("bert-v1.5", "map", "301"): 0.25, ("bert-v1.5", "map", "302"): 0.5}


def test_trec_eval_outputs_one_after_another_are_several_runs(tmp_path: Path) -> None:
    one = "map\t1\t0.{i}\nrunid\tall\trun{i}\nmap\tall\t0.{i}\n"
    scores = read_scores(table(tmp_path, one.format(i=1) + one.format(i=2)))
    assert contents(scores) == {("run1", "map", "1"): 0.1, ("run2", "map", "1"): 0.2}


def test_trec_eval_outputs_shuffled_together_are_refused(tmp_path: Path) -> None:
    text = "map\t1\t0.1\nmap\t2\t0.2\nrunid\tall\tA\nrunid\tall\tB\n"
    with pytest.raises(InputError, match=r"bm25.txt, line 4: a second run begins"):
        read_scores(table(tmp_path, text))


def test_runs_with_the_same_tag_are_called_after_their_files(tmp_path: Path) -> None:
    paths = [table(tmp_path, f"map\t1\t0.{i}\nrunid\tall\tmine\n", name) for i, name in ((1, "a.txt"), (2, "b.txt"))]
    scores = read_scores(paths)
    assert contents(scores) == {("a", "map", "1"): 0.1, ("b", "map", "1"): 0.2}
    assert scores.notes[0] == "2 tables share the run names mine; these runs are named by file."


def test_two_tables_with_other_metrics_of_one_tag_are_one_run(tmp_path: Path) -> None:
    paths = [
        table(tmp_path, "map\t1\t0.1\nrunid\tall\tmine\n", "a.txt"),
        table(tmp_path, "P_5\t1\t0.2\nrunid\tall\tmine\n", "b.txt"),
    ]
    assert contents(read_scores(paths)) == {("mine", "map", "1"): 0.1, ("mine", "P_5", "1"): 0.2}


def test_tot_tables_have_the_run_in_front(tmp_path: Path) -> None:
    scores = read_scores(table(tmp_path, "A map 301 0.1\nB map 301 0.2\nA runid all A\nB runid all C\n"))
    assert contents(scores) == {("A", "map", "301"): 0.1, ("B", "map", "301"): 0.2}
    assert scores.notes[0].endswith("(line 4: B, C); the first column was used.")


@pytest.mark.parametrize(
    "text",
    [
        "301\tnDCG@10\t0.5\n302\tnDCG@10\t0.25\nall\tnDCG@10\t0.375\n",
        '{"query_id": "301", "measure": "nDCG@10", "value": 0.5}\n{"query_id": "302", "measure": "nDCG@10", '
        '"value": 0.25}\n{"query_id": "all", "measure": "nDCG@10", "value": 0.375}\n',
    ],
    ids=["tsv", "jsonl"],
)
def test_ir_measures_prints_the_topic_first(tmp_path: Path, text: str) -> None:
    scores = read_scores(table(tmp_path, text))
    assert contents(scores) == {("bm25", "nDCG@10", "301"): 0.5, ("bm25", "nDCG@10", "302"): 0.25}
    assert scores.notes == ("1 row of means (topic all, amean or gmean) was left out.",)


def test_a_run_may_stand_before_what_ir_measures_prints(tmp_path: Path) -> None:
    scores = read_scores(table(tmp_path, "A\tleaf\tF1\t0.5\nA\tall\tF1\t0.5\n"))
    assert contents(scores) == {("A", "F1", "leaf"): 0.5}


def test_where_nothing_tells_measures_from_topics_a_note_says_what_was_assumed(tmp_path: Path) -> None:
    path = table(tmp_path, "leaf grace 0.5\n")
    scores = read_scores(path)
    assert contents(scores) == {("bm25", "leaf", "grace"): 0.5}
    assert "read as measure, topic, value; set the format ir_measures" in scores.notes[0]
    assert contents(read_scores(path, "ir_measures")) == {("bm25", "grace", "leaf"): 0.5}


def test_autojudge_lines_may_have_numbers_for_names(tmp_path: Path) -> None:
    text = '{"run_id": "A", "topic_id": 7, "measure": "F1", "value": 1}\n'
    text += '{"run_id": "A", "topic_id": 8, "measure": "F1", "value": null}\n'
    scores = read_scores(table(tmp_path, text, "x.jsonl"))
    assert (scores.topics, scores.of("F1").tolist()[0][0]) == (("7", "8"), 1)
    assert np.isnan(scores.of("F1")[0, 1])


@pytest.mark.parametrize(
    "text",
    [
        "name,qid,measure,value\nBM25,1,map,0.5\nBM25,2,map,0.25\n",
        "name,qid,map\nBM25,1,0.5\nBM25,2,0.25\n",
        ",name,qid,measure,value\n0,BM25,1,map,0.5\n1,BM25,2,map,0.25\n",
        '"name","qid","map"\n"BM25","1",0.5\n"BM25","2",0.25\n',
        "System; Query_ID; metric; Score\nBM25; 1; map; 0.5\nBM25; 2; map; 0.25\n",
        "run metric topic value\nBM25 map 1 0.5\nBM25 map 2 0.25\nBM25 map all 0.375\n",
        "\ufeffrun\tmetric\ttopic\tvalue\r\nBM25\tmap\t1\t0.5\r\n\r\nBM25\tmap\t2\t0.25",
    ],
    ids=["pyterrier", "a column a measure", "pandas index", "quoted", "semicolons", "blanks", "tsv"],
)
def test_tables_with_a_header_are_read_by_the_names_in_it(tmp_path: Path, text: str) -> None:
    scores = read_scores(table(tmp_path, text))
    assert contents(scores) == {("BM25", "map", "1"): 0.5, ("BM25", "map", "2"): 0.25}


def test_columns_without_scores_are_left_out_and_named(tmp_path: Path) -> None:
    scores = read_scores(table(tmp_path, "run,team,qid,map\nA,CMU,1,0.5\nA,CMU,2,\n"))
    assert scores.metrics == ("map",)
    assert scores.notes[0].endswith("columns without scores were not read: team.")
    assert np.isnan(scores.of("map")[0, 1])


def test_iterations_are_kept_apart_or_become_metrics(tmp_path: Path) -> None:
    path = table(tmp_path, "run,iteration,topic,CT\nA,10,t,0.3\nA,2,t,0.2\nA,2,all,0.9\n", "dd.csv")
    apart = read_iterations(path)
    assert {name: contents(scores) for name, scores in apart.items()} == {
        "2": {("A", "CT", "t"): 0.2},
        "10": {("A", "CT", "t"): 0.3},
    }
    assert list(apart) == ["2", "10"]
    together = read_scores(path)
    assert contents(together) == {("A", "CT@10", "t"): 0.3, ("A", "CT@2", "t"): 0.2}
    assert "2 iterations were found; metrics are called METRIC@ITERATION." in together.notes


def test_tables_without_iterations_cannot_be_read_by_iteration(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no column 'iteration'"):
        read_iterations(table(tmp_path, "run,topic,CT\nA,t,0.3\n"))


@pytest.mark.parametrize(
    ("text", "metric", "systems", "topics"),
    [
        ("AP,401,402\nA,.1,.2\nB,.3,.4\n", "AP", ("A", "B"), ("401", "402")),
        ("AP,A,B\n401,.1,.3\n402,.2,.4\n", "AP", ("A", "B"), ("401", "402")),
        ("A,B\n.1,.3\n.2,.4\n", "m_ap", ("A", "B"), ("1", "2")),
        ("topic\tA\tB\nx\t.1\t.3\ny\t.2\t.4\n", "m_ap", ("A", "B"), ("x", "y")),
        ("run\tx\ty\nA\t.1\t.2\nB\t.3\t.4\n", "m_ap", ("A", "B"), ("x", "y")),
        (".1 .3\n.2 .4\n", "m_ap", ("run1", "run2"), ("1", "2")),
        ("AP\t401\t402\nA\t.1\t.2\nB\t.3\t.4\n", "AP", ("A", "B"), ("401", "402")),
        ("401 402\nA .1 .2\nB .3 .4\n", "m_ap", ("A", "B"), ("401", "402")),
        (",401,402\nA,.1,.2\nB,.3,.4\nmean,.2,.3\n", "m_ap", ("A", "B", "mean"), ("401", "402")),
        ("AP,A,B\n401,.1,.3\n402,.2,.4\nall,.15,.35\n", "AP", ("A", "B"), ("401", "402")),
    ],
    ids=["runs in rows", "topics in rows", "no topics", "topic", "run", "bare", "tabs", "R", "no corner", "means"],
)
def test_matrices_are_read_either_way_round(
    tmp_path: Path, text: str, metric: str, systems: tuple[str, ...], topics: tuple[str, ...]
) -> None:
    scores = read_scores(table(tmp_path, text, "m_ap.csv"))
    assert (scores.systems, scores.topics, scores.metrics) == (systems, topics, (metric,))
    assert scores.of(metric)[:2].tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert f"read as a matrix of {metric} with" in scores.notes[0]


def test_named_collections_keep_equal_topics_apart(tmp_path: Path) -> None:
    table(tmp_path, "A map 1 0.5\n", "x.tot")
    table(tmp_path, "A map 1 0.7\n", "y.tot")
    scores = read_scores([f"dl19={tmp_path}/x.tot", f"dl20={tmp_path}/y*"])
    assert scores.keys == (("dl19", "1"), ("dl20", "1"))
    assert scores.of("map").tolist() == [[0.5, 0.7]]


def test_a_folder_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table(tmp_path, "A map 1 0.5\n", "x.tot")
    table(tmp_path, "B map 1 0.7\n", "y.tot")
    assert read_scores(tmp_path).systems == ("A", "B")
    stream = io.TextIOWrapper(io.BytesIO(gzip.compress(b"map 1 0.5\n")))
    monkeypatch.setattr(sys, "stdin", stream)
    assert read_scores("-").systems == ("stdin",)


def test_the_same_score_twice_is_counted_once(tmp_path: Path) -> None:
    scores = read_scores(table(tmp_path, "A map 1 0.5\nA map 1 0.50\n"))
    assert contents(scores) == {("A", "map", "1"): 0.5}
    assert scores.notes == ("1 scores are repeated; each counts once.",)


def test_a_missing_score_stays_a_hole(tmp_path: Path) -> None:
    scores = read_scores(table(tmp_path, "A map 1 0.5\nB map 1 NaN\nB map 2 -nan\nA map 2 1e-05\n"))
    np.testing.assert_array_equal(scores.of("map"), [[0.5, 1e-05], [NAN, NAN]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A map 1 0.5\n\nA map 1 0.6\n", r"t.txt, line 3: map of A on topic '1' is 0.6, but 0.5 in .*line 1"),
        ("A map 1 0.5\nA map 2 good\n", r"t.txt, line 2: found the score 'good'; expected a number"),
        ("A map 1 0.5\nA map 2 inf\n", r"t.txt, line 2: found the score 'inf'"),
        ("A map 1 0.5\nA map 2\n", r"t.txt, line 2: found 3 cells, but line 1 has 4"),
        ("run,metric,topic,value\nA,map,1,0.5\nA,map,2\n", r"t.txt, line 3: found 3 cells, but line 1 has 4"),
        ('run,metric,topic,value\n"A",map,1,0.5\nA,map,2,x\n', r"t.txt, line 3: found the score 'x'"),
        ("run,topic,map,P\nA,1,0.5,0.1\nA,2,0.5,?\n", r"t.txt, line 3: found the score '\?'"),
        ("run,metric,topic,value\n,map,1,0.5\n", r"t.txt, line 2: the run has no name"),
        ("AP,401,402\nA,.1,x\nB,.3,.4\n", r"t.txt, line 2: found the score 'x'"),
        ("map all 0.5\nnum_q all 50\n", r"hold only means; print scores by topic too"),
        ("name,map,P_10\nA,0.5,0.1\nB,0.4,0.1\n", r"which are means; expected scores by topic"),
        ("run,metric,value\nA,map,0.5\n", r"'run,metric,value' has no column of topics"),
        ("run,topic,metric\nA,1,map\n", r"measures without values"),
        ("301 0 FT911-3 1\n301 0 FT911-4 0\n", r"looks like judgements"),
        ("301 Q0 FT911-3 1 2.5 bm25\n301 Q0 FT911-4 2 1.5 bm25\n", r"looks like a run"),
        ('{"run_id": "A", "topic_id": 7, "measure": "F1"}\n', r"line 1: no value; expected the key 'value'"),
        ('{"run_id": "A", "topic_id": 7, "measure": "F1", "value": 1}\n{"run_id"\n', r"line 2: not a JSON"),
        ("  \n\n", r"t.txt is empty"),
        ("nothing at all\n", r"t.txt, line 1: found a single line of text"),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_scores(table(tmp_path, text, "t.txt"))


def test_files_that_are_absent_damaged_or_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_scores(tmp_path / "none.txt")
    (tmp_path / "bad.gz").write_bytes(gzip.compress(b"A map 1 0.5\n")[:-9])
    with pytest.raises(InputError, match=r"damaged .gz file"):
        read_scores(tmp_path / "bad.gz")
    (tmp_path / "latin.txt").write_bytes(b"A map 1 0.5\nM\xfcller map 1 0.5\n")
    with pytest.raises(InputError, match=r"latin.txt, line 2: found bytes that are not UTF-8"):
        read_scores(tmp_path / "latin.txt")
    with pytest.raises(InputError, match="dialect: unknown score table format 'trec'; expected one of irassay"):
        read_scores(table(tmp_path, "A map 1 0.5\n"), "trec")
    with pytest.raises(InputError, match="No score table was given"):
        read_scores([])


def names(blank: str) -> st.SearchStrategy[list[str]]:
    letters = st.characters(exclude_categories=("C", "Z"), include_characters=blank)
    name = st.text(letters, min_size=1, max_size=6).filter(
        lambda text: text == text.strip() and text.lower() not in AGGREGATES and text != "runid"
    )
    return st.lists(name, min_size=1, max_size=4, unique=True)


@st.composite
def cubes(draw: st.DrawFn, dialect: str) -> Scores:
    blank = "" if dialect in ("trec_eval", "tot") else " "
    axes = [draw(names(blank)) for _ in range(3)]
    axes[0] = axes[0][:1] if dialect == "ir_measures" else axes[0]
    axes[2] = axes[2][:1] if dialect == "wide" else axes[2]
    assume(dialect != "wide" or axes[2] != ["-"])  # a corner that says no name
    numbers = st.one_of(st.floats(-1e6, 1e6), st.just(NAN))
    values = draw(arrays(float, tuple(map(len, axes)), elements=numbers))
    for axis in range(3):
        rest = tuple(other for other in range(3) if other != axis)
        assume((~np.isnan(values)).any(axis=rest).all())
    return Scores(values, *map(tuple, axes))


@pytest.mark.parametrize("dialect", WRITERS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_written_reads_back(tmp_path: Path, dialect: str, data: st.DataObject) -> None:
    scores = data.draw(cubes(dialect))
    path = tmp_path / "table"
    write_scores(scores, dialect, path)
    if dialect == "ir_measures":
        scores = replace(scores, systems=("table",))
    back = read_scores(path, dialect)
    assert {*back.systems} == {*scores.systems} and len(back.metrics) == len(scores.metrics)
    back = back.select(scores.systems, scores.topics, scores.metrics)
    np.testing.assert_array_equal(back.values, scores.values, strict=True)


@pytest.mark.parametrize("dialect", WRITERS)
def test_the_dialect_of_what_is_written_is_recognised(tmp_path: Path, dialect: str) -> None:
    rng = np.random.default_rng(3)
    systems = ("BM25",) if dialect == "ir_measures" else ("BM25", "INQ+rm3", "bert")
    metrics = ("nDCG@10",) if dialect == "wide" else ("nDCG@10", "INST(T=2.25,A='MAX')", "num_ret")
    values = rng.random((len(systems), 4, len(metrics)))
    scores = Scores(values, systems, ("301", "302", "303", "350"), metrics)
    path = tmp_path / "BM25.txt"
    write_scores(scores, dialect, path)
    back = read_scores(path)
    assert (back.systems, back.topics, back.metrics) == (scores.systems, scores.topics, scores.metrics)
    np.testing.assert_array_equal(back.values, scores.values)


def written(scores: Scores, dialect: str, by_topic: bool = True) -> str:
    out = io.StringIO()
    write_scores(scores, dialect, out, by_topic)
    return out.getvalue()


@pytest.fixture
def two_runs() -> Scores:
    return Scores(np.array([[[0.1, 3], [0.2, 5]], [[1 / 3, 1], [NAN, NAN]]]), "AB", ("1", "2"), ("AP", "num_ret"))


def test_the_layout_of_each_dialect(two_runs: Scores) -> None:
    first = two_runs.select(systems=["A"], topics=["1"])
    assert written(two_runs.select(metrics=["AP"]), "irassay") == (
        "run\tmetric\ttopic\tvalue\nA\tAP\t1\t0.1\nA\tAP\t2\t0.2\nA\tAP\tall\t0.15000000000000002\n"
        "B\tAP\t1\t0.3333333333333333\nB\tAP\tall\t0.3333333333333333\n"
    )
    assert written(first, "trec_eval") == (
        "AP                    \t1\t0.1\nnum_ret               \t1\t3\n"
        "runid                 \tall\tA\nAP                    \tall\t0.1\nnum_ret               \tall\t3\n"
    )
    assert written(first, "tot") == "A\tAP\t1\t0.1\nA\tnum_ret\t1\t3\nA\tAP\tall\t0.1\nA\tnum_ret\tall\t3\n"
    assert written(first, "ir_measures").splitlines()[0] == "1\tAP\t0.1"
    assert written(first, "autojudge").splitlines()[0] == (
        '{"run_id": "A", "topic_id": "1", "measure": "AP", "value": 0.1}'
    )
    assert written(first, "pyterrier") == "name,qid,measure,value\nA,1,AP,0.1\nA,1,num_ret,3.0\n"
    assert written(two_runs.select(metrics=["AP"]), "wide") == (
        "topic/run:AP\tA\tB\n1\t0.1\t0.3333333333333333\n2\t0.2\t\n"
    )


def test_means_alone(two_runs: Scores) -> None:
    assert written(two_runs, "csv", by_topic=False) == (
        "run,metric,topic,value\nA,AP,all,0.15000000000000002\nA,num_ret,all,4.0\n"
        "B,AP,all,0.3333333333333333\nB,num_ret,all,1.0\n"
    )
    assert written(two_runs, "pyterrier", by_topic=False) == (
        "name,AP,num_ret\nA,0.15000000000000002,4.0\nB,0.3333333333333333,1.0\n"
    )
    assert written(two_runs.select(metrics=["num_ret"]), "wide", by_topic=False) == (
        "topic/run:num_ret\tA\tB\nall\t4.0\t1.0\n"
    )


@pytest.mark.parametrize(
    ("change", "dialect", "message"),
    [
        ({"systems": ("A b", "B")}, "tot", "The run 'A b' cannot be written in the format tot"),
        ({"metrics": ("A\tP", "RR")}, "irassay", r"The metric 'A\\x09P' cannot be written"),
        ({"topics": ("1", " 2")}, "csv", "The topic ' 2' cannot be written"),
        ({"metrics": ("runid", "RR")}, "tot", "'runid', which is reserved for text"),
        ({"collection": ("x", "y")}, "irassay", "holds one collection, but there are several \\(x, y\\)"),
        ({}, "ir_measures", "holds one run; choose it"),
        ({}, "wide", "holds one metric; choose it"),
        ({}, "xml", "Unknown score table format 'xml'; expected one of irassay, csv, trec_eval"),
    ],
)
def test_what_a_dialect_cannot_hold_is_refused(two_runs: Scores, change: dict, dialect: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        written(replace(two_runs, **change), dialect)


def test_trec_8_matrices_agree_with_one_another(shared: Path) -> None:
    folder = shared / "data/trec-8"
    named = read_scores(folder / "AH99.csv")
    assert named.values.shape == (129, 50, 1)
    assert (named.metrics, named.topics[0], named.systems[1]) == (("AP",), "401", "8manexT3D1N0")
    nameless = read_scores([folder / f"adhoc8_{m}.csv" for m in ("ap", "p10", "rr")])
    assert nameless.values.shape == (129, 50, 3)
    differ = named.of("AP") != nameless.of("adhoc8_ap")  # the columns have the order of the named runs
    assert differ.sum() == 2  # in the last digit that is printed
    np.testing.assert_allclose(named.of("AP"), nameless.of("adhoc8_ap"), rtol=0, atol=1.0001e-4)


def test_tables_of_trec_dl_2019_have_the_means_they_print(shared: Path) -> None:
    paths = [shared / f"data/dl-2019/{name}.tot.gz" for name in ("scores", "ndcg")]
    scores = read_scores(paths)
    assert scores.values.shape == (36, 43, 37)
    assert not np.isnan(scores.values).any()
    assert "Metrics that have only means were left out: num_q, gm_map." in scores.notes
    means, checked = scores.means(), 0
    for path in paths:
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            run, metric, topic, value = line.split()
            if topic == "all" and metric in scores.metrics and not metric.startswith("num_"):
                mean = means[scores.systems.index(run), scores.metrics.index(metric)]
                assert mean == pytest.approx(float(value), abs=1e-4)  # the mean of figures rounded to 4 digits
                checked += 1
    assert checked == 36 * 34


def test_tables_of_the_dynamic_domain_track_have_two_holes_in_2016(shared: Path) -> None:
    years = [f"{year}={shared}/data/trec-dd/trec-all-{year}-evals.csv.gz" for year in (2016, 2017)]
    last = read_iterations(years)["10"]
    topics = {year: [key for key in last.keys if key[0] == year] for year in ("2016", "2017")}
    known = {year: ~np.isnan(last.select(topics=keys).values).all(axis=(1, 2)) for year, keys in topics.items()}
    assert {year: (known[year].sum(), len(keys)) for year, keys in topics.items()} == {
        "2016": (21, 53),
        "2017": (11, 60),
    }
    first = last.select([name for name, here in zip(last.systems, known["2016"], strict=True) if here], topics["2016"])
    assert first.values.shape == (21, 53, 29) and np.isnan(first.of("act")).sum() == 2
    assert first.complete().values.shape == (21, 51, 29)
    row = first.systems.index("GT_FifthIterBaseline")
    assert first.means()[row, last.metrics.index("act")] == pytest.approx(0.1007624, abs=5e-8)


WORDS = (
    "A",
    "map",
    "301",
    "all",
    "0.5",
    "nan",
    "",
    '"',
    "run",
    "topic",
    "value",
    "metric",
    "iteration",
    "runid",
    "{}",
    "é",
)


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5), max_size=5),
    st.sampled_from("\t ,;"),
    st.sampled_from([None, *WRITERS]),
)
def test_any_text_is_read_or_refused_with_a_sentence(
    tmp_path: Path, lines: list[list[str]], mark: str, dialect: str | None
) -> None:
    path = table(tmp_path, "\n".join(mark.join(line) for line in lines))
    problem = ""
    try:
        scores = read_scores(path, dialect)
    except InputError as error:
        problem = str(error)
    assert problem.endswith(".") if problem else min(scores.values.shape) > 0


@pytest.mark.parametrize("hole", ["nan", "NaN", "NA"])
def test_the_first_score_of_a_table_may_be_a_hole(tmp_path: Path, hole: str) -> None:
    for name, text in (("trec_eval", f"map 301 {hole}\nmap 302 0.5\n"), ("tot", f"A map 301 {hole}\nA map 302 0.5\n")):
        scores = read_scores([table(tmp_path, text, f"{name}.txt")])
        assert scores.metrics == ("map",) and np.isnan(scores.values[0, 0, 0]) and scores.values[0, 1, 0] == 0.5
