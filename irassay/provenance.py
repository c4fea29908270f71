"""Where a result came from: versions, inputs and their checksums, parameters."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, cast

_CHECKSUMS: ContextVar[dict[str, str] | None] = ContextVar("checksums", default=None)


@contextmanager
def recording_checksums() -> Iterator[None]:
    """A context in which every file is hashed while it is open for reading, so that `provenance` opens none again."""
    token = _CHECKSUMS.set({})
    try:
        yield
    finally:
        _CHECKSUMS.reset(token)


def checksum_record() -> dict[str, str] | None:
    """The checksums of what was read so far, by path, to which a reader adds; None where nobody will ask for them."""
    return _CHECKSUMS.get()


def checksum_of(file: IO[bytes]) -> str:
    """The SHA-256 of the rest of an open file, in hexadecimal."""
    import hashlib

    return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


class InputPath(type(Path())):  # type: ignore[misc]
    """The path of an input, with what was learnt of it while it was read."""

    sha256: str | None = None
    tag: str | None = None  # of a run


def input_path(path: Path, sha256: str | None, tag: str | None) -> Path:
    """The path of an input, with its checksum and the tag of its run where these are known."""
    found = InputPath(path)
    found.sha256, found.tag = sha256, tag
    return found


def checksum(path: str | Path) -> str | None:
    """The SHA-256 of a file, kept since it was read or made now, in hexadecimal; None of what is no file."""
    kept = (_CHECKSUMS.get() or {}).get(str(path))
    if kept or not Path(path).is_file():
        return kept
    with Path(path).open("rb") as file:
        return checksum_of(file)


DEFINED_FILES: list[str] = []  # files of a user's own declarations that were run in this process


def provenance(inputs: Iterable[str], parameters: Mapping[str, Any], hashed: Mapping[str, str] = {}) -> dict[str, Any]:
    """What every machine-readable result begins with; inputs that were hashed as they were read are `hashed`."""
    from importlib.metadata import version  # slow to import

    every = (file for path in (*inputs, *DEFINED_FILES) for file in (_within(path) if Path(path).is_dir() else [path]))
    listed = [{"path": path, "sha256": hashed.get(path) or checksum(path)} for path in dict.fromkeys(every)]
    return {
        "irassay": version("irassay"),
        "versions": {"python": sys.version.split()[0], "numpy": version("numpy"), "scipy": version("scipy")},
        "inputs": listed,
        "parameters": dict(parameters),
    }


def _within(folder: str) -> list[str]:
    """The files of a folder."""
    return sorted(str(path) for path in Path(folder).iterdir() if path.is_file())
