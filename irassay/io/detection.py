"""Which reader an input is for. A new format is one file with a READER, listed here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.io import dynamic, sessions, trec
from irassay.io.passage_qrels import PassageQrels
from irassay.io.reader import ADDED, Input, Reader, never, opened
from irassay.io.sources import files
from irassay.io.trec import Qrels, Run

READERS: list[Reader] = [sessions.READER, dynamic.READER, trec.READER]  # the last one where nothing speaks for another


def register(reader: Reader) -> None:
    """Adds a reader, which is asked before those there are."""
    READERS.insert(0, reader)
    ADDED.append(reader)


def detected(runs: Any, qrels: Any, run_format: str = "auto") -> Reader:
    """The reader of these runs and judgements: as told, as objects in memory say, or as files look."""
    if run_format != "auto":
        named = {reader.name: reader for reader in READERS}
        if run_format not in named:
            raise InputError(f"run_format={run_format!r} is not known; choose one of auto, {', '.join(sorted(named))}")
        return named[run_format]
    if isinstance(qrels, PassageQrels):
        return _of_kind("dd")
    many = runs if isinstance(runs, list | tuple) else [runs]
    kinds = [run.kind for run in many if isinstance(run, Run)]
    found = [reader for run in many for reader in READERS if _looked_at(run, reader.run_looks_so)]
    found += [_of_kind(kind) for kind in kinds]
    found += [reader for reader in READERS if _looked_at(qrels, reader.judgements_look_so)]
    return found[0] if found else READERS[-1]


def read_judgements(qrels: Any, reader: Reader) -> Qrels | PassageQrels:
    """Judgements of any make, files by the reader they look like or else by the one given."""
    if isinstance(qrels, Qrels | PassageQrels):
        return qrels
    if not isinstance(qrels, str | Path):
        return Qrels.of(qrels)
    given = opened(qrels)
    alike = (other for other in READERS if other.kind == reader.kind and other.judgements_look_so(given))
    return next(alike, reader).read_judgements(given)


def run_inputs(paths: Iterable[str | Path], reader: Reader) -> list[tuple[Input, Reader]]:
    """The files or folders that hold runs, each once and with its own reader; other folders and globs by file."""
    found: dict[str, tuple[Input, Reader]] = {}
    for path in paths:
        whole = Path(path).is_dir() and (bool(reader.inside) or reader.run_looks_so(Path(path)))
        for name in [str(path)] if whole else files(path):
            if name not in found:
                given = opened(name)
                alike = (other for other in READERS if other.kind == reader.kind and other.run_looks_so(given))
                found[name] = (given, next(alike, reader))
    return list(found.values())


def _of_kind(kind: str) -> Reader:
    return next(reader for reader in reversed(READERS) if reader.kind == kind)


def _looked_at(given: Any, looks_so: Any) -> bool:
    """Whether a path is there and looks so; nothing is read of what can be read only once."""
    if (
        looks_so is never
        or not isinstance(given, str | Path)
        or str(given) == "-"
        or not (Path(given).is_file() or Path(given).is_dir())
    ):
        return False
    return bool(looks_so(opened(given)))
