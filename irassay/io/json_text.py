"""The text of JSON files, checked before it is parsed."""

import re
from collections.abc import Container, Sequence
from typing import Any

from irassay.errors import InputError

Pairs = Sequence[tuple[str, Any]]  # names and values of a JSON object, in which a name may come twice

PAIRED_ESCAPE = re.compile(rb"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..")  # in JSON: a backslash, or a surrogate pair
SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]..")
SURROGATE_BYTES = re.compile(b"\xed[\xa0-\xbf][\x80-\xbf]")  # a surrogate as bytes, which UTF-8 does not allow


def checked_json(data: bytes, name: str, line: int = 0) -> bytes:
    """The same JSON, without unpaired surrogates, which text cannot hold."""
    lone = SURROGATE_ESCAPE.search(PAIRED_ESCAPE.sub(b"", data)) if b"\\ud" in data or b"\\uD" in data else None
    lone = lone or (SURROGATE_BYTES.search(data) if b"\xed" in data else None)
    if lone:
        surrogate = lone[0].decode("ascii", "backslashreplace")
        found = f"found {surrogate}, an unpaired surrogate (half a character)"
        raise InputError(file=name, line=line, found=found, fix="fix or delete it")
    return data


def repeated_name(pairs: Pairs, among: Container[str] | None = None) -> str | None:
    """The first name that comes a second time in a JSON object, among some names; None if none does.

    >>> repeated_name([("1", 0), ("2", 0), ("1", 5)])
    '1'
    """
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen and (among is None or name in among):
            return name
        seen.add(name)
    return None
