"""Where text comes from: files, compressed or not, pipes, the standard input, folders and globs."""

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import IO, Any, BinaryIO, cast

from irassay.errors import InputError, as_found
from irassay.io.foreign import binary_kind
from irassay.provenance import checksum_of, checksum_record, input_path

BOM = b"\xef\xbb\xbf"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
LONG_SIZE = 32 << 20  # bytes; a longer run is scored while it is read, and of a longer pipe only so much is kept
HEAD_SIZE = 1 << 16  # bytes by which the format is detected; a shorter file is kept in memory
SEEK_LOCK = Lock()  # for systems without positioned reads
SPARE_FILES = 64  # file descriptors left for others
LONE_RETURN = re.compile(rb"\r[^\r\n]")  # a carriage return that does not end a line
PAIRED_ESCAPE = re.compile(rb"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..")  # in JSON: a backslash, or a surrogate pair
SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]..")
SURROGATE_BYTES = re.compile(b"\xed[\xa0-\xbf][\x80-\xbf]")  # a surrogate as bytes, which UTF-8 does not allow
LONE_RETURN_FOUND = "found a carriage return without a line feed, which would join two lines"
NOT_UTF8, SAVE_AS_UTF8 = "found bytes that are not UTF-8 text", "save the file as UTF-8"


class Source:
    """A file, a pipe or the standard input (`-`). It is opened once and rewound to be read again.

    If the system allows too few open files, the file is closed after each reading instead.
    """

    block = 16 << 20  # bytes read at a time: bounds memory, and keeps two cores busy
    _file: IO[bytes] | None = None
    is_reopened = False  # for each reading, because too few files may be open at a time

    def __init__(self, path: str | Path) -> None:
        self.name, self.path_text = display_path(checked_path(path)), str(path)
        self.path = Path(path)
        self.is_pipe = str(path) == "-"
        self.data: bytes | None = None  # the decompressed content of a long pipe or a zstd file
        self._all: bytes | None = None  # short content, still compressed
        self._pipe: Pipe | None = None  # a long one; only its beginning is in memory
        self._magic = self._head = b""
        self._lock = Lock()
        self._record = checksum_record()
        self._checksum: str | None = None
        self.tag: str | None = None  # of its run, once known
        if self.is_pipe:
            return
        try:
            if self.path.is_dir():
                raise InputError(f"{self.name} is a folder; expected a file.")
            if not self.path.exists():
                raise InputError(f"There is no file {self.name}.")
            self.is_pipe = not self.path.is_file()
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}.") from None

    @property
    def input_path(self) -> Path:
        """The path with its tag, and with its checksum if that was requested or this is a pipe."""
        return input_path(self.path, self._checksum, self.tag)

    @property
    def size(self) -> int:
        """The size of the file in bytes, compressed or not."""
        return self.path.stat().st_size

    @property
    def is_long(self) -> bool:
        """Whether it is so long that its lists are judged in parts."""
        if not self.is_pipe:
            return self.size >= LONG_SIZE
        self.head()
        return self._pipe is not None

    def blocks(self, size: int = 0) -> Iterator[bytes]:
        """Blocks of complete lines, each ending in a newline; a byte order mark is left out."""
        rest: list[bytes] = []  # of an unfinished line
        first, done = True, 0
        self._refuse_binary(self.head())
        with self.stream() as stream:
            while piece := _checked_read(self.name, lambda: stream.read(size or self.block)):
                if first:
                    piece = piece.removeprefix(BOM)
                    first = False
                end = piece.rfind(b"\n") + 1
                if end:
                    block = b"".join((*rest, memoryview(piece)[:end]))
                    self._check_lines(block, done)
                    yield block
                    rest, done = [piece[end:]], done + len(block)
                else:
                    rest.append(piece)
        if last := b"".join(rest):
            self._check_lines(last, done)
            yield last + b"\n"

    def _check_lines(self, block: bytes, done: int) -> None:
        """Refuses a lone carriage return and an inner byte order mark; `done` bytes come before the block."""
        if b"\r" in block and block.count(b"\r") != block.count(b"\r\n") and (lone := LONE_RETURN.search(block)):
            line = self._line_number(done + lone.start())
            raise InputError(file=self.name, line=line, found=LONE_RETURN_FOUND, fix="end lines with LF or CRLF")
        inside = block.find(b"\n" + BOM) if BOM[:1] in block else -1  # finding one byte is faster than finding four
        if inside >= 0 or (done and block.startswith(BOM)):
            line, found = self._line_number(done + inside + 1), "found a byte order mark inside the file"
            raise InputError(file=self.name, line=line, found=found, fix="delete it (files may have been joined)")

    def _refuse_binary(self, head: bytes) -> None:
        """Raises an error if the file is not text."""
        if kind := binary_kind(head[:HEAD_SIZE]):
            raise InputError(f"{self.name} looks like {kind}; expected a text file.")

    def _line_number(self, offset: int) -> int:
        """The number of the line that holds a byte; a byte order mark at the start is not counted."""
        with self.stream() as stream:
            return 1 + stream.read(offset + len(BOM)).removeprefix(BOM)[:offset].count(b"\n")

    def head(self) -> bytes:
        """The first 64 KB, decompressed, without a byte order mark."""
        if not self._head:
            with self.stream(peek=True) as stream:
                read = partial(_first_bytes, stream) if self._pipe else stream.read
                self._head = _checked_read(self.name, lambda: read(HEAD_SIZE)).removeprefix(BOM)
        return self._head

    def samples(self, size: int) -> list[bytes]:
        """The first bytes and, if the file is long and not compressed, as many from its middle and its end."""
        pieces = [self.head()[:size]]
        if self._is_plain and self.size > 3 * size:
            pieces += [self._piece(start, size) for start in (self.size // 2, self.size - size)]
        return pieces

    def ending(self, size: int) -> bytes:
        """The last bytes of a file that is not compressed; otherwise empty."""
        self.head()
        return self._piece(max(0, self.size - size), size) if self._is_plain else b""

    @property
    def _is_plain(self) -> bool:
        """Whether this is a file, opened and not compressed."""
        return not self.is_pipe and self.data is None and not is_compressed(self._magic)

    def _piece(self, start: int, size: int) -> bytes:
        """Bytes from the middle of a file that is not compressed."""
        with self.stream() as stream:
            stream.seek(start)
            return _checked_read(self.name, lambda: stream.read(size))

    def content(self) -> bytes:
        """The decompressed content, unchecked: for formats that are not lines of text."""
        with self.stream() as stream:
            return _checked_read(self.name, stream.read)

    def text(self) -> str:
        """The content as text, without a byte order mark."""
        data = self.content()
        self._refuse_binary(data)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(file=self.name, line=line, found=NOT_UTF8, fix=SAVE_AS_UTF8) from None

    @contextmanager
    def stream(self, peek: bool = False, once: bool = False) -> Iterator[IO[bytes]]:
        """The content from its first byte, decompressed.

        A long pipe is read into memory, unless the caller only wants to `peek` at its beginning or to read it `once`.
        """
        try:
            raw = self._rewound(peek, once)
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}.") from None
        with nullcontext() if isinstance(raw, Pipe) else raw, decompressed_stream(raw, self._magic) as stream:
            yield stream

    def _rewound(self, peek: bool, once: bool) -> IO[bytes]:
        """The content from its first byte, still compressed; the first call opens the file."""
        with self._lock:  # so that two threads do not open the same file
            if self.data is None and self._all is None and self._file is None and self._pipe is None:
                self._open()
            if self._pipe is not None:
                if once:
                    return cast(IO[bytes], self._pipe)
                if peek:
                    return io.BytesIO(self._pipe.head)
                self.data, self._pipe = _decompressed(self.name, self._pipe.content()), None
                self._magic = b""
        if self.data is not None:
            return io.BytesIO(self.data)
        if self._all is not None:
            return io.BytesIO(self._all)
        assert self._file is not None
        if self._file.closed:  # too few files may be open
            return self.path.open("rb", buffering=0)
        return cast(IO[bytes], FileReader(self._file))

    def _open(self) -> None:
        """Opens the file, and hashes it if checksums are recorded. Short content is kept in memory."""
        if self.is_pipe:
            pipe = Pipe(self.path, self.name, self._record_checksum)
            self._magic = pipe.head[:10]
            self._all, self._pipe = (pipe.content(), None) if pipe.is_short else (None, pipe)
        else:
            file = self.path.open("rb", buffering=0)
            head = file.read(HEAD_SIZE)
            self._magic = head[:10]
            if self._record is not None and self._checksum is None:
                file.seek(0)
                self._record_checksum(checksum_of(file))
            self._file, self._all = (None, head) if len(head) < HEAD_SIZE else (file, None)
            if self._magic.startswith(ZSTD_MAGIC):
                file.seek(0)
                self._all = file.read()
            self.is_reopened = self._all is None and not _may_stay_open(file.fileno())
            if self._all is not None or self.is_reopened:
                file.close()
        if self._all is not None and self._magic.startswith(ZSTD_MAGIC):
            self.data, self._magic = _decompressed(self.name, self._all), b""

    def _record_checksum(self, checksum: str) -> None:
        """Keeps the checksum, also in the current checksum record."""
        self._checksum = checksum
        if self._record is not None:
            self._record[str(self.path)] = checksum

    def close(self) -> None:
        """Closes the file; content in memory stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    __del__ = close

    def __getstate__(self) -> dict[str, Any]:  # open files are not pickled: they are opened again
        return self.__dict__ | {"_file": None, "_pipe": None, "_record": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_lock": Lock()}


class FileReader(io.RawIOBase):
    """An open file with a position of its own, so that several threads can read it at the same time."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.position = file, 0

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
        if hasattr(os, "preadv"):
            count = os.preadv(self.file.fileno(), [buffer], self.position)
        else:
            with SEEK_LOCK:
                self.file.seek(self.position)
                count = cast(Any, self.file).readinto(buffer)
        self.position += count
        return count


def is_compressed(head: bytes) -> bool:
    """Whether a file with these first bytes is gzip, bzip2 or xz."""
    return head.startswith((b"\x1f\x8b", b"\xfd7zXZ\0")) or (head.startswith(b"BZh") and head[4:10] == b"1AY&SY")


def decompressed_stream(file: IO[bytes], head: bytes) -> IO[bytes]:
    """The decompressed content of a file with these first bytes."""
    if not is_compressed(head):
        return file
    if head.startswith(b"\x1f\x8b"):
        import gzip

        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if head.startswith(b"BZh"):
        import bz2

        return cast(IO[bytes], bz2.BZ2File(file))
    import lzma

    return cast(IO[bytes], lzma.LZMAFile(file))


def _may_stay_open(descriptor: int) -> bool:
    """Whether enough other files can be opened beside this one; the limit is raised as far as the system allows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if descriptor + SPARE_FILES < soft or soft == resource.RLIM_INFINITY:
            return True
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return hard == resource.RLIM_INFINITY or descriptor + SPARE_FILES < hard
    return False


def read_errors() -> tuple[type[Exception], ...]:
    """The exceptions that reading a file raises, compressed or not; imported only when one is raised."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError


def checked_json(data: bytes, name: str, line: int = 0) -> bytes:
    """The same JSON, without unpaired surrogates, which text cannot hold."""
    lone = SURROGATE_ESCAPE.search(PAIRED_ESCAPE.sub(b"", data)) if b"\\ud" in data or b"\\uD" in data else None
    lone = lone or (SURROGATE_BYTES.search(data) if b"\xed" in data else None)
    if lone:
        surrogate = lone[0].decode("ascii", "backslashreplace")
        found = f"found {surrogate}, an unpaired surrogate (half a character)"
        raise InputError(file=name, line=line, found=found, fix="fix or delete it")
    return data


def opened_source(path: str | Path | Source) -> Source:
    """The file as a source."""
    return path if isinstance(path, Source) else Source(path)


def checked_path(path: Any) -> str | Path:
    """The path; anything else is an error."""
    if not isinstance(path, str | PathLike):
        raise InputError(found=f"found {as_found(path)}", expected="the path of a file")
    return path if isinstance(path, str) else Path(path)


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


def display_path(path: str | Path) -> str:
    """The path as messages show it."""
    return "standard input" if str(path) == "-" else str(path)


class Pipe(io.RawIOBase):
    """Standard input or another pipe: a stream whose beginning is kept so that it can be read again."""

    def __init__(self, path: Path, name: str, record_checksum: Callable[[str], None]) -> None:
        from hashlib import sha256

        self.path, self.name, self.record_checksum = str(path), name, record_checksum  # called at the end
        self.file = _finite_stream(sys.stdin.buffer if self.path == "-" else path.open("rb"), name)
        self.head, self.done = (
            self.file.read(LONG_SIZE),
            0,
        )  # the beginning, and the number of bytes read from this stream
        self.hash = sha256(self.head)

    @property
    def is_short(self) -> bool:
        """Whether the beginning is all there is."""
        return len(self.head) < LONG_SIZE

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer and returns the number of bytes read; 0 at the end."""
        piece = self.head[self.done : self.done + len(buffer)]
        buffer[: len(piece)] = piece
        count = len(piece)
        if not count:
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
        rest = b"" if self.is_short else self.file.read()
        self.hash.update(rest)
        self._finish()
        return self.head + rest

    def _finish(self) -> None:
        self.record_checksum(self.hash.hexdigest())
        if self.path != "-":
            self.file.close()


def _decompressed(name: str, data: bytes) -> bytes:
    """The decompressed bytes of a file in memory."""
    if not data.startswith(ZSTD_MAGIC):
        return _checked_read(name, decompressed_stream(io.BytesIO(data), data[:10]).read)
    import polars as pl  # reads zstd; Python itself does from 3.14

    try:
        lines = pl.read_lines(io.BytesIO(data)).to_series()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{name} is a damaged .zst file, or not text ({str(error).splitlines()[0]}).") from None
    return "".join(f"{line}\n" for line in lines).encode()


def _first_bytes(stream: IO[bytes], size: int) -> bytes:
    """Up to `size` bytes of a stream that may be cut off."""
    data = b""
    with suppress(EOFError):
        while len(data) < size and (piece := cast(Any, stream).read1(size - len(data))):
            data += piece
    return data


def _checked_read(name: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except read_errors() as error:
        if isinstance(error, OSError) and type(error).__name__ != "BadGzipFile":
            raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None
        end = next(
            (e for e in COMPRESSED_SUFFIXES if name.endswith(e)),
            ".xz" if type(error).__name__ == "LZMAError" else ".gz",
        )
        raise InputError(f"{name} is a damaged {end} file ({error}); copy or compress it again.") from None


def file_paths(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """The files of paths, folders and globs; those of a folder or glob are sorted, and hidden ones skipped."""
    names: list[str] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        text = str(checked_path(path))
        if text != "-" and Path(text).is_dir():
            inside = [str(item) for item in Path(text).iterdir() if item.is_file() and item.name[0] != "."]
            if not inside:
                raise InputError(f"The folder {text} has no files; give a folder with files, a glob, or files.")
            names += sorted(inside)
        elif text != "-" and has_magic(text) and not Path(text).exists():
            inside = [item for item in glob(text, recursive=True) if Path(item).is_file()]
            if not inside:
                raise InputError(f"No file matches {text}.")
            names += sorted(inside)
        else:
            names.append(text)
    return list(dict.fromkeys(names))
