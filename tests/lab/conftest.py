"""A running lab for the tests of its API."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parent.parent.parent
OURS, ADHOC = ROOT / "tests/golden/inputs", ROOT / "tests/oracles/inputs/adhoc"


class RunningLab:
    """A lab in a process of its own, and a client that has its token."""

    def __init__(
        self,
        *options: str,
        cwd: Path | None = None,
        before_start: Callable[[], None] | None = None,
        python_path: Path | None = None,
    ) -> None:
        command = [sys.executable, "-m", "irassay", "lab", "--no-browser", "--port", "0", *options]
        paths = [str(path) for path in (python_path, os.environ.get("PYTHONPATH")) if path]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, preexec_fn=before_start,
            env=os.environ | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {}),
        )  # fmt: skip
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().strip()
        assert self.line, self.process.stderr.read() if self.process.stderr else ""
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/(?:\?token=(\S+))?", self.line)
        assert found, self.line
        self.base, self.token = found[1], found[2] or ""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        self.client = httpx.Client(base_url=self.base, headers=headers, timeout=120)

    def upload(self, *files: tuple[str, Path | tuple[str, bytes]], name: str = "") -> dict[str, Any]:
        parts = [(role, f if isinstance(f, tuple) else (f.name, f.read_bytes())) for role, f in files]
        answer = self.client.post("/api/collections", files=parts, data={"name": name} if name else {})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def finished(self, answer: httpx.Response) -> httpx.Response:
        """The result of a request, once its job has ended."""
        if answer.status_code != 202:
            return answer
        with self.client.stream("GET", f"{answer.headers['location']}/events") as events:
            for _ in events.iter_lines():
                pass
        return self.client.get(f"{answer.headers['location']}/result")

    def stop(self) -> int:
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        return status


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    os.environ.setdefault("IRASSAY_CACHE", str(Path.home() / ".cache/irassay"))
    running = RunningLab("--workspace", str(tmp_path_factory.mktemp("workspace")))
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def collection(lab: RunningLab) -> dict[str, Any]:
    """Judgements, runs, other judgements and side files."""
    runs = [("run", path) for path in sorted((OURS / "runs").iterdir())]
    return lab.upload(("qrels", ADHOC / "qrels_nonneg.txt"), *runs, ("other", OURS / "other_qrels.txt"), name="ad hoc")
