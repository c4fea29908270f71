"""Views as plain text and on a terminal, in full or in brief."""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from irassay.errors import argument
from irassay.notes import Note, caveats
from irassay.prose import count_phrase, display_width, padded_text, visible_text, wrapped_for_terminal
from irassay.views.markup import as_html, escape, legend_line, more_rows_line, wrapped_paragraph
from irassay.views.view import BRIEF_ROWS, Detail, Table, View, brief_view, escaped_view
from irassay.views.wide_tables import cell_texts, folded_table

MAX_DETAILS = 3  # named in the line on what --full shows
MAX_DETAIL_LINE = 80  # characters of the line about them


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
    shown = tuple(caveats(view.notes))
    notes = len(view.notes) - len(shown)
    parts = _detail_parts(view)
    parts += ["more rows"] if any(len(each.rows) > (each.max_rows or len(each.rows)) for each in tables) else []
    parts += [count_phrase(notes, "note" if not shown else "more note")] if notes else []
    more = [f".view() also shows: {'; '.join(parts)}"] if parts else []
    return replace(brief, tables=tables, notes=shown), more


def as_text(view: View) -> str:
    """Sentences, tables and notes in plain text, as on a terminal."""
    view = escaped_view(view)
    parts = list(view.sentences)
    for table in view.tables:
        shown = range(len(table.rows))[: table.max_rows]
        parts.append(aligned_table(table, shown).rstrip("\n"))
        parts += [more_rows_line(table, shown)] if len(shown) < len(table.rows) else []
        parts += [legend_line(table)] if table.legend else []
    parts += [wrapped_paragraph(view.methods)] if view.methods else []
    return "\n".join([*parts, *(f"note: {note}" for note in view.notes)])


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
        if len(shown) < len(table.rows):
            _print_answer(f"{more_rows_line(table, shown)}; {argument('full')} shows them all")
        if table.legend:
            _print_answer(legend_line(table))
    if changes:
        several = "some tables have three decimals, shortened names or several blocks of columns"
        fitted = changes[0] if len({*changes}) == 1 else several
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
    shown = list(notes) if every else caveats(notes)
    others = [note for note in notes if note not in shown]
    counts = {"input": sum(isinstance(note, Note) for note in others)}
    counts["method"] = len(others) - counts["input"]
    parts = [f"{count:,} about the {about}" for about, count in counts.items() if count]
    if parts:
        noun = "note" if parts[0].startswith("1 ") else "notes"
        parts[0] = parts[0].replace(" about", f" {noun} about")
    shows = f"; {argument('notes')} shows {'it' if len(others) == 1 else 'them'}"
    return [*(f"note: {note}" for note in shown), *([" and ".join(parts) + shows] if parts else [])]


def _detail_lines(view: View) -> list[str]:
    """A line that says what --full would show besides, if anything."""
    lines = [f"{argument('full')} also shows: {'; '.join(_detail_parts(view, n))}" for n in range(MAX_DETAILS, 0, -1)]
    one_line = next((line for line in lines if len(line) <= MAX_DETAIL_LINE), lines[-1])
    return [one_line] if _detail_parts(view) else []


def _detail_parts(view: View, limit: int = MAX_DETAILS) -> list[str]:
    """What is left out of the brief view, in words: the first tables, and how many more; columns and sentences."""
    sentences = sum(isinstance(each, Detail) for each in view.sentences)
    titles = [re.split("[;:]", table.title)[0] or table.name for table in view.tables if table.detail and table.rows]
    parts = titles[:limit]
    parts += [count_phrase(len(titles) - limit, "more table")] if len(titles) > limit else []
    parts += ["more columns"] if any(table.brief for table in view.tables if not table.detail) else []
    return [*parts, *([count_phrase(sentences, "more sentence")] if sentences else [])]


def aligned_table(table: Table, shown: Sequence[int]) -> str:
    """A table in plain text, as wide as it needs to be."""
    grid = cell_texts(table, shown, stars=table.stars)
    room = [max(display_width(row[c]) for row in grid) for c in range(len(table.columns))]
    right = [table.numeric(c) for c in range(len(table.columns))]
    lines = ["  ".join(map(padded_text, row, room, right)).rstrip() for row in grid]
    return "\n".join([*([table.title] if table.title else []), *lines, ""])
