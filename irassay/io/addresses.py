"""Inputs that are not local files: addresses for fsspec, such as s3://bucket/run.txt, and datasets (irds:NAME)."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from glob import has_magic
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from irassay.errors import InputError, missing_package_error
from irassay.provenance import InputPath, checksum_of, is_address

DATASET = "irds:"


def located_path(path: str | Path) -> Path:
    """The path, which can be opened and listed like a local one also if it is an address."""
    if not is_address(path):
        return Path(path)
    located = (Dataset if str(path).startswith(DATASET) else RemotePath)(str(path))
    located.address = str(path)
    return located


class Address(InputPath):
    """A path elsewhere, with the methods of a path that readers use."""

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return False

    def is_file(self) -> bool:
        """Whether it is a file."""
        return not self.is_dir() and self.exists()

    def resolve(self, strict: bool = False) -> Path:
        """Itself: an address has no links."""
        return self

    def samefile(self, other: Any) -> bool:
        """Whether the other is the same address."""
        return str(self) == str(other)

    def __reduce__(self) -> tuple[Any, ...]:
        return located_path, (self.address,)

    def content_checksum(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        with self.open("rb") as file:
            return checksum_of(file)


class RemotePath(Address):
    """An address that fsspec opens."""

    @cached_property
    def _place(self) -> tuple[Any, str]:
        """The file system and the path in it."""
        protocol = self.address.partition("://")[0]
        try:
            fsspec = import_module("fsspec")
        except ImportError:
            raise missing_package_error("fsspec", "remote", str(self)) from None
        try:
            return fsspec.core.url_to_fs(self.address)
        except ImportError as error:
            raise InputError(f"{self} needs a package for {protocol}: {error}.", file=str(self)) from None
        except ValueError as error:
            raise InputError(f"{self} cannot be opened: {error}.", file=str(self)) from None

    @contextmanager
    def _checked_place(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path; whatever its library raises becomes one sentence."""
        place = self._place
        try:
            yield place
        except FileNotFoundError:
            raise InputError(f"There is no file {self}.", file=str(self)) from None
        except InputError:
            raise
        except Exception as error:  # libraries of protocols raise exceptions of their own
            found = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"{self} cannot be read: {found.rstrip('.')}.", file=str(self)) from None

    @cached_property
    def _file_facts(self) -> dict[str, Any]:
        """The type and size of the file or folder, in one request; empty if there is none."""
        with self._checked_place() as (system, path), suppress(FileNotFoundError):
            return dict(system.info(path))
        return {}

    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return bool(self._file_facts)

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self._file_facts.get("type") == "directory"

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """The size of the file; nothing else is known."""
        return os.stat_result((0, 0, 0, 0, 0, 0, int(self._file_facts.get("size") or 0), 0, 0, 0))

    def open(self, mode: str = "rb", *_: Any, **options: Any) -> IO[bytes]:
        """The file, opened to be read; one that cannot be rewound is read into memory."""
        with self._checked_place() as (system, path):
            file = system.open(path, "rb")
            return file if file.seekable() else io.BytesIO(file.read())

    def files(self) -> list[str]:
        """The addresses of the files in a folder, or of those that match a glob, sorted; hidden ones are left out."""
        with self._checked_place() as (system, path):
            if self.is_dir():
                inside = [each["name"] for each in system.ls(path, detail=True) if each["type"] == "file"]
            else:
                inside = [each for each in system.glob(path) if system.isfile(each)]
            addresses = [str(system.unstrip_protocol(each)) for each in inside]
            if ":///" not in self.address:  # memory://a/b is the same as memory:///a/b
                addresses = [each.replace(":///", "://") for each in addresses]
            return sorted(each for each in addresses if each.rstrip("/").rpartition("/")[2][:1] != ".")


class Dataset(Address):
    """The judgements of a dataset of ir_datasets, as the text of a qrels file."""

    @cached_property
    def _content(self) -> bytes:
        return bytes(self._dataset_value("qrels_text"))

    def _dataset_value(self, function: str, *more: Any) -> Any:
        dataset = import_module("irassay.interop.ir_datasets")  # a package above this one
        return getattr(dataset, function)(self.address.removeprefix(DATASET), *more)

    def exists(self) -> bool:
        """Whether there is such a dataset; an unknown one is an error with a suggestion."""
        return bool(self._content)

    def grade_labels(self) -> dict[int, str]:
        """What each grade means; empty if the dataset does not say."""
        return self._dataset_value("grade_labels")

    def topic_texts(self) -> dict[str, str]:
        """The text of each topic."""
        return self._dataset_value("topic_texts")

    def document_texts(self, documents: list[str]) -> dict[str, str]:
        """The texts of these documents."""
        return self._dataset_value("document_texts", documents)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """The size of the text."""
        return os.stat_result((0, 0, 0, 0, 0, 0, len(self._content), 0, 0, 0))

    def open(self, mode: str = "rb", *_: Any, **options: Any) -> IO[bytes]:
        """The text of the judgements."""
        return io.BytesIO(self._content)


def files_at(address: str) -> list[str]:
    """The addresses of the files in a folder or glob; of a file, its own."""
    path = located_path(address)
    if not isinstance(path, RemotePath) or not (path.is_dir() or has_magic(address)):
        return [address]
    inside = path.files()
    if not inside:
        raise InputError(f"{address} has no files; give a folder with files, a glob, or files.", file=address)
    return inside


def dataset_of(qrels: Any) -> Dataset | None:
    """The dataset of ir_datasets that judgements come from; None if they come from elsewhere."""
    path = located_path(qrels) if isinstance(qrels, str | Path) else getattr(qrels, "path", None)
    return path if isinstance(path, Dataset) else None
