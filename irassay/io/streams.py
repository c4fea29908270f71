"""Streams of bytes: an open file that several threads read, and a pipe whose beginning is kept."""

import io
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO, Any, BinaryIO, cast

from irassay.errors import InputError

LONG_SIZE = 32 << 20  # bytes; a longer run is scored while it is read, and only this much of a pipe is kept
SPARE_FILES = 64  # file descriptors left for others


class FileReader(io.RawIOBase):
    """An open file with a position of its own, so that several threads can read it at the same time."""

    def __init__(self, file: IO[bytes], lock: Lock) -> None:
        self.file, self.lock, self.position = file, lock, 0
        self.descriptor = descriptor_of(file) if hasattr(os, "preadv") else None

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def seekable(self) -> bool:
        """True: it can be positioned."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to a position and returns it; relative to the start or the current position."""
        self.position = offset + (self.position if whence == io.SEEK_CUR else 0)
        return self.position

    def tell(self) -> int:
        """The current position in bytes."""
        return self.position

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer and returns the number of bytes read; 0 at the end."""
        if self.descriptor is not None:
            count = os.preadv(self.descriptor, [buffer], self.position)
        else:
            with self.lock:
                self.file.seek(self.position)
                count = cast(Any, self.file).readinto(buffer)
        self.position += count
        return count


class Pipe(io.RawIOBase):
    """Standard input or another pipe: a stream whose beginning is kept so that it can be read again."""

    def __init__(self, path: Path, name: str, record_checksum: Callable[[str], None]) -> None:
        from hashlib import sha256

        self.path, self.name, self.record_checksum = str(path), name, record_checksum  # called at the end
        self.file = _finite_stream(sys.stdin.buffer if self.path == "-" else path.open("rb"), name)
        self.head = self.file.read(LONG_SIZE)  # the beginning
        self.done, self.is_finished = 0, False  # bytes read from this stream, and whether it has no more
        self.hash = sha256(self.head)

    @property
    def is_short(self) -> bool:
        """Whether the beginning is all there is."""
        return len(self.head) < LONG_SIZE

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def tell(self) -> int:
        """The number of bytes read."""
        return self.done

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer and returns the number of bytes read; 0 at the end."""
        piece = self.head[self.done : self.done + len(buffer)]
        buffer[: len(piece)] = piece
        count = len(piece)
        if not count and not self.is_finished:  # decompression reads once more after the end
            count = int(cast(Any, self.file).readinto(buffer) or 0)
            self.head = b"" if count else self.head  # from here on it cannot be read again
            self.hash.update(memoryview(buffer)[:count])
        self.done += count
        if not count:
            self._finish()
        return count

    def content(self) -> bytes:
        """All of the content, to be read again; an error once more than the beginning was read."""
        if self.done > len(self.head):
            found = (
                "has a non-contiguous topic, a duplicate document or an irregular line, and a pipe cannot be read twice"
            )
            raise InputError(f"{self.name} {found}; save it to a file first.")
        rest = b"" if self.is_short or self.is_finished else self.file.read()
        self.hash.update(rest)
        self._finish()
        return self.head + rest

    def _finish(self) -> None:
        self.is_finished = True
        self.record_checksum(self.hash.hexdigest())
        if self.path != "-":
            self.file.close()


def _finite_stream(stream: BinaryIO, name: str) -> BinaryIO:
    """The stream; a device that never ends, such as /dev/zero, is an error."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # a stream in memory
        return stream
    if stat.S_ISBLK(status.st_mode):
        raise InputError(f"{name} is a disk; expected a file.")
    if stat.S_ISCHR(status.st_mode) and not stream.isatty() and status.st_rdev != os.stat(os.devnull).st_rdev:
        raise InputError(f"{name} is a device without an end; expected a file.")
    return stream


def descriptor_of(file: IO[bytes]) -> int | None:
    """The number of an open file; None if it is not a local one."""
    try:
        return file.fileno()
    except (AttributeError, OSError):  # of a file elsewhere, or in memory
        return None


def may_stay_open(file: IO[bytes]) -> bool:
    """Whether enough other files can be opened beside this one; the limit is raised as far as the system allows."""
    descriptor = descriptor_of(file)
    if descriptor is None:
        return True
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if descriptor + SPARE_FILES < soft or soft == resource.RLIM_INFINITY:
            return True
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return hard == resource.RLIM_INFINITY or descriptor + SPARE_FILES < hard
    return False


def first_bytes(stream: IO[bytes], size: int) -> bytes:
    """Up to `size` bytes of a stream that may be cut off."""
    data = b""
    with suppress(EOFError):
        while len(data) < size and (piece := cast(Any, stream).read1(size - len(data))):
            data += piece
    return data
