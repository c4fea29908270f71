"""Files of a workspace: what they are called there, and by what names people gave them."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irassay.io.run_names import run_name

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


def free_path(folder: Path, name: str) -> str:
    """The path of a new file from its folder: its name, or if that is taken, its name in a numbered subfolder."""
    if not (folder / name).exists():
        return name
    number = 2
    while (part := folder / subfolder(folder, str(number)) / name).exists():
        number += 1
    part.parent.mkdir(exist_ok=True)
    return f"{part.parent.name}/{name}"


def subfolder(folder: Path, label: str) -> str:
    """The name of a subfolder that keeps files apart from others, or together.

    It ends as the random id of the upload does, so that no text in an uploaded file can be taken for a path.

    >>> subfolder(Path("incoming/c0123abcd"), "sessions")
    '~sessions-abcd'
    """
    return f"~{label}-{folder.name[-4:]}"


def subfolder_label(name: str) -> str:
    """The label of such a subfolder; those of earlier labs have nothing else.

    >>> subfolder_label("~sessions-abcd"), subfolder_label("~2")
    ('sessions', '2')
    """
    return name.removeprefix("~").partition("-")[0]


def given_path(path: str) -> str:
    """The path of a file by the name it was given, without the folder that keeps it apart from others.

    >>> given_path("~2-abcd/qrels.txt"), given_path("~sessions-abcd/results"), given_path("~sessions-abcd")
    ('qrels.txt', 'results', 'sessions/')
    """
    if path.startswith("~") and "/" not in path:
        return f"{subfolder_label(path)}/"
    return path.partition("/")[2] if path.startswith("~") else path


def given_names(files: Sequence[StoredFile]) -> dict[str, str]:
    """The names that files were given, by path, and the names of runs and judges made from them, as `run_name` does.

    The latter keep their folder if another file of the same role has the same name, because they must differ.
    """
    shown: dict[str, str] = {}
    for file in (file for file in files if file.path != file.name):
        name = run_name(file.name)
        named = f"{file.path.rpartition('/')[0]}/{name}"
        is_alone = sum(other.role == file.role and run_name(other.name) == name for other in files) == 1
        shown |= {named: name} if is_alone else {}
        shown |= {file.path: file.name} if is_alone or named != file.path else {}
    return shown


def with_given_names(text: str, names: Mapping[str, str]) -> str:
    """A text with files by the names they were given.

    >>> with_given_names("~2/q.txt, line 1: a~2/q.txt", {"~2/q.txt": "q.txt"})
    'q.txt, line 1: a~2/q.txt'
    """
    if not names:
        return text
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![^\s\"'(=,:])(?:{longest_first})(?![\w/])", lambda found: names[found[0]], text)


def new_file_id() -> str:
    """A new id for a file."""
    return f"f{secrets.token_hex(8)}"
