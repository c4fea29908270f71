"""Writes what is expected: `python -m tests.golden.make [name-pattern]`, a part of a name or a pattern with *."""

import json
import lzma
import sys
from fnmatch import fnmatch
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.golden.cases import CASES, Case

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
SLOW = 2.0  # seconds from which on a case is named


def expected_of(group: str) -> dict[str, Any]:
    """The records of a group of cases by name."""
    path = EXPECTED / f"{group}.json.xz"
    return json.loads(lzma.decompress(path.read_bytes())) if path.is_file() else {}


def write(group: str, records: dict[str, Any]) -> None:
    """Keeps the records of a group."""
    text = json.dumps(records, ensure_ascii=False, indent=0, allow_nan=True)
    EXPECTED.mkdir(exist_ok=True)
    (EXPECTED / f"{group}.json.xz").write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))


def make(pattern: str = "") -> None:
    """Runs the cases that match, and keeps what they come to; without a pattern others are forgotten."""
    from tests.golden.run import ROOT, run

    chosen = [case for case in CASES if not pattern or pattern in case.name or fnmatch(case.name, pattern)]
    shared = (ROOT.parent / "shared" / "data").is_dir()
    if not shared and any(case.shared for case in chosen):
        print("cases that need ../shared are left as they are", file=sys.stderr)
    groups: dict[str, list[Case]] = {}
    for case in CASES:
        groups.setdefault(case.group, []).append(case)
    began = perf_counter()
    for group, cases in groups.items():
        if not any(case in chosen for case in cases):
            continue
        before = expected_of(group)
        records = {}
        for case in cases:
            if case in chosen and (shared or not case.shared):
                started = perf_counter()
                records[case.name] = run(case)
                took = perf_counter() - started
                status = records[case.name]["status"]
                if status not in (0, 1, 2) or took > SLOW:
                    print(f"{case.name}: status {status}, {took:.1f} s")
            elif case.name in before:
                records[case.name] = before[case.name]
        write(group, records)
    print(f"{len(chosen)} cases, {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    make(*sys.argv[1:2])
