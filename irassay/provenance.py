"""Where a result came from: versions, inputs and their checksums, parameters."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def read_once(path: str, checksum: str) -> None:
    """Keeps the checksum of what was read from a pipe."""
    READ_ONCE[path] = checksum


def checksum(path: str | Path) -> str | None:
    """The SHA-256 of a file as it lies there, or of a pipe as it was read, in hexadecimal; None of neither."""
    import hashlib

    if not Path(path).is_file():
        return READ_ONCE.get(str(path))
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


READ_ONCE: dict[str, str] = {}  # checksums of pipes and of the standard input, which cannot be read again
DEFINED: list[str] = []  # files of a user's own declarations that were run in this process


def provenance(inputs: Iterable[str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What every machine-readable result begins with."""
    from importlib.metadata import version  # slow to import

    every = (file for path in (*inputs, *DEFINED) for file in (_within(path) if Path(path).is_dir() else [path]))
    listed = [{"path": path, "sha256": checksum(path)} for path in dict.fromkeys(every)]
    return {
        "irassay": version("irassay"),
        "versions": {"python": sys.version.split()[0], "numpy": version("numpy"), "scipy": version("scipy")},
        "inputs": listed,
        "parameters": dict(parameters),
    }


def _within(folder: str) -> list[str]:
    """The files of a folder."""
    return sorted(str(path) for path in Path(folder).iterdir() if path.is_file())
