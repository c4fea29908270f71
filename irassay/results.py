"""Results: they print themselves, are saved and loaded, and become frames, LaTeX tables and pictures."""

import dataclasses
import json
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from irassay.argument_types import checks_arguments
from irassay.errors import InputError
from irassay.provenance import provenance
from irassay.saving import Saved, saved_json, setting_as_json, value_from_json
from irassay.settings import Settings
from irassay.writing import write_file

if TYPE_CHECKING:
    import pandas
    import polars

    from irassay.views.view import View


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

    def to_frame(self) -> "polars.DataFrame":
        """A polars frame of the main table, with numbers in full precision, and yes and no as Booleans."""
        return import_module("irassay.views.machine_formats").as_frame(self.view(labels=False))

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        """A pandas frame with the columns of `to_frame`, which takes the same options."""
        return import_module("irassay.views.machine_formats").pandas_frame(self.to_frame(**options))

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
        document = {**self.provenance(), "saved": saved_json(self)}
        write_file(path, json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")

    def provenance(self) -> dict[str, Any]:
        """Versions, every setting, and every file that was read, with its checksum."""
        if "origin" in self.__dict__:  # loaded from a file, which has its provenance
            return dict(self.__dict__["origin"])
        given = {
            key: setting_as_json(value)
            for key, value in self.settings.flat(only_used=True).items()
            if value is not None
        }
        return provenance(self.settings.paths(), given, self.settings.checksums())

    def __str__(self) -> str:
        return str(import_module("irassay.views.render").brief_text(self.view()))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        view = self.view()
        render, theme = (import_module(f"irassay.views.{name}") for name in ("render", "theme"))
        return f"{render.brief_html(view)}{theme.chart_image(view)}"

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
    return json.dumps(saved_json(result), ensure_ascii=False, allow_nan=False)


def result_from_json(text: str, source: str = "the text") -> Any:
    """The result that `result_json` wrote."""
    try:
        document = json.loads(text)
        if not (isinstance(document, dict) and "saved" in document):
            return value_from_json(document)
        result = value_from_json(document.pop("saved"))
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
