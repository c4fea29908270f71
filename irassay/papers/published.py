"""Published data files, found by their published names below a folder or in the cache, or downloaded."""

import gzip
import hashlib
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from irassay.errors import InputError, argument, missing_package_error
from irassay.writing import cache_folder


@dataclass(frozen=True)
class DataFile:
    """A published file: its path in the original repository, its URL, and the SHA-256 of its unpacked content.

    Where the SHA-256 is not known, it is empty, and any content is accepted; `git_blob` then identifies the original.
    """

    name: str  # as in the repository, with its folder if any, such as data/session
    url: str
    sha256: str
    about: str  # what it contains, and who published it
    git_blob: str = ""  # its id in the original repository


@cache
def figures(paper: str) -> dict[str, Any]:
    """The figures that a paper prints and the data files published with it, from its figures.toml."""
    with (Path(__file__).parent / paper / "figures.toml").open("rb") as file:
        contents = tomllib.load(file)
    return contents | {"files": {name: DataFile(**fields) for name, fields in contents.get("files", {}).items()}}


@dataclass(frozen=True)
class Published:
    """The folders where published files may be, and whether missing ones may be downloaded."""

    folders: tuple[Path, ...] = ()
    fetch: bool = False
    used_paths: list[Path] = field(default_factory=list, compare=False)  # files that were read
    needed_files: tuple[DataFile, ...] = ()  # all that a paper reads, to be listed if there is no connection

    def has(self, file: DataFile) -> bool:
        """Whether a file of that name exists or may be downloaded; `content` checks that it is the right one."""
        return self.fetch or any(True for _ in self._candidates(file))

    def content(self, file: DataFile) -> bytes:
        """The file's unpacked bytes, which must have the published checksum (CRLF line ends count as LF)."""
        wrong_path = None
        for path, data in self._candidates(file):
            content = _published_content(data, file)
            if content is not None:
                self.used_paths.append(path)
                return content
            wrong_path = path
        if self.fetch:
            return self._downloaded_content(file)
        name = Path(file.name).name
        if wrong_path is not None:
            raise InputError(
                f"{wrong_path} is not the published {name} ({file.about}): its checksum differs; "
                f"download it again from {file.url}, or use {argument('fetch')}."
            )
        folders = ", ".join(map(str, self.folders))
        place = (f"in {folders}",) if folders else ("because ", argument("data"), " was not given")
        fix = ("; give its folder with ", argument("data"), ", or use ", argument("fetch"))
        found = f"{name} ({file.about}) was not found "
        raise InputError(found, *place, *fix, f" to download it from {file.url}.", argument="paper")

    def optional_content(self, file: DataFile) -> tuple[bytes | None, str]:
        """The unpacked bytes of a file that a paper can do without, or None; and why it is None."""
        try:
            return (self.content(file), "") if self.has(file) else (None, "")
        except InputError as problem:
            if not self.fetch:
                raise
            return None, str(problem)

    @contextmanager
    def unpacked_folder(self, *files: DataFile) -> Iterator[Path]:
        """A temporary folder with the files, unpacked and under their own names, for readers that need paths."""
        with TemporaryDirectory(prefix="irassay-") as name:
            for file in files:
                (Path(name) / Path(file.name).name).write_bytes(self.content(file))
            yield Path(name)

    def checked_folders(self) -> tuple[Path, ...]:
        """The folders, each of which must exist."""
        for folder in self.folders:
            if not folder.is_dir():
                raise InputError(argument("data", folder), " is not a folder; give a folder with the published files.")
        return self.folders

    def _candidates(self, file: DataFile) -> Iterator[tuple[Path, bytes]]:
        """Files of that name, gz or not, anywhere below the folders; one that cannot be unpacked counts as empty."""
        name = Path(file.name).name
        for folder in (*self.checked_folders(), cache_folder()):
            for path in sorted((*folder.rglob(name), *folder.rglob(f"{name}.gz"))):
                if path.is_file():
                    yield path, unpacked_bytes(path.read_bytes())

    def _downloaded_content(self, file: DataFile) -> bytes:
        """The file's unpacked bytes, downloaded into the cache."""
        try:
            import pooch
        except ImportError:
            raise missing_package_error("pooch", "data", argument("fetch")) from None
        pooch.get_logger().setLevel("WARNING")  # it would print the checksum, which we have
        target = cache_folder() / (file.sha256 or file.git_blob)[:12]
        (target / Path(file.name).name).unlink(missing_ok=True)  # it is damaged, or it would have been used
        try:
            path = Path(pooch.retrieve(file.url, known_hash=None, path=target, fname=Path(file.name).name))
        except Exception as problem:  # anything can go wrong in a network
            raise InputError(self._download_problem(file, problem)) from None
        data = _published_content(unpacked_bytes(path.read_bytes()), file)
        if data is None:
            path.unlink()
            raise InputError(f"{file.url} is no longer the published file: its checksum differs; find another copy.")
        return data

    def _download_problem(self, file: DataFile, problem: Exception) -> str:
        """A message with the reason why a download failed, and the files to download by other means."""
        status = getattr(getattr(problem, "response", None), "status_code", None)
        reason = f"No connection to {urlsplit(file.url).hostname}"
        if status is not None:
            reason = f"{file.url} could not be downloaded: the site answered {status}"
        missing = [other for other in self.needed_files if not any(True for _ in self._candidates(other))]
        names = ", ".join(f"{Path(one.name).name} ({one.url})" for one in missing or [file])
        return f"{reason}; download these files and give their folder with {argument('data')}: {names}."


def _published_content(data: bytes, file: DataFile) -> bytes | None:
    """The published content, even if line ends were changed; None if it is something else."""
    for content in (data, data.replace(b"\r\n", b"\n")):
        if is_original(content, file):
            return content
    return data if data and not file.sha256 else None


def is_original(content: bytes, file: DataFile) -> bool:
    """Whether this is the file that was published, by its SHA-256 or, where that is not known, its id in Git."""
    if file.sha256:
        return hashlib.sha256(content).hexdigest() == file.sha256
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)  # as Git computes it
    return blob.hexdigest() == file.git_blob


def unpacked_bytes(data: bytes) -> bytes:
    """The bytes of a file, unpacked if they are gzip; empty if they cannot be unpacked."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return b""
