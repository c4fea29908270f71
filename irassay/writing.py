"""Files that are written whole or not at all: what was there before stays until all of the new is on the disk."""

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from irassay.errors import InputError


def write_file(path: str | Path, content: str | bytes) -> None:
    """Writes a file at once: a reader sees the old one or the new one, never half of one.

    Text is UTF-8; what UTF-8 cannot hold is written as an escape. A link, a pipe or a device is written through.
    """
    with binary_file(path) as out:
        out.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def binary_file(path: str | Path) -> Iterator[BinaryIO]:
    """A stream of bytes that becomes a file once all of it is there; InputError where it cannot be written."""
    try:
        target = _replaceable_file(Path(path))
    except (OSError, ValueError) as error:
        raise write_error(path, error) from None
    try:
        with open(path, "wb") if target is None else _replacement(target) as out:
            yield out
    except OSError as error:
        raise write_error(path, error) from None


@contextmanager
def text_file(path: str | Path) -> Iterator[TextIO]:
    """A stream of text that becomes a file once all of it is there."""
    with binary_file(path) as out:
        stream = TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", newline="")
        yield stream
        stream.flush()
        stream.detach()


def make_folder(path: str | Path) -> None:
    """Makes a folder and those above it, where there are none."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise write_error(path, error) from None


def write_error(path: str | Path, error: OSError | ValueError) -> InputError:
    """That a file cannot be written, and why, in a sentence."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InputError(f"{path} cannot be written: {why}; choose another place, or make room there")


def _replaceable_file(path: Path) -> Path | None:
    """The file that a new one may take the place of, links followed; None where it is to be written through."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    real = Path(os.path.realpath(path))
    if stat.S_ISDIR(known.st_mode):
        raise IsADirectoryError(21, "it is a folder")
    if not stat.S_ISREG(known.st_mode) or known.st_nlink > 1 or path.parts[:2] in (("/", "dev"), ("/", "proc")):
        return None
    if not os.access(real, os.W_OK):
        raise PermissionError(13, os.strerror(13))
    return real if os.access(real.parent, os.W_OK) else None


@contextmanager
def _replacement(target: Path) -> Iterator[BinaryIO]:
    """A new file that in the end takes the place of one that may be there, with its rights."""
    spare = target.with_name(f".irassay-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with _removed_on_signal(spare):
            with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as out:
                _copy_permissions(out, target)
                yield out
                out.flush()
                os.fsync(out.fileno())
            os.replace(spare, target)
    except BaseException:
        with suppress(OSError):
            spare.unlink()
        raise
    with suppress(OSError):  # some file systems have no such thing
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _removed_on_signal(spare: Path) -> Iterator[None]:
    """Lets a signal that would end the process at once (`kill`, a closed terminal) take a file with it."""

    def end(number: int, _: object) -> None:
        with suppress(OSError):
            spare.unlink()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    usual = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
    main = threading.current_thread() is threading.main_thread()
    ours = [number for number in usual if main and signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _copy_permissions(out: BinaryIO, target: Path) -> None:
    """Gives a new file the rights and, where allowed, the owner of the one it replaces."""
    with suppress(OSError):
        known = target.stat()
        os.fchmod(out.fileno(), stat.S_IMODE(known.st_mode))
        if (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(out.fileno(), known.st_uid, known.st_gid)


def cache_folder() -> Path:
    """Where files are kept that take long to fetch or make: $IRASSAY_CACHE, or the user's cache folder."""
    named, base = os.environ.get("IRASSAY_CACHE"), os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path(base) / "irassay" if base else Path.home() / ".cache" / "irassay"
