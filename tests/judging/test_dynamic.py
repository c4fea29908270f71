"""Dynamic Domain runs: what the track's scorers say of them, and what files may look like."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.io.detection import reader_named
from irassay.io.dynamic import read_dynamic_run
from irassay.io.input_files import open_inputs
from irassay.io.passage_qrels import PassageQrels, is_passage_qrels, read_passage_qrels
from irassay.io.sidefiles import read_lengths
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import build_pool
from irassay.judging.runs import document_judgements, judged_runs
from irassay.metrics.catalogue.utility import total_worth, words_of
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings
from tests.support.compared import agrees
from tests.support.runs import dynamic_run

JIG = {"ct": "CT", "act": "ACT", "nct": "nCT", "eu": "EU", "neu": "nEU", "sdcg": "sDCG", "nsdcg": "nsDCG"}
runs = pytest.mark.parametrize("name", ["ddA", "ddB"])


def judged(oracles: Path, name: str, truth: str = "topics.xml", **options: object) -> JudgedRun:
    folder = oracles / "inputs" / "dd"
    lengths = read_lengths(folder / "doc_lengths.tsv")
    policy = JudgingPolicy(lengths=lengths, **{"missing": "skip"} | options)  # type: ignore[arg-type]
    return judge(read_dynamic_run(folder / f"{name}.txt"), read_passage_qrels(folder / truth), policy)


def by_topic(batch: JudgedRun, metric: str) -> dict[str, float]:
    scores = parse(metric).score(batch.rankings)
    return {batch.topics[t]: score for t, score in zip(batch.rankings.topic, scores.tolist(), strict=True)}


def edge(oracles: Path, run: str, truth: str) -> JudgedRun:
    lengths = read_lengths(oracles / "inputs" / "dd" / "doc_lengths.tsv")
    folder = oracles / "edge"
    return judge(read_dynamic_run(folder / run), read_passage_qrels(folder / truth), JudgingPolicy(lengths=lengths))


@runs
def test_every_double_of_the_jig(oracles: Path, name: str) -> None:
    batch = judged(oracles, name)
    expected = json.loads((oracles / "trec-dd-jig" / f"{name}.doubles.json").read_text())
    assert len(expected) == 24
    for key, values in expected.items():
        topic, k = key.split("|")
        for theirs, ours in JIG.items():
            assert agrees("trec-dd-jig", by_topic(batch, f"{ours}@{k}")[topic], values[theirs], 1e-9)


@runs
def test_the_bounds_of_expected_utility(oracles: Path, name: str) -> None:
    r = judged(oracles, name).rankings
    topics = ["DD99-1", "DD99-2", "DD99-3", "DD99-12"]
    for key, values in json.loads((oracles / "trec-dd-jig" / f"{name}.doubles.json").read_text()).items():
        topic, k = key.split("|")
        upper = total_worth(r.passages, int(k), 0.5, 0.5)[topics.index(topic)]
        assert upper - 0.001 * words_of(r.passages.lengths, int(k), 0.5) == pytest.approx(values["eu_upper"], abs=1e-9)
        assert -0.001 * words_of(r.passages.lengths[::-1], int(k), 0.5) == pytest.approx(values["eu_lower"], abs=1e-9)


@runs
@pytest.mark.parametrize("table", ["cubetest", "expected_utility", "sDCG"])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 12])
def test_every_figure_that_the_jig_prints(oracles: Path, name: str, table: str, k: int) -> None:
    batch = judged(oracles, name)
    lines = (oracles / "trec-dd-jig" / f"{name}.{table}.c{k}.txt").read_text().splitlines()[1:]
    header, *rows = [line.split() for line in lines]
    for column, title in enumerate(header[1:], 1):
        scores = by_topic(batch, f"{JIG[title.split('@')[0].lower()]}@{k}")
        scores["all"] = float(np.mean(list(scores.values())))
        assert agrees("trec-dd-jig", scores, {row[0]: row[column] for row in rows})


@runs
def test_precision_counts_every_line(oracles: Path, name: str) -> None:
    lines = (oracles / "trec-dd-jig" / f"{name}.precision.txt").read_text().split("\n")
    expected = {line.split()[0]: float(line.split()[1]) for line in lines if line}
    for truth in ("topics.xml", "qrels_old_scorer.txt"):
        scores = by_topic(judged(oracles, name, truth), "P")
        assert scores | {"mean": np.mean(list(scores.values()))} == pytest.approx(expected, rel=0, abs=1e-15)


@runs
@pytest.mark.parametrize("k", [1, 3, 10, 50])
def test_the_scorer_of_2016(oracles: Path, name: str, k: int) -> None:
    batch = judged(oracles, name, "qrels_old_scorer.txt")
    ct, act = (by_topic(batch, f"{metric}(dialect='jig2016')@{k}") for metric in ("CT", "ACT"))
    for scores in (ct, act):
        scores["all"] = float(np.mean(list(scores.values())))
    with open(oracles / "old-scorer" / f"{name}.cubetest.c{k}.csv") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 5
    for row in rows:
        assert agrees("old-scorer", ct[row["topic"]], row[f"ct@{k}"])
        assert agrees("old-scorer", act[row["topic"]], row[f"avg_ct@{k}"])


@runs
def test_a_passage_table_does_not_know_nuggets_nor_subtopics_without_passages(oracles: Path, name: str) -> None:
    topics, table = judged(oracles, name), judged(oracles, name, "qrels_old_scorer.txt")
    for metric in ("sDCG@3", "nsDCG@12", "CT(dialect='jig2016')@3", "nCT@10"):
        assert by_topic(topics, metric) == pytest.approx(by_topic(table, metric), abs=1e-12)
    for metric in ("CT@3", "ACT@5"):
        of_topics, of_table = by_topic(topics, metric), by_topic(table, metric)
        assert of_topics.pop("DD99-3") == pytest.approx(of_table.pop("DD99-3") * 3 / 4)  # one of 4 has no passages
        assert of_topics == pytest.approx(of_table, abs=1e-12)
    assert by_topic(topics, "EU@3") != pytest.approx(by_topic(table, "EU@3"), abs=1e-3)


def test_a_negative_rating_is_kept(oracles: Path) -> None:
    r = edge(oracles, "dd1.txt", "neg.xml").rankings
    assert [f"{parse(m).score(r)[0]:.7f}" for m in ("CT@1", "ACT@1", "nCT@1")] == [
        "-0.1000000",
        "-0.1000000",
        "-0.3333333",
    ]


def test_a_topic_without_passages_scores_0_where_the_jig_gives_up(oracles: Path) -> None:
    r = edge(oracles, "dd1.txt", "empty.xml").rankings
    for metric in (
        "CT@1",
        "ACT@1",
        "nCT@1",
        "sDCG@1",
        "nsDCG@1",
        "EU@1",
        "CT(dialect='jig2016')@1",
        "ACT(dialect='paper')",
    ):
        assert parse(metric).score(r).tolist() == [0.0]
    assert f"{parse('nEU@1').score(r)[0]:.7f}" == "1.0053232"


def test_iterations_that_are_missing_take_time(oracles: Path) -> None:
    folder = oracles / "edge"
    truth = PassageQrels.of([("DD99-1", "s", "doc1-1", "p", 4)])
    r = judge(read_dynamic_run(folder / "ddgap.txt"), truth).rankings
    assert r.turns.tolist() == [4]
    assert r.retrieved.tolist() == [1]
    assert parse("CT@5").score(r) == pytest.approx(2 / 5 / 4)
    assert parse("ACT@5").score(r) == pytest.approx(2 / 5 / 4 / 4)  # over the result and three that are not there
    assert parse("CT@3").score(r).tolist() == [0.0]
    assert parse("NegIter").score(r).tolist() == [-4.0]
    assert parse("NegIter@3").score(r).tolist() == [-3.0]
    assert parse("RecipIter@2").score(r).tolist() == [0.5]


def test_the_copy_that_comes_first_in_the_file_counts(oracles: Path) -> None:
    batch = edge(oracles, "ddorder.txt", "neg.xml")
    assert batch.rankings.turn.tolist() == [[1, 2]]
    assert batch.rankings.grade.tolist() == [[0.0, 2.0]]
    assert any("1 document listed again" in note for note in batch.notes)
    assert parse("P").score(batch.rankings).tolist() == [1.0]
    assert parse("R").score(batch.rankings).tolist() == [1.0]


def test_a_document_counts_where_its_iteration_has_it_first_by_score(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("DD-1\t0\ta\t1.0\nDD-1\t0\tb\t2.0\nDD-1\t0\ta\t3.0\n")
    truth = PassageQrels.of([("DD-1", "s", "a", "p", 3)])
    assert parse("ACT@1").score(judge(read_dynamic_run(path), truth).rankings) == pytest.approx(0.3)


def test_the_grade_of_a_document_is_its_largest_rating_or_their_sum() -> None:
    truth = PassageQrels.of([("t", "a", "d", "p1", 3), ("t", "a", "d", "p2", 2), ("t", "b", "d", "p3", 4)])
    run = dynamic_run({"t": [["d"]]})
    assert judge(run, truth).rankings.grade.tolist() == [[4.0]]
    assert judge(run, truth).rankings.aspects.tolist() == [[[5.0, 4.0]]]
    assert judge(run, truth, JudgingPolicy(qrels_format="passage-sum")).rankings.grade.tolist() == [[9.0]]
    assert judge(run, truth).rankings.max_grade == 4
    assert judge(run, truth, JudgingPolicy(qrels_format="passage-sum")).rankings.max_grade == 9


def test_copies_may_be_left_out_or_refused(oracles: Path) -> None:
    run, truth = read_dynamic_run(oracles / "edge" / "ddorder.txt"), read_passage_qrels(oracles / "edge" / "neg.xml")
    r = judge(run, truth, JudgingPolicy(on_duplicate="first")).rankings
    assert r.retrieved.tolist() == [1]
    with pytest.raises(InputError, match=r"ddorder\.txt, line 2: document y is listed a second time for topic DD99-1"):
        judge(run, truth, JudgingPolicy(on_duplicate="error"))


def test_the_paper_and_the_jig_on_the_worked_example() -> None:
    truth = PassageQrels.of([("t", aspect, f"{aspect}{i}", f"{aspect}{i}", 1) for aspect in "ab" for i in range(5)])
    r = judge(dynamic_run({"t": [["a1", "b1", "x"]]}), truth).rankings
    assert parse("ACT").score(r.top(2)) == pytest.approx(0.075)
    assert parse("ACT").score(r) == pytest.approx(0.25 / 3)
    assert parse("ACT(dialect='paper')").score(r.top(2)) == pytest.approx(0.75)
    assert parse("ACT(dialect='paper')").score(r) == pytest.approx(2.5 / 3)
    assert parse("CT(dialect='paper')").score(r) == pytest.approx(1.0)


def test_the_paper_fills_an_aspect_by_whole_documents() -> None:
    truth = PassageQrels.of([("t", "a", f"d{i}", f"p{i}", rating) for i, rating in enumerate([4, 4, 2, 4])])
    r = judge(dynamic_run({"t": [["d0", "d1"], ["d2", "d3"]]}), truth).rankings
    # equation 7 with MH=2: relevances 1, 1, then the aspect is full
    assert parse("CT(dialect='paper',MH=2)").score(r) == pytest.approx((1 + 0.5) / 2)
    assert parse("CT(dialect='paper',MH=2.1)").score(r) == pytest.approx((1 + 0.5 + 0.5 * 0.25) / 2)
    assert parse("ACT(dialect='paper',MH=2)").score(r) == pytest.approx((1 + 1.5 + 1.5 / 2 + 1.5 / 2) / 4)


def test_time_by_document_lengths() -> None:
    truth = PassageQrels.of([("t", "a", "d0", "p", 1)])
    run = dynamic_run({"t": [["d0", "x"], ["y"]]})
    r = judge(run, truth, JudgingPolicy(lengths={"d0": 100, "x": 1000, "y": 10})).rankings
    first = 4.4 + 0.64 * (0.018 * 100 + 7.8) + 4.4 + 0.39 * (0.018 * 1000 + 7.8)
    assert parse("TotTime@1").score(r) == pytest.approx(first)
    assert parse("TotTime").score(r) == pytest.approx(first + 4.4 + 0.39 * (0.018 * 10 + 7.8))
    assert not parse("TotTime").meaning.higher_is_better


def test_lengths_that_are_missing_are_an_error_for_time_and_no_cost_for_utility() -> None:
    truth = PassageQrels.of([("t", "a", "d0", "p", 1)])
    batch = judge(dynamic_run({"t": [["d0", "x"], ["y"]]}), truth, JudgingPolicy(lengths={"d0": 100, "y": 10}))
    assert "run: 1 result without a length in the file of lengths" in batch.notes
    with pytest.raises(InputError, match="1 retrieved document"):
        parse("TotTime").score(batch.rankings)
    # the user stops at d0 with probability .5, never at x, and reads y for sure
    assert parse("EU").score(batch.rankings) == pytest.approx(1 - 0.001 * (0.5 * 100 + 10))
    none = judge(dynamic_run({"t": [["d0"]]}), truth).rankings
    with pytest.raises(InputError, match="TotTime needs document lengths"):
        parse("TotTime").score(none)


def test_metrics_of_documents_take_a_cutoff_in_documents_or_in_iterations(oracles: Path) -> None:
    r = judged(oracles, "ddA").rankings
    for metric in ("P", "nDCG", "RBP", "AP"):
        assert parse(f"{metric}(unit='iteration')@2").score(r).tolist() == parse(f"{metric}@10").score(r).tolist()
    assert str(parse("P(unit='iteration')@2")) == "P(unit='iteration')@2"
    with pytest.raises(InputError, match="this is a plain run"):
        parse("P(unit='iteration')@2").score(Rankings.of([0, 1]))


def test_a_plain_run_is_refused_by_metrics_of_sessions() -> None:
    for metric in ("sDCG", "nsDCG", "esNDCG", "RecipIter", "NegIter"):
        with pytest.raises(InputError, match="this is a plain run"):
            parse(metric).score(Rankings.of([0, 1]))
    for metric in ("CT", "EU", "TotTime"):
        with pytest.raises(InputError, match=f"{metric} needs "):
            parse(metric).score(Rankings.of([0, 1]))


@pytest.mark.parametrize("metric", [*JIG.values(), "TotTime", "NegIter", "esNDCG", "P", "AP", "CT(dialect='jig2016')"])
def test_a_batch_scores_as_its_rows_do(oracles: Path, metric: str) -> None:
    known = {"lengths": dict.fromkeys([f"doc{t}-{i}" for t in (1, 2, 3, 12) for i in range(80)], 100.0)}
    run = read_dynamic_run(oracles / "inputs" / "dd" / "ddB.txt")
    known["lengths"] |= dict.fromkeys(run.frame["doc"], 50.0)
    r = judge(
        run, read_passage_qrels(oracles / "inputs" / "dd" / "topics.xml"), JudgingPolicy(lengths=known["lengths"])
    ).rankings
    for m in (parse(metric), parse(metric) @ 3):
        alone = [m.score(r[i : i + 1])[0] for i in range(len(r))]
        assert m.score(r).tolist() == pytest.approx(alone, rel=0, abs=1e-13)
        wider = m.score(r.to_depth(r.depth + 3))
        assert wider.tolist() == pytest.approx(alone, rel=0, abs=1e-13)
        worst, best = m.bounds(r)
        assert worst.tolist() == m.score(r).tolist()
        assert np.isfinite(best).all()
        assert np.isfinite(m(judged_only=True).score(r)).all()


def test_depth_cuts_lists_and_with_them_iterations(oracles: Path) -> None:
    r = judged(oracles, "ddA", depth=12).rankings
    assert r.retrieved.tolist() == [12, 10, 12, 12]
    assert r.turns.tolist() == [3, 2, 3, 3]


def test_order_of_the_file(oracles: Path) -> None:
    in_file, by_score = (judged(oracles, "ddB", order=order).rankings for order in ("file", "score"))
    assert by_score.passages.line[3, :5].tolist() == [22, 23, 25, 21, 24]
    assert in_file.passages.line[3, :5].tolist() == [21, 22, 23, 24, 25]
    with pytest.raises(InputError, match="order='rank' is not available for Dynamic Domain runs"):
        judged(oracles, "ddB", order="rank")


def test_topics_that_only_one_side_has(oracles: Path) -> None:
    folder = oracles / "inputs" / "dd"
    truth = read_passage_qrels(folder / "topics.xml")
    run = dynamic_run({"DD99-2": [["doc2-2"]], "DD99-77": [["x"]]})
    skipped = judge(run, truth, JudgingPolicy(missing="skip"))
    assert skipped.rankings.topic.tolist() == [1]
    assert skipped.notes == (
        "run: 1 topic without judgements left out (DD99-77)",
        "run: 3 judged topics without results, skipped (DD99-1, DD99-3, DD99-12)",
    )
    zero = judge(run, truth).rankings
    assert len(zero) == 4
    for metric in ("CT@2", "ACT", "nCT", "sDCG", "nsDCG", "RecipIter", "NegIter"):
        assert parse(metric).score(zero)[[0, 2, 3]].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(InputError, match="has no results for 3 judged topics"):
        judge(run, truth, JudgingPolicy(missing="error"))
    with pytest.raises(InputError, match=r"No topic of .*ddx\.txt \(which has DD99-77\) is judged"):
        judge(read_dynamic_run(oracles / "edge" / "ddx.txt"), truth)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("DD-1\t0\td", r"run\.txt, line 2: found 3 fields; expected 4"),
        ("DD-1\t1.5\td\t3", r"run\.txt, line 2: found the iteration 1\.5; expected a whole number"),
        ("DD-1\tone\td\t3", r"run\.txt, line 2: found the iteration 'one'"),
        ("DD-1\t-1\td\t3", r"run\.txt, line 2: found the iteration -1"),
        ("DD-1\t1\td\thigh", r"run\.txt, line 2: found the score 'high'"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text(f"DD-1\t0\tc\t9\n{line}\n")
    with pytest.raises(InputError, match=message):
        read_dynamic_run(path)


def test_iterations_that_begin_at_1_are_remarked_upon(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("DD-1\t1\tc\t9\n")
    run = read_dynamic_run(path)
    assert run.notes == ("mine: no topic has an iteration 0, the first one; it counts as empty",)


def test_runs_are_named_by_their_files(oracles: Path) -> None:
    folder = oracles / "inputs" / "dd"
    runs = judged_runs([folder / "ddA.txt", folder / "ddB.txt"], folder / "topics.xml")
    assert [run.name for run in runs] == ["ddA", "ddB"]


PASSAGE = '<passage id="{}"><docno>{}</docno><rating>{}</rating><type>{}</type></passage>'


def topics(tmp_path: Path, *passages: str, before: str = "") -> Path:
    path = tmp_path / "topics.xml"
    path.write_text(
        f'<?xml version="1.0"?>{before}<trec_dd><domain><topic id="T"><subtopic id="T.1">\n'
        + "\n".join(passages)
        + '</subtopic><subtopic id="T.2"></subtopic></topic></domain></trec_dd>'
    )
    return path


def test_a_doctype_is_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>'
    with pytest.raises(InputError, match=r"topics\.xml, line 1: found a DOCTYPE"):
        read_passage_qrels(topics(tmp_path, PASSAGE.format(1, "&lol2;", 1, "MANUAL"), before=bomb))


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        (PASSAGE.format(7, "", 1, "MANUAL"), r"topics\.xml, line 2: passage 7 of subtopic T\.1 has no docno"),
        (PASSAGE.format(7, "d", "good", "MANUAL"), r"passage 7 of subtopic T\.1 has the rating 'good'"),
        ("<passage></passage>", "a passage has no id"),
        ("<passage id='1'>", r"topics\.xml, line 2: not well-formed XML"),
        ("&undefined;", r"not well-formed XML"),
    ],
)
def test_bad_topics_are_refused(tmp_path: Path, passage: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_passage_qrels(topics(tmp_path, passage))


def test_xml_without_topics_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    path.write_text("<html><body/></html>")
    with pytest.raises(InputError, match="has no topics"):
        read_passage_qrels(path)


def test_a_nugget_is_named_by_the_last_manual_passage(tmp_path: Path) -> None:
    passages = [
        PASSAGE.format(1, "a", 2, "MATCHED"),
        PASSAGE.format(2, "b", 0, "MANUAL"),
        PASSAGE.format(3, "c &amp; d", 3, "manual"),
    ]
    truth = read_passage_qrels(topics(tmp_path, *passages))
    assert truth.frame["nugget"].to_list() == ["", "2", "2"]
    assert truth.frame["doc"].to_list() == ["a", "b", "c & d"]
    assert truth.subtopics == {"T": ("T.1", "T.2")}
    nuggets = build_pool(truth).all_topics.nuggets
    assert nuggets.rating.tolist() == [[2.0, 3.0]]  # the rating seen last is the nugget's
    assert nuggets.documents.tolist() == [[1, 2]]
    assert build_pool(truth).pool.weights.tolist() == [[0.5, 0.5]]  # a subtopic without passages counts
    assert build_pool(truth).pool.grade.tolist() == [[3.0, 1.0, 2.0]]  # c, b, a: a rating of 0 counts as 1


def test_a_passage_judged_twice_has_its_last_rating() -> None:
    truth = PassageQrels.of([("t", "s", "d", "p", 1), ("t", "s", "e", "q", 1), ("t", "s", "d", "p", 3)])
    assert truth.frame["rating"].to_list() == [3.0, 1.0]
    assert truth.notes == ("judgements repeats 1 passage; the last rating of each counts",)


def test_judgements_of_passages_are_told_from_others(oracles: Path) -> None:
    inputs = oracles / "inputs"
    assert is_passage_qrels(inputs / "dd" / "topics.xml")
    assert is_passage_qrels(inputs / "dd" / "qrels_old_scorer.txt")
    assert not is_passage_qrels(inputs / "adhoc" / "qrels.txt")
    assert not is_passage_qrels(inputs / "adhoc" / "runA.txt")


def test_a_packed_table_is_read(oracles: Path, tmp_path: Path) -> None:
    table = oracles / "inputs" / "dd" / "qrels_old_scorer.txt"
    packed = tmp_path / "qrels.tsv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert read_passage_qrels(packed).frame.equals(read_passage_qrels(table).frame)


def test_the_judgements_of_2016(shared: Path) -> None:
    truth = read_passage_qrels(shared / "data" / "trec-dd" / "trec-dd-2016-qrels.tsv.gz")
    assert len(truth.topics) == 53
    assert truth.frame.height == 27566
    assert build_pool(truth).pool.grade.max() == truth.frame["rating"].max()
    pool = build_pool(truth, passage_grade="sum").pool
    assert pool.grade.sum() == truth.frame["rating"].sum() + (truth.frame["rating"] == 0).sum()
    first = truth.topics[0]
    docs = truth.frame.filter(topic=first)["doc"].unique(maintain_order=True).to_list()
    r = judge(dynamic_run({first: [docs[i : i + 5] for i in range(0, 25, 5)]}), truth).rankings
    assert parse("P").score(r[:1]).tolist() == [1.0]
    assert 0 < parse("nCT@5").score(r)[0] < 1


def test_judgements_of_passages_are_refused_where_grades_of_documents_are_changed(oracles: Path) -> None:
    topics = oracles / "inputs" / "dd" / "topics.xml"
    lists = [oracles / "inputs" / "dd" / "ddA.txt"]
    for qrels in (topics, reader_named("dd").read_judgements(Source(topics))):
        with pytest.raises(InputError, match=r"topics.xml: found judgements of passages; expected one grade"):
            document_judgements(*open_inputs(lists, qrels), JudgingPolicy())
    adhoc = oracles / "inputs" / "adhoc"
    inputs = open_inputs([adhoc / "runA.txt"], adhoc / "qrels.txt")
    assert isinstance(document_judgements(*inputs, JudgingPolicy()), Qrels)
