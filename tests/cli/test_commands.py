"""The command line as a user meets it: output, formats, exit status, and messages about bad input."""

import csv
import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.cli import main
from irassay.cli.output import emit
from tests.support.processes import python_output


def irassay(*arguments: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The output and status of a command; run in a separate process only if it reads standard input."""
    words = ["irassay", *map(str, arguments)]
    if stdin is not None:
        command = [sys.executable, "-m", *words]
        return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(words, int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def adhoc(oracles: Path) -> Path:
    return oracles / "inputs" / "adhoc"


def test_help_and_version_come_without_the_heavy_libraries() -> None:
    code = (
        "import sys; sys.argv = ['irassay', '--help']\n"
        "from irassay.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'polars', 'scipy', 'altair', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    python_output(code)
    assert irassay("--version").stdout.startswith("irassay 0.")


def test_the_catalogue_is_listed_without_polars_or_scipy() -> None:
    code = (
        "import sys; sys.argv = ['irassay', 'metrics', '--format', 'tsv']\n"
        "from irassay.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'polars', 'scipy', 'altair', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    names = [row.split("\t")[0].removesuffix("@k") for row in python_output(code).splitlines()[1:]]
    assert set(names) == set(ia.catalogue())


def test_scores_for_machines_are_one_row_a_value(adhoc: Path) -> None:
    done = irassay(
        "score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "map", "-m", "P_5", "--by-topic", "--format", "tsv"
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
    assert done.returncode == 0
    assert set(rows[0]) == {"run", "metric", "topic", "value"}
    assert {row["metric"] for row in rows} == {"AP", "P@5"}
    scores = ia.score(str(adhoc / "runA.txt"), str(adhoc / "qrels.txt"), ["AP"])
    mean = next(float(row["value"]) for row in rows if (row["metric"], row["topic"]) == ("AP", "all"))
    assert mean == scores.means()[0, 0]


def test_json_says_where_the_numbers_come_from(adhoc: Path) -> None:
    done = irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "map", "--format", "json")
    document = json.loads(done.stdout)
    assert document["irassay"]
    assert [len(entry["sha256"]) for entry in document["inputs"]] == [64, 64]
    assert document["parameters"]["asked"] == ["map"]
    assert document["results"][0]["metric"] == "AP"
    assert any("not judged" in note for note in document["notes"])


def test_trec_eval_output_can_be_read_back(adhoc: Path, tmp_path: Path) -> None:
    table = tmp_path / "runA.eval"
    table.write_text(
        irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "--by-topic", "--format", "trec_eval").stdout
    )
    done = irassay("convert", table, "--to", "tot")
    assert done.returncode == 0
    assert any(line.split()[1:3] == ["map", "1"] for line in done.stdout.splitlines())


def test_bounds_have_rows_of_their_own(adhoc: Path) -> None:
    done = irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "RBP", "--bounds", "--format", "tsv")
    values = {line.split("\t")[1]: float(line.split("\t")[3]) for line in done.stdout.splitlines()[1:]}
    assert values["RBP[worst]"] == values["RBP"] < values["RBP[best]"]


def test_a_run_may_come_from_standard_input(adhoc: Path) -> None:
    run = (adhoc / "runA.txt").read_text()
    piped = irassay("score", adhoc / "qrels.txt", "-", "-m", "AP", "--format", "tsv", stdin=run)
    named = irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "AP", "--format", "tsv")
    assert piped.stdout == named.stdout


def test_notes_go_to_standard_error_and_can_be_silenced(adhoc: Path) -> None:
    loud = irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "AP")
    assert "note:" in loud.stderr
    assert "note:" not in loud.stdout
    assert "note:" not in irassay("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "AP", "--quiet").stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["score", "{qrels}", "{run}", "-m", "nDGC@10"], "did you mean nDCG"),
        (["score", "{qrels}", "nothing.txt"], "There is no file nothing.txt"),
        (["score", "{run}", "{qrels}", "{qrels}"], "looks like a run"),
        (["score", "{qrels}", "{qrels}"], "is given both as judgements and as a run"),
        (["score", "{qrels}", "{run}", "-m", "CT@5"], "needs a session or Dynamic Domain run"),
        (["score", "{qrels}", "{run}", "-m", "TBG"], "--lengths"),
        (["score", "{qrels}", "{run}", "-m", "RBP(effort='time')"], "grades 0 to 2"),
        (["score", "{qrels}", "{run}", "-m", "AP", "--max-grade", "1"], "grade 3"),
        (["score", "{qrels}", "{run}", "-m", "INST(T='@T')"], "--topic-params"),
        (["compare", "{qrels}", "{run}"], "at least two systems"),
        (["meta", "similarity", "{qrels}", "{run}"], "Name metrics with --metric"),
        (["meta", "similarity"], "Give judgements and at least one run"),
        (["explain", "RBP(p=2)"], "above 0 and below 1"),
        (["explain", "RBP", "1,b"], "mixes grades and aspects"),
    ],
    ids=lambda value: " ".join(value[:2]) + " " + value[-1] if isinstance(value, list) else "",
)
def test_bad_input_is_one_sentence_and_status_2(adhoc: Path, arguments: list[str], words: str) -> None:
    places = {"qrels": str(adhoc / "qrels.txt"), "run": str(adhoc / "runA.txt")}
    done = irassay(*[argument.format(**places) for argument in arguments])
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_validate_lists_what_is_wrong_and_says_no(adhoc: Path, tmp_path: Path) -> None:
    assert irassay("validate", adhoc / "qrels.txt").returncode == 0
    broken = tmp_path / "broken.txt"
    broken.write_text("1 Q0 a 1 high tag\n1 Q0 b 2 1.0 tag\n1 Q0 b 3 0.5 tag\n1 Q0 c\n")
    done = irassay("validate", broken, "--format", "tsv")
    assert done.returncode == 1
    assert [row.split("\t")[1] for row in done.stdout.splitlines()[1:4]] == ["1", "3", "4"]


def test_parameters_may_differ_by_topic(adhoc: Path, tmp_path: Path) -> None:
    params = tmp_path / "T.tsv"
    topics = ia.read_qrels(adhoc / "qrels.txt").topics
    params.write_text("topic\tT\n" + "".join(f"{topic}\t{1 + i}\n" for i, topic in enumerate(topics)))
    mixed = ia.score(str(adhoc / "runA.txt"), str(adhoc / "qrels.txt"), ["INST(T='@T')"], topic_params=params)
    for i in range(len(topics)):
        alone = ia.score(str(adhoc / "runA.txt"), str(adhoc / "qrels.txt"), [f"INST(T={1 + i})"])
        assert mixed.values[0, i, 0] == pytest.approx(alone.values[0, i, 0], abs=1e-12)


def test_a_comparison_names_the_leader_and_the_groups(shared: Path) -> None:
    table = shared / "data" / "trec-8" / "adhoc8_ap.csv"
    done = irassay("compare", "--scores", table, "--trials", "2000", "--methods", "--format", "json")
    document = json.loads(done.stdout)
    assert len(document["results"]["pairs"]) == 8256
    assert document["results"]["systems"][0]["system"] == "run95"
    assert document["methods"].startswith("We compared all 8,256 pairs of 129 systems by mean")


def test_any_result_can_be_a_page_of_its_own() -> None:
    done = irassay("axioms", "-m", "AP_IA", "--depth", "4", "--format", "html")
    assert done.returncode == 0
    assert done.stdout.lstrip().startswith("<!doctype html>")
    assert "breaks redundancy" in done.stdout
    assert 'src="http' not in done.stdout


def test_a_test_says_where_it_fails_in_its_help_and_with_its_result(adhoc: Path) -> None:
    assert re.search(r"normal +5 / +5 / +5 ", irassay("compare", "--help").stdout)
    done = irassay(
        "compare", adhoc / "qrels.txt", adhoc / "runA.txt", adhoc / "runC.txt", "-m", "AP", "--format", "json"
    )
    notes = json.loads(done.stdout)["notes"]
    assert any("skewness of the differences" in note for note in notes)
    assert any(note.startswith("max-t-stepdown of one pair is the paired permutation test: ") for note in notes)


def test_every_json_names_the_versions() -> None:
    for command in (["explain", "RBP", "1,0"], ["metrics", "RBP"], ["axioms", "-m", "RR", "--depth", "3"]):
        document = json.loads(irassay(*command, "--format", "json").stdout)
        assert document["irassay"] and document["versions"]["numpy"], command


@pytest.mark.parametrize(("form", "kept"), [("table", 0), ("markdown", 0), ("html", 0), ("latex", 0), ("json", 1)])
def test_quiet_leaves_out_notes_in_every_form_but_json(adhoc: Path, form: str, kept: int) -> None:
    words = ["compare", adhoc / "qrels.txt", adhoc / "runA.txt", adhoc / "runC.txt", "-m", "AP", "--format", form]
    loud, quiet = (irassay(*words, *more) for more in (["--notes"], ["--notes", "-q"]))  # quiet wins
    assert "skewness of the differences" in loud.stdout + loud.stderr
    assert (quiet.stdout + quiet.stderr).count("skewness of the differences") == kept


def test_the_answer_and_its_tables_are_standard_output_and_notes_are_standard_error(adhoc: Path) -> None:
    words = ["compare", adhoc / "qrels.txt", *(adhoc / f"run{name}.txt" for name in "ABC"), "-m", "AP"]
    done, with_notes = irassay(*words), irassay(*words, "--notes")
    assert done.stdout.startswith("AP: ") and "Pairs" in done.stdout and "note" not in done.stdout
    assert "1 judged topic each without results counted as 0" in done.stderr
    assert "about the input and" in done.stderr and "; --notes shows them" in done.stderr
    assert with_notes.stdout == done.stdout and "the judging scale" in with_notes.stderr
    assert "the judging scale" not in done.stderr and "--notes" not in with_notes.stderr
    assert irassay(*words, "--notes", "--quiet").stderr == ""


def test_tables_are_sorted_by_any_column_in_every_format(adhoc: Path) -> None:
    words = ["compare", adhoc / "qrels.txt", *(adhoc / f"run{name}.txt" for name in "ABC"), "-m", "AP", "-q"]

    def cells(column: str, *more: str) -> list[str]:
        rows = csv.DictReader(io.StringIO(irassay(*words, "--format", "csv", *more).stdout))
        return [row[column] for row in rows]

    differences = cells("difference", "--sort", "difference")
    assert differences == sorted(differences, key=float, reverse=True)
    assert cells("difference", "--sort=-difference") == differences[::-1]
    p = cells("p", "--sort", "P")
    assert p == sorted(p, key=float)
    assert cells("other", "--sort", "other") == sorted(cells("other"))
    done = irassay(*words, "--sort", "diference")
    assert done.returncode == 2 and "did you mean difference?" in done.stderr
    score = ["score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "AP", "--sort", "AP"]
    assert irassay(*score).returncode == 0
    assert "Leave out --sort" in irassay(*score, "--format", "trec_eval").stderr


@pytest.mark.parametrize(
    ("option", "target", "message"),
    [
        ("--save", ".", "--save .: it is a folder; give a file."),
        ("--save", "none/x.json", "--save none/x.json: there is no folder none; create it first."),
        ("--output", ".", "--output .: it is a folder; give a file."),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(
    option: str, target: str, message: str
) -> None:
    done = irassay("report", "no-qrels", "no-runs", option, target)
    assert done.returncode == 2 and done.stderr == f"irassay: {message}\n"


@pytest.mark.parametrize("pattern", ["*.run", "?.run", "[ab].run", "**/b.run"])
def test_a_run_given_by_a_pattern_is_not_written_over(tmp_path: Path, pattern: str) -> None:
    """A quoted pattern reaches the command as it is, and matches the run that an option would replace."""
    (tmp_path / "qrels").write_text("1 0 x 1\n1 0 y 0\n")
    lines = "1 Q0 x 1 2 t\n1 Q0 y 2 1 t\n"
    for name in "ab":
        (tmp_path / f"{name}.run").write_text(lines)
    words = ("score", tmp_path / "qrels", tmp_path / pattern, "-m", "AP", "--save")
    done = irassay(*words, tmp_path / "b.run")
    assert done.returncode == 2 and done.stdout == ""
    assert f"{tmp_path / 'b.run'} would be overwritten" in done.stderr
    assert (tmp_path / "b.run").read_text() == lines
    assert irassay(*words, tmp_path / "new.json").returncode == 0 and (tmp_path / "new.json").is_file()


@pytest.mark.parametrize("pattern", ["*.tsv", "web=*.tsv"])
def test_a_score_table_given_by_a_pattern_is_not_written_over(
    tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{system}\tAP\t{topic}\t0.{topic}\n" for system in "ab" for topic in range(1, 5))
    table = Path("scores.tsv")
    table.write_text(f"run\tmetric\ttopic\tvalue\n{rows}")
    done = irassay("topics", "--scores", pattern, "-m", "AP", "--save", table)
    assert done.returncode == 2 and "scores.tsv would be overwritten" in done.stderr
    assert table.read_text().endswith(rows)


def test_a_file_in_a_folder_of_runs_is_not_written_over_and_a_new_one_may_be_beside_them(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 x 1\n1 0 y 0\n")
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in "ab":
        (folder / name).write_text("1 Q0 x 1 2 t\n1 Q0 y 2 1 t\n")
    words = ("score", tmp_path / "qrels", folder, "-m", "AP", "--save")
    done = irassay(*words, folder / "b")
    assert done.returncode == 2 and "would be overwritten" in done.stderr
    assert (folder / "b").read_text().startswith("1 Q0 x")
    assert irassay(*words, folder / "new.json").returncode == 0 and (folder / "new.json").is_file()


def test_names_that_a_spreadsheet_would_run_are_marked_on_request_only(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    rows = [
        (run, topic, value)
        for run, values in (("=cmd", (0.5, 0.2)), ("@b", (-0.5, 0.7)))
        for topic, value in enumerate(values)
    ]
    table.write_text("run\tmetric\ttopic\tvalue\n" + "".join(f"{run}\tAP\t{t}\t{v}\n" for run, t, v in rows))
    plain = irassay("compare", "--scores", table, "--test", "t", "--format", "csv")
    safe = irassay("compare", "--scores", table, "--test", "t", "--format", "csv", "--safe-csv")
    assert "AP,=cmd,@b,0.25" in plain.stdout and "AP,'=cmd,'@b,0.25" in safe.stdout
    assert safe.stdout.replace("'", "") == plain.stdout
    refused = irassay("compare", "--scores", table, "--safe-csv")
    assert refused.returncode == 2 and "--safe-csv is for CSV and TSV" in refused.stderr


def test_the_format_of_a_table_may_be_given_if_it_is_that_of_the_file(adhoc: Path, tmp_path: Path) -> None:
    told = ("score", adhoc / "qrels.txt", adhoc / "runA.txt", "-m", "AP")
    plain = irassay(*told, "--format", "tsv")
    assert irassay(*told, "--format", "tsv", "-o", tmp_path / "s.tsv").returncode == 0
    assert (tmp_path / "s.tsv").read_text() == plain.stdout
    other = irassay(*told, "--format", "json", "-o", tmp_path / "s.tsv")
    assert other.returncode == 2 and "--format json does not fit --output" in other.stderr


def test_metrics_of_axioms_may_be_separated_by_commas() -> None:
    done = irassay("axioms", "-m", "AP,nDCG@10", "--depth", "4", "--format", "tsv")
    assert done.returncode == 0 and "AP\t" in done.stdout and "nDCG@10\t" in done.stdout


def test_the_answer_of_a_report_is_on_standard_output_before_its_path(adhoc: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    few = ("--trials", "50", "--splits", "5")
    runs = adhoc.glob("run?.txt")
    shown = irassay("report", adhoc / "qrels.txt", *runs, "-m", "AP,RR", "-o", page, *few, "--quiet")
    assert shown.returncode == 0 and not shown.stderr
    answer, *_, path = shown.stdout.splitlines()
    assert answer.endswith(".") and path == str(page) and page.is_file()


def test_a_report_is_not_written_if_no_table_has_the_column_to_sort_by(adhoc: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("report", adhoc / "qrels.txt", *adhoc.glob("run?.txt"), "-m", "AP,RR", "-o", page, "--trials", "50")
    for form in ([], ["--format", "json"]):
        done = irassay(*words, *form, "--sort", "estimat")
        assert done.returncode == 2 and "did you mean estimate?" in done.stderr and not page.exists()
    done = irassay(*words, "--sort", "estimate")
    assert done.returncode == 0 and page.is_file()


def test_a_report_warns_on_the_terminal_if_skewed_scores_mislead_its_test(tmp_path: Path) -> None:
    draws = np.random.default_rng(0).exponential(size=(6, 30))
    rows = [f"s{s} x {t} {scale * draws[s, t]}" for s, scale in enumerate((1, 2, 3, 5, 7, 9)) for t in range(30)]
    (tmp_path / "scores.txt").write_text("\n".join(["run metric topic value", *rows]).replace(" ", "\t") + "\n")
    done = irassay("report", "--scores", tmp_path / "scores.txt", "-o", tmp_path / "page.html")
    assert done.stderr.startswith("note: step-down max-T may err too often here: scores by x seem skewed")
    assert "--test bootstrap-max-t allows for that" in done.stderr


def test_commands_always_say_what_nothing_independent_confirms() -> None:
    for words in (["metrics", "Terminal"], ["explain", "Terminal"], ["metrics", "--notes"]):
        assert "no independent source confirms Terminal: its definition" in irassay(*words).stderr


@pytest.mark.parametrize("text", ["one line", "one line\n"])
def test_text_ends_with_one_line_break(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert emit(text, {}, {}) == 0
    assert capsys.readouterr().out == "one line\n"
