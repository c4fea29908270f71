"""Sessions: the queries of one user, the results of each, and judgements for the whole session."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import polars as pl

from irassay.errors import InputError
from irassay.io.lines import parsed_number
from irassay.io.reader import FileOrFolder, Reader, file_name
from irassay.io.sources import Source, opened_source
from irassay.io.trec import Qrels, Run, read_trec_qrels

MAX_TURNS = 100_000  # queries of a session, or iterations of a topic
COLUMNS = "session query rank document"
EXPECTED, NUMBER_QUERIES = f"{COLUMNS}, separated by TAB", "number the queries of a session from 1"
TYPES = {"topic": pl.String, "turn": pl.Int64, "rank": pl.Int64, "doc": pl.String}


def read_sessions(path: str | Path | Source, columns: Collection[str] = ()) -> Run:
    """Sessions from a file of TAB-separated `session query rank document`, or a folder with such a file `results`.

    Queries and ranks are whole numbers from 1; a header and further columns are ignored. A query without results has
    a line with `no results` (or nothing) as its rank, or no line at all.
    """
    source = _source_in(path, "results")
    rows: list[tuple[str, int, int, str]] = []
    queries: dict[str, int] = {}
    for line, fields in _tabbed_lines(source):
        query = _parsed_integer(fields[1]) if len(fields) > 1 else None
        if query is None and _is_header(line, fields):
            continue
        if query is not None and query > MAX_TURNS:
            found, expected = f"found the query {query}", f"at most {MAX_TURNS:,}"
            raise InputError(file=source.name, line=line, found=found, expected=expected, fix=NUMBER_QUERIES)
        if query is None or query < 1:
            found = f"found the query {fields[1]!r}" if len(fields) > 1 else "found 1 field"
            raise InputError(file=source.name, line=line, found=found, expected=EXPECTED, fix=NUMBER_QUERIES)
        session = fields[0]
        queries[session] = max(query, queries.get(session, 0))
        if "".join(fields[2:4]).lower() in ("", "no results"):
            continue
        rank = _parsed_integer(fields[2])
        if rank is None or rank < 1 or len(fields) < 4 or not fields[3]:
            found = f"found the rank {fields[2]!r}" if rank is None or rank < 1 else "found no document"
            raise InputError(file=source.name, line=line, found=found, expected=EXPECTED)
        rows.append((session, query, rank, fields[3]))
    if not queries:
        raise InputError(f"{source.name} has no lines; expected lines of: {COLUMNS}.")
    frame = pl.DataFrame(rows, schema=TYPES, orient="row")
    folder = not isinstance(path, Source) and Path(path).is_dir()
    name = file_name(source.path.parent if folder else source)
    return Run(name, _sorted_results(frame, source.name), source.name, kind="session", turns=queries)


def read_session_qrels(path: str | Path | Source) -> Qrels:
    """Judgements by session: TAB-separated `session document grade`, with or without a header, or TREC qrels.

    In a folder, the file `qrels` is read.
    """
    source = _source_in(path, "qrels")
    rows: list[tuple[str, str, float]] = []
    for line, fields in _tabbed_lines(source):
        grade = parsed_number(fields[2].encode()) if len(fields) == 3 else None
        if grade is None and _is_header(line, fields):
            continue
        if grade is None and not rows:
            return read_trec_qrels(source)
        if grade is None:
            found = f"found the grade {fields[2]!r}" if len(fields) == 3 else f"found {len(fields)} fields"
            raise InputError(file=source.name, line=line, found=found, expected="session, document and grade")
        rows.append((fields[0], fields[1], grade))
    types = {"topic": pl.String, "doc": pl.String, "grade": pl.Float64}
    return Qrels.of(pl.DataFrame(rows, schema=types, orient="row"), source.name)


def is_sessions(file: FileOrFolder) -> bool:
    """Whether this is a folder of sessions in the layout of jiang2016."""
    return isinstance(file, Path) and all((file / name).is_file() for name in ("session", "results", "qrels"))


def _sorted_results(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """The results sorted by session, query and rank; two at one rank are an error."""
    duplicates = frame.filter(pl.struct("topic", "turn", "rank").is_duplicated())
    if duplicates.height:
        row = duplicates.row(0, named=True)
        found = f"query {row['turn']} of session {row['topic']} has two results at rank {row['rank']}"
        raise InputError(file=source, found=found, fix="number the results of a query from 1")
    first = pl.col("row").min().over("topic")
    return frame.with_row_index("row").sort(first, "turn", "rank").drop("row")


def _tabbed_lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields, separated by TAB, of each line that is not blank."""
    line = 0
    for block in source.blocks():
        for text in block.decode(errors="replace").split("\n")[:-1]:
            line += 1
            if text.strip():
                yield line, [part.strip() for part in text.rstrip("\r").split("\t")]


def _is_header(line: int, fields: list[str]) -> bool:
    return line == 1 and fields[0].lower().startswith("session")


def _parsed_integer(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _source_in(path: str | Path | Source, name: str) -> Source:
    is_folder = not isinstance(path, Source) and Path(path).is_dir()
    return opened_source(Path(str(path)) / name if is_folder else path)


INSIDE: dict[str, Callable[[Path], Run | Qrels]] = {"results": read_sessions, "qrels": read_session_qrels}
READER = Reader("session", "session", read_sessions, read_session_qrels, is_sessions, inside=INSIDE)
