"""One page per command and their overview, from the index: question, settings, executed examples, references."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markdown_text import bibtex, index_entries, markdown_table
from method_advice import advice_blocks

from irassay.cli.help import COMMAND_ORDER
from irassay.declarations import index
from irassay.simulation import simulate
from tests.support.example_files import write_example_files

ROOT = Path(__file__).parents[2]
VERIFICATION = ROOT / "docs" / "verification.md"
# Examples that write outside the folder, serve a page, or need published data.
NOT_RUN = ("irassay completion", "irassay demo", "irassay lab", "irassay reproduce")
COLUMNS = 80  # of a terminal
LINES = 24  # of an example's output; what follows is counted
SHORT = 600  # characters of explanation that come before the examples; a longer one comes after them
OVERVIEW = """# Commands and methods

Every command is a function in Python too: `irassay compare` is `irassay.compare`, and `irassay meta consistency` is
`irassay.meta.consistency`. Options and keywords have the same names, with `_` for `-`.
"""


def method_pages(pictures: Path) -> Iterator[tuple[str, str]]:
    """The file name and the text of the overview and of each command's page; draws their pictures."""
    commands = index()["commands"]
    yield "index", overview(commands)
    with tempfile.TemporaryDirectory() as folder:
        for command, entry in commands.items():
            yield page_name(command), command_page(command, entry, pictures, Path(folder))


def page_name(command: str) -> str:
    """The file name of a command's page."""
    return command.replace(" ", "-")


def overview(commands: Mapping[str, Any]) -> str:
    """The page that lists all commands with their questions."""
    blocks, contents = [OVERVIEW], []
    for heading, is_meta in (("Commands", False), ("Tests of metrics: irassay meta", True)):
        members = [name for name in sorted(commands, key=help_place) if name.startswith("meta ") == is_meta]
        rows = ((f"[{name}]({page_name(name)}.md)", commands[name]["question"]) for name in members)
        blocks += [f"## {heading}", markdown_table(("command", "question"), rows)]
        names = "\n".join(map(page_name, members))
        contents.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{names}\n```")
    return "\n\n".join([*blocks, *contents]) + "\n"


def help_place(command: str) -> int:
    """The place of a command in `irassay --help`; those that it does not list come last."""
    return COMMAND_ORDER.index(command) if command in COMMAND_ORDER else len(COMMAND_ORDER)


def command_page(command: str, entry: Mapping[str, Any], pictures: Path, folder: Path) -> str:
    """The page of one command."""
    blocks = [f"# {command}", index_entries([command, command.split()[-1]]), f"**{entry['question']}**", entry["about"]]
    is_long = len(entry["more"]) > SHORT
    blocks += [] if is_long else [entry["more"]]
    blocks += [*advice_blocks(command), *example_blocks(command, entry, pictures, folder)]
    blocks += ["## Details", entry["more"]] if is_long else []
    blocks += ["## Arguments and options", *argument_tables(entry)]
    if rows := verification_tables(command.split()[-1]):
        blocks += ["## How it was checked", *rows]
    if entry["cite"]:
        blocks += ["## References", *map(bibtex, entry["cite"])]
    return "\n\n".join(block.strip() for block in blocks if block.strip()) + "\n"


def argument_tables(entry: Mapping[str, Any]) -> Iterator[str]:
    """The arguments, by the headings of the command's help."""
    panels: dict[str, list[tuple[str, ...]]] = {}
    for record in entry["arguments"]:
        heading = record.get("panel") or ("Options" if record.get("flags") else "Arguments")
        panels.setdefault(heading, []).append(argument_row(record))
    order = ("Arguments", "Options", *sorted(set(panels) - {"Arguments", "Options", "Output"}), "Output")
    for heading in order:
        if rows := panels.get(heading):
            yield f"### {heading}" if heading != "Arguments" else ""
            yield markdown_table(("argument", "in Python", "default", "meaning"), rows)


def argument_row(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The row of an argument."""
    spelling = (
        ", ".join(f"`{flag}`" for flag in record.get("flags", ()))
        or f"`{record.get('metavar', record['name'].upper())}`"
    )
    default = f"`{record['default']}`" if record.get("default") else ""
    choices = "".join(f" `{word}`" for word in record.get("choices", ()))
    return spelling, f"`{record['name']}`", default, record["help"] + (f" One of:{choices}." if choices else "")


def example_blocks(command: str, entry: Mapping[str, Any], pictures: Path, folder: Path) -> Iterator[str]:
    """Each example with its output, and the picture of the first that has one; those of before if nothing changed."""
    yield "## Examples"
    runnable = [line for line in entry["examples"] if not line.startswith(NOT_RUN)]
    for line in (line for line in entry["examples"] if line not in runnable):
        yield f"```console\n$ {line}\n```"
    plots = any(record["name"] == "plot" for record in entry["arguments"])
    drawn = not plots
    for number, line in enumerate(runnable):
        picture = None if drawn else pictures / f"{page_name(command)}{number or ''}.svg"
        output = first_lines(example_output(line, entry, picture, folder))
        yield f"```console\n$ {line}\n```\n\n```text\n{output}\n```"
        if picture is not None and picture.exists():
            drawn = True
            yield f"![{entry['question']}](../pictures/{picture.name})"


def first_lines(text: str) -> str:
    """The first lines of an output, sentences wrapped, and how many more there are if they are more than a few."""
    lines = [part for line in text.splitlines() for part in (wrapped_sentence(line) if line else [""])]
    left_out = len(lines) - LINES
    shown = lines if left_out <= 4 else [*lines[:LINES], f"[{left_out} more lines]"]
    return "\n".join(shown)


def wrapped_sentence(line: str) -> list[str]:
    """A line over several if it is a sentence; rows of tables, which have wide gaps or `&`, stay as they are."""
    return [line] if "  " in line or "&" in line or "\t" in line else textwrap.wrap(line, COLUMNS)


def example_output(line: str, entry: Mapping[str, Any], picture: Path | None, folder: Path) -> str:
    """What an example prints at 80 columns; it runs again only if the command or its module changed."""
    module = find_spec(entry["where"].partition(":")[0])
    assert module is not None and module.origin is not None
    key = hashlib.sha256(
        json.dumps([line, entry, Path(module.origin).read_text(encoding="utf-8")]).encode()
    ).hexdigest()
    kept = ROOT / "docs" / "_build" / "examples" / f"{key[:32]}.txt"
    if not kept.exists() or (picture is not None and not picture.exists() and "\tno picture" not in kept.read_text()):
        if not any(folder.iterdir()):
            write_example_files(folder, simulate(1, 30, 12))
        words = [word for word in shlex.split(line.partition(" > ")[0])[1:] if not word.endswith((".svg", ".png"))]
        words = [word for word in words if word != "--plot"]
        plot = ["--plot", str(picture)] if picture is not None else []
        environment = os.environ | {"COLUMNS": "80", "PYTHONPATH": str(ROOT)}
        called = [sys.executable, "-m", "irassay", *words]
        result = subprocess.run([*called, *plot], cwd=folder, env=environment, capture_output=True, text=True)
        if result.returncode == 2 and plot:  # a result without a picture
            result = subprocess.run(called, cwd=folder, env=environment, capture_output=True, text=True)
        if result.returncode not in (0, 1):
            raise RuntimeError(f"{line}: {result.stderr}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(
            result.stdout.rstrip() + ("" if picture is None or picture.exists() else "\n\tno picture"), encoding="utf-8"
        )
    return kept.read_text(encoding="utf-8").removesuffix("\n\tno picture")


def verification_tables(method: str) -> list[str]:
    """The rows of docs/verification.md that are about a method, under their own headings."""
    tables, head = [], ""
    rows: list[list[str]] = []
    for line in [*VERIFICATION.read_text(encoding="utf-8").splitlines(), ""]:
        if not line.startswith("|"):
            if rows:
                tables.append(markdown_table(head, rows))
            head, rows = "", []
        elif not head:
            head = [cell.strip() for cell in line.strip("|").split("|")]
        elif method in line.split("|")[1] and not line.startswith("|---"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return tables
