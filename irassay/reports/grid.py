"""Tables of the page: what people read, and the LaTeX of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from irassay.metrics.labels import MetricLabels
from irassay.views.assay import NOT_MEASURED, NOT_TESTED
from irassay.views.comparison import MAX_LETTERED
from irassay.views.render import latex_table
from irassay.views.view import Cell, Table, metric_words

LONGEST = 400  # rows of a table
SHORT = 30  # rows that are seen without scrolling
WRAPPED, LONG = 16, 60  # letters of words that may go over several lines, and that need room for it
MANY = 1_000  # from which on integers have commas
EMPTY = {"", "–", NOT_MEASURED, NOT_TESTED}


def grid(table: Table, latex: dict[str, str], anchors: Mapping[str, str], names: MetricLabels) -> dict[str, Any]:
    """What the template needs of a table; its LaTeX is kept for the page's script under a new name.

    LaTeX also has what the labels of metrics leave out, since it leaves the page, which says so on top.
    """
    part = saying(replace(table, rows=table.rows[: min(table.most or LONGEST, LONGEST)]))
    key = f"table-{len(latex) + 1}"
    latex[key] = latex_table(replace(with_asides(part), legend=part.legend or names.legend_for(metric_words(part))))
    lettered = len(part.rows) <= MAX_LETTERED
    numeric = [part.numeric(c) for c in range(len(part.columns))]

    def cell(r: int, c: int, value: Cell) -> dict[str, Any]:
        text, link = on_page(part, r, c), anchors.get(value, "") if isinstance(value, str) else ""
        words = isinstance(value, str) and not link
        return {
            "text": text,
            "kind": "n" if numeric[c] else "long" if words and len(text) > LONG else "",
            "wrap": words and c > 0 and len(text) > WRAPPED,
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
        "short": len(part.rows) <= SHORT,
        "more": len(table.rows) - len(part.rows),
    }


def on_page(table: Table, row: int, column: int) -> str:
    """A cell as the page shows it: a number too small for its decimals is 0, a p-value below the least of them.

    >>> small = Table("t", ("rate", "p"), ((1.8e-4, 6e-17),), digits=3, p_columns=("p",))
    >>> on_page(small, 0, 0), on_page(small, 0, 1)
    ('0.000', '<0.001')
    """
    value = table.rows[row][column]
    if type(value) is int and abs(value) >= MANY:
        return f"{value:,}"
    digits = table.digits[column] if isinstance(table.digits, tuple) else table.digits
    if not isinstance(value, float) or digits is None or not 0 < abs(value) < 10.0**-digits / 2:
        return table.shown(row, column)
    is_p = table.columns[column] in table.p_columns
    return f"<{10.0**-digits:.{digits}f}" if is_p else f"{0:.{digits}f}"


def saying(table: Table) -> Table:
    """The table without columns that say nothing in any row.

    >>> saying(Table("t", ("metric", "matters", "tau"), (("AP", "not measured", 1.0),))).columns
    ('metric', 'tau')
    """
    says = [c for c in range(len(table.columns)) if c == 0 or not _empty(table, c)]
    if not table.rows or len(says) == len(table.columns):
        return table
    place = {c: n for n, c in enumerate(says)}
    digits = tuple(table.digits[c] for c in says) if isinstance(table.digits, tuple) else table.digits
    return replace(
        table,
        columns=tuple(table.columns[c] for c in says),
        rows=tuple(tuple(row[c] for c in says) for row in table.rows),
        digits=digits,
        marks=frozenset((r, place[c]) for r, c in table.marks if c in place),
        raised={(r, place[c]): text for (r, c), text in table.raised.items() if c in place},
        asides={(r, place[c]): text for (r, c), text in table.asides.items() if c in place},
    )


def _empty(table: Table, column: int) -> bool:
    return all(table.shown(r, column) in EMPTY for r in range(len(table.rows)))


def with_asides(table: Table) -> Table:
    """The table with the first line of its small print in the cells, for where there is no small print."""
    if not table.asides:
        return table
    rows = [list(row) for row in table.rows]
    for (r, c), text in table.asides.items():
        rows[r][c] = f"{on_page(table, r, c)} {text.splitlines()[0]}".strip()
    return replace(table, rows=tuple(map(tuple, rows)), asides={})
