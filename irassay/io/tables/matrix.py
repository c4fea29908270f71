"""A matrix of one metric's scores, topics by runs or runs by topics, read into one row per score."""

import polars as pl

from irassay.errors import InputError
from irassay.io.tables.cells import (
    MEASURE,
    ROLES,
    ScoreRows,
    TableText,
    cells,
    column_roles,
    is_number,
    is_score,
    score_rows,
    separator,
    split_line,
)

CORNER = "topic/run:"  # before the metric's name in the corner of our own matrices
NO_CORNER = "-"


def matrix_rows(source: TableText) -> ScoreRows:
    """The scores of a matrix, with or without names for rows and columns; a note says how it was read."""
    mark = separator(source.first)
    grid = cells(_with_corner(source, mark), mark)
    first = [str(cell) for cell in grid.row(0)[1:]]
    head, body = ([], grid) if all(map(is_number, first)) else (first, grid.slice(1))
    if not len(body):
        raise InputError(file=source.name, line=1, found="found a single line of text", expected="a score table")
    labels = _row_labels(head, body)
    corner = head[0] if labels and head else ""
    columns = head[1:] if labels else head or [str(c + 1) for c in range(len(first))]
    by_topic = _rows_are_topics(source, corner, labels, columns, bool(head))
    rows = labels or [f"{'' if by_topic else 'run'}{r + 1}" for r in range(len(body))]
    if not head and by_topic:
        columns = [f"run{c}" for c in columns]
    metric = corner.removeprefix(CORNER)
    if metric.lower() in ("", NO_CORNER, *ROLES["topic"], *ROLES["run"]):
        metric = source.stem
    row, column = ("topic", "run") if by_topic else ("run", "topic")
    names = {str(c): name for c, name in enumerate(columns, len(first) - len(columns))}
    scores = body.with_columns(pl.Series(row, rows)).unpivot(
        list(names), index=["line", row], variable_name=column, value_name="value"
    )
    scores = scores.with_columns(pl.col(column).replace_strict(names), metric=pl.lit(metric))
    numbered = "" if labels else ", which have no names and were numbered"
    numbered += "" if head else ", and numbered columns"
    note = f"{source.name}: read as a matrix of {metric} with {row}s in its rows{numbered}."
    return score_rows(scores, source.stem, [note])


def _with_corner(source: TableText, mark: str) -> TableText:
    """The table with the empty corner cell that R leaves out of the header."""
    lines = source.text.lstrip("\n").split("\n", 2)
    if len(lines) < 2 or len(split_line(lines[0], mark)) + 1 != len(split_line(lines[1], mark)):
        return source
    blank = f"{NO_CORNER} " if mark == " " else mark
    place = source.text.index(lines[0])
    return TableText(source.name, source.stem, source.text[:place] + blank + source.text[place:])


def _is_id(cell: str) -> bool:
    return cell.lstrip("+-").isdigit()


def _row_labels(head: list[str], body: pl.DataFrame) -> list[str]:
    """The names in the first column, unless it holds scores like the others."""
    column = [str(cell) for cell in body["0"]]
    if head and (head[0].startswith(CORNER) or column_roles(head[:1]).keys() & {"topic", "run"}):
        return column
    are_ids = head != [] and len(set(column)) == len(column) and all(map(_is_id, column))
    return column if are_ids or not all(cell == "" or is_score(cell) for cell in column) else []


def _rows_are_topics(source: TableText, corner: str, labels: list[str], columns: list[str], headed: bool) -> bool:
    word = next(iter(column_roles([corner])), "")
    if corner.startswith(CORNER) or word == "topic" or not headed:
        return True
    if word == "run":
        if all(map(MEASURE.match, columns)):
            found = "found one line per run and one column per measure, which are means"
            raise InputError(file=source.name, found=found, expected="scores by topic")
        return False
    return not (all(map(_is_id, columns)) and not (labels and all(map(_is_id, labels))))
