"""What a command takes, derived from declarations: plain records that `index.json` holds and parsers are built from."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from irassay.argument_types import FromFile, choices, without_none
from irassay.settings import Setting, declared_settings, settings_of
from irassay.views.formats import FORMATS

Kind = Literal["flag", "switch", "whole", "number", "wholes", "numbers", "choice", "path", "text"]
Part = Literal["input", "setting", "view", "envelope"]


@dataclass(frozen=True)
class Argument:
    """One option, or one place for file names, of a command."""

    name: str
    part: Part
    kind: Kind
    help: str
    flags: tuple[str, ...] = ()  # none: given by place
    repeats: bool = False
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str = ""  # as help shows it
    panel: str = ""
    low: float | None = None
    high: float | None = None
    metavar: str = ""
    place: int = 0
    greedy: bool = False  # every word up to the next option is a value

    def packed(self) -> dict[str, Any]:
        """The record without what has its default, for the index."""
        blank = Argument("", "setting", "text", "")
        keep = {key: value for key, value in asdict(self).items() if value != getattr(blank, key)}
        return {"name": self.name, "part": self.part, "kind": self.kind, "help": self.help} | keep


ENVELOPE = (
    Argument(
        "format", "envelope", "choice", "How to print it.", ("--format",), panel="Output", default="table",
        choices=tuple(FORMATS),
    ),
    Argument(
        "plot", "envelope", "path", "Also draw it: FILE.svg, .png, .pdf or .html.", ("--plot",), panel="Output",
        metavar="FILE",
    ),
    Argument(
        "save", "envelope", "path", "Keep the result as JSON, to be read back.", ("--save",), panel="Output",
        metavar="FILE",
    ),
    Argument(
        "quiet", "envelope", "flag", "Leave out notes and progress; the answer stays, and JSON has its notes.",
        ("--quiet", "-q"), panel="Output",
    ),
    Argument(
        "define", "envelope", "path", "Python file with metrics and methods of your own; may be repeated.",
        ("--define",), True, panel="Output", metavar="FILE",
    ),
    Argument(
        "jobs", "envelope", "whole", "Workers; the result is the same.", ("--jobs",), panel="Output", low=1,
        default="2",
    ),
)  # fmt: skip


def from_setting(setting: Setting, part: Part) -> Argument:
    """The option that a keyword declares."""
    kind, several = _kind(setting.kind, setting.default)
    option = setting.option
    words = option.words() if option.words else choices(_inner(setting.kind))
    flags = (setting.flag, *([option.short] if option.short else []), *option.also)
    if kind == "switch":
        flags = (setting.flag, f"--no-{setting.flag.removeprefix('--')}")
    return Argument(
        name=setting.name,
        part=part,
        kind="choice" if option.words else kind,
        help=option.help,
        flags=flags,
        repeats=several or option.greedy,
        choices=words,
        default=option.shown or _shown(setting.default),
        panel=option.panel,
        low=option.low,
        high=option.high,
        metavar=option.metavar or ("FILE" if kind == "path" else ""),
        greedy=option.greedy,
    )


def keywords(function: Callable[..., Any], part: Part) -> list[Argument]:
    """The options that a function's keywords declare; those without a sentence are not for people."""
    return [from_setting(setting, part) for setting in settings_of(function) if setting.option.help]


def places(function: Callable[..., Any], part: Part = "input") -> list[Argument]:
    """The arguments by place that a function declares before its `*` with a sentence."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            continue
        missing = parameter.default is parameter.empty
        (setting,) = declared_settings(parameter.name, hints[parameter.name], "" if missing else parameter.default)
        option = setting.option
        if not option.help:
            continue
        kinds = (setting.kind, *get_args(setting.kind))
        several = option.several or any(get_origin(kind) in (tuple, list, Sequence) for kind in kinds)
        if option.flag:
            found.append(replace(from_setting(setting, part), kind="text", repeats=several, choices=()))
            continue
        found.append(
            Argument(
                setting.name, part, "choice" if choices(setting.kind) else "text", option.help,
                repeats=several, required=missing, choices=choices(setting.kind),
                default=option.shown or ("" if missing else _shown(parameter.default)),
                metavar=option.metavar or setting.name.upper(), place=option.place,
            )
        )  # fmt: skip
    return sorted(found, key=lambda argument: argument.place)


def distinct_arguments(path: str, arguments: Iterable[Argument]) -> list[Argument]:
    """The arguments of a command; TypeError if two share a name or a flag."""
    listed = list(arguments)
    for i, argument in enumerate(listed):
        for other in listed[:i]:
            same_part = argument.part == other.part
            shared = ({argument.name} & {other.name} if same_part else set()) or {*argument.flags} & {*other.flags}
            if shared:
                raise TypeError(f"irassay {path}: two arguments are called {shared.pop()}")
    return listed


def _inner(kind: Any) -> Any:
    kind, _ = without_none(kind)
    inner = get_args(kind)
    return inner[0] if get_origin(kind) in (tuple, list) and inner else kind


def _kind(kind: Any, default: Any) -> tuple[Kind, bool]:
    """How a value of this type is written, and whether it may be given several times."""
    kind, _ = without_none(kind)
    several = get_origin(kind) in (tuple, list)
    inner = _inner(kind)
    if inner is bool:
        return ("switch" if default is True else "flag"), False
    if several and inner in (float, int):
        return ("numbers" if inner is float else "wholes"), False
    if choices(inner):
        return "choice", several
    if inner is int or inner is float:
        return ("whole" if inner is int else "number"), False
    kinds = (inner, *get_args(inner))
    if any(isinstance(each, type) and issubclass(each, Path | FromFile) for each in kinds):
        return "path", several
    if any(choices(each) for each in kinds):
        return "choice", False
    return "text", several


def _shown(value: Any) -> str:
    if value is None or value is False or value is True or value == ():
        return ""
    if isinstance(value, tuple | list):
        return ",".join(map(_shown, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
