"""Limits on memory (ulimit -v): a command is done by a child, for libraries end a process that finds no room."""

import math
import os
import signal
import sys
import time
import warnings
from contextlib import suppress

# one thread each
FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "_RJEM_MALLOC_CONF": "background_thread:false"}
LEAST = 320 << 20  # bytes without which libraries cannot be loaded, and may try for ever
ROOM = 8 << 30  # bytes of address space that threads may take, of libraries too
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 0.2  # seconds until a signal is passed on, which a terminal may have sent to both
PARENT_DIED = 1  # of prctl(2)


def limited(below: float = math.inf) -> bool:
    """Whether this process may not have all the memory there is, or not so many bytes."""
    try:
        import resource
    except ImportError:  # not on this system
        return False
    allowed = [resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return any(each != resource.RLIM_INFINITY and each < below for each in allowed)


def memory_is_limited() -> bool:
    """Whether there may be no room for threads, which then are not started: some that find none wait for ever."""
    return limited(below=ROOM)


def in_child() -> int | None:
    """Goes on in a child process: there, a pipe on which to tell that the end was reached; None in the parent.

    The parent ends as the child does, and returns only where that ended without a word. What libraries write to
    standard error themselves is not shown.
    """
    told, tells = os.pipe()
    child = os.fork()
    if child:
        os.close(tells)
        _ended(child, told)
        return None
    os.close(told)
    _end_with_parent()
    if memory_is_limited():
        os.environ |= FRUGAL | os.environ
        _have_blas_ready()
    shown = os.fdopen(os.dup(2), "w", encoding=sys.stderr.encoding)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stderr = shown
    warnings.simplefilter("ignore")  # of libraries that are only half there
    sys.unraisablehook = lambda _: None
    return tells


def _ended(child: int, told: int) -> None:
    """Waits for the child, passes signals on to it, and ends as it did, if that is known."""

    def forward(number: int, _: object) -> None:
        time.sleep(PATIENCE)
        os.kill(child, number)

    for number in FORWARDED:
        signal.signal(number, forward)
    state = os.waitpid(child, 0)[1]
    status = os.waitstatus_to_exitcode(state)
    if -status in (*FORWARDED, signal.SIGKILL, signal.SIGPIPE):
        with suppress(OSError):  # nobody changes what SIGKILL does
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    if os.read(told, 1):
        os._exit(status)


def _have_blas_ready() -> None:
    """Loads and uses both copies of OpenBLAS while there is room: where there are no 32 MiB left, it tries for ever."""
    import numpy as np
    import scipy.special  # noqa: F401

    some = np.ones((128, 128))
    some @ some


def _end_with_parent() -> None:
    """Has this process ended where its parent is, if the system can."""
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PARENT_DIED, int(signal.SIGKILL))
