"""Where output cannot be written, or nobody reads it: one sentence, status 2, and the old file is intact."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from irassay.errors import InputError
from irassay.writing import write_file

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of four runs by two metrics, with names beyond ASCII."""
    path = tmp_path_factory.mktemp("scores") / "table.tsv"
    rows = [
        f"é{s}\t{m}\t{t}\t{(s * 7 + t * 3 + len(m)) % 11 / 11}"
        for s in range(4)
        for m in ("AP", "P@5")
        for t in range(6)
    ]
    path.write_text("run\tmetric\ttopic\tvalue\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def irassay(*words: object, python: tuple[str, ...] = (), **more: object) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PYTHONPATH": str(ROOT)} | dict(more.pop("env", {}))  # type: ignore[call-overload]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    words = (sys.executable, *python, "-m", "irassay", *map(str, words))
    more = {"encoding": "utf-8"} | more
    return subprocess.run(words, env=env, **more)  # type: ignore[call-overload, no-any-return]


def one_sentence(done: "subprocess.CompletedProcess[str]") -> bool:
    messages = done.stderr.strip().splitlines()
    return done.returncode == 2 and messages[-1].startswith("irassay: ") and "internal error" not in done.stderr


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


@pytest.mark.parametrize("option", ["--save", "--plot"])
def test_a_file_that_does_not_fit_leaves_the_old_one(tmp_path: Path, table: Path, option: str) -> None:
    target = tmp_path / "kept.svg"
    target.write_text("old")
    env = {"PYTHONDONTWRITEBYTECODE": "1"}  # or Python keeps compiled modules that were cut off, too
    done = irassay("compare", "--scores", table, "-m", "AP", option, target, "-q", preexec_fn=limited, env=env)
    assert one_sentence(done) and "File too large" in done.stderr
    assert target.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["kept.svg"]


@pytest.mark.parametrize("ending", ["tsv", "csv", "parquet"])
def test_a_table_of_scores_that_does_not_fit_leaves_the_old_one(tmp_path: Path, ending: str) -> None:
    target, env = tmp_path / f"kept.{ending}", {"PYTHONDONTWRITEBYTECODE": "1"}
    target.write_text("old")
    (tmp_path / "q").write_text("".join(f"{t} 0 d 1\n" for t in range(50)))
    (tmp_path / "r").write_text("".join(f"{t} Q0 d 1 1 r\n" for t in range(50)))
    words = ("score", tmp_path / "q", tmp_path / "r", "--by-topic", "-o", target)
    done = irassay(*words, preexec_fn=limited, env=env)
    assert one_sentence(done) and "File too large" in done.stderr and target.read_text() == "old"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_a_full_device_and_a_long_name_are_refused(tmp_path: Path, table: Path) -> None:
    for target in (tmp_path, "/dev/full", tmp_path / ("a" * 300), tmp_path / "none" / "x.json"):
        with pytest.raises(InputError, match="cannot be written"):
            write_file(target, "text")
    done = irassay("compare", "--scores", table, "-m", "AP", "--save", tmp_path, "-q")
    assert one_sentence(done) and "it is a folder" in done.stderr


def test_what_is_read_is_not_written_over(tmp_path: Path, table: Path) -> None:
    kept, link = tmp_path / "table.tsv", tmp_path / "link.svg"
    kept.write_bytes(table.read_bytes())
    link.symlink_to(kept)
    for option, target in (("--save", kept), ("--plot", link)):
        done = irassay("compare", "--scores", f"mine={kept}", "-m", "AP", option, target)
        assert one_sentence(done) and "would be overwritten, but it is also an input" in done.stderr
    assert kept.read_bytes() == table.read_bytes()


def test_an_option_without_a_value_is_refused(table: Path) -> None:
    for option in ("--save", "--alpha", "--scores"):
        done = irassay("compare", "--scores", table, "-m", "AP", option, "--")
        assert one_sentence(done) and f"{option} needs a value" in done.stderr


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_are_no_matter(table: Path, tmp_path: Path, closed: tuple[int, ...]) -> None:
    words = ("compare", "--scores", table, "-m", "AP", "--save", tmp_path / "saved.json")
    done = irassay(*words, preexec_fn=lambda: [os.close(number) for number in closed])
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert json.loads((tmp_path / "saved.json").read_text())["saved"]


def test_a_full_standard_output_is_a_sentence(table: Path) -> None:
    with open("/dev/full", "w") as full:
        assert one_sentence(irassay("compare", "--scores", table, "-m", "AP", "--format", "json", stdout=full))


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be written by the superuser")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("old")
    target.chmod(0o444)
    with pytest.raises(InputError, match="Permission denied"):
        write_file(target, "new")
    assert target.read_text() == "old"


def test_links_and_pipes_are_written_through(tmp_path: Path) -> None:
    real, link, hard, pipe = (tmp_path / name for name in ("real", "link", "hard", "pipe"))
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_file(link, "new")
    assert link.is_symlink() and real.read_text() == "new" and stat.S_IMODE(real.stat().st_mode) == 0o640
    hard.hardlink_to(real)
    write_file(hard, "newer")
    assert real.read_text() == "newer"
    os.mkfifo(pipe)
    reader: list[str] = []
    thread = threading.Thread(target=lambda: reader.append(pipe.read_text()))
    thread.start()
    write_file(pipe, "through")
    thread.join()
    assert reader == ["through"] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    write_file(tmp_path / "new", b"bytes")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~mask


WRITES = """
import signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored
from irassay import writing
replace = writing.os.fsync
def slow(fd):
    print("inside", flush=True)
    for _ in range(600):  # in steps, since a signal just before one long sleep would not end it
        time.sleep(0.1)
writing.os.fsync = slow
writing.write_file(sys.argv[1], "new" * 1000)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_while_a_file_is_written_leaves_the_old_one(tmp_path: Path, number: int) -> None:
    target = tmp_path / "kept"
    target.write_text("old")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", WRITES, str(target)]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None and process.stdout.readline() == b"inside\n"
        process.send_signal(number)
        process.wait(60)
    assert target.read_text() == "old"
    if number != signal.SIGKILL:
        assert number == signal.SIGINT or process.returncode == -number
        assert [p.name for p in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_an_output_that_lacks_letters_shows_escapes(table: Path, encoding: str, form: str) -> None:
    env = {"PYTHONIOENCODING": encoding}
    done = irassay("compare", "--scores", table, "-m", "AP", "--format", form, env=env, encoding=encoding)
    assert done.returncode == 0
    shown = json.dumps(json.loads(done.stdout), ensure_ascii=False) if form == "json" else done.stdout
    assert ("\\xe90" if (form, encoding) == ("table", "ascii") else "é0") in shown


def test_docstrings_are_not_needed(table: Path) -> None:
    done = irassay("compare", "--scores", table, "-m", "AP", python=("-OO",))
    assert done.returncode == 0 and "é0" in done.stdout


def test_a_chart_that_needs_docstrings_is_a_sentence_without_them(table: Path, tmp_path: Path) -> None:
    done = irassay("compare", "--scores", table, "-m", "AP", "--plot", tmp_path / "x.svg", python=("-OO",))
    assert one_sentence(done) and "Charts need Python without -OO" in done.stderr


@pytest.mark.parametrize("form", ["table", "tsv", "csv", "json", "latex", "markdown", "html"])
def test_a_reader_who_leaves_ends_it_quietly(table: Path, form: str) -> None:
    words = [sys.executable, "-m", "irassay", "compare", "--scores", str(table), "-m", "AP", "--format", form, "-q"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        stderr = process.stderr.read()  # the sentences, which nobody who left a table has asked to be rid of
        assert b"irassay:" not in stderr and b"Error" not in stderr and b"Traceback" not in stderr
        assert process.wait(60) in (0, 141)


JOINS = """
import sys
from irassay.io.sources import Source
print(sum(map(len, Source(sys.argv[1]).blocks(1024))))
"""


def test_a_line_of_very_many_blocks_is_joined_once(tmp_path: Path) -> None:
    """Joined anew at every block, 48 MB would be 1.2 TB of copies: minutes, at which this stops waiting."""
    path, size = tmp_path / "lengths.json", 48 << 20
    path.write_bytes(b" " * size)
    words, env = [sys.executable, "-c", JOINS, str(path)], os.environ | {"PYTHONPATH": str(ROOT)}
    assert int(subprocess.run(words, env=env, capture_output=True, timeout=100).stdout) == size + 1
