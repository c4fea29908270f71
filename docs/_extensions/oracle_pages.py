"""The table of oracles: which tools the tests compare with, how many values, and the largest difference."""

import json
from collections.abc import Iterator
from pathlib import Path

from markdown_text import markdown_table

ROOT = Path(__file__).parents[2]
COMPARED = ROOT / "docs" / "oracles.json"
TABLE = ROOT / "tests" / "oracles" / "README.md"
ELSEWHERE = {
    "leaderboard": ("TREC-COVID's published leaderboard of round 1", "trec_eval on 143 runs, by its organisers")
}
FULL_TOOLS = {  # whose names in the table of tests/oracles are short
    "rbu": "RBU's authors' Java program",
    "trec-dd-jig": "trec-dd-jig, the Dynamic Domain track's scorer of 2017",
    "old-scorer": "the Dynamic Domain track's scorer of 2015 and 2016",
}
PAGE = """# Compared with other tools

```{{index}} ! verified against other tools, ! oracles, ! largest difference
```

The tests compare irassay's scores and statistics with the outputs of these tools on the same inputs. They counted
{values:,} values, and every one agrees: a printed value to its last digit, a double to the difference shown. NTCIREVAL
passes its gains through four decimals, which explains its difference.

{table}

This command writes these figures:

```console
$ IRASSAY_ORACLES=docs/oracles.json pytest -n 0 tests/oracles tests/metrics tests/judging tests/stats tests/meta
```

More statistics are compared with scipy and plain loops; see [Verification](../../verification.md). Where tools
disagree with their papers or with each other, see [Errata](../../errata.md).

Not compared: trec_eval's `rbp`, which reads uninitialised memory; ranx's `bpref`, which disagrees with trec_eval; and
the snDCG of the old scorer of Dynamic Domain.
"""


def oracle_pages() -> Iterator[tuple[str, str]]:
    """The page."""
    tools = tool_rows() | ELSEWHERE
    compared = json.loads(COMPARED.read_text(encoding="utf-8"))
    rows = (
        (
            FULL_TOOLS.get(name, tools[name][0]),
            f"{found['printed'] + found['doubles']:,}",
            agreement_text(found["printed"], found["digits"], found["doubles"], found["largest"]),
            tools[name][1],
            ", ".join(f"`{test}`" for test in found["tests"]),
        )
        for name, found in compared.items()
    )
    rows = sorted(rows, key=lambda row: row[0].lower())
    head = "tool", "values compared", "largest difference", "how it was called", "test"
    values = sum(found["printed"] + found["doubles"] for found in compared.values())
    yield "oracles", PAGE.format(values=values, table=markdown_table(head, rows))


def agreement_text(printed: int, digits: int, doubles: int, largest: float) -> str:
    """How well values agree: printed ones to their last digit, doubles to the largest difference."""
    parts = [f"none in {digits} decimals"] if printed else []
    parts += [f"{largest:.0e}".replace("e-0", "e-")] if doubles else []
    return "; doubles: ".join(parts)


def tool_rows() -> dict[str, tuple[str, str]]:
    """The tool and how it was called, by folder of tests/oracles; two tools of one row are distinguished."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and not cells[0].startswith("-"):
            folders, tools = cells[0].split(", "), cells[1].split(", ")
            calls = cells[2].split("; ")
            apart = len(folders) == len(tools) == 2
            for place, folder in enumerate(folders):
                call = calls[place] if apart and len(calls) == 2 else cells[2]
                found[folder] = (tools[place] if apart else cells[1], call)
    return found
