"""Files of a workspace: what they are called there, and by what names people gave them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_NAME = 255  # bytes of a file's name


@dataclass(frozen=True)
class StoredFile:
    """A file of a collection: its role, the name it was given, and its path from the collection's folder.

    `given` is the path by which the command line of the lab named it; an uploaded file has none.
    """

    id: str
    role: str
    name: str
    path: str
    sha256: str
    size: int
    given: str = ""

    @property
    def command_path(self) -> str:
        """Its path in a command: as given on the command line, or else the name it was uploaded with."""
        return self.given or self.name

    def document(self) -> dict[str, Any]:
        """The file as the API describes it."""
        return {"id": self.id, "role": self.role, "name": self.name, "sha256": self.sha256}


def plain_file_name(name: str) -> str:
    """The last part of a name that a client gave, if it may be the name of a file; otherwise ''.

    >>> [plain_file_name(name) for name in ("../../etc/passwd", "bm25.gz", "..", "-", "a:b", "~2")]
    ['passwd', 'bm25.gz', '', '', '', '']
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    is_plain = last.isprintable() and last.strip(". ") and last != "-" and ":" not in last and last[0] != "~"
    try:
        return last if is_plain and len(last.encode()) <= MAX_NAME else ""
    except UnicodeEncodeError:
        return ""


def free_path(folder: Path, role: str, name: str) -> str:
    """The path of a new file from its folder: its name, or if that is taken, its name in a subfolder."""
    if not (folder / name).exists():
        return name
    return f"{free_subfolder(folder, role).name}/{name}"


def free_subfolder(folder: Path, role: str) -> Path:
    """A new subfolder, named after the role of the files in it, that keeps them apart from others, or together."""
    number, part = 1, folder / role
    while part.exists():
        number += 1
        part = folder / f"{role}-{number}"
    part.mkdir()
    return part


def shown_names(files: Sequence[StoredFile]) -> dict[str, str]:
    """The names that files were given, by path, of those that are kept in a subfolder."""
    return {file.path: file.name for file in files if file.path != file.name}


def new_file_id() -> str:
    """A new id for a file."""
    return f"f{secrets.token_hex(8)}"
