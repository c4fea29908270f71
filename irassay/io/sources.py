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
from irassay.io.foreign import no_text
from irassay.parallel import prefetched
from irassay.prose import location
from irassay.provenance import checksum_of, checksum_record, input_path

ahead = prefetched

BOM = b"\xef\xbb\xbf"
ZST = b"\x28\xb5\x2f\xfd"
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
LONG = 32 << 20  # bytes from which on a run is scored as it is read, and of a pipe that are kept
HEAD = 1 << 16  # bytes by which it is told what a file is; a file that is no longer is kept in memory
OPENING = Lock()  # held while a file is opened, so that two threads do not open it twice
SPARE_FILES = 64  # that others may have open, too
LONE = re.compile(rb"\r[^\r\n]")  # a carriage return that ends no line
WHOLE = re.compile(rb"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..")  # in JSON: a backslash, or a character in two halves
HALF = re.compile(rb"\\u[dD][89a-fA-F]..")
RAW_HALF = re.compile(b"\xed[\xa0-\xbf][\x80-\xbf]")  # as bytes, which UTF-8 does not have


class Source:
    """A file, a pipe or the standard input (`-`). It is opened once: whoever reads it again rewinds it.

    The one exception: where the system allows too few open files, a file is closed after each reading.
    """

    block = 16 << 20  # bytes read at a time: memory stays bounded, and two cores have work
    _file: IO[bytes] | None = None

    def __init__(self, path: str | Path) -> None:
        self.name, self.given = called(_path(path)), str(path)
        self.path = Path(path)
        self.is_pipe = str(path) == "-"
        self.data: bytes | None = None  # the whole content, unpacked: of a long pipe, or of a file packed by zstd
        self._all: bytes | None = None  # the whole content, still packed, where it is short
        self._pipe: Pipe | None = None  # a long one, of which only the beginning is in memory
        self._begins = self._head = b""
        self._record = checksum_record()
        self._checksum: str | None = None
        self.tag: str | None = None  # of the run that it holds, once that is known
        if self.is_pipe:
            return
        try:
            if self.path.is_dir():
                raise InputError(f"{self.name} is a folder; a file is expected here")
            if not self.path.exists():
                raise InputError(f"there is no file {self.name}")
            self.is_pipe = not self.path.is_file()
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}") from None

    @property
    def input_path(self) -> Path:
        """Its path, with its tag, and with its checksum where there is one: someone asked for it, or this is a pipe."""
        return input_path(self.path, self._checksum, self.tag)

    @property
    def size(self) -> int:
        """Bytes of the file, packed as it may be."""
        return self.path.stat().st_size

    @property
    def is_long(self) -> bool:
        """Whether it is so long that its lists are judged some at a time."""
        if not self.is_pipe:
            return self.size >= LONG
        self.head()
        return self._pipe is not None

    def blocks(self, size: int = 0) -> Iterator[bytes]:
        """Pieces of whole lines, each ending in a newline; a byte order mark is left out."""
        rest: list[bytes] = []  # of a line that goes on
        first, done = True, 0
        self._refuse_no_text(self.head())
        with self.stream() as stream:
            while piece := _read(self.name, lambda: stream.read(size or self.block)):
                if first:
                    piece = piece.removeprefix(BOM)
                    first = False
                end = piece.rfind(b"\n") + 1
                if end:
                    block = b"".join((*rest, memoryview(piece)[:end]))
                    self._check(block, done)
                    yield block
                    rest, done = [piece[end:]], done + len(block)
                else:
                    rest.append(piece)
        if last := b"".join(rest):
            self._check(last, done)
            yield last + b"\n"

    def _check(self, block: bytes, done: int) -> None:
        """Refuses what would make several lines one, or hide at the start of one, given the bytes before the block."""
        if b"\r" in block and block.count(b"\r") != block.count(b"\r\n") and (found := LONE.search(block)):
            what = "a carriage return without a line feed, which would make two lines one"
            raise InputError(f"{self._place(done + found.start())}: found {what}; end lines with LF or CRLF")
        inside = block.find(b"\n" + BOM) if BOM[:1] in block else -1  # one byte is looked for faster than four
        if inside >= 0 or (done and block.startswith(BOM)):
            what = "a byte order mark inside the file, as files have that were joined"
            raise InputError(f"{self._place(done + inside + 1)}: found {what}; delete it")

    def _refuse_no_text(self, begins: bytes) -> None:
        """Says what a file is that is no text."""
        if what := no_text(begins[:HEAD]):
            raise InputError(f"{self.name} looks like {what}; a file of text is expected here")

    def _place(self, offset: int) -> str:
        """The file and the line in which a byte lies, the byte order mark at the start not counted."""
        with self.stream() as stream:
            return location(self.name, 1 + stream.read(offset + len(BOM)).removeprefix(BOM)[:offset].count(b"\n"))

    def head(self) -> bytes:
        """How it begins: 64 KB, unpacked, a byte order mark left out."""
        if not self._head:
            with self.stream(peek=True) as stream:
                read = partial(_beginning, stream) if self._pipe else stream.read
                self._head = _read(self.name, lambda: read(HEAD)).removeprefix(BOM)
        return self._head

    def samples(self, size: int) -> list[bytes]:
        """The first bytes and, of a long file that is not packed, as many from its middle and its end."""
        found = [self.head()[:size]]
        if self._is_plain and self.size > 3 * size:
            found += [self._piece(start, size) for start in (self.size // 2, self.size - size)]
        return found

    def ending(self, size: int) -> bytes:
        """The last bytes of a file that is not packed; nothing of any other."""
        self.head()
        return self._piece(max(0, self.size - size), size) if self._is_plain else b""

    @property
    def _is_plain(self) -> bool:
        """Whether an opened source is a file that is not packed."""
        return not self.is_pipe and self.data is None and not is_packed(self._begins)

    def _piece(self, start: int, size: int) -> bytes:
        """Some bytes of a file that is not packed."""
        with self.stream() as stream:
            stream.seek(start)
            return _read(self.name, lambda: stream.read(size))

    def whole(self) -> bytes:
        """All of it, unpacked, as it is: for formats that are not made of lines."""
        with self.stream() as stream:
            return _read(self.name, stream.read)

    def text(self) -> str:
        """All of it as text, a byte order mark left out."""
        data = self.whole()
        self._refuse_no_text(data)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(f"{self.name}, line {line}: not UTF-8 text; save the file as UTF-8.") from None

    @contextmanager
    def stream(self, peek: bool = False, once: bool = False) -> Iterator[IO[bytes]]:
        """The content from its first byte, unpacked.

        A long pipe is read into memory, unless the caller will only `peek` at its beginning, or read it `once` and no
        more.
        """
        try:
            raw = self._rewound(peek, once)
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}") from None
        with nullcontext() if isinstance(raw, Pipe) else raw, stream_of(raw, self._begins) as found:
            yield found

    def _rewound(self, peek: bool, once: bool) -> IO[bytes]:
        """The content from its first byte, still packed; the first call opens it."""
        with OPENING:
            if self.data is None and self._all is None and self._file is None and self._pipe is None:
                self._open()
        if self._pipe is not None:
            if once:
                return cast(IO[bytes], self._pipe)
            if peek:
                return io.BytesIO(self._pipe.head)
            self.data, self._pipe = _unpacked(self.name, self._pipe.whole()), None
            self._begins = b""
        if self.data is not None:
            return io.BytesIO(self.data)
        if self._all is not None:
            return io.BytesIO(self._all)
        assert self._file is not None
        if self._file.closed:  # too few files may be open
            return self.path.open("rb", buffering=0)
        return cast(IO[bytes], Reading(self._file))

    def _open(self) -> None:
        """Opens it, and hashes it if someone asked for checksums. Short content stays in memory, other files open."""
        if self.is_pipe:
            pipe = Pipe(self.path, self.name, self._keep)
            self._begins = pipe.head[:10]
            self._all, self._pipe = (pipe.whole(), None) if pipe.short else (None, pipe)
        else:
            file = self.path.open("rb", buffering=0)
            begins = file.read(HEAD)
            self._begins = begins[:10]
            if self._record is not None and self._checksum is None:
                file.seek(0)
                self._keep(checksum_of(file))
            self._file, self._all = (None, begins) if len(begins) < HEAD else (file, None)
            if self._begins.startswith(ZST):
                file.seek(0)
                self._all = file.read()
            if self._all is not None or not _may_stay_open(file.fileno()):
                file.close()
        if self._all is not None and self._begins.startswith(ZST):
            self.data, self._begins = _unpacked(self.name, self._all), b""

    def _keep(self, checksum: str) -> None:
        """Keeps the checksum, also in the record of whoever asked for it."""
        self._checksum = checksum
        if self._record is not None:
            self._record[str(self.path)] = checksum

    def close(self) -> None:
        """Closes the file; what is in memory stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    __del__ = close

    def __getstate__(self) -> dict[str, Any]:  # what is open stays here, and is opened again there
        return self.__dict__ | {"_file": None, "_pipe": None, "_record": None}


class Reading(io.RawIOBase):
    """One reading of an open file from its beginning, so that several threads can read it at the same time."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.place = file, 0

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def seekable(self) -> bool:
        """True: one can go on elsewhere."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes on at a place, counted from the beginning."""
        self.place = offset + (self.place if whence == io.SEEK_CUR else 0)
        return self.place

    def tell(self) -> int:
        """How many bytes come before the place."""
        return self.place

    def readinto(self, buffer: Any) -> int:
        """How many of the next bytes were put in a buffer; 0 at the end."""
        if hasattr(os, "preadv"):
            got = os.preadv(self.file.fileno(), [buffer], self.place)
        else:
            with OPENING:
                self.file.seek(self.place)
                got = cast(Any, self.file).readinto(buffer)
        self.place += got
        return got


def is_packed(begins: bytes) -> bool:
    """Whether a file that begins so is gzip, bzip2 or xz."""
    return begins.startswith((b"\x1f\x8b", b"\xfd7zXZ\0")) or (begins.startswith(b"BZh") and begins[4:10] == b"1AY&SY")


def stream_of(file: IO[bytes], begins: bytes) -> IO[bytes]:
    """What a file that begins so holds, unpacked if it is packed."""
    opened: Any
    if not is_packed(begins):
        return file
    if begins.startswith(b"\x1f\x8b"):
        import gzip

        opened = gzip.GzipFile(fileobj=file)
    elif begins.startswith(b"BZh"):
        import bz2

        opened = bz2.BZ2File(file)
    else:
        import lzma

        opened = lzma.LZMAFile(file)  # noqa: SIM115
    return cast(IO[bytes], opened)


def _may_stay_open(number: int) -> bool:
    """Whether enough files can be opened beside this one, by its number; the system is asked for as many as it has."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if number + SPARE_FILES < allowed or allowed == resource.RLIM_INFINITY:
            return True
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        return most == resource.RLIM_INFINITY or number + SPARE_FILES < most
    return False


def unreadable() -> tuple[type[Exception], ...]:
    """What reading raises, of packed files too; imported once something is raised."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError


def sound_json(data: bytes, name: str) -> bytes:
    """The same JSON; refused where it has half of a character, which no text can hold."""
    half = HALF.search(WHOLE.sub(b"", data)) if b"\\ud" in data or b"\\uD" in data else None
    half = half or (RAW_HALF.search(data) if b"\xed" in data else None)
    if half:
        shown = half[0].decode("ascii", "backslashreplace")
        raise InputError(f"{name}: found {shown}, half of a character; write the whole, or delete it")
    return data


def _path(given: Any) -> str | Path:
    """A path that was given, once it is sure that it is one."""
    if not isinstance(given, str | PathLike):
        raise InputError(f"a file is named by its path; found {as_found(given)}")
    return given if isinstance(given, str) else Path(given)


def finite(stream: BinaryIO, name: str) -> BinaryIO:
    """The stream; refused where it is a device that never ends, as /dev/zero does not."""
    try:
        known = os.fstat(stream.fileno())
    except OSError:  # something in memory
        return stream
    if stat.S_ISBLK(known.st_mode):
        raise InputError(f"{name} is a disk; a file is expected here")
    if stat.S_ISCHR(known.st_mode) and not stream.isatty() and known.st_rdev != os.stat(os.devnull).st_rdev:
        raise InputError(f"{name} is a device without an end; a file is expected here")
    return stream


def called(path: str | Path) -> str:
    """What a file is called in sentences."""
    return "standard input" if str(path) == "-" else str(path)


class Pipe(io.RawIOBase):
    """What can be read once, standard input or a pipe: a stream whose beginning is kept, should it be read again."""

    def __init__(self, path: Path, name: str, keep: Callable[[str], None]) -> None:
        from hashlib import sha256

        self.path, self.name, self.keep = str(path), name, keep  # what keeps the checksum, once all was read
        self.file = finite(sys.stdin.buffer if self.path == "-" else path.open("rb"), name)
        self.head, self.done = self.file.read(LONG), 0  # the beginning, and how many bytes were given out
        self.sum = sha256(self.head)

    @property
    def short(self) -> bool:
        """Whether the beginning is all there is."""
        return len(self.head) < LONG

    def readable(self) -> bool:
        """True: it is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """How many of the next bytes were put in a buffer; 0 at the end."""
        some = self.head[self.done : self.done + len(buffer)]
        buffer[: len(some)] = some
        got = len(some)
        if not got:
            got = int(cast(Any, self.file).readinto(buffer) or 0)
            self.head = b"" if got else self.head  # from here on there is no second reading
            self.sum.update(memoryview(buffer)[:got])
        self.done += got
        if not got:
            self._leave()
        return got

    def whole(self) -> bytes:
        """All of it, for a second reading; refused where more than the beginning was given out."""
        if self.done > len(self.head):
            raise InputError(
                f"{self.name} has a topic in several places, a document twice, or a line that needs a closer "
                "look, and a pipe cannot be gone through a second time; write it to a file and give that"
            )
        rest = b"" if self.short else self.file.read()
        self.sum.update(rest)
        self._leave()
        return self.head + rest

    def _leave(self) -> None:
        self.keep(self.sum.hexdigest())
        if self.path != "-":
            self.file.close()


def _unpacked(name: str, data: bytes) -> bytes:
    """The bytes of a file that is in memory, unpacked."""
    if not data.startswith(ZST):
        return _read(name, stream_of(io.BytesIO(data), data[:10]).read)
    import polars as pl  # which reads zstd; Python itself does so from 3.14 on

    try:
        lines = pl.read_lines(io.BytesIO(data)).to_series()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{name} is a damaged .zst file, or holds no text ({str(error).splitlines()[0]})") from None
    return "".join(f"{line}\n" for line in lines).encode()


def _beginning(stream: IO[bytes], size: int) -> bytes:
    """Up to so many bytes of what may be cut off."""
    found = b""
    with suppress(EOFError):
        while len(found) < size and (piece := cast(Any, stream).read1(size - len(found))):
            found += piece
    return found


def _read(name: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except unreadable() as error:
        if isinstance(error, OSError) and type(error).__name__ != "BadGzipFile":
            raise InputError(f"{name} cannot be read: {error.strerror or error}") from None
        end = next((e for e in SUFFIXES if name.endswith(e)), ".xz" if type(error).__name__ == "LZMAError" else ".gz")
        raise InputError(f"{name} is a damaged {end} file ({error}); copy or compress it again") from None


def files(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """The files that paths, folders and globs name, those of a folder or glob by name; hidden ones are skipped."""
    found: list[str] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        text = str(_path(path))
        if text != "-" and Path(text).is_dir():
            inside = [str(item) for item in Path(text).iterdir() if item.is_file() and item.name[0] != "."]
            if not inside:
                raise InputError(f"the folder {text} has no files; name a folder of files, a glob or files")
            found += sorted(inside)
        elif text != "-" and has_magic(text) and not Path(text).exists():
            inside = [item for item in glob(text, recursive=True) if Path(item).is_file()]
            if not inside:
                raise InputError(f"no file matches {text}")
            found += sorted(inside)
        else:
            found.append(text)
    return list(dict.fromkeys(found))
