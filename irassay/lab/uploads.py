"""Uploads: multipart forms streamed to the workspace, within limits, with checksums made on the way."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from irassay.errors import InputError, as_found
from irassay.io.addresses import Address
from irassay.lab.arguments import FOLDER_ROLES
from irassay.lab.problems import ProblemError
from irassay.lab.requests import pointer_to, refusal
from irassay.lab.stored_files import StoredFile, free_path, free_subfolder, new_file_id, plain_file_name
from irassay.prose import did_you_mean, visible_text
from irassay.provenance import checksum_of

BLOCK = 1 << 20
MAX_TEXT = 1000  # characters of a collection's name


@dataclass(frozen=True)
class UploadLimits:
    """How much one upload may hold."""

    bytes: int = 1 << 30
    unpacked: int = 4 << 30
    files: int = 2000


class Upload:
    """A multipart form on its way to a folder; files are complete there before `receive` returns."""

    def __init__(self, folder: Path, roles: frozenset[str], limits: UploadLimits, content_type: str) -> None:
        from python_multipart.exceptions import FormParserError
        from python_multipart.multipart import MultipartParser, parse_options_header

        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise ProblemError(415, "An upload must be multipart/form-data with a boundary.")
        self.folder, self.roles, self.limits = folder, roles, limits
        self.name = ""
        self.files: list[StoredFile] = []
        self._options = parse_options_header
        self._size = 0
        self._headers: dict[bytes, bytes] = {}
        self._header = self._value = b""
        self._file: IO[bytes] | None = None
        self._part: dict[str, Any] = {}
        self._text = bytearray()
        self._is_complete = False
        callbacks: Any = {
            "on_part_begin": self._part_begin, "on_header_field": self._header_field,
            "on_header_value": self._header_value, "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished, "on_part_data": self._part_data,
            "on_part_end": self._part_end, "on_end": self._end,
        }  # fmt: skip
        try:
            self._parser = MultipartParser(options[b"boundary"], callbacks)
        except FormParserError as error:
            raise damaged_form(error) from None

    async def receive(self, stream: AsyncIterator[bytes]) -> None:
        """Takes the body of the request."""
        from python_multipart.exceptions import FormParserError

        try:
            async for block in stream:
                self._size += len(block)
                if self._size > self.limits.bytes:
                    raise ProblemError(413, f"An upload may have at most {self.limits.bytes:,} bytes.")
                await asyncio.to_thread(self._parser.write, block)  # which waits for the disk
            self._parser.finalize()
        except FormParserError as error:
            raise damaged_form(error) from None
        finally:
            if self._file:
                self._file.close()
        if not self._is_complete:
            raise ProblemError(400, "The form ends before its last boundary.")
        if not self.files:
            raise refusal("The form has no file; give qrels and run, or scores.", "")
        for role in FOLDER_ROLES:
            self.keep_together(role)

    def keep_together(self, role: str) -> None:
        """Moves the files of a role to a folder of their own if there are several."""
        together = [file for file in self.files if file.role == role]
        if len(together) < 2:
            return
        together_in = free_subfolder(self.folder, role).name
        for file in together:
            path = f"{together_in}/{file.name}"
            if (self.folder / path).exists():
                raise refusal(f"Two files of {role} are called {file.name}; give each its own name.", f"/{role}")
            os.replace(self.folder / file.path, self.folder / path)
            self.files[self.files.index(file)] = replace(file, path=path)

    def check_unpacked(self) -> None:
        """Refuses compressed files that hold more than is allowed, before anything reads them."""
        left = self.limits.unpacked
        for file in self.files:
            left -= unpacked_size(self.folder / file.path, file.name, left)
            if left < 0:
                most = f"at most {self.limits.unpacked:,} bytes"
                raise ProblemError(413, f"The files of an upload may unpack to {most}; {file.name} goes beyond.")

    def _part_begin(self) -> None:
        self._headers, self._part, self._text = {}, {}, bytearray()
        self._header = self._value = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header = self._value = b""

    def _headers_finished(self) -> None:
        _, options = self._options(self._headers.get(b"content-disposition", b""))
        field = options.get(b"name", b"").decode("utf-8", "replace")
        if field == "name":
            self._part = {"field": field}
            return
        if field not in self.roles:
            hint = did_you_mean(field, self.roles, f"the fields are name, {', '.join(sorted(self.roles))}.")
            raise refusal(f"There is no field {as_found(field)} in an upload; {hint}", pointer_to(field))
        if b"filename" not in options:
            raise refusal(f"The field {field} must be a file.", f"/{field}")
        given = decoded_file_name(options[b"filename"].decode("utf-8", "replace"))
        if not given:  # a field of a page's form in which no file was chosen
            self._part = {"field": ""}
            return
        name = plain_file_name(given)
        if not name:
            text = f"{as_found(given)} cannot be the name of a file here; give it a plain name, such as run.txt."
            raise refusal(text, f"/{field}")
        if len(self.files) >= self.limits.files:
            raise ProblemError(413, f"An upload may have at most {self.limits.files:,} files.")
        path = free_path(self.folder, field, name)
        self._file = (self.folder / path).open("xb")
        self._part = {"field": field, "name": name, "path": path, "hash": hashlib.sha256(), "size": 0}

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        piece = data[start:end]
        if self._file is None:
            self._text += piece
            if len(self._text) > 4 * MAX_TEXT:
                raise ProblemError(413, f"The name of a collection may have at most {MAX_TEXT} characters.")
            return
        self._file.write(piece)
        self._part["hash"].update(piece)
        self._part["size"] += len(piece)

    def _part_end(self) -> None:
        part = self._part
        if self._file is None and part["field"]:
            self.name = visible_text(self._text.decode("utf-8", "replace").strip()[:MAX_TEXT])
        if self._file is None:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._file = None
        digest = part["hash"].hexdigest()
        self.files.append(StoredFile(new_file_id(), part["field"], part["name"], part["path"], digest, part["size"]))

    def _end(self) -> None:
        self._is_complete = True


def decoded_file_name(name: str) -> str:
    """A file's name as a form sends it, with the three characters that browsers escape there, and only these.

    >>> decoded_file_name("a%22b%0D%0A%41.txt")
    'a"b\\r\\n%41.txt'
    """
    for escaped, letter in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):
        name = name.replace(escaped, letter)
    return name


def damaged_form(error: Exception) -> ProblemError:
    """The problem of a form that cannot be read."""
    return ProblemError(400, f"The form is damaged: {str(error).rstrip('.')}.")


def unpacked_size(path: Path, name: str, limit: int) -> int:
    """The size of a file's content once it is unpacked; counting stops beyond the limit."""
    from irassay.io.compression import (
        ZSTD_MAGIC,
        DecompressionBombError,
        checked_read,
        decompressed_stream,
        is_compressed,
        zstd_size,
    )

    with path.open("rb") as file:
        head = file.read(10)
        file.seek(0)
        if head.startswith(ZSTD_MAGIC):
            return zstd_size(file.read())
        if not is_compressed(head):
            return path.stat().st_size
        stream, size = decompressed_stream(file, head, name), 0
        try:
            while size <= limit and (block := checked_read(name, lambda: stream.read(BLOCK))):
                size += len(block)
        except DecompressionBombError as error:
            raise ProblemError(413, str(error)) from None
        except InputError:
            return size  # a damaged file is reported with the others' problems
    return size


def stored_copy(path: Path, role: str, folder: Path) -> StoredFile:
    """A copy of a file of this machine as part of a collection, with its checksum."""
    name = plain_file_name(path.name) or "file"
    place = free_path(folder, role, name)
    shutil.copyfile(path, folder / place)
    return _described_file(path, role, name, place)


def stored_link(path: Path, role: str, folder: Path, *, with_folders: bool = False) -> StoredFile:
    """A link to a file of the command line as part of a collection, with its checksum; an address stays one.

    With its folders, the run has the name that commands give it if another one has the same file name.
    """
    if isinstance(path, Address):
        address, size = path.address, path.stat().st_size
        return StoredFile(new_file_id(), role, address, address, path.content_checksum(), size)
    name = plain_file_name(path.name) or "file"
    above = [part for part in path.parts[:-1] if part not in (path.anchor, "..")] if with_folders else []
    place = "/".join([*above, name])
    try:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        is_free = not (folder / place).exists()
    except OSError:  # a file has the name of the folder
        is_free = False
    place = place if is_free else free_path(folder, role, name)
    (folder / place).symlink_to(path.resolve())
    return replace(_described_file(path, role, name, place), given=str(path))


def _described_file(path: Path, role: str, name: str, place: str) -> StoredFile:
    with path.open("rb") as file:
        return StoredFile(new_file_id(), role, name, place, checksum_of(file), path.stat().st_size)
