"""Runs and judgements as Parquet, with columns recognised by their names."""

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import polars as pl

from irassay.errors import InputError
from irassay.io.compression import check_ratio
from irassay.io.named_columns import NamedColumns, columns_of, named_reader
from irassay.io.sources import Source
from irassay.io.typed_columns import typed_column
from irassay.limits import memory_limit
from irassay.subprocess_call import DiedError, subprocess_call

MAGIC = b"PAR1"
BYTES_PER_ROW = 8  # at least, once it is read


@contextmanager
def damage_as_input_errors(source: Source) -> Iterator[None]:
    """Makes one sentence of what polars raises if a file is damaged."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{source.name} is a damaged Parquet file ({str(error).splitlines()[0]}).") from None


def whole_frame(source: Source) -> pl.DataFrame:
    """All columns of a file."""
    with damage_as_input_errors(source):
        return pl.read_parquet(io.BytesIO(source.content()))


def _read_columns(source: Source, judgements: bool) -> NamedColumns:
    try:
        data = io.BytesIO(source.content())
        with damage_as_input_errors(source):
            columns = subprocess_call("irassay.io.parquet:columns_in", data, judgements, source.name)
            frame = pl.read_parquet(data, columns=list(columns.values()))
    except DiedError as how:
        why = "memory is limited (ulimit -v), or the file is damaged"
        why = why if memory_limit() < math.inf else "the file is damaged"
        raise InputError(f"{source.name} cannot be read as Parquet, because {why} ({how}).") from None
    frame = frame.select(typed_column(frame[theirs], ours, source.name) for ours, theirs in columns.items())
    return NamedColumns(frame, None, columns.get("grade", ""))


def columns_in(data: BinaryIO, judgements: bool, name: str) -> dict[str, str]:
    """The columns of a file that runs or judgements need. It reads them all, because damaged files can crash polars.

    The caller reads them again: sending them from one process to the other takes as long, and more memory.
    """
    columns = columns_of(list(pl.read_parquet_schema(data)), judgements, name)
    rows = pl.scan_parquet(data).select(pl.len()).collect().item()
    check_ratio(name, rows * BYTES_PER_ROW, data.seek(0, io.SEEK_END))
    data.seek(0)
    pl.read_parquet(data, columns=list(columns.values()))
    return columns


READER = named_reader("parquet", lambda head: head.startswith(MAGIC), _read_columns)
