"""Paths of input files: the files of folders and globs."""

from collections.abc import Iterable
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import Any

from irassay.errors import InputError, as_found
from irassay.io.addresses import files_at, located_path
from irassay.provenance import InputPath, is_address


def file_paths(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """The files of paths, folders and globs; those of a folder or glob are sorted, and hidden ones skipped."""
    names: list[str] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        text = str(checked_path(path))
        if is_address(text):
            names += files_at(text)
        elif text != "-" and Path(text).is_dir():
            inside = [str(item) for item in Path(text).iterdir() if item.is_file() and item.name[0] != "."]
            if not inside:
                raise InputError(f"The folder {text} has no files; give a folder with files, a glob, or files.")
            names += sorted(inside)
        elif text != "-" and has_magic(text) and not Path(text).exists():
            inside = [item for item in glob(text, recursive=True) if Path(item).is_file()]
            if not inside:
                raise InputError(f"No file matches {text}.")
            names += sorted(inside)
        else:
            names.append(text)
    return list(dict.fromkeys(names))


def alias_and_path(given: str | Path) -> tuple[str, str]:
    """The two parts of NAME=PATH; the name is empty if there is none, or if a file has the whole text as its path."""
    name, equals, rest = str(given).partition("=")
    if not (equals and name and isinstance(given, str)) or "/" in name or is_address(given) or Path(given).exists():
        return "", str(given)
    exists = rest == "-" or located_path(rest).exists() or (has_magic(rest) and bool(glob(rest, recursive=True)))
    return (name, rest) if exists else ("", given)


def checked_path(path: Any) -> str | Path:
    """The path; anything else is an error."""
    if not isinstance(path, str | PathLike):
        raise InputError(found=f"found {as_found(path)}", expected="the path of a file")
    return path if isinstance(path, str | InputPath) else Path(path)
