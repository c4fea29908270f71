"""Commands follow from declarations: `main()` prints what the Python call of the same name returns."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.cli import main
from irassay.cli.arguments import placed_arguments
from irassay.cli.parser import parsed_values
from irassay.declarations import index
from irassay.errors import InputError
from irassay.inputs import input_reader, judged_runs_from, rated_from, runs_or_scores_from, scores_from
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.method import METHODS, Method
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.runs_or_scores import RunsOrScores
from tests.support import keywords

COMMANDS: Mapping[str, Any] = index()["commands"]
OF_NUMBERS = ["AP", "nDCG@10", "P@5"]
LOG = str(Path(__file__).parents[1] / "golden" / "inputs" / "log.tsv")
METRICS = [word for metric in OF_NUMBERS for word in ("-m", metric)]


ENDLESS = ("lab",)  # runs until it is interrupted; tests/lab starts it


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated collection, choices between its systems, and a score table."""
    folder = tmp_path_factory.mktemp("collection")
    collection = ia.simulate(seed=2, topics=8, systems=5)
    collection.write(folder)
    (folder / "model.txt").write_text((folder / "qrels.txt").read_text())
    rng = np.random.default_rng(4)
    names = [run.name for run in collection.runs]
    lines = []
    for topic in collection.qrels.topics:
        for _ in range(6):
            left, right = rng.choice(names, 2, replace=False)
            lines.append(f"{topic}\t{left}\t{right}\t{'left' if rng.random() < 0.6 else 'right'}\n")
    (folder / "choices.tsv").write_text("topic\tleft\tright\tchoice\n" + "".join(lines))
    with (folder / "table.tsv").open("w") as file:
        ia.write_scores(ia.score(folder / "runs", folder / "qrels.txt", OF_NUMBERS), "irassay", file)
    return folder


def settings_for(method: Method[..., Any], folder: Path) -> dict[str, Any]:
    """The settings for this command: those of the examples that it takes, and the files that it needs."""
    files = {"choices": folder / "choices.tsv", "groups": folder / "groups.tsv", "output": folder / "tour"}
    examples = keywords.COMMANDS | files | keywords.OTHERWISE.get(method.path, {})
    names = {a["name"] for a in COMMANDS[method.path]["arguments"] if a["part"] == "setting"}
    names -= {"also"} if method.path in ("compare", "plan") else set()  # there it is a file, of further topics
    return {name: value for name, value in examples.items() if name in names}


def settings_as_words(entry: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Settings as words of a command line, by their entries in the index."""
    arguments = {argument["name"]: argument for argument in entry["arguments"] if argument["part"] == "setting"}
    words: list[str] = []
    for name, value in values.items():
        argument = arguments[name]
        flag, kind = argument["flags"][0], argument["kind"]
        if kind in ("flag", "switch"):
            words += [flag if value else f"--no-{flag.removeprefix('--')}"]
        elif kind in ("numbers", "wholes"):
            words += [flag, ",".join(map(str, value))]
        else:
            words += [word for one in (value if argument.get("repeats") else (value,)) for word in (flag, str(one))]
    return words


def inputs_of(method: Method[..., Any], folder: Path) -> tuple[list[str], Callable[[], dict[str, Any]]]:
    """The inputs of the command: as words, and as the Python call takes them."""
    qrels, runs = str(folder / "qrels.txt"), str(folder / "runs")
    one = min((folder / "runs").iterdir())
    several = [
        str(file) for file in sorted((folder / "runs").iterdir())[: keywords.RUNS_TAKEN.get(method.path, 0)]
    ] or [runs]
    sessions = ["--sessions", str(folder / "sessions.tsv"), "--qrels", str(folder / "session_qrels.txt")]
    sessions += ["--ratings", str(folder / "ratings.tsv")]
    by_reader: dict[Callable[..., Any], tuple[list[str], Callable[[], Any]]] = {
        scores_from: ([qrels, runs, *METRICS], lambda: ia.score(runs, qrels, OF_NUMBERS)),
        judged_runs_from: ([qrels, *several, *METRICS], lambda: JudgedRuns.of(several, qrels, OF_NUMBERS)),
        runs_or_scores_from: ([qrels, runs, *METRICS], lambda: RunsOrScores.of(runs, qrels, OF_NUMBERS)),
        rated_from: (
            [*sessions, "-m", "RBP", "-m", "RBP(A='MAX')", "--scale", "1,5"],
            lambda: RatedUnits.from_sessions(
                folder / "sessions.tsv",
                ["RBP", "RBP(A='MAX')"],
                qrels=folder / "session_qrels.txt",
                ratings=folder / "ratings.tsv",
                scale=(1, 5),
            ),
        ),
    }
    by_name: dict[str, tuple[list[str], Any]] = {
        "qrels": ([qrels], qrels),
        "runs": ([runs], runs),
        "run": ([str(one)], str(one)),
        "metrics": (METRICS, OF_NUMBERS),
        "human": ([qrels], qrels),
        "others": ([str(folder / "model.txt")], (str(folder / "model.txt"),)),
        "metric": (["RBP(p=0.5)"], "RBP(p=0.5)"),
        "ranking": (["1,0,2"], "1,0,2"),
        "pattern": (["DCG"], "DCG"),
        "names": (["RBP", "similarity"], ("RBP", "similarity")),
        "paths": ([qrels, runs], (qrels, runs)),
        "tables": ([str(folder / "table.tsv")], (str(folder / "table.tsv"),)),
        **{name: ([str(folder / "table.tsv")], str(folder / "table.tsv")) for name in ("first", "second")},
        "paper": (["albahem2018"], "albahem2018"),
        "shell": (["bash"], "bash"),
        "log": ([LOG], LOG),
    }
    words: list[str] = []
    inputs: dict[str, Callable[[], Any]] = {}
    places = {argument.name: argument.place for argument in placed_arguments(method.function)}
    for name in sorted(method.inputs, key=lambda name: places.get(name, 0)):
        reader, _ = input_reader(method.inputs[name])
        if reader is not None:
            more, make = by_reader[reader]
        elif name in places:
            more, value = by_name[name]
            make = lambda value=value: value  # noqa: E731
        else:
            continue
        words += more
        inputs[name] = make
    return words, lambda: {name: make() for name, make in inputs.items()}


def run_main(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, str, str]:
    """The exit status, standard output and standard error of a command line."""
    monkeypatch.setattr(sys, "argv", ["irassay", *map(str, words)])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main()
    out = capsys.readouterr()
    return int(end.value.code or 0), out.out, out.err


def method_of(command: str) -> Method[..., Any]:
    import_module(COMMANDS[command]["where"].partition(":")[0])
    return METHODS[command]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in ENDLESS])
def test_the_command_line_says_what_python_says(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    method, entry = method_of(command), COMMANDS[command]
    settings = settings_for(method, folder)
    words, about = inputs_of(method, folder)
    formats = any(argument["name"] == "format" for argument in entry["arguments"])
    saves = any(argument["name"] == "save" for argument in entry["arguments"])
    line = [*command.split(), *words, *settings_as_words(entry, settings), *(["--format", "json"] if formats else [])]
    line += ["--save", "kept.json"] if saves else []
    status, out, err = run_main(monkeypatch, capsys, *line)
    assert status in (0, 1), err
    found = method(**about(), **settings)
    if isinstance(found, str):
        assert out == found and status == 0
        return
    printed, _ = json.JSONDecoder().raw_decode(out)
    expected = json.loads(found.to_json())
    assert printed["parameters"] == expected["parameters"]
    assert printed == expected and status == found.status
    if saves:
        assert json.loads(ia.load("kept.json").to_json())["results"] == expected["results"]
    assert {setting.key for setting in method.settings if settings.get(setting.name)} <= printed["parameters"].keys()


def value_for(argument: Mapping[str, Any]) -> tuple[list[str], Any]:
    """A value that an option takes: as words, and as it is read."""
    kind = argument["kind"]
    if kind in ("flag", "switch"):
        return [], True
    if kind in ("numbers", "wholes"):
        return ["1,2"], (1, 2)
    if kind in ("whole", "number"):
        number = max(1, int(argument.get("low") or 1)) if argument.get("high") is None else argument["high"]
        number = number / 2 if argument.get("open") else number  # the ends themselves are not allowed
        return [str(number)], number
    word = argument["choices"][0] if kind == "choice" else "-x y"  # a value may begin with a dash
    return [word], (word,) if argument.get("repeats") else word


def required_words(entry: Mapping[str, Any]) -> list[str]:
    needed = [argument for argument in entry["arguments"] if argument.get("required") and not argument.get("flags")]
    return [argument["choices"][0] if argument.get("choices") else "file" for argument in needed]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_the_index_is_accepted(command: str) -> None:
    entry = COMMANDS[command]
    for argument in entry["arguments"]:
        for flag in argument.get("flags", ()):
            words, value = value_for(argument)
            value = not flag.startswith("--no-") if argument["kind"] == "switch" else value
            spellings = [[flag, *words]] if not words or len(flag) == 2 else [[flag, *words], [f"{flag}={words[0]}"]]
            for spelling in spellings:
                read = parsed_values(command, entry, [*required_words(entry), *spelling])
                assert read[argument["part"]][argument["name"]] == value, spelling


def test_several_runs_may_follow_an_option() -> None:
    words = ["human", "model", "--runs", "a", "b", "-m", "AP", "other"]
    read = parsed_values("judges", COMMANDS["judges"], words)
    assert read["setting"]["runs"] == ("a", "b") and read["setting"]["metrics"] == ("AP",)
    assert read["input"] == {"human": "human", "others": ("model", "other")}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_does_not_take_is_refused_in_one_sentence(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = {flag for argument in COMMANDS[command]["arguments"] for flag in argument.get("flags", ())}
    everywhere = {
        flag: argument
        for entry in COMMANDS.values()
        for argument in entry["arguments"]
        for flag in argument.get("flags", ())
    }
    odd = next(flag for flag in everywhere if flag not in taken and (command, flag) != ("compare", "--plan"))
    for words in (["--nonsense"], ["--nonsense=1"], [odd, *value_for(everywhere[odd])[0]]):
        status, out, err = run_main(monkeypatch, capsys, *command.split(), *required_words(COMMANDS[command]), *words)
        assert status == 2 and out == "" and len(err.splitlines()) == 1, err
        assert f"irassay {command} has no option {words[0].split('=')[0]}; " in err


def test_a_setting_that_the_method_has_no_use_for_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [folder / "qrels.txt", folder / "runs", *METRICS]
    status, out, err = run_main(monkeypatch, capsys, "meta", "similarity", *inputs, "--trials", "5")
    assert (status, out, len(err.splitlines())) == (2, "", 1) and "has no option --trials" in err
    status, out, err = run_main(monkeypatch, capsys, "meta", "discrimination", *inputs, "--test", "t", "--trials", "5")
    assert (status, out, len(err.splitlines())) == (2, "", 1) and "trials" in err


def test_options_and_files_may_be_interleaved(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())[:3]
    ordered = ["score", qrels, *runs, "-m", "AP", "-m", "RR", "--missing", "skip", "--format", "json"]
    mixed = ["score", "-m", "AP", qrels, "--missing=skip", runs[0], "-mRR", *runs[1:], "--format", "json"]
    one, other = (run_main(monkeypatch, capsys, *words) for words in (ordered, mixed))
    assert one == other and one[0] == 0
    mixed = ["meta", "similarity", "--alpha", "0.1", qrels, *runs, "-m", "AP", folder / "runs", "-m", "RR"]
    assert run_main(monkeypatch, capsys, *mixed)[0] == 0


def test_values_may_begin_with_a_dash(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, run in zip(("-first", "second"), sorted((folder / "runs").iterdir()), strict=False):
        (tmp_path / f"{name}.txt").write_text(run.read_text().replace(run.stem, name))
    words = ["compare", folder / "qrels.txt", tmp_path, "-m", "AP", "--baseline", "-first", "--format", "json"]
    status, out, _ = run_main(monkeypatch, capsys, *words)
    assert status == 0 and json.loads(out)["parameters"]["baseline"] == "-first"
    status, _, err = run_main(monkeypatch, capsys, "plan", *words[1:5], "--difference", "-0.5")
    assert status == 2 and "--difference must be a number of 0 or more; found -0.5" in err


METRIC_FILE = '''
import irassay as ia

@ia.metric("Half", cite="me2026")
def Half(r):
    """Half of the gain in the first five ranks."""
    return r.gain[:, :5].sum(axis=1) / 2
'''
METHOD_FILE = '''
from dataclasses import dataclass
from typing import Annotated, ClassVar

import irassay as ia
from irassay import Scores


@dataclass(frozen=True, eq=False, repr=False)
class Spread(ia.Result):
    """How far apart the systems are."""

    saved_as: ClassVar[str] = "my-spread"

    metrics: tuple[str, ...]
    spread: tuple[float, ...]

    def to_frame(self):
        import polars as pl

        return pl.DataFrame({"metric": self.metrics, "spread": self.spread})


@ia.method("How far apart are the systems?")
def spread(scores: Scores, *, top: Annotated[int, ia.Option("How many of the best to look at.", least=2)] = 99) -> Spread:
    """How far the best system is from the last of the best few, by every metric."""
    means = -scores.means()
    means.sort(axis=0)
    return Spread(scores.metrics, tuple(float(x) for x in means[min(top, len(means)) - 1] - means[0]))
'''


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    """A metric and a method of a user's own, in two files, as options."""
    (tmp_path / "metric.py").write_text(METRIC_FILE)
    (tmp_path / "method.py").write_text(METHOD_FILE)
    return ["--define", str(tmp_path / "metric.py"), "--define", str(tmp_path / "method.py")]


def run_separately(words: Sequence[object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "irassay", *map(str, words)], capture_output=True, text=True, check=False
    )


def test_a_users_own_method_is_a_command_and_prints_its_table(folder: Path, own: list[str], tmp_path: Path) -> None:
    inputs = [folder / "qrels.txt", folder / "runs", "-m", "Half", "-m", "AP"]
    done = run_separately(["meta", "spread", *inputs, "--top", "3", *own])
    assert done.returncode == 0, done.stderr
    shown = {words[0]: words[1] for words in map(str.split, done.stdout.splitlines()) if len(words) == 2}
    means = np.sort(ia.score(folder / "runs", folder / "qrels.txt", ["AP"]).means()[:, 0])[::-1]
    assert shown["metric"] == "spread" and shown["AP"] == f"{means[0] - means[2]:.4f}" and "Half" in shown
    written = tmp_path / "kept.json"
    done = run_separately(["meta", "spread", *own, *inputs, "--format", "json", "--save", written])
    document = json.loads(done.stdout)
    assert document["parameters"]["top"] == 99 and document["parameters"]["metrics"] == ["Half", "AP"]
    assert [row["metric"] for row in document["results"]] == ["Half", "AP"]
    assert json.loads(written.read_text())["saved"]["result"] == "my-spread"


def test_a_users_own_method_has_help_and_refuses_what_it_does_not_take(own: list[str]) -> None:
    text = run_separately(["meta", "spread", *own, "--help"]).stdout
    assert "How many of the best to look at. [99]" in " ".join(text.split()) and "--scores" in text
    assert "How far apart are the systems?" in run_separately(["meta", "--help", *own]).stdout
    for words, message in (
        (["--top", "1"], "--top must be a whole number of 2 or more; found 1."),
        (["--tip", "1"], "irassay meta spread has no option --tip; did you mean --top?"),
    ):
        done = run_separately(["meta", "spread", *own, *words])
        assert done.returncode == 2 and done.stdout == "" and done.stderr == f"irassay: {message}\n"
    unknown = run_separately(["meta", "spread"])
    assert unknown.returncode == 2 and "There is no command meta spread" in unknown.stderr


def test_python_has_the_same_method(folder: Path, own: list[str], forgotten: None) -> None:
    for file in own[1::2]:
        ia.define(file)
    found = METHODS["meta spread"](ia.score(folder / "runs", folder / "qrels.txt", ["Half", "AP"]), top=2)
    assert found.settings.top == 2 and found.to_frame().columns == ["metric", "spread"]
    with pytest.raises(InputError, match="spread takes no tip; did you mean top"):
        METHODS["meta spread"](ia.score(folder / "runs", folder / "qrels.txt", ["AP"]), tip=2)


def test_a_further_spelling_of_an_option_may_be_one_string_and_begins_with_a_dash() -> None:
    assert ia.Option("Words.", also="--words").also == ("--words",)
    with pytest.raises(InputError, match="An option must begin with a dash, such as --foo; found 'foo'"):
        ia.Option("Words.", also="foo")  # type: ignore[arg-type]
