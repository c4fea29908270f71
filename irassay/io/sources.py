"""A source of text: a file, here or elsewhere, compressed or not, a pipe, or the standard input."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, Any, cast

from irassay.errors import InputError
from irassay.io.addresses import located_path
from irassay.io.compression import (
    ZSTD_MAGIC,
    checked_read,
    decompressed_bytes,
    decompressed_stream,
    is_compressed,
)
from irassay.io.file_paths import checked_path
from irassay.io.foreign import binary_kind
from irassay.io.streams import LONG_SIZE, FileReader, Pipe, first_bytes, may_stay_open
from irassay.notes import Note
from irassay.provenance import checksum_of, checksum_record, input_path, shown_name

BOM = b"\xef\xbb\xbf"
HEAD_SIZE = 1 << 16  # bytes by which the format is detected; a shorter file is kept in memory
LONGEST_LINE = 64 << 20  # bytes of a line of text; more would fill the memory
LONE_RETURN = re.compile(rb"\r[^\r\n]")  # a carriage return that does not end a line
LONE_RETURN_FOUND = "found a carriage return without a line feed, which would join two lines"
NOT_UTF8, SAVE_AS_UTF8 = "found bytes that are not UTF-8 text", "save the file as UTF-8"


class Source:
    """A file, an address, a pipe or the standard input (`-`). It is opened once and rewound to be read again.

    If the system allows too few open files, the file is closed after each reading instead.
    """

    block = 16 << 20  # bytes read at a time: bounds memory, and keeps two cores busy
    _file: IO[bytes] | None = None
    is_reopened = False  # for each reading, because too few files may be open at a time

    def __init__(self, path: str | Path) -> None:
        self.path, self.path_text = located_path(checked_path(path)), str(path)
        self.is_pipe = self.path_text == "-"
        self.name = "standard input" if self.is_pipe else shown_name(checked_path(path))
        self.data: bytes | None = None  # the decompressed content of a long pipe or a zstd file
        self._all: bytes | None = None  # short content, still compressed
        self._pipe: Pipe | None = None  # a long one; only its beginning is in memory
        self._magic = self._head = b""
        self._lock = Lock()
        self._record = checksum_record()
        self._checksum: str | None = None
        self.tag: str | None = None  # of its run, once known
        self.sample_notes: tuple[Note, ...] | None = None  # on a sample of its lines, if it was read elsewhere
        self.alias = ""  # the name that a user gave to its run
        self.is_swapped = False  # these judgements were given in the place of runs
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
    def checksum(self) -> str | None:
        """The SHA-256 of the content, if it was requested or this is a pipe."""
        return self._checksum

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
        done = waiting = 0  # bytes of blocks, and of that line
        self.refuse_binary()
        with self.stream() as stream:
            while piece := checked_read(self.name, lambda: stream.read(size or self.block)):
                if not rest:  # the first piece
                    piece = piece.removeprefix(BOM)
                end = piece.rfind(b"\n") + 1
                if end:
                    block = b"".join((*rest, memoryview(piece)[:end]))
                    self._check_lines(block, done)
                    yield block
                    rest, done, waiting = [piece[end:]], done + len(block), len(piece) - end
                else:
                    rest.append(piece)
                    waiting += len(piece)
                    if waiting > LONGEST_LINE:
                        line, found = self._line_number(done), f"found a line of more than {LONGEST_LINE >> 20} MB"
                        raise InputError(file=self.name, line=line, found=found, expected="a text file of lines")
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

    def refuse_binary(self) -> None:
        """Raises an error if the file is not text."""
        if kind := binary_kind(self.head()):
            raise InputError(f"{self.name} looks like {kind}; expected a text file.")

    def _line_number(self, offset: int) -> int:
        """The number of the line that holds a byte; a byte order mark at the start is not counted."""
        lines = 1
        with self.stream() as stream:
            piece = stream.read(self.block).removeprefix(BOM)
            while piece and offset > 0:
                lines += piece.count(b"\n", 0, offset)
                offset -= len(piece)
                piece = stream.read(self.block)
        return lines

    def head(self) -> bytes:
        """The first 64 KB, decompressed, without a byte order mark."""
        if not self._head:
            with self.stream(peek=True) as stream:
                read = partial(first_bytes, stream) if self._pipe else stream.read
                self._head = checked_read(self.name, lambda: read(HEAD_SIZE)).removeprefix(BOM)
        return self._head

    def samples(self, size: int) -> list[bytes]:
        """The first bytes and, if the file is long and not compressed, as many from its middle and its end."""
        pieces = [self.head()[:size]]
        if self._is_plain and self.size > 3 * size:
            pieces += [self._bytes_at(start, size) for start in (self.size // 2, self.size - size)]
        return pieces

    def ending(self, size: int) -> bytes:
        """The last bytes of a file that is not compressed; otherwise empty."""
        self.head()
        return self._bytes_at(max(0, self.size - size), size) if self._is_plain else b""

    @property
    def _is_plain(self) -> bool:
        """Whether this is a file, opened and not compressed."""
        return not self.is_pipe and self.data is None and not is_compressed(self._magic)

    def _bytes_at(self, start: int, size: int) -> bytes:
        """Bytes from the middle of a file that is not compressed."""
        with self.stream() as stream:
            stream.seek(start)
            return checked_read(self.name, lambda: stream.read(size))

    def content(self) -> bytes:
        """The decompressed content, unchecked: for formats that are not lines of text."""
        with self.stream() as stream:
            return checked_read(self.name, stream.read)

    def text(self) -> str:
        """The content as text, without a byte order mark."""
        self.refuse_binary()
        data = self.content()
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
            raw = self._rewound_stream(peek, once)
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}.") from None
        with (
            nullcontext() if isinstance(raw, Pipe) else raw,
            decompressed_stream(raw, self._magic, self.name) as stream,
        ):
            yield stream

    def _rewound_stream(self, peek: bool, once: bool) -> IO[bytes]:
        """The content from its first byte, still compressed; the first call opens the file."""
        with self._lock:  # so that two threads do not open the same file
            if self.data is None and self._all is None and self._file is None and self._pipe is None:
                self._open()
            if self._pipe is not None:
                if once:
                    return cast(IO[bytes], self._pipe)
                if peek:
                    return io.BytesIO(self._pipe.head)
                self.data, self._pipe = decompressed_bytes(self.name, self._pipe.content()), None
                self._magic = b""
        content = self._all if self.data is None else self.data
        if content is not None:
            return io.BytesIO(content)
        assert self._file is not None
        if self._file.closed:  # too few files may be open
            return self.path.open("rb", buffering=0)
        return cast(IO[bytes], FileReader(self._file, self._lock))

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
            self.is_reopened = self._all is None and not may_stay_open(file)
            if self._all is not None or self.is_reopened:
                file.close()
        if self._all is not None and self._magic.startswith(ZSTD_MAGIC):
            self.data, self._magic = decompressed_bytes(self.name, self._all), b""

    def _record_checksum(self, checksum: str) -> None:
        """Keeps the checksum, also in the current checksum record."""
        self._checksum = checksum
        if self._record is not None:
            self._record[str(self.path)] = checksum

    def note_reading(self, tag: str | None, checksum: str | None) -> None:
        """Keeps what another process learnt as it read the file."""
        self.tag = tag
        if checksum is not None:
            self._record_checksum(checksum)

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


def opened_source(path: str | Path | Source) -> Source:
    """The file as a source."""
    return path if isinstance(path, Source) else Source(path)
