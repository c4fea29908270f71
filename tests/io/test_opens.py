"""Every input file is opened once per command, whatever the command does with it, and hashed while it is open."""

import gzip
import hashlib
import io
import json
import os
import pickle
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from irassay.cli.program import run
from irassay.io import scan
from irassay.io.sources import Source
from irassay.scoring.judged_runs import JudgedRuns

ROOT = Path(__file__).parents[1]
SHORT = ("--trials", "20", "--splits", "5")
COUNTING: list[tuple[str, Counter[str]]] = []  # the folder that is watched, and what was opened in it


def _count(event: str, given: tuple[object, ...]) -> None:
    if event == "open" and COUNTING and isinstance(given[0], str | bytes | os.PathLike):
        folder, opens = COUNTING[-1]
        path = os.path.abspath(os.fsdecode(given[0]))
        if path.startswith(folder):
            opens[os.path.relpath(path, folder)] += 1


@pytest.fixture(scope="module", autouse=True)
def _hooked() -> None:
    sys.addaudithook(_count)  # which stays; it does nothing unless something is counted


@contextmanager
def counted(folder: Path) -> Iterator[Counter[str]]:
    opens: Counter[str] = Counter()
    COUNTING.append((str(folder), opens))
    try:
        yield opens
    finally:
        COUNTING.pop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs longer than what is kept in memory, qrels, and all that may stand beside them."""
    made = tmp_path_factory.mktemp("opens")
    for name in ("adhoc", "dd", "diversity", "cwl"):
        shutil.copytree(ROOT / "oracles" / "inputs" / name, made / name)
    shutil.copytree(ROOT / "golden" / "inputs", made / "golden")
    (made / "runs").mkdir()
    (made / "packed").mkdir()
    judged = [f"{t} 0 doc-{d:05d} {(t + d // 3) % 3}\n" for t in range(1, 21) for d in range(0, 300, 3)]
    (made / "qrels").write_text("".join(judged))
    (made / "other").write_text("".join(line if n % 7 else line[:-2] + "1\n" for n, line in enumerate(judged)))
    for r in range(3):
        lines = [
            f"{t} Q0 doc-{(d * (7, 11, 13)[r] + t) % 300:05d} {d + 1} {9 - d / 100} {'tagged' if r == 1 else f'run{r}'}\n"
            for t in range(1, 21)
            for d in range(200)
        ]
        (made / "runs" / f"run{r}").write_text("".join(lines))
        (made / "packed" / f"run{r}.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (made / "groups").write_text("run0 a\nrun1 a\nrun2 b\n")
    (made / "noise").write_text("from to probability\n0 0 0.9\n0 1 0.1\n1 1 1\n2 2 1\n")
    (made / "lengths").write_text("".join(f"doc-{d:05d} {100 + d}\n" for d in range(300)))
    (made / "rated").write_text(
        "unit\trating\n" + "".join(f"run{r}/{t}\t{(r + t) % 5}\n" for r in range(3) for t in range(1, 21))
    )
    return made


COMMANDS = {  # a command, and the files that it reads
    "score qrels runs": "qrels runs/*",
    "score qrels packed": "qrels packed/*",
    "score qrels runs -m TBG --lengths lengths": "qrels runs/* lengths",
    "score qrels runs --bounds --names tag": "qrels runs/*",
    "score diversity/qrels.txt diversity/divA.txt -m AP_IA --weights golden/weights.txt": "diversity/qrels.txt "
    "diversity/divA.txt golden/weights.txt",
    "score cwl/gains.txt cwl/run.txt -m RBP --costs cwl/costs.txt": "cwl/gains.txt cwl/run.txt cwl/costs.txt",
    "score dd/topics.xml dd/ddA.txt dd/ddB.txt -m CT@5": "dd/topics.xml dd/ddA.txt dd/ddB.txt",
    "score golden/sessions golden/sessions -m sDCG@9": "golden/sessions/qrels golden/sessions/results",
    "compare qrels runs -m AP": "qrels runs/*",
    "compare qrels runs -m AP --baseline tagged": "qrels runs/*",
    "table qrels runs -m AP": "qrels runs/*",
    "topics qrels runs -m AP": "qrels runs/*",
    "topics qrels runs -m AP --topic 3": "qrels runs/*",
    "plan qrels runs -m AP": "qrels runs/*",
    "meta similarity qrels runs -m AP -m P@10": "qrels runs/*",
    "meta discrimination qrels runs -m AP -m P@10 --groups groups": "qrels runs/* groups",
    "meta similarity --scores golden/scores.tsv": "golden/scores.tsv",
    "meta robustness qrels runs -m AP --thin 0.5 --repeats 2": "qrels runs/*",
    "meta robustness qrels runs -m AP --noise noise --repeats 2": "qrels runs/* noise",
    "meta robustness qrels runs -m AP --other other": "qrels runs/* other",
    "meta robustness qrels runs -m AP --pool-depth 5 --groups groups": "qrels runs/* groups",
    "meta satisfaction --sessions golden/sessions -m sDCG@9": "golden/sessions/*",
    "meta satisfaction --ratings golden/ratings.tsv --scores golden/scores.tsv": "golden/ratings.tsv golden/scores.tsv",
    "judges qrels other": "qrels other",
    "judges qrels other --runs runs -m AP": "qrels other runs/*",
    "validate qrels runs packed": "qrels runs/* packed/*",
    "report qrels runs -m AP -m P@10": "qrels runs/*",
    "report qrels runs --other other --ratings rated --groups groups": "qrels runs/* other rated groups",
    "report diversity/qrels.txt diversity/divA.txt diversity/divB.txt": "diversity/qrels.txt diversity/divA.txt "
    "diversity/divB.txt",
}
TEXT_ONLY = {
    "trec_eval qrels runs/run0": "qrels runs/run0",
    "convert golden/scores.tsv --to trec_eval": "golden/scores.tsv",
}


def opens_of(folder: Path, words: list[str], read: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[str], str]:
    """How often a command opened each of the files that it reads, and what it printed."""
    monkeypatch.chdir(folder)
    if words[0] in ("report", "compare", "table") or "discrimination" in words:
        words = [*words, *(SHORT if words[0] == "report" else SHORT[:2])]
    if words[0] == "report":
        words = [*words, "-o", "page.html"]
    with counted(folder) as opens, redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        assert run(words) in (0, 1)
    files = {os.path.relpath(path, folder) for pattern in read.split() for path in folder.glob(pattern)}
    assert files
    return Counter({path: opens[path] for path in files}), out.getvalue()


@pytest.mark.parametrize("command", [*COMMANDS, *TEXT_ONLY])
def test_every_input_is_opened_once(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens, _ = opens_of(folder, command.split(), (COMMANDS | TEXT_ONLY)[command], monkeypatch)
    assert opens == dict.fromkeys(opens, 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_checksums_take_no_opening(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens, printed = opens_of(folder, [*command.split(), "--format", "json"], COMMANDS[command], monkeypatch)
    assert opens == dict.fromkeys(opens, 1)
    sums = {entry["path"]: entry["sha256"] for entry in json.loads(printed)["inputs"]}
    listed = [path for path in opens if not (command.startswith("judges") and "runs/" in path)]  # which names no runs
    assert {path: sums[path] for path in listed} == {
        path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in listed
    }


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if c.startswith(("score", "topics", "report qrels runs -m", "judges"))]
)
def test_without_the_scanner(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irassay.judging.scanned_runs.library", lambda: None)
    opens, _ = opens_of(folder, command.split(), COMMANDS[command], monkeypatch)
    assert opens == dict.fromkeys(opens, 1)


@pytest.mark.skipif(scan.library() is None, reason="the scanner is not compiled, or turned off")
def test_a_run_that_is_not_clean_is_rewound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scanner gives it up half-way, and the general reader starts again on what is open."""
    text = (folder / "runs" / "run0").read_text()
    (folder / "odd").write_text(text + "# a comment at the end\n")
    opens, _ = opens_of(folder, ["score", "qrels", "odd", "runs/run1"], "qrels odd runs/run1", monkeypatch)
    assert opens == {"qrels": 1, "odd": 1, "runs/run1": 1}


def test_several_threads_can_score_the_same_open_files(folder: Path) -> None:
    given = JudgedRuns.of(folder / "runs", folder / "qrels", ["AP", "P@10"])
    expected = given.scores().values
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: given.scores().values, range(24)):
            np.testing.assert_array_equal(found, expected)


def test_a_source_can_be_sent_to_another_process(folder: Path) -> None:
    source = Source(folder / "runs" / "run0")
    first = source.content()
    assert pickle.loads(pickle.dumps(source)).content() == first == (folder / "runs" / "run0").read_bytes()


def test_with_few_files_allowed_runs_are_read_all_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = JudgedRuns.of(folder / "runs", folder / "qrels", ["AP"]).scores().values
    monkeypatch.setattr("irassay.io.sources.may_stay_open", lambda number: False)
    for runs in (folder / "runs", folder / "packed"):
        np.testing.assert_array_equal(JudgedRuns.of(runs, folder / "qrels", ["AP"]).scores().values, expected)
