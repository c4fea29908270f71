"""Results: they print themselves, are saved and loaded, and become frames, LaTeX tables and pictures."""

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.declarations import index
from irassay.errors import InputError
from irassay.notes import Note
from irassay.provenance import path_or_address, provenance
from irassay.settings import Settings
from irassay.writing import write_file

if TYPE_CHECKING:
    import pandas
    import polars

    from irassay.views.view import View

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
    formerly: ClassVar[
        Mapping[str, str]
    ] = {}  # former names of fields, in files of other versions; "": the field is gone

    def __init_subclass__(cls) -> None:
        if cls.saved_as:
            SAVED[cls.saved_as] = cls


def register_saved(name: str, kind: type[Any]) -> None:
    """Lets a dataclass that is not a `Saved` be part of a saved result, under a stable name."""
    SAVED[name] = kind


@dataclass(frozen=True, eq=False, repr=False)
class Result(Saved):
    """A frozen dataclass of names, numbers and arrays that answers one question.

    Its view, the module `irassay.views.<saved_as>`, is loaded by name when it is shown.
    """

    view_in: ClassVar[str] = ""  # the module of its view, if not irassay.views.<saved_as>

    notes: tuple[str, ...] = field(default=(), kw_only=True)
    settings: Settings = field(default=Settings(), kw_only=True)

    @classmethod
    def from_object(cls, value: Any) -> Any:
        """The result that an object of another library stands for; any other value as it is."""
        return value

    @property
    def status(self) -> int:
        """The exit status of a command with this answer: 1 if the answer is no."""
        return 0

    @property
    def citations(self) -> tuple[str, ...]:
        """Keys of the works to cite: those of the method, then those its view adds for this answer."""
        return tuple(self.view().cite)

    def view(self, **options: Any) -> "View":
        """All its sentences, tables, notes and charts; a result itself shows the most important ones.

        `full=False` leaves out details, `sort` is the column that tables are sorted by, and `labels=False` keeps the
        canonical strings of metrics.
        """
        views = import_module("irassay.views.view")
        view = views.view_of(self, **options)
        row_order = self.__dict__.get("row_order")  # set by `sort`
        return view if row_order is None else views.view_in_order(view, *row_order)

    def _formatted(self, form: str, **options: Any) -> str:
        return str(import_module("irassay.views.formats").result_text(self, form, **options))

    def _render(self, function: str, *args: Any) -> Any:
        return getattr(import_module("irassay.views.render"), function)(*args)

    def to_frame(self) -> "polars.DataFrame":
        """A polars frame of the main table, with numbers in full precision, and yes and no as Booleans."""
        return self._render("as_frame", self.view(labels=False))

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        """A pandas frame with the columns of `to_frame`, which takes the same options."""
        return self._render("pandas_frame", self.to_frame(**options))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns of `to_frame` for any library that reads Arrow, such as pyarrow or DuckDB."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def to_dict(self) -> dict[str, Any]:
        """The main table as a dict: the values of each column, by its name."""
        return self.to_frame().to_dict(as_series=False)

    @checks_arguments
    def sort(self, column: str, descending: bool = True) -> Self:
        """The same result with its tables and frame sorted by a column; missing values are last."""
        import_module("irassay.views.view").refuse_unknown_column(self, column)
        return self._with_row_order(column, descending)

    def _with_row_order(self, column: str, descending: bool) -> Self:
        result = dataclasses.replace(self)
        result.__dict__.update(
            {k: v for k, v in self.__dict__.items() if k == "origin"}, row_order=(column, descending)
        )
        return result

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs)."""
        return self._formatted("latex")

    def to_markdown(self) -> str:
        """Sentences, tables and notes as Markdown."""
        return self._formatted("markdown")

    def to_json(self) -> str:
        """What the command line prints with --format json."""
        return self._formatted("json")

    @checks_arguments
    def plot(self, path: str | Path | None = None) -> Any:
        """The first chart, an altair object; with a path, all charts are also drawn to files (svg, png, pdf, html)."""
        view = self.view()
        if not view.charts:
            raise InputError(f"There is no picture of a {type(self).__name__}.")
        theme = import_module("irassay.views.theme")
        if path is not None and not theme.draw_charts(view, Path(path)):
            raise theme.EmptyPictureError
        return theme.first_chart(view)

    @checks_arguments
    def save(self, path: str | Path) -> None:
        """Writes the result as JSON, which `irassay.load` reads."""
        document = {**self.provenance(), "saved": _as_json(self)}
        write_file(path, json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")

    def provenance(self) -> dict[str, Any]:
        """Versions, every setting, and every file that was read, with its checksum."""
        if "origin" in self.__dict__:  # loaded from a file, which has its provenance
            return dict(self.__dict__["origin"])
        given = {
            key: _json_setting(value) for key, value in self.settings.flat(only_used=True).items() if value is not None
        }
        return provenance(self.settings.paths(), given, self.settings.checksums())

    def __str__(self) -> str:
        return str(self._render("brief_text", self.view()))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        view = self.view()
        return self._render("brief_html", view) + str(import_module("irassay.views.theme").chart_image(view))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


@checks_arguments
def load(path: str | Path) -> Any:
    """The result saved in a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); expected a saved result.") from None
    except ValueError:  # also for a path that no system allows
        raise InputError(f"{path} is not UTF-8 text; expected a saved result.") from None
    return result_from_json(text, str(path))


def result_json(result: Any) -> str:
    """A result as one JSON object: arrays are lists with type and shape; infinite numbers are words."""
    return json.dumps(_as_json(result), ensure_ascii=False, allow_nan=False)


def result_from_json(text: str, source: str = "the text") -> Any:
    """The result that `result_json` wrote."""
    try:
        document = json.loads(text)
        if not (isinstance(document, dict) and "saved" in document):
            return _from_json(document)
        result = _from_json(document.pop("saved"))
        if isinstance(result, Result) and "inputs" in document:
            result.__dict__["origin"] = document
        return result
    except json.JSONDecodeError as error:
        found = f"not valid JSON ({error.msg})"
        raise InputError(file=source, line=error.lineno, found=found, expected="a saved result") from None
    except RecursionError:
        raise InputError(f"{source} is nested too deeply; expected a saved result.") from None
    except InputError as error:
        raise error.with_prefix(f"{source}: ") from None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise InputError(f"{source} is damaged ({error}); save the result again.") from None


def _json_setting(value: Any) -> Any:
    """A setting as plain JSON; a saved object by the name of its class."""
    if isinstance(value, list | tuple):
        return [_json_setting(entry) for entry in value]
    if type(value) is dict:
        return {str(key): _json_setting(entry) for key, entry in value.items()}
    if isinstance(value, Saved):
        return type(value).__name__
    return value if isinstance(value, str | int | float) else str(value)


def _as_json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        is_finite = value.dtype.kind != "f" or bool(np.isfinite(value).all())
        items = value.tolist() if is_finite else _as_json(value.tolist())
        by_column = value.flags.f_contiguous and not value.flags.c_contiguous  # so that sums keep their last bit
        order = {"order": "F"} if by_column else {}
        return {"array": items, "kind": value.dtype.str, "shape": list(value.shape), **order}
    if isinstance(value, np.generic):
        return _as_json(value.item())
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
        content = {_name_in_files(field): _as_json(getattr(value, field.name)) for field in fields}
        return {"result": name, **content} if name else _refuse(value)
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[_as_json(key), _as_json(item)] for key, item in value.items()]}
    if value is None:
        return {"none": True}
    if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    kind = next((kind for kind, (text_type, _) in _text_types().items() if isinstance(value, text_type)), None)
    return {kind: str(value)} if kind else _refuse(value)


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
        return _as_json(_json_setting(value) if isinstance(value, Saved) else value)
    except TypeError:
        return str(value)


def _refuse(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def _from_json(value: Any) -> Any:
    """The inverse of `_as_json`: null is NaN, a list is a tuple."""
    if value is None:
        return math.nan
    if isinstance(value, list):
        return tuple(_from_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "result" not in value:  # a result may have fields of these names
        if "array" in value:
            array = np.array(_from_json(value["array"]), dtype=value["kind"]).reshape(value["shape"])
            return np.asarray(array, order=value.get("order", "C"))
        if "pairs" in value:
            return {_from_json(key): _from_json(item) for key, item in value["pairs"]}
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
            parts = {part: {name: _from_json(item) for name, item in value[part]} for part in ("given", "inputs")}
            method, spelled = (value["settings"][name] for name in ("method", "spelled"))
            return Settings(method, parts["given"], parts["inputs"], spelled)
    kind = _class(str(value.get("result")))
    declared = {field.name: field for field in dataclasses.fields(kind) if field.init}
    names = {_name_in_files(field): name for name, field in declared.items()}
    former: Mapping[str, str] = names | getattr(kind, "formerly", {})
    given = {
        former.get(name, name): _from_json(item)
        for name, item in value.items()
        if name != "result" and former.get(name, name)
    }
    missing = dataclasses.MISSING
    needed = {name for name, field in declared.items() if field.default is missing and field.default_factory is missing}
    if odd := (needed - given.keys()) | (given.keys() - declared.keys()):
        fields = ", ".join(sorted(odd))
        raise InputError(f"saved by another version of irassay, whose {kind.__name__} differs in {fields}.")
    return kind(**given)


def _class(name: str) -> Any:
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
