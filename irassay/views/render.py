"""Views as text for terminals, HTML, TSV, CSV, JSON, LaTeX and Markdown, and as frames and chart specifications."""

import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

from irassay.errors import argument, missing_package_error
from irassay.notes import Note
from irassay.prose import (
    count_phrase,
    display_width,
    encodable,
    escaped_json,
    padded_text,
    visible_text,
    wrapped_for_terminal,
)
from irassay.views.metric_labels import chart_specs
from irassay.views.view import Cell, Detail, Table, View, brief_view, escaped_view, formula_as_text
from irassay.views.wide_tables import cell_texts, folded_table

if TYPE_CHECKING:
    import pandas
    import polars as pl

YES_OR_NO = {"yes": True, "no": False}
MAX_CAVEATS = 3  # shown below an answer; --notes shows all
MAX_DETAILS = 3  # named in the line on what --full shows
BRIEF_ROWS = 10  # of a table that may be long, on a terminal without --full
LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$"}
    | {"↓": r"$\downarrow$", "↑": r"$\uparrow$"}
    | {"▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "°": r"$^{\circ}$"}
    | {"α": r"$\alpha$", "τ": r"$\tau$", "γ": r"$\gamma$", "ρ": r"$\rho$", "≥": r"$\ge$", "≤": r"$\le$"}
)


def separated_text(table: Table, separator: str, safe: bool = False) -> str:
    """A table with a header line, numbers in full precision; if `safe`, no text is a formula for a spreadsheet."""
    import csv

    table = table.machine or table
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    rows = [list(map(formula_as_text, row)) for row in table.rows] if safe else table.rows
    writer.writerow(table.columns)
    writer.writerows([[_machine(cell) for cell in row] for row in rows])
    return out.getvalue()


def _machine(cell: Cell) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def as_json(view: View, provenance: Mapping[str, Any]) -> str:
    """One JSON object: version, inputs, parameters, and results as lists of objects keyed by the columns of the CSV."""
    results = {
        table.name: [dict(zip(table.columns, map(_finite, row), strict=True)) for row in table.rows]
        for table in (each.machine or each for each in view.tables)
    }
    document = {
        **provenance,
        "sentences": list(view.sentences),
        **({"methods": view.methods} if view.methods else {}),
        "notes": list(view.notes),
        "results": next(iter(results.values())) if len(results) == 1 else results,
    }
    return escaped_json(json.dumps(document, indent=1, ensure_ascii=False))


def _finite(cell: Cell) -> Cell:
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else ("Infinity" if cell > 0 else "-Infinity")
    return cell


def as_frame(view: View) -> "pl.DataFrame":
    """The main table as a frame, numbers in full precision; a column of words and numbers holds strings.

    The columns `significant` and those that end in `best` are Booleans.
    """
    import polars as pl

    if not view.main:
        return pl.DataFrame()
    table = view.main[0].machine or view.main[0]
    rows = [tuple(encodable(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows]
    columns = [encodable(column) for column in table.columns]
    frame = pl.DataFrame(rows, columns, orient="row", infer_schema_length=None, strict=False)
    answers = [each for each in frame if each.name.endswith(("significant", "best")) and each.dtype == pl.String]
    answers = [each for each in answers if set(each.unique()) <= YES_OR_NO.keys()]
    return frame.with_columns(each.replace_strict(YES_OR_NO, return_dtype=pl.Boolean) for each in answers)


def pandas_frame(frame: "pl.DataFrame") -> "pandas.DataFrame":
    """The same frame as one of pandas; pyarrow is not needed."""
    try:
        import pandas
    except ImportError:
        raise missing_package_error("pandas", "pandas", "to_pandas") from None
    columns = {each.name: each.to_numpy() if each.dtype.is_numeric() else each.to_list() for each in frame}
    return pandas.DataFrame(columns)


def vega_spec(view: View) -> dict[str, Any] | None:
    """The Vega-Lite specification of the first chart; None if there is no chart."""
    from irassay.views.theme import themed_spec

    return themed_spec(next(chart_specs(view))[1]()) if view.charts else None


def escape(text: str) -> str:
    """Text with the special characters of HTML escaped."""
    from html import escape  # slow to import

    return escape(text)


def latex_text(text: str) -> str:
    """Text with the special characters of LaTeX escaped."""
    return visible_text(text).translate(LATEX)


def as_latex(view: View) -> str:
    """Every table of the view in LaTeX, and its methods paragraph if there is one."""
    methods = [wrapped_paragraph(latex_text(view.methods))] if view.methods else []
    return "\n\n".join([*map(latex_table, view.tables), *methods])


def wrapped_paragraph(text: str) -> str:
    """A paragraph in lines of at most 80 characters, broken between words only."""
    return fill(text, 80, break_long_words=False, break_on_hyphens=False)


def latex_table(table: Table) -> str:
    """A booktabs table, in which numbers are aligned at the decimal point; marks are bold.

    Numbers of equal length with superscripts are left-aligned; of others, superscripts have a column of their own.
    """
    numeric = [all(isinstance(row[c], int | float | None) for row in table.rows) for c in range(len(table.columns))]
    raised = {c for _, c in table.raised}
    left = {c for c in raised if len({len(table.shown(r, c)) for r in range(len(table.rows))}) == 1}
    double = {c for c in raised - left if numeric[c]}
    kinds = ("r@{}l" if c in double else "r" if n and c not in left else "l" for c, n in enumerate(numeric))
    texts = map(latex_text, table.columns)
    heads = (rf"\multicolumn{{2}}{{c}}{{{text}}}" if c in double else text for c, text in enumerate(texts))
    lines = [r"\begin{tabular}{" + "".join(kinds) + "}", r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    for r in range(len(table.rows)):
        row = " & ".join(_latex_cells(table, r, double))
        lines.append(("{}" if row.startswith(("[", "*")) else "") + row + r" \\")  # else they are arguments of \\
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.caption and table.legend:
        table = replace(table, caption=f"{table.caption} Names of metrics: {table.legend}.", legend="")
    lines += [rf"\par\smallskip {latex_text(_legend_line(table))}"] if table.legend else []
    if table.caption:
        opening = [r"% \usepackage{booktabs,amssymb}", r"\begin{table}", r"\centering"]
        opening += [
            rf"\caption{{{latex_text(table.caption)}}}",
            *([rf"\label{{{table.label}}}"] if table.label else []),
        ]
        lines = [*opening, *lines, r"\end{table}"]
    return "\n".join(lines)


def _latex_cells(table: Table, r: int, double: Set[int]) -> Iterator[str]:
    """The cells of a row; the superscripts of `double` columns are cells of their own."""
    for c in range(len(table.columns)):
        cell, sign = latex_text(table.shown(r, c)), latex_text(table.raised.get((r, c), ""))
        cell = rf"\textbf{{{cell}}}" if (r, c) in table.marks else cell
        cell = rf"\underline{{{cell}}}" if (r, c) in table.underlined else cell
        yield cell + (" & " if c in double else "") + (rf"\textsuperscript{{{sign}}}" if sign else "")


def _row_texts(table: Table, r: int, escaped: Callable[[str], str], bold: str, superscript: str) -> list[str]:
    """The escaped cells of a row, with marks and superscripts in these formats."""
    cells = [escaped(table.shown(r, c)) for c in range(len(table.columns))]
    cells = [bold.format(cell) if (r, c) in table.marks else cell for c, cell in enumerate(cells)]
    above = (escaped(table.raised.get((r, c), "")) for c in range(len(cells)))
    return [cell + (superscript.format(text) if text else "") for cell, text in zip(cells, above, strict=True)]


def as_markdown(view: View) -> str:
    """Title, sentences, tables and notes as Markdown."""
    view = escaped_view(view)
    parts = [_as_text(part) for part in (f"## {view.title}", *view.sentences)]
    for table in view.tables:
        if table.title:
            parts.append(_as_text(f"### {table.title}"))
        lines = [f"| {' | '.join(map(_cell_text, table.columns))} |", "|" + "---|" * len(table.columns)]
        for r in range(len(table.rows)):
            lines.append(f"| {' | '.join(_row_texts(table, r, _cell_text, '**{}**', '<sup>{}</sup>'))} |")
        parts += ["\n".join(lines), *([_cell_text(_legend_line(table))] if table.legend else [])]
    if view.methods:
        parts += ["### Methods", _as_text(view.methods)]
    if view.notes:
        parts.append("\n".join(_as_text(f"- {note}") for note in view.notes))
    return "\n\n".join(parts) + "\n"


def _as_text(text: str) -> str:
    """Text for Markdown with tags and links escaped."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace("](", r"]\(")


def _cell_text(text: str) -> str:
    """Text for a Markdown cell, with its borders escaped too."""
    return _as_text(re.sub(r"\\(?=[\\|])", "&#92;", text).replace("|", r"\|").replace("<", "&lt;"))


def as_html(view: View) -> str:
    """Sentences, tables and notes as a self-contained piece of HTML, everything escaped."""
    view = escaped_view(view)
    parts = [f"<p>{escape(sentence)}</p>" for sentence in view.sentences]
    for table in view.tables:
        parts += _html_table(table)
    if view.methods:
        parts.append(f"<p>{escape(view.methods)}</p>")
    if view.notes:
        notes = "".join(f"<li>{escape(note)}</li>" for note in view.notes)
        parts.append(f"<details><summary>Notes</summary><ul>{notes}</ul></details>")
    return f'<div class="irassay">{"".join(parts)}</div>'


def _html_table(table: Table) -> Iterator[str]:
    sides = ["right" if table.numeric(c) else "left" for c in range(len(table.columns))]
    right = [f' style="text-align:{side};padding:2px 8px"' for side in sides]
    shown = range(len(table.rows))[: table.max_rows]
    yield "<table>" + (f"<caption>{escape(table.title)}</caption>" if table.title else "")
    heads = (f"<th{align}>{escape(name)}</th>" for name, align in zip(table.columns, right, strict=True))
    yield f"<thead><tr>{''.join(heads)}</tr></thead><tbody>"
    for r in shown:
        cells = _row_texts(table, r, escape, "<b>{}</b>", "<sup>{}</sup>")
        yield f"<tr>{''.join(f'<td{align}>{cell}</td>' for align, cell in zip(right, cells, strict=True))}</tr>"
    yield "</tbody></table>"
    if table.legend:
        yield f"<p><small>{escape(_legend_line(table))}</small></p>"
    if len(shown) < len(table.rows):
        yield f"<p>{_more_rows(table, shown)}</p>"


def brief_text(view: View) -> str:
    """The view in plain text as a terminal shows it without --full, and what `.view()` shows besides."""
    brief, more = _with_rest(view)
    return "\n".join([as_text(brief), *more])


def brief_html(view: View) -> str:
    """The same as a piece of HTML."""
    brief, more = _with_rest(view)
    return as_html(brief) + "".join(f"<p><small>{escape(line)}</small></p>" for line in more)


def _with_rest(view: View) -> tuple[View, list[str]]:
    """The view as a terminal shows it without --full, and a line on the rest; no line if nothing is left out."""
    brief = brief_view(view)
    tables = tuple(
        each if each.max_rows is None else replace(each, max_rows=_brief_rows(each)) for each in brief.tables
    )
    caveats = tuple(_caveats(view.notes))
    notes = len(view.notes) - len(caveats)
    parts = _detail_parts(view)
    parts += ["more rows"] if any(len(each.rows) > (each.max_rows or len(each.rows)) for each in tables) else []
    parts += [count_phrase(notes, "note" if not caveats else "more note")] if notes else []
    more = [f".view() also shows: {'; '.join(parts)}"] if parts else []
    return replace(brief, tables=tables, notes=caveats), more


def as_text(view: View) -> str:
    """Sentences, tables and notes in plain text, as on a terminal."""
    view = escaped_view(view)
    parts = list(view.sentences)
    for table in view.tables:
        shown = range(len(table.rows))[: table.max_rows]
        parts.append(aligned_table(table, shown).rstrip("\n"))
        parts += [_more_rows(table, shown)] if len(shown) < len(table.rows) else []
        parts += [_legend_line(table)] if table.legend else []
    parts += [wrapped_paragraph(view.methods)] if view.methods else []
    return "\n".join([*parts, *(f"note: {note}" for note in view.notes)])


def _legend_line(table: Table) -> str:
    """The legend of the metric labels in a table."""
    return f"names of metrics: {table.legend}"


def _more_rows(table: Table, shown: Sequence[int]) -> str:
    more = len(table.rows) - len(shown)
    return f"… {more:,} more row{'' if more == 1 else 's'}"


def print_view(view: View, quiet: bool = False, full: bool = True, notes: bool = True) -> None:
    """Print the view for people: the answer and tables to standard output, notes, unless quiet, to standard error.

    Without `full`, tables and sentences of detail and the last rows of long tables are left out. Without `notes`, only
    caveats are shown, and other notes are counted.
    """
    from shutil import get_terminal_size  # slow to import

    remarks = [*note_lines(view.notes, notes), *([] if full else _detail_lines(view))]
    view = escaped_view(view if full else brief_view(view))
    for sentence in view.sentences:
        _print_answer(sentence)
    changes: list[str] = []
    for table in view.tables:
        shown = range(len(table.rows))[: None if full else _brief_rows(table)]
        text, change = aligned_table(table, shown), ""
        if sys.stdout.isatty():
            bold = os.environ.get("TERM") != "dumb"
            text, change = folded_table(table, shown, get_terminal_size().columns, bold)
        changes += [change] if change else []
        sys.stdout.write(text)
        if table.legend:
            _print_answer(_legend_line(table))
        if len(shown) < len(table.rows):
            _print_answer(f"{_more_rows(table, shown)}; {argument('full')} shows them all")
    if changes:
        fitted = changes[0] if len(changes) == 1 else "some tables have three decimals or several blocks of columns"
        machine = argument("format", "tsv" if len(view.tables) == len(view.main) == 1 else "json")
        remarks.append(f"to fit the window, {fitted}; {machine} has everything")
    if view.methods:
        _print_answer(view.methods if sys.stdout.isatty() else wrapped_paragraph(view.methods))
    sys.stdout.flush()  # so that notes stay below the answer if both go to the same file
    for remark in () if quiet else remarks:
        print(wrapped_for_terminal(visible_text(remark, "\n")), file=sys.stderr)


def _brief_rows(table: Table) -> int | None:
    """How many rows of a table a terminal shows without --full; None for all."""
    return None if table.max_rows is None else min(table.max_rows, BRIEF_ROWS)


def _print_answer(text: str) -> None:
    """Print a line to standard output, folded to the width of the window if it is one."""
    print(wrapped_for_terminal(text, sys.stdout))


def note_lines(notes: Sequence[str], every: bool = True) -> list[str]:
    """The notes as lines for standard error; without `every`, the first caveats and the number of other notes.

    >>> from irassay.notes import Note
    >>> note_lines([Note("scale 0 to 3"), "t test", Note("no topic is judged", caveat=True)], every=False)
    ['note: no topic is judged', '1 note about the input and 1 about the method; notes shows them']
    """
    shown = list(notes) if every else _caveats(notes)
    others = [note for note in notes if note not in shown]
    counts = {"input": sum(isinstance(note, Note) for note in others)}
    counts["method"] = len(others) - counts["input"]
    parts = [f"{count:,} about the {about}" for about, count in counts.items() if count]
    if parts:
        noun = "note" if parts[0].startswith("1 ") else "notes"
        parts[0] = parts[0].replace(" about", f" {noun} about")
    shows = f"; {argument('notes')} shows {'it' if len(others) == 1 else 'them'}"
    return [*(f"note: {note}" for note in shown), *([" and ".join(parts) + shows] if parts else [])]


def _caveats(notes: Sequence[str]) -> list[str]:
    """The first notes that change what a number means."""
    return [note for note in notes if getattr(note, "caveat", False)][:MAX_CAVEATS]


def _detail_lines(view: View) -> list[str]:
    """A line that says what --full would show besides, if anything."""
    parts = _detail_parts(view)
    return [f"{argument('full')} also shows: {'; '.join(parts)}"] if parts else []


def _detail_parts(view: View) -> list[str]:
    """What is left out of the brief view, in words."""
    sentences = sum(isinstance(each, Detail) for each in view.sentences)
    parts = [re.split("[;:]", table.title)[0] or table.name for table in view.tables if table.detail and table.rows]
    parts += ["more columns"] if any(table.brief for table in view.tables if not table.detail) else []
    parts += [count_phrase(sentences, "more sentence")] if sentences else []
    return [*parts[:MAX_DETAILS], *([f"{len(parts) - MAX_DETAILS} more"] if len(parts) > MAX_DETAILS else [])]


def aligned_table(table: Table, shown: Sequence[int]) -> str:
    """A table in plain text, as wide as it needs to be."""
    grid = cell_texts(table, shown, stars=table.stars)
    room = [max(display_width(row[c]) for row in grid) for c in range(len(table.columns))]
    right = [table.numeric(c) for c in range(len(table.columns))]
    lines = ["  ".join(map(padded_text, row, room, right)).rstrip() for row in grid]
    return "\n".join([*([table.title] if table.title else []), *lines, ""])
