"""Parsers made from the index: what is given, by name; everything else is refused with one sentence."""

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from irassay.errors import InputError
from irassay.prose import ends

Packed = Mapping[str, Any]  # an argument as the index holds it
PARTS = ("input", "setting", "view", "envelope")
NUMBER = {"whole": (int, "a whole number"), "number": (float, "a number")}


class Parser(argparse.ArgumentParser):
    """An argparse parser that says what is wrong in one sentence and lets main end the program."""

    def error(self, message: str) -> NoReturn:
        """Refuses a command line."""
        raise InputError(f"{message}; {self.prog} --help lists what it takes")


def given(command: str, entry: Mapping[str, Any], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the words on the command line say, by part and name of the argument; what was not given is not there."""
    parser = parser_of(command, entry)
    joined = list(_joined(entry["arguments"], words))
    known, unknown = parser.parse_known_intermixed_args(joined)
    for word in unknown:
        _refuse(command, word, entry["arguments"])
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for argument in entry["arguments"]:
        if not hasattr(known, _key(argument)):
            continue
        value = getattr(known, _key(argument))
        if argument["kind"] not in ("flag", "switch"):
            several = isinstance(value, list)
            if argument.get("flags") and several and ([] in value or not value):  # argparse reads `--save --` so
                raise InputError(f"{argument['flags'][0]} needs a value")
            read = [_value(argument, text) for text in (value if several else [value])]
            value = tuple(read) if several else read[0]
        if value != () or argument.get("flags"):
            found[argument["part"]][argument["name"]] = value
    return found


def parser_of(command: str, entry: Mapping[str, Any]) -> Parser:
    """The parser of one command."""
    parser = Parser(
        f"irassay {command}",
        description=entry["about"],
        epilog=more(entry),
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
        group.add_argument(_key(argument), nargs=nargs, metavar=metavar or None, **words)
    elif kind == "flag":
        group.add_argument(*flags, dest=_key(argument), action="store_true", **words)
    elif kind == "switch":
        group.add_argument(*flags, dest=_key(argument), action=_Switch, nargs=0, **words)
    else:
        action = "append" if argument.get("repeats") else "store"
        group.add_argument(*flags, dest=_key(argument), action=action, metavar=metavar or "TEXT", **words)


class _Switch(argparse.Action):
    def __call__(self, parser: Any, space: Any, values: Any, flag: str | None = None) -> None:
        setattr(space, self.dest, not (flag or "").startswith("--no-"))


def _joined(arguments: Sequence[Packed], words: Sequence[str]) -> Any:
    """The words with every option and its value in one, so that a value may begin with a dash."""
    takes = {
        flag: a["flags"][0] for a in arguments for flag in a.get("flags", ()) if a["kind"] not in ("flag", "switch")
    }
    greedy = {flag for a in arguments if a.get("greedy") for flag in a["flags"]}
    rest, before = iter(words), ""
    for word in rest:
        if word.startswith("-") and len(word) > 1:
            before = word.split("=")[0]
        elif before in greedy:
            yield f"{takes[before]}={word}"
            continue
        if word == "--":
            yield from (word, *rest)
            return
        short = next((f for f in takes if len(f) == 2 and word.startswith(f) and len(word) > 2), None)
        if word in takes:
            value = next(rest, None)
            if value is None:
                raise InputError(f"{word} needs a value after it")
            yield f"{takes[word]}={value}"
        elif short:
            yield f"{takes[short]}={word[2:].removeprefix('=')}"
        else:
            yield word


def _value(argument: Packed, text: str) -> Any:
    """A value in its own type, or one sentence on what was expected."""
    kind, name = argument["kind"], _name(argument)
    if kind == "choice" and text not in argument["choices"]:
        near = difflib.get_close_matches(text, argument["choices"], 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"{name} {text}: choose one of {', '.join(argument['choices'])}{hint}")
    if kind in ("numbers", "wholes"):
        read = float if kind == "numbers" else int
        try:
            return tuple(read(part) for part in text.split(","))
        except ValueError:
            what = "numbers" if kind == "numbers" else "whole numbers"
            raise InputError(f"{name} {text}: {what} separated by commas are expected, such as 0.01,0.05") from None
    if kind in NUMBER:
        make, words = NUMBER[kind]
        try:
            value = make(text)
        except ValueError:
            raise InputError(f"{name} {text}: {words} is expected") from None
        least, most = argument.get("least"), argument.get("most")
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            raise InputError(f"{name} {text}: {words}, {ends(least, most)}, is expected")
        return value
    return text


def _key(argument: Packed) -> str:
    return f"{argument['part']}:{argument['name']}"


def _name(argument: Packed) -> str:
    return str(argument["flags"][0]) if argument.get("flags") else str(argument.get("metavar") or argument["name"])


def _takers(flag: str) -> list[str]:
    """The commands that take an option, those of meta last."""
    from irassay.declarations import index

    found = [
        name
        for name, entry in index()["commands"].items()
        if any(flag in argument.get("flags", ()) for argument in entry["arguments"])
    ]
    return sorted(found, key=lambda name: name.startswith("meta "))


def _refuse(command: str, word: str, arguments: Sequence[Packed]) -> NoReturn:
    flag = word.split("=")[0]
    if not flag.startswith("-"):
        raise InputError(f"irassay {command} does not know what to do with {word}; irassay {command} --help lists all")
    known = [f for a in arguments for f in a.get("flags", ())]
    near = difflib.get_close_matches(flag, known, 1)
    others = _takers(flag)
    hint = f"did you mean {near[0]}?" if near else f"irassay {command} --help lists its options"
    if others:
        hint = f"irassay {' and '.join(others[:3])} {'does' if len(others) == 1 else 'do'}"
    raise InputError(f"irassay {command} takes no {flag}; {hint}")


WIDEST = 64  # letters of the choices that stand beside an option


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
