"""Progress on a terminal: shown as runs are read, and removed when work stops half-way."""

import gzip
import io
import re
import sys
from pathlib import Path

import pytest

import irassay as ia
from irassay.cli.progress import SHOWN_BARS, clear_progress, progress
from irassay.io.scan import library


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_a_bar_is_taken_away_when_work_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, clock = Terminal(), [100.0]
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("irassay.cli.progress.monotonic", lambda: clock[0])
    tell, quiet = progress("reading"), progress("reading", quiet=True)
    clock[0] += 1.05
    quiet(1, 3)
    assert not SHOWN_BARS
    tell(1, 3)
    assert len(SHOWN_BARS) == 1 and not SHOWN_BARS[0].finished
    assert re.search(r"\rreading \[={10} {20}\] 33%, 2 s left$", terminal.getvalue())
    clear_progress()
    assert not SHOWN_BARS and re.search(r"\r +\r$", terminal.getvalue())  # nothing is left of it
    progress("again")(3, 3)
    assert "again" not in terminal.getvalue()


def test_every_run_is_reported_as_it_is_read() -> None:
    reports: list[tuple[str, int, int]] = []
    runs = {f"r{n}": {"1": {"a": 1.0}} for n in range(5)}
    with ia.context(progress=lambda label: lambda done, total: reports.append((label, done, total))):
        ia.score(runs, {"1": {"a": 1}}, ["P@1"])
    assert reports == [("reading runs", n, 5) for n in range(1, 6)]


@pytest.mark.skipif(library() is None, reason="without the compiled scanner files are read in one go")
@pytest.mark.parametrize("packed", [False, True])
def test_one_long_run_is_reported_as_it_is_read(tmp_path: Path, packed: bool) -> None:
    lines = "".join(f"{t} Q0 {'d' * 40}{i} {i} {1000 - i} t\n" for t in range(250) for i in range(1000))
    run = tmp_path / "run"
    run.write_bytes(gzip.compress(lines.encode(), 1) if packed else lines.encode())
    reports: list[tuple[str, int, int]] = []
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{t} 0 {'d' * 40}3 1\n" for t in range(250)))
    with ia.context(progress=lambda label: lambda done, total: reports.append((label, done, total))):
        scores = ia.score(run, qrels, ["RR"])
    assert scores.means()[0, 0] == 0.25
    inside = [(done, total) for label, done, total in reports if label == "reading the run"]
    assert len(inside) >= 2 and inside == sorted(inside)
    assert inside[-1] == (run.stat().st_size,) * 2
