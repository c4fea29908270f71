"""One stage: `ask`, the command line and the Python call give the same answer to the same values."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.ask import ask, check_values
from irassay.cli import main
from irassay.declarations import index
from irassay.errors import InputError, spelled_as
from irassay.io.tables import read_scores
from irassay.results import Result
from tests.support.keywords import SMALL

COMMANDS: Mapping[str, Any] = index()["commands"]
ROOT = Path(__file__).parent.parent
OURS, ADHOC = "tests/golden/inputs", "tests/oracles/inputs/adhoc"
QRELS, RUNS = f"{ADHOC}/qrels_nonneg.txt", f"{OURS}/runs"
METRICS = ["AP", "nDCG@10", "P@10"]
READ = {"inputs": [QRELS, RUNS], "metrics": METRICS}
SESSIONS = {"sessions": f"{OURS}/sessions", "metrics": ["RBP", "RBP(A='MAX')"]}
TWO = [QRELS, f"{OURS}/runs/sys1.txt", f"{OURS}/runs/sys2.txt"]
ITERATIONS = f"{OURS}/iterations.csv"
TREC_EVAL = [f"tests/oracles/trec_eval/runA.{what}.txt" for what in ("all_trec", "l2")]


def scored(**settings: Any) -> ia.Scores:
    return ia.score(RUNS, QRELS, METRICS, **settings)


def rated() -> ia.RatedUnits:
    return ia.RatedUnits.from_sessions(SESSIONS["sessions"], SESSIONS["metrics"])


def meta(name: str, make: Callable[[], Any] = scored) -> Callable[..., Any]:
    return lambda **settings: getattr(ia.meta, name)(make(), **settings)


# Command: the values of its inputs, its settings, and the Python call that takes the same settings.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[..., Any]]] = {
    "score": (
        {"qrels": QRELS, "runs": [f"{ADHOC}/runA.txt", f"{ADHOC}/runB.txt"], "metrics": METRICS},
        {"missing": "skip", "no_relevant": "skip", "bounds": True},
        lambda **settings: ia.score([f"{ADHOC}/runA.txt", f"{ADHOC}/runB.txt"], QRELS, METRICS, **settings),
    ),
    "compare": (READ, {"test": "t", "correction": "holm"}, lambda **settings: ia.compare(scored(), **settings)),
    "table": (READ, {"test": "t"}, lambda **settings: ia.table(scored(), **settings)),
    "plan": (READ, {"difference": 0.05}, lambda **settings: ia.plan(scored(), **settings)),
    "topics": (READ, {}, lambda: ia.topics(RUNS, QRELS, METRICS)),
    "check": (
        {"inputs": [QRELS, f"{ADHOC}/runA.txt", f"{ADHOC}/runB.txt"], "metrics": METRICS},
        {"tolerance": 0.01, "fail_on": "worse"},
        lambda **settings: ia.check([f"{ADHOC}/runA.txt", f"{ADHOC}/runB.txt"], QRELS, METRICS, **settings),
    ),
    "diff": (
        {"first": TREC_EVAL[0], "second": TREC_EVAL[1]},
        {"qrels": f"{ADHOC}/qrels.txt", "runs": [f"{ADHOC}/runA.txt"]},
        lambda **settings: ia.diff(*TREC_EVAL, **settings),
    ),
    "claim": (
        {"inputs": TWO, "metrics": ["nDCG@10"]},
        {"seed": 3},
        lambda **settings: ia.claim(TWO[1:], QRELS, ["nDCG@10"], **settings),
    ),
    "judges": (
        {"human": QRELS, "others": [f"{OURS}/other_qrels.txt"]},
        {"trials": 50, "runs": [RUNS], "metrics": ["AP"]},
        lambda **settings: ia.judges(QRELS, (f"{OURS}/other_qrels.txt",), **settings),
    ),
    "axioms": ({"metrics": ["AP_IA"]}, {"depth": 3}, lambda **settings: ia.axioms(["AP_IA"], **settings)),
    "explain": ({"metric": "RBP(p=0.5)", "ranking": "1,0,2"}, {}, lambda: ia.explain("RBP(p=0.5)", "1,0,2")),
    "metrics": ({"pattern": "DCG"}, {}, lambda: ia.metrics("DCG")),
    "report": (
        READ,
        {"test": "t"},
        lambda **settings: ia.assay(RUNS, QRELS, METRICS, **settings),
    ),
    "reproduce": ({"paper": "albahem2018"}, {}, lambda: ia.reproduce("albahem2018")),
    "validate": (
        {"paths": [QRELS, f"{ADHOC}/runB.txt", f"{OURS}/odd_run.txt"]},
        {"strict": True},
        lambda **settings: ia.validate((QRELS, f"{ADHOC}/runB.txt", f"{OURS}/odd_run.txt"), **settings),
    ),
    "meta agreement": (READ, {}, meta("agreement")),
    "meta alternatives": (READ, {"reference": "AP", "similar": 0.3, "trials": 50}, meta("alternatives")),
    "meta consistency": (READ, {}, meta("consistency")),
    "meta discrimination": (READ, {"levels": [0.02, 0.2], "trials": 50}, meta("discrimination")),
    "meta dominance": (
        READ,
        {"gain": "exp", "alpha": 0.1},
        lambda **settings: ia.meta.dominance(RUNS, QRELS, METRICS, **settings),
    ),
    "meta effort": (
        {"log": f"{OURS}/log.tsv"},
        {"summary": 5.0},
        lambda **settings: ia.meta.effort(f"{OURS}/log.tsv", **settings),
    ),
    "meta fitting": (SESSIONS, {"sweep": "p=0.5,0.8", "folds": 2}, meta("fitting", rated)),
    "meta fragility": (
        READ,
        {"test": "max-t", "trials": 50, "alpha": 0.2},
        lambda **settings: ia.meta.fragility(RUNS, QRELS, METRICS, **settings),
    ),
    "meta generalizability": (READ, {"topics": [5, 20]}, meta("generalizability")),
    "meta intuitiveness": (READ, {"simple": ["P@10"], "ties": "lenient"}, meta("intuitiveness")),
    "meta multiverse": (
        READ,
        {"only": ["metric=AP"], "trials": 50},
        lambda **settings: ia.meta.multiverse(RUNS, QRELS, METRICS, **settings),
    ),
    "meta preference": (READ, {"choices": f"{OURS}/all_choices.tsv", "trials": 50}, meta("preference")),
    "meta robustness": (
        READ,
        {"thin": [0.5], "test": "t"},
        lambda **settings: ia.meta.robustness(RUNS, QRELS, METRICS, **settings),
    ),
    "meta satisfaction": (SESSIONS, {"trials": 50}, meta("satisfaction", rated)),
    "meta sensitivity": (SESSIONS, {"sweep": "p=0.5,0.8"}, meta("sensitivity", rated)),
    "meta similarity": (READ, {"also": ["rbo"]}, meta("similarity")),
    "meta ties": (READ, {"trials": 20}, lambda **settings: ia.meta.ties(RUNS, QRELS, METRICS, **settings)),
    "meta unanimity": (READ, {"simple": ["P@10"], "trials": 50}, meta("unanimity")),
}
SHARED = {"ties": "simple_ties"}  # a setting that has the name of an input goes by its name in JSON
AS_TEXT = {
    "cite",
    "completion",
    "convert",
    "demo",
    "lab",
    "trec_eval",
}  # no --format; tests/cli/test_derived.py compares their text


def command_line(command: str, inputs: Mapping[str, Any], settings: Mapping[str, Any]) -> list[str]:
    """The values as words, by what the index says about the command's arguments."""
    given = {"input": inputs, "setting": settings}
    words = command.split()
    places: list[str] = []
    for argument in COMMANDS[command]["arguments"]:
        name, flags = argument["name"], argument.get("flags")
        if name not in (values := given.get(argument["part"], {})):
            continue
        value = values[name]
        several = value if isinstance(value, list) else [value]
        if not flags:
            places += several
        elif argument["kind"] == "flag":
            words.append(flags[0])
        elif argument["kind"] in ("numbers", "wholes"):
            words += [flags[0], ",".join(map(str, several))]
        else:
            words += [word for each in several for word in (flags[0], str(each))]
    return [*words, *places]


def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command line prints as JSON."""
    monkeypatch.setattr(sys, "argv", ["irassay", *words, "--format", "json"])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main()
    out = capsys.readouterr()
    assert end.value.code in (0, 1), out.err
    document: dict[str, Any] = json.loads(out.out)
    return document


def small_settings(command: str) -> dict[str, Any]:
    """The settings of a case, and few repetitions."""
    small = {name: value for name, value in SMALL.items() if name in ("splits", "subsets", "bootstraps", "repeats")}
    taken = {a["name"] for a in COMMANDS[command]["arguments"] if a["part"] == "setting"}
    return {name: value for name, value in small.items() if name in taken} | CASES[command][1]


def asked_case(command: str) -> Result | str:
    """The answer to the case of a command, from the root of the tree."""
    settings = {SHARED.get(name, name): value for name, value in small_settings(command).items()}
    return ask(command, CASES[command][0] | settings)


def as_json(result: Result | str) -> dict[str, Any]:
    assert isinstance(result, Result)
    document: dict[str, Any] = json.loads(result.to_json())
    return document


def test_every_command_with_a_document_is_here() -> None:
    formatted = {c for c, entry in COMMANDS.items() if any(a["name"] == "format" for a in entry["arguments"])}
    assert formatted == CASES.keys() and not formatted & AS_TEXT and COMMANDS.keys() == formatted | AS_TEXT


@pytest.mark.parametrize("command", CASES)
def test_ask_the_command_line_and_python_give_the_same_document(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (inputs, _, call), settings = CASES[command], small_settings(command)
    lines = command_line(command, inputs, settings)
    lines += ["--output", str(tmp_path / "page.html")] if command == "report" else []
    by_words = printed(monkeypatch, capsys, *lines)
    assert as_json(asked_case(command)) == by_words
    assert as_json(call(**settings)) == by_words


@pytest.mark.parametrize("name", ["intuitiveness", "unanimity"])
def test_iterations_of_tables_are_analysed_from_python_too(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    settings = {"simple": ["p", "strec"], "trials": 50}
    inputs = {"scores": [ITERATIONS], "by": "iteration"}
    by_words = printed(monkeypatch, capsys, *command_line(f"meta {name}", inputs, settings))
    assert as_json(ask(f"meta {name}", inputs | settings)) == by_words
    assert as_json(getattr(ia.meta, name)(read_scores(ITERATIONS, by="iteration"), **settings)) == by_words
    assert by_words["parameters"]["by"] == "iteration"


def test_a_papers_grid_is_asked_for_from_python_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    by_words = printed(monkeypatch, capsys, "meta", "similarity", QRELS, RUNS, "--grid", "cwla", "--subsets", "10")
    assert as_json(ask("meta similarity", {"inputs": [QRELS, RUNS], "grid": "cwla", "subsets": 10})) == by_words
    assert as_json(ia.meta.similarity(ia.score(RUNS, QRELS, ia.grid("cwla").metrics), subsets=10)) == by_words


def test_a_grid_says_which_metrics_are_simple() -> None:
    table = str(ROOT / "tests/oracles/meta/dd/scores_2016_iterations_1_10.csv.gz")
    found = ask("meta unanimity", {"scores": table, "by": "iteration", "grid": "dynamic", "trials": 20})
    grid = ia.grid("dynamic")
    cubes = {name: cube.with_metrics(grid.metrics) for name, cube in read_scores(table, by="iteration").items()}
    assert isinstance(found, Result) and found.settings.simple == grid.simple
    assert as_json(found) == as_json(ia.meta.unanimity(cubes, simple=grid.simple, trials=20))


@pytest.mark.parametrize("command", [name for name, (inputs, *_) in CASES.items() if {"inputs", "runs"} & {*inputs}])
def test_a_method_declares_how_many_runs_it_needs(command: str) -> None:
    inputs, settings, _ = CASES[command]
    one_run = {"runs": [f"{ADHOC}/runA.txt"]} if "runs" in inputs else {"inputs": [QRELS, f"{ADHOC}/runA.txt"]}
    given = inputs | {name: value for name, value in settings.items() if name != "ties"} | one_run
    declared = index()["commands"][command]
    if declared["two_runs"] or declared["least_runs"] > 1:
        with pytest.raises(InputError, match=r"system|run"):
            ask(command, given)
    else:
        assert ask(command, given)


def test_an_input_may_be_an_object() -> None:
    run = {"1": {"d": 2.0, "e": 1.0}, "2": {"f": 2.0, "e": 1.0}}
    scores = ia.score({"a": run, "b": {"1": run["2"], "2": run["1"]}}, {"1": {"d": 1}, "2": {"e": 1}}, ["AP", "P@1"])
    assert as_json(ask("meta similarity", {"scores": scores})) == as_json(ia.meta.similarity(scores))
    with pytest.raises(InputError, match="metrics says how to read scores"):
        ask("meta similarity", {"scores": scores, "metrics": ["AP"]})


@pytest.mark.parametrize(
    ("command", "values", "keyword", "option"),
    [
        ("meta consistncy", {}, "did you mean meta consistency?", ""),
        ("meta consistency", {"split": 5}, "meta consistency takes no split; did you mean splits?", ""),
        ("meta consistency", {"splits": "5"}, "splits must be a whole number from 1 to 10,000,000; found '5'.", ""),
        ("meta consistency", {"splits": 0}, "splits must be a whole number from 1 to 10,000,000; found 0.", ""),
        ("compare", {"correction": "hulm"}, "correction must be one of .*; found 'hulm'; did you mean holm?", ""),
        ("compare", {"levels": "0.1,0.2"}, "compare takes no levels", ""),
        ("meta discrimination", {"levels": "0.1,0.2"}, "levels must be a tuple", ""),
        ("score", {"qrels": "q"}, "score needs runs", ""),
        ("meta similarity", {}, r"at least one run \(inputs\), or score tables \(scores\)", ""),
        ("meta similarity", {"inputs": ["q"], "scores": ["t"]}, "either inputs or scores, not both", "--scores TABLE"),
        ("meta similarity", {"scores": ["t"], "depth": 5}, "depth cannot be used with scores", "--depth"),
        (
            "meta similarity",
            {"inputs": ["q", "r"], "metrics": "AP", "dialect": "tot"},
            "dialect applies to score tables only",
            "",
        ),
        (
            "meta unanimity",
            {"inputs": ["q", "r"], "by": "iteration", "simple": ["RR"]},
            "by='iteration' needs score",
            "--by iteration",
        ),
        ("meta unanimity", {"scores": ["t"], "by": "topic"}, "by must be iteration; found 'topic'", ""),
        ("meta satisfaction", {"scores": ["t"], "qrels": "q"}, r"sessions \(sessions, qrels\) or", "--sessions"),
    ],
)
def test_what_cannot_be_bound_is_refused_in_the_words_of_the_front_end(
    command: str, values: dict[str, Any], keyword: str, option: str
) -> None:
    with pytest.raises(InputError, match=keyword) as refused:
        ask(command, values)
    with spelled_as("option"):
        assert option in str(refused.value) or not option


def test_a_refusal_names_its_argument() -> None:
    with pytest.raises(InputError) as refused:
        ask("meta consistency", {"split": 5})
    assert refused.value.record() == {
        "message": "meta consistency takes no split; did you mean splits?",
        "argument": "split",
        "value": 5,
        "code": "no-argument",
    }
    with pytest.raises(InputError) as refused:
        ask("meta consistency", {"splits": 0})
    assert (refused.value.argument, refused.value.value) == ("splits", 0)


NO_FILES = ["no.qrels", "no.run", "no2.run"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table", "--label", "a}b"], "--label must be text such as tab:main; found 'a}b'."),
        (["topics", "-m", "AP", "--topic", "1", "--texts"], "--texts needs judgements from ir_datasets"),
        (["plan", "-m", "AP", "--difference", "3"], "No two systems can differ by 3 in AP"),
        (["meta", "similarity", "-m", "AP"], "Similarity needs at least two metrics; found only AP."),
        (["meta", "alternatives", "-m", "AP", "--reference", "AP"], "AP is the only metric"),
        (["meta", "unanimity", "-m", "AP", "--simple", "AP"], "Found 0 metrics besides the simple ones; at least 1 is"),
        (["meta", "fragility", "-m", "AP_IA"], "Fragility changes the grades of whole documents"),
        (["report", "-m", "AP", "--main", "RR"], "The scores have no metric RR; they have AP."),
    ],
)
def test_a_command_line_is_refused_before_files_are_read(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["irassay", *words, *NO_FILES])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and message in capsys.readouterr().err


def test_a_sweep_is_refused_before_sessions_are_read() -> None:
    for metric, sweep, message in (
        ("AP", "p=0.5,0.8", "AP has no parameter 'p'"),
        ("RBP", "p=0.5", "at least two values"),
    ):
        with pytest.raises(InputError, match=message):
            check_values("meta fitting", {"sessions": "none", "metrics": (metric,), "sweep": (sweep,)})


def test_metrics_are_known_by_name_at_another_level_of_relevance() -> None:
    values = {"inputs": [QRELS, RUNS], "metrics": METRICS, "rel": 2, "judged_only": True}
    result = ask("meta unanimity", {**values, "simple": ["P@10"], "trials": 20})
    assert result.metrics == ("AP(rel=2,judged_only=True)", "nDCG(judged_only=True)@10")
    check_values("meta alternatives", {**values, "reference": "AP"})


def test_a_first_look_finds_what_few_files_tell() -> None:
    values = {"inputs": [QRELS, *TWO[1:]], "metrics": ["AP"]}
    check_values("compare", values, looks=True)
    for more, message in (
        ({"lengths": TWO[1]}, "found the words 'Q0'"),
        ({"baseline": "nobody"}, "There is no system 'nobody'"),
        ({"metrics": ["alpha_nDCG@10"]}, "these are ad hoc judgements"),
        ({"max_grade": 0.5}, "above the top of the scale"),
        ({"run_format": "json"}, "is not valid JSON"),
    ):
        with pytest.raises(InputError, match=message):
            check_values("compare", values | more, looks=True)
    with pytest.raises(InputError, match="there is no such topic"):
        check_values("topics", values | {"topic": "none"}, looks=True)
