"""Atomic writing: a file is replaced only when all of the new one is on the disk, so it is never half written."""

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
    """Write a file atomically: a reader sees the old one or the new one, never half of one.

    Text is UTF-8, with escapes for what UTF-8 cannot encode. Links are followed; pipes and devices are written to.
    """
    with binary_file(path) as out:
        out.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def binary_file(path: str | Path) -> Iterator[BinaryIO]:
    """A binary stream whose content becomes the file when it is closed; InputError if it cannot be written."""
    try:
        target = _replaceable_file(Path(path))
    except (OSError, ValueError) as error:
        raise write_error(path, error) from None
    try:
        with open(path, "wb") if target is None else _replacement_file(target) as out:
            yield out
    except OSError as error:
        raise write_error(path, error) from None


@contextmanager
def text_file(path: str | Path) -> Iterator[TextIO]:
    """A text stream whose content becomes the file when it is closed."""
    with binary_file(path) as out:
        stream = TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", newline="")
        yield stream
        stream.flush()
        stream.detach()


def make_folder(path: str | Path) -> None:
    """Create a folder and its parents, unless they exist."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise write_error(path, error) from None


def write_error(path: str | Path, error: OSError | ValueError) -> InputError:
    """An InputError that says why a file cannot be written."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InputError(f"{path} cannot be written: {reason}; choose another place, or make room there.")


def _replaceable_file(path: Path) -> Path | None:
    """The file that a new one can replace, with links resolved; None if it must be written in place."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    real = Path(os.path.realpath(path))
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "it is a folder")
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or path.parts[:2] in (("/", "dev"), ("/", "proc")):
        return None
    if not os.access(real, os.W_OK):
        raise PermissionError(13, os.strerror(13))
    return real if os.access(real.parent, os.W_OK) else None


@contextmanager
def _replacement_file(target: Path) -> Iterator[BinaryIO]:
    """A temporary file that replaces the target when it is closed, with the target's permissions."""
    temporary = target.with_name(f".irassay-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with _removed_on_signal(temporary):
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as out:
                _copy_permissions(out, target)
                yield out
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    with suppress(OSError):  # some file systems cannot sync a folder
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _removed_on_signal(temporary: Path) -> Iterator[None]:
    """Remove a file if a signal that ends the process (`kill`, a closed terminal) arrives inside the block."""

    def end(number: int, _: object) -> None:
        with suppress(OSError):
            temporary.unlink()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    ending = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()  # only this thread may set handlers
    handled = [number for number in ending if is_main and signal.getsignal(number) == signal.SIG_DFL]
    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _copy_permissions(out: BinaryIO, target: Path) -> None:
    """Give a new file the permissions and, if allowed, the owner of the file that it replaces."""
    with suppress(OSError):
        status = target.stat()
        os.fchmod(out.fileno(), stat.S_IMODE(status.st_mode))
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(out.fileno(), status.st_uid, status.st_gid)


def cache_folder() -> Path:
    """The folder for files that take long to fetch or compute: $IRASSAY_CACHE, or the user's cache folder."""
    override, base = os.environ.get("IRASSAY_CACHE"), os.environ.get("XDG_CACHE_HOME")
    return Path(override) if override else Path(base) / "irassay" if base else Path.home() / ".cache" / "irassay"
