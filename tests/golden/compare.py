"""The differences between two records of a case, except in the last digits of long numbers."""

import difflib
import json
import math
import os
import re
from collections.abc import Iterator
from typing import Any

NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
FULL_DIGITS = 13  # a number with this many significant digits is compared as a double
RELATIVE = float(os.environ.get("IRASSAY_GOLDEN_TOLERANCE", "1e-12"))  # quantiles of older scipy have fewer digits
ABSOLUTE = 1e-13
MAX_LINES = 40  # of a difference


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> str:
    """The differences between two records, in a few lines; empty if there are none."""
    expected, actual = without_version(expected), without_version(actual)
    parts = []
    for name in ("status", "stdout", "stderr"):
        lines = _output_differences(expected[name], actual[name])
        parts += [f"{name}:", *lines] if lines else []
    for name in dict.fromkeys((*expected["files"], *actual["files"])):
        if name not in actual["files"] or name not in expected["files"]:
            parts.append(f"{name}: {'no longer' if name in expected['files'] else 'not before'} written")
        else:
            lines = _file_differences(expected["files"][name], actual["files"][name])
            parts += [f"{name}:", *lines] if lines else []
    more = [f"… {len(parts) - MAX_LINES} more lines"] if len(parts) > MAX_LINES else []
    return "\n".join(parts[:MAX_LINES] + more)


def without_version(record: Any) -> Any:
    """The record with irassay's version replaced by a word."""
    if isinstance(record, str):
        return re.sub(r"\birassay \d+\.\d+\.\d+(?:\.[a-z]+\d+)?", "irassay VERSION", record)
    if isinstance(record, dict):
        return {key: without_version(value) for key, value in record.items()}
    return [without_version(value) for value in record] if isinstance(record, list) else record


def _output_differences(expected: Any, actual: Any) -> list[str]:
    """The differences between two outputs; JSON is compared as JSON, with its keys in order."""
    if isinstance(expected, str) and expected.startswith("{"):
        try:
            documents = json.loads(expected), json.loads(actual)
        except ValueError:
            pass
        else:
            return list(_json_differences(*documents, "", ordered=True))
    return _text_differences(str(expected), str(actual))


def _file_differences(expected: Any, actual: Any) -> list[str]:
    """The differences between two written files; the text of pages line by line."""
    if isinstance(expected, dict) and isinstance(actual, dict) and expected.keys() == actual.keys() == {"text", "data"}:
        return _text_differences(expected["text"], actual["text"]) or list(
            _json_differences(expected["data"], actual["data"], "")
        )
    if isinstance(expected, str) and isinstance(actual, str):
        return _output_differences(expected, actual)
    return list(_json_differences(expected, actual, ""))


def _text_differences(expected: str, actual: str) -> list[str]:
    if expected == actual or is_same(expected, actual):
        return []
    old, new = expected.split("\n"), actual.split("\n")
    if len(old) == len(new):  # lines that differ only in the last digits would be noise
        new = [a if is_same(a, b) else b for a, b in zip(old, new, strict=True)]
    return [line[:300] for line in list(difflib.unified_diff(old, new, "expected", "actual", n=1, lineterm=""))[2:]]


def is_same(expected: str, actual: str) -> bool:
    """Whether two texts are equal except for the last digits of long numbers.

    >>> is_same("tau 0.30000000000000004", "tau 0.3"), is_same("tau 0.31", "tau 0.3")
    (True, False)
    """
    if NUMBER.split(expected) != NUMBER.split(actual):
        return False
    return all(map(_is_close, NUMBER.findall(expected), NUMBER.findall(actual)))


def _is_close(expected: str, actual: str) -> bool:
    if expected == actual:
        return True
    if max(map(_significant_digits, (expected, actual))) < FULL_DIGITS:
        return False
    return math.isclose(float(expected), float(actual), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _significant_digits(number: str) -> int:
    return len(re.split("[eE]", number)[0].replace(".", "").lstrip("-0"))


def _json_differences(expected: Any, actual: Any, where: str, ordered: bool = False) -> Iterator[str]:
    """The differences between two JSON values, one line each."""
    numbers = [type(value) in (int, float) for value in (expected, actual)]
    if isinstance(expected, dict) and isinstance(actual, dict):
        if (list(expected) != list(actual)) if ordered else (expected.keys() != actual.keys()):
            yield f"  {where or 'the document'} has the keys {list(actual)}, expected {list(expected)}"
        for key in expected.keys() & actual.keys():
            yield from _json_differences(expected[key], actual[key], f"{where}.{key}", ordered)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"  {where} has {len(actual)} entries, expected {len(expected)}"
        for i, (a, b) in enumerate(zip(expected, actual, strict=False)):
            yield from _json_differences(a, b, f"{where}[{i}]", ordered)
    elif isinstance(expected, str) and isinstance(actual, str):
        if not is_same(expected, actual):
            yield f"  {where} is {actual[:300]!r}, expected {expected[:300]!r}"
    elif all(numbers):
        if type(expected) is not type(actual) or not _is_close(repr(expected), repr(actual)):
            yield f"  {where} is {actual!r}, expected {expected!r}"
    elif expected != actual or type(expected) is not type(actual):
        yield f"  {where} is {actual!r}, expected {expected!r}"
