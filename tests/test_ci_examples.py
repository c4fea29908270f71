"""The files for CI services: their lines run in a plain shell, and a worse run fails the job."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from irassay.simulation import simulate

yaml = pytest.importorskip("yaml", reason="needs PyYAML, to read the files")
ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, as CI services run it")


@pytest.fixture(params=[0, 1], ids=["better", "worse"])
def expected_status(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The status that the check should have in a folder with judgements, an old run, and a script that makes a new one."""
    made = simulate(seed=3, topics=30, systems=5).write(tmp_path / "made")
    good, bad = made / "runs" / "T2-plain.txt", made / "runs" / "T1-short.txt"
    shutil.copy(made / "qrels.txt", tmp_path)
    shutil.copy(good if request.param else bad, tmp_path / "old.run")
    scripts = {
        "make-run.sh": f"cat {bad if request.param else good}",
        "bin/irassay": f'{sys.executable} -m irassay "$@"',
    }
    for name, line in scripts.items():
        script = tmp_path / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    return int(request.param)


def shell_status(lines: str) -> int:
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", lines], capture_output=True).returncode


def test_github(expected_status: int) -> None:
    steps = yaml.safe_load((ROOT / "examples/ci/github.yml").read_text())["jobs"]["check"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines[0].startswith("pip install ")
    assert [shell_status(each) for each in lines[1:]] == [0, expected_status, 0]
    assert Path("summary.md").read_text().startswith("## Check: new against old") and Path("check.json").is_file()


def test_gitlab(expected_status: int) -> None:
    job = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text())["search-quality"]
    lines = job["script"]
    assert lines[0].startswith("pip install ") and shell_status("\n".join(lines[1:])) == expected_status
    suite = ElementTree.parse(job["artifacts"]["reports"]["junit"]).getroot()
    assert (int(suite.attrib["failures"]) > 0) == bool(expected_status)


def test_hooks_name_commands_that_there_are() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        assert shell_status(f"{sys.executable} -m {hook['entry']} --help") == 0
