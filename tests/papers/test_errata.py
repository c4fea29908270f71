"""The commands of the errata print what the errata say they print."""

import io
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from irassay.cli.program import run
from irassay.errors import spelled_as

ROOT = Path(__file__).parents[2]
PROMPT = "$ irassay "


def shown() -> list[tuple[str, tuple[str, ...]]]:
    """Every command in the errata, with the lines that it prints."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "errata.md").read_text(encoding="utf-8"), re.DOTALL)
    found: list[tuple[str, list[str]]] = []
    for line in (line.strip() for block in blocks for line in block.strip().splitlines()):
        if line.startswith(PROMPT):
            found.append((line.removeprefix(PROMPT), []))
        else:
            found[-1][1].append(line)
    return [(command, tuple(lines)) for command, lines in found]


@cache
def printed(command: str) -> str:
    """All that a command prints, with single spaces."""
    out, arguments = io.StringIO(), shlex.split(command)
    with chdir(ROOT), redirect_stdout(out), redirect_stderr(out), spelled_as("option"):
        run(arguments)
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize(("command", "lines"), shown())
def test_the_command_shows_it(command: str, lines: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    if "DATA" in command:
        command = command.replace("DATA", shlex.quote(str(request.getfixturevalue("shared") / "data")))
    assert lines
    for line in lines:
        assert line in printed(command)
