"""Where a result came from: versions, inputs and their checksums, parameters."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def checksum(path: str | Path) -> str:
    """The SHA-256 of a file as it lies there, in hexadecimal."""
    import hashlib

    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


DEFINED: list[str] = []  # files of a user's own declarations that were run in this process


def provenance(inputs: Iterable[str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What every machine-readable result begins with."""
    from importlib.metadata import version  # slow to import

    listed = [
        {"path": path, "sha256": checksum(path) if Path(path).is_file() else None}
        for path in dict.fromkeys((*inputs, *DEFINED))
        if not Path(path).is_dir()
    ]
    return {
        "irassay": version("irassay"),
        "versions": {"python": sys.version.split()[0], "numpy": version("numpy"), "scipy": version("scipy")},
        "inputs": listed,
        "parameters": dict(parameters),
    }
