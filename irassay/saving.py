"""The JSON in which results are saved: every part of a result under a stable name, and how each is read again."""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from irassay.declarations import index
from irassay.errors import InputError
from irassay.notes import Note
from irassay.provenance import path_or_address, shown_name
from irassay.settings import Settings

FRACTION = re.compile(r"-?\d{1,4000}(/\d{1,4000})?")  # as Fraction writes itself
SAVED: dict[str, type[Any]] = {}  # by stable name
# Objects that are saved by name and looked up again when loaded: the function that finds each by name.
REFERENCES = {
    "axiom": "irassay.meta.axioms.relations:named_axiom",
    "check": "irassay.meta.axioms.checks:named_check",
    "metric": "irassay.metrics.grammar:parse",
    "paired_test": "irassay.stats.paired_test:find_test",
}
RENAMED = {  # class names of 0.1.0 and their stable names
    "irassay.properties.induction:Induced": "induced",
    "irassay.properties.numeric:Finding": "finding",
    "irassay.papers.reproduction:Cell": "published-cell",
    "irassay.papers.reproduction:Finding": "published-claim",
}


class Saved:
    """A dataclass that may be part of a saved result, under a stable name."""

    saved_as: ClassVar[str] = ""
    # Former names of fields, in files of other versions; "": the field is gone.
    formerly: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        if cls.saved_as:
            SAVED[cls.saved_as] = cls


def register_saved(name: str, kind: type[Any]) -> None:
    """Lets a dataclass that is not a `Saved` be part of a saved result, under a stable name."""
    SAVED[name] = kind


def setting_as_json(value: Any) -> Any:
    """A setting as plain JSON; a saved object by the name of its class, and a file by the name it is shown by."""
    if isinstance(value, list | tuple):
        return [setting_as_json(entry) for entry in value]
    if type(value) is dict:
        return {str(key): setting_as_json(entry) for key, entry in value.items()}
    if isinstance(value, Saved):
        return type(value).__name__
    if isinstance(value, Path):
        return shown_name(value)
    return value if isinstance(value, str | int | float) else str(value)


def saved_json(value: Any) -> Any:
    """A value as it is saved: arrays are lists with type and shape; NaN is null, infinite numbers are words."""
    if isinstance(value, np.ndarray):
        is_finite = value.dtype.kind != "f" or bool(np.isfinite(value).all())
        items = value.tolist() if is_finite else saved_json(value.tolist())
        by_column = value.flags.f_contiguous and not value.flags.c_contiguous  # so that sums keep their last bit
        order = {"order": "F"} if by_column else {}
        return {"array": items, "kind": value.dtype.str, "shape": list(value.shape), **order}
    if isinstance(value, np.generic):
        return saved_json(value.item())
    if isinstance(value, Note) and (value.metrics or value.caveat):
        names = ("text", "about", "number", "noun", "metrics", *(["caveat"] if value.caveat else []))
        parts = {name: getattr(value, name) for name in names}
        return {"note": parts}
    reference = next((kind for kind in REFERENCES if hasattr(value, f"__{kind}__")), None)
    if reference:
        return {reference: str(value) if reference == "metric" else value.name}  # a function, which has a name
    if isinstance(value, Settings):
        return {"settings": {"method": value.method, "spelled": dict(value.spelled)}} | {
            part: [[name, _saved_setting(given)] for name, given in getattr(value, part).items()]
            for part in ("given", "inputs")
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        name = next((name for name, kind in list(SAVED.items()) if kind is type(value)), "")
        fields = [field for field in dataclasses.fields(value) if _is_saved(field)]
        content = {_name_in_files(field): saved_json(getattr(value, field.name)) for field in fields}
        return {"result": name, **content} if name else _refuse_to_save(value)
    if isinstance(value, list | tuple):
        return [saved_json(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[saved_json(key), saved_json(item)] for key, item in value.items()]}
    if value is None:
        return {"none": True}
    if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    kind = next((kind for kind, (text_type, _) in _text_types().items() if isinstance(value, text_type)), None)
    return {kind: str(value)} if kind else _refuse_to_save(value)


@cache
def _text_types() -> dict[str, tuple[Any, Callable[[str], Any]]]:
    """The types that are saved as text, and how the text is read, by the name under which they are saved."""
    from fractions import Fraction  # slow to import, and rarely needed

    def fraction(text: str) -> Fraction:
        if not FRACTION.fullmatch(text):  # 1e999999999 would be computed for hours
            raise ValueError("a fraction is written as two whole numbers, such as 1/3")
        return Fraction(text)

    return {"path": (Path, path_or_address), "fraction": (Fraction, fraction), "float": (float, float)}


def _is_saved(field: "dataclasses.Field[Any]") -> bool:
    """Whether a field is saved; what can be made again, such as charts, is not."""
    return field.init and bool(field.metadata.get("saved", True))


def _name_in_files(field: "dataclasses.Field[Any]") -> str:
    """The name under which a field is saved: its own, or the one it had when files were first written."""
    return field.metadata.get("name_in_files", field.name)


def _saved_setting(value: Any) -> Any:
    """A setting as it is saved: plain values and paths as they are, anything else as text."""
    try:
        return saved_json(setting_as_json(value) if isinstance(value, Saved) else value)
    except TypeError:
        return str(value)


def _refuse_to_save(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def value_from_json(value: Any) -> Any:
    """The inverse of `saved_json`: null is NaN, a list is a tuple."""
    if value is None:
        return math.nan
    if isinstance(value, list):
        return tuple(value_from_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    return _result_from_json(value) if "result" in value else _tagged_value(value)


def _tagged_value(value: Mapping[str, Any]) -> Any:
    """A value that is saved as an object with a key for its type."""
    if "array" in value:
        array = np.array(value_from_json(value["array"]), dtype=value["kind"]).reshape(value["shape"])
        return np.asarray(array, order=value.get("order", "C"))
    if "pairs" in value:
        return {value_from_json(key): value_from_json(item) for key, item in value["pairs"]}
    for kind, where in REFERENCES.items():
        if kind in value:
            from pkgutil import resolve_name  # slow to import

            return resolve_name(where)(str(value[kind]))
    for kind, (_, read_text) in _text_types().items():
        if kind in value:
            return read_text(value[kind])
    if "none" in value:
        return None
    if "note" in value:
        return Note(**value["note"])
    if "settings" in value:
        parts = {part: {name: value_from_json(item) for name, item in value[part]} for part in ("given", "inputs")}
        method, spelled = (value["settings"][name] for name in ("method", "spelled"))
        return Settings(method, parts["given"], parts["inputs"], spelled)
    return _result_from_json(value)


def _result_from_json(value: Mapping[str, Any]) -> Any:
    """A result, or a part of one, from its fields; InputError if its class has others."""
    kind = _saved_class(str(value.get("result")))
    declared = {field.name: field for field in dataclasses.fields(kind) if field.init}
    names = {_name_in_files(field): name for name, field in declared.items()}
    former: Mapping[str, str] = names | getattr(kind, "formerly", {})
    given = {
        former.get(name, name): value_from_json(item)
        for name, item in value.items()
        if name != "result" and former.get(name, name)
    }
    missing = dataclasses.MISSING
    needed = {name for name, field in declared.items() if field.default is missing and field.default_factory is missing}
    if odd := (needed - given.keys()) | (given.keys() - declared.keys()):
        fields = ", ".join(sorted(odd))
        raise InputError(f"saved by another version of irassay, whose {kind.__name__} differs in {fields}.")
    return kind(**given)


def _saved_class(name: str) -> Any:
    """The class with this stable name; files of version 0.1.0 have module:class instead."""
    stable = name if ":" not in name else RENAMED.get(name) or _stable_name(name.rpartition(":")[2])
    if stable not in SAVED and stable in (places := index()["saved"]):
        import_module(places[stable].partition(":")[0])
    if stable not in SAVED:
        raise InputError(
            f"unknown kind of result '{name}'; expected one that irassay saved, or that of your own method, whose file "
            "must be read with `define` first."
        )
    return SAVED[stable]


def _stable_name(kind: str) -> str:
    """The stable name of a class of 0.1.0, by its former name; if two had that name, the one in meta."""
    where = index()["saved"] | {name: f"{cls.__module__}:{cls.__name__}" for name, cls in list(SAVED.items())}
    places = sorted((place, stable) for stable, place in where.items() if place.rpartition(":")[2] == kind)
    return places[0][1] if places else kind
