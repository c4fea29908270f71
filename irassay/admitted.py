"""What a keyword's type admits: its words, numbers within bounds, paths, tuples; anything else is one sentence."""

import math
import sys
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, ParamSpec, Self, TextIO, TypeVar, Union, get_args, get_origin, get_type_hints

from irassay.errors import InputError, argument, as_found
from irassay.prose import did_you_mean, outside

P = ParamSpec("P")
R = TypeVar("R")

LARGEST = sys.float_info.max


class FromFile:
    """A value that has a file format of its own: keywords of this type take a path, or the value itself."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The value that a file holds."""
        raise NotImplementedError


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses an argument that is not of the type that its signature declares."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        hints, parameters = _declared(function)
        given = parameters.bind(*args, **kwargs)
        for name, value in given.arguments.items():
            if parameters.parameters[name].kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                given.arguments[name] = checked(name, hints.get(name, Any), value)
        with files_said():
            return function(*given.args, **given.kwargs)

    return called


@cache
def _declared(function: Callable[..., Any]) -> tuple[dict[str, Any], Signature]:
    return get_type_hints(function), signature(function)


@contextmanager
def files_said() -> Iterator[None]:
    """A file that the system refuses, such as one whose name is too long, is said in a sentence."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise InputError(f"{error.filename} cannot be read: {error.strerror}") from None


def checked(name: str, kind: Any, value: Any, least: float | None = None, most: float | None = None) -> Any:
    """A value of the type that a keyword has, numbers and text as Python's own; InputError for any other.

    >>> checked("alpha", float, 0.05)
    0.05
    """
    whole, may_lack = optional(kind)
    parts = get_args(whole) if get_origin(whole) in (Union, types.UnionType) else (whole,)
    if (value is None and may_lack) or Any in parts:
        return value
    one = get_args(whole)[0] if _several(whole) else whole
    if _several(whole):
        alone = isinstance(value, str) and one is not str
        scalar = not isinstance(value, Collection) or getattr(value, "ndim", 1) == 0
        if alone or scalar or isinstance(value, Mapping | bytes | bytearray):
            such = f", such as ({as_found(value)},)" if isinstance(value, str | int | float) else ""
            raise InputError(f"{argument(name)} is a tuple{such}; found {as_found(value)}.")
        return value if isinstance(value, str) else tuple(checked(name, one, item, least, most) for item in value)
    if one is str and (isinstance(value, Path) or hasattr(value, "__metric__")):
        return str(value)
    if one in (int, float):
        return _number(name, one, value, least, most)
    if not any(_fits(part, value) for part in parts):
        known = choices(whole)
        if known and (isinstance(value, str) or len(parts) == 1):
            said = f"{argument(name)}=None" if value is None else str(argument(name, value))
            hint = did_you_mean(value, known) if isinstance(value, str) else ""
            raise InputError(f"{said} is not known; choose one of {', '.join(known)}{f' ({hint})' if hint else ''}")
        wanted = " or ".join(dict.fromkeys(_in_words(part) for part in parts if part is not str or Path not in parts))
        raise InputError(f"{argument(name)} is {wanted}; found {as_found(value)}")
    return value


def _number(name: str, kind: type[int] | type[float], value: Any, least: float | None, most: float | None) -> Any:
    """A number of a keyword's type and within its bounds."""
    said = "a whole number" if kind is int else "a number"
    numeric = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    try:
        number: Any = math.nan if not numeric else value if type(value) in (int, float) else kind(value)
        if number != number or (kind is float and not -LARGEST <= number <= LARGEST):
            raise OverflowError
    except OverflowError:
        finite = said.replace("a ", "a finite ", 1) if numeric else said
        raise InputError(f"{argument(name)} is {finite}; found {as_found(value)}.") from None
    if ends := outside(number, least, most):
        raise InputError(f"{argument(name, number)}: {said}, {ends}, is expected")
    return number


def _several(kind: Any) -> bool:
    """Whether a type is a tuple of any length."""
    return get_origin(kind) is tuple and get_args(kind)[-1:] == (...,)


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type, as far as that can be seen without looking into it."""
    origin = get_origin(kind)
    if origin is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is bool:
        return type(value).__name__ == "bool"  # numpy's too
    if kind is str:
        return isinstance(value, str | Path)
    if kind is Path or (isinstance(kind, type) and issubclass(kind, FromFile)):
        return isinstance(value, str | Path | kind)
    if kind is TextIO:
        return hasattr(value, "write")
    if getattr(kind, "_is_protocol", False):
        return hasattr(type(value), "columns") or hasattr(value, "columns")
    if origin is tuple:
        many = isinstance(value, Collection) and not isinstance(value, str | bytes | bytearray | Mapping)
        return many and getattr(value, "ndim", 1) != 0 and all(_fits(get_args(kind)[0], each) for each in value)
    if getattr(value, "ndim", 1) == 0:  # an array that cannot be gone through
        return False
    return not isinstance(origin or kind, type) or isinstance(value, origin or kind)


def _in_words(kind: Any) -> str:
    """What a type admits, in words."""
    plain = {bool: "True or False", int: "a whole number", float: "a number", str: "text", Path: "a path"}
    if kind in plain:
        return plain[kind]
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if isinstance(kind, type) and issubclass(kind, FromFile):
        return f"a path or a {kind.__name__}"
    if get_origin(kind) is Mapping or kind is Mapping:
        return "a dict"
    name = getattr(get_origin(kind) or kind, "__name__", str(kind))
    known = {"Frame": "a data frame", "TextIO": "an open file", "Callable": "a function", "Iterable": "several of them"}
    return known.get(name, f"a {name}")


def optional(kind: Any) -> tuple[Any, bool]:
    """A type without `| None`, and whether it had it.

    >>> optional(int | None)
    (<class 'int'>, True)
    """
    if get_origin(kind) in (Union, types.UnionType):
        rest = [part for part in get_args(kind) if part is not type(None)]
        return (rest[0] if len(rest) == 1 else Union[tuple(rest)]), len(rest) < len(get_args(kind))  # noqa: UP007
    return kind, False


def choices(kind: Any) -> tuple[str, ...]:
    """The words that a type allows, maybe among other things; none where it allows none.

    >>> choices(Literal["a", "b"] | None)
    ('a', 'b')
    """
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return tuple(str(word) for part in parts if get_origin(part) is Literal for word in get_args(part))
