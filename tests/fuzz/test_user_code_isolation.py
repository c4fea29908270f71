"""A user's own metric cannot change what other metrics see, end the process, or return what is no number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.rankings.batch import Rankings

RUNS = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"x": 1.0, "w": 2.0}}}
QRELS = {"1": {"z": 2, "y": 1, "x": 0}, "2": {"x": 1, "w": 0}}
HEADER = "import irassay as ia, numpy as np, sys\n@ia.metric('Mine')\ndef Mine(r):\n    'Mine.'\n"


def defined(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(HEADER + "".join(f"    {line}\n" for line in body.split("\n")))
    return path


@pytest.mark.parametrize(
    "attack",
    [
        "r.grade.sort(axis=1)",
        "r.judged[:] = True",
        "r.gain[:] = 1",
        "r.relevant[:] = True",
        "r.rank[:] = 1",
        "r.total_gain[:] = 0",
        "r.pool.grade[:] = 0",
        "r.pool.size[:] = 0",
        "r.ideal.grade[:] = 0",
        "r.retrieved[:] = 0",
        "r.aspects[:] = 0",
        "r.pool.once(('R', 1), lambda: np.zeros(2, int))[:] = 9",
    ],
)
def test_a_metric_that_writes_is_refused(tmp_path: Path, forgotten: None, attack: str) -> None:
    ia.define(defined(tmp_path, f"{attack}\nreturn np.zeros(len(r))"))
    with pytest.raises(ia.InputError, match=r"mine\.py, line 5: Mine: ValueError: .*read-only"):
        ia.score(RUNS, QRELS, ["Mine"])


TO_THE_OWNER = "b = r.{}\nwhile b.base is not None: b = b.base\nb.flags.writeable = True\nb[:] = 0"


@pytest.mark.parametrize(
    "attack",
    [
        "r.grade.setflags(write=True); r.grade[:] = 0",
        *(TO_THE_OWNER.format(name) for name in ("grade", "judged", "gain", "topic", "pool.grade", "pool.size")),
        "import ctypes; ctypes.memset(r.grade.ctypes.data, 0, r.grade.nbytes)",
        "object.__setattr__(r, 'grade', np.zeros_like(r.grade))",
        "object.__setattr__(r, 'max_grade', 9.0)",
        "object.__setattr__(r.pool, 'grade', np.zeros_like(r.pool.grade))",
        "r.__dict__['relevant'] = np.zeros_like(r.judged)",
        "r.pool._once.update({('R', 1): np.full(2, 9)})",
        "r.pool._once.update(top=0.0, whole=True)",
        "np.random.seed(0)",
        "import os; os.chdir('/')",
        "import threading; threading.Thread(target=lambda: None).start()",
    ],
)
def test_whatever_a_metric_does_other_scores_stay(tmp_path: Path, forgotten: None, attack: str) -> None:
    known = ["AP", "nDCG@10", "RBP", "ERR", "Q", "P@2"]
    before, folder = ia.score(RUNS, QRELS, known), os.getcwd()
    ia.define(defined(tmp_path, f"{attack}\nreturn np.zeros(len(r))"))
    beside = ia.score(RUNS, QRELS, ["Mine", *known])
    np.testing.assert_array_equal(beside.values[:, :, 1:], before.values)
    assert beside.notes == before.notes and os.getcwd() == folder


def test_what_a_metric_keeps_and_changes_later_changes_no_score(tmp_path: Path, forgotten: None) -> None:
    ia.define(
        defined(tmp_path, "kept = np.ones(len(r))\nMine.__dict__.setdefault('kept', []).append(kept)\nreturn kept")
    )
    scores = ia.score(RUNS, QRELS, ["Mine"])
    for kept in ia.parse("Mine").__dict__.get("kept", []):
        kept[:] = 7
    assert (scores.values == 1).all()


def test_scores_are_not_the_array_that_they_were_made_of() -> None:
    mine = np.ones((1, 2, 1))
    scores = ia.Scores(mine, ("a",), ("1", "2"), ("AP",))
    mine[:] = 7
    assert (scores.values == 1).all() and not scores.values.flags.writeable


def test_what_a_metric_is_handed_leaves_the_caller_s_arrays_alone() -> None:
    mine = np.array([[0.0, 2.0, 1.0]])
    r = Rankings.of(mine)
    assert not r.grade.flags.writeable and mine.flags.writeable


def test_what_numpy_does_on_overflow_stays_as_it_was(tmp_path: Path, forgotten: None) -> None:
    before = np.geterr()
    ia.define(defined(tmp_path, "np.seterr(all='raise')\nreturn np.zeros(len(r))"))
    ia.score(RUNS, QRELS, ["Mine", "AP"])
    assert np.geterr() == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(0)", "SystemExit"),
        ("return np.array(['1'] * len(r))", "must return real numbers; found strings"),
        ("return np.full(len(r), 1j)", "must return real numbers; found complex numbers"),
        ("return [object()] * len(r)", "must return real numbers; found other objects"),
        ("return [[1], [1, 2]]", "must return real numbers; found lists of different lengths"),
        ("return None", "must return real numbers"),
        ("return np.full(len(r), np.nan)", "found NaN"),
        ("return np.ma.masked_array(np.ones(len(r)), True)", "found NaN"),
        ("return np.zeros(len(r), 'M8[s]')", "must return real numbers; found other objects"),
        ("return np.full(len(r), np.inf)", "is infinite"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("return np.zeros(7)", "one number for each of"),
    ],
)
def test_what_is_no_score_is_a_sentence(tmp_path: Path, forgotten: None, body: str, message: str) -> None:
    ia.define(defined(tmp_path, body))
    with pytest.raises(ia.InputError, match=message):
        ia.score(RUNS, QRELS, ["Mine"])


@pytest.mark.parametrize(
    ("text", "message"), [("\nimport nothing_of_that_name\n", "line 2"), ("import sys\nsys.exit(0)\n", "line 2")]
)
def test_an_error_in_a_relative_file_has_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "relative.py").write_text(text)
    words = [sys.executable, "-m", "irassay", "metrics", "--define", "relative.py"]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(words, cwd=tmp_path, env={"PYTHONPATH": root, "PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 2 and f"relative.py, {message}" in done.stderr


def with_metric(tmp_path: Path, body: str) -> "subprocess.CompletedProcess[str]":
    """The command that scores by a user's metric with this body, as JSON."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\n")
    words = ("score", tmp_path / "qrels", tmp_path / "run", "-m", "Mine", "--define", defined(tmp_path, body))
    command = [sys.executable, "-m", "irassay", *map(str, words), "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_a_metric_prints_does_not_mix_with_json(tmp_path: Path) -> None:
    done = with_metric(tmp_path, "print('seen')\nimport os\nos.system('echo told')\nreturn np.ones(len(r))")
    assert done.returncode == 0 and "seen" in done.stderr and "told" in done.stderr
    assert json.loads(done.stdout) and "seen" not in done.stdout and "told" not in done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a second process")
def test_a_metric_that_ends_the_process_is_no_success(tmp_path: Path) -> None:
    done = with_metric(tmp_path, "import os\nos._exit(0)")
    assert done.returncode == 3 and "ended before the answer was complete" in done.stderr and not done.stdout
