"""Views as LaTeX, Markdown and HTML, with every name escaped."""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from textwrap import fill

from irassay.notes import caveats
from irassay.prose import visible_text
from irassay.views.view import Table, View, escaped_view

LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$"}
    | {"↓": r"$\downarrow$", "↑": r"$\uparrow$"}
    | {"▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "°": r"$^{\circ}$"}
    | {"α": r"$\alpha$", "τ": r"$\tau$", "γ": r"$\gamma$", "ρ": r"$\rho$", "≥": r"$\ge$", "≤": r"$\le$"}
)


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
    lines += [rf"\par\smallskip {latex_text(legend_line(table))}"] if table.legend else []
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
        parts += ["\n".join(lines), *([_cell_text(legend_line(table))] if table.legend else [])]
    if view.methods:
        parts += ["### Methods", _as_text(view.methods)]
    if view.notes:
        parts.append("\n".join(_as_text(f"- {note}") for note in view.notes))
    return "\n\n".join(parts) + "\n"


def _as_text(text: str) -> str:
    """Text for Markdown with tags, links and stars escaped."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace("](", r"]\(").replace("*", r"\*")


def _cell_text(text: str) -> str:
    """Text for a Markdown cell, with its borders escaped too."""
    return _as_text(re.sub(r"\\(?=[\\|*])", "&#92;", text).replace("|", r"\|").replace("<", "&lt;"))


def as_html(view: View) -> str:
    """Sentences, tables and notes as a self-contained piece of HTML, everything escaped; caveats are not folded."""
    shown = {visible_text(note, "\n") for note in caveats(view.notes)}
    view = escaped_view(view)
    parts = [f"<p>{escape(sentence)}</p>" for sentence in view.sentences]
    for table in view.tables:
        parts += _html_table(table)
    if view.methods:
        parts.append(f"<p>{escape(view.methods)}</p>")
    parts += [f"<p>Note: {escape(note)}</p>" for note in view.notes if note in shown]
    if folded := "".join(f"<li>{escape(note)}</li>" for note in view.notes if note not in shown):
        parts.append(f"<details><summary>Notes</summary><ul>{folded}</ul></details>")
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
    if len(shown) < len(table.rows):
        yield f"<p>{more_rows_line(table, shown)}</p>"
    if table.legend:
        yield f"<p><small>{escape(legend_line(table))}</small></p>"


def legend_line(table: Table) -> str:
    """The legend of the metric labels in a table."""
    return f"names of metrics: {table.legend}"


def more_rows_line(table: Table, shown: Sequence[int]) -> str:
    """How many rows of a table are not shown."""
    more = len(table.rows) - len(shown)
    return f"… {more:,} more row{'' if more == 1 else 's'}"
