"""Views: a result as sentences, tables and charts, independent of the output format."""

import dataclasses
import math
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

from irassay.errors import InputError, argument
from irassay.method import method_citations
from irassay.metrics.labels import MetricLabels
from irassay.prose import did_you_mean, visible_text
from irassay.results import Result
from irassay.settings import Settings
from irassay.views.metric_labels import result_labels, with_legends

Cell = str | float | int | bool | None

ORDER_IN_TITLE = re.compile(r", [^,;]* first(?=;|$)")  # such as ", best systems first"
PICTURES = (".svg", ".png", ".pdf", ".html")  # extensions of chart files
PAIRS_SHOWN = 40  # rows shown to people of a table of pairs
ROUNDING_DIGITS = 9  # decimals beyond which a number below 1 is 1 but for rounding
BRIEF_ROWS = 10  # of a table that may be long, on a terminal without --full


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
    underlined: frozenset[tuple[int, int]] = frozenset()  # (row, column) underlined in LaTeX
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to its superscript
    asides: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to small print on a page
    max_rows: int | None = None  # rows shown to people; machines get all of them
    main: bool = False  # printed as TSV and CSV if a view has several tables
    caption: str = ""  # of a floating LaTeX table
    label: str = ""  # by which LaTeX refers to it
    stars: bool = False  # plain text, which has no bold, puts marks between asterisks
    machine: "Table | None" = None  # what machines get instead: marks and superscripts as columns
    legend: str = ""  # what the metric labels in it leave out
    p_columns: tuple[str, ...] = ()  # columns of p-values; tiny ones are shown as below a bound
    plain_title: str = ""  # the title if superscripts are left out
    detail: bool = False  # the terminal shows it only with --full; other formats always have it
    brief: tuple[str, ...] = ()  # the columns that the terminal shows without --full; all if empty
    brief_rows: tuple[int, ...] = ()  # the rows that the terminal shows without --full; all if empty
    row_digits: tuple[int, ...] = ()  # [row] decimals shown to people, if rows differ in them

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
        if value and abs(value) < 10.0**-digits / 2:
            return f"{value:.1e}"
        if 0 < 1 - value < 10.0**-digits / 2 and self.columns[column] not in self.p_columns:
            digits = next((n for n in range(digits, ROUNDING_DIGITS) if round(value, n) < 1), digits)
        return f"{value + 0.0:.{digits}f}"  # without the sign of a negative zero

    def numeric(self, column: int) -> bool:
        """Whether the column holds numbers."""
        return any(isinstance(row[column], int | float) for row in self.rows)


@dataclass(frozen=True, repr=False)
class View:
    """One result for people: the answer first, then its evidence. It prints itself, in a notebook with its picture."""

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

    def __str__(self) -> str:
        return str(import_module("irassay.views.render").as_text(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        markup, theme = (import_module(f"irassay.views.{name}") for name in ("markup", "theme"))
        return f"{markup.as_html(self)}{theme.chart_image(self)}"


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
    if table.brief_rows:
        others = sorted({*range(len(table.rows))} - {*table.brief_rows})
        table = replace(reordered_table(table, [*table.brief_rows, *others]), max_rows=len(table.brief_rows))
        table = replace(table, raised={}, title=table.plain_title or table.title)  # superscripts name other rows, too
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
        underlined=frozenset((r, place[c]) for r, c in table.underlined if c in place),
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
        hint = did_you_mean(name, columns, f"the columns are {_column_list(columns)}.")
        raise InputError(argument("sort", by), f": no table has this column; {hint}", argument="sort", value=by)
    tables = [_sorted_table(each, name, by != name and by[0] == "-") for each in view.tables]
    return replace(view, tables=tuple(tables))


def view_in_order(view: View, name: str, descending: bool) -> View:
    """The view with every table sorted that has this column, for people or for machines."""
    return replace(view, tables=tuple(_sorted_table(each, name, descending=descending) for each in view.tables))


def refuse_unknown_column(result: Result, name: str) -> None:
    """Raises an error if no table of a result has this column."""
    tables = [table for labels in (True, False) for table in view_of(result, labels=labels).tables]
    columns = dict.fromkeys(
        each for table in tables for form in (table, table.machine) if form for each in form.columns
    )
    if name not in columns:
        hint = did_you_mean(name, columns, f"the columns are {_column_list(columns)}.")
        raise InputError(argument("column", name), f": no table has this column; {hint}", argument="column", value=name)


def _column_list(columns: Iterable[str]) -> str:
    """The names of columns, those with a comma in quotes.

    >>> _column_list(["metric", "topics needed, 10 % pair"])
    "metric, 'topics needed, 10 % pair'"
    """
    return ", ".join(f"'{name}'" if "," in name else name for name in columns)


def _sorted_table(table: Table, name: str, backwards: bool = False, descending: bool | None = None) -> Table:
    """The table sorted by a column, if it has it; without `descending`, in the direction that suits its values."""
    machine = _sorted_table(table.machine, name, backwards, descending) if table.machine else None
    if name not in table.columns:
        return replace(table, machine=machine)
    cells: list[Any] = column(table, name)
    numeric = table.numeric(table.columns.index(name))
    known = [r for r, cell in enumerate(cells) if isinstance(cell, int | float if numeric else str) and cell == cell]
    down = (numeric and name not in table.p_columns) != backwards if descending is None else descending
    order = sorted(known, key=lambda r: cells[r] if numeric else str(cells[r]).lower(), reverse=down)
    title = ORDER_IN_TITLE.sub("", table.title)
    table = replace(table, title=title, detail=not cells, machine=machine, brief_rows=())
    return reordered_table(table, [*order, *({*range(len(cells))} - {*known})])


def column(table: Table, name: str) -> list[Cell]:
    """The values of one column."""
    index = table.columns.index(name)
    return [row[index] for row in table.rows]


def reordered_table(table: Table, order: Sequence[int]) -> Table:
    """The table with its rows in this order, marks and superscripts included."""
    place = {row: n for n, row in enumerate(order)}
    marks, underlined = (frozenset((place[r], c) for r, c in each) for each in (table.marks, table.underlined))
    raised, asides = ({(place[r], c): text for (r, c), text in each.items()} for each in (table.raised, table.asides))
    rows = tuple(table.rows[row] for row in order)
    digits = tuple(table.row_digits[row] for row in order) if table.row_digits else ()
    return replace(
        table, rows=rows, marks=marks, underlined=underlined, raised=raised, asides=asides, row_digits=digits
    )


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
            raise InputError(argument(name), " does not apply to this result; leave it out.")
        return make(result, **options) if module.startswith("irassay.") else _users_view(make, result, options)
    return View(type(result).__name__, (), (_plain_table(result),), tuple(getattr(result, "notes", ())))


def _users_view(make: Callable[..., Any], result: object, options: Mapping[str, Any]) -> View:
    """The view that a user's function makes; if it is not one, the error names the user's file and line."""
    place: dict[str, Any] = {"file": make.__code__.co_filename, "line": make.__code__.co_firstlineno}
    view = make(result, **options)
    if not isinstance(view, View):
        found, expected = f"view returned a {type(view).__name__}", "an irassay.View"
        raise InputError(found=found, expected=expected, **place)
    for table in view.tables:
        if not isinstance(table, Table):
            found, expected = f"found a {type(table).__name__} among the tables", "an irassay.Table"
            raise InputError(found=found, expected=expected, **place)
        if odd := next((row for row in table.rows if len(row) != len(table.columns)), None):
            found = f"table {table.name} has a row of {len(odd)} cells"
            raise InputError(found=found, expected=f"{len(table.columns)}, as it has columns", **place)
    return view


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
