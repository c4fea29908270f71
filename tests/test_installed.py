"""Packages add metrics, methods and readers by entry points, without a line in irassay."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = '''
from typing import Annotated

import irassay as ia
from irassay.io.reader import Reader
from irassay.io.trec import Run


@ia.user_model("Steady")
def Steady(r, p=0.5):
    """A user who goes on with the same probability at every rank."""
    return p + 0 * r.total_gain


@ia.method("How many systems are there?", path="meta tally")
def tally(scores: ia.Scores, *, more: Annotated[int, "Added to the number."] = 0) -> str:
    """Counts the systems."""
    return f"{len(scores.systems) + more} systems"


def read_run(given, columns=()):
    """Lines of topic|document|score."""
    rows = [line.split("|") for line in given.path.read_text().splitlines()]
    return Run.of({topic: {doc: float(score) for _, doc, score in rows} for topic, _, _ in rows}, "bars")


READER = Reader("bars", "trec", read_run, read_run)
'''


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed package that adds one of each, and a small collection."""
    (tmp_path / "steady.py").write_text(CODE)
    facts = tmp_path / "steady_users-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: steady-users\nVersion: 1.2\n")
    (facts / "entry_points.txt").write_text(
        "[irassay.metrics]\nsteady = steady\n[irassay.methods]\nsteady = steady\n[irassay.readers]\nbars = steady:READER\n"
    )
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    (tmp_path / "run.txt").write_text("1 Q0 d1 1 2.0 x\n1 Q0 d2 2 1.0 x\n")
    (tmp_path / "bars.txt").write_text("1|d1|2.0\n1|d2|1.0\n")
    return tmp_path


def run_python(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python on a machine where the package is installed."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *words], cwd=site, env=environment, capture_output=True, text=True, check=False
    )


def irassay(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command on a machine where the package is installed."""
    return run_python(site, "-m", "irassay", *words)


def test_its_metric_is_scored_listed_and_named_with_its_version(site: Path) -> None:
    done = irassay(site, "score", "qrels.txt", "run.txt", "-m", "Steady(p=0.3)", "--format", "json")
    answer = json.loads(done.stdout)
    assert answer["versions"]["steady-users"] == "1.2"
    assert [row["value"] for row in answer["results"]] == pytest.approx([0.7])
    assert "Steady" in irassay(site, "metrics").stdout
    assert irassay(site, "axioms", "-m", "Steady", "--depth", "3").returncode in (0, 1)


def test_its_method_is_a_command_and_a_function(site: Path) -> None:
    assert "tally" in irassay(site, "meta", "--help").stdout
    assert (
        irassay(site, "meta", "tally", "qrels.txt", "run.txt", "-m", "AP", "--more", "3").stdout.strip() == "4 systems"
    )
    code = "import irassay as ia; print(ia.meta.tally(ia.score('qrels.txt', 'run.txt', 'AP')))"
    done = run_python(site, "-c", code)
    assert done.stdout.strip() == "1 systems", done.stderr


def test_its_reader_is_chosen_by_name(site: Path) -> None:
    done = irassay(site, "score", "qrels.txt", "bars.txt", "-m", "AP", "--run-format", "bars", "--format", "csv")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["bars,AP,all,1.0"]), done.stderr
    refused = irassay(site, "score", "qrels.txt", "bars.txt", "--run-format", "bers")
    assert (refused.returncode, "auto, bars, csv" in refused.stderr) == (2, True)


def test_commands_that_need_none_of_it_do_not_load_it(site: Path) -> None:
    (site / "steady.py").write_text("raise OSError('broken')")
    assert irassay(site, "score", "qrels.txt", "run.txt", "-m", "AP").returncode == 0
    done = irassay(site, "score", "qrels.txt", "run.txt", "-m", "Steady")
    assert done.returncode == 2
    assert done.stderr == (
        "irassay: The package steady-users 1.2 adds metrics to irassay but cannot be loaded (OSError: broken); "
        "update it or remove it.\n"
    )
