"""Parsers made from the index, with help: argparse, imported for help and for words that need a closer look."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from irassay.cli.parser import Packed, key_of
from irassay.errors import InputError

WIDEST = 64  # letters of the choices that stand beside an option


class Parser(argparse.ArgumentParser):
    """An argparse parser that says what is wrong in one sentence and lets main end the program."""

    def error(self, message: str) -> NoReturn:
        """Refuses a command line."""
        raise InputError(f"{message}; {self.prog} --help lists what it takes")


def parser_of(command: str, entry: Mapping[str, Any]) -> Parser:
    """The parser of one command."""
    parser = Parser(
        f"irassay {command}",
        description=entry["about"],
        epilog=more(entry),
        usage="",  # Help has its own
        formatter_class=Help,
        add_help=False,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    panels = [a.get("panel") or ("Options" if a.get("flags") else "Arguments") for a in entry["arguments"]]
    first = ["Arguments", "Options"]
    order = [*(panel for panel in first if panel in panels), *sorted({*panels} - {*first, "Output"}), "Output"]
    groups = {panel: parser.add_argument_group(panel) for panel in order}
    for panel, argument in zip(panels, entry["arguments"], strict=True):
        _add(groups[panel], argument)
    groups["Output"].add_argument("--help", "-h", action="store_true", help="Show this.")
    return parser


def more(entry: Mapping[str, Any]) -> str:
    """What help says after the options: the rest of what the command says of itself, and examples."""
    examples = [f"  {line}" for line in entry.get("examples", ())]
    heading = ["Example:" if len(examples) == 1 else "Examples:"] if examples else []
    return "\n".join([*([entry["more"], ""] if entry.get("more") else []), *heading, *examples])


def _add(group: Any, argument: Packed) -> None:
    kind, flags = argument["kind"], argument.get("flags", ())
    shown = argument.get("default", "")
    sentence = argument["help"] + (f" [{shown}]" if shown else "")
    words: dict[str, Any] = {"help": sentence.replace("%", "%%")}
    metavar = argument.get("metavar") or {"whole": "N", "number": "X", "numbers": "X,…", "wholes": "N,…"}.get(kind, "")
    if kind == "choice" and flags:
        metavar = "|".join(argument["choices"])
        if len(metavar) > WIDEST:
            words["help"] = f"{words['help']} One of {', '.join(argument['choices'])}."
            metavar = argument["name"].upper()
    if not flags:
        required = argument.get("required", False)
        many = "+" if required else "*"
        nargs = many if argument.get("repeats") else (None if required else "?")
        group.add_argument(key_of(argument), nargs=nargs, metavar=metavar or None, **words)
    elif kind == "flag":
        group.add_argument(*flags, dest=key_of(argument), action="store_true", **words)
    elif kind == "switch":
        group.add_argument(*flags, dest=key_of(argument), action=_Switch, nargs=0, **words)
    else:
        action = "append" if argument.get("repeats") else "store"
        group.add_argument(*flags, dest=key_of(argument), action=action, metavar=metavar or "TEXT", **words)


class _Switch(argparse.Action):
    def __call__(self, parser: Any, space: Any, values: Any, flag: str | None = None) -> None:
        setattr(space, self.dest, not (flag or "").startswith("--no-"))


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the window, options and their sentences side by side, headings in bold on a terminal."""

    def __init__(self, prog: str) -> None:
        import shutil

        super().__init__(prog, max_help_position=30, width=min(shutil.get_terminal_size().columns, 110))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs as they are written where they fit, filled anew where not; examples, which are indented, as is."""
        import textwrap

        parts = text.split("\n\n")
        fits = ["\n " in f"\n{part}" or all(len(line) <= width for line in part.split("\n")) for part in parts]
        return "\n\n".join(
            part if whole else textwrap.fill(part, width, break_on_hyphens=False)
            for part, whole in zip(parts, fits, strict=True)
        )

    def start_section(self, heading: str | None) -> None:
        """Begins a group of options."""
        bold = heading and sys.stdout.isatty()
        super().start_section(f"\033[1m{heading}\033[0m" if bold else heading)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        places = [str(a.metavar) + (" …" if a.nargs in ("+", "*") else "") for a in actions if not a.option_strings]
        return f"{self._prog} {' '.join([*places, '[OPTIONS]'])}\n\n"
