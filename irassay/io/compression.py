"""Compressed files (gzip, bzip2, xz, zstd), and the errors of files that cannot be read."""

import io
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any, cast

from irassay.errors import InputError

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}  # by the first bytes of a file
UNCHECKED_SIZE = 64 << 20  # bytes of content that may be packed as tightly as it likes
LARGEST_RATIO = 500  # of content to packed bytes; text is packed at most about 100 to 1
ZSTD_BLOCK = 128 << 10  # bytes of content in a block of zstd, at most
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def is_compressed(head: bytes) -> bool:
    """Whether a file with these first bytes is gzip, bzip2 or xz."""
    return head.startswith(tuple(MODULES)) and (not head.startswith(b"BZh") or head[4:10] == b"1AY&SY")


class DecompressionBombError(InputError):
    """A file that unpacks to far more than its size."""


class DecompressedStream(io.RawIOBase):
    """The content of a packed file; content far larger than the file is an error, before it fills the memory."""

    def __init__(self, packed: IO[bytes], module: str, name: str) -> None:
        self.fileobj, self.name, self.done = packed, name, 0
        self.content: Any = import_module(module).open(packed)

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer and returns the number of bytes read; 0 at the end."""
        count = int(self.content.readinto(buffer))
        self.done += count
        check_ratio(self.name, self.done, self.fileobj.tell())
        return count

    def read(self, size: int = -1) -> bytes:
        """This many bytes of the content, or all; fewer at the end."""
        if size < 0:
            return self.readall()
        data = self.content.read(size)
        self.done += len(data)
        check_ratio(self.name, self.done, self.fileobj.tell())
        return cast(bytes, data)

    def read1(self, size: int = -1) -> bytes:
        """Some bytes of the content, without reading more of the file than they need."""
        return cast(bytes, self.content.read1(size))


def check_ratio(name: str, content: int, packed: int) -> None:
    """Raises an error if a file unpacks to so much more than its size that it can hardly be a run or judgements."""
    if content > UNCHECKED_SIZE and content > LARGEST_RATIO * packed:
        found = f"unpacks to more than {LARGEST_RATIO} times its size"
        raise DecompressionBombError(f"{name} {found}, as no run does; if it is one, unpack it first.")


def decompressed_stream(file: IO[bytes], head: bytes, name: str) -> IO[bytes]:
    """The decompressed content of a file with these first bytes."""
    if not is_compressed(head):
        return file
    module = next(module for magic, module in MODULES.items() if head.startswith(magic))
    return cast(IO[bytes], DecompressedStream(file, module, name))


def zstd_size(data: bytes) -> int:
    """The most bytes that a zstd file can hold, by the headers of its blocks.

    >>> zstd_size(ZSTD_MAGIC + bytes([0, 0x58]) + bytes([3, 0, 0, 0]))
    131072
    """
    size, place = 0, 0
    while place + 5 <= len(data):
        magic, flags = data[place : place + 4], data[place + 4]
        if magic[1:] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5:  # a frame to skip
            place += 8 + int.from_bytes(data[place + 4 : place + 8], "little")
            continue
        single = flags >> 5 & 1
        place += 5 + (not single) + (0, 1, 2, 4)[flags & 3] + ((single, 2, 4, 8)[flags >> 6])
        is_last = False
        while not is_last and place + 3 <= len(data):
            header = int.from_bytes(data[place : place + 3], "little")
            is_last, is_run = bool(header & 1), header >> 1 & 3 == 1
            place += 3 + (1 if is_run else header >> 3)
            size += ZSTD_BLOCK
        place += 4 * (flags >> 2 & 1)
    return size


def decompressed_bytes(name: str, data: bytes) -> bytes:
    """The decompressed bytes of a file in memory."""
    if not data.startswith(ZSTD_MAGIC):
        return checked_read(name, decompressed_stream(io.BytesIO(data), data[:10], name).read)
    check_ratio(name, zstd_size(data), len(data))
    import polars as pl  # reads zstd; Python itself does from 3.14

    try:
        lines = pl.read_lines(io.BytesIO(data)).to_series()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{name} is a damaged .zst file, or not text ({str(error).splitlines()[0]}).") from None
    return "".join(f"{line}\n" for line in lines).encode()


def checked_read(name: str, read: Callable[[], bytes]) -> bytes:
    """The bytes that `read` returns; if it fails, the error says why the file cannot be read."""
    try:
        return read()
    except read_errors() as error:
        if isinstance(error, OSError) and type(error).__name__ != "BadGzipFile":
            raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
        by_error = ".xz" if type(error).__name__ == "LZMAError" else ".gz"
        end = next((end for end in COMPRESSED_SUFFIXES if name.endswith(end)), by_error)
        raise InputError(f"{name} is a damaged {end} file ({error}); copy or compress it again.") from None


def read_errors() -> tuple[type[Exception], ...]:
    """The exceptions that reading a file raises, compressed or not; imported only when one is raised."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError
