"""The one exception a user may see: bad input, said in a sentence."""

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager

from irassay.prose import visible

LONGEST = 2000  # characters of a message, for a name in it may be of any length

_spelled_as_options = False  # of the process, for threads that read ahead speak of the same arguments


class InputError(ValueError):
    """Something the user gave is wrong; the message says what, where, and how to mend it."""

    def __str__(self) -> str:
        text = visible(super().__str__())
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


@contextmanager
def options_named() -> Iterator[None]:
    """Messages name options of the command line while this lasts; otherwise they name arguments of functions."""
    global _spelled_as_options
    before, _spelled_as_options = _spelled_as_options, True
    try:
        yield
    finally:
        _spelled_as_options = before


def argument(name: str, value: object = None, shown: str = "") -> str:
    """An argument as whoever reads the message would write it, with a value or what may stand for one.

    >>> argument("max_grade", 3), argument("missing", "zero"), argument("lengths", shown="FILE")
    ('max_grade=3', "missing='zero'", 'lengths')
    >>> with options_named():
    ...     argument("max_grade", 3), argument("lengths", shown="FILE")
    ('--max-grade 3', '--lengths FILE')
    """
    if _spelled_as_options:
        said = shown if value is None else str(value)
        return f"--{name.replace('_', '-')}" + (f" {said}" if said else "")
    return name if value is None else f"{name}={as_found(value)}"


def as_found(value: object) -> str:
    """A value as a message shows what was found: on one line and short, whatever it is.

    >>> as_found("bm25"), as_found([1, 2]), as_found("x" * 200)[:30]
    ("'bm25'", '[1, 2]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
    """
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 120
    try:
        return " ".join(short.repr(value).split()) if not isinstance(value, str) else short.repr(value)
    except Exception:  # of a repr that fails, or a number of too many digits
        return f"a {type(value).__name__}"


def order_of_files() -> str:
    """In which order runs and judgements are given, for whoever may have swapped them."""
    return "judgements come first, then runs" if _spelled_as_options else "runs come first, then judgements"


def option_too(name: str) -> str:
    """The option in brackets, for a message that names the argument already; nothing but on the command line."""
    return f" ({argument(name)})" if _spelled_as_options else ""
