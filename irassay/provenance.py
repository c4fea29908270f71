"""Where a result came from: versions, inputs and their checksums, parameters."""

import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, cast

from irassay.errors import variable_set
from irassay.installed import PACKAGES

_CHECKSUMS: ContextVar[dict[str, str] | None] = ContextVar("checksums", default=None)
_SHOWN_NAMES: ContextVar[Mapping[str, str]] = ContextVar("shown names", default=MappingProxyType({}))


def recording_checksums() -> AbstractContextManager[None]:
    """Hashes every file read inside the block as it is read, so that `provenance` need not open it again."""
    return variable_set(_CHECKSUMS, {})


def checksum_record() -> dict[str, str] | None:
    """The checksums so far, by path, to which readers add theirs; None if they are not needed."""
    return _CHECKSUMS.get()


def files_shown_as(names: Mapping[str, str]) -> AbstractContextManager[None]:
    """Files go by these names, given by path, in messages and records that are made inside the block."""
    return variable_set(_SHOWN_NAMES, names)


def shown_name(path: str | Path) -> str:
    """The name by which a file goes in messages and records: its path, unless it is shown by another name.

    >>> with files_shown_as({"other/qrels.txt": "qrels.txt"}):
    ...     print(shown_name(Path("other/qrels.txt")), shown_name("run.txt"))
    qrels.txt run.txt
    """
    return _SHOWN_NAMES.get().get(str(path), str(path))


def checksum_of(file: IO[bytes]) -> str:
    """The SHA-256 of the rest of an open file, in hexadecimal."""
    import hashlib

    return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|irds:")  # of a file elsewhere, or of a dataset of ir_datasets


class InputPath(type(Path())):  # type: ignore[misc]
    """The path of an input, with facts recorded as it was read; or an address, which keeps its two slashes."""

    sha256: str | None = None
    tag: str | None = None  # of a run
    address: str = ""

    def __str__(self) -> str:
        return self.address or super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        return (path_or_address, (self.address,)) if self.address else super().__reduce__()


def input_path(path: Path, sha256: str | None, tag: str | None) -> Path:
    """The path of an input, with its checksum and the tag of its run if known."""
    annotated = InputPath(path)
    annotated.sha256, annotated.tag, annotated.address = sha256, tag, getattr(path, "address", "")
    return annotated


def path_or_address(text: str | Path) -> Path:
    """The path with this text; an address such as s3://bucket/run.txt stays as it is.

    >>> str(path_or_address("s3://bucket/run.txt")), path_or_address("s3://bucket/run.txt").name
    ('s3://bucket/run.txt', 'run.txt')
    """
    if not is_address(text):
        return Path(text)
    path = InputPath(text)
    path.address = str(text)
    return path


def is_address(text: str | Path) -> bool:
    """Whether this is the address of a file elsewhere; an existing path is not."""
    return ADDRESS.match(str(text)) is not None and not Path(str(text)).exists()


def checksum(path: str | Path) -> str | None:
    """The SHA-256 of a file in hexadecimal, recorded when it was read or computed now; None if it is not a file."""
    recorded = (_CHECKSUMS.get() or {}).get(str(path))
    if not recorded and is_address(path):
        return str(import_module("irassay.io.addresses").located_path(path).content_checksum())
    if recorded or not Path(path).is_file():
        return recorded
    with Path(path).open("rb") as file:
        return checksum_of(file)


DEFINED_FILES: list[str] = []  # users' files that were run in this process


def provenance(inputs: Iterable[str], parameters: Mapping[str, Any], hashed: Mapping[str, str] = {}) -> dict[str, Any]:
    """The beginning of every machine-readable result; `hashed` has checksums that are known, by path."""
    from importlib.metadata import version  # slow to import

    paths = (file for path in (*inputs, *DEFINED_FILES) for file in (files_in(path) if Path(path).is_dir() else [path]))
    return {
        "irassay": version("irassay"),
        "versions": {
            "python": sys.version.split()[0],
            "numpy": version("numpy"),
            "scipy": version("scipy"),
            **PACKAGES,
        },
        "inputs": [
            {"path": shown_name(path), "sha256": hashed.get(path) or checksum(path)} for path in dict.fromkeys(paths)
        ],
        "parameters": dict(parameters),
    }


def files_in(folder: str) -> list[str]:
    """The files in a folder, in order of name."""
    return sorted(str(path) for path in Path(folder).iterdir() if path.is_file())
