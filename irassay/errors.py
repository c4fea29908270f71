"""The one exception that users see: bad input, as a record that each front end spells in its own way."""

import re
import reprlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from irassay.prose import visible_text

Value = TypeVar("Value")

MAX_LENGTH = 2000  # characters; a name in a message may be of any length
LONG_WORD = re.compile(r"(\S{60})\S{40,}(\S{20})")  # in longer messages only its ends are shown


class Spelling(NamedTuple):  # a dataclass would take longer to import, and every command imports this
    """How a front end writes arguments: as Python keywords, as options, or as JSON pointers."""

    style: Literal["keyword", "option", "pointer"] = "keyword"
    names: Mapping[str, str] = MappingProxyType({})  # exceptions to the rule, for the running command


KEYWORDS = Spelling()
SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=KEYWORDS)


@contextmanager
def variable_set(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """A context variable has this value inside the block, in this thread and in those that copy its context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def spelled_as(
    style: Literal["keyword", "option", "pointer"], names: Mapping[str, str] | None = None
) -> AbstractContextManager[None]:
    """Messages spell arguments in this style inside the block, in this thread and in those that copy its context."""
    return variable_set(SPELLING, Spelling(style, {} if names is None else names))


class Argument(NamedTuple):
    """An argument in a message, perhaps with its value; `str` spells it for the current front end.

    >>> trials = Argument("trials", 5)
    >>> str(trials)
    'trials=5'
    >>> with spelled_as("option", {"dialect": "--from"}):
    ...     print(trials, Argument("dialect", metavar="FORMAT"))
    --trials 5 --from FORMAT
    >>> with spelled_as("pointer"):
    ...     print(trials)
    /settings/trials 5
    """

    name: str
    value: Any = None
    metavar: str = ""  # what stands for a value on a command line, such as FILE

    def __str__(self) -> str:
        spelling = SPELLING.get()
        if spelling.style == "keyword":
            return self.name if self.value is None else f"{self.name}={as_found(self.value)}"
        by_rule = option_flag(self.name) if spelling.style == "option" else f"/settings/{self.name}"
        metavar = self.metavar if spelling.style == "option" else ""
        text = (
            metavar if self.value is None else f"{self.value:g}" if isinstance(self.value, float) else str(self.value)
        )
        return spelling.names.get(self.name, by_rule) + (f" {text}" if text else "")


def option_flag(name: str) -> str:
    """The option that a keyword has on the command line, unless its declaration names another.

    >>> option_flag("max_grade")
    '--max-grade'
    """
    return "--" + name.replace("_", "-")


class Phrase(NamedTuple):
    """Words of a message that differ between a command line and other front ends."""

    option: "tuple[Piece, ...]"
    keyword: "tuple[Piece, ...]" = ()
    pointer: "tuple[Piece, ...]" = ()

    def __str__(self) -> str:
        return "".join(map(str, getattr(self, SPELLING.get().style)))


Piece = str | Argument | Phrase  # of a message


class InputError(ValueError):
    """The user's input is wrong: what, where, what was expected, and how to fix it.

    The message is given as pieces, so that the front end that shows it spells the arguments. Without pieces, a message
    is composed from the fields.

    >>> print(InputError(file="run.txt", line=7, found="the score is 'high'", expected="a number"))
    run.txt, line 7: the score is 'high'; expected a number.
    >>> error = InputError("Give either ", argument("scores"), " or runs.", argument="scores", code="two-inputs")
    >>> with spelled_as("option"):
    ...     print(error)
    Give either --scores or runs.
    """

    def __init__(
        self,
        *pieces: Piece,
        argument: "str | Argument" = "",
        value: Any = None,
        found: str = "",
        expected: str = "",
        fix: str = "",
        file: str = "",
        line: int = 0,
        code: str = "",
    ) -> None:
        super().__init__(*pieces)
        self.argument = argument.name if isinstance(argument, Argument) else argument
        self.value = argument.value if isinstance(argument, Argument) and value is None else value
        self.found, self.expected, self.fix = found, expected, fix
        self.file, self.line = file, line  # line 0: the file as a whole
        self.code = code  # short and stable, for pages that explain the error; often empty

    def __str__(self) -> str:
        text = visible_text("".join(map(str, self.args)) or self._composed_message())
        text = text if len(text) <= MAX_LENGTH else LONG_WORD.sub(r"\1…\2", text)
        return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH // 2]} … {text[-MAX_LENGTH // 2 :]}"

    def _render_traceback_(self) -> list[str]:
        """The message alone, which IPython shows instead of the frames that led to it."""
        return [f"{type(self).__name__}: {self}"]

    def with_prefix(self, text: str) -> "InputError":
        """The same error with this text before its message."""
        prefixed = InputError(text, *(self.args or (self._composed_message(),)))  # a subclass may take other arguments
        prefixed.__dict__ |= self.__dict__
        return prefixed

    def _composed_message(self) -> str:
        """The fields as one sentence: where, what was found, what was expected, how to fix it."""
        place = f"{self.file}, line {self.line}" if self.file and self.line else self.file
        place = place or (str(Argument(self.argument, self.value)) if self.argument else "")
        parts = [part for part in (self.found, self.expected and f"expected {self.expected}", self.fix) if part]
        sentence = "; ".join(parts)
        text = f"{place}: {sentence}" if place and sentence else place or sentence[:1].upper() + sentence[1:]
        return text if not text or text.endswith((".", "?", "!")) else f"{text}."

    def record(self) -> dict[str, Any]:
        """The error as a problem document: the message, spelled for the front end, and every field that is set."""
        plain = self.value if isinstance(self.value, str | int | float | None) else as_found(self.value)
        fields = {"argument": self.argument, "value": plain, "found": self.found, "expected": self.expected}
        fields |= {"fix": self.fix, "file": self.file, "line": self.line or None, "code": self.code}
        return {"message": str(self), **{name: value for name, value in fields.items() if value not in ("", None)}}


def missing_package_error(package: str, extra: str, *user: Piece) -> InputError:
    """The error if a package is not installed that something needs; `extra` of irassay installs it.

    >>> print(missing_package_error("fsspec", "remote", "s3://b/q"))
    s3://b/q needs fsspec; install it with pip install 'irassay[remote]'.
    """
    fix = f"install it with pip install 'irassay[{extra}]'"
    return InputError(*user, f" needs {package}; {fix}.", found=package, fix=fix, code="not-installed")


def argument(name: str, value: object = None, metavar: str = "") -> Argument:
    """An argument for a message, spelled as the front end that shows it writes arguments.

    >>> f"{argument('max_grade', 3)}, {argument('missing', 'zero')}, {argument('lengths', metavar='FILE')}"
    "max_grade=3, missing='zero', lengths"
    """
    return Argument(name, value, metavar)


def as_found(value: object) -> str:
    """A value as messages show it: short and on one line, whatever it is.

    >>> as_found("bm25"), as_found([1, 2]), as_found("x" * 200)[:30]
    ("'bm25'", '[1, 2]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
    """
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 120
    try:
        if type(value).__module__ != "builtins" and "\n" in repr(value):  # it prints itself, as results do
            return f"a {type(value).__name__}"
        return " ".join(short.repr(value).split()) if not isinstance(value, str) else short.repr(value)
    except Exception:  # a repr that fails, or a number with too many digits
        return f"a {type(value).__name__}"


def order_of_files() -> Phrase:
    """The order in which runs and judgements are given, in case they were swapped."""
    judgements_first = ("judgements come first, then runs",)
    return Phrase(judgements_first, ("runs come first, then judgements",), judgements_first)


def option_in_parentheses(name: str) -> Phrase:
    """The option in parentheses, on the command line only, for a message that has named the argument in words."""
    return Phrase((" (", Argument(name), ")"))


def error_line(error: BaseException, file: str) -> int:
    """The last line of a file in the traceback of an error; 0 if it is not there."""
    import traceback  # slow to import
    from pathlib import Path

    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if Path(frame.filename).resolve() == Path(file).resolve()]
    return lines[-1] if lines else 0
