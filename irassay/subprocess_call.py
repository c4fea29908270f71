"""Functions called in another process, for libraries that end the process where others raise an exception."""

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Lock
from typing import Any, BinaryIO, cast

from irassay.parallel import check_cancelled

SERVE = "from irassay.subprocess_call import serve; serve()"
_worker: "subprocess.Popen[bytes] | None" = None  # started by the first call, and kept for the next ones
_owner, _one_at_a_time = 0, Lock()
PATIENCE = 0.1  # seconds to wait before checking again whether the work was cancelled


class DiedError(Exception):
    """The call ended the process it was made in, or raised what cannot be sent back; the message says how."""


def subprocess_call(place: str, *given: object, **settings: object) -> Any:
    """What a function of a module, such as 'polars:read_parquet', returns or raises in another process.

    DiedError if that process ends instead. Where none can be started, the function is called in this process. Once the
    work is cancelled, the other process is killed.
    """
    global _worker, _owner
    while not _one_at_a_time.acquire(timeout=PATIENCE):
        check_cancelled()
    try:
        if _owner != os.getpid() or _worker is None or _worker.poll() is not None:
            _worker, _owner = _started(), os.getpid()
        if _worker is None:
            return _called(place, given, settings)
        try:
            pickle.dump((place, given, settings), cast(BinaryIO, _worker.stdin))
            cast(BinaryIO, _worker.stdin).flush()
            _wait_for_answer(cast(BinaryIO, _worker.stdout))
            returned, value = pickle.load(cast(BinaryIO, _worker.stdout))  # of a process that we started
        except (EOFError, OSError, pickle.UnpicklingError):
            raise DiedError(_end(_worker)) from None
        except BaseException:  # half of an answer may be under way
            _worker.kill()
            _end(_worker)
            raise
    finally:
        _one_at_a_time.release()
    if returned:
        return value
    raise value


def _wait_for_answer(stream: BinaryIO) -> None:
    """Waits until there is something to read, unless the work is cancelled first."""
    if sys.platform == "win32":  # pipes cannot be waited for there
        return
    import select

    while not select.select([stream], [], [], PATIENCE)[0]:
        check_cancelled()


def serve() -> None:
    """Answers calls from standard input, on standard output, and ends where there is no more of it, also meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a terminal sends to all: whoever asked decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    pickle.dump("ready", answers)
    answers.flush()
    while True:
        try:
            asked = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            with _mortal():
                answer = pickle.dumps((True, _called(*asked)))
        except BaseException as error:
            answer = _as_raised(error)
        answers.write(answer)
        answers.flush()


@contextmanager
def _mortal() -> Iterator[None]:
    """Standard input, on which nothing comes until there is an answer, ends the process by a signal where it ends.

    The system does that, for a library that draws lets no other thread of Python run.
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


def _called(place: str, given: tuple[object, ...], settings: dict[str, object]) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)(*given, **settings)


def _as_raised(error: BaseException) -> bytes:
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:  # of a class that cannot be sent
        answer = pickle.dumps((False, DiedError(f"{type(error).__name__}: {error}")))
    return answer


def _started() -> "subprocess.Popen[bytes] | None":
    """A process that answers calls; None where there can be none."""
    if not sys.executable:
        return None
    try:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE],  # -P: no module of the working folder
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
        _end(worker)
        return None
    atexit.register(_let_go, worker)
    return worker


def _let_go(worker: "subprocess.Popen[bytes]") -> None:
    with suppress(KeyboardInterrupt):  # of somebody who does not wait for the end
        _end(worker)


def _end(worker: "subprocess.Popen[bytes]") -> str:
    """Lets a worker end: how it did."""
    for stream in (worker.stdin, worker.stdout):
        with suppress(OSError):  # of what was not read any more
            cast(BinaryIO, stream).close()
    status = worker.wait()
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"status {status}"
