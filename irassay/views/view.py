"""Views: a result as sentences, tables and charts, independent of the output format."""

import dataclasses
import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from itertools import product
from textwrap import wrap
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.method import method_citations
from irassay.metrics.labels import MetricLabels, MetricName, metric_labels, typed_labels
from irassay.prose import did_you_mean, visible_text
from irassay.results import Result
from irassay.settings import Settings
from irassay.views.altair import without_validation

Cell = str | float | int | bool | None

FORMULA_MARKS = ("=", "+", "-", "@")  # with which spreadsheets let a formula begin
PICTURES = (".svg", ".png", ".pdf", ".html")  # extensions of chart files
NON_METRIC_COLUMNS = ("system", "run", "topic")  # columns whose cells are not metrics
SUBTITLE_WIDTH = 76  # characters per line below a chart's title
PAIRS_SHOWN = 40  # rows shown to people of a table of pairs


class Detail(str):
    """A sentence that the terminal shows only with --full; other formats always have it."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """Named columns and rows of plain values; numbers stay numbers until a rendering formats them."""

    name: str  # used in file names and as JSON key
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    digits: int | tuple[int | None, ...] = 4  # decimals shown to people, for all columns or for each
    marks: frozenset[tuple[int, int]] = field(default_factory=frozenset)  # (row, column) in bold
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to its superscript
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to small print on a page
    max_rows: int | None = None  # rows shown to people; machines get all of them
    main: bool = False  # printed as TSV and CSV if a view has several tables
    caption: str = ""  # of a floating LaTeX table
    stars: bool = False  # plain text, which has no bold, puts marks between asterisks
    machine: "Table | None" = None  # what machines get instead: marks and superscripts as columns
    legend: str = ""  # what the metric labels in it leave out
    p_columns: tuple[str, ...] = ()  # columns of p-values; tiny ones are shown as below a bound
    plain_title: str = ""  # the title if superscripts are left out
    detail: bool = False  # the terminal shows it only with --full; other formats always have it
    brief: tuple[str, ...] = ()  # the columns that the terminal shows without --full; all if empty

    def shown(self, row: int, column: int) -> str:
        """A cell as people read it."""
        value = self.rows[row][column]
        digits = self.digits[column] if isinstance(self.digits, tuple) else self.digits
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, float):
            return visible_text(value if isinstance(value, str) else str(value))
        if value != value:
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        if digits is None:
            return repr(value)
        return f"{value:.1e}" if value and abs(value) < 10.0**-digits / 2 else f"{value:.{digits}f}"

    def numeric(self, column: int) -> bool:
        """Whether the column holds numbers."""
        return any(isinstance(row[column], int | float) for row in self.rows)


@dataclass(frozen=True)
class View:
    """One result for people: the answer first, then its evidence."""

    title: str
    sentences: tuple[str, ...]  # the answer; those that are `Detail` are left out on a terminal without --full
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()  # caveats, what was left out, and how it was computed
    charts: tuple[tuple[str, Callable[[], Any]], ...] = ()  # (name, function that makes an altair chart)
    cite: tuple[str, ...] = ()  # keys of references.bib that this answer uses besides those of the method
    methods: str = ""  # a methods paragraph for a paper, if requested
    names: MetricLabels = field(default_factory=MetricLabels)  # the labels of its metrics, for chart legends

    @property
    def main(self) -> tuple[Table, ...]:
        """The tables that TSV and CSV print."""
        return tuple(table for table in self.tables if table.main) or self.tables


def escaped_view(view: View) -> View:
    """The view with control characters escaped and labels for metrics; cells are escaped when they are shown."""

    def escaped(table: Table) -> Table:
        return replace(table, title=visible_text(table.title), columns=tuple(map(visible_text, table.columns)))

    sentences, notes = (tuple(visible_text(each, "\n") for each in texts) for texts in (view.sentences, view.notes))
    methods = visible_text(view.methods, "\n")
    title, tables = visible_text(view.title), tuple(map(escaped, view.tables))
    return replace(view, title=title, sentences=sentences, tables=tables, notes=notes, methods=methods)


def brief_view(view: View) -> View:
    """The view as a terminal shows it without --full: no tables, columns and sentences of detail, no empty columns."""
    sentences = tuple(each for each in view.sentences if not isinstance(each, Detail))
    return replace(
        view, sentences=sentences, tables=tuple(brief_table(each) for each in view.tables if not each.detail)
    )


def brief_table(table: Table) -> Table:
    """The table with the columns that the terminal shows, without empty ones."""
    empty = {c for c in range(len(table.columns)) if table.rows and all(row[c] in (None, "") for row in table.rows)}
    brief = [c for c, name in enumerate(table.columns) if (not table.brief or name in table.brief) and c not in empty]
    return table_with_columns(table, brief)


def table_with_columns(table: Table, columns: Sequence[int]) -> Table:
    """The table with only these columns, by their places."""
    place = {c: n for n, c in enumerate(columns)}
    return replace(
        table,
        columns=tuple(table.columns[c] for c in columns),
        rows=tuple(tuple(row[c] for c in columns) for row in table.rows),
        digits=table.digits if isinstance(table.digits, int) else tuple(table.digits[c] for c in columns),
        marks=frozenset((r, place[c]) for r, c in table.marks if c in place),
        raised={(r, place[c]): text for (r, c), text in table.raised.items() if c in place},
        asides={(r, place[c]): text for (r, c), text in table.asides.items() if c in place},
    )


def sorted_view(view: View, by: str) -> View:
    """The view with every table sorted that has this column; a table of detail is then shown too.

    Numbers are sorted from the largest, p-values and words from the smallest; a minus before the name reverses that.
    """
    columns = dict.fromkeys(column for table in view.tables for column in table.columns)
    name = by if by in columns else by.removeprefix("-")
    name = next((column for column in columns if column.lower() == name.lower()), name)
    if name not in columns:
        hint = did_you_mean(name, columns, f"the columns are {', '.join(columns)}.")
        raise InputError(argument("sort", by), f": no table has this column; {hint}", argument="sort", value=by)
    tables = [_sorted_table(each, name, by != name and by[0] == "-") for each in view.tables]
    return replace(view, tables=tuple(tables))


def _sorted_table(table: Table, name: str, backwards: bool) -> Table:
    if name not in table.columns:
        return table
    cells: list[Any] = column(table, name)
    numeric = table.numeric(table.columns.index(name))
    known = [r for r, cell in enumerate(cells) if isinstance(cell, int | float if numeric else str) and cell == cell]
    down = (numeric and name not in table.p_columns) != backwards
    order = sorted(known, key=lambda r: cells[r] if numeric else str(cells[r]).lower(), reverse=down)
    machine = _sorted_table(table.machine, name, backwards) if table.machine else None
    return reordered_table(replace(table, detail=False, machine=machine), [*order, *({*range(len(cells))} - {*known})])


def reordered_table(table: Table, order: Sequence[int]) -> Table:
    """The table with its rows in this order, marks and superscripts included."""
    place = {row: n for n, row in enumerate(order)}
    marks = frozenset((place[r], c) for r, c in table.marks)
    raised, asides = ({(place[r], c): text for (r, c), text in each.items()} for each in (table.raised, table.asides))
    rows = tuple(table.rows[row] for row in order)
    return replace(table, rows=rows, marks=marks, raised=raised, asides=asides)


def with_legends(view: View, names: MetricLabels) -> View:
    """The view with a legend of its metric labels: below the first table that has such labels, and in charts.

    If no table has any, the legend is a note.
    """
    if not names.labels:
        return view
    tables = list(view.tables)
    for n, table in enumerate(tables):
        if legend := names.legend_for(metric_words(table)):
            tables[n] = replace(table, legend=legend)
            break
    else:
        legend = names.legend_for((*view.sentences, *view.notes))
        view = replace(view, notes=(*view.notes, *([f"names of metrics: {legend}"] if legend else [])))
    methods = f"{view.methods} Names of metrics: {names.legend}." if view.methods and names.legend else view.methods
    return replace(view, tables=tuple(tables), methods=methods, names=names)


def metric_words(table: Table) -> set[str]:
    """The words of a table that may name metrics: headings and cells, except in columns of systems, runs or topics."""
    kept = [c for c, column in enumerate(table.columns) if column not in NON_METRIC_COLUMNS]
    return {f"{row[c]}" for row in (table.columns, *table.rows) for c in kept if isinstance(row[c], str)}


def chart_specs(view: View) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """(name, function that makes the Vega-Lite specification, with labels and their legend) of each chart of a view."""
    return ((f"{name}", partial(_chart_spec, make, view.names)) for name, make in view.charts)


def _chart_spec(make: Callable[[], Any], names: MetricLabels) -> dict[str, Any]:
    with without_validation():
        chart = make()
        spec: dict[str, Any] = with_labels(chart if isinstance(chart, dict) else chart.to_dict(validate=False))
    return with_legend(spec, names.legend_for(set(_chart_words(spec))) if names.labels else "")


def with_labels(spec: Any) -> Any:
    """A specification with the labels of its metrics."""
    if isinstance(spec, MetricName):
        return spec.label
    if isinstance(spec, dict):
        return {name: with_labels(value) for name, value in spec.items()}
    return [with_labels(each) for each in spec] if isinstance(spec, list | tuple) else spec


def _chart_words(spec: Any, key: str = "") -> Iterator[str]:
    """The strings of a chart specification that may name metrics."""
    if isinstance(spec, str):
        if key not in ("field", *NON_METRIC_COLUMNS):
            yield spec
    elif isinstance(spec, dict | list):
        for name, each in spec.items() if isinstance(spec, dict) else ((key, each) for each in spec):
            yield from _chart_words(each, name)


def with_legend(spec: dict[str, Any], legend: str) -> dict[str, Any]:
    """A chart specification with the legend of its metric labels below its title."""
    if not legend:
        return spec
    title = spec.get("title") or spec.get("layer", [{}])[0].get("title") or ""
    title = title if isinstance(title, dict) else {"text": title}
    under = title.get("subtitle") or []
    lines = [*([under] if isinstance(under, str) else under), *wrap(f"names of metrics: {legend}", SUBTITLE_WIDTH)]
    alone = {"text": lines, "fontWeight": "normal", "fontSize": 11}
    return spec | {"title": title | ({"subtitle": lines} if title["text"] else alone)}


def result_labels(result: object) -> MetricLabels:
    """The labels shown to people for the metrics of a result; none if its metrics have labels already."""
    aliases = given_labels(getattr(result, "settings", None) or Settings())
    metrics = getattr(result, "metrics", None) or getattr(result, "metric", None) or aliases
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    simple = [metric for metric_set in getattr(result, "sets", ()) for metric in metric_set]
    every = [*(metrics if several else [metrics]), *simple]
    has_labels = any(isinstance(metric, MetricName) for metric in every)
    return MetricLabels() if has_labels else metric_labels([*map(str, every)], aliases)


def given_labels(settings: Settings) -> dict[str, str]:
    """The aliases and typed parameters of metrics, from the settings of a result and of its inputs."""
    own = (settings.inputs if settings.method == "axioms" else settings.given).get("metrics")  # of a scoring method
    aliases = typed_labels(own or ()) | settings.inputs.get("labels", {})
    for given in settings.inputs.values():
        aliases |= given_labels(given) if isinstance(given, Settings) else {}
    return aliases


def view_of(
    result: object, *, labels: bool = True, module: str = "", full: bool = True, sort: str = "", **options: Any
) -> View:
    """The view of a result; without labels, metrics have their canonical names, as in output for machines.

    Without `full` it is as short as on a terminal. `sort` is the column that its tables are sorted by.

    The module `irassay.views.<saved_as>` makes it, or the module that the result's class gives as its `view_in`, unless
    `module` names another one. A result without such a module, as of a user's own method, shows its frame or fields.
    """
    names = result_labels(result) if labels else MetricLabels()
    view = with_legends(_view(names.with_labels(result), module, options), names)
    settings = getattr(result, "settings", None)
    cite = method_citations(settings.method) if isinstance(settings, Settings) else ()
    view = replace(view, cite=tuple(dict.fromkeys((*cite, *view.cite))))
    view = sorted_view(view, sort) if sort else view
    return view if full else brief_view(view)


def _view(result: object, module: str, options: Mapping[str, Any]) -> View:
    name = getattr(result, "saved_as", "")
    module = module or getattr(result, "view_in", "") or (f"irassay.views.{name}" if name else "")
    if getattr(result, "view_in", "") and not find_spec(module):
        raise InputError(f"There is no module {module}, the view_in of {type(result).__name__}; create that file.")
    if module and find_spec(module):
        make = import_module(module).view
        for name in options.keys() - signature(make).parameters.keys():
            raise InputError(f"{argument(name)} does not apply to this result; leave it out.")
        view: View = make(result, **options)
        return view
    return View(type(result).__name__, (), (_plain_table(result),), tuple(getattr(result, "notes", ())))


def _plain_table(result: Any) -> Table:
    """The result's own frame if it has one, otherwise a row for each of its fields."""
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


def plain_value(value: Any) -> Cell:
    """A numpy scalar or a plain value as a plain value."""
    return value.item() if hasattr(value, "item") else value


def column_table(name: str, columns: Mapping[str, Any], title: str = "", order: Any = None, **more: Any) -> Table:
    """A table made of columns of numpy or plain values; `order` are the indices of its rows, first to last."""
    lines = rows(*columns.values())
    return Table(name, tuple(columns), lines if order is None else tuple(lines[i] for i in order), title, **more)


def grid_columns(axes: Mapping[str, Iterable[Any]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with a row for each cell of a grid: the names along its axes, then the arrays [axis, …] of values.

    >>> grid_columns({"metric": ("AP", "RR"), "topic": ("1", "2")}, {"score": np.eye(2)})["topic"]
    ['1', '2', '1', '2']
    """
    cells = list(product(*axes.values()))
    names = {axis: [cell[n] for cell in cells] for n, axis in enumerate(axes)}
    return names | {name: np.asarray(array).ravel() for name, array in values.items()}


def interval_columns(name: str, value: Any, low: Any, high: Any) -> dict[str, Any]:
    """The columns of a value and of the ends of its interval, named after it."""
    return {name: value, f"{name} low": low, f"{name} high": high}


def with_headings(table: Table, headings: Mapping[str, str]) -> Table:
    """The table with other headings for people; machines keep its columns."""
    return replace(table, columns=tuple(headings.get(column, column) for column in table.columns), machine=table)


def with_last_row(table: Table, cells: Mapping[str, Cell]) -> Table:
    """The table with another row, which has these cells by column."""
    return replace(table, rows=(*table.rows, tuple(cells.get(name) for name in table.columns)))


def rows(*columns: Iterable[Any]) -> tuple[tuple[Cell, ...], ...]:
    """Rows from columns of numpy or plain values."""
    return tuple(zip(*map(_plain_column, columns), strict=True))


def whole_counts(values: Floats, metric: str) -> Sequence[float] | Floats:
    """Scores of topics, as integers where the metric counts something and the score is integral.

    >>> whole_counts(np.array([2.0, 3.0]), "NumRel"), whole_counts(np.array([0.5]), "NumRel")
    ([2, 3], [0.5])
    """
    from irassay.metrics.grammar import is_count  # imports all metrics, which few views need

    if not is_count(metric):
        return values
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _plain_column(values: Iterable[Any]) -> list[Cell]:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return list(values.tolist())
    return list(map(plain_value, values))


def formula_as_text(cell: Cell) -> Cell:
    """A cell; text that a spreadsheet would run as a formula has an apostrophe before it.

    >>> formula_as_text("=1+1"), formula_as_text("bm25"), formula_as_text(-0.5)
    ("'=1+1", 'bm25', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_MARKS) else cell
