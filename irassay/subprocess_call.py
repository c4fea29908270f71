"""Calls in another process, for libraries that abort the process instead of raising an exception."""

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pkgutil import resolve_name
from threading import Lock
from typing import Any, BinaryIO, cast

from irassay.parallel import check_cancelled

SERVE = "from irassay.subprocess_call import serve; serve()"
_worker: "subprocess.Popen[bytes] | None" = None  # started by the first call, and kept for the next ones
_owner, _one_at_a_time = 0, Lock()
POLL_SECONDS = 0.1  # between checks whether the work was cancelled


class DiedError(Exception):
    """The call ended its process, or raised an exception that cannot be sent back; the message says how."""


def subprocess_call(function: str, *args: object, **kwargs: object) -> Any:
    """What a function, such as 'polars:read_parquet', returns or raises in another process.

    DiedError if that process ends instead. If no process can be started, the function is called in this one. Once the
    work is cancelled, the other process is killed.
    """
    global _worker, _owner
    while not _one_at_a_time.acquire(timeout=POLL_SECONDS):
        check_cancelled()
    try:
        if _owner != os.getpid() or _worker is None or _worker.poll() is not None:
            _worker, _owner = _new_worker(), os.getpid()
        if _worker is None:
            return resolve_name(function)(*args, **kwargs)
        try:
            pickle.dump((function, args, kwargs), cast(BinaryIO, _worker.stdin))
            cast(BinaryIO, _worker.stdin).flush()
            _wait_for_answer(cast(BinaryIO, _worker.stdout))
            returned, value = pickle.load(cast(BinaryIO, _worker.stdout))  # safe: from a process that we started
        except (EOFError, OSError, pickle.UnpicklingError):
            raise DiedError(_end_worker(_worker)) from None
        except BaseException:  # part of an answer may have been sent
            _worker.kill()
            _end_worker(_worker)
            raise
    finally:
        _one_at_a_time.release()
    if returned:
        return value
    raise value


def _wait_for_answer(stream: BinaryIO) -> None:
    """Waits until there is something to read, unless the work is cancelled first."""
    if sys.platform == "win32":  # select does not work on pipes there
        return
    import select

    while not select.select([stream], [], [], POLL_SECONDS)[0]:
        check_cancelled()


def serve() -> None:
    """Answers calls from standard input on standard output; ends when the input does, even during a call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all: the caller decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not mix with answers
    pickle.dump("ready", answers)
    answers.flush()
    while True:
        try:
            function, args, kwargs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            with _killed_at_end_of_input():
                answer = pickle.dumps((True, resolve_name(function)(*args, **kwargs)))
        except BaseException as error:
            answer = _pickled_error(error)
        answers.write(answer)
        answers.flush()


@contextmanager
def _killed_at_end_of_input() -> Iterator[None]:
    """Ends this process by a signal when standard input ends, which has no data until there is an answer.

    The system sends it, because a library that draws lets no other Python thread run.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl
    import select

    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # it has ended already
        os._exit(0)
    try:
        yield
    finally:
        fcntl.fcntl(0, fcntl.F_SETFL, flags)


def _pickled_error(error: BaseException) -> bytes:
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:  # its class cannot be pickled
        answer = pickle.dumps((False, DiedError(f"{type(error).__name__}: {error}")))
    return answer


def _new_worker() -> "subprocess.Popen[bytes] | None":
    """A new process that answers calls; None if none can be started."""
    if not sys.executable:
        return None
    try:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE],  # -P: do not import modules from the working folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except OSError:
        return None
    try:
        pickle.load(cast(BinaryIO, worker.stdout))
    except (EOFError, pickle.UnpicklingError):
        _end_worker(worker)
        return None
    atexit.register(_end_quietly, worker)
    return worker


def _end_quietly(worker: "subprocess.Popen[bytes]") -> None:
    with suppress(KeyboardInterrupt):  # the user does not wait
        _end_worker(worker)


def _end_worker(worker: "subprocess.Popen[bytes]") -> str:
    """Ends a worker; returns the name of the signal that ended it, or its status."""
    for stream in (worker.stdin, worker.stdout):
        with suppress(OSError):  # data that was never read
            cast(BinaryIO, stream).close()
    status = worker.wait()
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"status {status}"
