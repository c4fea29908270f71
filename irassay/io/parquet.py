"""Runs and judgements as Parquet, its columns told apart by their names."""

import io
import math
from typing import BinaryIO

import polars as pl

from irassay.errors import InputError
from irassay.io.column_names import NamedColumns, columns_of, named_reader
from irassay.io.frames import NUMERIC
from irassay.io.sources import Source
from irassay.limits import memory_limit
from irassay.subprocess_call import DiedError, subprocess_call

MAGIC = b"PAR1"


def _columns(source: Source, judgements: bool) -> NamedColumns:
    try:
        data = io.BytesIO(source.content())
        found = subprocess_call("irassay.io.parquet:columns_in", data, judgements, source.name)
        frame = pl.read_parquet(data, columns=list(found.values()))
    except DiedError as how:
        why = (
            "memory is limited (ulimit -v), or the file is damaged"
            if memory_limit() < math.inf
            else "the file is damaged"
        )
        raise InputError(f"{source.name} cannot be read as Parquet, which ends in {how}: {why}") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{source.name} is a damaged Parquet file ({str(error).splitlines()[0]})") from None
    frame = frame.select(_cast(frame[theirs], ours) for ours, theirs in found.items())
    return frame, None, found.get("grade", "")


def columns_in(data: BinaryIO, judgements: bool, name: str) -> dict[str, str]:
    """The columns of a file that runs or judgements need, all read once: on some damaged files polars ends the process.

    They are read again where they are needed: to send them from one process to the other takes as long, and more room.
    """
    found = columns_of(list(pl.read_parquet_schema(data)), judgements, name)
    pl.read_parquet(data, columns=list(found.values()))
    return found


def _cast(column: pl.Series, ours: str) -> pl.Series:
    """A column in our type; ids that became 1.0, 2.0, … on their way are whole numbers."""
    column = column.alias(ours)
    if ours in NUMERIC:
        return column.cast(pl.Float64, strict=False)
    if column.dtype.is_float() and (column.drop_nulls() == column.drop_nulls().floor()).all():
        column = column.cast(pl.Int64)
    return column.cast(pl.String, strict=False)


READER = named_reader("parquet", lambda head: head.startswith(MAGIC), _columns)
