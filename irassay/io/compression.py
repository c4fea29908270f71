"""Compressed files (gzip, bzip2, xz, zstd), and the errors of files that cannot be read."""

import io
from collections.abc import Callable
from importlib import import_module
from typing import IO, cast

from irassay.errors import InputError

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}  # by the first bytes of a file
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def is_compressed(head: bytes) -> bool:
    """Whether a file with these first bytes is gzip, bzip2 or xz."""
    return head.startswith(tuple(MODULES)) and (not head.startswith(b"BZh") or head[4:10] == b"1AY&SY")


def decompressed_stream(file: IO[bytes], head: bytes) -> IO[bytes]:
    """The decompressed content of a file with these first bytes."""
    if not is_compressed(head):
        return file
    module = next(name for magic, name in MODULES.items() if head.startswith(magic))
    return cast(IO[bytes], import_module(module).open(file))


def decompressed_bytes(name: str, data: bytes) -> bytes:
    """The decompressed bytes of a file in memory."""
    if not data.startswith(ZSTD_MAGIC):
        return checked_read(name, decompressed_stream(io.BytesIO(data), data[:10]).read)
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
