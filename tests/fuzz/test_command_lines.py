"""Command lines and files that a second audit found wanting: what each comes to."""

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import irassay as ia
from irassay.cli.parser import parsed_values
from irassay.declarations import index
from irassay.errors import InputError

ROOT = Path(__file__).parents[2]
RUN = "".join(f"{t} Q0 d{d} {d} {9 - d} tag\n" for t in (1, 2) for d in range(1, 5))
QRELS = "".join(f"{t} 0 d{d} {d % 2}\n" for t in (1, 2) for d in range(1, 5))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    return tmp_path


def irassay(folder: Path, *words: str, **more: object) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PYTHONPATH": str(ROOT)} | dict(more.pop("env", {}))  # type: ignore[call-overload]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "timeout": 60}
    command = [sys.executable, "-m", "irassay", *words]
    return subprocess.run(command, cwd=folder, env=env, **(streams | more))  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compare q r --alpha 0.05 --alpha=0.01", "--alpha is given twice, '0.05' and '0.01'; give it once"),
        ("compare q r --save x --save x", "--save is given twice, 'x' and 'x'"),
        ("score q r --depth 3 -- --depth", None),
        ("score q r -m AP -m P@5 --by-topic --by-topic", None),
        ("axioms -m AP --induction --no-induction", "--induction is given twice, '--induction' and '--no-induction'"),
        ("axioms -m AP --induction --induction", None),
    ],
)
def test_an_option_with_one_value_is_given_once(words: str, message: str | None) -> None:
    command, *rest = words.split()
    if message is None:
        parsed_values(command, index()["commands"][command], rest)
        return
    with pytest.raises(InputError, match=message):
        parsed_values(command, index()["commands"][command], rest)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_a_device_without_an_end_is_refused(files: Path, device: str) -> None:
    done = irassay(files, "score", "q", device)
    assert done.returncode == 2 and f"{device} is a device without an end" in done.stderr
    with open(device, "rb") as stream:
        done = irassay(files, "compare", "q", "-", stdin=stream)
    assert done.returncode == 2 and "standard input is a device without an end" in done.stderr


def test_the_null_device_is_an_empty_file(files: Path) -> None:
    with pytest.raises(InputError, match="/dev/null has no lines"):
        ia.read_run("/dev/null")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (random.Random(1).randbytes(3000), "binary data"),
        (b"\0" * 3000, "binary data"),
        ((RUN * 9).encode("utf-16-le"), "UTF-16 text"),
        (b"\x7fELF" + bytes(3000), "a program"),
    ],
    ids=["random", "zeros", "utf-16", "program"],
)
def test_what_is_no_text_is_named_wherever_text_is_read(files: Path, data: bytes, what: str) -> None:
    path = files / "file"
    path.write_bytes(data)
    for read in (
        lambda: ia.score(path, files / "q", ["AP"]),
        lambda: ia.score(files / "r", path, ["AP"]),
        lambda: ia.score(files / "r", files / "q", ["TBG"], lengths=path),
        lambda: ia.read_scores(path),
    ):
        with pytest.raises(InputError, match=f"file looks like {what}"):
            read()


@pytest.mark.parametrize("native", ["0", "1"])
@pytest.mark.parametrize(("name", "text"), [("q", QRELS[:-1] + QRELS), ("r", RUN[:-1] + RUN)])
def test_two_lines_joined_are_refused_by_either_reader(files: Path, native: str, name: str, text: str) -> None:
    """Of a line of seven fields, the compiled reader of judgements took the first four and let go of the rest."""
    (files / name).write_text(text)
    done = irassay(files, "score", "q", "r", "-m", "AP", env={"IRASSAY_NATIVE": native})
    assert (
        done.returncode == 2
        and f"{name}, line 8: found" in done.stderr
        and "two lines may have been joined" in done.stderr
    )


def test_a_chart_of_nothing_is_not_drawn(files: Path) -> None:
    """Of a chart without a point Vega makes a picture of 1.8e308 by 1.8e308, which no format can hold."""
    (files / "other").write_text(RUN.replace("d1", "x1"))
    words = ("meta", "robustness", "q", "r", "other", "-m", "AP", "--pool-depth", "1", "-q")
    (files / "q").write_text("1 0 d1 0\n1 0 d2 1\n2 0 d2 1\n")
    done = irassay(files, *words, "--plot", "picture.png")
    assert done.returncode == 0 and "this result has no chart" in done.stderr
    assert not (files / "picture.png").exists()


@pytest.mark.parametrize("form", ["json", "three", "beir"])
def test_judgements_given_as_a_run_are_spoken_of(files: Path, form: str) -> None:
    rows = [(t, f"d{d}", d % 3) for t in (1, 2) for d in range(9)]
    text = "".join(f"{t}\t{d}\t{g}\n" for t, d, g in rows)
    nested = json.dumps({t: {d: g for other, d, g in rows if other == t} for t in (1, 2)})
    path = files / "judged"
    path.write_text({"json": nested, "three": text, "beir": f"query-id\tcorpus-id\tscore\n{text}"}[form])
    notes = [str(note) for note in ia.score(path, files / "q", ["AP"]).notes]
    assert any(f"the scores in {path} are 0, 1, 2, like grades; check that it is a run" in note for note in notes)
    done = irassay(files, "score", "judged", "judged")
    assert done.returncode == 2 and "judged is given both as judgements and as a run" in done.stderr
    done = irassay(files, "score", "-", "-", input=text)
    assert done.returncode == 2 and "standard input is given both as judgements and as a run" in done.stderr


def test_a_run_with_few_whole_scores_that_differ_is_a_run(files: Path) -> None:
    path = files / "run.json"
    path.write_text(json.dumps({t: {f"d{d}": 5 - d for d in range(1, 5)} for t in (1, 2)}))
    assert not any("like grades" in str(note) for note in ia.score(path, files / "q", ["AP"]).notes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POLARS_MAX_THREADS", "0"),
        ("POLARS_MAX_THREADS", "x"),
        ("SOURCE_DATE_EPOCH", "1e9"),
        ("SOURCE_DATE_EPOCH", "-1"),
    ],
)
def test_an_environment_that_libraries_choke_on_is_refused(files: Path, name: str, value: str) -> None:
    done = irassay(files, "score", "q", "r", env={name: value})
    assert done.returncode == 2 and f"{name} is '{value}' in the environment" in done.stderr


def test_too_few_open_files_are_a_sentence(files: Path) -> None:
    done = irassay(files, "score", "q", "r", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10)))
    assert done.returncode == 2 and "may open 10 files, but irassay needs 32" in done.stderr


INTERRUPTED = """
import os, signal, sys
from irassay import cli
class Late:
    def __del__(self): signal.raise_signal(signal.SIGINT)
def run(words, spellings):
    if words[0] == "imports":
        try: signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt: raise ImportError("a library made something else of it") from None
    late = Late()
    del late
    import time
    for _ in range(100): time.sleep(0.1)
    return 0
import irassay.cli.program
irassay.cli.program.run = run
cli.command()
"""


@pytest.mark.parametrize("where", ["imports", "destructor"])
def test_no_interrupt_is_lost(files: Path, where: str) -> None:
    """One that hits numpy while it is imported was an internal error; one in a destructor was printed and forgotten."""
    command = [sys.executable, "-c", INTERRUPTED, where]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 130 and done.stderr == "irassay: Stopped.\n"


def test_a_variable_that_is_empty_is_not_set(files: Path) -> None:
    words = ("compare", "q", "r", "r2", "-m", "AP", "--format", "json")
    (files / "r2").write_text(RUN.replace("d1", "x1"))
    assert irassay(files, *words, env={"POLARS_MAX_THREADS": "", "SOURCE_DATE_EPOCH": ""}).returncode == 0


@pytest.mark.parametrize("module", ["numpy", "json", "polars", "random"])
def test_modules_of_the_working_folder_are_not_imported(files: Path, module: str) -> None:
    (files / f"{module}.py").write_text("raise RuntimeError")
    assert irassay(files, "validate", "q", "r").returncode == 0


def test_validate_is_named_for_files_that_it_looks_at(files: Path) -> None:
    (files / "bad").write_text("1 Q0 d1 1 x t\n" * 3)
    with pytest.raises(InputError, match=r"2 more faulty lines; to list them: irassay validate .*bad\)"):
        ia.score(files / "bad", files / "q", ["AP"])
    with pytest.raises(InputError, match=r"\(2 more faulty lines\)"):
        ia.score(files / "r", files / "q", ["TBG"], lengths=files / "bad")
