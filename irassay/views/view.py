"""Views: a result said in sentences, tables and charts, whatever it is shown on."""

import dataclasses
import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from textwrap import wrap
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.method import cited
from irassay.metrics.labels import MetricName, Names, names, typed
from irassay.prose import visible
from irassay.results import Result
from irassay.settings import Settings
from irassay.views.altair import unchecked

Cell = str | float | int | bool | None

PICTURES = (".svg", ".png", ".pdf", ".html")  # endings of files that charts are drawn to
NAMED = ("system", "run", "topic")  # columns whose names are no metrics
LEGEND = 76  # letters of a line below a chart's title
PAIRS_SHOWN = 40  # rows of a table of pairs that people see


@dataclass(frozen=True)
class Table:
    """Named columns and rows of plain values; numbers stay numbers until a rendering formats them."""

    name: str  # a word for file names and JSON keys
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    digits: int | tuple[int | None, ...] = 4  # decimals shown to people, for all columns or each
    marks: frozenset[tuple[int, int]] = field(default_factory=frozenset)  # (row, column) set in bold
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to a superscript
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to small print on a page
    most: int | None = None  # rows shown to people; machines get them all
    main: bool = False  # the one that TSV and CSV print where a view has several
    caption: str = ""  # of a LaTeX table that floats
    stars: bool = False  # plain text, which has no bold, has marks between asterisks
    machine: "Table | None" = None  # what machines get instead: marks and superscripts as columns
    legend: str = ""  # what the labels of metrics in it leave out
    p_columns: tuple[str, ...] = ()  # columns of p-values, of which the smallest are shown as below a bound
    plain_title: str = ""  # the title where superscripts are left out

    def shown(self, row: int, column: int) -> str:
        """A cell as people read it."""
        value = self.rows[row][column]
        digits = self.digits[column] if isinstance(self.digits, tuple) else self.digits
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, float):
            return visible(value if isinstance(value, str) else str(value))
        if value != value:
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        if digits is None:
            return repr(value)
        least = 10.0**-digits
        if value and abs(value) < least / 2:
            return f"{value:.1e}"
        return f"{value:.{digits}f}"

    def numeric(self, column: int) -> bool:
        """Whether the column holds numbers."""
        return any(isinstance(row[column], int | float) for row in self.rows)


@dataclass(frozen=True)
class View:
    """One result for people: the answer first, then its evidence."""

    title: str
    sentences: tuple[str, ...]  # what the result says
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()  # caveats, what was left out, and how it was computed
    charts: tuple[tuple[str, Callable[[], Any]], ...] = ()  # (name, function that makes an altair chart)
    cite: tuple[str, ...] = ()  # keys of references.bib that this answer rests on, beside those of the method
    methods: str = ""  # a paragraph for a paper's section on methods, where it was asked for
    names: Names = field(default_factory=Names)  # the labels of its metrics, for the legends of charts

    @property
    def main(self) -> tuple[Table, ...]:
        """The tables that TSV and CSV print."""
        return tuple(table for table in self.tables if table.main) or self.tables


def readable(view: View) -> View:
    """The view as people can read it, labels for metrics; cells are made so when they are shown."""
    tables = tuple(replace(t, title=visible(t.title), columns=tuple(map(visible, t.columns))) for t in view.tables)
    sentences, notes = (tuple(visible(each, "\n") for each in texts) for texts in (view.sentences, view.notes))
    shown = replace(view, title=visible(view.title), sentences=sentences, tables=tables, notes=notes)
    return replace(shown, methods=visible(view.methods, "\n"))


def with_legends(view: View, names: Names) -> View:
    """The view with what labels of metrics leave out: once, with the first table that has such labels, and in charts.

    Where no table has any, a note says it.
    """
    if not names.labels:
        return view
    tables = list(view.tables)
    for n, table in enumerate(tables):
        if legend := names.left_out(metric_words(table)):
            tables[n] = replace(table, legend=legend)
            break
    else:
        legend = names.left_out((*view.sentences, *view.notes))
        view = replace(view, notes=(*view.notes, *([f"names of metrics: {legend}"] if legend else [])))
    methods = f"{view.methods} Of the metrics, {names.legend}." if view.methods and names.legend else view.methods
    return replace(view, tables=tuple(tables), methods=methods, names=names)


def metric_words(table: Table) -> set[str]:
    """The words of a table in which metrics may be named: not those of columns of other names."""
    kept = [c for c, column in enumerate(table.columns) if column not in NAMED]
    return {f"{row[c]}" for row in (table.columns, *table.rows) for c in kept if isinstance(row[c], str)}


def chart_specs(view: View) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """The charts of a view: names, and functions that make Vega-Lite specifications with labels and their legend."""
    return ((f"{name}", partial(_chart_spec, make, view.names)) for name, make in view.charts)


def _chart_spec(make: Callable[[], Any], names: Names) -> dict[str, Any]:
    with unchecked():
        chart = make()
        spec: dict[str, Any] = with_labels(chart if isinstance(chart, dict) else chart.to_dict(validate=False))
    return with_legend(spec, names.left_out(set(_chart_words(spec))) if names.labels else "")


def with_labels(spec: Any) -> Any:
    """A specification with the labels of its metrics."""
    if isinstance(spec, MetricName):
        return spec.label
    if isinstance(spec, dict):
        return {name: with_labels(value) for name, value in spec.items()}
    return [with_labels(each) for each in spec] if isinstance(spec, list | tuple) else spec


def _chart_words(spec: Any, key: str = "") -> Iterator[str]:
    """The words that people read in a chart, and those it is made of, but for columns of other names."""
    if isinstance(spec, str):
        if key not in ("field", *NAMED):
            yield spec
    elif isinstance(spec, dict | list):
        for name, each in spec.items() if isinstance(spec, dict) else ((key, each) for each in spec):
            yield from _chart_words(each, name)


def with_legend(spec: dict[str, Any], legend: str) -> dict[str, Any]:
    """A specification with what names of metrics leave out below its title."""
    if not legend:
        return spec
    first = spec.get("layer", [{}])[0]
    title = spec.get("title") or first.get("title") or ""
    title = title if isinstance(title, dict) else {"text": title}
    under = title.get("subtitle") or []
    lines = [*([under] if isinstance(under, str) else under), *wrap(f"names of metrics: {legend}", LEGEND)]
    alone = {"text": lines, "fontWeight": "normal", "fontSize": 11}
    return spec | {"title": title | ({"subtitle": lines} if title["text"] else alone)}


def names_of(result: object) -> Names:
    """What people are shown for the metrics of a result; nothing new where they have labels already."""
    said = getattr(result, "settings", None) or Settings()
    given = given_names(said)
    metrics = getattr(result, "metrics", None) or getattr(result, "metric", None) or given
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    simple = [metric for chosen in getattr(result, "sets", ()) for metric in chosen]
    every = [*(metrics if several else [metrics]), *simple]
    return Names() if any(isinstance(metric, MetricName) for metric in every) else names([*map(str, every)], given)


def given_names(said: Settings) -> dict[str, str]:
    """The aliases and the typed parameters of metrics, as the settings of a result and of what it was about say."""
    asked = (said.inputs if said.method == "axioms" else said.given).get("metrics")  # by a method that scores itself
    found = typed(asked or ()) | said.inputs.get("labels", {})
    for given in said.inputs.values():
        found |= given_names(given) if isinstance(given, Settings) else {}
    return found


def view_of(result: object, *, labels: bool = True, module: str = "", **options: Any) -> View:
    """The view of a result, made by the module that its stable name leads to; without labels, as machines have it.

    That is `irassay.views.<saved_as>`, or the module that the result's class names as its `view_in`, unless another one
    is given. A result without one, such as that of a user's own method, shows its frame or its fields.
    """
    names = names_of(result) if labels else Names()
    view = with_legends(_view(names.with_names(result), module, options), names)
    settings = getattr(result, "settings", None)
    cite = cited(settings.method) if isinstance(settings, Settings) else ()
    return replace(view, cite=tuple(dict.fromkeys((*cite, *view.cite))))


def _view(result: object, module: str, options: Mapping[str, Any]) -> View:
    name = getattr(result, "saved_as", "")
    module = module or getattr(result, "view_in", "") or (f"irassay.views.{name}" if name else "")
    if getattr(result, "view_in", "") and not find_spec(module):
        raise InputError(
            f"there is no module {module}, which a {type(result).__name__} names as its view; define its file"
        )
    if module and find_spec(module):
        make = import_module(module).view
        for name in options.keys() - signature(make).parameters.keys():
            raise InputError(f"{argument(name)} is not for this kind of answer; leave it out")
        view: View = make(result, **options)
        return view
    return View(type(result).__name__, (), (_plain_table(result),), tuple(getattr(result, "notes", ())))


def _plain_table(result: Any) -> Table:
    """The frame that a result makes of itself, or else a row for each of its fields."""
    name, own = type(result).__name__, getattr(type(result), "to_frame", None)
    if own is not None and own is not getattr(Result, "to_frame", None):
        frame = result.to_frame()
        return Table(name.lower(), tuple(frame.columns), tuple(frame.rows()))
    if not dataclasses.is_dataclass(result):
        raise TypeError(f"there is no view of {name}")
    names = [each.name for each in dataclasses.fields(result) if each.name not in ("notes", "settings")]
    fields = [(name, getattr(result, name)) for name in names]
    lines = tuple((key, each if isinstance(each, Cell) else reprlib.repr(each)) for key, each in fields)
    return Table(name.lower(), ("field", "value"), lines)


def column(table: Table, name: str) -> list[Cell]:
    """The values of one column."""
    index = table.columns.index(name)
    return [row[index] for row in table.rows]


def plain(value: Any) -> Cell:
    """A number of numpy, or a plain value, as a table takes it."""
    return value.item() if hasattr(value, "item") else value


def by_column(name: str, columns: Mapping[str, Any], title: str = "", **more: Any) -> Table:
    """A table from its columns, which hold numpy or plain values."""
    return Table(name, tuple(columns), rows(*columns.values()), title, **more)


def rows(*columns: Iterable[Any]) -> tuple[tuple[Cell, ...], ...]:
    """Rows from columns of numpy or plain values."""
    return tuple(zip(*map(_plain_column, columns), strict=True))


def whole_counts(values: Floats, metric: str) -> Sequence[float] | Floats:
    """Scores of one topic each as a table takes them: those of a metric that counts as whole numbers, where they are.

    >>> whole_counts(np.array([2.0, 3.0]), "NumRel"), whole_counts(np.array([0.5]), "NumRel")
    ([2, 3], [0.5])
    """
    from irassay.metrics.grammar import is_count  # all metrics, which what is about none does without

    if not is_count(metric):
        return values
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _plain_column(values: Iterable[Any]) -> list[Cell]:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return list(values.tolist())
    return list(map(plain, values))
