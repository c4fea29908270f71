"""The lines of a file as fields, one by one, and the tag of a run."""

import re
from collections.abc import Iterator, Sequence

from irassay.io.reader import FileOrFolder
from irassay.io.sources import Source, opened_source

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def decoded_fields(fields: Sequence[bytes]) -> tuple[str, ...]:
    """The fields as text."""
    return tuple(field.decode(errors="replace") for field in fields)


def numbered_fields(block: bytes, before: int) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the fields of each line of a block that is neither blank nor a comment."""
    start, line = 0, before
    while start < len(block):
        end = block.find(b"\n", start)
        fields, start, line = block[start:end].split(), end + 1, line + 1
        if fields and not fields[0].startswith(b"#"):
            yield line, fields


def numbered_records(source: Source) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The number and the fields of each line of a file that is neither blank nor a comment."""
    before = 0
    for block in source.blocks(1 << 16):
        for line, fields in numbered_fields(block, before):
            yield line, decoded_fields(fields)
        before += block.count(b"\n")


def first_tag(source: FileOrFolder) -> str:
    """The tag on the first line of a run; empty if there is none."""
    source = opened_source(source)
    head = source.head()
    lines = numbered_fields(head[: head.rfind(b"\n") + 1], 0)
    fields = next((decoded_fields(fields) for _, fields in lines), None) or next(numbered_records(source), (0, ()))[1]
    source.tag = fields[5] if len(fields) > 5 else ""
    return source.tag
