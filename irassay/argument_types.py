"""Arguments checked against their declared types: words, numbers within a domain, paths, tuples."""

import types
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    Self,
    TextIO,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from irassay.domains import Domain, DomainKind
from irassay.errors import InputError, argument, as_found

P = ParamSpec("P")
R = TypeVar("R")


class FromFile:
    """A value with its own file format: keywords of this type take a path, or the value itself."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The value in a file."""
        raise NotImplementedError


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with its arguments checked against the types in its signature."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        hints, declared = _hints_and_signature(function)
        bound = declared.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            if declared.parameters[name].kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                bound.arguments[name] = checked_argument(name, hints.get(name, Any), value)
        with os_errors_as_input_errors():
            return function(*bound.args, **bound.kwargs)

    return wrapper


@cache
def _hints_and_signature(function: Callable[..., Any]) -> tuple[dict[str, Any], Signature]:
    return get_type_hints(function), signature(function)


@contextmanager
def os_errors_as_input_errors() -> Iterator[None]:
    """Turns an OSError about a file, such as a name that is too long, into an InputError."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None


def checked_argument(name: str, kind: Any, value: Any, domain: Domain | None = None) -> Any:
    """The value, if it is of this type, with numbers and text in Python's own types; InputError otherwise.

    Numbers must lie in the domain, if one is given.

    >>> checked_argument("alpha", float, 0.05)
    0.05
    """
    kind, may_be_none = without_none(kind)
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    if (value is None and may_be_none) or Any in parts:
        return value
    if _is_tuple(kind):
        item_kind = get_args(kind)[0]
        if not (_is_sequence(value) or (isinstance(value, str) and item_kind is str)):
            example = f", such as ({as_found(value)},)" if isinstance(value, str | int | float) else ""
            raise InputError(argument(name), f" must be a tuple{example}; found {as_found(value)}.")
        items = (value,) if isinstance(value, str) else value
        return tuple(checked_argument(name, item_kind, item, domain) for item in items)
    if kind is str and (isinstance(value, Path) or hasattr(value, "__metric__")):
        return str(value)
    if kind in (int, float):
        return (domain or domain_of(kind)).check(argument(name), value)
    if not any(_is_of_type(part, value) for part in parts):
        if (words := allowed_words(kind)) and (isinstance(value, str) or len(parts) == 1):
            raise Domain("word", words=words).refusal(argument(name), value)
        types_in_words = dict.fromkeys(_type_phrase(part) for part in parts if part is not str or Path not in parts)
        raise InputError(argument(name), f" must be {' or '.join(types_in_words)}; found {as_found(value)}.")
    return value


def domain_of(kind: Any, low: float | None = None, high: float | None = None) -> Domain:
    """The domain that a type declares, or that of its items for a tuple, with bounds for its numbers.

    >>> domain_of(tuple[float, ...], 0).describe(), domain_of(Literal["a", "b"] | None).describe()
    ('a number of 0 or more', 'one of a, b')
    """
    kind, may_be_none = without_none(kind)
    if _is_tuple(kind):
        kind, may_be_none = get_args(kind)[0], False
    if words := allowed_words(kind):
        return Domain("word", words=words, optional=may_be_none)
    kinds: dict[Any, DomainKind] = {bool: "flag", int: "whole", float: "number", str: "text", Path: "path"}
    domain_kind = kinds.get(kind) or ("path" if isinstance(kind, type) and issubclass(kind, FromFile) else "any")
    return Domain(domain_kind, low, high, optional=may_be_none)


def _is_tuple(kind: Any) -> bool:
    """Whether a type is a tuple of any length."""
    return get_origin(kind) is tuple and get_args(kind)[-1:] == (...,)


def _is_sequence(value: Any) -> bool:
    """Whether a value may stand for a tuple: text, a mapping and an array without axes may not."""
    is_other = isinstance(value, str | bytes | bytearray | Mapping) or getattr(value, "ndim", 1) == 0
    return isinstance(value, Collection) and not is_other


def _is_of_type(kind: Any, value: Any) -> bool:
    """Whether a value is of a type, as far as possible without iterating over it."""
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
        return _is_sequence(value) and all(_is_of_type(get_args(kind)[0], each) for each in value)
    if getattr(value, "ndim", 1) == 0:  # an array that cannot be iterated over
        return False
    return not isinstance(origin or kind, type) or isinstance(value, origin or kind)


def _type_phrase(kind: Any) -> str:
    """The values of a type, in words."""
    if isinstance(kind, type) and issubclass(kind, FromFile):
        return f"a path or a {kind.__name__}"
    if (domain := domain_of(kind)).kind != "any":
        return domain.describe()
    name = getattr(get_origin(kind) or kind, "__name__", str(kind))
    phrases = {"Mapping": "a dict", "Frame": "a data frame", "TextIO": "an open file", "Iterable": "several of them"}
    return "a function" if name == "Callable" else phrases.get(name, f"a {name}")


def type_and_notes(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its annotation, and what the annotation adds.

    >>> type_and_notes(Annotated[int, "Number of resamples."])
    (<class 'int'>, ('Number of resamples.',))
    """
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return kind, tuple(notes)


def without_none(kind: Any) -> tuple[Any, bool]:
    """A type without `| None`, and whether it had it.

    >>> without_none(int | None)
    (<class 'int'>, True)
    """
    if get_origin(kind) in (Union, types.UnionType):
        rest = [part for part in get_args(kind) if part is not type(None)]
        return (rest[0] if len(rest) == 1 else Union[tuple(rest)]), len(rest) < len(get_args(kind))  # noqa: UP007
    return kind, False


def allowed_words(kind: Any) -> tuple[str, ...]:
    """The words that a type allows, perhaps besides other things; empty if it allows none.

    >>> allowed_words(Literal["a", "b"] | None)
    ('a', 'b')
    """
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return tuple(str(word) for part in parts if get_origin(part) is Literal for word in get_args(part))
