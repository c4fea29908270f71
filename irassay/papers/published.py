"""Published data files: found below a folder or in the cache by the names they were published under, or fetched."""

import gzip
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from irassay.errors import InputError


@dataclass(frozen=True)
class DataFile:
    """A published file: its name in the original repository, its address, and the SHA-256 of its content, unpacked."""

    name: str  # as in the repository, perhaps with its folder, such as data/session
    url: str
    sha256: str
    about: str  # what it holds, and who published it


def cache_folder() -> Path:
    """Where fetched files are kept: $IRASSAY_CACHE, or the user's cache folder."""
    named = os.environ.get("IRASSAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path(base) / "irassay" if base else Path.home() / ".cache" / "irassay"


@dataclass(frozen=True)
class Published:
    """The places where published files may lie."""

    folders: tuple[Path, ...] = ()
    fetch: bool = False

    def content(self, file: DataFile) -> bytes:
        """The file's unpacked bytes, checked; InputError where it is nowhere, or damaged."""
        raise InputError(f"not written yet: {file.name}")
