"""Runs and judgements as Parquet, its columns told apart by their names."""

import io

import polars as pl

from irassay.errors import InputError
from irassay.io.frames import NUMERIC
from irassay.io.named import Columns, columns_of, named_reader
from irassay.io.sources import Source

MAGIC = b"PAR1"


def _columns(source: Source, judgements: bool) -> Columns:
    try:
        data = source.path if _is_plain(source) else io.BytesIO(source.whole())
        found = columns_of(list(pl.read_parquet_schema(data)), judgements, source.name)
        frame = pl.read_parquet(data, columns=list(found.values()))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{source.name} is a damaged Parquet file ({str(error).splitlines()[0]})") from None
    frame = frame.select(_cast(frame[theirs], ours) for ours, theirs in found.items())
    return frame, None, found.get("grade", "")


def _is_plain(source: Source) -> bool:
    """Whether it is a file that is not packed, of which only the columns needed have to be read."""
    if source.data is not None:
        return False
    with source.path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _cast(column: pl.Series, ours: str) -> pl.Series:
    """A column in our type; ids that became 1.0, 2.0, … on their way are whole numbers."""
    column = column.alias(ours)
    if ours in NUMERIC:
        return column.cast(pl.Float64, strict=False)
    if column.dtype.is_float() and (column.drop_nulls() == column.drop_nulls().floor()).all():
        column = column.cast(pl.Int64)
    return column.cast(pl.String, strict=False)


READER = named_reader("parquet", lambda head: head.startswith(MAGIC), _columns)
