"""The list of commands and the help of each, written from the index."""

import re
import shutil
import sys
from collections.abc import Mapping
from textwrap import TextWrapper
from typing import Any

from irassay.declarations import index

# In the order in which help lists them.
COMMAND_ORDER = (
    "demo", "score", "compare", "table", "claim", "check", "diff", "topics", "plan", "judges", "meta", "axioms",
    "explain", "metrics", "report", "lab", "reproduce", "validate", "convert", "trec_eval", "cite", "completion",
)  # fmt: skip
ABOUT = "Scores search runs, and tests the metrics that score them."
ABOUT_META = "Test metrics: what each is good for."
CHOICES_WIDTH = 64  # characters of choices that are listed beside their option; longer lists follow its sentence
MAX_WIDTH = 110  # columns of the terminal that help uses
VALUE_PLACEHOLDERS = {"whole": "N", "number": "X", "numbers": "X,…", "wholes": "N,…"}
SENTENCE_COLUMN = 30  # where sentences begin, at most


class HelpWrapper(TextWrapper):
    """Wraps only at spaces, and after the commas of a list of names: no name, number or option is broken."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=,)(?=[^\s\d]))")

    def __init__(self, width: int) -> None:
        super().__init__(width, break_on_hyphens=False, break_long_words=False)


def command_list(commands: Mapping[str, Any], group: str = "") -> str:
    """The commands, or those of a group such as 'meta ', each with its question."""
    members = {name: entry["question"] for name, entry in commands.items() if name.startswith(group)}
    questions = {name.removeprefix(group) if group else name.split()[0]: text for name, text in members.items()}
    if not group:
        questions["meta"] = ABOUT_META
    order = sorted(questions, key=lambda name: COMMAND_ORDER.index(name) if name in COMMAND_ORDER else 99)
    column, width = max(map(len, order)) + 4, _terminal_width()
    lines = [line for name in order for line in _argument_lines(name, questions[name], column, width)]
    about, details = ABOUT_META if group else ABOUT, f"Run irassay help {group}COMMAND for details."
    return "\n".join([f"irassay {group}COMMAND …", "", about, "", *lines, "", details, *_page_address("")])


def command_help(command: str, entry: Mapping[str, Any]) -> str:
    """How to use a command: its arguments under their headings, further paragraphs, and examples."""
    width = _terminal_width()
    arguments = entry["arguments"]
    places = [_placeholder(argument) for argument in arguments if not argument.get("flags")]
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for argument in arguments:
        panel = argument.get("panel") or ("Options" if argument.get("flags") else "Arguments")
        panels.setdefault(panel, []).append(_argument_row(argument))
    output = panels.pop("Output", [])
    order = ["Arguments", "Options", *sorted({*panels} - {"Arguments", "Options"})]
    panels = {panel: panels[panel] for panel in order if panels[panel]}
    panels["Output"] = [*output, ("--help, -h", "Show this.")]
    column = min(
        max(len(words) for rows in panels.values() for words, _ in rows) + 4, SENTENCE_COLUMN, max(width - 20, 4)
    )
    parts = [" ".join([f"irassay {command}", *places, "[OPTIONS]"]), _refilled_paragraphs(entry["about"], width)]
    for panel, rows in panels.items():
        heading = f"\033[1m{panel}\033[0m:" if sys.stdout.isatty() else f"{panel}:"
        parts.append("\n".join([heading, *(line for row in rows for line in _argument_lines(*row, column, width))]))
    examples = [f"  {line}" for line in entry.get("examples", ())]
    parts += [_refilled_paragraphs(entry["more"], width)] if entry.get("more") else []
    parts += ["\n".join(["Example:" if len(examples) == 1 else "Examples:", *examples])] if examples else []
    page = f"generated/commands/{command.replace(' ', '-')}.html" if command in index()["commands"] else ""
    return "\n\n".join([*parts, *_page_address(page)])


def _page_address(page: str) -> list[str]:
    """The line with the address of a page of the documentation, if pyproject.toml says where that is."""
    site = index()["urls"].get("Documentation", "")
    return [f"Documentation: {site.rstrip('/')}/{page}"] if site else []


def _terminal_width() -> int:
    return min(shutil.get_terminal_size().columns, MAX_WIDTH)


def _placeholder(argument: Mapping[str, Any]) -> str:
    """An argument by place as the first line shows it, in brackets if it may be left out."""
    words = argument["metavar"] + (" …" if argument.get("repeats") else "")
    return words if argument.get("required") else f"[{words}]"


def _argument_row(argument: Mapping[str, Any]) -> tuple[str, str]:
    """An argument as it is typed, and its sentence."""
    kind, flags, default = argument["kind"], argument.get("flags", ()), argument.get("default", "")
    sentence = argument["help"] + (f" [{default}]" if default else "")
    value = argument.get("metavar") or VALUE_PLACEHOLDERS.get(kind, "TEXT")
    if not flags:
        return value, sentence
    if kind in ("flag", "switch"):
        return ", ".join(flags), sentence
    if kind == "choice":
        value = "|".join(argument["choices"])
        if len(value) > CHOICES_WIDTH:
            sentence += f" One of {', '.join(argument['choices'])}."
            value = argument["name"].upper()
    return ", ".join(f"{flag} {value}" for flag in flags), sentence


def _argument_lines(words: str, sentence: str, column: int, width: int) -> list[str]:
    """An argument with its sentence beside it, or below it if the argument is too long."""
    beside = [" " * column + line for line in HelpWrapper(max(width - column, 11)).wrap(sentence)]
    if len(words) > column - 4:
        return [f"  {words}", *beside]
    return [f"  {words:<{column - 2}}{beside[0].lstrip()}", *beside[1:]]


def _refilled_paragraphs(text: str, width: int) -> str:
    """The paragraphs, refilled if they are too wide; indented ones, which are examples, stay as they are."""
    parts = text.split("\n\n")
    filled = [part if _fits_width(part, width) else HelpWrapper(width).fill(part) for part in parts]
    return "\n\n".join(filled)


def _fits_width(paragraph: str, width: int) -> bool:
    lines = paragraph.split("\n")
    return any(line.startswith(" ") for line in lines) or all(len(line) <= width for line in lines)
