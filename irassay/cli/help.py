"""The help of a command, written from the index."""

import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

CHOICES_WIDTH = 64  # characters of choices that are listed beside their option; longer lists follow its sentence
MAX_WIDTH = 110  # columns of the terminal that help uses
VALUE_PLACEHOLDERS = {"whole": "N", "number": "X", "numbers": "X,…", "wholes": "N,…"}
SENTENCE_COLUMN = 30  # where sentences begin, at most


def command_help(command: str, entry: Mapping[str, Any]) -> str:
    """How to use a command: its arguments under their headings, further paragraphs, and examples."""
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    arguments = entry["arguments"]
    places = [a["metavar"] + (" …" if a.get("repeats") else "") for a in arguments if not a.get("flags")]
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for argument in arguments:
        panel = argument.get("panel") or ("Options" if argument.get("flags") else "Arguments")
        panels.setdefault(panel, []).append(_row(argument))
    output = panels.pop("Output", [])
    order = ["Arguments", "Options", *sorted({*panels} - {"Arguments", "Options"})]
    panels = {panel: panels[panel] for panel in order if panels[panel]}
    panels["Output"] = [*output, ("--help, -h", "Show this.")]
    column = min(
        max(len(words) for rows in panels.values() for words, _ in rows) + 4, SENTENCE_COLUMN, max(width - 20, 4)
    )
    parts = [" ".join([f"irassay {command}", *places, "[OPTIONS]"]), _paragraphs(entry["about"], width)]
    for panel, rows in panels.items():
        heading = f"\033[1m{panel}\033[0m:" if sys.stdout.isatty() else f"{panel}:"
        parts.append("\n".join([heading, *(line for row in rows for line in _lines(*row, column, width))]))
    examples = [f"  {line}" for line in entry.get("examples", ())]
    parts += [_paragraphs(entry["more"], width)] if entry.get("more") else []
    parts += ["\n".join(["Example:" if len(examples) == 1 else "Examples:", *examples])] if examples else []
    return "\n\n".join(parts)


def _row(argument: Mapping[str, Any]) -> tuple[str, str]:
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


def _lines(words: str, sentence: str, column: int, width: int) -> list[str]:
    """An argument with its sentence beside it, or below it if the argument is too long."""
    beside = [" " * column + line for line in textwrap.wrap(sentence, max(width - column, 11))]
    if len(words) > column - 4:
        return [f"  {words}", *beside]
    return [f"  {words:<{column - 2}}{beside[0].lstrip()}", *beside[1:]]


def _paragraphs(text: str, width: int) -> str:
    """The paragraphs, refilled if they are too wide; indented ones, which are examples, stay as they are."""
    parts = text.split("\n\n")
    filled = [part if _fits(part, width) else textwrap.fill(part, width, break_on_hyphens=False) for part in parts]
    return "\n\n".join(filled)


def _fits(paragraph: str, width: int) -> bool:
    lines = paragraph.split("\n")
    return any(line.startswith(" ") for line in lines) or all(len(line) <= width for line in lines)
