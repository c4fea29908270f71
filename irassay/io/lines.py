"""Whitespace-separated text to columns: fast where the bytes allow it, the same answer where not."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.records import fields_of, texts
from irassay.io.sources import Source, ahead
from irassay.prose import location, count_phrase

IN_CACHE = 1 << 18  # bytes looked at in one vectorised step
SPACES = bytes.maketrans(b"\t\r\v\f", b"    ")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """What a line of one kind of file holds."""

    fields: tuple[str, ...]
    numbers: frozenset[str]  # the fields that must be finite numbers
    validated: bool = True  # `irassay validate` lists what is wrong with such files

    def __str__(self) -> str:
        return " ".join(self.fields)


@dataclass(frozen=True)
class Asked:
    """The columns of a layout that a reader wants."""

    layout: Layout
    columns: tuple[int, ...]

    def empty(self) -> pl.DataFrame:
        """The columns without rows."""
        names = [self.layout.fields[i] for i in self.columns]
        return pl.DataFrame(schema={name: self.type_of(name) for name in names})

    def type_of(self, name: str) -> type[pl.DataType]:
        """How a column is stored."""
        return pl.Float64 if name in self.layout.numbers else pl.String


@dataclass(frozen=True)
class Fault:
    """Something wrong with a line, and how to mend it."""

    line: int
    what: str
    fix: str


@dataclass(frozen=True, eq=False)
class Table:
    """The columns asked for and the lines they came from; lines at fault are listed, not kept."""

    frame: pl.DataFrame
    lines: Ints | None = None  # [row] line numbers; None where row i is line i + 1
    faults: tuple[Fault, ...] = ()
    comments: int = 0  # lines that begin with # after the first row
    samples: tuple[tuple[str, ...], ...] = ()  # the fields of some lines, the first and the last among them

    def line(self, row: int) -> int:
        """The number of the line that a row came from."""
        return row + 1 if self.lines is None else int(self.lines[row])


def read_table(source: Source, layout: Layout, wanted: Collection[str] = ()) -> Table:
    """The wanted columns of a file; all of them, where none are named."""
    asked = Asked(layout, tuple(i for i, name in enumerate(layout.fields) if not wanted or name in wanted))
    frames: list[pl.DataFrame] = []
    lines: list[Ints | None] = []
    totals: list[int] = []
    samples: list[tuple[str, ...]] = []
    comments: list[int] = []
    for part in ahead(partial(_columns, asked), _sampled(source.blocks(), samples, comments)):
        if part is None:
            return _scanned(source, asked)
        frame, kept, total = part
        frames.append(frame)
        lines.append(kept)
        totals.append(total)
    if any(len(fields) >= len(samples[0]) + len(layout.fields) - 1 for fields in samples):
        return _scanned(source, asked)
    frame = pl.concat(frames, rechunk=False) if frames else asked.empty()
    return Table(frame, _line_numbers(lines, totals), comments=sum(comments), samples=tuple(samples))


def sound(table: Table, source: Source, layout: Layout) -> Table:
    """The table, where nothing is wrong with it; otherwise its first fault is raised."""
    if table.faults:
        fault, more = table.faults[0], len(table.faults) - 1
        listed = f": irassay validate {source.name}" if layout.validated else ""
        rest = f" ({count_phrase(more, 'more faulty line')}{listed})" if more else ""
        raise InputError(f"{location(source.name, fault.line)}: {fault.what}; {fault.fix}{rest}")
    if not table.frame.height:
        raise InputError(f"{source.name} has no lines; expected some of: {layout}")
    return table


def number(field: bytes) -> float | None:
    """The value of a field that is written as a finite decimal number, else None.

    >>> number(b"1e-05"), number(b"1_000"), number(b"nan")
    (1e-05, None, None)
    """
    if not NUMBER.fullmatch(field):
        return None
    value = float(field)
    return value if np.isfinite(value) else None


def _columns(asked: Asked, block: bytes) -> tuple[pl.DataFrame, Ints | None, int] | None:
    """A block's columns, the lines kept (None: all) and how many there were; None: look at line by line."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    frame = _split(asked, block)
    if frame is not None:
        return frame, None, frame.height
    tidied, kept, total = tidy(block)
    if not tidied:
        return asked.empty(), kept, total
    frame = _split(asked, tidied)
    return None if frame is None else (frame, kept, total)


def _split(asked: Asked, block: bytes) -> pl.DataFrame | None:
    """A block's columns, where single separators make splitting safe and nothing is missing; else None."""
    expected = asked.layout.fields
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
            columns=sorted({*asked.columns, len(expected) - 1}),  # the last one shows that none is missing
            schema={name: asked.type_of(name) for name in names},
        )
    except pl.exceptions.PolarsError:
        return None
    if any(column.null_count() for column in frame):
        return None
    lines = frame.height
    if gaps != width * lines and block.count(separator) != (width - 1) * lines:  # some line is wider than the first
        return None
    frame = frame.select(expected[i] for i in asked.columns)
    numeric = [chunk for column in frame if column.dtype == pl.Float64 for chunk in column.get_chunks()]
    return frame if all(np.isfinite(chunk.to_numpy()).all() for chunk in numeric) else None


def _single_gaps(block: bytes) -> int:
    """How many separators and newlines there are; 0 where one begins the block or follows another."""
    text = np.frombuffer(block, dtype=np.uint8)
    if text[0] <= 32:
        return 0
    gaps = 0
    for start in range(0, len(text), IN_CACHE):
        gap = text[start : start + IN_CACHE + 1] <= 32
        if (gap[1:] & gap[:-1]).any():
            return 0
        gaps += int(np.count_nonzero(gap[:IN_CACHE]))
    return gaps


def tidy(block: bytes) -> tuple[bytes, Ints | None, int]:
    r"""One space between fields, no comments, no blank lines; the lines kept (None: all), and how many there were.

    >>> tidy(b"# by hand\n 1\tQ0  d7 \r\n\n2 Q0 d8\n")
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


def _line_numbers(kept: list[Ints | None], totals: list[int]) -> Ints | None:
    """[row] the line of each row, from the lines kept of each block; None where all lines were kept."""
    if all(lines is None for lines in kept):
        return None
    before = np.cumsum([0, *totals])
    numbered = zip(before, kept, totals, strict=False)
    return np.concatenate([b + (np.arange(1, n + 1) if k is None else k) for b, k, n in numbered])


def _sampled(blocks: Iterable[bytes], samples: list[tuple[str, ...]], comments: list[int]) -> Iterator[bytes]:
    """The blocks, while fields of the first and the last line of each are kept, and comments past the start counted."""
    for block in blocks:
        inside = block.count(b"\n#") + block.startswith(b"#") if b"#" in block else 0
        if inside and not samples:
            first = next(fields_of(block, 0), (0, []))[0] or len(block)
            inside -= sum(line.startswith(b"#") for line in block.split(b"\n", first)[:first])
        comments.append(inside)
        last = block[block.rfind(b"\n", 0, -1) + 1 :]
        samples += [texts(fields) for _, fields in (*islice(fields_of(block, 0), 1), *fields_of(last, 0))]
        yield block


def _scanned(source: Source, asked: Asked) -> Table:
    """Every line looked at by itself: the good ones as columns, the others as faults."""
    rows: list[list[str | float]] = []
    lines: list[int] = []
    faults: list[Fault] = []
    samples: list[tuple[str, ...]] = []
    comments: list[int] = []
    before = width = 0
    for block in _sampled(source.blocks(), samples, comments):
        for line, fields in fields_of(block, before):
            width = width or max(len(fields), len(asked.layout.fields))
            row = _row(line, fields, asked, width)
            if isinstance(row, Fault):
                faults.append(row)
            else:
                rows.append(row)
                lines.append(line)
        before += block.count(b"\n")
    frame = pl.DataFrame(rows, schema=asked.empty().schema, orient="row")
    return Table(frame, np.array(lines, dtype=np.int64), tuple(faults), sum(comments), tuple(samples))


def _row(line: int, fields: list[bytes], asked: Asked, width: int) -> list[str | float] | Fault:
    names = asked.layout.fields
    if any(b"\0" in field for field in fields):
        return Fault(line, "found a NUL byte, so this is not UTF-8 text", "save the file as UTF-8 text")
    try:
        values: list[str | float] = [field.decode() for field in fields[: len(names)]]
    except UnicodeDecodeError:
        return Fault(line, "found bytes that are not UTF-8 text", "save the file as UTF-8 text")
    if len(fields) < len(names):
        found = f"found {count_phrase(len(fields), 'field')}, expected {len(names)} ({asked.layout})"
        return Fault(line, found, "complete or delete the line")
    if len(fields) >= width + len(names) - 1:  # the last field of one line and the first of the next may be one
        found = f"found {len(fields)} fields, where the first line has {width}, as when two lines were joined"
        return Fault(line, found, "put the line break back, or delete what is too much")
    for i, name in enumerate(names):
        if name in asked.layout.numbers:
            value = number(fields[i])
            if value is None:
                found = f"found the {name} {values[i]!r}, expected a finite number"
                return Fault(line, found, f"write the {name} as a decimal number")
            values[i] = value
    return [values[i] for i in asked.columns]
