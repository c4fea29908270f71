"""Views: a result said in sentences, tables and charts, whatever it is shown on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

Cell = str | float | int | bool | None


@dataclass(frozen=True)
class Table:
    """Named columns and rows of plain values; numbers stay numbers until a rendering formats them."""

    name: str  # a word for file names and JSON keys
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    digits: int | tuple[int | None, ...] = 4  # decimals shown to people, for all columns or each
    marks: frozenset[tuple[int, int]] = field(default_factory=frozenset)  # (row, column) set in bold
    raised: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) to a superscript in LaTeX
    most: int | None = None  # rows shown to people; machines get them all
    main: bool = False  # the one that TSV and CSV print where a view has several

    def shown(self, row: int, column: int) -> str:
        """A cell as people read it."""
        value = self.rows[row][column]
        digits = self.digits[column] if isinstance(self.digits, tuple) else self.digits
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, float):
            return str(value)
        if value != value:
            return "–"
        if digits is None:
            return repr(value)
        least = 10.0**-digits
        if value and abs(value) < least / 2:
            return f"{value:.1e}"
        return f"{value:.{digits}f}"


@dataclass(frozen=True)
class View:
    """One result for people: the answer first, then its evidence."""

    title: str
    sentences: tuple[str, ...]  # what the result says
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()  # caveats, what was left out, and how it was computed
    charts: tuple[tuple[str, Callable[[], Any]], ...] = ()  # (name, function that makes an altair chart)
    cite: tuple[str, ...] = ()  # keys of references.bib


@singledispatch
def view(result: Any, **options: Any) -> View:
    """The view of a result; each result type registers its own."""
    raise TypeError(f"there is no view of {type(result).__name__}")


def column(table: Table, name: str) -> list[Cell]:
    """The values of one column."""
    index = table.columns.index(name)
    return [row[index] for row in table.rows]


def rows(*columns: Sequence[Any]) -> tuple[tuple[Cell, ...], ...]:
    """Rows from columns of numpy or plain values."""

    def plain(value: Any) -> Cell:
        return value.item() if hasattr(value, "item") else value

    return tuple(tuple(plain(value) for value in row) for row in zip(*columns, strict=True))
