"""Published data files: found below a folder or in the cache by the names they were published under, or fetched."""

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

from irassay.errors import InputError, argument
from irassay.writing import cache_folder


@dataclass(frozen=True)
class DataFile:
    """A published file: its path in the original repository, its address, the SHA-256 of its content unpacked."""

    name: str  # as in the repository, perhaps with its folder, such as data/session
    url: str
    sha256: str
    about: str  # what it holds, and who published it


@cache
def figures(paper: str) -> dict[str, Any]:
    """What a paper prints, and the data files that were published with it, as typed into its figures.toml."""
    with (Path(__file__).parent / paper / "figures.toml").open("rb") as file:
        found = tomllib.load(file)
    return found | {"files": {name: DataFile(**said) for name, said in found.get("files", {}).items()}}


@dataclass(frozen=True)
class Published:
    """The places where published files may lie, and whether what is missing may be fetched."""

    folders: tuple[Path, ...] = ()
    fetch: bool = False
    used: list[Path] = field(default_factory=list, compare=False)  # the files that were read
    needed: tuple[DataFile, ...] = ()  # all that a paper reads, to be named where there is no connection

    def has(self, file: DataFile) -> bool:
        """Whether there is a file of that name, or it may be fetched; `content` says whether it is the right one."""
        return self.fetch or any(True for _ in self._candidates(file))

    def content(self, file: DataFile) -> bytes:
        """The file's unpacked bytes, which have the published checksum; CRLF at line ends counts as LF."""
        wrong = None
        for path, data in self._candidates(file):
            right = _published_content(data, file)
            if right is not None:
                self.used.append(path)
                return right
            wrong = path
        if self.fetch:
            return self._fetched(file)
        name = Path(file.name).name
        if wrong is not None:
            raise InputError(
                f"{wrong} is not the published {name} ({file.about}): its content has another checksum; "
                f"get it again from {file.url}, or use {argument('fetch')}"
            )
        where = ", ".join(str(folder) for folder in self.folders) or f"no {argument('data')} folder was given"
        raise InputError(
            f"{name} ({file.about}) was not found ({where}); give its folder with {argument('data')}, or use "
            f"{argument('fetch')} to get it from {file.url}"
        )

    @contextmanager
    def unpacked(self, *files: DataFile) -> Iterator[Path]:
        """A folder that holds the files, unpacked and under their own names, while a reader wants paths."""
        with TemporaryDirectory(prefix="irassay-") as name:
            for file in files:
                (Path(name) / Path(file.name).name).write_bytes(self.content(file))
            yield Path(name)

    def _candidates(self, file: DataFile) -> Iterator[tuple[Path, bytes]]:
        """Files of that name, gz or not, anywhere below the folders; what cannot be unpacked counts as empty."""
        name = Path(file.name).name
        for folder in (*self.folders, cache_folder()):
            if not folder.is_dir() and folder in self.folders:
                raise InputError(f"{argument('data', folder)} is not a folder")
            for path in sorted((*folder.rglob(name), *folder.rglob(f"{name}.gz"))):
                if path.is_file():
                    yield path, _unpacked_bytes(path.read_bytes())

    def _fetched(self, file: DataFile) -> bytes:
        try:
            import pooch
        except ImportError:
            raise InputError(
                f"{argument('fetch')} needs the package pooch; install it with pip install 'irassay[data]'"
            ) from None
        pooch.get_logger().setLevel("WARNING")  # it would print the checksum, which is known
        target = cache_folder() / file.sha256[:12]
        (target / Path(file.name).name).unlink(missing_ok=True)  # damaged, or it would have been found
        try:
            path = Path(pooch.retrieve(file.url, known_hash=None, path=target, fname=Path(file.name).name))
        except Exception as problem:  # whatever the network may do
            raise InputError(self._unreachable(file, problem)) from None
        data = _published_content(_unpacked_bytes(path.read_bytes()), file)
        if data is None:
            path.unlink()
            raise InputError(f"{file.url} is no longer what was published: its content has another checksum")
        return data

    def _unreachable(self, file: DataFile, problem: Exception) -> str:
        """What went wrong with the network, and the files to download by other means."""
        status = getattr(getattr(problem, "response", None), "status_code", None)
        wrong = f"no connection to {urlsplit(file.url).hostname}"
        if status is not None:
            wrong = f"{file.url} could not be fetched: the site answered {status}"
        missing = [other for other in self.needed if not any(True for _ in self._candidates(other))]
        names = ", ".join(f"{Path(one.name).name} ({one.url})" for one in missing or [file])
        return f"{wrong}; download these files and name their folder with {argument('data')}: {names}"


def _published_content(data: bytes, file: DataFile) -> bytes | None:
    """The published content, though line ends may have been changed; None if it is another."""
    for content in (data, data.replace(b"\r\n", b"\n")):
        if hashlib.sha256(content).hexdigest() == file.sha256:
            return content
    return None


def _unpacked_bytes(data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return b""
