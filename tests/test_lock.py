"""What is installed: every locked version has the hashes of its files, and floors are what the oldest tests run on."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = tuple(ROOT / f"requirements{kind}.lock" for kind in ("", "-dev", "-docs"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pinned(text: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def test_every_locked_version_has_hashes() -> None:
    entry_shape = re.compile(r"[\w.-]+==[\w.]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    for lock in LOCKS:
        for entry in lock.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
            assert entry_shape.fullmatch(entry), entry


def test_the_tests_run_with_the_versions_that_users_of_the_demo_get() -> None:
    demo, dev, docs = (pinned(lock.read_text(encoding="utf-8")) for lock in LOCKS)
    assert demo.items() <= dev.items()
    assert demo.items() <= docs.items()


def test_the_oldest_versions_are_the_floors_and_locked_ones_are_above() -> None:
    floors = dict(re.fullmatch(r"([\w-]+)>=([\w.]+)", each).groups() for each in PROJECT["dependencies"])  # type: ignore[union-attr]
    oldest = pinned((ROOT / "requirements-oldest.txt").read_text(encoding="utf-8"))
    locked = pinned(LOCKS[0].read_text(encoding="utf-8"))
    assert oldest.keys() == floors.keys()
    for name, floor in floors.items():
        wanted = numbers(floor)
        assert numbers(oldest[name])[: len(wanted)] == wanted, name
        assert numbers(locked[name]) >= wanted, name
