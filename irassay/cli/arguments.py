"""The arguments of a command, derived from declarations: plain records that `index.json` holds for the parser."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from inspect import Parameter
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from irassay.argument_types import FromFile, allowed_words, without_none
from irassay.domains import OpenEnds
from irassay.errors import option_flag
from irassay.settings import Setting, parameter_settings, settings_of
from irassay.views.formats import FORMATS

ValueKind = Literal["flag", "switch", "whole", "number", "wholes", "numbers", "choice", "path", "text"]
CommandPart = Literal["input", "setting", "view", "envelope"]
NUMBER_KINDS: dict[Any, tuple[ValueKind, ValueKind]] = {int: ("whole", "wholes"), float: ("number", "numbers")}


@dataclass(frozen=True)
class CommandArgument:
    """One option of a command, or one place for words such as file names."""

    name: str
    part: CommandPart
    kind: ValueKind
    help: str
    flags: tuple[str, ...] = ()  # none: the argument is given by place
    repeats: bool = False
    required: bool = False
    choices: tuple[str, ...] = ()
    choices_grow: bool = False  # whether installed packages may add choices
    default: str = ""  # as help shows it
    panel: str = ""
    low: float | None = None
    high: float | None = None
    open: OpenEnds = ""
    pattern: str = ""
    example: str = ""
    metavar: str = ""
    files: bool = False  # whether its values name files
    place: int = 0
    greedy: bool = False  # every word up to the next option is a value
    network: bool = False  # whether it has the command download something

    def packed(self) -> dict[str, Any]:
        """The record for the index, without fields that have their default."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}


def _output_option(name: str, kind: ValueKind, help: str, *short: str, **more: Any) -> CommandArgument:
    more = {"metavar": "FILE" if kind == "path" else ""} | more
    return CommandArgument(name, "envelope", kind, help, (option_flag(name), *short), panel="Output", **more)


ENVELOPE = (
    _output_option("format", "choice", "Output format.", default="table", choices=tuple(FORMATS)),
    _output_option("safe_csv", "flag", "In CSV and TSV, put ' before text that a spreadsheet would run as a formula."),
    _output_option("plot", "path", "Also plot it: FILE.svg, .png, .pdf or .html."),
    _output_option("save", "path", "Save the result as JSON, for irassay.load."),
    _output_option(
        "full",
        "flag",
        "Show every table, row and sentence; other formats always do, but CSV and TSV have only the main table.",
    ),
    _output_option("notes", "flag", "Show every note, not only those that change what a number means."),
    _output_option(
        "sort",
        "text",
        "Sort tables by this column: numbers from the largest, p-values and words from the smallest; -COLUMN reverses.",
        metavar="COLUMN",
    ),
    _output_option(
        "quiet", "flag", "Hide notes and progress; the answer is still printed, and JSON keeps its notes.", "-q"
    ),
    _output_option("define", "path", "Python file with your own metrics and methods; may be repeated.", repeats=True),
    _output_option("jobs", "whole", "Number of workers; does not change the result.", low=1, default="2"),
    _output_option(
        "cluster",
        "text",
        "Run on a dask cluster: the address of its scheduler, or local; does not change the result.",
        metavar="ADDRESS",
    ),
)


def argument_of_setting(setting: Setting, part: CommandPart) -> CommandArgument:
    """The option that a keyword declares."""
    kind, several = _kind_and_repeats(setting.kind, setting.default)
    option = setting.option
    words = option.words() if option.words else allowed_words(_inner_type(setting.kind))
    flags = (setting.flag, *([option.short] if option.short else []), *option.also)
    if kind == "switch":
        flags = (setting.flag, f"--no-{setting.flag.removeprefix('--')}")
    return CommandArgument(
        name=setting.name,
        part=part,
        kind="choice" if option.words else kind,
        help=option.help,
        flags=flags,
        repeats=several or option.greedy,
        required=bool(option.needed),
        choices=words,
        choices_grow=option.words is not None,
        default=option.shown or _default_text(setting.default),
        panel=option.panel,
        low=option.low,
        high=option.high,
        open=option.open,
        pattern=option.pattern,
        example=option.example,
        metavar=option.metavar or ("FILE" if kind == "path" else ""),
        files=option.files or kind == "path",
        place=option.place,
        greedy=option.greedy,
        network=option.network,
    )


def keyword_arguments(function: Callable[..., Any], part: CommandPart) -> list[CommandArgument]:
    """The options that a function's keywords declare; a keyword without a sentence has none."""
    return [argument_of_setting(setting, part) for setting in settings_of(function) if setting.option.help]


def placed_arguments(function: Callable[..., Any], part: CommandPart = "input") -> list[CommandArgument]:
    """The arguments by place: the parameters with a sentence that a function declares before its `*`."""
    arguments = []
    for setting in parameter_settings(function, by_place=True):
        kinds = (setting.kind, *get_args(setting.kind))
        several = setting.option.several or any(get_origin(kind) in (tuple, list, Sequence) for kind in kinds)
        argument = replace(argument_of_setting(setting, part), kind="text", repeats=several)
        if setting.option.flag:
            argument = replace(argument, choices=())
        else:
            required = setting.default is Parameter.empty
            kind: ValueKind = "choice" if argument.choices else "text"
            metavar = setting.option.metavar or setting.name.upper()
            argument = replace(argument, kind=kind, flags=(), required=required, metavar=metavar)
        arguments.append(argument)
    return sorted((each for each in arguments if each.help), key=lambda argument: argument.place)


def distinct_arguments(path: str, arguments: Iterable[CommandArgument]) -> list[CommandArgument]:
    """The arguments of a command; TypeError if two share a name or a flag."""
    distinct = list(arguments)
    names = Counter(name for each in distinct for name in ((each.part, each.name), *each.flags))
    if shared := next((name for name, count in names.items() if count > 1), None):
        raise TypeError(f"irassay {path}: two arguments are called {shared if isinstance(shared, str) else shared[1]}")
    return distinct


def _inner_type(kind: Any) -> Any:
    kind, _ = without_none(kind)
    inner = get_args(kind)
    return inner[0] if get_origin(kind) in (tuple, list) and inner else kind


def _kind_and_repeats(kind: Any, default: Any) -> tuple[ValueKind, bool]:
    """How a value of this type is written, and whether the option may be repeated."""
    several, inner = get_origin(without_none(kind)[0]) in (tuple, list), _inner_type(kind)
    if inner is bool:
        return ("switch" if default is True else "flag"), False
    if inner in NUMBER_KINDS:
        return NUMBER_KINDS[inner][several], False
    if allowed_words(inner):
        return "choice", several
    kinds = (inner, *get_args(inner))
    is_path = any(isinstance(each, type) and issubclass(each, Path | FromFile) for each in kinds)
    return ("path" if is_path else "text"), several


def _default_text(value: Any) -> str:
    if value is None or value is False or value is True or value is Parameter.empty or value == ():
        return ""
    if isinstance(value, tuple | list):
        return ",".join(map(_default_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
