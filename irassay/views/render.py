"""Renderings of views: terminal, TSV, CSV, JSON, LaTeX and Markdown."""

import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from irassay.views.view import Cell, Table, View

FORMATS = ("table", "tsv", "csv", "json", "latex", "markdown")

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
}


def render(view: View, form: str, provenance: Mapping[str, Any] | None = None) -> str:
    """The whole view in one of the FORMATS but 'table', which goes straight to the terminal (`show`)."""
    if form == "json":
        return as_json(view, provenance or {})
    if form in ("tsv", "csv"):
        main = [table for table in view.tables if table.main] or view.tables
        return "\n".join(separated(table, "\t" if form == "tsv" else ",") for table in main)
    if form == "latex":
        return "\n\n".join(as_latex(table) for table in view.tables)
    return as_markdown(view)


def separated(table: Table, separator: str) -> str:
    """A table with a header line, numbers in full precision."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(table.columns)
    writer.writerows([[_machine(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def _machine(cell: Cell) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def as_json(view: View, provenance: Mapping[str, Any]) -> str:
    """One object: version, inputs, parameters, and results as lists of objects with the column names of the CSV."""
    results = {
        table.name: [dict(zip(table.columns, map(_finite, row), strict=True)) for row in table.rows]
        for table in view.tables
    }
    document = {
        **provenance,
        "sentences": list(view.sentences),
        "notes": list(view.notes),
        "results": next(iter(results.values())) if len(results) == 1 else results,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _finite(cell: Cell) -> Cell:
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else ("Infinity" if cell > 0 else "-Infinity")
    return cell


def latex_text(text: str) -> str:
    """Text with every character that LaTeX would take for a command made harmless."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def as_latex(table: Table) -> str:
    """A booktabs table; marked cells are bold."""
    numeric = [all(isinstance(row[c], int | float | None) for row in table.rows) for c in range(len(table.columns))]
    lines = [
        r"\begin{tabular}{" + "".join("r" if n else "l" for n in numeric) + "}",
        r"\toprule",
        " & ".join(latex_text(name) for name in table.columns) + r" \\",
        r"\midrule",
    ]
    for r in range(len(table.rows)):
        cells = []
        for c in range(len(table.columns)):
            text = latex_text(table.shown(r, c))
            text = rf"\textbf{{{text}}}" if (r, c) in table.marks else text
            above = table.raised.get((r, c))
            cells.append(rf"{text}\textsuperscript{{{latex_text(above)}}}" if above else text)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def as_markdown(view: View) -> str:
    """Title, sentences, tables and notes as Markdown."""
    parts = [f"## {view.title}", *view.sentences]
    for table in view.tables:
        if table.title:
            parts.append(f"### {table.title}")
        lines = [
            "| " + " | ".join(_piped(name) for name in table.columns) + " |",
            "|" + "---|" * len(table.columns),
        ]
        for r in range(len(table.rows)):
            cells = [_piped(table.shown(r, c)) for c in range(len(table.columns))]
            bold = [f"**{cell}**" if (r, c) in table.marks else cell for c, cell in enumerate(cells)]
            lines.append("| " + " | ".join(bold) + " |")
        parts.append("\n".join(lines))
    if view.notes:
        parts.append("\n".join(f"- {note}" for note in view.notes))
    return "\n\n".join(parts) + "\n"


def _piped(text: str) -> str:
    return text.replace("|", r"\|").replace("<", "&lt;")


def show(view: View, quiet: bool = False) -> None:
    """Prints the view for a person: tables to standard output, sentences and notes to standard error."""
    for sentence in () if quiet else view.sentences:
        _say(sentence)
    for table in view.tables:
        shown = range(len(table.rows))[: table.most]
        plain = aligned(table, shown)
        if sys.stdout.isatty() and _wants_folding(plain):
            _show_folded(table, shown)
        else:
            sys.stdout.write(plain)
        if len(shown) < len(table.rows):
            _say(f"… {len(table.rows) - len(shown):,} more rows; --format tsv has them all")
    for note in () if quiet else view.notes:
        _say(f"note: {note}")


def _say(text: str) -> None:
    """A line on standard error, folded to the window where there is one."""
    if sys.stderr.isatty():
        import shutil
        import textwrap

        text = textwrap.fill(text, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)


def _numeric(table: Table, column: int) -> bool:
    return any(isinstance(row[column], int | float) for row in table.rows)


def aligned(table: Table, shown: Sequence[int]) -> str:
    """A table in plain text, as wide as it needs to be."""
    grid = [list(table.columns), *([table.shown(r, c) for c in range(len(table.columns))] for r in shown)]
    width = [max(len(row[c]) for row in grid) for c in range(len(table.columns))]
    right = [_numeric(table, c) for c in range(len(table.columns))]
    lines = [
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, width, right, strict=True)).rstrip()
        for row in grid
    ]
    return "\n".join([*([table.title] if table.title else []), *lines, ""])


def _wants_folding(plain: str) -> bool:
    """Whether a table is wider than the window because of its words; numbers are left for the window to wrap."""
    import shutil

    widest = max(map(len, plain.split("\n")))
    return widest > shutil.get_terminal_size().columns and any(len(cell) > 30 for cell in plain.split("  "))


def _show_folded(table: Table, shown: Sequence[int]) -> None:
    """A table on a terminal, its cells folded to the window."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    title = Text(table.title) if table.title else None
    grid = RichTable(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for c, name in enumerate(table.columns):
        grid.add_column(
            Text(name), justify="right" if _numeric(table, c) else "left", overflow="fold", no_wrap=_numeric(table, c)
        )
    for r in shown:
        grid.add_row(
            *(Text(table.shown(r, c), style="bold" if (r, c) in table.marks else "") for c in range(len(table.columns)))
        )
    Console().print(grid)
