"""Lines as fields, one after another, and the tag of a run: what is known of a file before it is read."""

from collections.abc import Iterator, Sequence

from irassay.io.reader import Input
from irassay.io.sources import Source


def texts(fields: Sequence[bytes]) -> tuple[str, ...]:
    """The fields as text."""
    return tuple(field.decode(errors="replace") for field in fields)


def fields_of(block: bytes, before: int) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the fields of each line that is neither blank nor a comment."""
    start, line = 0, before
    while start < len(block):
        end = block.find(b"\n", start)
        fields, start, line = block[start:end].split(), end + 1, line + 1
        if fields and not fields[0].startswith(b"#"):
            yield line, fields


def records(source: Source) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The number and the fields of each line that is neither blank nor a comment."""
    before = 0
    for block in source.blocks(1 << 16):
        for line, fields in fields_of(block, before):
            yield line, texts(fields)
        before += block.count(b"\n")


def tag(source: Input) -> str:
    """The tag on the first line of a run; nothing where there is none."""
    source = source if isinstance(source, Source) else Source(source)
    head = source.head()
    lines = fields_of(head[: head.rfind(b"\n") + 1], 0)
    fields = next((texts(fields) for _, fields in lines), None) or next(records(source), (0, ()))[1]
    source.tag = fields[5] if len(fields) > 5 else ""
    return source.tag
