"""The fast reader against a plain one, line by line: the same rows, line numbers and faults, whatever the blocks."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from irassay.errors import InputError
from irassay.io.lines import Layout, read_table
from irassay.io.sources import Source
from irassay.io.trec import QRELS_LAYOUT, RUN_LAYOUT
from tests.support.fuzz import TIMES

BLOCKS = (7, 64, 1000, 16 << 20)


@dataclass
class Plain:
    """What a plain reader finds."""

    rows: list[tuple[str | float, ...]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)  # their lines


def plainly(data: bytes, layout: Layout) -> Plain | None:
    """The rows of a text, looked at one line after another; None where it is refused as a whole."""
    found, width = Plain(), 0
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines, 1):
        if b"\r" in line.rstrip(b"\r") or (number > 1 and line.startswith(b"\xef\xbb\xbf")):
            return None
        words = line.split()
        if not words or words[0][:1] == b"#":
            continue
        width = width or max(len(words), len(layout.fields))
        try:
            row: list[str | float] = [word.decode("utf-8") for word in words[: len(layout.fields)]]
            for place, name in enumerate(layout.fields):
                if name in layout.numbers:
                    text = str(row[place])
                    if not set(text) <= set("0123456789+-.eE"):
                        raise ValueError(text)
                    row[place] = float(text)
                    if abs(row[place]) == float("inf"):
                        raise ValueError(text)
            if b"\0" in line or len(row) < len(layout.fields) or len(words) >= width + len(layout.fields) - 1:
                raise ValueError(line)
        except (ValueError, IndexError):
            found.faults.append(number)
            continue
        found.rows.append(tuple(row))
        found.lines.append(number)
    return found


def pieces(layout: Layout) -> st.SearchStrategy[bytes]:
    """Texts that are mostly of the layout, with all that goes wrong in such files."""
    odd = [
        b"\xc3\xa9",
        b"\xff",
        b"a\0b",
        b"#x",
        b"\xef\xbb\xbf",
        b"a\x1fb",
        b'"',
        b'"a',
        b",",
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
    ]
    word = st.sampled_from([b"1", b"Q0", b"d7", b"tag", *odd])
    numbers = [
        b"1",
        b"0.5",
        b"-2e-3",
        b".5",
        b"5.",
        b"+1",
        b"1e400",
        b"nan",
        b"inf",
        b"1_0",
        b"0x1",
        b"--1",
        b"1e",
        b"1E5",
    ]
    numbers += [b"123456789012345678901234567890", b"4.9e-324", b"0.1234567890123456789", b"\xd9\xa1", b"e5", b"1.5.2"]
    value = st.sampled_from([b"3", b"2.5", *numbers])
    right = st.tuples(*(value if name in layout.numbers else word for name in layout.fields)).map(list)
    other = st.lists(word | value, max_size=14)
    gap = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b" \t", b"\v", b"\f"])
    end = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b"\r", b"\n# c\n", b"\r\r\n"])
    spaced = st.tuples(right | right | right | other, gap).map(lambda drawn: drawn[1].join(drawn[0]))
    text = st.lists(st.tuples(spaced, end).map(b"".join), max_size=12).map(b"".join)
    return st.tuples(
        st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b" "]), text, st.sampled_from([b"", b"1 Q0 d"])
    ).map(b"".join)


def agrees(path: Path, data: bytes, layout: Layout) -> None:
    path.write_bytes(data)
    expected = plainly(data, layout)
    for size in BLOCKS:
        source = Source(path)
        source.block = size
        if expected is None:
            with pytest.raises(InputError):
                read_table(source, layout)
            continue
        found = read_table(source, layout)
        assert found.frame.rows() == expected.rows, size
        assert [found.line_number(row) for row in range(found.frame.height)] == expected.lines, size
        assert [fault.line for fault in found.faults] == expected.faults, size


HELD = settings(
    max_examples=5 * TIMES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@HELD
@given(pieces(RUN_LAYOUT))
@example(b"1 Q0 d 1 2 t\n" * 3 + b"1 Q0 d 1 2 t1 Q0 d 1 2 t\n")
@example(b"1\tQ0\td\t1\t2\tt\n1 Q0 d 1 2 t\n")
def test_runs_are_read_as_a_plain_reader_does(tmp_path: Path, data: bytes) -> None:
    agrees(tmp_path / "run", data, RUN_LAYOUT)


@HELD
@given(pieces(QRELS_LAYOUT))
@example(b"1 0 d 1\n" * 4 + b"1 0 d 11 0 d 1\n")
def test_judgements_are_read_as_a_plain_reader_does(tmp_path: Path, data: bytes) -> None:
    agrees(tmp_path / "qrels", data, QRELS_LAYOUT)
