"""Comparisons with other tools, counted for the site's table of oracles.

`IRASSAY_ORACLES=docs/oracles.json pytest -n 0 tests/oracles tests/metrics tests/judging tests/stats tests/meta`
writes the table's figures.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass
class Compared:
    """The comparisons with one tool."""

    printed: int = 0  # values that it prints with some decimals, which are ours too
    digits: int = 99  # these decimals, the fewest
    doubles: int = 0  # values that it returns in full
    largest: float = 0.0  # difference from these
    tests: tuple[str, ...] = ()


TOOLS: dict[str, Compared] = {}
NOW = {"test": ""}  # the file of the running test


def agrees(tool: str, ours: Any, theirs: Any, within: float = 0.0) -> bool:
    """Whether our value is the tool's: the digits it printed if `theirs` is text, else at most `within` apart.

    Mappings are compared key by key; both must have the same keys.
    """
    if isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(agrees(tool, ours[key], theirs[key], within) for key in theirs)
    found = TOOLS.setdefault(tool, Compared())
    found.tests = tuple(sorted({*found.tests, NOW["test"]}))
    if isinstance(theirs, str):
        digits = len(theirs.partition(".")[2])
        found.printed += 1
        found.digits = min(found.digits, digits or 99)
        return f"{float(ours):.{digits}f}" == theirs
    difference = abs(float(ours) - float(theirs))
    found.doubles += 1
    found.largest = max(found.largest, difference)
    return math.isfinite(difference) and difference <= within


def write_comparisons(path: Path) -> None:
    """Writes what was counted, tool by tool."""
    rows = (asdict(TOOLS[tool]) | {"largest": float(f"{TOOLS[tool].largest:.0e}")} for tool in sorted(TOOLS))
    lines = (f"{json.dumps(tool)}: {json.dumps(row)}" for tool, row in zip(sorted(TOOLS), rows, strict=True))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
