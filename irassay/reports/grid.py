"""Tables of the page: the cells that people read, and the LaTeX of the table."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from irassay.metrics.labels import MetricLabels
from irassay.views.assay import NOT_MEASURED, NOT_TESTED
from irassay.views.comparison import MAX_LETTERED_SYSTEMS
from irassay.views.markup import latex_table
from irassay.views.metric_labels import metric_words
from irassay.views.view import Cell, Table, table_with_columns

MAX_ROWS = 400  # of a table
MAX_SHORT_ROWS = 30  # rows up to which a table does not scroll
MIN_WRAPPED, MIN_LONG = 16, 60  # characters from which words may wrap, and from which they get a wide column
MIN_WITH_COMMAS = 1_000  # integers from which on have commas
SIGNS = " ·+−\\"  # of the matrix of verdicts
EMPTY_TEXTS = {"", "–", NOT_MEASURED, NOT_TESTED}


def grid(table: Table, latex: dict[str, str], anchors: Mapping[str, str], names: MetricLabels) -> dict[str, Any]:
    """The cells and headings of a table for the template; its LaTeX is stored in `latex` under a new key.

    LaTeX also has the legend of metric labels, which the page has at its top.
    """
    part = without_empty_columns(replace(table, rows=table.rows[: min(table.max_rows or MAX_ROWS, MAX_ROWS)]))
    key = f"table-{len(latex) + 1}"
    latex[key] = latex_table(replace(with_asides(part), legend=part.legend or names.legend_for(metric_words(part))))
    lettered = len(part.rows) <= MAX_LETTERED_SYSTEMS
    numeric = [part.numeric(c) for c in range(len(part.columns))]
    signs = [any(len(str(row[c])) > 1 for row in part.rows) and _has_only_signs(part, c) for c in range(len(numeric))]

    def cell(r: int, c: int, value: Cell) -> dict[str, Any]:
        text, link = page_text(part, r, c), anchors.get(value, "") if isinstance(value, str) else ""
        words = isinstance(value, str) and not link
        return {
            "text": text,
            "kind": "n" if numeric[c] else "signs" if signs[c] else "long" if words and len(text) > MIN_LONG else "",
            "wrap": words and c > 0 and not signs[c] and len(text) > MIN_WRAPPED,
            "bold": (r, c) in part.marks,
            "above": part.raised.get((r, c), "") if lettered else "",
            "aside": part.asides.get((r, c), ""),
            "link": link,
        }

    return {
        "id": key,
        "title": table.title if lettered else table.plain_title or table.title,
        "columns": list(zip(part.columns, numeric, strict=True)),
        "rows": [[cell(r, c, value) for c, value in enumerate(row)] for r, row in enumerate(part.rows)],
        "legend": f"names of metrics: {part.legend}" if part.legend else "",
        "short": len(part.rows) <= MAX_SHORT_ROWS,
        "more": len(table.rows) - len(part.rows),
    }


def _has_only_signs(table: Table, column: int) -> bool:
    """Whether a column is a matrix in which each letter has a place, so that it needs a font of fixed width."""
    return all(isinstance(row[column], str) and not str(row[column]).strip(SIGNS) for row in table.rows)


def page_text(table: Table, row: int, column: int) -> str:
    """A cell as shown on the page: a number too small for its decimals is 0, and such a p-value is below a bound.

    >>> small = Table("t", ("rate", "p"), ((1.8e-4, 6e-17),), digits=3, p_columns=("p",))
    >>> page_text(small, 0, 0), page_text(small, 0, 1)
    ('0.000', '<0.001')
    """
    value = table.rows[row][column]
    if type(value) is int and abs(value) >= MIN_WITH_COMMAS:
        return f"{value:,}"
    digits = table.digits[column] if isinstance(table.digits, tuple) else table.digits
    if not isinstance(value, float) or digits is None or not 0 < abs(value) < 10.0**-digits / 2:
        return table.shown(row, column)
    is_p = table.columns[column] in table.p_columns
    return f"<{10.0**-digits:.{digits}f}" if is_p else f"{0:.{digits}f}"


def without_empty_columns(table: Table) -> Table:
    """The table without columns that are empty in every row.

    >>> without_empty_columns(Table("t", ("metric", "matters", "tau"), (("AP", "not measured", 1.0),))).columns
    ('metric', 'tau')
    """
    rows = range(len(table.rows))
    is_empty = [all(table.shown(r, c) in EMPTY_TEXTS for r in rows) for c in range(len(table.columns))]
    says = [c for c, empty in enumerate(is_empty) if c == 0 or not empty]
    if not table.rows or len(says) == len(table.columns):
        return table
    return table_with_columns(table, says)


def with_asides(table: Table) -> Table:
    """The table with the first line of each aside in its cell, for LaTeX, which has no asides."""
    if not table.asides:
        return table
    rows = [list(row) for row in table.rows]
    for (r, c), text in table.asides.items():
        rows[r][c] = f"{page_text(table, r, c)} {text.splitlines()[0]}".strip()
    return replace(table, rows=tuple(map(tuple, rows)), asides={})
