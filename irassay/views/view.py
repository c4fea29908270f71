"""Views: a result said in sentences, tables and charts, whatever it is shown on."""

import dataclasses
import json
import math
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from textwrap import wrap
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.method import cited
from irassay.metrics.labels import Names, names, typed
from irassay.prose import visible
from irassay.results import Result
from irassay.settings import Settings
from irassay.views.altair import unchecked

Cell = str | float | int | bool | None

# What --format takes: scores alone are written as trec_eval writes them, and a page is made by `reports`.
FORMATS = ("table", "tsv", "csv", "json", "trec_eval", "latex", "markdown", "html")
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
    legend: str = ""  # what the names of metrics in it leave out

    def shown(self, row: int, column: int) -> str:
        """A cell as people read it."""
        value = self.rows[row][column]
        digits = self.digits[column] if isinstance(self.digits, tuple) else self.digits
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, float):
            return visible(str(value))
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
    names: Names = field(default_factory=Names)  # what people are shown for metrics

    @property
    def main(self) -> tuple[Table, ...]:
        """The tables that TSV and CSV print."""
        return tuple(table for table in self.tables if table.main) or self.tables


def readable(view: View) -> View:
    """The view with names as people can read them; cells are made so when they are shown."""
    view = relabelled(view)
    tables = tuple(replace(t, title=visible(t.title), columns=tuple(map(visible, t.columns))) for t in view.tables)
    sentences, notes = (tuple(visible(str(each), "\n") for each in said) for said in (view.sentences, view.notes))
    shown = replace(view, title=visible(view.title), sentences=sentences, tables=tables, notes=notes)
    return replace(shown, methods=visible(view.methods, "\n"))


def relabelled(view: View) -> View:
    """The view with the names that people are shown for metrics instead of those that machines get.

    What these names leave out stands once, with the first table that has one of them, and with each chart.
    """
    if not view.names.labels:
        return view
    said = renaming(view.names.said)
    tables: list[Table] = []
    for table in view.tables:
        shown = relabelled_table(table, said)
        words = (value for row in (shown.columns, *shown.rows) for value in row if isinstance(value, str))
        first = not any(other.legend for other in tables)
        tables.append(replace(shown, legend=view.names.left_out(words) if first else ""))
    sentences, notes = (tuple(said(str(each)) for each in given) for given in (view.sentences, view.notes))
    legend = "" if any(table.legend for table in tables) else view.names.left_out((*sentences, *notes))
    notes += (f"names of metrics: {legend}",) if legend else ()
    methods = said(view.methods)
    methods += f" Of the metrics, {view.names.legend}." if methods != view.methods and view.names.legend else ""
    charts = tuple((said(name), _spelled(make, view.names)) for name, make in view.charts)
    found = replace(view, title=said(view.title), sentences=sentences, notes=notes, tables=tuple(tables))
    return replace(found, methods=methods, charts=charts, names=Names())


def relabelled_table(table: Table, said: Callable[[str], str]) -> Table:
    """The table with metrics as people are shown them, but for columns of other names."""

    def cell(value: Cell, column: str) -> Cell:
        return said(value) if isinstance(value, str) and column not in NAMED else value

    lines = tuple(tuple(map(cell, row, table.columns)) for row in table.rows)
    columns = tuple(map(said, table.columns))
    return replace(table, columns=columns, rows=lines, title=said(table.title), caption=said(table.caption))


def renaming(labels: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts what people are shown for metrics into a text, once or twice alike.

    >>> renaming({"RBP(p=0.5)": "RBP p=0.5"})("(RBP(p=0.5), not IA(metric='RBP(p=0.5)') or RBP(p=0.5)@10)")
    "(RBP p=0.5, not IA(metric='RBP(p=0.5)') or RBP(p=0.5)@10)"
    """
    labels = {label: label for label in labels.values()} | dict(
        labels
    )  # so that no part of a label is taken for a name
    names = "|".join(re.escape(name) for name in sorted(labels, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w@=])(?<!=['\"])(?:{names})(?![\w@(=])")

    @cache
    def said(text: str) -> str:
        return labels.get(text) or pattern.sub(lambda found: labels[found[0]], text)

    return said if labels else str


def _spelled(make: Callable[[], Any], names: Names) -> Callable[[], Any]:
    """A chart with the names that people are shown for metrics, as a Vega-Lite specification."""

    def made() -> dict[str, Any]:
        with unchecked():
            chart = make()
            spec: dict[str, Any] = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
        shown: dict[str, Any] = renamed(spec, renaming(names.said))
        return with_legend(shown, names.left_out([json.dumps(shown, ensure_ascii=False)]))

    return made


def renamed(spec: Any, said: Callable[[str], str], key: str = "") -> Any:
    """A specification in which names of metrics are those that people are shown; fields keep theirs."""
    if isinstance(spec, str):
        return spec if key in ("field", *NAMED) else said(spec)
    if isinstance(spec, dict):
        return {name: renamed(value, said, name) for name, value in spec.items()}
    return [renamed(each, said, key) for each in spec] if isinstance(spec, list | tuple) else spec


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


def with_settings(view: View, result: object) -> View:
    """The view of a result, knowing what people are to be shown for metrics, and the works that its method cites."""
    said = getattr(result, "settings", None)
    if not isinstance(said, Settings):
        return view
    return replace(view, names=names_of(result), cite=tuple(dict.fromkeys((*cited(said.method), *view.cite))))


def names_of(result: object) -> Names:
    """What people are shown for the metrics of a result."""
    said = getattr(result, "settings", None) or Settings()
    given = given_names(said)
    metrics = getattr(result, "metrics", None) or getattr(result, "metric", None) or given
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    simple = (metric for chosen in getattr(result, "sets", ()) for metric in chosen)  # those that others are held to
    return names([*map(str, metrics if several else [metrics]), *map(str, simple)], given)


def given_names(said: Settings) -> dict[str, str]:
    """The aliases and the typed parameters of metrics, as the settings of a result and of what it was about say."""
    asked = (said.inputs if said.method == "axioms" else said.given).get("metrics")  # by a method that scores itself
    found = typed(asked or ()) | said.inputs.get("labels", {})
    for given in said.inputs.values():
        found |= given_names(given) if isinstance(given, Settings) else {}
    return found


def view_of(result: object, **options: Any) -> View:
    """The view of a result, made by the module that its stable name leads to.

    That is `irassay.views.<saved_as>`, or the module that the result's class names as its `view_in`. A result without
    one, such as that of a user's own method, shows its frame or its fields.
    """
    name = getattr(result, "saved_as", "")
    module = getattr(result, "view_in", "") or (f"irassay.views.{name}" if name else "")
    if getattr(result, "view_in", "") and not find_spec(module):
        raise InputError(
            f"there is no module {module}, which a {type(result).__name__} names as its view; define its file"
        )
    if module and find_spec(module):
        make = import_module(module).view
        for name in options.keys() - signature(make).parameters.keys():
            raise InputError(f"{argument(name)} is not for this kind of answer; leave it out")
        return with_settings(make(result, **options), result)
    shown = View(type(result).__name__, (), (_plain_table(result),), tuple(getattr(result, "notes", ())))
    return with_settings(shown, result)


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
