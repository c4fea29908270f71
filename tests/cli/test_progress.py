"""Progress on a terminal: told as runs are read, and taken away when work stops half-way."""

import io
import sys
import time

import pytest

import irassay as ia
from irassay.cli.output import SHOWING, clear, progress


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_a_bar_is_taken_away_when_work_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    tell, quiet = progress("reading"), progress("reading", quiet=True)
    time.sleep(1.05)
    quiet(1, 3)
    assert not SHOWING
    tell(1, 3)
    assert len(SHOWING) == 1 and not SHOWING[0].finished
    clear()
    assert not SHOWING
    progress("again")(3, 3)  # which another live bar would not allow


def test_every_run_is_told_as_it_is_read() -> None:
    told: list[tuple[str, int, int]] = []
    runs = {f"r{n}": {"1": {"a": 1.0}} for n in range(5)}
    with ia.context(progress=lambda doing: lambda done, total: told.append((doing, done, total))):
        ia.score(runs, {"1": {"a": 1}}, ["P@1"])
    assert told == [("reading runs", n, 5) for n in range(1, 6)]
