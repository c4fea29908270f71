"""Runs and judgements as Parquet, its columns told apart by their names."""

import io
from collections.abc import Collection

import polars as pl

from irassay.errors import InputError
from irassay.io.frames import NUMERIC
from irassay.io.named import by_head, columns_of, qrels_of, refuse_run, run_of, source_of
from irassay.io.reader import Input, Reader
from irassay.io.sources import Source
from irassay.io.trec import Qrels, Run

MAGIC = b"PAR1"


def read_run(given: Input, columns: Collection[str] = ()) -> Run:
    """A run from columns with a topic, a document, and a score or a rank (or both)."""
    source = source_of(given)
    return run_of(_frame(source, judgements=False), source)


def read_judgements(given: Input) -> Qrels:
    """Judgements from columns with a topic, a document and a grade."""
    source = source_of(given)
    return qrels_of(_frame(source, judgements=True), source)


def _frame(source: Source, judgements: bool) -> pl.DataFrame:
    packed = source.data is not None or source.path.suffix not in (".parquet", ".parq")
    data = io.BytesIO(source.whole()) if packed else source.path
    try:
        found = columns_of(list(pl.read_parquet_schema(data)), judgements, source.name)
        frame = pl.read_parquet(data, columns=list(found.values()))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{source.name} is a damaged Parquet file ({str(error).splitlines()[0]})") from None
    frame = frame.select(_cast(frame[theirs], ours) for ours, theirs in found.items())
    if judgements:
        refuse_run(frame.drop_nulls(), found["grade"], source)
    return frame


def _cast(column: pl.Series, ours: str) -> pl.Series:
    """A column in our type; ids that became 1.0, 2.0, … on their way are whole numbers."""
    column = column.alias(ours)
    if ours in NUMERIC:
        return column.cast(pl.Float64, strict=False)
    if column.dtype.is_float() and (column.drop_nulls() == column.drop_nulls().floor()).all():
        column = column.cast(pl.Int64)
    return column.cast(pl.String, strict=False)


looks_so = by_head(lambda head: head.startswith(MAGIC))
READER = Reader("parquet", "trec", read_run, read_judgements, looks_so, looks_so)
