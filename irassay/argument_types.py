"""Arguments checked against their types: words, numbers within a domain, paths, tuples; others are refused."""

import types
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal, ParamSpec, Self, TextIO, TypeVar, Union, get_args, get_origin, get_type_hints

from irassay.domains import Domain, Kind
from irassay.errors import InputError, argument, as_found

P = ParamSpec("P")
R = TypeVar("R")


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
                given.arguments[name] = checked_argument(name, hints.get(name, Any), value)
        with os_errors_as_input_errors():
            return function(*given.args, **given.kwargs)

    return called


@cache
def _declared(function: Callable[..., Any]) -> tuple[dict[str, Any], Signature]:
    return get_type_hints(function), signature(function)


@contextmanager
def os_errors_as_input_errors() -> Iterator[None]:
    """Turns the system's refusal of a file, such as a name that is too long, into an InputError."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise InputError(f"{error.filename} cannot be read: {error.strerror}") from None


def checked_argument(name: str, kind: Any, value: Any, domain: Domain | None = None) -> Any:
    """The value of an argument of some type, numbers and text as Python's own; InputError if the type refuses it.

    Numbers must lie in the domain, if there is one.

    >>> checked_argument("alpha", float, 0.05)
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
        return value if isinstance(value, str) else tuple(checked_argument(name, one, item, domain) for item in value)
    if one is str and (isinstance(value, Path) or hasattr(value, "__metric__")):
        return str(value)
    if one in (int, float):
        return (domain or domain_of(one)).check(argument(name), value)
    if not any(_fits(part, value) for part in parts):
        if (known := choices(whole)) and (isinstance(value, str) or len(parts) == 1):
            raise Domain("word", words=known).refusal(argument(name), value)
        wanted = " or ".join(dict.fromkeys(_in_words(part) for part in parts if part is not str or Path not in parts))
        raise InputError(f"{argument(name)} is {wanted}; found {as_found(value)}")
    return value


def domain_of(kind: Any, low: float | None = None, high: float | None = None) -> Domain:
    """The domain that a type declares, of its items where it is a tuple, with the bounds of its numbers.

    >>> domain_of(tuple[float, ...], 0).describe(), domain_of(Literal["a", "b"] | None).describe()
    ('a number of 0 or more', 'one of a, b')
    """
    whole, may_lack = optional(kind)
    one, may_lack = (get_args(whole)[0], False) if _several(whole) else (whole, may_lack)
    if words := choices(one):
        return Domain("word", words=words, optional=may_lack)
    known: dict[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "text", Path: "path"}
    found = known.get(one) or ("path" if isinstance(one, type) and issubclass(one, FromFile) else "any")
    return Domain(found, low, high, optional=may_lack)


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
