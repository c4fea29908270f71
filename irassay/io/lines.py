"""Whitespace-separated text to columns: a fast path for regular text, and a slow one with the same result."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.forks import check_polars_works
from irassay.io.records import NUMBER, decoded_fields, numbered_fields
from irassay.io.sources import NOT_UTF8, SAVE_AS_UTF8, Source
from irassay.parallel import prefetched
from irassay.prose import count_phrase

CACHE_SIZE = 1 << 18  # bytes processed in one vectorised step
SPACES = bytes.maketrans(b"\t\r\v\f", b"    ")

Part = tuple[pl.DataFrame, Ints | None, int]  # columns of a block, numbers of the lines kept (None: all), all lines


@dataclass(frozen=True)
class Layout:
    """The fields of a line in one kind of file."""

    fields: tuple[str, ...]
    numbers: frozenset[str]  # the fields that must be finite numbers
    validated: bool = True  # whether `irassay validate` checks such files
    known_as: str = ""  # a line as its users know it, if not by the names of the fields

    def __str__(self) -> str:
        return self.known_as or " ".join(self.fields)


@dataclass(frozen=True)
class ColumnSelection:
    """The columns of a layout that are read, by position."""

    layout: Layout
    columns: tuple[int, ...]

    def empty(self) -> pl.DataFrame:
        """The columns without rows."""
        names = [self.layout.fields[i] for i in self.columns]
        return pl.DataFrame(schema={name: self.type_of(name) for name in names})

    def type_of(self, name: str) -> type[pl.DataType]:
        """The type in which a column is stored."""
        return pl.Float64 if name in self.layout.numbers else pl.String


@dataclass(frozen=True)
class LineFault:
    """What is wrong with a line, and how to fix it."""

    line: int
    what: str
    fix: str


@dataclass(frozen=True, eq=False)
class TextTable:
    """The selected columns and the lines they came from; faulty lines are listed, not kept."""

    frame: pl.DataFrame
    lines: Ints | None = None  # [row] line numbers; None: row i is line i + 1
    faults: tuple[LineFault, ...] = ()
    comments: int = 0  # comment lines after the first row
    samples: tuple[tuple[str, ...], ...] = ()  # fields of some lines, including the first and the last

    def line_number(self, row: int) -> int:
        """The number of the line that a row came from."""
        return row + 1 if self.lines is None else int(self.lines[row])


def read_table(source: Source, layout: Layout, columns: Collection[str] = ()) -> TextTable:
    """These columns of a file; by default all of them."""
    check_polars_works()
    selection = ColumnSelection(
        layout, tuple(i for i, name in enumerate(layout.fields) if not columns or name in columns)
    )
    samples: list[tuple[str, ...]] = []
    comments: list[int] = []
    parts: list[Part] = []
    for part in prefetched(partial(_block_columns, selection), _sampled_blocks(source.blocks(), samples, comments)):
        if part is None:
            return _read_line_by_line(source, selection)
        parts.append(part)
    if any(len(fields) >= len(samples[0]) + len(layout.fields) - 1 for fields in samples):
        return _read_line_by_line(source, selection)
    frame = pl.concat([frame for frame, _, _ in parts], rechunk=False) if parts else selection.empty()
    return TextTable(frame, _line_numbers(parts), comments=sum(comments), samples=tuple(samples))


def valid_table(table: TextTable, source: Source, layout: Layout) -> TextTable:
    """The table if it has rows and no fault; otherwise its first fault is raised."""
    if table.faults:
        fault, more = table.faults[0], len(table.faults) - 1
        command = f"; to list them: irassay validate {source.name}" if layout.validated else ""
        rest = f" ({count_phrase(more, 'more faulty line')}{command})" if more else ""
        raise InputError(file=source.name, line=fault.line, found=fault.what, fix=fault.fix + rest)
    if not table.frame.height:
        raise InputError(f"{source.name} has no lines; expected lines of: {layout}.")
    return table


def parsed_number(field: bytes) -> float | None:
    """The value of a field that holds a finite decimal number; otherwise None.

    >>> parsed_number(b"1e-05"), parsed_number(b"1_000"), parsed_number(b"nan")
    (1e-05, None, None)
    """
    if not NUMBER.fullmatch(field):
        return None
    value = float(field)
    return value if np.isfinite(value) else None


def _block_columns(selection: ColumnSelection, block: bytes) -> Part | None:
    """The columns of a block; None: it must be read line by line."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    frame = _split_columns(selection, block)
    if frame is not None:
        return frame, None, frame.height
    text, lines, total = normalized_lines(block)
    frame = _split_columns(selection, text) if text else selection.empty()
    return None if frame is None else (frame, lines, total)


def _split_columns(selection: ColumnSelection, block: bytes) -> pl.DataFrame | None:
    """The columns of a block if single separators make splitting safe and nothing is missing; otherwise None."""
    expected = selection.layout.fields
    head = block[: block.find(b"\n")]
    separator, other = (b"\t", b" ") if b"\t" in head else (b" ", b"\t")
    width = head.count(separator) + 1
    if width < len(expected) or any(byte in block for byte in (other, b"\r", b"\0", b"\v", b"\f")):
        return None
    if b"#" in block and (block.startswith(b"#") or b"\n#" in block):
        return None
    gaps = _single_gaps(block)
    if not gaps:
        return None
    names = [*expected, *(f"+{i}" for i in range(width - len(expected)))]
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            separator=separator.decode(),
            quote_char=None,
            columns=sorted({*selection.columns, len(expected) - 1}),  # the last one shows that none is missing
            schema={name: selection.type_of(name) for name in names},
        )
    except (pl.exceptions.PolarsError, OSError):  # polars unpacks what begins like a compressed file
        return None
    if any(column.null_count() for column in frame):
        return None
    lines = frame.height
    if gaps != width * lines and block.count(separator) != (width - 1) * lines:  # some line is wider than the first
        return None
    frame = frame.select(expected[i] for i in selection.columns)
    numeric = [chunk for column in frame if column.dtype == pl.Float64 for chunk in column.get_chunks()]
    return frame if all(np.isfinite(chunk.to_numpy()).all() for chunk in numeric) else None


def _single_gaps(block: bytes) -> int:
    """The number of separators and newlines; 0 if one begins the block or follows another."""
    text = np.frombuffer(block, dtype=np.uint8)
    if text[0] <= 32:
        return 0
    gaps = 0
    for start in range(0, len(text), CACHE_SIZE):
        gap = text[start : start + CACHE_SIZE + 1] <= 32
        if (gap[1:] & gap[:-1]).any():
            return 0
        gaps += int(np.count_nonzero(gap[:CACHE_SIZE]))
    return gaps


def normalized_lines(block: bytes) -> tuple[bytes, Ints | None, int]:
    r"""The text with one space between fields and without comments and blank lines, the lines kept, and all lines.

    The numbers of the lines kept are None if all are; the third value is the number of lines before.

    >>> normalized_lines(b"# by hand\n 1\tQ0  d7 \r\n\n2 Q0 d8\n")
    (b'1 Q0 d7\n2 Q0 d8\n', array([2, 4]), 4)
    """
    text = np.frombuffer(block.translate(SPACES), dtype=np.uint8)
    gap = (text == 32) | (text == 10)
    text = text[~((text == 32) & np.concatenate(([True], gap[:-1])))]
    text = text[~((text == 32) & np.concatenate((text[1:] == 10, [True])))]
    ends = np.flatnonzero(text == 10)
    starts = np.concatenate(([0], ends[:-1] + 1))
    keep = (starts < ends) & (text[starts] != ord("#"))
    if keep.all():
        return text.tobytes(), None, len(keep)
    text = text[np.repeat(keep, ends - starts + 1)]
    return text.tobytes(), np.flatnonzero(keep) + 1, len(keep)


def _line_numbers(parts: list[Part]) -> Ints | None:
    """[row] the line of each row; None if every line is a row."""
    if all(lines is None for _, lines, _ in parts):
        return None
    before = np.cumsum([0, *(total for _, _, total in parts)])
    return np.concatenate(
        [b + (np.arange(1, n + 1) if lines is None else lines) for b, (_, lines, n) in zip(before, parts, strict=False)]
    )


def _sampled_blocks(blocks: Iterable[bytes], samples: list[tuple[str, ...]], comments: list[int]) -> Iterator[bytes]:
    """The blocks; fields of their first and last lines are sampled, and comments counted.

    Comments above the first row count only if they have as many fields as it has, and so may be rows.
    """
    for block in blocks:
        inside = block.count(b"\n#") + block.startswith(b"#") if b"#" in block else 0
        if inside and not samples:
            first, fields = next(numbered_fields(block, 0), (0, []))
            above = block.split(b"\n", first or len(block))[: first or len(block)]
            inside -= sum(line.startswith(b"#") and len(line.split()) != len(fields) for line in above)
        comments.append(inside)
        last = block[block.rfind(b"\n", 0, -1) + 1 :]
        samples += [
            decoded_fields(fields) for _, fields in (*islice(numbered_fields(block, 0), 1), *numbered_fields(last, 0))
        ]
        yield block


def _read_line_by_line(source: Source, selection: ColumnSelection) -> TextTable:
    """The table, each line parsed by itself: valid ones become rows, the others faults."""
    rows: list[list[str | float]] = []
    lines: list[int] = []
    faults: list[LineFault] = []
    samples: list[tuple[str, ...]] = []
    comments: list[int] = []
    before = width = 0
    for block in _sampled_blocks(source.blocks(), samples, comments):
        for line, fields in numbered_fields(block, before):
            width = width or max(len(fields), len(selection.layout.fields))
            row = _parsed_row(line, fields, selection, width)
            if isinstance(row, LineFault):
                faults.append(row)
            else:
                rows.append(row)
                lines.append(line)
        before += block.count(b"\n")
    frame = pl.DataFrame(rows, schema=selection.empty().schema, orient="row")
    return TextTable(frame, np.array(lines, dtype=np.int64), tuple(faults), sum(comments), tuple(samples))


def _parsed_row(
    line: int, fields: list[bytes], selection: ColumnSelection, width: int
) -> list[str | float] | LineFault:
    names = selection.layout.fields
    if any(b"\0" in field for field in fields):
        return LineFault(line, "found a NUL byte, so this is not UTF-8 text", SAVE_AS_UTF8)
    try:
        values: list[str | float] = [field.decode() for field in fields[: len(names)]]
    except UnicodeDecodeError:
        return LineFault(line, NOT_UTF8, SAVE_AS_UTF8)
    if len(fields) < len(names):
        found = f"found {count_phrase(len(fields), 'field')}; expected {len(names)} ({selection.layout})"
        return LineFault(line, found, "complete or delete the line")
    if len(fields) >= width + len(names) - 1:  # a line's last field and the next one's first may have been joined
        found = f"found {len(fields)} fields, but the first line has {width}; two lines may have been joined"
        return LineFault(line, found, "restore the line break, or delete the extra fields")
    for i, name in enumerate(names):
        if name in selection.layout.numbers:
            value = parsed_number(fields[i])
            if value is None:
                found = f"found the {name} {values[i]!r}; expected a finite number"
                return LineFault(line, found, f"write the {name} as a decimal number")
            values[i] = value
    return [values[i] for i in selection.columns]
