"""Records what is expected: `python -m tests.golden.make [PATTERN]`, a part of a name or a pattern with *."""

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
SLOW_SECONDS = 2.0  # a case that takes longer is listed


def expected_of(group: str) -> dict[str, Any]:
    """The records of a group of cases by name."""
    path = EXPECTED / f"{group}.json.xz"
    return json.loads(lzma.decompress(path.read_bytes())) if path.is_file() else {}


def write(group: str, records: dict[str, Any]) -> None:
    """Writes the records of a group."""
    text = json.dumps(records, ensure_ascii=False, indent=0, allow_nan=True)
    EXPECTED.mkdir(exist_ok=True)
    (EXPECTED / f"{group}.json.xz").write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))


def make(pattern: str = "") -> None:
    """Runs the matching cases and writes their records; without a pattern, the records of other cases are dropped."""
    from tests.golden.run import ROOT, run

    selected = [case for case in CASES if not pattern or pattern in case.name or fnmatch(case.name, pattern)]
    has_shared = (ROOT.parent / "shared" / "data").is_dir()
    if not has_shared and any(case.shared for case in selected):
        print("cases that need ../shared are not changed", file=sys.stderr)
    groups: dict[str, list[Case]] = {}
    for case in CASES:
        groups.setdefault(case.group, []).append(case)
    start = perf_counter()
    for group, cases in groups.items():
        if not any(case in selected for case in cases):
            continue
        before = expected_of(group)
        records = {}
        for case in cases:
            if case in selected and (has_shared or not case.shared):
                case_start = perf_counter()
                records[case.name] = run(case)
                seconds = perf_counter() - case_start
                status = records[case.name]["status"]
                if status not in (0, 1, 2) or seconds > SLOW_SECONDS:
                    print(f"{case.name}: status {status}, {seconds:.1f} s")
            elif case.name in before:
                records[case.name] = before[case.name]
        write(group, records)
    print(f"{len(selected)} cases, {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    make(*sys.argv[1:2])
