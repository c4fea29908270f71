"""The reader of an input. A new format is one file with a READER, listed here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from irassay.domains import Domain
from irassay.errors import InputError, argument, order_of_files
from irassay.installed import load_installed
from irassay.io import csv_tables, dynamic, json_files, jsonl, msmarco, parquet, sessions, trec
from irassay.io.foreign import binary_kind, foreign_kind
from irassay.io.input_files import NamedRuns, open_inputs, opened_judgements
from irassay.io.passage_qrels import PassageQrels
from irassay.io.preferences import read_preferences
from irassay.io.reader import USER_READERS, FileOrFolder, Reader, never
from irassay.io.sources import Source
from irassay.io.trec import Qrels, Run

Role = Literal["run", "judgements"]
DEFAULT = trec.READER  # if no other recognises a file
READERS: list[Reader] = [  # tried in this order
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
    """Adds a reader, which is tried before the others."""
    READERS.insert(0, reader)
    USER_READERS.append(reader)


def all_readers() -> list[Reader]:
    """The readers of every format; those of installed packages come last, and only a name selects them."""
    return [*READERS, *load_installed("readers")]


def reader_named(name: str, role: Role = "run") -> Reader:
    """The reader with this name."""
    reader = next((reader for reader in READERS if reader.name == name), None)
    reader = reader or next((reader for reader in all_readers() if reader.name == name), None)
    if reader is None:
        names = sorted({reader.name for reader in all_readers()})
        raise Domain("word", words=("auto", *names)).refusal(argument(_format_setting(role)), name)
    return reader


def detected_reader(runs: Any, qrels: Any, run_format: str = "auto") -> Reader:
    """The reader of these runs and judgements: by name, by the kind of objects in memory, or by content of files."""
    if run_format != "auto":
        return reader_named(run_format)
    runs, qrels = open_inputs(runs, qrels)
    if isinstance(qrels, PassageQrels):
        return _reader_of_kind("dd")
    run_list = runs if isinstance(runs, list | tuple) else [runs]
    readers = [_reader_of_kind(run.kind) for run in run_list if isinstance(run, Run)]
    readers += [reader for run in run_list if (reader := _reader_by_content(run, "run"))]
    if reader := _reader_by_content(qrels, "judgements"):
        readers.append(reader)
    return next((reader for reader in readers if reader.kind != "trec"), readers[0] if readers else DEFAULT)


def reader_of(file: FileOrFolder, role: Role, kind: str = "trec") -> Reader:
    """The reader of a run or of judgements of this kind, by the content of the file."""
    reader = next((other for other in READERS if other.kind == kind and _looks_like(other, file, role)), None)
    if reader is None and isinstance(file, Source) and (found := foreign_kind(file.head())):
        text = f"{file.name} looks like {found}, not like {'a run' if role == 'run' else 'judgements'}"
        setting = argument(_format_setting(role), metavar="FORMAT")
        fix = () if binary_kind(file.head()) else ("; if it is one, use ", setting)
        raise InputError(text, *fix, ".", file=file.name, found=found)
    return reader or _reader_of_kind(kind)


def read_judgements(qrels: Any, reader: Reader, qrels_format: str = "auto") -> Qrels | PassageQrels:
    """Judgements from a file of this or the detected format, or from objects."""
    judgements = opened_judgements(qrels)
    if isinstance(judgements, Qrels | PassageQrels):
        return judgements
    if not isinstance(judgements, Source | Path):
        return Qrels.of(judgements)
    if reader.kind == "trec" and isinstance(judgements, Path):
        raise InputError(f"{judgements} is a folder, but judgements are one file; ", order_of_files(), ".")
    if qrels_format == "prefs" and isinstance(judgements, Source):
        return read_preferences(judgements)
    if qrels_format != "auto" and reader.kind == "trec":
        return reader_named(qrels_format, "judgements").read_judgements(judgements)
    return reader_of(judgements, "judgements", reader.kind).read_judgements(judgements)


def run_inputs(named: Iterable[NamedRuns], reader: Reader, is_fixed: bool = False) -> list[tuple[FileOrFolder, Reader]]:
    """The files (also of other folders and globs) and folders that hold runs, each once and with its reader."""
    by_name: dict[str, tuple[FileOrFolder, Reader]] = {}
    for runs in named:
        folder = runs.is_folder and (bool(reader.inside) or reader.run_looks_so(runs.path))
        inputs: list[FileOrFolder] = [runs.path] if folder else [*runs.sources]
        for file in inputs:
            name = file.name if isinstance(file, Source) else str(file)
            if name not in by_name:
                by_name[name] = (file, reader if is_fixed else reader_of(file, "run", reader.kind))
    return list(by_name.values())


def _format_setting(role: Role) -> str:
    return "run_format" if role == "run" else "qrels_format"


def _reader_of_kind(kind: str) -> Reader:
    return DEFAULT if kind == DEFAULT.kind else next(reader for reader in READERS if reader.kind == kind)


def _looks_like(reader: Reader, file: FileOrFolder, role: Role) -> bool:
    test = reader.run_looks_so if role == "run" else reader.judgements_look_so
    return test is not never and test(file)


def _reader_by_content(file: Any, role: Role) -> Reader | None:
    """The reader that recognises an existing file or folder; None for anything else, such as a pipe."""
    if isinstance(file, NamedRuns):
        file = file.file_or_folder() if file.is_folder or file.path.is_file() else None
    if not isinstance(file, Source | Path) or (isinstance(file, Source) and file.is_pipe):
        return None
    return next((reader for reader in READERS if _looks_like(reader, file, role)), None)
