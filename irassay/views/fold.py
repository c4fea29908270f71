"""Tables for windows: whole where they fit, else with fewer decimals, else in blocks that repeat the key columns."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap

from irassay.views.view import Table

FEWEST = 3  # decimals that are left at least
GAP = "  "


def folded(table: Table, shown: Sequence[int], width: int) -> tuple[str, str]:
    """A table's rows as text no wider than a window, and what was done to make it so.

    Numbers are never cut or broken. Where the table is too wide, decimals are dropped to three in all columns; where
    that does not do, columns go into blocks, each with the key columns, which are the words before the first number.
    """
    whole = _grid(table, shown)
    if _needed(whole) <= width:
        return _text(table, shown, whole, [range(len(table.columns))], width), ""
    short = replace(table, digits=_fewer(table.digits))
    grid = _grid(short, shown)
    fewer = "numbers have three decimals" if grid != whole else ""
    blocks = _blocks(short, grid, width)
    text = _text(short, shown, grid, blocks, width)
    if len(blocks) == 1:
        return text, fewer
    keys = ", ".join(table.columns[c] for c in _keys(table))
    return text, " and ".join(filter(None, [fewer, f"columns stand in {len(blocks)} blocks, each with {keys}"]))


def _fewer(digits: int | tuple[int | None, ...]) -> int | tuple[int | None, ...]:
    if isinstance(digits, int):
        return min(digits, FEWEST)
    return tuple(None if each is None else min(each, FEWEST) for each in digits)


def _grid(table: Table, shown: Sequence[int]) -> list[list[str]]:
    """The header and the rows, cell by cell."""
    return [list(table.columns), *([table.shown(r, c) for c in range(len(table.columns))] for r in shown)]


def _needed(grid: list[list[str]]) -> int:
    widths = [max(len(row[c]) for row in grid) for c in range(len(grid[0]))]
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _keys(table: Table) -> list[int]:
    """The columns that say what a row is about: those of words before the first number, or the first."""
    numeric = [table.numeric(c) for c in range(len(table.columns))]
    first = numeric.index(True) if True in numeric else 1
    return list(range(max(1, min(first, 4))))


def _room(table: Table, grid: list[list[str]], width: int) -> list[int]:
    """How wide each column is: as its longest cell, words folded to what a block has room for."""
    keys = _keys(table)
    widths = [max(len(row[c]) for row in grid) for c in range(len(grid[0]))]
    numbers = [
        max(len(row[c]) for row in grid[1:]) if len(grid) > 1 and table.numeric(c) else 0 for c in range(len(widths))
    ]
    widest = max(numbers, default=0)
    share = max(8, (width - max(widest, width // 3)) // len(keys) - len(GAP))
    for c in keys:
        widths[c] = max(min(widths[c], share), numbers[c])
    rest = width - sum(widths[c] + len(GAP) for c in keys)
    return [w if c in keys else max(min(w, rest), numbers[c]) for c, w in enumerate(widths)]


def _blocks(table: Table, grid: list[list[str]], width: int) -> list[list[int]]:
    """The columns of each block, the key columns first."""
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
    table: Table, shown: Sequence[int], grid: list[list[str]], blocks: Sequence[Sequence[int]], width: int
) -> str:
    room = _room(table, grid, width) if _needed(grid) > width else [max(map(len, c)) for c in zip(*grid, strict=True)]
    right = [table.numeric(c) for c in range(len(table.columns))]
    parts = [_lines(grid, block, room, right) for block in blocks]
    title = [*wrap(table.title, width)] if table.title else []
    return "\n".join([*title, "\n\n".join(parts), ""])


def _lines(grid: list[list[str]], block: Sequence[int], room: Sequence[int], right: Sequence[bool]) -> str:
    """The rows of a block, a cell of words on as many lines as it takes."""
    lines = []
    for row in grid:
        cells = [wrap(row[c], room[c], break_on_hyphens=False) or [""] for c in block]
        for i in range(max(map(len, cells))):
            texts = [cell[i] if i < len(cell) else "" for cell in cells]
            aligned = [t.rjust(room[c]) if right[c] else t.ljust(room[c]) for c, t in zip(block, texts, strict=True)]
            lines.append(GAP.join(aligned).rstrip())
    return "\n".join(lines)
