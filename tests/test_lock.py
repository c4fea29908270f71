"""What is installed: every locked version has the hashes of its files, and floors are what the oldest tests run on."""

import re
import tomllib
from pathlib import Path

from tests.support.lock import LOCK, pinned

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def test_every_locked_version_has_hashes() -> None:
    for entry in LOCK.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        assert entry.startswith("#") or re.fullmatch(r"[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+", entry), entry


def test_the_oldest_versions_are_the_floors_and_locked_ones_are_above() -> None:
    floors = dict(re.fullmatch(r"([\w-]+)>=([\w.]+)", each).groups() for each in PROJECT["dependencies"])  # type: ignore[union-attr]
    oldest = pinned((ROOT / "requirements-oldest.txt").read_text(encoding="utf-8"))
    locked = pinned(LOCK.read_text(encoding="utf-8"))
    assert oldest.keys() == floors.keys()
    for name, floor in floors.items():
        wanted = numbers(floor)
        assert numbers(oldest[name])[: len(wanted)] == wanted, name
        assert numbers(locked[name]) >= wanted, name
