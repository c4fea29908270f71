"""Which reader an input is for. A new format is one file with a READER, listed here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from irassay.errors import InputError, argument, order_of_files
from irassay.io import csv_tables, dynamic, json_files, jsonl, msmarco, parquet, sessions, trec
from irassay.io.foreign import looks_like, no_text
from irassay.io.input_files import NamedRuns, open_inputs, opened_judgements
from irassay.io.passage_qrels import PassageQrels
from irassay.io.reader import ADDED, Input, Reader, never
from irassay.io.sources import Source
from irassay.io.trec import Qrels, Run

Role = Literal["run", "judgements"]
DEFAULT = trec.READER  # where nothing speaks for another
READERS: list[Reader] = [  # asked in this order
    parquet.READER,
    json_files.READER,
    jsonl.READER,
    csv_tables.READER,
    sessions.READER,
    dynamic.READER,
    msmarco.READER,
    msmarco.SCORED,
    DEFAULT,
]


def register(reader: Reader) -> None:
    """Adds a reader, which is asked before those there are."""
    READERS.insert(0, reader)
    ADDED.append(reader)


def named(name: str, role: Role = "run") -> Reader:
    """The reader of a format."""
    found = next((reader for reader in READERS if reader.name == name), None)
    if found is None:
        told = "run_format" if role == "run" else "qrels_format"
        known = ", ".join(sorted({reader.name for reader in READERS}))
        raise InputError(f"{told}={name!r} is not known; choose one of auto, {known}")
    return found


def detected(runs: Any, qrels: Any, run_format: str = "auto") -> Reader:
    """The reader of these runs and judgements: as told, as objects in memory say, or as files look."""
    if run_format != "auto":
        return named(run_format)
    runs, qrels = open_inputs(runs, qrels)
    if isinstance(qrels, PassageQrels):
        return _of_kind("dd")
    many = runs if isinstance(runs, list | tuple) else [runs]
    found = [_of_kind(run.kind) for run in many if isinstance(run, Run)]
    found += [reader for run in many if (reader := _looked_at(run, "run"))]
    if reader := _looked_at(qrels, "judgements"):
        found.append(reader)
    return next((reader for reader in found if reader.kind != "trec"), found[0] if found else DEFAULT)


def reader_of(given: Input, role: Role, kind: str = "trec") -> Reader:
    """The reader of a run or of judgements of a kind, going by what the file looks like."""
    reader = next((other for other in READERS if other.kind == kind and _looks_so(other, given, role)), None)
    if reader is None and isinstance(given, Source) and (what := looks_like(given.head())):
        told = argument("run_format" if role == "run" else "qrels_format", shown="FORMAT")
        wanted = "a run" if role == "run" else "judgements"
        hint = "" if no_text(given.head()) else f"; if it is that after all, say {told}"
        raise InputError(f"{given.name} looks like {what}, not like {wanted}{hint}")
    return reader or _of_kind(kind)


def read_judgements(qrels: Any, reader: Reader, told: str = "auto") -> Qrels | PassageQrels:
    """Judgements of any make; files by the reader that was told, or the one they look like."""
    given = opened_judgements(qrels)
    if isinstance(given, Qrels | PassageQrels):
        return given
    if not isinstance(given, Source | Path):
        return Qrels.of(given)
    if reader.kind == "trec" and isinstance(given, Path):
        raise InputError(f"{given} is a folder, and judgements are one file; {order_of_files()}")
    if told != "auto" and reader.kind == "trec":
        return named(told, "judgements").read_judgements(given)
    return reader_of(given, "judgements", reader.kind).read_judgements(given)


def run_inputs(named: Iterable[NamedRuns], reader: Reader, told: bool = False) -> list[tuple[Input, Reader]]:
    """The files or folders that hold runs, each once and with its own reader; other folders and globs by file."""
    found: dict[str, tuple[Input, Reader]] = {}
    for runs in named:
        folder = runs.is_folder and (bool(reader.inside) or reader.run_looks_so(runs.path))
        inputs: list[Input] = [runs.path] if folder else [*runs.sources]
        for given in inputs:
            name = given.name if isinstance(given, Source) else str(given)
            if name not in found:
                found[name] = (given, reader if told else reader_of(given, "run", reader.kind))
    return list(found.values())


def _of_kind(kind: str) -> Reader:
    return DEFAULT if kind == DEFAULT.kind else next(reader for reader in READERS if reader.kind == kind)


def _looks_so(reader: Reader, given: Input, role: Role) -> bool:
    test = reader.run_looks_so if role == "run" else reader.judgements_look_so
    return test is not never and test(given)


def _looked_at(given: Any, role: Role) -> Reader | None:
    """The reader of a file or folder that is there; nothing is read of what can be read only once."""
    if isinstance(given, NamedRuns):
        given = given.file_or_folder() if given.is_folder or given.path.is_file() else None
    if isinstance(given, Source) and given.is_pipe:
        return None
    if not isinstance(given, Source | Path):
        return None
    return next((reader for reader in READERS if _looks_so(reader, given, role)), None)
