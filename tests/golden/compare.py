"""Whether two records of a case are the same, but for the last digits of numbers that are written with many."""

import difflib
import json
import math
import os
import re
from collections.abc import Iterator
from typing import Any

NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
DIGITS = 13  # significant ones, from which on a number is taken for a double in full
RELATIVE = float(os.environ.get("IRASSAY_GOLDEN_TOLERANCE", "1e-12"))  # quantiles of older scipy have fewer digits
ABSOLUTE = 1e-13
SHOWN = 40  # lines of a difference


def differences(expected: dict[str, Any], found: dict[str, Any]) -> str:
    """What differs between two records, in some lines; empty where nothing does."""
    expected, found = unversioned(expected), unversioned(found)
    parts = []
    for name in ("status", "stdout", "stderr"):
        told = _printed(expected[name], found[name])
        parts += [f"{name}:", *told] if told else []
    for name in dict.fromkeys((*expected["files"], *found["files"])):
        if name not in found["files"] or name not in expected["files"]:
            parts.append(f"{name}: {'no longer' if name in expected['files'] else 'not before'} written")
        else:
            told = _kept(expected["files"][name], found["files"][name])
            parts += [f"{name}:", *told] if told else []
    more = [f"… {len(parts) - SHOWN} more lines"] if len(parts) > SHOWN else []
    return "\n".join(parts[:SHOWN] + more)


def unversioned(record: Any) -> Any:
    """The record with our own version, wherever a sentence names it, made a word."""
    if isinstance(record, str):
        return re.sub(r"\birassay \d+\.\d+\.\d+(?:\.[a-z]+\d+)?", "irassay VERSION", record)
    if isinstance(record, dict):
        return {key: unversioned(value) for key, value in record.items()}
    return [unversioned(value) for value in record] if isinstance(record, list) else record


def _printed(expected: Any, found: Any) -> list[str]:
    """What differs between two texts; objects in JSON are compared as such, their keys in order."""
    if isinstance(expected, str) and expected.startswith("{"):
        try:
            documents = json.loads(expected), json.loads(found)
        except ValueError:
            pass
        else:
            return list(_structure(*documents, "", ordered=True))
    return _text(str(expected), str(found))


def _kept(expected: Any, found: Any) -> list[str]:
    """What differs between two written files; the text of pages line by line."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys() == {"text", "data"}:
        return _text(expected["text"], found["text"]) or list(_structure(expected["data"], found["data"], ""))
    if isinstance(expected, str) and isinstance(found, str):
        return _printed(expected, found)
    return list(_structure(expected, found, ""))


def _text(expected: str, found: str) -> list[str]:
    if expected == found or same(expected, found):
        return []
    old, new = expected.split("\n"), found.split("\n")
    if len(old) == len(new):  # lines that differ in last digits only would be noise
        new = [a if same(a, b) else b for a, b in zip(old, new, strict=True)]
    return [line[:300] for line in list(difflib.unified_diff(old, new, "expected", "found", n=1, lineterm=""))[2:]]


def same(expected: str, found: str) -> bool:
    """Whether two texts are equal but for the last digits of long numbers.

    >>> same("tau 0.30000000000000004", "tau 0.3"), same("tau 0.31", "tau 0.3")
    (True, False)
    """
    if NUMBER.split(expected) != NUMBER.split(found):
        return False
    return all(map(_near, NUMBER.findall(expected), NUMBER.findall(found)))


def _near(expected: str, found: str) -> bool:
    if expected == found:
        return True
    if max(map(_digits, (expected, found))) < DIGITS:
        return False
    return math.isclose(float(expected), float(found), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _digits(number: str) -> int:
    return len(re.split("[eE]", number)[0].replace(".", "").lstrip("-0"))


def _structure(expected: Any, found: Any, where: str, ordered: bool = False) -> Iterator[str]:
    """What differs between two JSON values, a line each."""
    numbers = [type(value) in (int, float) for value in (expected, found)]
    if isinstance(expected, dict) and isinstance(found, dict):
        if (list(expected) != list(found)) if ordered else (expected.keys() != found.keys()):
            yield f"  {where or 'the document'} has the keys {list(found)}, expected {list(expected)}"
        for key in expected.keys() & found.keys():
            yield from _structure(expected[key], found[key], f"{where}.{key}", ordered)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"  {where} has {len(found)} entries, expected {len(expected)}"
        for i, (a, b) in enumerate(zip(expected, found, strict=False)):
            yield from _structure(a, b, f"{where}[{i}]", ordered)
    elif isinstance(expected, str) and isinstance(found, str):
        if not same(expected, found):
            yield f"  {where} is {found[:300]!r}, expected {expected[:300]!r}"
    elif all(numbers):
        if type(expected) is not type(found) or not _near(repr(expected), repr(found)):
            yield f"  {where} is {found!r}, expected {expected!r}"
    elif expected != found or type(expected) is not type(found):
        yield f"  {where} is {found!r}, expected {expected!r}"
