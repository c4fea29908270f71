"""Tables fitted to a window: with fewer decimals if they are too wide, then in blocks that repeat the key columns."""

from collections.abc import Sequence
from dataclasses import replace

from irassay.prose import display_width as columns_of
from irassay.prose import name_list, padded_text, visible_text
from irassay.prose import wrapped_lines as words
from irassay.views.view import Table

MIN_DECIMALS = 3  # kept even in narrow windows
MIN_HEADING_WIDTH = 10  # characters of a heading of words on one line, if headings are folded
MIN_KEY_WIDTH = 12  # characters of a name on one line, if names are folded to avoid a second block
SYSTEM_COLUMNS = ("system", "other", "run", "best system")  # whose cells are names of systems, most of one word
GAP = "  "
SUPERSCRIPTS = str.maketrans("0123456789–,", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ ")


def folded_table(table: Table, rows: Sequence[int], width: int, bold: bool = False) -> tuple[str, str]:
    """The rows of a table as text no wider than a window, optionally with bold marks, and what was done to fit it.

    Numbers are never cut or broken. If the table is too wide, all numbers but p-values get at most three decimals. If
    it still is, names are folded if that is enough; otherwise columns are split into blocks, each with the key columns,
    which are the words before the first number. Names of systems are not folded but shortened in the middle.
    """
    full = cell_texts(table, rows, stars=table.stars and not bold)
    if _table_width(full) <= width:
        return _text(table, rows, full, [range(len(table.columns))], width, bold), ""
    short = replace(table, digits=_short_digits(table))
    grid = cell_texts(short, rows, stars=table.stars and not bold)
    grid[0] = [name.replace("[", " [") for name in grid[0]]  # such as AP[best], which may then be folded
    others = "numbers other than p" if {*table.p_columns} & {*table.columns} else "numbers"
    changes = [f"{others} have three decimals"] if grid[1:] != full[1:] else []
    if (named := _with_short_names(short, grid, width)) != grid:
        grid, changes = named, [*changes, "long names are shortened"]
    blocks = _blocks(short, grid, width)
    if len(blocks) > 1:
        keys = ", ".join(table.columns[c] for c in _keys(table))
        changes.append(f"columns are in {len(blocks)} blocks, each with {keys}")
    return _text(short, rows, grid, blocks, width, bold), name_list(changes)


def _with_short_names(table: Table, grid: list[list[str]], width: int) -> list[list[str]]:
    """The cells with names of systems shortened to the width of their columns, unless two would then be the same."""
    columns = [c for c, name in enumerate(table.columns) if name in SYSTEM_COLUMNS]
    room = _room(table, grid, width)
    names = {row[c] for row in grid[1:] for c in columns}
    limit = min(room[c] for c in columns) if columns else 0
    attempts = ({name: shorten(name, limit) for name in names} for shorten in (shortened_name, name_start))
    short = next((each for each in attempts if len({*each.values()}) == len(each)), None)
    if short is None:
        return grid
    return [grid[0], *([short[cell] if c in columns else cell for c, cell in enumerate(row)] for row in grid[1:])]


def shortened_name(name: str, width: int) -> str:
    """A name without its middle if it is wider than this.

    >>> shortened_name("dense-retrieval-with-reranking.run7", 16), shortened_name("bm25", 16)
    ('dense-r…ing.run7', 'bm25')
    """
    if columns_of(name) <= width:
        return name
    end = next(n for n in range(len(name)) if columns_of(name[n:]) <= width // 2)
    start = next(n for n in range(len(name), -1, -1) if columns_of(name[:n]) < width - columns_of(name[end:]))
    return f"{name[:start]}…{name[end:]}"


def name_start(name: str, width: int) -> str:
    """A name without its end if it is wider than this.

    >>> name_start("rm-cata-filtered", 13), name_start("bm25", 13)
    ('rm-cata-filt…', 'bm25')
    """
    if columns_of(name) <= width:
        return name
    return f"{name[: next(n for n in range(len(name), -1, -1) if columns_of(name[:n]) < width)]}…"


def _short_digits(table: Table) -> tuple[int | None, ...]:
    """The decimals of each column, at most three; p-values keep theirs: 0.0496 is significant, 0.0504 is not."""
    digits = [table.digits] * len(table.columns) if isinstance(table.digits, int) else table.digits
    return tuple(
        each if each is None or name in table.p_columns else min(each, MIN_DECIMALS)
        for name, each in zip(table.columns, digits, strict=True)
    )


def cell_texts(table: Table, rows: Sequence[int], stars: bool = False) -> list[list[str]]:
    """The cells of the header and the rows: superscripts after numbers, marks between asterisks with `stars`."""
    columns = [_column_texts(table, rows, c, stars) for c in range(len(table.columns))]
    return list(map(list, zip(*columns, strict=True)))


def _column_texts(table: Table, rows: Sequence[int], c: int, stars: bool) -> list[str]:
    """A column's name and cells, with superscripts padded so that numbers stay aligned."""
    texts = [table.columns[c], *(table.shown(r, c) for r in rows)]
    if stars and any((r, c) in table.marks for r in rows):
        marked = [False, *((r, c) in table.marks for r in rows)]
        texts = [f"*{text}*" if mark else f"{text} " for text, mark in zip(texts, marked, strict=True)]
    after = ["", *(superscript(table.raised.get((r, c), "")) for r in rows)]
    width = max(map(len, after))
    return [f"{text} {above:<{width}}" if width else text for text, above in zip(texts, after, strict=True)]


def superscript(text: str) -> str:
    """Row numbers as superscripts, separated by spaces.

    >>> superscript("1,3–5,12")
    '¹ ³⁻⁵ ¹²'
    """
    return visible_text(text).translate(SUPERSCRIPTS)


def _table_width(grid: list[list[str]]) -> int:
    return sum(max(map(columns_of, column)) for column in zip(*grid, strict=True)) + len(GAP) * (len(grid[0]) - 1)


def _keys(table: Table) -> list[int]:
    """The columns that identify a row: those of words before the first number, at least one and at most four."""
    first = next((c for c in range(len(table.columns)) if table.numeric(c)), 1)
    return list(range(max(1, min(first, 4))))


def _room(table: Table, grid: list[list[str]], width: int) -> list[int]:
    """The width of each column: that of its longest cell, with headings, then words, folded to fit a block."""
    keys = _keys(table)
    widths = [max(columns_of(row[c]) for row in grid) for c in range(len(grid[0]))]
    cells = [max((columns_of(row[c]) for row in grid[1:]), default=0) for c in range(len(widths))]
    numbers = [each if table.numeric(c) else 0 for c, each in enumerate(cells)]
    for c, name in enumerate(grid[0]):
        if cells[c]:
            least = 0 if numbers[c] else min(columns_of(name), MIN_HEADING_WIDTH)
            widths[c] = max(cells[c], least, *map(columns_of, name.split() or [""]))
    widest = max(numbers, default=0)
    left = width - max(widest, width // 3)
    for n, c in enumerate(sorted(keys, key=widths.__getitem__)):  # narrow ones leave their share to wide ones
        widths[c] = max(min(widths[c], max(8, left // (len(keys) - n) - len(GAP))), numbers[c])
        left -= widths[c] + len(GAP)
    rest = width - sum(widths[c] + len(GAP) for c in keys)
    room = [w if c in keys else max(min(w, rest), numbers[c]) for c, w in enumerate(widths)]
    return _narrower_keys(room, [c for c in keys if not numbers[c]], width)


def _narrower_keys(room: list[int], keys: list[int], width: int) -> list[int]:
    """The widths with key columns folded, the widest first, if the table then fits into one block."""
    narrow, excess = list(room), sum(room) + len(GAP) * (len(room) - 1) - width
    for _ in range(excess):
        widest = max(keys, key=narrow.__getitem__, default=-1)
        if widest < 0 or narrow[widest] <= MIN_KEY_WIDTH:
            return room
        narrow[widest] -= 1
    return narrow


def _blocks(table: Table, grid: list[list[str]], width: int) -> list[list[int]]:
    """The columns of each block, key columns first."""
    room, keys = _room(table, grid, width), _keys(table)
    start = sum(room[c] + len(GAP) for c in keys)
    blocks, used = [list(keys)], start
    for c in range(len(room)):
        if c in keys:
            continue
        if used + room[c] > width and len(blocks[-1]) > len(keys):
            blocks.append(list(keys))
            used = start
        blocks[-1].append(c)
        used += room[c] + len(GAP)
    return blocks


def _text(
    table: Table, rows: Sequence[int], grid: list[list[str]], blocks: Sequence[Sequence[int]], width: int, bold: bool
) -> str:
    room = [max(map(columns_of, column)) for column in zip(*grid, strict=True)]
    room = room if _table_width(grid) <= width else _room(table, grid, width)
    right = [table.numeric(c) for c in range(len(table.columns))]
    marks = {(i, c) for i, r in enumerate(rows, 1) for c in range(len(room)) if bold and (r, c) in table.marks}
    parts = [_lines(grid, block, room, right, marks) for block in blocks]
    title = words(table.title, width) if table.title else []
    return "\n".join([*title, "\n\n".join(parts), ""])


def _lines(
    grid: list[list[str]], block: Sequence[int], room: Sequence[int], right: Sequence[bool], marks: set[tuple[int, int]]
) -> str:
    """The rows of a block, words folded over as many lines as they need."""
    lines = []
    for r, row in enumerate(grid):
        parts = [[row[c]] if columns_of(row[c]) <= room[c] else words(row[c], room[c]) for c in block]
        for i in range(max(map(len, parts))):
            texts = [part[i] if i < len(part) else "" for part in parts]
            aligned = [padded_text(text, room[c], right[c]) for c, text in zip(block, texts, strict=True)]
            bold = [
                _in_bold(text, right[c]) if (r, c) in marks else text for c, text in zip(block, aligned, strict=True)
            ]
            lines.append(GAP.join(bold).rstrip())
    return "\n".join(lines)


def _in_bold(text: str, numeric: bool) -> str:
    """A cell in bold; of a number with superscripts, only the number."""
    first = text.split()[0] if numeric and text.strip() else text.strip()
    return text.replace(first, f"\033[1m{first}\033[0m", 1) if first else text
