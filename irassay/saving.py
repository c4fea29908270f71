"""Results kept as JSON: written with every array, and read back as they were."""

import dataclasses
import json
import math
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from irassay.errors import InputError
from irassay.meta.axioms.relations import Axiom, named

PACKAGE = "irassay."  # only classes of this package are made from a file


def as_text(result: Any) -> str:
    """A result, a frozen dataclass of names, numbers, arrays and other such results, as one JSON object.

    Arrays are lists with their kind and shape beside them; what is not a finite number is a word.
    """
    return json.dumps(_plain(result), ensure_ascii=False, allow_nan=False)


def from_text(text: str, source: str = "the text") -> Any:
    """The result that `as_text` wrote."""
    try:
        found = json.loads(text)
        return _made(found["saved"] if isinstance(found, dict) and "saved" in found else found, source)
    except json.JSONDecodeError as error:
        raise InputError(f"{source}, line {error.lineno}: no JSON ({error.msg}); expected a saved result.") from None


def write_result(result: Any, path: str | Path, provenance: Mapping[str, Any] | None = None) -> None:
    """Writes a result to a file, with where it came from."""
    document = {**(provenance or {}), "saved": _plain(result)}
    try:
        Path(path).write_text(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name a file in a folder that exists.") from None


def read_result(path: str | Path) -> Any:
    """Reads a result from a file that `write_result` wrote."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); expected a saved result.") from None
    return from_text(text, str(path))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind != "f" or bool(np.isfinite(value).all())
        items = value.tolist() if whole else _plain(value.tolist())
        return {"array": items, "kind": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, Axiom):
        return {"axiom": value.name}  # a function, which is known by its name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        fields = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"result": f"{kind.__module__}:{kind.__qualname__}", **fields}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)} if not math.isnan(value) else None
    if value is None:
        return {"none": True}
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def _made(value: Any, source: str) -> Any:
    """Undoes `_plain`: null is NaN, a list is a tuple."""
    if value is None:
        return math.nan
    if isinstance(value, list):
        return tuple(_made(item, source) for item in value)
    if not isinstance(value, dict):
        return value
    if "result" not in value:  # which may itself have fields of these names
        if "array" in value:
            return np.array(_made(value["array"], source), dtype=value["kind"]).reshape(value["shape"])
        if "pairs" in value:
            return {_made(key, source): _made(item, source) for key, item in value["pairs"]}
        if "axiom" in value:
            return named(str(value["axiom"]))
        if "float" in value:
            return float(value["float"])
        if "none" in value:
            return None
    kind = _class(str(value.get("result")), source)
    given = {name: _made(item, source) for name, item in value.items() if name != "result"}
    expected = {field.name for field in dataclasses.fields(kind)}
    if given.keys() != expected:
        odd = ", ".join(sorted(given.keys() ^ expected))
        raise InputError(f"{source}: a saved {kind.__name__} of another version of irassay, for it differs in {odd}.")
    return kind(**given)


def _class(name: str, source: str) -> Any:
    module, _, kind = name.partition(":")
    try:
        if not module.startswith(PACKAGE):
            raise ImportError
        found = getattr(import_module(module), kind)
    except (ImportError, AttributeError):
        found = None
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise InputError(f"{source}: there is no kind of result called '{name}'; expected what irassay saved.")
    return found
