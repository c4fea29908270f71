"""`irassay trec_eval` prints what trec_eval 10 printed, byte for byte."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from irassay.cli.program import run as irassay
from irassay.errors import InputError

VARIANTS = {
    "all_trec": ["-q", "-m", "all_trec"],
    "c.all_trec": ["-q", "-c", "-m", "all_trec"],
    "l2": ["-q", "-m", "all_trec", "-l2"],
    "J": ["-q", "-m", "all_trec", "-J"],
    "M5": ["-q", "-m", "all_trec", "-M", "5"],
    "rbp": ["-q", "-m", "rbp", "-m", "rbp_resid"],
    "gains137": ["-q", "-m", "ndcg.1=1,2=3,3=7"],
}


@pytest.mark.parametrize("name", ["runA", "runB", "runC"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_output_is_byte_for_byte_that_of_trec_eval(
    oracles: Path, capsys: pytest.CaptureFixture[str], name: str, variant: str
) -> None:
    inputs = oracles / "inputs" / "adhoc"
    qrels = inputs / ("qrels.txt" if variant.startswith("c.") else "qrels_no7.txt")
    expected = (oracles / "trec_eval" / f"{name}.{variant}.txt").read_text()
    if variant in ("l2", "J", "M5"):  # these have only some of the measures
        measures = sorted({re.sub(r"_(\d[\d.]*)$", r".\1", line.split()[0]) for line in expected.splitlines()})
        if variant != "M5":
            measures = sorted({one.split(".")[0] for one in measures})
        words = [*VARIANTS[variant][3:], "-q", *(word for one in measures for word in ("-m", one))]
    else:
        words = VARIANTS[variant]
    files = [str(qrels), str(inputs / f"{name}.txt")]
    assert irassay(["trec_eval", *words, *files]) == 0
    if variant == "gains137":  # two calls, one after another
        assert irassay(["trec_eval", "-q", "-m", "dcg", "-m", "ideal_dcg", *files]) == 0
    assert capsys.readouterr().out == expected


@pytest.fixture
def output(oracles: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[tuple[str, str], str]]:
    """The output for run A, by measure and topic."""

    def run(*words: str, qrels: str = "qrels.txt") -> dict[tuple[str, str], str]:
        inputs = oracles / "inputs" / "adhoc"
        assert irassay(["trec_eval", *words, str(inputs / qrels), str(inputs / "runA.txt")]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        return {(name.rstrip(), topic): value for name, topic, value in rows}

    return run


def test_parameters_given_first_hold_and_names_show_them(output: Callable[..., dict[tuple[str, str], str]]) -> None:
    assert {name for name, _ in output("-m", "P.5,3", "-m", "P.10")} == {"P_3", "P_5"}
    assert ("Rprec_mult_5.00", "all") in output("-mRprec_mult.5.0,0.35")
    levels = output("-m", "iprec_at_recall..2,.5,.8", "-m", "11pt_avg..2,.5,.8")
    mean = sum(float(levels[f"iprec_at_recall_{level}", "all"]) for level in ("0.20", "0.50", "0.80")) / 3
    assert float(levels["11pt_avg_.2,.5,.8", "all"]) == pytest.approx(mean, abs=1e-4)


def test_the_total_of_relevant_documents_over_all_judged_topics_knows_no_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 c 1\n2 0 d 3\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    for words, total in ((["-l2"], "1"), (["-l2", "-c"], "4")):
        assert irassay(["trec_eval", *words, "-m", "num_rel", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
        assert capsys.readouterr().out.split() == ["num_rel", "all", total]


def test_gains_count_in_the_perfect_list(output: Callable[..., dict[tuple[str, str], str]]) -> None:
    gains = "1=1,2=3,3=7"
    found = output("-q", *(word for name in ("dcg", "ideal_dcg", "ndcg") for word in ("-m", f"{name}.{gains}")))
    ratio = float(found[f"dcg_{gains}", "1"]) / float(found[f"ideal_dcg_{gains}", "1"])
    assert float(found[f"ndcg_{gains}", "1"]) == pytest.approx(ratio, abs=1e-4)


def test_a_topic_without_results_is_printed_as_trec_eval_does(
    oracles: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With -J interpolated precision is 0/0; a topic that -c adds has one result in a utility with coefficients."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 x 1 1.0 t\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert irassay(["trec_eval", "-J", "-m", "iprec_at_recall.0,.5", "-m", "11pt_avg", *files]) == 0
    printed = [line.split("\t")[2] for line in capsys.readouterr().out.splitlines()]
    assert printed == ["  -nan", "0.0000", "  -nan"]
    assert (
        irassay(["trec_eval", "-cqn", "-m", "utility.1,-1,-2,0.5", "-N", "9", "-m", "iprec_at_recall.0", *files]) == 0
    )
    printed = [line.split("\t")[2] for line in capsys.readouterr().out.splitlines()]
    assert printed == ["0.0000", "0.5000", "0.0000", "0.5000"]  # -1 - 2 + 0.5 * (9 - 1 - 1)


def test_one_run_is_needed(oracles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = oracles / "inputs" / "adhoc"
    with pytest.raises(InputError, match="Give judgements and one run"):
        irassay(["trec_eval", str(inputs / "qrels.txt")])
    with pytest.raises(InputError, match="has 3; irassay score takes several"):
        irassay(["trec_eval", str(inputs / "qrels.txt"), str(inputs / "run[ABC].txt")])
    assert irassay(["trec_eval", "-v"]) == 0
    assert capsys.readouterr().out.startswith("trec_eval version 10")


@pytest.mark.parametrize("words", [[], ["-R", "qrels_jg", "-m", "qrels_jg"]])
def test_a_message_on_a_duplicate_names_no_option_that_trec_eval_lacks(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    with pytest.raises(InputError, match=r"a second time for topic 1, after [^;]*line 1\. Delete one\.$"):
        irassay(["trec_eval", *words, str(tmp_path / "qrels"), str(tmp_path / "run")])


def test_the_runid_is_that_of_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 one\n1 Q0 b 2 1.0 a-very-long-name-of-a-run-indeed more\n\n")
    assert irassay(["trec_eval", "-m", "runid", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out == "runid                 \tall\ta-very-long-name-of-a-run-indeed\n"


def test_z_scores(output: Callable[..., dict[tuple[str, str], str]], tmp_path: Path) -> None:
    plain = output("-q", "-m", "map")
    (tmp_path / "z").write_text("1 map 0.5 0.1\n2 map 0.25 0\n")
    found = output("-q", "-m", "map", "-Z", str(tmp_path / "z"))
    assert float(found["map", "1"]) == pytest.approx((float(plain["map", "1"]) - 0.5) / 0.1, abs=1e-3)
    assert found["map", "2"] == found["map", "3"] == "-1000000.0000"
    (tmp_path / "z").write_text("1 map 0.5\n")
    with pytest.raises(InputError, match="expected topic, measure, mean and deviation"):
        output("-Z", str(tmp_path / "z"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-m", "P.5,5"], "must be above 0 and different"),
        (["-m", "P.0"], "above 0"),
        (["-m", "P."], "parameters missing after"),
        (["-m", "ndcg.1"], "pairs such as 1=1"),
        (["-m", "utility.1,2"], "four coefficients"),
        (["-m", "prefs"], "needs -R prefs or -R qrels_prefs"),
        (["-R", "qrels_prefs", "-m", "map"], "not a measure of preferences"),
        (["-m", "mpa"], "did you mean map"),
        (["-l", "0"], "1 or more"),
        (["-M", "x"], "must be a whole number"),
        (["-R", "prefs"], "expected 5 fields"),
        (["-D", "1.none"], "No topic has both"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    output: Callable[..., dict[tuple[str, str], str]], words: list[str], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        output(*words)


def test_no_results_at_all_are_what_trec_eval_makes_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n1 0 d4 -1\n2 0 d1 0\n2 0 d2 0\n")
    (tmp_path / "r").write_text("1 Q0 d1 1 3 t\n1 Q0 d9 2 2 t\n2 Q0 d2 1 3 t\n")
    measures = ["num_q", "num_ret", "num_rel", "map", "bpref", "relstring", "utility", "ndcg", "set_F"]
    words = [word for one in measures for word in ("-m", one)]
    assert irassay(["trec_eval", "-M", "0", "-q", *words, str(tmp_path / "q"), str(tmp_path / "r")]) == 0
    expected = []  # by trec_eval 9.0.4
    for topic, ret, rel in (("1", "0", "2"), ("2", "0", "0")):
        rest = [("relstring", "''"), *((name, "0.0000") for name in ("utility", "ndcg", "set_F"))]
        expected += [("num_ret", topic, ret), ("num_rel", topic, rel), ("map", topic, "0.0000")]
        expected += [("bpref", topic, "0.0000"), *((name, topic, value) for name, value in rest)]
    expected += [("num_q", "all", "2"), ("num_ret", "all", "0"), ("num_rel", "all", "2")]
    expected += [(name, "all", "0.0000") for name in ("map", "bpref", "utility", "ndcg", "set_F")]
    assert capsys.readouterr().out == "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in expected)


@pytest.mark.parametrize("gains", ["0=1,1=2", "-1=1", "a=1", "1=-2"])
def test_gains_that_are_not_taken_are_refused_and_not_passed_over(oracles: Path, gains: str) -> None:
    inputs = oracles / "inputs" / "adhoc"
    files = [str(inputs / "qrels.txt"), str(inputs / "runA.txt")]
    with pytest.raises(InputError, match="gains must be 0 or more, and grades above 0"):
        irassay(["trec_eval", "-m", f"ndcg.{gains}", *files])


Printed = Callable[..., dict[tuple[str, str], str]]


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    """The output for judgements and a run given as text, by measure and topic, in the order of the lines."""

    def run(qrels: str, results: str, *words: str) -> dict[tuple[str, str], str]:
        (tmp_path / "q").write_text(qrels)
        (tmp_path / "r").write_text(results)
        assert irassay(["trec_eval", *words, str(tmp_path / "q"), str(tmp_path / "r")]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        return {(name.rstrip(), topic): value for name, topic, value in rows}

    return run


def test_topics_are_in_the_order_of_their_bytes(printed: Printed) -> None:
    """As strcmp orders them: by bytes of UTF-8, not by number."""
    topics = ["10", "9", "b", "é"]
    qrels = "".join(f"{topic} 0 a 1\n" for topic in reversed(topics))
    found = printed(qrels, "".join(f"{topic} Q0 a 1 1 t\n" for topic in reversed(topics)), "-q", "-n", "-m", "map")
    assert [topic for _, topic in found] == topics


def test_a_string_of_grades_has_one_character_for_each_result(printed: Printed) -> None:
    """trec_eval: > above 9, - if a result is not in the pool, . if it is but has no judgement; -J leaves these out."""
    qrels = "1 0 a 9\n1 0 b 10\n1 0 c -1\n1 0 d 0\n1 0 e -2\n"
    run = "".join(f"1 Q0 {doc} 1 {-n} t\n" for n, doc in enumerate("abcxde"))
    for words, marks in (
        (["-m", "relstring"], "9>.-0."),
        (["-J", "-m", "relstring"], "9>0"),
        (["-m", "relstring.3"], "9>."),
    ):
        assert [*printed(qrels, run, "-q", "-n", *words).values()] == [f"'{marks}'"]


def test_yaap_is_the_logarithm_of_the_odds_of_average_precision(printed: Printed) -> None:
    """With R relevant documents and a sum of precisions S: log((1 + S) / (1 + R - S))."""
    found = printed("1 0 a 1\n1 0 b 1\n1 0 c 1\n", "1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 b 3 1 t\n", "-q", "-m", "yaap")
    assert float(found["yaap", "1"]) == pytest.approx(math.log((1 + 5 / 3) / (1 + 3 - 5 / 3)), abs=1e-4)


def test_rbp_of_a_topic_whose_grades_are_all_0_or_lower_is_0(printed: Printed) -> None:
    found = printed("1 0 a 0\n1 0 b -1\n2 0 a 4\n", "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n", "-q", "-m", "rbp")
    assert found["rbp", "1"] == "0.0000"


def test_a_z_score_without_deviation_is_0_at_the_mean(printed: Printed, tmp_path: Path) -> None:
    (tmp_path / "z").write_text("1 map 1.0 0\n2 map 1.0 0\n")
    run = "1 Q0 a 1 2 t\n2 Q0 x 1 2 t\n2 Q0 a 2 1 t\n"
    found = printed("1 0 a 1\n2 0 a 1\n", run, "-q", "-m", "map", "-Z", str(tmp_path / "z"))
    assert (found["map", "1"], found["map", "2"]) == ("0.0000", "-1000000.0000")


def test_measures_over_groups_of_judges_are_byte_for_byte_those_of_trec_eval(
    oracles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(oracles / "inputs" / "preferences" / name) for name in ("groups", "run")]
    assert irassay(["trec_eval", "-q", "-c", "-R", "qrels_jg", "-m", "qrels_jg", *files]) == 0
    assert capsys.readouterr().out == (oracles / "trec_eval" / "prefs" / "qrels_jg.txt").read_text()


@pytest.mark.parametrize(("format_", "file"), [("prefs", "prefs"), ("qrels_prefs", "groups")])
def test_measures_of_preferences_are_byte_for_byte_those_of_trec_eval(
    oracles: Path, capsys: pytest.CaptureFixture[str], format_: str, file: str
) -> None:
    files = [str(oracles / "inputs" / "preferences" / name) for name in (file, "run")]
    assert irassay(["trec_eval", "-q", "-c", "-R", format_, "-m", "all_prefs", *files]) == 0
    assert capsys.readouterr().out == (oracles / "trec_eval" / "prefs" / f"{format_}.txt").read_text()


def test_preferences_ignore_options_about_grades_and_follow_those_about_results(printed: Printed) -> None:
    words = ("-R", "qrels_prefs", "-q", "-m", "prefs_simp")
    judged, run = "1 0 a 2\n1 0 b 1\n1 0 c 0\n", "1 Q0 x 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 2 t\n"
    cases = {(): "1.0000", ("-l2",): "1.0000", ("-J",): "1.0000", ("-M2",): "0.6667", ("-M0",): "0.0000"}
    assert {more: printed(judged, run, *words, *more)["prefs_simp", "1"] for more in cases} == cases


@pytest.mark.parametrize("words", [[], ["-l2"], ["-J"], ["-M5"], ["-M0"], ["-c"]])
def test_a_measure_over_groups_is_the_mean_of_that_by_each_group(
    oracles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    groups, run = (oracles / "inputs" / "preferences" / name for name in ("groups", "run"))
    by_topic: dict[str, list[float]] = {}
    for group in "012":
        lines = [line for line in groups.read_text().splitlines() if line.split()[1] == group]
        (tmp_path / group).write_text("\n".join(lines) + "\n")
        assert irassay(["trec_eval", "-q", "-n", "-m", "map", *words, str(tmp_path / group), str(run)]) == 0
        for line in capsys.readouterr().out.splitlines():
            by_topic.setdefault(line.split()[1], []).append(float(line.split()[2]))
    argv = ["trec_eval", "-q", "-n", "-R", "qrels_jg", "-m", "map_avgjg", *words, str(groups), str(run)]
    assert irassay(argv) == 0
    mine = {line.split()[1]: float(line.split()[2]) for line in capsys.readouterr().out.splitlines()}
    assert mine == pytest.approx({t: sum(each) / len(each) for t, each in by_topic.items()}, abs=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "map_avgjg"], "needs -R qrels_jg"),
        (["-R", "qrels_jg", "-m", "map"], "not a measure of groups"),
        (["-R", "qrels_jg", "-D", "1.3"], "is not available with"),
    ],
)
def test_groups_of_judges_and_their_measures_go_together(oracles: Path, words: list[str], message: str) -> None:
    files = [str(oracles / "inputs" / "preferences" / name) for name in ("groups", "run")]
    with pytest.raises(InputError, match=message):
        irassay(["trec_eval", *words, *files])
